//! Endpoints of the v0 API that take a form.

use super::{answered, apply, wrong_method};
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
