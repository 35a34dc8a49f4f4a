//! A try that follows a run moved by somebody else, such as a page's branches.
//!
//! Knows: which inputs of a run are the learner's. Must not know: who moves the run.
//!
//! *Invariant*: the run is one of the lesson's world and script, and every input of the learner came after the work of its instant.

use super::attempt::Attempt;
use planarium_kernel::journal::Entry;
use planarium_world::Written;
use std::sync::Arc;

impl Attempt {
    /// Follows a run to its end. Inputs that the script does not apply are the learner's. A run that does not continue this try
    /// is followed from its beginning. Returns false if the run differs, so that the checks cannot judge it.
    pub fn follow(&mut self, entries: &[Arc<Entry<Written>>], end_ms: u64) -> bool {
        if !self.continues(entries, end_ms) {
            *self = Self::start(self.lesson(), Some(self.seed()));
        }
        let limit_ms = self.limit_ms();
        for (index, entry) in entries.iter().enumerate().skip(self.engine().entries().len()) {
            if entry.at_ms > limit_ms {
                return true;
            }
            self.advance_to(entry.at_ms);
            if self.engine().entries().len() <= index {
                self.put_in(entry.input.input().clone());
            }
            if !self.engine().entries().get(index).is_some_and(|made| same(made, entry)) {
                return false;
            }
        }
        self.advance_to(end_ms);
        self.engine().entries().len() <= entries.len() || end_ms > limit_ms
    }

    /// Returns whether a run contains all inputs of this try and lasts at least as long.
    fn continues(&self, entries: &[Arc<Entry<Written>>], end_ms: u64) -> bool {
        let own = self.engine().entries();
        let prefix = match own.last() {
            Some(last) => entries.get(own.len() - 1).is_some_and(|entry| same(last, entry)),
            None => true,
        };
        let next_ms = entries.get(own.len()).map_or(end_ms, |next| next.at_ms);
        prefix && self.engine().now_ms() <= next_ms
    }
}

/// Digests cover everything up to an input, so entries with equal digests have the same past.
fn same(one: &Entry<Written>, other: &Entry<Written>) -> bool {
    one.at_ms == other.at_ms && one.digest == other.digest
}
