//! Just enough of an HTTP/1.1 client: one request on one connection, plain text, bounded in size and time.
//!
//! Knows: URLs with `http`, status lines, the three ways a body can end. Must not know: what is asked.

use anyhow::{Context as _, Result, bail};
use planarium_rest::{Request, Response};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// Longest answer that is read. *Units*: bytes.
const MAX_ANSWER: u64 = 64 * 1024 * 1024;
/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// How long to wait for the next bytes.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where requests go.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Client {
    /// `host:port`, for the connection.
    address: String,
    /// As the URL has it, for the `host` header.
    host: String,
    /// Path in front of every request's path, without a slash at its end.
    base: String,
}

impl Client {
    /// A client for `http://host[:port][/path]`.
    pub(super) fn new(url: &str) -> Result<Self> {
        let Some(rest) = url.strip_prefix("http://") else { bail!("write http://HOST:PORT") };
        let (host, base) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_graphic() && !b"@?#\\".contains(&b));
        if host.is_empty() || !plain(host) || !plain(base) {
            bail!("write http://HOST:PORT");
        }
        // The colons within brackets belong to an IPv6 address.
        let after_brackets = host.rsplit_once(']').map_or(host, |(_, after)| after);
        let address = match after_brackets.rsplit_once(':') {
            Some((_, port)) if port.parse::<u16>().is_err() => bail!("`{port}` is no port"),
            Some(_) => host.to_owned(),
            None => format!("{host}:80"),
        };
        Ok(Self { address, host: host.to_owned(), base: base.trim_end_matches('/').to_owned() })
    }

    /// Sends a request. Without an answer: a response with status 0 whose body says why.
    pub(super) fn send(&self, request: &Request) -> Response {
        self.exchange(request).unwrap_or_else(|error| Response::text(0, format!("{error:#}")))
    }

    fn exchange(&self, request: &Request) -> Result<Response> {
        let mut stream = self.connect()?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let sent = stream.write_all(&self.head(request)).and_then(|()| stream.write_all(&request.body));
        let mut answer = Vec::new();
        let read = stream.take(MAX_ANSWER + 1).read_to_end(&mut answer);
        if answer.is_empty() {
            sent.context("sending")?;
            read.context("waiting for an answer")?;
            bail!("the server closed the connection without an answer");
        }
        if answer.len() as u64 > MAX_ANSWER {
            bail!("the answer is longer than {MAX_ANSWER} bytes");
        }
        // A server may answer and close before it has read everything, so the answer counts where it is whole.
        let response = parse(&answer);
        if response.is_err() {
            read.context("reading the answer")?;
        }
        response
    }

    fn connect(&self) -> Result<TcpStream> {
        let addresses =
            self.address.to_socket_addrs().with_context(|| format!("looking up {}", self.host))?;
        let mut last = None;
        for address in addresses {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Some(error),
            }
        }
        match last {
            Some(error) => Err(error).with_context(|| format!("connecting to {}", self.address)),
            None => bail!("{} has no address", self.host),
        }
    }

    fn head(&self, request: &Request) -> Vec<u8> {
        let (base, path) = (&self.base, &request.path);
        let query = if request.query.is_empty() { String::new() } else { format!("?{}", request.query) };
        let mut head = format!("{} {base}{path}{query} HTTP/1.1\r\nhost: {}\r\n", request.method, self.host);
        for (name, value) in &request.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "connection: close\r\ncontent-length: {}\r\n\r\n", request.body.len());
        head.into_bytes()
    }
}

/// Takes a whole answer apart.
fn parse(answer: &[u8]) -> Result<Response> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").context("not an HTTP answer")?;
    let (head, body) = answer.split_at(end);
    let body = body.get(4..).unwrap_or_default();
    let head = std::str::from_utf8(head).context("not an HTTP answer")?;
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap_or_default();
    let mut words = status.split(' ');
    let status = match (words.next(), words.next().and_then(|code| code.parse().ok())) {
        (Some(version), Some(status)) if version.starts_with("HTTP/1.") => status,
        _ => bail!("not an HTTP answer: {}", status.chars().take(80).collect::<String>()),
    };
    let headers: Vec<(String, &str)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()))
        .collect();
    let header = |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| *value);
    let body = match (header("transfer-encoding"), header("content-length")) {
        (Some(coding), _) if coding.eq_ignore_ascii_case("chunked") => unchunked(body)?,
        (Some(coding), _) => bail!("the answer is coded as {coding}"),
        (None, Some(length)) => {
            let length: usize = length.parse().context("content-length")?;
            body.get(..length).context("the answer is cut off")?.to_vec()
        }
        (None, None) => body.to_vec(),
    };
    let is_json = header("content-type").is_some_and(|kind| kind.contains("json"));
    let content_type = if is_json { "application/json" } else { "text/plain;charset=utf-8" };
    Ok(Response { status, content_type, headers: Vec::new(), body, stream: None })
}

/// A body in chunks, put together.
fn unchunked(mut rest: &[u8]) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n").context("the answer is cut off")?;
        let (line, after) = rest.split_at(end);
        let line = String::from_utf8_lossy(line);
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).context("a chunk without a size")?;
        if size == 0 {
            return Ok(body);
        }
        let after = after.get(2..).unwrap_or_default();
        let (chunk, after) = after.split_at_checked(size).context("the answer is cut off")?;
        body.extend_from_slice(chunk);
        rest = after.strip_prefix(b"\r\n").context("the answer is cut off")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let good = [
            ("http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080", ""),
            ("http://host/", "host:80", "host", ""),
            ("http://[::1]:9/a/b/", "[::1]:9", "[::1]:9", "/a/b"),
            ("http://[::1]", "[::1]:80", "[::1]", ""),
        ];
        for (url, address, host, base) in good {
            let want = Client { address: address.into(), host: host.into(), base: base.into() };
            assert_eq!(Client::new(url).unwrap(), want, "{url}");
        }
        for url in [
            "",
            "127.0.0.1:8080",
            "https://host",
            "http://",
            "http:///x",
            "http://a:b",
            "http://a:99999",
            "http://a b",
            "http://u@h",
        ] {
            assert!(Client::new(url).is_err(), "{url}");
        }
    }

    #[test]
    fn answers() {
        let rows: &[(&str, Option<(u16, &str)>)] = &[
            (
                "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\ncontent-length: 2\r\n\r\n{}rest",
                Some((202, "{}")),
            ),
            ("HTTP/1.0 200\r\n\r\nto the end", Some((200, "to the end"))),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
                Some((200, "abc0123456789")),
            ),
            ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut", None),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc", None),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n", None),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n", None),
            ("SSH-2.0-x\r\n\r\n", None),
            ("HTTP/1.1 abc\r\n\r\n", None),
            ("HTTP/1.1 200 OK\r\n", None),
        ];
        for (answer, want) in rows {
            let got = parse(answer.as_bytes()).ok().map(|r| (r.status, String::from_utf8(r.body).unwrap()));
            assert_eq!(got, want.map(|(status, body)| (status, body.to_owned())), "{answer:?}");
        }
    }
}
