//! Carrying a change from a step up to the plan.
//!
//! *Invariant*: [`PlanTree::apply_step`] and friends leave the ancestors stale until they are settled;
//! no public call returns before that. Several steps may change before their parents settle once, so
//! a command over a whole phase moves the phase in one transition.

use std::sync::Arc;

use crate::{
    bits::BitTree,
    group::{Child, Group},
    ids::{Element, PhaseId, StepId},
    rollup::{RollupInputs, flags},
    status::{Status, StatusSet, StepState},
    tree::{Change, PhaseRow, PlanTree},
};

impl PlanTree {
    /// Changes one step's stored state and hold; returns the phase if that must be settled, and whether anything
    /// changed. A plain phase in which the same statuses occur as before need not be settled: its own status depends
    /// on nothing else.
    pub(super) fn apply_step(&mut self, step: StepId, change: impl FnOnce(Child) -> Child) -> Applied {
        let Some(id) = self.owners.get(step.index()).copied() else { return Applied::NOTHING };
        let Some(before) = self.phase(id).and_then(|phase| phase.child(step)) else {
            return Applied::NOTHING;
        };
        let after = change(before);
        if before == after {
            return Applied::NOTHING;
        }
        let Some(phase) = self.phases.get_mut(id) else { return Applied::NOTHING };
        let other = phase.group.set(phase.position_of(step), after);
        let settle = (other || !phase.canary.is_empty()).then_some(id);
        let (from, to) = (before.status(), after.status());
        if from != to {
            if before.is_working() != after.is_working() {
                set_working(&mut self.working, step, after);
            }
            self.changes.push(Change { element: Element::Step(step), from, to });
        }
        Applied { changed: true, settle }
    }

    /// Derives a phase's status again and updates the plan's group.
    pub(super) fn settle_phase(&mut self, id: PhaseId) {
        let rollup = self.head.rollup;
        let Some(phase) = self.phase(id) else { return };
        let (bits, interrupted) = if phase.canary.is_empty() {
            (plain_bits(phase), phase.interrupted)
        } else {
            self.settle_canary(id)
        };
        if self.phase(id).is_none_or(|phase| phase.rolled == bits) {
            return;
        }
        let Some(place) = self.phases.place(id) else { return };
        let Some(phase) = self.phases.get_mut(id) else { return };
        phase.rolled = bits;
        let (from, to) = (phase.status, rollup.evaluate_bits(bits));
        phase.status = to;
        if from != to {
            self.changes.push(Change { element: Element::Phase(id), from, to });
        }
        self.group.set(place as usize, Child::of_phase(to, interrupted));
    }

    /// Updates a canary phase: its roll-up, and whether it is interrupted.
    fn settle_canary(&mut self, id: PhaseId) -> (u32, bool) {
        let over = self.phase(id).is_some_and(|phase| !phase.canary_open() && phase.group.is_thawed());
        if let Some(phase) = over.then(|| self.phases.get_mut(id)).flatten() {
            // The inner strategy is asked for the first time now.
            phase.group.freeze();
        }
        self.phase(id).map_or((0, false), rolled)
    }

    /// Derives the plan's status again.
    pub(super) fn settle_plan(&mut self) {
        let errors = !self.errors.is_empty() || !self.step_errors.is_empty();
        let bits = self.group.tally().bits() | flags(errors, self.interrupted);
        if self.rolled != bits {
            self.rolled = bits;
            let (from, to) = (self.status, self.head.rollup.evaluate_bits(bits));
            self.status = to;
            if from != to {
                self.changes.push(Change { element: Element::Plan, from, to });
            }
        }
        self.debug_check();
    }

    /// Settles the consequences of a step's change.
    pub(super) fn settle(&mut self, applied: Applied) {
        match applied.settle {
            Some(phase) => self.settle_all(phase),
            None if applied.changed => self.debug_check(),
            None => {}
        }
    }

    /// Settles one phase and the plan.
    pub(super) fn settle_all(&mut self, phase: PhaseId) {
        self.settle_phase(phase);
        self.settle_plan();
    }

