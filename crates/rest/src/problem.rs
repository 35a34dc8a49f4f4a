//! Errors of `/sim` as `application/problem+json` (RFC 9457).

use crate::Response;
use planarium_protocol::Refusal;
use planarium_protocol::json;

/// A problem with a title and a detail.
pub(crate) fn problem(status: u16, title: &str, detail: &str) -> Response {
    shaped(status, &json!({ "type": "about:blank", "title": title, "status": status, "detail": detail }))
}

/// A refused command. A refusal with a success status of the real system (208) is a conflict here.
pub(crate) fn refused(refusal: &Refusal, diagnostics: &[serde_json::Value]) -> Response {
    let status = if refusal.status < 400 { 409 } else { refusal.status };
    shaped(
        status,
        &json!({
            "type": "about:blank",
            "title": "refused",
            "status": status,
            "detail": refusal.message,
            "code": refusal.code,
            "diagnostics": diagnostics,
        }),
    )
}

fn shaped(status: u16, value: &serde_json::Value) -> Response {
    Response { content_type: "application/problem+json", ..Response::json(status, value) }
}
