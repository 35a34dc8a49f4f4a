//! Endpoints of the v0 API that change something, but for maintenance: those that take a form, `/weights` and `/quota`.

use super::{answered, apply, apply_by, reads, wrong_method};
use crate::{Request, Response, Session};
use serde_json::Value;

/// `/reserve`, `/unreserve`, `/create-volumes`, `/destroy-volumes`, `/teardown`.
pub(super) fn form(session: &mut Session, request: &Request, path: &str) -> Response {
    if request.method != "POST" {
        return wrong_method(request, "POST");
    }
    let Ok(text) = std::str::from_utf8(&request.body) else {
        return Response::text(400, "Unable to decode query string: it is not UTF-8");
    };
    apply(session, &format!("/{path}"), Value::from(text))
        .map_or_else(|refused| refused, |reply| answered(&reply))
}

/// `/weights`, `/quota`, `/quota/ROLE`.
pub(super) fn shares(session: &mut Session, request: &Request, parts: &[&str]) -> Response {
    let method = request.method.as_str();
    let body = match (method, parts) {
        ("GET" | "HEAD", _) => {
            return match reads::question(request, parts) {
                Some(query) => reads::answer(session, request, query),
                None => Response::text(404, format!("{} is no endpoint of the master", request.path)),
            };
        }
        ("PUT", ["weights"]) | ("POST", ["quota"]) => match planarium_protocol::json::body(&request.body) {
            Ok(body) => body,
            Err(error) => return Response::text(400, format!("Failed to parse request JSON: {error}")),
        },
        ("DELETE", ["quota", ..]) => Value::Null,
        (_, ["weights"]) => return wrong_method(request, "GET, PUT"),
        _ => return wrong_method(request, "GET, POST, DELETE"),
    };
    apply_by(session, method, &format!("/{}", parts.join("/")), body)
        .map_or_else(|refused| refused, |reply| answered(&reply))
}
