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

    /// How many of the first events of the current branch are not kept.
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
            self.branch.keep_head(&self.world);
            let here = self.world.clone();
            self.start_from(|world| world.seq() <= after || is_empty(world));
            while self.seq() < to.min(self.log.forgotten()) {
                let from = self.seq().max(after);
                if !self.replay_step(u64::MAX) {
                    break;
                }
                let again = self.replayed.iter().filter(|event| event.seq > from && event.seq <= to);
                again.for_each(&mut *take);
            }
            self.world = here;
        }
        self.log.between(after, to).iter().for_each(take);
    }

    /// What the step just taken reported after event `from`, be it kept or not.
    pub(super) fn news(&self, from: u64) -> impl Iterator<Item = &Event> {
        let again = self.replayed.iter().filter(move |event| event.seq > from);
        again.chain(self.log.between(from, self.seq()))
    }
}

#[cfg(all(test, feature = "sdk"))]
mod tests {
    use crate::{Engine, Genesis};
    use planarium_protocol::input::{AddAgent, Fault, LoadService};
    use planarium_protocol::{Input, json};

    const CROWD: &str = "name: crowd
pods:
  crash:
    count: 5
    tasks: {server: {goal: RUNNING, cmd: ./crash, cpus: 0.1, memory: 32}}
";

    #[test]
    fn hours_of_crashes_make_a_world_no_heavier() {
        let mut engine = Engine::new(Genesis::default());
        engine.apply(Input::AddAgent(AddAgent { count: Some(4), ..AddAgent::default() }));
        let files = [("svc.yml".to_owned(), CROWD.to_owned())].into();
        let load = LoadService { dialect: "sdk".to_owned(), files, ..LoadService::default() };
        assert!(engine.apply(Input::LoadService(load)).outcome.is_ok());
        let fault: Fault =
            json::read(br#"{"fault":"crash-loop","target":{"task":"crash-*"}}"#).expect("a fault");
        assert!(engine.apply(Input::Fault(fault)).outcome.is_ok());
        let mut weights = Vec::new();
        for _ in 0..3 {
            engine.advance_for(10 * 60_000);
            engine.forget_events(500);
            assert!(engine.all_events().len() <= 1000 && engine.forgotten() > 3000, "{}", engine.forgotten());
            weights.push(engine.world().weight());
        }
        assert!(weights[2] < weights[0] + weights[0] / 10, "{weights:?}");
    }
}
