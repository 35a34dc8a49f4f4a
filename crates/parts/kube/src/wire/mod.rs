//! The API as real clients reach it: paths, media types, lists, tables, watches.
//!
//! *Knows*: requests and answers as plain data. *Must not know*: sockets, prefixes of a server that hosts other APIs, too.
//! Source: `kubernetes/apiserver: pkg/endpoints`, `kubernetes/kubernetes: pkg/printers/internalversion`; match for what
//! `kubectl` and the Python client ask for.
//!
//! ```text
//! let request = Request { method: "GET", path: "/api/v1/pods", query: "watch=true", ..Request::default() };
//! let answer = wire::read(&kube, now, &request);        // GET: changes nothing
//! let answer = wire::write(&mut kube, cx, &request);    // all other methods
//! match answer.body { Body::Watch(watch) => watch.poll(&kube, now), ... }
//! ```

mod columns;
mod discovery;
mod fields;
mod list;
mod logs;
mod path;
pub(crate) mod protobuf;
mod read;
mod table;
mod watch;
mod write;

pub use read::read;
pub use watch::Watch;
pub use write::write;

use crate::error::{ApiError, Reason};
use serde_json::Value;

/// A request without its transport.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// `GET`, `POST`, `PUT`, `PATCH`, `DELETE`.
    pub method: &'a str,
    /// Path, percent-encoded: `/api/v1/namespaces/default/pods`.
    pub path: &'a str,
    /// Query without the question mark.
    pub query: &'a str,
    /// The header `Accept`; empty for anything.
    pub accept: &'a str,
    /// The media type of the body; empty where it is not given.
    pub content_type: &'a str,
    /// The body; nothing for none. A text that is no JSON stands as a string, and is read as YAML.
    pub body: Option<&'a Value>,
}

/// An answer without its transport.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status code.
    pub status: u16,
    /// The body.
    pub body: Body,
}

/// The body of an answer.
#[derive(Clone, Debug)]
pub enum Body {
    /// `application/json`.
    Json(Value),
    /// `text/plain`.
    Text(String),
    /// Bytes of another media type.
    Bytes(&'static str, Vec<u8>),
    /// A watch: `application/json`, one object a line, as long as somebody listens.
    Watch(Box<Watch>),
}

impl Answer {
    pub(crate) const fn json(status: u16, value: Value) -> Self {
        Self { status, body: Body::Json(value) }
    }

    /// The answer that an error is.
    pub fn error(error: &ApiError) -> Self {
        Self::json(error.code, error.status())
    }
}

impl From<Result<Answer, ApiError>> for Answer {
    fn from(result: Result<Answer, ApiError>) -> Self {
        result.unwrap_or_else(|error| Self::error(&error))
    }
}

/// 404 for a path that leads nowhere.
pub(crate) fn nothing_there() -> ApiError {
    ApiError::new(Reason::NotFound, "the server could not find the requested resource")
}

/// 405.
pub(crate) fn not_allowed() -> ApiError {
    ApiError::new(Reason::MethodNotAllowed, "the server does not allow this method on the requested resource")
}
