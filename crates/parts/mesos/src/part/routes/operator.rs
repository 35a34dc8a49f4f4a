//! `/api/v1`: calls of an operator. SUBSCRIBE answers with an event stream.

use super::{Asked, apply, not_v1, refused, stream, v1_body};
use crate::wire::operator_question;
use planarium_part::{Request, Response, Wire};
use serde_json::Value;

/// Answers a call by its type: reads are questions, everything else is an input.
pub(super) fn call(request: &Request, asked: Asked<'_>) -> Wire {
    if let Some(response) = not_v1(request) {
        return Wire::Answer(response);
    }
    let body = match v1_body(request) {
        Ok(body) => body,
        Err(response) => return Wire::Answer(response),
    };
    if body.get("type").and_then(Value::as_str) == Some("SUBSCRIBE") {
        // It changes no state, so it is not an input. The stream's first events are determined when it is first read.
        let mut response = Response::empty(200);
        response.content_type = "application/json";
        return Wire::Stream(response, stream::of_operator(asked.ground.now), None);
    }
    if let Some(question) = operator_question(&body) {
        return Wire::Answer(match question.and_then(|query| asked.mesos.query(asked.ground, &query)) {
            Ok((status, value)) => Response::json(status, &value),
            Err(refusal) => refused(&refusal),
        });
    }
    apply("/api/v1", body)
}
