//! Events that are not kept: forgetting the oldest ones, and bringing any of them back by a replay.
//!
//! Knows: that a replay reports the same events again. Must not know: who asks, and how many are worth keeping.

use super::Engine;
use super::seek::is_empty;
use planarium_protocol::Event;

impl Engine {
    /// Forgets the oldest events of the current branch, so that a run without end does not take more and more memory. The last
    /// `keep` stay, and up to as many more. Nothing else changes: [`Engine::recall`] brings back what is forgotten.
    pub fn forget_events(&mut self, keep: u64) {
        self.log.forget(keep);
    }

    /// Returns how many of the first events of the current branch are not kept.
    pub fn forgotten(&self) -> u64 {
        self.log.forgotten()
    }

    /// Events of the current branch after number `after` up to number `to`, those after the cursor included. The cursor
    /// stays where it is.
    ///
    /// *Cost*: where they are not kept, a replay from the last checkpoint before them.
    pub fn recall(&mut self, after: u64, to: u64) -> Vec<Event> {
        let mut found = Vec::new();
        self.recall_each(after, to, &mut |event| found.push(event.clone()));
        found
    }

    /// The same, one event after the other, so that nobody has to hold all of them at once.
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

    /// Returns the events that the last step reported after event `from`, kept or not.
    pub(super) fn news(&self, from: u64) -> impl Iterator<Item = &Event> {
        let to = self.seq();
        // After a look elsewhere these may be from there.
        let again = self.replayed.iter().filter(move |event| event.seq > from && event.seq <= to);
        again.chain(self.log.between(from, to))
    }
}
