//! `/api/v1/scheduler`: calls of a framework. SUBSCRIBE answers with an event stream, which contains only an ERROR if the
//! description is refused.

use super::{Asked, apply, header, input, not_v1, refused, stream, v1_body};
use planarium_part::http::Rest;
use planarium_part::{Request, Response, Wire};
use planarium_protocol::Refusal;
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;

/// The header that ties a framework's calls to its event stream.
const STREAM_ID: &str = "mesos-stream-id";

/// Answers a call.
pub(super) fn call(asked: Asked<'_>, request: &Request) -> Wire {
    if let Some(response) = not_v1(request) {
        return Wire::Answer(response);
    }
    let body = match v1_body(request) {
        Ok(body) => body,
        Err(response) => return Wire::Answer(response),
    };
    if body.get("type").and_then(Value::as_str) == Some("SUBSCRIBE") {
        return subscribe(asked, request, body);
    }
    match not_its_stream(asked, request, &body) {
        Some(response) => Wire::Answer(response),
        None => apply("/api/v1/scheduler", body),
    }
}

fn subscribe(asked: Asked<'_>, request: &Request, body: Value) -> Wire {
    if header(request, STREAM_ID).is_some() {
        let text = "Subscribe calls should not include the 'Mesos-Stream-Id' header";
        return Wire::Answer(Response::text(400, text));
    }
    let (now, to_come) = (asked.ground.now, asked.mesos.stream_to_come());
    let subscribed = move |outcome: Result<Value, Refusal>| {
        let mut response = Response::empty(200);
        response.content_type = "application/json";
        match outcome {
            Ok(reply) => {
                let text = |key: &str| reply.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                response.headers.push((STREAM_ID.into(), text("stream_id")));
                (response, Some(stream::of_framework(now, &text("framework"), &text("stream_id"))))
            }
            Err(refusal) if refusal.code == RefusalCode::InvalidDefinition => {
                response.headers.push((STREAM_ID.into(), to_come.to_string()));
                response.body = stream::turned_down(&refusal.message);
                response.rest = Rest::Ended;
                (response, None)
            }
            Err(refusal) => (refused(&refusal), None),
        }
    };
    Wire::Subscribe(Box::new(input("POST", "/api/v1/scheduler", body)), Box::new(subscribed))
}

/// Refuses a call whose framework or stream is not the caller's. Calls that name none are refused by the master.
fn not_its_stream(asked: Asked<'_>, request: &Request, body: &Value) -> Option<Response> {
    let id = body.get("framework_id")?.get("value")?.as_str()?;
    let Some(framework) = asked.mesos.framework(id) else {
        return Some(Response::text(400, "Framework cannot be found"));
    };
    if !framework.connected {
        return Some(Response::text(403, "Framework is not subscribed"));
    }
    let Some(stream) = framework.stream else {
        return Some(Response::text(403, "Framework is not connected via HTTP"));
    };
    match header(request, STREAM_ID) {
        None => {
            Some(Response::text(400, "All non-subscribe calls should include the 'Mesos-Stream-Id' header"))
        }
        Some(given) if given != &*stream => Some(Response::text(
            400,
            format!(
                "The stream ID '{given}' included in this request didn't match the stream ID currently associated with the framework"
            ),
        )),
        Some(_) => None,
    }
}
