//! Requests and responses without a transport.

use crate::EventStream;

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET`, `POST`, ...
    pub method: String,
    /// Path without the query, percent-decoding still to be done.
    pub path: String,
    /// Query without the question mark.
    pub query: String,
    /// Header names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
}

impl Request {
    /// A request from a method and a target such as `/v1/plans?x=y`.
    pub fn new(method: &str, target: &str, body: impl Into<Vec<u8>>) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// Path segments, percent-decoded, without empty ones.
    pub fn segments(&self) -> Vec<String> {
        self.path.split('/').filter(|part| !part.is_empty()).map(|part| decode(part, false)).collect()
    }

    /// The first value of a query key.
    pub fn param(&self, key: &str) -> Option<String> {
        self.query.split('&').find_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name, true) == key).then(|| decode(value, true))
        })
    }
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// `Content-Type`; empty for an empty body.
    pub content_type: &'static str,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// What goes on after the body, where the transport can stream.
    pub stream: Option<Box<EventStream>>,
}

impl Response {
    /// A JSON body.
    pub fn json(status: u16, value: &impl serde::Serialize) -> Self {
        let body = planarium_protocol::json::text(value);
        Self { status, content_type: "application/json", headers: Vec::new(), body, stream: None }
    }

    /// A plain text.
    pub fn text(status: u16, text: impl Into<String>) -> Self {
        Self {
            status,
            content_type: "text/plain;charset=utf-8",
            headers: Vec::new(),
            body: text.into().into_bytes(),
            stream: None,
        }
    }

    /// No body.
    pub fn empty(status: u16) -> Self {
        Self { status, content_type: "", headers: Vec::new(), body: Vec::new(), stream: None }
    }

    /// 405 with the methods that would do.
    pub fn wrong_method(allowed: &str) -> Self {
        let mut response = Self::text(405, "HTTP 405 Method Not Allowed");
        response.headers.push(("allow", allowed.to_owned()));
        response
    }
}

/// Percent-decoding; broken escapes stay as they are, bytes that are not UTF-8 are replaced.
fn decode(text: &str, plus_is_space: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |b: &u8| char::from(*b).to_digit(16).and_then(|d| u8::try_from(d).ok());
                match (digit(high), digit(low)) {
                    (Some(high), Some(low)) => {
                        bytes.push(high << 4 | low);
                        rest = after;
                    }
                    _ => bytes.push(b'%'),
                }
            }
            (b'+', _) if plus_is_space => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_taken_apart() {
        let request = Request::new("GET", "/v1//plans/a%20b%2Fc%zz?phase=x%3A+y&step=", "");
        assert_eq!(request.segments(), ["v1", "plans", "a b/c%zz"]);
        assert_eq!(request.param("phase").as_deref(), Some("x: y"));
        assert_eq!(request.param("step").as_deref(), Some(""));
        assert_eq!(request.param("none"), None);
    }
}
