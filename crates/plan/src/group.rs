//! The children of one parent: their statuses, the candidates among them, and tallies of both.
//!
//! *Knows*: statuses, eligibility and the strategy's gate. *Must not know*: whether the children are phases or steps.
//!
//! A child is a *candidate* if its gate is open and it is eligible. *Cost*: a change touches two counters, at most
//! one bit, and the gates it opens or closes.
//!
//! **Source**: `…/plan/PlanUtils.java` (eligibility: not complete, not ERROR, not interrupted). Match;
//! dirty assets are looked at when candidates are collected.

use planarium_kernel::cow::bytes_of;

use crate::{
    bits::BitTree,
    spec::StrategySpec,
    status::{Status, StepState, Tally},
    strategy::{Gate, random::Random, serial::Serial},
};

/// One child as its parent sees it: its status, whether it is eligible, and the state and hold of a step. One byte, so that a
/// change is looked up and compared at once, and a copy of a plan weighs little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Child(u8);

impl Child {
    const STATUS: u8 = 0b1111;
    const ELIGIBLE: u8 = 1 << 4;
    /// A step that is held.
    const HELD: u8 = 1 << 6;
    /// A held step that is prepared: it shows the same status as one that is pending.
    const PREPARED: u8 = 1 << 7;

    /// A phase with this status, held or not.
    pub(crate) const fn of_phase(status: Status, interrupted: bool) -> Self {
        let eligible = !interrupted && !matches!(status, Status::Complete | Status::Error);
        Self(status as u8 | if eligible { Self::ELIGIBLE } else { 0 })
    }

    /// A step in this state, held or not.
    pub(crate) fn of_step(state: StepState, interrupted: bool) -> Self {
        const CHILDREN: [Child; 16] = {
            use Status::{Complete, Delayed, Error, Pending, Prepared, Started, Starting, Waiting};
            [
                Child::free(Pending),
                Child::held(Waiting),
                Child::free(Prepared),
                Child(Child::held(Waiting).0 | Child::PREPARED),
                Child::free(Starting),
                Child::held(Starting),
                Child::free(Started),
                Child::held(Started),
                Child::free(Complete),
                Child::held(Complete),
                Child::free(Delayed),
                Child::held(Delayed),
                Child::free(Error),
                Child::held(Error),
                Child::free(Error),
                Child::held(Error),
            ]
        };
        CHILDREN.get(state.stored(interrupted)).copied().unwrap_or(Self::held(Status::Error))
    }

    const fn free(status: Status) -> Self {
        Self::of_phase(status, false)
    }

    const fn held(status: Status) -> Self {
        Self(Self::of_phase(status, true).0 | Self::HELD)
    }

    /// The stored state of a step.
    pub(crate) fn state(self) -> StepState {
        match self.status() {
            Status::Waiting if self.0 & Self::PREPARED == 0 => StepState::Pending,
            Status::Pending => StepState::Pending,
            Status::Waiting | Status::Prepared => StepState::Prepared,
            Status::Starting => StepState::Starting,
            Status::Started => StepState::Started,
            Status::Complete => StepState::Complete,
            Status::Delayed => StepState::Delayed,
            Status::Error | Status::InProgress => StepState::Error,
        }
    }

    /// Returns whether this step is held.
    pub(crate) const fn is_held(self) -> bool {
        self.0 & Self::HELD != 0
    }

    /// Returns whether a parent sees no difference: status and eligibility are the same.
    const fn shows_as(self, other: Self) -> bool {
        (self.0 ^ other.0) & (Self::STATUS | Self::ELIGIBLE) == 0
    }

    pub(crate) fn status(self) -> Status {
        Status::nth(self.nth())
    }

    /// The number of its status.
    const fn nth(self) -> u8 {
        self.0 & Self::STATUS
    }

    /// Returns whether work on this step is under way.
    pub(crate) const fn is_working(self) -> bool {
        const WORKING: u16 =
            1 << Status::Prepared as u8 | 1 << Status::Starting as u8 | 1 << Status::Started as u8;
        WORKING >> self.nth() & 1 != 0
    }

