//! Watches as streams of the world.
//!
//! *Knows*: what a watch says next, and when it ends. *Must not know*: sockets; how often it is asked.

use crate::part::Kubernetes;
use crate::wire::Watch;
use planarium_kernel::SimTime;
use planarium_part::{Ground, Request, Response, StreamNews, Wire};
use planarium_protocol::json;
use serde_json::Value;

/// Begins a watch.
pub(super) fn begin(watch: &Watch, now: SimTime, request: &Request, status: u16) -> Wire {
    let seconds = request.param("timeoutSeconds").and_then(|text| text.parse::<u64>().ok());
    let ends =
        seconds.filter(|seconds| *seconds > 0).map(|s| now.ms().saturating_add(s.saturating_mul(1000)));
    let topic = json!({ "watch": (watch.to_value()), "ends_ms": ends });
    Wire::Stream(Response { content_type: "application/json", ..Response::empty(status) }, topic)
}

/// The events of a watch since it was asked last: one a line.
pub(in super::super) fn news(kubernetes: &Kubernetes, ground: &Ground<'_>, topic: &Value) -> StreamNews {
    let ended = StreamNews { ended: true, ..StreamNews::default() };
    let Some(watch) = topic.get("watch") else { return ended };
    let ends = topic.get("ends_ms").and_then(Value::as_u64);
    let mut watch = Watch::of_value(watch);
    let mut news = StreamNews::default();
    for event in watch.poll(&kubernetes.kube, ground.now) {
        // After an error the client asks anew.
        news.ended |= event.get("type").and_then(Value::as_str) == Some("ERROR");
        news.bytes.extend_from_slice(&json::text(&event));
        news.bytes.push(b'\n');
    }
    news.ended |= ends.is_some_and(|ends| ground.now.ms() >= ends);
    news.topic = Some(json!({ "watch": (watch.to_value()), "ends_ms": ends }));
    news
}
