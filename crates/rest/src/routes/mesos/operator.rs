//! `/api/v1`: calls of an operator.

use super::{answered, apply, not_v1, refused, v1_body};
use crate::{Request, Response, Session};
use planarium_world::{MesosQuery, is_operator_read};
use serde_json::Value;

/// Answers a call by its type: reads are questions, everything else is an input.
pub(super) fn call(session: &mut Session, request: &Request) -> Response {
    if let Some(response) = not_v1(request) {
        return response;
    }
    let body = match v1_body(request) {
        Ok(body) => body,
        Err(response) => return response,
    };
    let kind = body.get("type").and_then(Value::as_str).unwrap_or_default();
    if is_operator_read(kind) {
        return match session.engine.world().query_mesos(&MesosQuery::Operator(kind.to_owned())) {
            Ok((status, value)) => Response::json(status, &value),
            Err(refusal) => refused(&refusal),
        };
    }
    apply(session, "/api/v1", body).map_or_else(|refused| refused, |reply| answered(&reply))
}
