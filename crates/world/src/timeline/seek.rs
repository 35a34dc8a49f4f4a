//! Seeks any position of the current branch: starts at the nearest kept world, then replays.
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
use std::sync::Arc;

impl Engine {
    /// Seeks the instant `ms` with its work finished; at most the head.
    pub fn seek_ms(&mut self, ms: u64) {
        let head = self.branch.head();
        if ms >= head.now_ms {
            self.go_to(head);
            return;
        }
        // If the cursor is within that instant, continuing from here is correct too.
        self.start_from(|world| world.now_ms() <= ms);
        while self.replay_step(ms) {}
        self.world.pass_to(ms);
    }

    /// Seeks the end of the step that produced event `seq`, possibly within an instant. Zero is the empty world;
    /// beyond the head, the step of the last event is used.
    pub fn seek_seq(&mut self, seq: u64) {
        let seq = seq.min(self.branch.head().seq);
        if let Some(kept) = self.branch.checkpoints.right_after(seq).filter(|_| seq > 0).map(Arc::clone) {
            self.branch.keep_head(&self.world);
            self.world = World::clone(&kept);
            return;
        }
        // A step back may keep the event number: use only worlds before the step.
        self.start_from(|world| world.seq() < seq || is_empty(world));
        while self.world.seq() < seq && self.replay_step(u64::MAX) {}
    }

    /// Returns the result of `look` right after the step that produced event `seq`. The cursor does not move.
    pub fn peek<T>(&mut self, seq: u64, look: impl FnOnce(&Self) -> T) -> T {
        self.aside(|engine| {
            engine.seek_seq(seq);
            look(engine)
        })
    }

    /// Does something at another position, then restores the cursor.
    pub(super) fn aside<T>(&mut self, elsewhere: impl FnOnce(&mut Self) -> T) -> T {
        self.branch.keep_head(&self.world);
        let here = self.world.clone();
        let done = elsewhere(self);
        self.world = here;
        done
    }

    /// Goes back to the end of the last step with events before the cursor: the inverse of [`Engine::advance_events`]
    /// with 1. Returns false at the beginning.
    ///
    /// *Cost*: one replay from a checkpoint some events back, whose worlds are kept: further steps back replay
    /// nothing.
    pub fn step_back(&mut self) -> bool {
        let (here, seq, branch) = (Position::of(&self.world), self.seq(), self.branch.id());
        self.branch.keep_head(&self.world);
        if let Some(world) = self.trail.pop_before(branch, here) {
            self.world = world;
            return true;
        }
        if let Some(before) = self.branch.checkpoints.before(here) {
            self.seek_seq(before);
            return true;
        }
        let start = self.world.clone();
        // Start from the nearest world with enough steps in between to contain the target.
        for events in [TRAIL_EVENTS, u64::MAX] {
            self.start_from(|world| is_empty(world) || world.seq().saturating_add(events) <= seq);
            self.trail = Trail::new(branch);
            // The target may precede the kept worlds: one step can produce many events.
            let mut early = is_empty(&self.world).then(|| Position::of(&self.world));
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
                    early = Some(Position::of(&self.world));
                }
            }
            if let Some(world) = self.trail.pop_before(branch, here) {
                self.world = world;
                return true;
            }
            if let Some(early) = early.filter(|early| *early < here) {
                // The last step had more events than the kept worlds cover.
                self.go_to(early);
                return true;
            }
        }
        self.world = start;
        false
    }

    /// Seeks a position of the current branch.
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
        // Stop at its instant: several idle rounds may be skipped at once.
        while self.world.steps() < place.steps && self.replay_step(place.now_ms) {}
        self.world.pass_to(place.now_ms);
    }

    /// Moves the cursor to the latest kept world for which `before` holds, unless the cursor is later. Keeps the
    /// world at the head.
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

    /// Replays one recorded step, not later than `until_ms`; returns false if there is none.
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

    /// In debug builds, compares a replayed world with the one kept at the same position.
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

/// Returns whether nothing has happened yet.
pub(super) fn is_empty(world: &World) -> bool {
    world.steps() == 0 && world.now_ms() == 0
}
