//! The revision of a service's view.

use crate::scheduler::Cx;

/// Counts changes of a view.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Revision {
    /// The last event that changed anything a view shows.
    pub(crate) event: u64,
    /// Counts everything a view might show.
    pub(crate) changes: u64,
}

impl Revision {
    /// Something a view shows has changed without an event.
    pub(crate) fn touch(&mut self, cx: &Cx) {
        // Counted separately, because the view may change between two events.
        self.raise(cx.next_seq().saturating_sub(1));
        self.changes += 1;
    }

    /// An event changed something.
    pub(crate) fn raise(&mut self, seq: u64) {
        self.event = (self.event + 1).max(seq);
    }
}
