//! The coordinator: candidates of all plans, in plan-priority order, so that no two plans work on one asset at a
//! time.
//!
//! *Knows*: plans in order and the assets of their steps. *Must not know*: how a candidate is used.
//!
//! **Source**: `…/scheduler/plan/DefaultPlanCoordinator.java`. Match:
//! 1. Dirty are the assets of steps PREPARED or STARTING in any plan that is not interrupted.
//! 2. Plan by plan, skipping interrupted ones: of the dirty assets, those that conflict with one of the
//!    plan's own running steps do not count for it; its candidates are collected under the rest, and
//!    their assets become dirty too.

use std::cell::RefCell;

use crate::{
    asset::Asset,
    ids::{Element, PlanId, StepId},
    status::Status,
    tree::PlanTree,
};

/// A step of one of the plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Holder {
    /// Which plan.
    pub plan: PlanId,
    /// Which of its steps.
    pub step: StepId,
}

/// A step that would be a candidate if its asset were not dirty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Withheld {
    /// The step that may not run.
    pub step: Holder,
    /// The step that made the asset dirty.
    pub held_by: Holder,
}

/// Result of one round of coordination.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Steps to work on, in order.
    pub candidates: Vec<Holder>,
    /// Steps kept back, in order.
    pub withheld: Vec<Withheld>,
}

impl Outcome {
    /// Returns the holder that keeps a step back, if any.
    pub fn held_by(&self, plan: PlanId, step: StepId) -> Option<Holder> {
        let wanted = Holder { plan, step };
        self.withheld.iter().find(|withheld| withheld.step == wanted).map(|withheld| withheld.held_by)
    }
}

/// One round in progress: begun with the present state of all plans, then fed plan by plan, so that a plan whose
/// phases depend on dirty assets can be updated just before its turn.
///
/// *Cost*: by the active steps and the candidates. A plan is never blocked by its own steps, so assets are compared,
/// and sorted for it, only once a plan asks about those of another.
#[derive(Debug, Clone)]
pub struct Round {
    /// Steps with assets in the order they became known.
    entries: Vec<Entry>,
    /// Number of entries that make their asset dirty, by plan.
    dirty: Vec<u32>,
    /// Their places by asset group, as far as they were put in order.
    groups: RefCell<Groups>,
    outcome: Outcome,
}

/// Entries by asset group. The first entry of a group is in the first free slot after the one given by the group's
/// number, the others are chained to it.
#[derive(Debug, Clone, Default)]
struct Groups {
    /// A power of two, at least twice as many as entries, or none; places of entries, counted from 1.
    slots: Vec<u32>,
    /// The entry after each in its group, counted from 1; 0 after the last.
    next: Vec<u32>,
}

impl Groups {
    /// Files the entries that have been added since the last call.
    fn catch_up(&mut self, entries: &[Entry]) {
        if self.next.len() == entries.len() {
            return;
        }
        if entries.len() * 2 > self.slots.len() {
            self.next.clear();
            self.slots.clear();
            self.slots.resize((entries.len() * 4).next_power_of_two(), 0);
        }
        for (at, entry) in entries.iter().enumerate().skip(self.next.len()) {
            let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
            self.next.push(0);
            let slot = self.slot_of(entries, entry.asset.group());
            let mut last = None;
            let mut member = self.slots.get(slot).copied().unwrap_or(0);
            while member != 0 {
                last = Some(member as usize - 1);
                member = last.and_then(|at| self.next.get(at)).copied().unwrap_or(0);
            }
            let end = match last {
                Some(at) => self.next.get_mut(at),
                None => self.slots.get_mut(slot),
            };
            if let Some(end) = end {
                *end = number;
            }
        }
    }

