//! Changes of a living tree's shape, for plans with temporary phases.
//!
//! *Knows*: how ids and positions survive. *Must not know*: why a phase is added or replaced.
//!
//! *Cost*: push, replace and remove O(steps of the phase), plus the plan's bit words for push, and the phases after it
//! for remove; a new strategy, and remove unless all phases run at once, O(phases).

use std::sync::Arc;

use crate::{
    ids::PhaseId,
    spec::{PhaseSpec, StrategySpec},
    tree::{Head, PlanTree},
};

impl PlanTree {
    /// Adds a phase at the end.
    pub fn push_phase(&mut self, spec: impl Into<Arc<PhaseSpec>>) -> PhaseId {
        let id = self.create_phase(spec.into(), self.order.len());
        self.order.push(id);
        if let Some(child) = self.as_child(id) {
            self.group.push(child);
        }
        self.settle_plan();
        id
    }

    /// Puts a new phase in the place of another; the old phase and its steps leave the tree.
    pub fn replace_phase(&mut self, old: PhaseId, spec: impl Into<Arc<PhaseSpec>>) -> Option<PhaseId> {
        let place = self.phases.place(old)? as usize;
        self.retire(old);
        let id = self.create_phase(spec.into(), place);
        if let Some(slot) = self.order.get_mut(place) {
            *slot = id;
        }
        if let Some(child) = self.as_child(id) {
            self.group.set(place, child);
        }
        self.settle_plan();
        Some(id)
    }

    /// Removes a phase and its steps from the tree; returns false if it was not in it. A serial order among the
    /// phases is fixed again.
    pub fn remove_phase(&mut self, phase: PhaseId) -> bool {
        let Some(place) = self.phases.place(phase).map(|place| place as usize) else { return false };
        self.retire(phase);
        self.order.remove(place);
        for (place, other) in self.order.iter().enumerate().skip(place) {
            self.phases.set_place(*other, place);
        }
        if !self.group.remove(place) {
            self.regroup();
        }
        self.settle_plan();
        true
    }

    /// Sets another strategy over the plan's phases. A serial order is fixed again.
    pub fn set_plan_strategy(&mut self, strategy: &StrategySpec) {
        let Head { name, rollup, .. } = &*self.head;
        let head = Head { name: Arc::clone(name), strategy: strategy.base().clone(), rollup: *rollup };
        self.head = Arc::new(head);
        self.regroup();
        self.settle_plan();
    }

    /// Clears a phase's row and stored data: a plan with ever new phases keeps only a few bytes of each.
    fn retire(&mut self, id: PhaseId) {
        for step in self.steps(id) {
            self.step_errors.remove(&step);
            self.working.remove(step.index());
        }
        self.phases.retire(id);
    }
}
