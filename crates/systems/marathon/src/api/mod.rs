//! The API: the answer and the effect of each call.
//!
//! *Knows*: routes, bodies, statuses. *Must not know*: sockets; how a change is carried out.
//!
//! **Source**: `marathon: api/v2, api/MarathonExceptionMapper.scala, api/RestResource.scala`. Match; an unknown path is 404 with the
//! text of the real system, which answers 500.

mod apps;
pub(crate) mod caller;
mod deployments;
mod dispatch;
pub(crate) mod events;
pub(crate) mod groups;
mod labels;
mod misc;
mod pods;
mod queue;
pub(crate) mod reader;
pub(crate) mod route;
mod show;
mod tasks;

use crate::definition::Refused;
use crate::schema::Shape;
use planarium_protocol::Refusal;
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;

/// The header that names a deployment.
const DEPLOYMENT: &str = "Marathon-Deployment-Id";

/// Answer of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Null for none, a text for plain text.
    pub(crate) body: Value,
    /// The body is plain text.
    pub(crate) plain: bool,
}

impl Answer {
    pub(crate) fn json(body: Value) -> Self {
        Self { status: 200, headers: Vec::new(), body, plain: false }
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Value::Null, plain: false }
    }

    fn text(text: &str) -> Self {
        Self { status: 200, headers: Vec::new(), body: text.into(), plain: true }
    }

    fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }
}

/// Result of a call.
pub(crate) type Done = Result<Answer, Refused>;

/// A refusal of the world with the real answer in it.
pub(crate) fn refusal(refused: &Refused) -> Refusal {
    let code = match refused.status() {
        404 => RefusalCode::NotFound,
        409 => RefusalCode::Conflict,
        403 => RefusalCode::LimitReached,
        422 => RefusalCode::InvalidDefinition,
        _ => RefusalCode::BadRequest,
    };
    Refusal::with_body(code, refused.status(), sentence(refused), refused.body())
}

/// Returns the error in one line.
fn sentence(refused: &Refused) -> String {
    let message = refused.message();
    match refused {
        Refused::Violations(all) => match all.first() {
            Some(first) => format!("{message}: {} {}", first.path, first.message),
            None => message,
        },
        Refused::Faults(all) => match all.first() {
            Some(first) => format!("{message}: {} {}", first.path, first.error),
            None => message,
        },
        _ => message,
    }
}

/// The reader's words for a body without anything in it.
const NOTHING: &str = "No content to map due to end-of-input\n at [Source: (byte[])\"\"; line: 1, column: 0]";

/// The body of a call as JSON.
///
/// *Errors*: there is no body, or the text is not JSON.
pub(crate) fn body_of(body: &Value) -> Result<Value, Refused> {
    match body {
        Value::Null => Err(Refused::NoBody(NOTHING.to_owned())),
        Value::String(text) if text.trim().is_empty() => Err(Refused::NoBody(NOTHING.to_owned())),
        Value::String(text) => planarium_protocol::json::value(text.as_bytes())
            .map_err(|error| Refused::NotJson(format!("Cannot be read as JSON: {error}"))),
        other => Ok(other.clone()),
    }
}

/// A body read by its shape.
fn read_as(shape: &'static Shape, body: &Value, partial: bool) -> Result<Value, Refused> {
    let read = crate::schema::read(shape, body, partial);
    if read.faults.is_empty() { Ok(read.value) } else { Err(Refused::Faults(read.faults)) }
}