    pub(crate) const fn is_eligible(self) -> bool {
        self.0 & Self::ELIGIBLE != 0
    }

    pub(crate) const fn is_complete(self) -> bool {
        self.0 & Self::STATUS == Status::Complete as u8
    }
}

/// The children of one parent.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    gate: Gate,
    pool: Pool,
}

/// The children with their counts.
#[derive(Debug, Clone)]
struct Pool {
    children: Vec<GatedChild>,
    candidates: BitTree,
    tally: Tally,
}

/// A child as its parent keeps it: with a bit that is set if the siblings permit it to run.
#[derive(Debug, Clone, Copy)]
struct GatedChild(u8);

impl GatedChild {
    const OPEN: u8 = 1 << 5;
    const CANDIDATE: u8 = Self::OPEN | Child::ELIGIBLE;

    /// A child whose gate is closed.
    const fn closed(child: Child) -> Self {
        Self(child.0)
    }

    const fn child(self) -> Child {
        Child(self.0 & !Self::OPEN)
    }

    const fn is_open(self) -> bool {
        self.0 & Self::OPEN != 0
    }

    const fn is_candidate(self) -> bool {
        self.0 & Self::CANDIDATE == Self::CANDIDATE
    }

    /// Another child behind the same gate.
    const fn with(self, child: Child) -> Self {
        Self(self.0 & Self::OPEN | child.0)
    }
}

impl Group {
    /// The group of these children. A serial strategy fixes its order now, unless `frozen` is false.
    pub(crate) fn new(strategy: &StrategySpec, children: &[Child], frozen: bool) -> Self {
        let complete: Vec<bool> = children.iter().map(|child| child.is_complete()).collect();
        let gated = children.iter().copied().map(GatedChild::closed).collect();
        let mut tally = Tally::default();
        for child in children {
            tally.add(child.status(), false);
        }
        let pool = Pool { children: gated, candidates: BitTree::with_len(children.len()), tally };
        let mut group = Self { gate: Gate::new(strategy, &complete), pool };
        if frozen {
            group.freeze();
        }
        group.open_gates();
        group.draw(false);
        group
    }

    /// Draws another child for a random strategy if the drawn one is no longer eligible, or if `anew` is set. Returns
    /// true if that child was not drawn since the last change.
    fn draw(&mut self, anew: bool) -> bool {
        let Self { gate: Gate::Random(random), pool } = self else { return false };
        let before = random.pick();
        let holds = |at: usize| pool.children.get(at).is_some_and(|gated| gated.child().is_eligible());
        if !anew && before.is_some_and(holds) {
            return false;
        }
        let eligible: Vec<usize> = pool.eligible().collect();
        let fresh = random.draw(&eligible);
        let after = random.pick();
        if let Some(at) = before.filter(|_| before != after) {
            pool.set_open(at, false);
        }
        if let Some(at) = after {
            pool.set_open(at, true);
        }
        fresh
    }

    /// A random strategy draws again; true when that child was not drawn since the last change.
    pub(crate) fn redraw(&mut self) -> bool {
        self.draw(true)
    }

    /// The random strategy's state.
    pub(crate) const fn random(&self) -> Option<&Random> {
        match &self.gate {
            Gate::Random(random) => Some(random),
            Gate::Parallel | Gate::Serial(_) | Gate::Dependency(_) => None,
        }
    }

    /// Returns whether the order of a serial strategy is still to be fixed.
    pub(crate) fn is_thawed(&self) -> bool {
        self.serial().is_some_and(|serial| !serial.is_frozen())
    }

    /// Fixes the order of a serial strategy, once.
    pub(crate) fn freeze(&mut self) {
        if let Gate::Serial(serial) = &mut self.gate
            && !serial.is_frozen()
        {
            serial.freeze(self.pool.children.iter().map(|gated| gated.child().is_complete()));
            self.open_gates();
        }
    }

    fn open_gates(&mut self) {
        for position in 0..self.pool.children.len() {
            self.pool.set_open(position, self.gate.is_open(position));
        }
    }

