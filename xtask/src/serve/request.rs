//! A request as a browser sends it for a file.

use std::io::{BufRead, Read};

/// The longest head of a request that is read. *Units*: bytes.
const LONGEST: u64 = 32 * 1024;

/// The parts of a request that an answer depends on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without its query, decoded.
    pub(crate) path: String,
    host: String,
    encodings: Vec<String>,
    pub(crate) keep_alive: bool,
    /// The first line is none of HTTP.
    pub(crate) broken: bool,
}

impl Request {
    /// Reads the next request of a connection. `None` if the connection ended.
    pub(crate) fn read(reader: &mut impl BufRead) -> std::io::Result<Option<Self>> {
        let mut lines = Vec::new();
        let mut limited = reader.take(LONGEST);
        loop {
            let mut line = String::new();
            if limited.read_line(&mut line)? == 0 {
                break;
            }
            let line = line.trim_end();
            if line.is_empty() {
                return Ok(Some(Self::parse(&lines)));
            }
            lines.push(line.to_owned());
        }
        Ok(None)
    }

    fn parse(lines: &[String]) -> Self {
        let mut request = Self { keep_alive: true, ..Self::default() };
        let mut lines = lines.iter();
        let mut words = lines.next().map(String::as_str).unwrap_or_default().split(' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        let path = target.and_then(|target| decoded(target.split(['?', '#']).next()?));
        match (method, path, version) {
            (Some(method), Some(path), Some(version))
                if version.starts_with("HTTP/1") && path.starts_with('/') =>
            {
                method.clone_into(&mut request.method);
                request.path = path;
                request.keep_alive = version != "HTTP/1.0";
            }
            _ => {
                request.broken = true;
                request.keep_alive = false;
            }
        }
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "host" => value.clone_into(&mut request.host),
                "accept-encoding" => request.encodings.extend(accepted(value)),
                "connection" if value.eq_ignore_ascii_case("close") => request.keep_alive = false,
                // A body is of no use here and would be read as the next request.
                "content-length" | "transfer-encoding" if value != "0" => request.keep_alive = false,
                _ => {}
            }
        }
        request
    }

    /// Returns whether the browser takes this content encoding.
    pub(crate) fn takes(&self, encoding: &str) -> bool {
        self.encodings.iter().any(|taken| taken == encoding || taken == "*")
    }

    /// Returns whether its host is this machine: a page of another host cannot read through its own name.
    pub(crate) fn is_local(&self) -> bool {
        let name = self.host.rsplit_once(':').map_or(self.host.as_str(), |(name, _)| name);
        ["127.0.0.1", "localhost", "[::1]"].contains(&name)
    }
}

/// The encodings of an `Accept-Encoding` header that are not ruled out by a quality of zero.
fn accepted(value: &str) -> impl Iterator<Item = String> {
    value.split(',').filter_map(|part| {
        let mut words = part.split(';').map(str::trim);
        let name = words.next()?.to_ascii_lowercase();
        let refused = words.any(|word| {
            word.strip_prefix("q=").is_some_and(|quality| quality.chars().all(|c| c == '0' || c == '.'))
        });
        (!refused).then_some(name)
    })
}

/// Decodes percent escapes in a path. `None` if the result is not text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
