//! Endpoints of the v0 API that change something, but for maintenance: those that take a form, `/weights` and `/quota`.

use super::{Asked, apply, apply_by, reads, wrong_method};
use planarium_part::{Request, Response, Wire};
use serde_json::Value;

/// `/reserve`, `/unreserve`, `/create-volumes`, `/destroy-volumes`, `/teardown`.
pub(super) fn form(request: &Request, path: &str) -> Wire {
    if request.method != "POST" {
        return Wire::Answer(wrong_method(request, "POST"));
    }
    let Ok(text) = std::str::from_utf8(&request.body) else {
        return Wire::Answer(Response::text(400, "Unable to decode query string: it is not UTF-8"));
    };
    apply(&format!("/{path}"), Value::from(text))
}

/// `/weights`, `/quota`, `/quota/ROLE`.
pub(super) fn shares(asked: Asked<'_>, request: &Request, parts: &[&str]) -> Wire {
    let method = request.method.as_str();
    let body = match (method, parts) {
        ("GET" | "HEAD", _) => {
            return Wire::Answer(match reads::question(request, parts) {
                Some(query) => reads::answer(asked, request, &query),
                None => super::no_endpoint(request),
            });
        }
        ("PUT", ["weights"]) | ("POST", ["quota"]) => match planarium_protocol::json::body(&request.body) {
            Ok(body) => body,
            Err(error) => {
                return Wire::Answer(Response::text(400, format!("Failed to parse request JSON: {error}")));
            }
        },
        ("DELETE", ["quota", ..]) => Value::Null,
        (_, ["weights"]) => return Wire::Answer(wrong_method(request, "GET, PUT")),
        _ => return Wire::Answer(wrong_method(request, "GET, POST, DELETE")),
    };
    apply_by(method, &format!("/{}", parts.join("/")), body)
}
