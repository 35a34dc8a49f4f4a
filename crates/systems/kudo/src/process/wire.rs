//! The Kubernetes API as clients reach it below `/kube`.
//!
//! *Knows*: where the API begins, and how its answers reach the router. *Must not know*: what objects mean.

use planarium_kube::Cluster;
use planarium_kube::wire::{self, Answer, Body, Watch};
use planarium_kube::{ApiError, Reason};
use planarium_part::{Cx, Request, Response, StreamNews, Wire, outcome};
use planarium_protocol::input::HttpCall;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Refusal, json};
use serde_json::Value;

/// Paths of the API begin with this.
const ROOT: &str = "kube";

/// Whether a path is one of the API's.
pub(super) fn owns(parts: &[&str]) -> bool {
    parts.first() == Some(&ROOT)
}

/// There is no Kubernetes cluster yet.
pub(super) fn nobody(_: &Request, _: &[&str]) -> Response {
    let error = ApiError::new(Reason::NotFound, "the server could not find the requested resource");
    Response::json(404, &error.status())
}

/// What can be read of the cluster.
pub(super) fn links(_: &ServiceView) -> Vec<(String, &'static str)> {
    [("/apis/kudo.dev/v1beta1/instances", "instances of operators"), ("/api/v1/pods", "pods of the cluster")]
        .map(|(path, what)| (format!("/{ROOT}{path}"), what))
        .to_vec()
}

/// The path as the API server sees it.
fn below(path: &str) -> &str {
    path.trim_start_matches('/').strip_prefix(ROOT).unwrap_or_default()
}

/// Answers a question, begins a watch, or makes an input of a change.
pub(super) fn answer(cluster: &Cluster, request: &Request, parts: &[&str]) -> Wire {
    if !owns(parts) {
        return Wire::NotMine;
    }
    let kube = cluster.kube();
    if matches!(request.method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE") {
        return Wire::call(request);
    }
    if request.method != "GET" {
        return Wire::Answer(Response::wrong_method("GET, POST, PUT, PATCH, DELETE"));
    }
    let asked = wire::Request {
        method: "GET",
        path: below(&request.path),
        query: &request.query,
        accept: request.header("accept").unwrap_or_default(),
        ..wire::Request::default()
    };
    let Answer { status, body } = wire::read(kube, cluster.asked(), &asked);
    Wire::Answer(match body {
        Body::Json(value) => Response::json(status, &value),
        Body::Text(text) => Response::text(status, text),
        Body::Bytes(kind, bytes) => Response { content_type: kind, body: bytes, ..Response::empty(status) },
        Body::Watch(watch) => {
            let ends =
                request.param("timeoutSeconds").and_then(|text| text.parse::<u64>().ok()).filter(|s| *s > 0);
            let ends = ends.map(|seconds| cluster.asked().ms().saturating_add(seconds.saturating_mul(1000)));
            let topic = json!({ "watch": (watch.to_value()), "ends_ms": ends });
            let response = Response { content_type: "application/json", ..Response::empty(status) };
            return Wire::Stream(response, topic);
        }
    })
}

/// What a watch has to tell: one event a line.
pub(super) fn news(cluster: &Cluster, topic: &Value) -> StreamNews {
    let ended = StreamNews { ended: true, ..StreamNews::default() };
    let kube = cluster.kube();
    let Some(watch) = topic.get("watch") else { return ended };
    let ends = topic.get("ends_ms").and_then(Value::as_u64);
    let mut watch = Watch::of_value(watch);
    let mut news = StreamNews::default();
    for event in watch.poll(kube, cluster.asked()) {
        // After an error the client asks anew.
        news.ended |= event.get("type").and_then(Value::as_str) == Some("ERROR");
        news.bytes.extend_from_slice(&json::text(&event));
        news.bytes.push(b'\n');
    }
    news.ended |= ends.is_some_and(|ends| cluster.asked().ms() >= ends);
    news.topic = Some(json!({ "watch": (watch.to_value()), "ends_ms": ends }));
    news
}

/// Carries a change out; none when the path is no path of the API.
pub(super) fn change(
    cx: &mut Cx,
    cluster: &mut Cluster,
    call: &HttpCall,
    parts: &[&str],
) -> Option<Result<Value, Refusal>> {
    if !owns(parts) {
        return None;
    }
    let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
    let request = wire::Request {
        method: &call.method,
        path: below(path),
        query,
        accept: "",
        content_type: call.content_type.as_deref().unwrap_or_default(),
        body: (!call.body.is_null()).then_some(&call.body),
    };
    let Answer { status, body } = cluster.with_kube(cx, |kube, _, cx| wire::write(kube, cx, &request));
    let body = match body {
        Body::Json(value) => value,
        Body::Text(text) => Value::from(text),
        Body::Bytes(..) | Body::Watch(_) => Value::Null,
    };
    if status < 400 {
        return Some(Ok(outcome(status, &[], body)));
    }
    let code = match status {
        404 => RefusalCode::NotFound,
        400 | 415 | 422 => RefusalCode::BadRequest,
        _ => RefusalCode::Conflict,
    };
    let message = body.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Err(Refusal::with_body(code, status, message, body)))
}
