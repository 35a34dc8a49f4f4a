//! Errors that the API server answers.
//!
//! *Knows*: status codes, reasons, causes by field and the wording of each.
//! *Must not know*: which rule was broken; the rules fill this in.
//! Source: `kubernetes/apimachinery: pkg/api/errors/errors.go`, `pkg/util/validation/field/errors.go`; match but for the
//! text of values that are structs, which are shown as JSON.

use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text, json};
use serde_json::Value;

/// Why a request failed, as a machine reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// 404.
    NotFound,
    /// 409: the name is taken.
    AlreadyExists,
    /// 409: the object has changed meanwhile, or may not be changed this way now.
    Conflict,
    /// 422: fields do not pass validation.
    Invalid,
    /// 400.
    BadRequest,
    /// 403: an admission controller refuses.
    Forbidden,
    /// 405.
    MethodNotAllowed,
    /// 406.
    NotAcceptable,
    /// 413: ask for less.
    RequestEntityTooLarge,
    /// 415.
    UnsupportedMediaType,
    /// 429: ask again later.
    TooManyRequests,
    /// 410: the requested version is no longer kept.
    Expired,
    /// 500.
    InternalError,
}

impl Reason {
    /// The HTTP status code.
    pub const fn code(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::AlreadyExists | Self::Conflict => 409,
            Self::Expired => 410,
            Self::RequestEntityTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Invalid => 422,
            Self::TooManyRequests => 429,
            Self::InternalError => 500,
        }
    }

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "NotFound",
            Self::AlreadyExists => "AlreadyExists",
            Self::Conflict => "Conflict",
            Self::Invalid => "Invalid",
            Self::BadRequest => "BadRequest",
            Self::Forbidden => "Forbidden",
            Self::MethodNotAllowed => "MethodNotAllowed",
            Self::NotAcceptable => "NotAcceptable",
            Self::RequestEntityTooLarge => "RequestEntityTooLarge",
            Self::UnsupportedMediaType => "UnsupportedMediaType",
            Self::TooManyRequests => "TooManyRequests",
            Self::Expired => "Expired",
            Self::InternalError => "InternalError",
        }
    }
}

/// One field and its error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldCause {
    /// `FieldValueInvalid`, `FieldValueRequired`, `FieldValueForbidden`, ...
    pub reason: &'static str,
    /// For people, without the field's name.
    pub message: String,
    /// Path such as `spec.template.spec.containers[0].image`.
    pub field: String,
}

impl FieldCause {
    /// A field that must be there and is not.
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        let message =
            if detail.is_empty() { "Required value".to_owned() } else { format!("Required value: {detail}") };
        Self { reason: "FieldValueRequired", message, field: field.into() }
    }

    /// A field whose value is not acceptable.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        Self {
            reason: "FieldValueInvalid",
            message: format!("Invalid value: {value}: {detail}"),
            field: field.into(),
        }
    }

    /// A field that may not be set, or not be changed.
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self { reason: "FieldValueForbidden", message: format!("Forbidden: {detail}"), field: field.into() }
    }

    /// A field whose value is none of those there are.
    pub fn unsupported(field: impl Into<String>, value: &Value, supported: &[&str]) -> Self {
        let list: Vec<String> = supported.iter().map(|word| format!("{word:?}")).collect();
        let message = format!("Unsupported value: {value}: supported values: {}", list.join(", "));
        Self { reason: "FieldValueNotSupported", message, field: field.into() }
    }

    /// A field that occurs twice with the same key.
    pub fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self {
            reason: "FieldValueDuplicate",
            message: format!("Duplicate value: {value}"),
            field: field.into(),
        }
    }
}

/// A refused request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status code; that of the reason unless an admission webhook gave another.
    pub code: u16,
    /// For machines.
    pub reason: Reason,
    /// For people.
    pub message: String,
    /// Group, kind (or plural, as in the real server) and name of the object concerned.
    pub about: Option<(Text, Text, Text)>,
    /// Field by field, when fields are the matter.
    pub causes: Vec<FieldCause>,
    /// When to ask again. *Units*: seconds.
    pub retry_after_s: Option<u32>,
}

impl ApiError {
    /// Creates an error with its own message.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            code: reason.code(),
            reason,
            message: message.into(),
            about: None,
            causes: Vec::new(),
            retry_after_s: None,
        }
    }

    pub(crate) fn about(mut self, group: &Text, kind: &Text, name: &str) -> Self {
        self.about = Some((group.clone(), kind.clone(), name.into()));
        self
    }

    /// Returns whether the object (or kind, or namespace) does not exist.
    pub fn is_not_found(&self) -> bool {
        self.reason == Reason::NotFound
    }

    /// Returns the refusal of an input for this error: its body is the `Status` object.
    pub fn refusal(&self) -> Refusal {
        Refusal::with_body(refusal_code(self.code), self.code, self.message.clone(), self.status())
    }

    /// The `Status` object that goes over the wire.
    pub fn status(&self) -> Value {
        let mut details = serde_json::Map::new();
        if let Some((group, kind, name)) = &self.about {
            for (key, text) in [("name", name), ("group", group), ("kind", kind)] {
                if !text.is_empty() {
                    json::put(&mut details, key, text.as_ref().into());
                }
            }
        }
        if !self.causes.is_empty() {
            let causes = self.causes.iter().map(|cause| {
                planarium_protocol::json!({
                    "reason": cause.reason, "message": cause.message, "field": cause.field,
                })
            });
            json::put(&mut details, "causes", Value::Array(causes.collect()));
        }
        if let Some(seconds) = self.retry_after_s {
            json::put(&mut details, "retryAfterSeconds", seconds.into());
        }
        let mut status = serde_json::Map::new();
        json::put(&mut status, "kind", "Status".into());
        json::put(&mut status, "apiVersion", "v1".into());
        json::put(&mut status, "metadata", Value::Object(serde_json::Map::new()));
        json::put(&mut status, "status", "Failure".into());
        json::put(&mut status, "message", self.message.as_str().into());
        json::put(&mut status, "reason", self.reason.as_str().into());
        if !details.is_empty() {
            json::put(&mut status, "details", Value::Object(details));
        }
        json::put(&mut status, "code", self.code.into());
        Value::Object(status)
    }
}

/// The refusal's code that goes with an HTTP status of an error.
pub(crate) const fn refusal_code(status: u16) -> RefusalCode {
    match status {
        404 => RefusalCode::NotFound,
        400 | 415 | 422 => RefusalCode::BadRequest,
        _ => RefusalCode::Conflict,
    }
}
