//! Why a command was not carried out.

use crate::Text;
use crate::json::Read;
use serde::{Deserialize, Serialize};

/// A command that the engine or a simulated system turned down. The state did not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub struct Refusal {
    /// Stable machine-readable code, e.g. `already-done`, `not-found`, `bad-request`.
    pub code: RefusalCode,
    /// The real system's text if it has one, otherwise ours.
    pub message: String,
    /// HTTP status the real system answers with (404, 208, 400, ...).
    pub status: u16,
    /// The real system's body if it contains more than the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<serde_json::Value>,
    /// A fact that becomes known although nothing has changed: the real system reports it to its listeners.
    #[serde(skip)]
    pub told: Option<Box<Told>>,
}

/// A fact that goes with a refusal; it becomes a [`Happened`](crate::EventBody::Happened) of low importance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Speaker.
    pub speaker: Text,
    /// Kind of the fact. Never reworded.
    pub what: Text,
    /// The fact in names and values.
    pub facts: Vec<(Text, Text)>,
    /// The fact as a sentence.
    pub text: Text,
}

/// The classes of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum RefusalCode {
    /// The named thing does not exist.
    NotFound,
    /// The command has already been given or the element is done (the SDK's 208).
    AlreadyDone,
    /// The request itself is malformed.
    BadRequest,
    /// The state does not permit it now.
    Conflict,
    /// The definition has errors; the last good one stays.
    InvalidDefinition,
    /// This part of the real system is not simulated.
    Unsupported,
    /// A bound of the simulator was hit.
    LimitReached,
}

impl Refusal {
    /// A refusal with the real system's status and JSON body.
    pub fn with_body(
        code: RefusalCode,
        status: u16,
        message: impl Into<String>,
        body: serde_json::Value,
    ) -> Self {
        Self { code, message: message.into(), status, body: Some(body), told: None }
    }

    /// A refusal with the status that goes with `code` by default.
    pub fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        let status = match code {
            RefusalCode::NotFound => 404,
            RefusalCode::AlreadyDone => 208,
            RefusalCode::BadRequest => 400,
            RefusalCode::Conflict => 409,
            RefusalCode::InvalidDefinition => 422,
            RefusalCode::Unsupported => 501,
            RefusalCode::LimitReached => 413,
        };
        Self { code, message: message.into(), status, body: None, told: None }
    }
}
