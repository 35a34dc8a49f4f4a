//! Watches as streams of the world.
//!
//! *Knows*: what a watch sends next, and when it ends. *Must not know*: sockets; how often it is polled.

use crate::part::Kubernetes;
use crate::wire::Watch;
use planarium_kernel::SimTime;
use planarium_part::{Ground, Request, Response, StreamNews, Wire};
use planarium_protocol::json;
use serde_json::Value;

/// Begins a watch. With `timeoutSeconds` it ends when that time has passed on either clock: the world's, or the client's own while
/// the world's is slower or stopped.
pub(super) fn begin(watch: &Watch, now: SimTime, request: &Request, status: u16) -> Wire {
    let seconds =
        request.param("timeoutSeconds").and_then(|text| text.parse::<u64>().ok()).filter(|s| *s > 0);
    let ends = seconds.map(|seconds| now.ms().saturating_add(seconds.saturating_mul(1000)));
    let response = Response { content_type: "application/json", ..Response::empty(status) };
    Wire::Stream(response, topic_of(watch, ends), seconds)
}

fn topic_of(watch: &Watch, ends_ms: Option<u64>) -> Value {
    json!({ "watch": (watch.to_value()), "ends_ms": ends_ms })
}

/// Returns the events of a watch since the last poll, one per line. They precede its end, whatever ends it.
pub(in super::super) fn news(kubernetes: &Kubernetes, ground: &Ground<'_>, topic: &Value) -> StreamNews {
    let ended = StreamNews { ended: true, ..StreamNews::default() };
    let Some(watch) = topic.get("watch") else { return ended };
    let ends = topic.get("ends_ms").and_then(Value::as_u64);
    let (kube, mut watch) = (&kubernetes.kube, Watch::of_value(watch));
    let mut news = StreamNews::default();
    let tell = |news: &mut StreamNews, event: &Value| {
        news.bytes.extend_from_slice(&json::text(event));
        news.bytes.push(b'\n');
    };
    for event in watch.poll(kube, ground.now) {
        // After an error the client sends a new request.
        news.ended |= event.get("type").and_then(Value::as_str) == Some("ERROR");
        tell(&mut news, &event);
    }
    let is_late = ends.is_some_and(|ends| ground.now.ms() >= ends);
    if let Some(last) = watch.bookmark(kube).filter(|_| is_late && !news.ended) {
        tell(&mut news, &last);
    }
    news.ended |= is_late || watch.is_over(kube);
    news.topic = Some(topic_of(&watch, ends));
    news
}
