//! The stream of events.
//!
//! **Source**: `marathon: core/event/impl/stream/HttpEventStreamActor.scala, HttpEventStreamHandleActor.scala, HttpEventStreamHandle.scala,
//! api/v2/EventsResource.scala`. Match.

use super::reader::Reader;
use super::route::Query;
use crate::deployments::planning::KnownFailure;
use crate::events::CLIENT;
use planarium_kernel::{SimTime, Stretch, sorted};
use planarium_part::StreamNews;
use planarium_protocol::{Event, json};
use serde_json::Value;
use std::collections::VecDeque;

/// One frame.
fn frame(kind: &str, data: &Value) -> String {
    format!("event: {kind}\r\ndata: {data}\r\n\r\n")
}

/// Listeners that came and went. Nothing that happens in the world depends on them, so no digest covers them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listeners {
    /// The number of those that were forgotten.
    forgotten: u64,
    /// The last attempts: instant, and whether an event was sent.
    last: VecDeque<(SimTime, bool)>,
}

/// Changes of listeners that are kept for those who are slow to ask.
const KEPT: usize = 1000;

impl Listeners {
    /// Notes that a listener came, or went.
    pub(crate) fn note(&mut self, now: SimTime, came: bool) {
        if self.last.len() == KEPT {
            self.last.pop_front();
            self.forgotten += 1;
        }
        self.last.push_back((now, came));
    }

    /// Number of changes so far.
    pub(crate) fn count(&self) -> u64 {
        self.forgotten + self.last.len() as u64
    }

    /// The changes after the first `count`.
    fn since(&self, count: u64) -> impl Iterator<Item = (SimTime, bool)> {
        let heard = usize::try_from(count.saturating_sub(self.forgotten)).unwrap_or(usize::MAX);
        self.last.iter().skip(heard).copied()
    }
}

/// The kind of event that tells of a listener.
const fn kind_of(came: bool) -> &'static str {
    if came { "event_stream_attached" } else { "event_stream_detached" }
}

impl Reader<'_> {
    fn listener(&self, at: SimTime, came: bool) -> String {
        let kind = kind_of(came);
        let timestamp = self.records.setup.calendar.at(at);
        frame(kind, &json!({ "remoteAddress": CLIENT, "eventType": kind, "timestamp": timestamp }))
    }

    /// Returns the first bytes of a stream, and its topic. The listener gets its own subscription event, and none of
    /// earlier ones.
    pub(crate) fn begin_stream(&self, query: &Query, now: SimTime, listeners: &Listeners) -> (String, Value) {
        // An empty name selects no event.
        let kinds: Vec<&str> = query.all("event_type").collect();
        let wanted = kinds.is_empty() || kinds.contains(&kind_of(true));
        let first = if wanted { self.listener(now, true) } else { String::new() };
        (first, json!({ "kinds": kinds, "listeners": (listeners.count() + 1) }))
    }

    /// Returns the events of a stream since the last poll, in order of time.
    pub(crate) fn stream_news(
        &self,
        topic: &Value,
        events: Stretch<'_, Event>,
        listeners: &Listeners,
    ) -> StreamNews {
        let kinds: Vec<&str> = topic
            .get("kinds")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let wanted = |kind: &str| kinds.is_empty() || kinds.contains(&kind);
        let mut frames: Vec<(SimTime, String)> = Vec::new();
        if let (Some(first), Some(last)) = (events.first(), events.last()) {
            for event in self.records.events.between(first.seq, last.seq) {
                let kind = event.what.kind();
                if wanted(kind) {
                    let setup = &self.records.setup;
                    let data = event.json(setup.calendar, setup.settings.client_compat);
                    frames.push((event.at, frame(kind, &data)));
                }
            }
        }
        // A refused change has only the events that were reported.
        for event in events {
            if let Some((failed, reason)) =
                KnownFailure::of(&event.body, &self.records.setup.settings.framework)
            {
                let at = self.records.setup.calendar.at(SimTime(event.at_ms));
                frames.push((SimTime(event.at_ms), failure(&failed, &reason, &at, wanted)));
            }
        }
        let heard = topic.get("listeners").and_then(Value::as_u64).unwrap_or(u64::MAX);
        let others = listeners.since(heard).filter(|(_, came)| wanted(kind_of(*came)));
        frames.extend(others.map(|(at, came)| (at, self.listener(at, came))));
        sorted::sort_by_key(&mut frames, |(at, _)| *at);
        let text: String = frames.into_iter().map(|(_, frame)| frame).collect();
        // Where time was turned back there are fewer than were heard of.
        let heard = listeners.count().max(heard);
        let topic = json!({ "kinds": kinds, "listeners": heard });
        StreamNews { bytes: text.into_bytes(), ended: false, topic: Some(topic) }
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
