//! Event streams, without a transport.
//!
//! A stream is a position in the world's event log: its server asks again and again for the events since then, and gets
//! bytes ready to be sent. The part that owns the stream decides the bytes.

use crate::Session;
use planarium_part::StreamNews;
use planarium_part::http::{EventStream, Source};
use planarium_world::Engine;

/// Events of a stream since the last poll.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polled {
    /// Bytes to send, perhaps none.
    pub bytes: Vec<u8>,
    /// The stream has ended: the framework is gone, listens elsewhere, or time was turned back.
    pub ended: bool,
}

fn branch(engine: &Engine) -> u32 {
    engine.branches().iter().find(|branch| branch.current).map_or(0, |branch| branch.id)
}

/// Begins a stream of the events from now on.
pub(crate) fn begin(session: &Session, source: Source) -> EventStream {
    let engine = &session.engine;
    EventStream { source, branch: branch(engine), seq: engine.seq(), limit_s: None }
}

/// A stream from a place on; subscribing may have opened a branch since.
pub(crate) fn since(session: &Session, seq: u64, source: Source) -> EventStream {
    EventStream { source, branch: branch(&session.engine), seq, limit_s: None }
}

fn is_current(stream: &EventStream, engine: &Engine) -> bool {
    engine.seq() >= stream.seq && branch(engine) == stream.branch
}

/// Returns the events of a stream since the last poll.
pub fn poll_stream(stream: &mut EventStream, session: &Session) -> Polled {
    let engine = &session.engine;
    if !is_current(stream, engine) {
        return Polled { bytes: Vec::new(), ended: true };
    }
    let events = engine.events_since(stream.seq);
    let world = engine.world();
    let (news, own) = match &mut stream.source {
        Source::Layer(layer, topic) => (world.layer_stream(*layer, topic, events), topic),
        Source::System(process, topic) => (world.stream(*process, topic, events), topic),
    };
    let Some(StreamNews { bytes, ended, topic }) = news else {
        return Polled { bytes: Vec::new(), ended: true };
    };
    stream.seq = engine.seq();
    if let Some(next) = topic {
        *own = next;
    }
    Polled { bytes, ended }
}

/// Closes a stream. Its part is notified, unless the world has been replaced.
pub fn close_stream(stream: &EventStream, session: &mut Session) {
    if session.engine.at_head()
        && is_current(stream, &session.engine)
        && let Some(input) = session.engine.stream_closed(&stream.source)
    {
        session.engine.apply(input);
    }
}