    /// Adds a child at the end.
    pub(crate) fn push(&mut self, child: Child) {
        let position = self.pool.children.len();
        self.pool.children.push(GatedChild::closed(child));
        self.pool.candidates.grow(position + 1);
        self.pool.tally.add(child.status(), false);
        match &mut self.gate {
            Gate::Parallel => {}
            Gate::Serial(serial) => serial.push(position, child.is_complete()),
            Gate::Dependency(dependency) => dependency.push(),
            Gate::Random(random) => random.grow(position + 1),
        }
        self.pool.set_open(position, self.gate.is_open(position));
        self.draw(false);
    }

    /// Removes a child if the strategy lets all run at once; returns false and changes nothing with another one.
    pub(crate) fn remove(&mut self, position: usize) -> bool {
        if !matches!(self.gate, Gate::Parallel) {
            return false;
        }
        self.pool.remove(position);
        true
    }

    /// Records a child's present status; returns whether the set of statuses has changed, among the children or among
    /// the candidates.
    #[inline]
    pub(crate) fn set(&mut self, position: usize, child: Child) -> bool {
        let before = self.pool.tally.bits();
        let Some(was) = self.pool.replace(position, child) else { return false };
        if !matches!(self.gate, Gate::Parallel) {
            self.tell_gate(position, was, child);
        }
        before != self.pool.tally.bits()
    }

    /// Reports a changed child to the strategy.
    fn tell_gate(&mut self, position: usize, was: Child, child: Child) {
        let complete = child.is_complete();
        if was.is_complete() != complete {
            self.complete_changed(position, complete);
        }
        if let Gate::Random(random) = &mut self.gate {
            random.changed(self.pool.children.len());
            self.draw(false);
        }
    }

    fn complete_changed(&mut self, position: usize, complete: bool) {
        let Self { gate, pool, .. } = self;
        match gate {
            Gate::Parallel | Gate::Random(_) => {}
            Gate::Serial(serial) => {
                let shift = serial.complete_changed(position, complete);
                if let Some(closed) = shift.closed {
                    pool.set_open(closed, false);
                }
                if let Some(opened) = shift.opened {
                    pool.set_open(opened, true);
                }
            }
            Gate::Dependency(dependency) => {
                dependency.complete_changed(position, complete, |child, open| pool.set_open(child, open));
            }
        }
    }

    /// Returns the shown status of a child.
    pub(crate) fn child(&self, position: usize) -> Option<Child> {
        self.pool.children.get(position).map(|gated| gated.child())
    }

    /// Returns whether the siblings permit this child to run.
    pub(crate) fn is_open(&self, position: usize) -> bool {
        self.pool.children.get(position).is_some_and(|gated| gated.is_open())
    }

    /// All children in order.
    pub(crate) fn children(&self) -> impl Iterator<Item = Child> {
        self.pool.children.iter().map(|gated| gated.child())
    }

    pub(crate) fn len(&self) -> usize {
        self.pool.children.len()
    }

    /// Estimates the bytes of a copy: the children, and a bit of each in three sets.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_of::<GatedChild>(self.len()) + self.len() as u64 * 3 / 8
    }

    /// Returns the numbers of children and candidates with each status.
    pub(crate) const fn tally(&self) -> &Tally {
        &self.pool.tally
    }

    /// Positions of the candidates in order.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = usize> {
        self.pool.candidates.iter()
    }

    /// Siblings that this child waits for.
    pub(crate) fn waits_for(&self, position: usize) -> Vec<usize> {
        match &self.gate {
            Gate::Parallel => Vec::new(),
            Gate::Random(random) => random.pick().filter(|pick| *pick != position).into_iter().collect(),
            Gate::Serial(serial) if self.is_open(position) || !serial.is_member(position) => Vec::new(),
            Gate::Serial(serial) => serial.frontier().into_iter().collect(),
            Gate::Dependency(dependency) => dependency
                .prerequisites(position)
                .filter(|p| self.child(*p).is_some_and(|child| !child.is_complete()))
                .collect(),
        }
    }

    /// The serial strategy's state, for checks.
    pub(crate) const fn serial(&self) -> Option<&Serial> {
        match &self.gate {
            Gate::Serial(serial) => Some(serial),
            Gate::Parallel | Gate::Dependency(_) | Gate::Random(_) => None,
        }
    }

    /// The dependency strategy's prerequisites of a child, for checks.
    pub(crate) fn prerequisites(&self, position: usize) -> Vec<usize> {
        match &self.gate {
            Gate::Dependency(dependency) => dependency.prerequisites(position).collect(),
            Gate::Parallel | Gate::Serial(_) | Gate::Random(_) => Vec::new(),
        }
    }
}

