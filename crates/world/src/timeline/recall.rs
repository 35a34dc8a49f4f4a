//! Forgets the oldest events, and restores any of them by a replay.
//!
//! Knows: that a replay reports the same events again. Must not know: who asks, and how many to keep.

use super::Engine;
use super::seek::is_empty;
use planarium_protocol::Event;

impl Engine {
    /// Forgets the oldest events of the current branch, to bound the memory of an endless run. The last `keep` stay, and up to
    /// as many more. Nothing else changes: [`Engine::recall`] restores forgotten events.
    pub fn forget_events(&mut self, keep: u64) {
        self.log.forget(keep);
    }

    /// Returns the number of forgotten events at the beginning of the current branch.
    pub fn forgotten(&self) -> u64 {
        self.log.forgotten()
    }

    /// Returns events of the current branch after number `after` up to number `to`, including those after the cursor.
    /// The cursor does not move.
    ///
    /// *Cost*: for forgotten events, a replay from the last checkpoint before them.
    pub fn recall(&mut self, after: u64, to: u64) -> Vec<Event> {
        let mut found = Vec::new();
        self.recall_each(after, to, &mut |event| found.push(event.clone()));
        found
    }

    /// Passes the same events to `take` one by one, so that they need not all be in memory.
    pub fn recall_each(&mut self, after: u64, to: u64, take: &mut dyn FnMut(&Event)) {
        let to = to.min(self.head_seq());
        if after < self.log.forgotten().min(to) {
            self.aside(|engine| {
                engine.start_from(|world| world.seq() <= after || is_empty(world));
                while engine.seq() < to.min(engine.log.forgotten()) {
                    let from = engine.seq().max(after);
                    if !engine.replay_step(u64::MAX) {
                        break;
                    }
                    let again = engine.replayed.iter().filter(|event| event.seq > from && event.seq <= to);
                    again.for_each(&mut *take);
                }
            });
        }
        self.log.between(after, to).iter().for_each(take);
    }

    /// Returns the events of the last step after event `from`, kept or not.
    pub(super) fn news(&self, from: u64) -> impl Iterator<Item = &Event> {
        let to = self.seq();
        // After a look at another position, these may belong to that position.
        let again = self.replayed.iter().filter(move |event| event.seq > from && event.seq <= to);
        again.chain(self.log.between(from, to))
    }
}
