//! What must hold after every step, whatever was put in.
//!
//! Knows: whom to ask. Must not know: what the parts check.

use crate::world::World;

impl World {
    /// The first thing that does not hold, in words.
    pub(crate) fn broken_invariant(&self) -> Option<String> {
        if self.next_timer().is_some_and(|(at_ms, _)| at_ms < self.now_ms())
            && !self.instant.exhausted
            && !self.instant.late
        {
            return Some("a timer is due in the past".to_owned());
        }
        let mut found = self.parts.check();
        found.extend(self.processes.check(&self.parts.fleet));
        found.into_iter().next()
    }
}
