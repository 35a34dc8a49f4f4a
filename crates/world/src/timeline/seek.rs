//! Going to any place of the current branch: nearest kept world, then replay.
//!
//! Knows: which kept world is nearest. Must not know: how a step works.

use super::Engine;
use super::advance::Next;
use super::branch::Position;
#[cfg(debug_assertions)]
use super::replayed::difference;
use super::trail::Trail;
use crate::limits::TRAIL_EVENTS;
use crate::world::World;

impl Engine {
    /// Goes to the instant `ms`, all of its work done. Beyond the head it is the head.
    pub fn seek_ms(&mut self, ms: u64) {
        let head = self.branch.head();
        if ms >= head.now_ms {
            self.go_to(head);
            return;
        }
        // Where the cursor is in the middle of the instant asked for, going on from here is right too.
        self.start_from(|world| world.now_ms() <= ms);
        while self.replay_step(ms) {}
        self.world.pass_to(ms);
    }

    /// Goes to right after the step that produced event `seq`, possibly in the middle of an instant. Zero
    /// is the empty world; beyond the head it is the step of the last event.
    pub fn seek_seq(&mut self, seq: u64) {
        let seq = seq.min(self.branch.head().seq);
        // One step back in time may leave the number as it is: only worlds before the step will do.
        self.start_from(|world| world.seq() < seq || is_empty(world));
        while self.world.seq() < seq && self.replay_step(u64::MAX) {}
    }

    /// Returns the result of `look` right after the step that produced event `seq`. The cursor stays where it is.
    pub fn peek<T>(&mut self, seq: u64, look: impl FnOnce(&Self) -> T) -> T {
        self.aside(|engine| {
            engine.seek_seq(seq);
            look(engine)
        })
    }

    /// Does something elsewhere and comes back to where the cursor stands.
    pub(super) fn aside<T>(&mut self, elsewhere: impl FnOnce(&mut Self) -> T) -> T {
        self.branch.keep_head(&self.world);
        let here = self.world.clone();
        let done = elsewhere(self);
        self.world = here;
        done
    }

    /// Goes back to right after the last step with events before where the cursor stands: the way back
    /// of [`Engine::advance_events`] with 1. False at the beginning, where there is nothing before.
    ///
    /// *Cost*: one replay from a checkpoint some events back, whose worlds stay at hand: the steps back that follow
    /// replay nothing.
    pub fn step_back(&mut self) -> bool {
        let (here, seq, branch) = (Position::of(&self.world), self.seq(), self.branch.id());
        self.branch.keep_head(&self.world);
        if let Some(world) = self.trail.pop_before(branch, here) {
            self.world = world;
            return true;
        }
        let start = self.world.clone();
        // The nearest world with enough steps between it and here to find the one asked for among them.
        for events in [TRAIL_EVENTS, u64::MAX] {
            self.start_from(|world| is_empty(world) || world.seq().saturating_add(events) <= seq);
            self.trail = Trail::new(branch);
            // The place asked for may lie before those worth keeping: many events may come of one step.
            let mut early = is_empty(&self.world).then(|| self.world.clone());
            while Position::of(&self.world) < here {
                let before = self.seq();
                if !self.replay_step(u64::MAX) {
                    break;
                }
                if self.seq() == before || Position::of(&self.world) >= here {
                    continue;
                }
                if self.seq().saturating_add(TRAIL_EVENTS) >= seq {
                    self.trail.push(&self.world);
                } else {
                    early = Some(self.world.clone());
                }
            }
            let found = self.trail.pop_before(branch, here);
            if let Some(world) = found.or(early).filter(|world| Position::of(world) < here) {
                self.world = world;
                return true;
            }
        }
        self.world = start;
        false
    }

    /// Goes to a place of the current branch.
    pub(super) fn go_to(&mut self, place: Position) {
        if Position::of(&self.world) == place {
            return;
        }
        if place == self.branch.head()
            && let Some(world) = self.branch.head_world()
        {
            self.world = World::clone(world);
            return;
        }
        self.start_from(|world| world.steps() <= place.steps && world.now_ms() <= place.now_ms);
        // Not beyond its instant: rounds without work may be passed over many at a time.
        while self.world.steps() < place.steps && self.replay_step(place.now_ms) {}
        self.world.pass_to(place.now_ms);
    }

    /// Puts the cursor on the latest kept world for which `before` holds, or leaves it where it is when
    /// that is later still. The world at the head is kept.
    pub(super) fn start_from(&mut self, before: impl Fn(&World) -> bool) {
        self.branch.keep_head(&self.world);
        let kept = self.branch.checkpoints.last_where(&before);
        let here = before(&self.world).then(|| self.world.steps());
        if let Some(kept) = kept
            && here.is_none_or(|steps| steps < kept.steps())
        {
            self.world = World::clone(kept);
        }
    }

    /// One recorded step not later than `until_ms`; false when there is none.
    pub(super) fn replay_step(&mut self, until_ms: u64) -> bool {
        if self.world.steps() >= self.branch.head().steps {
            return false;
        }
        match self.next(until_ms) {
            Next::Nothing => false,
            next => {
                self.take_step(next);
                #[cfg(debug_assertions)]
                self.compare_with_kept();
                true
            }
        }
    }

    /// Debug builds compare a replayed world with the one that was kept at the same place.
    #[cfg(debug_assertions)]
    fn compare_with_kept(&self) {
        let place = Position::of(&self.world);
        let head = self.branch.head_world().filter(|world| Position::of(world) == place);
        let kept = head.or_else(|| self.branch.checkpoints.last_where(|world| Position::of(world) <= place));
        if let Some(kept) = kept.filter(|world| Position::of(world) == place) {
            let differs = difference(kept, &self.world);
            debug_assert!(differs.is_none(), "the replay differs at {} ms: {differs:?}", self.now_ms());
        }
    }
}

/// Returns whether nothing at all has happened.
pub(super) fn is_empty(world: &World) -> bool {
    world.steps() == 0 && world.now_ms() == 0
}
