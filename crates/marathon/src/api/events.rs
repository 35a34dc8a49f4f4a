//! The stream of events.
//!
//! **Source**: `marathon: core/event/impl/stream/HttpEventStreamActor.scala, HttpEventStreamHandle.scala,
//! api/v2/EventsResource.scala`. Match.

use super::route::Query;
use crate::run::Marathon;
use crate::run::bus::CLIENT;
use planarium_kernel::SimTime;
use planarium_protocol::{Event, EventBody, json};
use planarium_system::StreamNews;
use serde_json::Value;

/// One frame.
fn frame(kind: &str, data: &Value) -> String {
    format!("event: {kind}\r\ndata: {data}\r\n\r\n")
}

impl Marathon {
    /// What a stream begins with, and what is remembered of it.
    pub(crate) fn begin_stream(&self, query: &Query, now: SimTime) -> (String, Value) {
        let kinds: Vec<&str> = query.all("event_type").filter(|kind| !kind.is_empty()).collect();
        let attached = json!({
            "remoteAddress": CLIENT, "eventType": "event_stream_attached", "timestamp": self.calendar.at(now),
        });
        let wanted = kinds.is_empty() || kinds.contains(&"event_stream_attached");
        let first = if wanted { frame("event_stream_attached", &attached) } else { String::new() };
        (first, json!({"kinds": kinds}))
    }

    /// What has come since.
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
        for event in self.bus.between(first.seq, last.seq) {
            let kind = event.what.kind();
            if wanted(kind) {
                text.push_str(&frame(kind, &event.json(self.calendar, self.settings.client_compat)));
            }
        }
        // What was refused left nothing behind but the world's own word of it.
        for event in events {
            if let EventBody::Rejected { reason, .. } = &event.body
                && reason.starts_with("App is locked by one or more deployments")
                && wanted("group_change_failed")
            {
                let at = self.calendar.at(SimTime(event.at_ms));
                let data = json!({"groupId": "/", "version": at, "reason": reason,
                    "eventType": "group_change_failed", "timestamp": at});
                text.push_str(&frame("group_change_failed", &data));
            }
        }
        StreamNews { bytes: text.into_bytes(), ..StreamNews::default() }
    }
}
