//! Worlds kept along the run, so that going back needs only a short replay.
//!
//! Knows: the distance between checkpoints and their estimated weight.
//! Must not know: how a world is replayed.
//!
//! Worlds share unchanged parts, so a checkpoint weighs what the next one does not share. Distances count events, not
//! time. When all of them exceed their budget, the one whose removal leaves the smallest gap is dropped, so they stay
//! evenly spread; new ones are then made farther apart. The first one is the empty world and is never dropped.

use crate::limits::{CHECKPOINT_BYTES, CHECKPOINT_EVENTS};
use crate::world::World;
use planarium_kernel::Weight;
use std::sync::Arc;

/// Maximum number of inputs between two checkpoints.
const INPUTS: u64 = 64;
/// Unshared bytes of the last checkpoint that delay the next one by one event: unsharing costs the same again, and is
/// to be spread over the events between. So a rollout that touches everything has few checkpoints, and a serial one has
/// many. Less makes rollouts faster and jumps slower: here a jump in a run of 10,000 events leaves half of a browser's
/// frame of 16 ms free.
const BYTES_PER_EVENT: u64 = 320;
/// Bytes of a world that allow checkpoints one event farther apart, so that a single large change does not leave a long
/// stretch without checkpoints.
const WEIGHT_PER_EVENT: u64 = 512;
/// Number of steps without an event that count as one event.
const STEPS_PER_EVENT: u64 = 8;

struct Checkpoint {
    world: Arc<World>,
    /// Memory not shared with the next one; 0 for the last one, which the current world shares.
    bytes: u64,
    /// Made on this branch, not inherited from its parent.
    own: bool,
}

pub(super) struct Checkpoints {
    kept: Vec<Checkpoint>,
    /// Minimum number of events between two checkpoints.
    distance: u64,
    /// The same, from the cost of the last ones.
    spacing: u64,
    bytes: u64,
}

/// Returns the cost of a replay from one world to a later one, in events.
fn gap(from: &World, to: &World) -> u64 {
    let steps = to.steps().saturating_sub(from.steps());
    to.seq().saturating_sub(from.seq()) + steps / STEPS_PER_EVENT
}

impl Checkpoints {
    pub(super) fn new(world: &World) -> Self {
        let first = Checkpoint { world: Arc::new(world.clone()), bytes: 0, own: false };
        Self { kept: vec![first], distance: CHECKPOINT_EVENTS, spacing: 0, bytes: 0 }
    }

    /// The checkpoints that a branch inherits when it forks after `steps` steps.
    pub(super) fn up_to(&self, steps: u64) -> Self {
        let kept: Vec<_> = self
            .kept
            .iter()
            .take_while(|kept| kept.world.steps() <= steps)
            .map(|kept| Checkpoint { world: Arc::clone(&kept.world), bytes: kept.bytes, own: false })
            .collect();
        let bytes = kept.iter().map(|kept| kept.bytes).sum();
        Self { kept, distance: self.distance, spacing: self.spacing, bytes }
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

    /// Keeps the world if it is far enough from the last checkpoint.
    pub(super) fn offer(&mut self, world: &World) {
        let Some(last) = self.kept.last_mut() else { return };
        let inputs = world.inputs().saturating_sub(last.world.inputs());
        if gap(&last.world, world) < self.distance.max(self.spacing) && inputs < INPUTS {
            return;
        }
        last.bytes = World::beyond(&last.world, Some(world));
        self.spacing = (last.bytes / BYTES_PER_EVENT).min(world.weight() / WEIGHT_PER_EVENT);
        self.bytes = self.bytes.saturating_add(last.bytes);
        self.kept.push(Checkpoint { world: Arc::new(world.without_views()), bytes: 0, own: true });
        while self.bytes > CHECKPOINT_BYTES && self.thin() {}
    }

    /// Drops the least useful checkpoint; returns false if only the first and the last are left.
    fn thin(&mut self) -> bool {
        let gaps = self.kept.windows(3).map(|three| match three {
            [before, _, after] => gap(&before.world, &after.world),
            _ => u64::MAX,
        });
        let Some((before, gap)) = gaps.enumerate().min_by_key(|(_, gap)| *gap) else { return false };
        let dropped = self.kept.remove(before + 1);
        let after = self.kept.get(before + 1).map(|after| Arc::clone(&after.world));
        if let Some((before, after)) = self.kept.get_mut(before).zip(after) {
            let bytes = World::beyond(&before.world, Some(&*after));
            self.bytes = (self.bytes + bytes).saturating_sub(before.bytes + dropped.bytes);
            before.bytes = bytes;
        }
        self.distance = self.distance.max(gap / 2);
        true
    }

    /// Returns the last checkpoint for which `before` holds; `before` must hold for a prefix of them.
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
    fn checkpoints_are_kept_and_used() {
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
    fn the_least_useful_checkpoint_is_dropped_first() {
        let mut engine = travelled(6 * INPUTS);
        let checkpoints = &mut engine.branch.checkpoints;
        let steps = |checkpoints: &Checkpoints| -> Vec<u64> {
            checkpoints.kept.iter().map(|kept| kept.world.steps()).collect()
        };
        let all = steps(checkpoints);
        assert!(checkpoints.thin());
        let left = steps(checkpoints);
        assert_eq!(left.len(), all.len() - 1);
        assert!(left.iter().all(|step| all.contains(step)), "{left:?} of {all:?}");
        while checkpoints.thin() {}
        assert_eq!(steps(checkpoints), [all[0], all[all.len() - 1]], "the first and the last stay");
        assert!(checkpoints.distance > CHECKPOINT_EVENTS);
    }

    #[test]
    fn checkpoints_weigh_their_unshared_bytes_and_stay_within_the_budget() {
        let mut engine = travelled(6 * INPUTS);
        let world = engine.world.clone();
        let checkpoints = &mut engine.branch.checkpoints;
        let weights =
            |checkpoints: &Checkpoints| -> u64 { checkpoints.kept.iter().map(|kept| kept.bytes).sum() };
        assert_eq!(checkpoints.bytes, weights(checkpoints));
        assert!(checkpoints.bytes > 0);
        checkpoints.thin();
        assert_eq!(checkpoints.bytes, weights(checkpoints));
        for pair in checkpoints.kept.windows(2) {
            assert_eq!(pair[0].bytes, World::beyond(&pair[0].world, Some(&*pair[1].world)));
        }
        // A checkpoint beyond the budget evicts others.
        checkpoints.kept[0].bytes += CHECKPOINT_BYTES;
        checkpoints.bytes += CHECKPOINT_BYTES;
        (checkpoints.distance, checkpoints.spacing) = (0, 0);
        checkpoints.offer(&world);
        assert!(checkpoints.bytes <= CHECKPOINT_BYTES && checkpoints.bytes == weights(checkpoints));
        assert_eq!(World::beyond(&world, Some(&world)), 1024, "a world shares all of itself");
    }
}
