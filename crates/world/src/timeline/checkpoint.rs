//! Worlds kept along the run, so that going back needs only a short replay.
//!
//! Knows: the work between checkpoints and their estimated weight.
//! Must not know: how a world is replayed.
//!
//! Worlds share unchanged parts, so a checkpoint weighs what the next one does not share. Distances count the work of a
//! replay, not virtual time. The step that leads to a checkpoint never has to be replayed: a seek of one of its events ends
//! at the checkpoint. So one is made right after a step with much work, such as a reconciliation of thousands of tasks.
//! When all of them exceed their budget, the one whose removal leaves the smallest gap is dropped, so they stay
//! evenly spread; new ones are then made farther apart. The first one is the empty world and is never dropped.

use super::branch::Position;
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
/// Work of an event, as measured: that of three steps without one.
const EVENT: u64 = 3;
/// Bytes by which an input makes the world larger, for the work of one step: reading a definition and making its plans takes
/// longer than the few events tell.
const BYTES_PER_STEP: u64 = 32;

struct Checkpoint {
    world: Arc<World>,
    /// The last event before the step that led here.
    before: u64,
    /// Work from the beginning of the run up to that step, and up to here. *Units*: steps without an event.
    start: u64,
    work: u64,
    /// Memory not shared with the next one; 0 for the last one, which the current world shares.
    bytes: u64,
    /// Made on this branch, not inherited from its parent.
    own: bool,
}

pub(super) struct Checkpoints {
    kept: Vec<Checkpoint>,
    /// Work from the beginning of the run to the head, and the weight of the world after the last input.
    work: u64,
    weight: u64,
    /// Number of inputs since the last checkpoint.
    inputs: u64,
    /// Minimum work between two checkpoints.
    distance: u64,
    /// The same, from the cost of the last ones.
    spacing: u64,
    bytes: u64,
}

impl Checkpoints {
    pub(super) fn new(world: &World) -> Self {
        let first =
            Checkpoint { world: Arc::new(world.clone()), before: 0, start: 0, work: 0, bytes: 0, own: false };
        let distance = CHECKPOINT_EVENTS * EVENT;
        Self { kept: vec![first], work: 0, weight: world.weight(), inputs: 0, distance, spacing: 0, bytes: 0 }
    }

    /// The checkpoints that a branch inherits when it forks after `steps` steps.
    pub(super) fn up_to(&self, steps: u64) -> Self {
        let kept: Vec<_> = self
            .kept
            .iter()
            .take_while(|kept| kept.world.steps() <= steps)
            .map(|kept| Checkpoint { world: Arc::clone(&kept.world), own: false, ..*kept })
            .collect();
        let bytes = kept.iter().map(|kept| kept.bytes).sum();
        // Work since then is not counted again: a first gap may be a little longer.
        let work = kept.last().map_or(0, |last| last.work);
        Self { kept, bytes, work, inputs: 0, ..*self }
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

    /// Counts the work of a step at the head, the last event before which is `before`, and keeps the world after it if that
    /// is far enough from the last checkpoint.
    pub(super) fn offer(&mut self, world: &World, before: u64) {
        let Some(last) = self.kept.last_mut() else { return };
        let start = self.work;
        self.work += 1 + EVENT * world.seq().saturating_sub(before);
        let inputs = world.inputs().saturating_sub(last.world.inputs());
        if inputs > self.inputs {
            let weight = world.weight();
            self.work += weight.saturating_sub(self.weight) / BYTES_PER_STEP;
            self.weight = weight;
        }
        self.inputs = inputs;
        if self.work - last.work < self.distance.max(self.spacing) && inputs < INPUTS {
            return;
        }
        last.bytes = World::beyond(&last.world, Some(world));
        self.spacing = EVENT * (last.bytes / BYTES_PER_EVENT).min(world.weight() / WEIGHT_PER_EVENT);
        self.bytes = self.bytes.saturating_add(last.bytes);
        let world = Arc::new(world.without_views());
        self.kept.push(Checkpoint { world, before, start, work: self.work, bytes: 0, own: true });
        self.inputs = 0;
        while self.bytes > CHECKPOINT_BYTES && self.thin() {}
    }

    /// Drops the least useful checkpoint; returns false if only the first and the last are left.
    fn thin(&mut self) -> bool {
        let gaps = self.kept.windows(3).map(|three| match three {
            [before, _, after] => after.start.saturating_sub(before.work),
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

    /// Returns the checkpoint right after the step that produced event `seq`, if there is one.
    pub(super) fn right_after(&self, seq: u64) -> Option<&Arc<World>> {
        let count = self.kept.partition_point(|kept| kept.world.seq() < seq);
        self.kept.get(count).filter(|kept| kept.before < seq).map(|kept| &kept.world)
    }

    /// Returns the last event before the step that led to the checkpoint at a position, if there is one.
    pub(super) fn before(&self, place: Position) -> Option<u64> {
        let at = self.kept.partition_point(|kept| Position::of(&kept.world) < place);
        self.kept.get(at).filter(|kept| at > 0 && Position::of(&kept.world) == place).map(|kept| kept.before)
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
        assert!(checkpoints.distance > CHECKPOINT_EVENTS * EVENT);
    }

    #[test]
    fn an_event_of_the_step_before_a_checkpoint_needs_no_replay() {
        let mut engine = travelled(6 * INPUTS);
        let ends: Vec<(u64, u64, String)> = {
            let kept = &engine.branch.checkpoints.kept;
            let end = |kept: &Checkpoint| {
                (kept.before, kept.world.seq(), planarium_kernel::digest::hex(kept.world.digest()))
            };
            kept.iter().skip(1).map(end).collect()
        };
        assert_eq!(ends.len(), 6);
        let mut fresh = travelled(6 * INPUTS);
        fresh.branch.checkpoints.kept.truncate(1);
        for (before, last, digest) in ends {
            assert!(before < last, "an input has an event");
            for seq in [before, before + 1, last, last + 1] {
                engine.seek_seq(seq);
                fresh.seek_seq(seq);
                let place = |engine: &Engine| (Position::of(&engine.world), engine.digest());
                assert_eq!(place(&engine), place(&fresh), "{seq}");
                assert_eq!(engine.branch.checkpoints.right_after(seq).is_some(), seq > before && seq <= last);
                assert_eq!(engine.digest() == digest, seq > before && seq <= last);
                assert_eq!(engine.step_back(), fresh.step_back());
                assert_eq!(place(&engine), place(&fresh), "one step back from {seq}");
            }
        }
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
        checkpoints.offer(&world, world.seq());
        assert!(checkpoints.bytes <= CHECKPOINT_BYTES && checkpoints.bytes == weights(checkpoints));
        assert_eq!(World::beyond(&world, Some(&world)), 1024, "a world shares all of itself");
    }
}
