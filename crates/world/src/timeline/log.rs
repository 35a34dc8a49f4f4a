//! The events of one branch in one piece.
//!
//! Knows: numbers of events. Must not know: what they say.
//!
//! *Invariant*: event `n` stands at place `n - 1`.

use planarium_protocol::Event;

/// Events from the first one on, without gaps.
#[derive(Default)]
pub(super) struct Log {
    events: Vec<Event>,
}

fn place(seq: u64) -> usize {
    usize::try_from(seq).unwrap_or(usize::MAX)
}

impl Log {
    pub(super) fn len(&self) -> u64 {
        self.events.len() as u64
    }

    pub(super) fn append(&mut self, events: impl IntoIterator<Item = Event>) {
        let before = self.events.len();
        self.events.extend(events);
        let first = self.events.get(before);
        debug_assert!(first.is_none_or(|event| event.seq == before as u64 + 1), "a gap in the log");
    }

    /// Takes away the events after number `seq`.
    pub(super) fn split_off(&mut self, seq: u64) -> Vec<Event> {
        self.events.split_off(place(seq).min(self.events.len()))
    }

    pub(super) fn up_to(&self, seq: u64) -> &[Event] {
        self.between(0, seq)
    }

    /// Events after number `after` up to number `to`.
    pub(super) fn between(&self, after: u64, to: u64) -> &[Event] {
        let to = place(to).min(self.events.len());
        self.events.get(place(after)..to).unwrap_or_default()
    }
}
