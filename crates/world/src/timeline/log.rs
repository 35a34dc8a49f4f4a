//! The events of one branch in one list; the oldest may be forgotten.
//!
//! Knows: numbers of events. Must not know: their content, and how forgotten ones are restored.
//!
//! *Invariant*: the kept events are the last ones, without gaps; event `n` is at index `n - 1 - forgotten`.

use planarium_kernel::{Rope, Stretch};
use planarium_protocol::Event;

/// The last events of a branch.
#[derive(Default)]
pub(super) struct Log {
    /// Number of events before the first kept one.
    forgotten: u64,
    events: Rope<Event>,
}

fn place(seq: u64) -> usize {
    usize::try_from(seq).unwrap_or(usize::MAX)
}

impl Log {
    /// Number of the last event.
    pub(super) fn len(&self) -> u64 {
        self.forgotten + self.events.len() as u64
    }

    /// Number of the last forgotten event; 0 if all are kept.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    pub(super) fn append(&mut self, events: impl IntoIterator<Item = Event>) {
        let before = self.events.len();
        self.events.extend(events);
        debug_assert!(
            self.events
                .between(before, before + 1)
                .first()
                .is_none_or(|event| event.seq == self.forgotten + before as u64 + 1),
            "a gap in the log"
        );
    }

    /// Forgets all but the last `keep` events once there are twice as many, so that the cost per event is small.
    pub(super) fn forget(&mut self, keep: u64) {
        let keep = place(keep);
        if self.events.len() > keep.saturating_mul(2) {
            let surplus = self.events.len() - keep;
            self.events.remove_first(surplus);
            self.forgotten += surplus as u64;
        }
    }

    /// Continues after event `seq`, without the events before it; does nothing if they are known.
    pub(super) fn skip_to(&mut self, seq: u64) {
        if seq > self.len() {
            self.events.clear();
            self.forgotten = seq;
        }
    }

    /// Removes the events after number `seq`.
    pub(super) fn split_off(&mut self, seq: u64) -> Vec<Event> {
        let after = self.events.split_off(self.place(seq));
        self.forgotten = self.forgotten.min(seq);
        after
    }

    pub(super) fn up_to(&self, seq: u64) -> Stretch<'_, Event> {
        self.between(0, seq)
    }

    /// Returns the kept events after number `after` up to number `to`.
    pub(super) fn between(&self, after: u64, to: u64) -> Stretch<'_, Event> {
        self.events.between(self.place(after), self.place(to))
    }

    /// Returns the index of the first event after number `seq`.
    fn place(&self, seq: u64) -> usize {
        place(seq.saturating_sub(self.forgotten))
    }
}
