//! Event streams of frameworks and operators, without a transport.
//!
//! A stream is a place in the world's event log: whoever serves it asks again and again what has come since, and is given
//! records ready to be sent. Heartbeats are made here, one for every fifteen seconds of virtual time; they are in no log.
//!
//! *Order*: records in the order of the log; a heartbeat that is due comes before what happens at that instant.
//! Source: `apache/mesos: src/common/recordio.hpp`, `docs/scheduler-http-api.md` (RecordIO, heartbeats). Match.

use crate::Session;
use planarium_part::http::{EventStream, Source};
use planarium_protocol::input::FrameworkInput;
use planarium_protocol::{EventBody, Input};
use planarium_world::{Engine, HEARTBEAT_S, error_event, heartbeat};
use serde_json::Value;

/// So many heartbeats are sent at once; those of a longer leap of time are left out.
const MOST_BEATS: u64 = 100;

/// What has come of a stream since the last time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polled {
    /// Records to send, perhaps none.
    pub bytes: Vec<u8>,
    /// Nothing more will come: the framework is gone, listens elsewhere, or time was turned back.
    pub ended: bool,
}

const BEAT_MS: u64 = HEARTBEAT_S as u64 * 1000;

fn branch(engine: &Engine) -> u32 {
    engine.branches().iter().find(|branch| branch.current).map_or(0, |branch| branch.id)
}

/// Length, line end, JSON.
fn record(bytes: &mut Vec<u8>, event: &Value) {
    let json = event.to_string();
    bytes.extend_from_slice(json.len().to_string().as_bytes());
    bytes.push(b'\n');
    bytes.extend_from_slice(json.as_bytes());
}

/// All there is on the stream of a framework whose subscription was turned down.
pub(crate) fn turned_down(message: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    record(&mut bytes, &error_event(message));
    bytes
}

/// A stream of what happens from now on; whose it is may change before it is handed out.
pub(crate) fn begin(session: &Session, source: Source) -> EventStream {
    let engine = &session.engine;
    EventStream {
        source,
        branch: branch(engine),
        seq: engine.seq(),
        beat_ms: engine.now_ms().saturating_add(BEAT_MS),
    }
}

/// The same for whoever it turned out to be; subscribing may have opened a branch.
pub(crate) fn belonging(stream: EventStream, session: &Session, source: Source) -> EventStream {
    EventStream { source, branch: branch(&session.engine), ..stream }
}

fn is_current(stream: &EventStream, engine: &Engine) -> bool {
    engine.seq() >= stream.seq
        && branch(engine) == stream.branch
        && match &stream.source {
            Source::Framework(name, id) => engine.world().streams_to(name, id),
            Source::Master(_) | Source::System(..) => true,
        }
}

/// What has come of a stream since the last time.
pub fn poll_stream(stream: &mut EventStream, session: &Session) -> Polled {
    let engine = &session.engine;
    if !is_current(stream, engine) {
        return Polled { bytes: Vec::new(), ended: true };
    }
    let now_ms = engine.now_ms();
    // A leap of time: only the last heartbeats of it are of interest.
    let due = now_ms.saturating_sub(stream.beat_ms) / BEAT_MS;
    if now_ms >= stream.beat_ms && due > MOST_BEATS {
        stream.beat_ms += (due - MOST_BEATS) * BEAT_MS;
    }
    let mut bytes = Vec::new();
    let news = engine.events_since(stream.seq);
    match &mut stream.source {
        Source::Framework(name, _) => {
            for event in news {
                stream.seq = event.seq;
                if let EventBody::FrameworkEvent { framework, event: shown } = &event.body
                    && **framework == **name
                {
                    beat_until(&mut stream.beat_ms, event.at_ms, &mut bytes);
                    record(&mut bytes, shown);
                }
            }
            beat_until(&mut stream.beat_ms, now_ms, &mut bytes);
        }
        Source::System(process, topic) => {
            let Some(news) = engine.world().stream(*process, topic, news) else {
                return Polled { bytes, ended: true };
            };
            stream.seq = engine.seq();
            if let Some(next) = news.topic {
                *topic = next;
            }
            return Polled { bytes: news.bytes, ended: news.ended };
        }
        Source::Master(next) => {
            let Some(since) = next.as_u64() else {
                let Some((subscribed, number)) = engine.world().operator_subscribed() else {
                    return Polled { bytes, ended: true };
                };
                record(&mut bytes, &subscribed);
                record(&mut bytes, &heartbeat());
                *next = number.into();
                return Polled { bytes, ended: false };
            };
            let Some((events, number)) = engine.world().operator_events(since) else {
                return Polled { bytes, ended: true };
            };
            for (at, event) in events {
                beat_until(&mut stream.beat_ms, at.ms(), &mut bytes);
                record(&mut bytes, &event);
            }
            beat_until(&mut stream.beat_ms, now_ms, &mut bytes);
            (*next, stream.seq) = (number.into(), engine.seq());
        }
    }
    Polled { bytes, ended: false }
}

fn beat_until(beat_ms: &mut u64, ms: u64, bytes: &mut Vec<u8>) {
    while *beat_ms <= ms {
        record(bytes, &heartbeat());
        *beat_ms += BEAT_MS;
    }
}

/// Nobody listens any more: a framework is disconnected, unless it listens elsewhere or the world has moved on without it.
pub fn close_stream(stream: &EventStream, session: &mut Session) {
    if let Source::Framework(name, _) = &stream.source
        && session.engine.at_head()
        && is_current(stream, &session.engine)
    {
        session.engine.apply(Input::Framework(FrameworkInput {
            op: "disconnect".to_owned(),
            name: name.clone(),
            roles: Vec::new(),
            policy: None,
            call: Value::Null,
        }));
    }
}