    /// Returns the slot of a group, or its free slot.
    fn slot_of(&self, entries: &[Entry], group: u32) -> usize {
        let mask = self.slots.len().saturating_sub(1);
        let mut slot = group.wrapping_mul(0x9E37_79B1) as usize & mask;
        let is_other = |first: u32| {
            first != 0 && entries.get(first as usize - 1).is_some_and(|entry| entry.asset.group() != group)
        };
        while self.slots.get(slot).is_some_and(|first| is_other(*first)) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// The entries of a group in the order they became known.
    fn of<'a>(&'a self, entries: &'a [Entry], group: u32) -> impl Iterator<Item = &'a Entry> {
        let first = self.slots.get(self.slot_of(entries, group)).copied().unwrap_or(0);
        std::iter::successors(first.checked_sub(1), |at| self.next.get(*at as usize)?.checked_sub(1))
            .filter_map(|at| entries.get(at as usize))
    }
}

#[derive(Debug, Clone)]
struct Entry {
    holder: Holder,
    asset: Asset,
    /// Set if it makes its asset dirty.
    dirty: bool,
    /// Set if it is one of its plan's running steps.
    running: bool,
}

/// Candidates across plans given in priority order.
pub fn coordinate<'a>(plans: impl IntoIterator<Item = (PlanId, &'a PlanTree)> + Clone) -> Outcome {
    let mut round = Round::begin(plans.clone());
    for (id, plan) in plans {
        round.collect(id, plan);
    }
    round.finish()
}

impl Round {
    /// Begins a round with the present state of all plans.
    pub fn begin<'a>(plans: impl IntoIterator<Item = (PlanId, &'a PlanTree)>) -> Self {
        let mut round = Self {
            entries: Vec::new(),
            dirty: Vec::new(),
            groups: RefCell::default(),
            outcome: Outcome::default(),
        };
        for (id, plan) in plans {
            if plan.is_interrupted(Element::Plan) {
                continue;
            }
            for step in plan.working() {
                let Some(asset) = plan.asset(step) else { continue };
                let dirty = matches!(plan.status(step.into()), Status::Prepared | Status::Starting);
                round.enter(Holder { plan: id, step }, asset, dirty, true);
            }
        }
        round
    }

    /// Returns the step that makes an asset dirty for the given plan, if any: the first dirty asset that conflicts
    /// with it and does not conflict with one of the plan's own running steps.
    pub fn dirty_for(&self, plan: PlanId, asset: &Asset) -> Option<Holder> {
        if !self.has_dirty_besides(plan) {
            return None;
        }
        let mut groups = self.groups.borrow_mut();
        groups.catch_up(&self.entries);
        let entries = || groups.of(&self.entries, asset.group());
        let own = |entry: &&Entry| entry.running && entry.holder.plan == plan;
        let relevant = |dirty: &Entry| !entries().filter(own).any(|e| e.asset.conflicts_with(&dirty.asset));
        entries()
            .find(|entry| entry.dirty && entry.asset.conflicts_with(asset) && relevant(entry))
            .map(|entry| entry.holder)
    }

    /// Returns whether another plan makes any asset dirty. A running step of a plan conflicts with itself and
    /// candidates are entered after the plan's turn: a plan's own steps never count for it.
    fn has_dirty_besides(&self, plan: PlanId) -> bool {
        self.dirty.iter().enumerate().any(|(at, count)| *count > 0 && at != plan.index())
    }

    /// Collects the candidates of the plan whose turn it is; an interrupted plan has none.
    pub fn collect(&mut self, id: PlanId, plan: &PlanTree) {
        let before = self.outcome.candidates.len();
        let free = !self.has_dirty_besides(id);
        for step in plan.candidates() {
            let holder = Holder { plan: id, step };
            if free {
                self.outcome.candidates.push(holder);
                continue;
            }
            match plan.asset(step).and_then(|asset| self.dirty_for(id, asset)) {
                Some(held_by) => self.outcome.withheld.push(Withheld { step: holder, held_by }),
                None => self.outcome.candidates.push(holder),
            }
        }
        // There may be thousands, in every round.
        self.entries.reserve(self.outcome.candidates.len() - before);
        for at in before..self.outcome.candidates.len() {
            let Some(holder) = self.outcome.candidates.get(at).copied() else { break };
            if let Some(asset) = plan.asset(holder.step) {
                self.enter(holder, asset, true, false);
            }
        }
    }

    /// Ends the round.
    pub fn finish(self) -> Outcome {
        self.outcome
    }

    fn enter(&mut self, holder: Holder, asset: &Asset, dirty: bool, running: bool) {
        if dirty {
            let at = holder.plan.index();
            if self.dirty.len() <= at {
                self.dirty.resize(at + 1, 0);
            }
            if let Some(count) = self.dirty.get_mut(at) {
                *count += 1;
            }
        }
        self.entries.push(Entry { holder, asset: asset.clone(), dirty, running });
    }
}
