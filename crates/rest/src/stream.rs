//! Event streams of frameworks, without a transport.
//!
//! A stream is a place in the world's event log: whoever serves it asks again and again what has come since, and is given
//! records ready to be sent. Heartbeats are made here, one for every fifteen seconds of virtual time; they are in no log.
//!
//! *Order*: records in the order of the log; a heartbeat that is due comes before what happens at that instant.
//! Source: `apache/mesos: src/common/recordio.hpp`, `docs/scheduler-http-api.md` (RecordIO, heartbeats). Match.

use crate::Session;
use planarium_protocol::input::FrameworkInput;
use planarium_protocol::{EventBody, Input};
use planarium_world::{Engine, HEARTBEAT_S, error_event, heartbeat};
use serde_json::Value;

/// So many heartbeats are sent at once; those of a longer leap of time are left out.
const MOST_BEATS: u64 = 100;

/// The events of one framework from its subscription on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventStream {
    framework: String,
    stream_id: String,
    branch: u32,
    /// The last event that was looked at.
    seq: u64,
    /// When the next heartbeat is due.
    beat_ms: u64,
}

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

impl EventStream {
    /// A stream of what happens from now on; whose it is comes later.
    pub(crate) fn before(session: &Session) -> Self {
        let engine = &session.engine;
        Self {
            framework: String::new(),
            stream_id: String::new(),
            branch: branch(engine),
            seq: engine.seq(),
            beat_ms: engine.now_ms().saturating_add(BEAT_MS),
        }
    }

    /// The same for a framework that has subscribed, which may have opened a branch.
    pub(crate) fn of(self, session: &Session, framework: String, stream_id: String) -> Self {
        Self { framework, stream_id, branch: branch(&session.engine), ..self }
    }

    fn is_current(&self, engine: &Engine) -> bool {
        engine.seq() >= self.seq
            && branch(engine) == self.branch
            && engine.world().streams_to(&self.framework, &self.stream_id)
    }

    /// What has come since the last time.
    pub fn poll(&mut self, session: &Session) -> Polled {
        let engine = &session.engine;
        if !self.is_current(engine) {
            return Polled { bytes: Vec::new(), ended: true };
        }
        let now_ms = engine.now_ms();
        // A leap of time: only the last heartbeats of it are of interest.
        let due = now_ms.saturating_sub(self.beat_ms) / BEAT_MS;
        if now_ms >= self.beat_ms && due > MOST_BEATS {
            self.beat_ms += (due - MOST_BEATS) * BEAT_MS;
        }
        let mut bytes = Vec::new();
        for event in engine.events_since(self.seq) {
            self.seq = event.seq;
            if let EventBody::FrameworkEvent { framework, event: shown } = &event.body
                && **framework == *self.framework
            {
                self.beat_until(event.at_ms, &mut bytes);
                record(&mut bytes, shown);
            }
        }
        self.beat_until(now_ms, &mut bytes);
        Polled { bytes, ended: false }
    }

    fn beat_until(&mut self, ms: u64, bytes: &mut Vec<u8>) {
        while self.beat_ms <= ms {
            record(bytes, &heartbeat());
            self.beat_ms += BEAT_MS;
        }
    }

    /// Nobody listens any more: the framework is disconnected, unless it listens elsewhere or the world has moved on
    /// without it.
    pub fn close(&self, session: &mut Session) {
        if session.engine.at_head() && self.is_current(&session.engine) {
            session.engine.apply(Input::Framework(FrameworkInput {
                op: "disconnect".to_owned(),
                name: self.framework.clone(),
                roles: Vec::new(),
                policy: None,
                call: Value::Null,
            }));
        }
    }
}