impl Pool {
    /// Positions of the children that might run.
    fn eligible(&self) -> impl Iterator<Item = usize> {
        self.children.iter().enumerate().filter(|(_, gated)| gated.child().is_eligible()).map(|(at, _)| at)
    }

    fn set_open(&mut self, position: usize, open: bool) {
        let Some(gated) = self.children.get_mut(position) else { return };
        if gated.is_open() == open {
            return;
        }
        gated.0 ^= GatedChild::OPEN;
        let child = gated.child();
        if child.is_eligible() {
            self.tally.set_candidate(child.status(), open);
            self.set_candidate(position, open);
        }
    }

    /// Replaces a child; returns the previous one if a parent sees a difference.
    #[inline]
    fn replace(&mut self, position: usize, child: Child) -> Option<Child> {
        let gated = self.children.get_mut(position)?;
        let before = std::mem::replace(gated, gated.with(child));
        let was = before.child();
        if was.shows_as(child) {
            return None;
        }
        let (was_candidate, is_candidate) = (before.is_candidate(), gated.is_candidate());
        self.tally.exchange(was.nth(), was_candidate, child.nth(), is_candidate);
        if was_candidate != is_candidate {
            self.set_candidate(position, is_candidate);
        }
        Some(was)
    }

    /// Removes a child; later ones move up.
    fn remove(&mut self, position: usize) {
        if position >= self.children.len() {
            return;
        }
        let gone = self.children.remove(position);
        self.tally.sub(gone.child().status(), gone.is_candidate());
        self.candidates.close_gap(position);
    }

    fn set_candidate(&mut self, position: usize, candidate: bool) {
        if candidate {
            self.candidates.insert(position);
        } else {
            self.candidates.remove(position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_without_a_child_is_like_one_that_never_had_it() {
        use Status::{Complete, Error, Pending, Started};
        let statuses = [Pending, Complete, Started, Pending, Error];
        let children: Vec<Child> = (0..200).map(|n| Child::of_phase(statuses[n % 5], n % 7 == 0)).collect();
        for position in [0, 1, 63, 64, 65, 127, 128, 198, 199] {
            let mut group = Group::new(&StrategySpec::Parallel, &children, true);
            assert!(group.remove(position));
            let mut left = children.clone();
            left.remove(position);
            let fresh = Group::new(&StrategySpec::Parallel, &left, true);
            assert!(group.children().eq(fresh.children()) && group.candidates().eq(fresh.candidates()));
            assert_eq!((group.tally(), group.len()), (fresh.tally(), 199));
        }
        let mut serial = Group::new(&StrategySpec::Serial, &children, true);
        assert!(!serial.remove(3) && serial.len() == 200);
    }

    #[test]
    fn a_child_holds_state_hold_and_status_of_a_step() {
        for state in StepState::ALL {
            for held in [false, true] {
                let child = Child::of_step(state, held);
                let shown = Child::of_phase(state.status(held), held);
                assert!(child.shows_as(shown) && child.status() == shown.status(), "{state:?} {held}");
                assert_eq!((child.state(), child.is_held()), (state, held));
                for open in [false, true] {
                    let mut gated = GatedChild::closed(child);
                    gated.0 |= if open { GatedChild::OPEN } else { 0 };
                    assert_eq!((gated.child(), gated.is_open()), (child, open));
                    assert_eq!(gated.is_candidate(), open && child.is_eligible());
                }
            }
        }
    }
}
