//! Requests to a served world over a socket: one at a time, plain text, bounded in size and time.
//!
//! Knows: accepted addresses, timeouts. Must not know: the requests.

use anyhow::{Result, bail};
use planarium_rest::{Request, Response, Rest};
use std::time::Duration;
use ureq::http::{self, Uri};
use ureq::{Agent, Error};

/// Longest answer that is read. *Units*: bytes.
const MAX_ANSWER: u64 = 64 * 1024 * 1024;
/// Timeout of a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Timeout of a read.
const PATIENCE: Duration = Duration::from_mins(1);

/// An HTTP client of a served world.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    /// As in the URL: `host[:port]`.
    host: String,
    /// Path in front of every request's path, without a slash at its end.
    base: String,
}

impl Client {
    /// A client for `http://host[:port][/path]`.
    pub(super) fn new(url: &str) -> Result<Self> {
        let uri: Uri = match url.parse() {
            Ok(uri) if url.starts_with("http://") && !url.contains(['?', '#']) => uri,
            _ => bail!("write http://HOST:PORT"),
        };
        let Some(authority) = uri.authority().filter(|it| !it.as_str().contains('@')) else {
            bail!("write http://HOST:PORT")
        };
        // The colons within brackets belong to an IPv6 address.
        let after_brackets =
            authority.as_str().rsplit_once(']').map_or(authority.as_str(), |(_, after)| after);
        if let Some((_, port)) = after_brackets.rsplit_once(':')
            && port.parse::<u16>().is_err()
        {
            bail!("`{port}` is not a port");
        }
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .allow_non_standard_methods(true)
            .timeout_connect(Some(CONNECT))
            .timeout_per_read(Some(PATIENCE))
            .timeout_per_write(Some(PATIENCE))
            .build()
            .into();
        let base = uri.path().trim_end_matches('/').to_owned();
        Ok(Self { agent, host: authority.to_string(), base })
    }

    /// Sends a request. Without an answer: a response with status 0 whose body says why.
    pub(super) fn send(&self, request: &Request) -> Response {
        self.exchange(request).unwrap_or_else(|error| Response::text(0, self.words(error)))
    }

    fn exchange(&self, request: &Request) -> Result<Response, Error> {
        let (host, base, path) = (&self.host, &self.base, &request.path);
        let query = if request.query.is_empty() { String::new() } else { format!("?{}", request.query) };
        let mut head = http::Request::builder()
            .method(&*request.method)
            .uri(format!("http://{host}{base}{path}{query}"));
        for (name, value) in &request.headers {
            head = head.header(name, value);
        }
        let bare = request.body.is_empty() && !matches!(request.method.as_str(), "POST" | "PUT" | "PATCH");
        let mut answer = if bare {
            self.agent.run(head.body(())?)?
        } else {
            self.agent.run(head.body(request.body.as_slice())?)?
        };
        let is_json = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        let is_json = is_json.is_some_and(|kind| kind.contains("json"));
        let content_type = if is_json { "application/json" } else { "text/plain;charset=utf-8" };
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_vec()?;
        Ok(Response { status, content_type, headers: Vec::new(), body, rest: Rest::Whole })
    }

    fn words(&self, error: Error) -> String {
        let host = &self.host;
        match error {
            Error::HostNotFound => format!("looking up {host}: there is no such host"),
            Error::BodyExceedsLimit(most) => format!("the answer is longer than {most} bytes"),
            Error::ConnectionFailed => format!("connecting to {host}: no connection"),
            Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                format!("connecting to {host}: {error}")
            }
            Error::Io(error) => error.to_string(),
            error => error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    #[test]
    fn urls() {
        let good = [
            ("http://127.0.0.1:8080", "127.0.0.1:8080", ""),
            ("http://host/", "host", ""),
            ("http://[::1]:9/a/b/", "[::1]:9", "/a/b"),
            ("http://[::1]", "[::1]", ""),
        ];
        for (url, host, base) in good {
            let client = Client::new(url).unwrap();
            assert_eq!((&*client.host, &*client.base), (host, base), "{url}");
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

    /// Returns how long the request that begins with `sent` is: its headers and the body they announce.
    /// A request whose headers have not ended is longer than any.
    fn whole_length(sent: &[u8]) -> usize {
        let text = String::from_utf8_lossy(sent);
        let Some((headers, _)) = text.split_once("\r\n\r\n") else { return usize::MAX };
        let announced = headers.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
        });
        headers.len() + 4 + announced.unwrap_or(0)
    }

    /// Returns the request that a server with this answer received, and the client's result.
    fn exchanged(request: &Request, answer: &'static str) -> (String, Response) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = Client::new(&format!("http://{}/base/", listener.local_addr().unwrap())).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut sent = Vec::new();
            let mut some = [0; 1024];
            // A body may arrive in a packet of its own, after the headers.
            while sent.len() < whole_length(&sent) {
                match stream.read(&mut some) {
                    Ok(count) if count > 0 => sent.extend_from_slice(&some[..count]),
                    _ => break,
                }
            }
            let _ = stream.write_all(answer.as_bytes());
            String::from_utf8(sent).unwrap()
        });
        let response = client.send(request);
        (server.join().unwrap(), response)
    }

    #[test]
    fn answers() {
        let rows: &[(&str, Option<(u16, &str)>)] = &[
            (
                "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\ncontent-length: 2\r\n\r\n{}rest",
                Some((202, "{}")),
            ),
            ("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nto the end", Some((200, "to the end"))),
            ("HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n", Some((302, ""))),
            ("HTTP/1.1 503 No\r\ncontent-length: 4\r\n\r\nlate", Some((503, "late"))),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
                Some((200, "abc0123456789")),
            ),
            ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut", None),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc", None),
            ("SSH-2.0-x\r\n\r\n", None),
            ("HTTP/1.1 abc\r\n\r\n", None),
            ("HTTP/1.1 200 OK\r\n", None),
        ];
        for (answer, want) in rows {
            let (_, response) = exchanged(&Request::new("GET", "/v1/plans?x=1", ""), answer);
            let got = (response.status, String::from_utf8(response.body).unwrap());
            match want {
                Some((status, body)) => assert_eq!(got, (*status, (*body).to_owned()), "{answer:?}"),
                None => assert!(got.0 == 0 && !got.1.is_empty(), "{answer:?}: {got:?}"),
            }
        }
    }

    #[test]
    fn requests_are_sent_unchanged() {
        let ok = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        for (method, body, line) in [
            ("GET", "", "GET /base/v1/plans?x=1 HTTP/1.1\r\n"),
            ("DELETE", "", "DELETE /base/v1/plans?x=1 HTTP/1.1\r\n"),
            ("POST", "", "POST /base/v1/plans?x=1 HTTP/1.1\r\n"),
            ("PUT", "{}", "PUT /base/v1/plans?x=1 HTTP/1.1\r\n"),
        ] {
            let (sent, response) = exchanged(&Request::new(method, "/v1/plans?x=1", body), ok);
            assert_eq!(response.status, 200, "{method}: {:?}", String::from_utf8(response.body));
            assert!(sent.starts_with(line) && sent.ends_with(&format!("\r\n\r\n{body}")), "{sent}");
        }
    }
}
