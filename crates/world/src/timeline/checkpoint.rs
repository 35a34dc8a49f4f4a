//! Worlds kept on the way, so that going back costs a short replay.
//!
//! Knows: how far apart checkpoints are and what they weigh by estimate.
//! Must not know: how a world is replayed.
//!
//! When they outgrow their budget, every second one is dropped and the distance doubles. The first one
//! is the empty world and stays.

use crate::limits::{CHECKPOINT_BYTES, CHECKPOINT_EVENTS};
use crate::world::World;
use std::sync::Arc;

/// Inputs between two checkpoints at most.
const INPUTS: u64 = 64;
/// Steps without any event count this much less than an event.
const STEPS_PER_EVENT: u64 = 8;

struct Checkpoint {
    world: Arc<World>,
    bytes: u64,
    /// Made on this branch, not taken over from its parent.
    own: bool,
}

pub(super) struct Checkpoints {
    kept: Vec<Checkpoint>,
    /// Events between two of them.
    distance: u64,
    bytes: u64,
}

impl Checkpoints {
    pub(super) fn new(world: &World) -> Self {
        let first = Checkpoint { world: Arc::new(world.clone()), bytes: 0, own: false };
        Self { kept: vec![first], distance: CHECKPOINT_EVENTS, bytes: 0 }
    }

    /// Those a branch takes over when it parts after `steps` steps.
    pub(super) fn up_to(&self, steps: u64) -> Self {
        let kept: Vec<_> = self
            .kept
            .iter()
            .take_while(|kept| kept.world.steps() <= steps)
            .map(|kept| Checkpoint { world: Arc::clone(&kept.world), bytes: kept.bytes, own: false })
            .collect();
        let bytes = kept.iter().map(|kept| kept.bytes).sum();
        Self { kept, distance: self.distance, bytes }
    }

    /// Estimated weight of all of them.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Estimated weight of those made on this branch.
    pub(super) fn own_bytes(&self) -> u64 {
        self.kept.iter().filter(|kept| kept.own).map(|kept| kept.bytes).sum()
    }

    /// Drops those made on this branch.
    pub(super) fn forget_own(&mut self) {
        self.kept.retain(|kept| !kept.own);
        self.bytes = self.kept.iter().map(|kept| kept.bytes).sum();
    }

    /// Keeps the world when it has come far enough from the last checkpoint.
    pub(super) fn offer(&mut self, world: &World) {
        let Some(last) = self.kept.last() else { return };
        let events = world.seq().saturating_sub(last.world.seq());
        let steps = world.steps().saturating_sub(last.world.steps());
        let inputs = world.inputs().saturating_sub(last.world.inputs());
        let due = events >= self.distance || steps >= self.distance * STEPS_PER_EVENT || inputs >= INPUTS;
        if !due {
            return;
        }
        let bytes = world.weight();
        // A heavy world is kept more rarely: copying it should stay small against running it.
        let far_enough = bytes / 4096;
        if events + steps / STEPS_PER_EVENT < far_enough.min(self.distance * 64) {
            return;
        }
        self.kept.push(Checkpoint { world: Arc::new(world.clone()), bytes, own: true });
        self.bytes = self.bytes.saturating_add(bytes);
        while self.bytes > CHECKPOINT_BYTES && self.kept.len() > 2 {
            self.thin();
        }
    }

    fn thin(&mut self) {
        let mut place = 0_usize;
        self.kept.retain(|_| {
            place += 1;
            place % 2 == 1
        });
        self.bytes = self.kept.iter().map(|kept| kept.bytes).sum();
        self.distance = self.distance.saturating_mul(2);
    }

    /// The last one for which `before` holds; `before` holds for a first part of them.
    pub(super) fn last_where(&self, before: impl Fn(&World) -> bool) -> Option<&Arc<World>> {
        let count = self.kept.partition_point(|kept| before(&kept.world));
        self.kept.get(count.checked_sub(1)?).map(|kept| &kept.world)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Genesis};
    use planarium_protocol::Input;
    use planarium_protocol::input::{AddAgent, ClearFault};

    fn travelled(inputs: u64) -> Engine {
        let mut engine = Engine::new(Genesis::default());
        engine.apply(Input::AddAgent(AddAgent::default()));
        for nth in 1..inputs {
            engine.apply(Input::ClearFault(ClearFault { id: format!("fault-{nth}") }));
            engine.advance_for(1_500);
        }
        engine
    }

    #[test]
    fn worlds_are_kept_on_the_way_and_used() {
        let mut engine = travelled(6 * INPUTS);
        assert_eq!(engine.branch.checkpoints.kept.len(), 7, "the first and one per {INPUTS} inputs");
        let half = engine.head_seq() / 2;
        let near = engine.branch.checkpoints.last_where(|world| world.seq() < half).expect("some").seq();
        assert!(near > 0 && half - near <= INPUTS, "{near} for {half}");
        engine.seek_seq(half);
        let fresh = {
            let mut engine = travelled(6 * INPUTS);
            engine.branch.checkpoints.kept.truncate(1);
            engine.seek_seq(half);
            engine
        };
        assert_eq!((engine.digest(), engine.now_ms()), (fresh.digest(), fresh.now_ms()));
        assert_eq!(engine.view().cluster, fresh.view().cluster);
    }

    #[test]
    fn thinning_keeps_the_first_and_every_second() {
        let mut engine = travelled(6 * INPUTS);
        let all: Vec<u64> = engine.branch.checkpoints.kept.iter().map(|kept| kept.world.seq()).collect();
        engine.branch.checkpoints.thin();
        let left: Vec<u64> = engine.branch.checkpoints.kept.iter().map(|kept| kept.world.seq()).collect();
        assert_eq!(left, all.iter().copied().step_by(2).collect::<Vec<_>>());
        assert_eq!(engine.branch.checkpoints.distance, 2 * CHECKPOINT_EVENTS);
    }
}
