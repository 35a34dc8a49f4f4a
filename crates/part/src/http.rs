//! Requests and responses without a transport, and a system's handling of a request.
//!
//! *Knows*: the types. *Must not know*: sockets, paths, any API.

use crate::system::Number;
use planarium_protocol::{Input, Refusal};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Makes the response from an input's outcome.
pub type Reply = Box<dyn FnOnce(Result<Value, Refusal>) -> Response>;

/// Makes the response from an input's outcome, and the topic of the following stream, if any.
pub type Subscribed = Box<dyn FnOnce(Result<Value, Refusal>) -> (Response, Option<Value>)>;

/// A part's answers to a request.
pub enum Wire {
    /// The path belongs to another part, or to another daemon of the system.
    NotMine,
    /// The answer; nothing changes.
    Answer(Response),
    /// Something is to change: the router puts the input in and makes the response of the outcome.
    Change(Box<Input>, Reply),
    /// Something is to change, and the response may go on with what happens from before the change.
    Subscribe(Box<Input>, Subscribed),
    /// The response continues: [`crate::Part::stream`] returns later parts for this topic. The transport ends it after a time on
    /// its own clock, if one is given. *Units*: seconds.
    Stream(Response, Value, Option<u64>),
}

impl Wire {
    /// A journaled call of the API itself, answered as [`crate::reply_as_recorded`] says.
    pub fn call(request: &Request) -> Self {
        let input = Input::Call(request.recorded());
        Self::Change(Box::new(input), Box::new(crate::reply_as_recorded))
    }
}

/// Sources of the events that continue a response.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A layer's stream, by the layer's number and the topic.
    Layer(u8, Value),
    /// A system daemon's stream, by the daemon's number and the topic.
    System(Number, Value),
}

/// A continuing response: a position in the world's event log.
#[derive(Clone, Debug, PartialEq)]
pub struct EventStream {
    /// Source of the events.
    pub source: Source,
    /// The branch it follows.
    pub branch: u32,
    /// The last event that was looked at.
    pub seq: u64,
    /// The time of the transport's clock after which it ends. *Units*: seconds.
    pub limit_s: Option<u64>,
}

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

    /// The value of a header; names are given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }

    /// The media type of the body, without parameters, in lower case; empty when none is given.
    pub fn content_type(&self) -> String {
        let main = self.header("content-type").and_then(|kind| kind.split(';').next());
        main.unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Returns the request as a journal stores it: JSON bodies as JSON, others as text. The content type is kept if it
    /// differs from JSON.
    pub fn recorded(&self) -> planarium_protocol::input::HttpCall {
        let kind = self.content_type();
        let body = if self.body.is_empty() {
            Value::Null
        } else {
            planarium_protocol::json::value(&self.body)
                .unwrap_or_else(|_| String::from_utf8_lossy(&self.body).into_owned().into())
        };
        let path =
            if self.query.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, self.query) };
        let told = !matches!(kind.as_str(), "" | "application/json" | "application/x-www-form-urlencoded");
        planarium_protocol::input::HttpCall {
            method: self.method.clone(),
            path,
            body,
            content_type: told.then_some(kind),
        }
    }

    /// The first value of a query key.
    pub fn param(&self, key: &str) -> Option<String> {
        self.query.split('&').find_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name, true) == key).then(|| decode(value, true))
        })
    }
}

/// A name as part of a path; slashes stay.
pub fn encode(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A response.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// `Content-Type`; empty for an empty body.
    pub content_type: &'static str,
    /// Further headers.
    pub headers: Vec<(Cow<'static, str>, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// The rest of the body, where the transport can stream.
    pub rest: Rest,
}

/// Continuations of a response's body.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Rest {
    /// No stream: the body is complete, with its length.
    #[default]
    Whole,
    /// Nothing, but the body came as a stream: it holds all that the stream ever says.
    Ended,
    /// The events of a stream.
    Events(Box<EventStream>),
}

impl Rest {
    /// Returns the stream that follows.
    pub fn events(self) -> Option<Box<EventStream>> {
        if let Self::Events(stream) = self { Some(stream) } else { None }
    }
}

impl Response {
    /// A JSON body.
    pub fn json(status: u16, value: &impl serde::Serialize) -> Self {
        let body = planarium_protocol::json::text(value);
        Self { status, content_type: "application/json", headers: Vec::new(), body, rest: Rest::Whole }
    }

    /// A plain text.
    pub fn text(status: u16, text: impl Into<String>) -> Self {
        Self {
            status,
            content_type: "text/plain;charset=utf-8",
            headers: Vec::new(),
            body: text.into().into_bytes(),
            rest: Rest::Whole,
        }
    }

    /// No body.
    pub fn empty(status: u16) -> Self {
        Self { status, content_type: "", headers: Vec::new(), body: Vec::new(), rest: Rest::Whole }
    }

    /// 405 with the methods that would do.
    pub fn wrong_method(allowed: &str) -> Self {
        let mut response = Self::text(405, "HTTP 405 Method Not Allowed");
        response.headers.push(("allow".into(), allowed.to_owned()));
        response
    }
}

/// Percent-decodes a text; invalid escapes stay unchanged, bytes that are not UTF-8 are replaced.
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
    fn targets_are_split() {
        let request = Request::new("GET", "/v1//plans/a%20b%2Fc%zz?phase=x%3A+y&step=", "");
        assert_eq!(request.segments(), ["v1", "plans", "a b/c%zz"]);
        assert_eq!(request.param("phase").as_deref(), Some("x: y"));
        assert_eq!(request.param("step").as_deref(), Some(""));
        assert_eq!(request.param("none"), None);
        assert_eq!(encode("team/a \"b"), "team/a%20%22b");
    }
}
