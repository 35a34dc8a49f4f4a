//! `/api/v1/scheduler`: calls of a framework. SUBSCRIBE answers with an event stream, which holds nothing but an ERROR when
//! the description is turned down.

use super::{answered, apply, header, not_v1, put_in, refused, v1_body};
use crate::stream::{begin, belonging, turned_down};
use crate::{Request, Response, Session};
use planarium_part::http::{Rest, Source};
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;

/// The header that ties a framework's calls to its event stream.
const STREAM_ID: &str = "mesos-stream-id";

/// Answers a call.
pub(super) fn call(session: &mut Session, request: &Request) -> Response {
    if let Some(response) = not_v1(request) {
        return response;
    }
    let body = match v1_body(request) {
        Ok(body) => body,
        Err(response) => return response,
    };
    if body.get("type").and_then(Value::as_str) == Some("SUBSCRIBE") {
        return subscribe(session, request, body);
    }
    if let Some(response) = not_its_stream(session, request, &body) {
        return response;
    }
    apply(session, "/api/v1/scheduler", body).map_or_else(|refused| refused, |reply| answered(&reply))
}

fn subscribe(session: &mut Session, request: &Request, body: Value) -> Response {
    if header(request, STREAM_ID).is_some() {
        return Response::text(400, "Subscribe calls should not include the 'Mesos-Stream-Id' header");
    }
    let stream = begin(session, Source::Master(Value::Null));
    let mut response = Response::empty(200);
    response.content_type = "application/json";
    let stream_to_come = session.engine.world().stream_to_come();
    let reply = match put_in(session, "POST", "/api/v1/scheduler", body) {
        Ok(reply) => reply,
        Err(refusal) if refusal.code == RefusalCode::InvalidDefinition => {
            response.headers.push((STREAM_ID.into(), stream_to_come.to_string()));
            response.body = turned_down(&refusal.message);
            response.rest = Rest::Ended;
            return response;
        }
        Err(refusal) => return refused(&refusal),
    };
    let text = |key: &str| reply.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    response.headers.push((STREAM_ID.into(), text("stream_id")));
    let source = Source::Framework(text("framework"), text("stream_id"));
    response.rest = Rest::Events(Box::new(belonging(stream, session, source)));
    response
}

/// What is wrong with a call's framework or stream. Calls that name none are refused by the master.
fn not_its_stream(session: &Session, request: &Request, body: &Value) -> Option<Response> {
    let id = body.get("framework_id")?.get("value")?.as_str()?;
    let Some(framework) = session.engine.world().framework(id) else {
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
