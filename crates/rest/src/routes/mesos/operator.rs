//! `/api/v1`: calls of an operator. SUBSCRIBE answers with an event stream.

use super::{answered, apply, not_v1, refused, v1_body};
use crate::stream::begin;
use crate::{Request, Response, Session};
use planarium_part::http::{Rest, Source};
use planarium_world::operator_question;
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
    if body.get("type").and_then(Value::as_str) == Some("SUBSCRIBE") {
        return subscribe(session);
    }
    if let Some(asked) = operator_question(&body) {
        return match asked.and_then(|query| session.engine.world().query_mesos(&query)) {
            Ok((status, value)) => Response::json(status, &value),
            Err(refusal) => refused(&refusal),
        };
    }
    apply(session, "/api/v1", body).map_or_else(|refused| refused, |reply| answered(&reply))
}

/// Nobody's state changes by it, so it is no input. What it begins with is told when the stream is first looked at.
fn subscribe(session: &mut Session) -> Response {
    session.engine.listen_to_master();
    let mut response = Response::empty(200);
    response.content_type = "application/json";
    response.rest = Rest::Events(Box::new(begin(session, Source::Master(Value::Null))));
    response
}
