//! The stream of events.
//!
//! **Source**: `marathon: core/event/impl/stream/HttpEventStreamActor.scala, HttpEventStreamHandle.scala,
//! api/v2/EventsResource.scala`. Match.

use super::reader::Reader;
use super::route::Query;
use crate::deployments::planning::KnownFailure;
use crate::events::CLIENT;
use planarium_kernel::SimTime;
use planarium_part::StreamNews;
use planarium_protocol::{Event, json};
use serde_json::Value;

/// One frame.
fn frame(kind: &str, data: &Value) -> String {
    format!("event: {kind}\r\ndata: {data}\r\n\r\n")
}

impl Reader<'_> {
    /// Returns the first bytes of a stream, and its topic.
    pub(crate) fn begin_stream(&self, query: &Query, now: SimTime) -> (String, Value) {
        // One without a name is asked for as well: no event has it.
        let kinds: Vec<&str> = query.all("event_type").collect();
        let attached = json!({
            "remoteAddress": CLIENT, "eventType": "event_stream_attached", "timestamp": self.records.setup.calendar.at(now),
        });
        let wanted = kinds.is_empty() || kinds.contains(&"event_stream_attached");
        let first = if wanted { frame("event_stream_attached", &attached) } else { String::new() };
        (first, json!({"kinds": kinds}))
    }

    /// Returns the events of a stream since the last poll.
    pub(crate) fn stream_news(&self, topic: &Value, events: &[Event]) -> StreamNews {
        let kinds: Vec<&str> = topic
            .get("kinds")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut text = String::new();
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return StreamNews::default() };
        let wanted = |kind: &str| kinds.is_empty() || kinds.contains(&kind);
        for event in self.records.events.between(first.seq, last.seq) {
            let kind = event.what.kind();
            if wanted(kind) {
                text.push_str(&frame(
                    kind,
                    &event.json(self.records.setup.calendar, self.records.setup.settings.client_compat),
                ));
            }
        }
        // What was refused left nothing behind but what the world was told of it.
        for event in events {
            if let Some((failed, reason)) =
                KnownFailure::of(&event.body, &self.records.setup.settings.framework)
            {
                let at = self.records.setup.calendar.at(SimTime(event.at_ms));
                text.push_str(&failure(&failed, &reason, &at, wanted));
            }
        }
        StreamNews { bytes: text.into_bytes(), ..StreamNews::default() }
    }
}

/// The frames of a change that failed.
fn failure(failed: &KnownFailure, reason: &str, at: &str, wanted: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    let kind = "deployment_failed";
    if let Some(plan) = failed.plan.as_ref().filter(|_| wanted(kind)) {
        let id = plan.get("id").cloned().unwrap_or_default();
        let data = json!({"id": id, "plan": plan, "reason": reason, "eventType": kind, "timestamp": at});
        text.push_str(&frame(kind, &data));
    }
    let kind = "group_change_failed";
    if wanted(kind) {
        let (group, version) = (&failed.group, &failed.version);
        let data = json!({"groupId": group, "version": version, "reason": reason, "eventType": kind,
            "timestamp": at});
        text.push_str(&frame(kind, &data));
    }
    text
}
