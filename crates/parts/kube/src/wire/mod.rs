//! The API as real clients reach it: paths, media types, lists, tables, watches.
//!
//! *Knows*: requests and answers as plain data. *Must not know*: sockets, prefixes of a server that hosts other APIs, too.
//! Source: `kubernetes/apiserver: pkg/endpoints`, `kubernetes/kubernetes: pkg/printers/internalversion`; match for the
//! requests of `kubectl` and the Python client.
//!
//! ```text
//! let request = Request { method: "GET", path: "/api/v1/pods", query: "watch=true", ..Request::default() };
//! let answer = wire::read(&kube, now, &request);        // GET: changes nothing
//! let answer = wire::write(&mut kube, cx, &request);    // all other methods
//! match answer.body { Body::Watch(watch) => watch.poll(&kube, now), ... }
//! ```

mod columns;
mod discovery;
pub(crate) mod duplicates;
mod fields;
mod list;
mod logs;
mod metrics;
mod openapi;
mod path;
pub(crate) mod protobuf;
mod read;
mod reviews;
mod slices;
mod strict;
mod table;
mod watch;
mod write;

pub(crate) use columns::state;
pub(crate) use path::METHODS;
pub use read::{read, read_on};
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
    /// The media type of the body; empty if not given.
    pub content_type: &'a str,
    /// The body, if any. A text that is not JSON is a string, and is read as YAML.
    pub body: Option<&'a Value>,
}

/// An answer without its transport.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status code.
    pub status: u16,
    /// The body.
    pub body: Body,
    /// Texts of the header `Warning`.
    pub warnings: Vec<String>,
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
    /// A watch: `application/json`, one object per line, until the client closes it.
    Watch(Box<Watch>),
}

impl Answer {
    pub(crate) const fn new(status: u16, body: Body) -> Self {
        Self { status, body, warnings: Vec::new() }
    }

    /// The value of the header `Warning`; none without warnings.
    pub fn warning(&self) -> Option<String> {
        let one = |text: &String| format!("299 - {text:?}");
        (!self.warnings.is_empty()).then(|| self.warnings.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    pub(crate) const fn json(status: u16, value: Value) -> Self {
        Self { status, body: Body::Json(value), warnings: Vec::new() }
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

/// The answer about a subresource of pods that would need a running program.
pub(crate) fn not_simulated(sub: &str) -> Option<ApiError> {
    let what = match sub {
        "exec" => {
            "exec runs no command here: a simulated container has no program in it, only a start, probes and an end"
        }
        "attach" => {
            "attach has nothing to show here: a simulated container has no program in it that could write"
        }
        "portforward" => "port-forward leads nowhere here: no traffic flows to simulated containers",
        "proxy" => "proxy leads nowhere here: no traffic flows to simulated containers",
        _ => return None,
    };
    let text = format!(
        "{what}. What is simulated: logs say when a container started and how it ended; how it behaves is said by \
         the inputs `process-behaviour` and `task-status` (`POST /sim/inputs`)"
    );
    Some(ApiError::new(Reason::BadRequest, text))
}

/// 405.
pub(crate) fn not_allowed() -> ApiError {
    ApiError::new(Reason::MethodNotAllowed, "the server does not allow this method on the requested resource")
}
