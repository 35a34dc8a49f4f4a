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

/// One child as its parent sees it: its status, and whether it is eligible. One byte, so that a change is
/// looked up and compared at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Child(u8);

impl Child {
    const STATUS: u8 = 0b1111;
    const ELIGIBLE: u8 = 1 << 4;

    /// A child with this status, held or not.
    pub(crate) const fn new(status: Status, interrupted: bool) -> Self {
        let eligible = !interrupted && !matches!(status, Status::Complete | Status::Error);
        Self(status as u8 | if eligible { Self::ELIGIBLE } else { 0 })
    }

    /// A step in this state, held or not.
    pub(crate) fn of_step(state: StepState, interrupted: bool) -> Self {
        const CHILDREN: [Child; 16] = {
            use Status::{Complete, Delayed, Error, Pending, Prepared, Started, Starting, Waiting};
            let (free, held) = (false, true);
            [
                Child::new(Pending, free),
                Child::new(Waiting, held),
                Child::new(Prepared, free),
                Child::new(Waiting, held),
                Child::new(Starting, free),
                Child::new(Starting, held),
                Child::new(Started, free),
                Child::new(Started, held),
                Child::new(Complete, free),
                Child::new(Complete, held),
                Child::new(Delayed, free),
                Child::new(Delayed, held),
                Child::new(Error, free),
                Child::new(Error, held),
                Child::new(Error, free),
                Child::new(Error, held),
            ]
        };
        CHILDREN.get(state.stored(interrupted)).copied().unwrap_or(Self::new(Status::Error, true))
    }

    pub(crate) fn status(self) -> Status {
        Status::nth(self.0 & Self::STATUS)
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

/// A child as its parent keeps it.
#[derive(Debug, Clone, Copy)]
struct GatedChild {
    child: Child,
    /// Set if the siblings permit it to run.
    open: bool,
}

impl Group {
    /// The group of these children. A serial strategy fixes its order now, unless `frozen` is false.
    pub(crate) fn new(strategy: &StrategySpec, children: &[Child], frozen: bool) -> Self {
        let complete: Vec<bool> = children.iter().map(|child| child.is_complete()).collect();
        let gated = children.iter().map(|child| GatedChild { child: *child, open: false }).collect();
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
        let holds = |at: usize| pool.children.get(at).is_some_and(|gated| gated.child.is_eligible());
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

    /// Fixes the order of a serial strategy, once.
    pub(crate) fn freeze(&mut self) {
        if let Gate::Serial(serial) = &mut self.gate
            && !serial.is_frozen()
        {
            serial.freeze(self.pool.children.iter().map(|gated| gated.child.is_complete()));
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
        self.pool.children.push(GatedChild { child, open: false });
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

    /// Records a child's present status; returns whether the set of statuses has changed, among the children or among
    /// the candidates.
    #[inline]
    pub(crate) fn set(&mut self, position: usize, child: Child) -> bool {
        let before = self.pool.tally.bits();
        let Some(was) = self.pool.replace(position, child) else { return false };
        let complete = child.is_complete();
        if was.is_complete() != complete && !matches!(self.gate, Gate::Parallel) {
            self.complete_changed(position, complete);
        }
        if let Gate::Random(random) = &mut self.gate {
            random.changed(self.pool.children.len());
            self.draw(false);
        }
        before != self.pool.tally.bits()
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
        self.pool.children.get(position).map(|gated| gated.child)
    }

    /// Returns whether the siblings permit this child to run.
    pub(crate) fn is_open(&self, position: usize) -> bool {
        self.pool.children.get(position).is_some_and(|gated| gated.open)
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
        self.children.iter().enumerate().filter(|(_, gated)| gated.child.is_eligible()).map(|(at, _)| at)
    }

    fn set_open(&mut self, position: usize, open: bool) {
        let Some(gated) = self.children.get_mut(position) else { return };
        if gated.open == open {
            return;
        }
        gated.open = open;
        if gated.child.is_eligible() {
            self.tally.set_candidate(gated.child.status(), open);
            self.set_candidate(position, open);
        }
    }

    /// Replaces a child; returns the previous one if it differs.
    #[inline]
    fn replace(&mut self, position: usize, child: Child) -> Option<Child> {
        let gated = self.children.get_mut(position)?;
        let was = gated.child;
        if was == child {
            return None;
        }
        gated.child = child;
        let (was_candidate, is_candidate) =
            (gated.open && was.is_eligible(), gated.open && child.is_eligible());
        self.tally.sub(was.status(), was_candidate);
        self.tally.add(child.status(), is_candidate);
        if was_candidate != is_candidate {
            self.set_candidate(position, is_candidate);
        }
        Some(was)
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
    fn a_step_shows_its_status_as_a_child() {
        for state in StepState::ALL {
            for held in [false, true] {
                let child = Child::of_step(state, held);
                assert_eq!(child, Child::new(state.status(held), held), "{state:?} {held}");
                assert_eq!(child.status(), state.status(held));
            }
        }
    }
}
