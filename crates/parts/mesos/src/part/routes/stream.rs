//! Event streams of frameworks and operators, without a transport.
//!
//! *Knows*: what such a stream sends next. Heartbeats are made here, one for every fifteen seconds of virtual time; no log
//! contains them. *Must not know*: sockets.
//!
//! *Order*: records in the order of the log; a due heartbeat precedes the events of that instant. Source:
//! `apache/mesos: src/common/recordio.hpp`, `docs/scheduler-http-api.md` (RecordIO, heartbeats). Match.

use super::Mesos;
use crate::wire::{HEARTBEAT_S, error_event, heartbeat};
use planarium_kernel::{SimTime, Stretch};
use planarium_part::{Ground, StreamNews};
use planarium_protocol::input::FrameworkInput;
use planarium_protocol::{Event, EventBody, Input, json};
use serde_json::Value;

/// Heartbeats sent at once at most; of a longer leap of time the earlier ones are left out.
const MOST_BEATS: u64 = 100;

const BEAT_MS: u64 = HEARTBEAT_S as u64 * 1000;

fn first_beat(now: SimTime) -> u64 {
    now.ms().saturating_add(BEAT_MS)
}

/// The topic of a framework's stream: its name and the id of its stream.
pub(super) fn of_framework(now: SimTime, framework: &str, stream: &str) -> Value {
    json!({ "framework": framework, "stream": stream, "beat_ms": (first_beat(now)) })
}

/// The topic of an operator's stream that has said nothing yet.
pub(super) fn of_operator(now: SimTime) -> Value {
    json!({ "beat_ms": (first_beat(now)) })
}

/// Length, line end, JSON.
fn record(bytes: &mut Vec<u8>, event: &Value) {
    let json = event.to_string();
    bytes.extend_from_slice(json.len().to_string().as_bytes());
    bytes.push(b'\n');
    bytes.extend_from_slice(json.as_bytes());
}

/// All there is on the stream of a framework whose subscription was turned down.
pub(super) fn turned_down(message: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    record(&mut bytes, &error_event(message));
    bytes
}

/// The beats of a stream.
struct Beats {
    next_ms: u64,
    bytes: Vec<u8>,
}

impl Beats {
    fn until(&mut self, ms: u64) {
        while self.next_ms <= ms {
            record(&mut self.bytes, &heartbeat());
            self.next_ms = self.next_ms.saturating_add(BEAT_MS);
        }
    }
}

/// Returns the records of a stream since the last poll.
pub(in super::super) fn news(
    mesos: &Mesos,
    ground: &Ground<'_>,
    topic: &Value,
    events: Stretch<'_, Event>,
) -> StreamNews {
    let ended = |bytes| StreamNews { bytes, ended: true, topic: None };
    let text = |key: &str| topic.get(key).and_then(Value::as_str);
    let now_ms = ground.now.ms();
    let mut next_ms = topic.get("beat_ms").and_then(Value::as_u64).unwrap_or(u64::MAX);
    // After a leap of time, only the last heartbeats matter.
    let due = now_ms.saturating_sub(next_ms) / BEAT_MS;
    if now_ms >= next_ms && due > MOST_BEATS {
        next_ms = next_ms.saturating_add((due - MOST_BEATS).saturating_mul(BEAT_MS));
    }
    let mut beats = Beats { next_ms, bytes: Vec::new() };
    if let (Some(name), Some(stream)) = (text("framework"), text("stream")) {
        if !mesos.streams_to(name, stream) {
            return ended(Vec::new());
        }
        for event in events {
            if let EventBody::FrameworkEvent { framework, event: shown } = &event.body
                && **framework == *name
            {
                beats.until(event.at_ms);
                record(&mut beats.bytes, shown);
            }
        }
        beats.until(now_ms);
        let topic = json!({ "framework": name, "stream": stream, "beat_ms": (beats.next_ms) });
        return StreamNews { bytes: beats.bytes, ended: false, topic: Some(topic) };
    }
    let Some(since) = topic.get("next").and_then(Value::as_u64) else {
        let Some((subscribed, number)) = mesos.operator_subscribed(ground) else { return ended(beats.bytes) };
        record(&mut beats.bytes, &subscribed);
        record(&mut beats.bytes, &heartbeat());
        let topic = json!({ "next": number, "beat_ms": (beats.next_ms) });
        return StreamNews { bytes: beats.bytes, ended: false, topic: Some(topic) };
    };
    let Some((events, number)) = mesos.operator_events(since) else { return ended(beats.bytes) };
    for (at, event) in events {
        beats.until(at.ms());
        record(&mut beats.bytes, &event);
    }
    beats.until(now_ms);
    let topic = json!({ "next": number, "beat_ms": (beats.next_ms) });
    StreamNews { bytes: beats.bytes, ended: false, topic: Some(topic) }
}

/// Returns the input that disconnects the framework of a closed stream, unless it has another stream.
pub(in super::super) fn closed(mesos: &Mesos, topic: &Value) -> Option<Input> {
    let text = |key: &str| topic.get(key).and_then(Value::as_str);
    let (name, stream) = (text("framework")?, text("stream")?);
    mesos.streams_to(name, stream).then(|| {
        Input::Framework(FrameworkInput {
            op: "disconnect".to_owned(),
            name: name.to_owned(),
            roles: Vec::new(),
            policy: None,
            call: Value::Null,
        })
    })
}