    /// Adds a phase in this place of the plan, with its steps and its status, without the plan's group.
    pub(super) fn create_phase(&mut self, spec: Arc<crate::spec::PhaseSpec>, place: usize) -> PhaseId {
        let id = PhaseId::at(self.phases.len());
        let first = StepId::at(self.owners.len());
        let states: Vec<StepState> = spec
            .steps
            .iter()
            .map(|step| if step.error.is_some() { StepState::Error } else { step.initial })
            .collect();
        let canary = crate::strategy::canary::Canary::arm(
            spec.strategy.proceeds().unwrap_or(0),
            states.iter().map(|state| *state == StepState::Pending),
        );
        self.working.grow(self.owners.len() + states.len());
        self.owners.append(std::iter::repeat_n(id, states.len()));
        let mut children = Vec::with_capacity(states.len());
        let mut errors = 0;
        for ((position, state), step_spec) in (0_u32..).zip(states).zip(&spec.steps) {
            let step = StepId(first.0.saturating_add(position));
            let interrupted = !canary.is_empty() && canary.holds(position);
            let child = Child::of_step(state, interrupted);
            set_working(&mut self.working, step, child);
            children.push(child);
            if let Some(error) = &step_spec.error {
                errors += 1;
                self.step_errors.insert(step, Arc::clone(error));
            }
        }
        let group = Group::new(&spec.strategy, &children, canary.is_empty());
        let mut phase = PhaseRow {
            spec,
            first: first.0,
            interrupted: false,
            canary,
            group,
            status: Status::Complete,
            rolled: 0,
            errors,
        };
        (phase.rolled, _) = rolled(&phase);
        phase.status = self.head.rollup.evaluate_bits(phase.rolled);
        self.phases.push(place, phase);
        id
    }

    /// Builds the plan's group from its phases; a serial order is fixed again.
    pub(super) fn regroup(&mut self) {
        let children: Vec<Child> = self.order.iter().filter_map(|phase| self.as_child(*phase)).collect();
        self.group = Group::new(&self.head.strategy, &children, true);
    }

    /// A phase as the plan sees it.
    pub(super) fn as_child(&self, phase: PhaseId) -> Option<Child> {
        let phase = self.phase(phase)?;
        Some(Child::of_phase(phase.status, phase.is_interrupted()))
    }

    /// Debug builds compare all derived values with recomputed ones, at a cost of at most a constant factor: after
    /// every call in a small tree, after every n-th call in one of n steps.
    #[cfg(debug_assertions)]
    fn debug_check(&mut self) {
        self.since_check += 1;
        if self.owners.len() <= 64 || self.since_check >= self.owners.len() as u64 {
            self.since_check = 0;
            debug_assert_eq!(self.check(), Ok(()), "derived state of a plan tree is stale");
        }
    }

    #[cfg(not(debug_assertions))]
    #[expect(clippy::unused_self, clippy::needless_pass_by_ref_mut, reason = "the shape of the debug build")]
    const fn debug_check(&mut self) {}
}

/// Consequences of a change to one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Applied {
    /// Set if the step's state or hold changed.
    pub(super) changed: bool,
    /// The phase to settle, if any.
    pub(super) settle: Option<PhaseId>,
}

impl Applied {
    const NOTHING: Self = Self { changed: false, settle: None };
}

/// Returns the roll-up inputs of a phase without a canary.
fn plain_bits(phase: &PhaseRow) -> u32 {
    phase.group.tally().bits() | flags(phase.errors > 0, phase.interrupted)
}

/// Returns the roll-up inputs of a phase, and whether it is interrupted.
fn rolled(phase: &PhaseRow) -> (u32, bool) {
    if phase.canary.is_empty() {
        return (plain_bits(phase), phase.interrupted);
    }
    let interrupted = phase.is_interrupted();
    let inputs = RollupInputs {
        children: phase.group.tally().set(),
        candidates: canary_candidates(phase),
        errors: phase.errors > 0,
        interrupted,
    };
    (inputs.bits(), interrupted)
}

/// Statuses of a canary phase's candidates.
fn canary_candidates(phase: &PhaseRow) -> StatusSet {
    if !phase.canary_open() {
        return phase.group.tally().candidate_set();
    }
    phase
        .canary
        .steps()
        .filter_map(|position| phase.group.child(position as usize))
        .filter(|child| child.is_eligible())
        .map(Child::status)
        .collect()
}

#[inline]
fn set_working(working: &mut BitTree, step: StepId, child: Child) {
    if child.is_working() {
        working.insert(step.index());
    } else {
        working.remove(step.index());
    }
}
