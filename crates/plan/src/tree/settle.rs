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
    tree::{Change, PhaseRow, PlanTree, StepRow},
};

impl PlanTree {
    /// Changes one step's stored state and hold; returns the phase if that must be settled, and whether anything
    /// changed. A plain phase in which the same statuses occur as before need not be settled: its own status depends
    /// on nothing else.
    pub(super) fn apply_step(
        &mut self,
        step: StepId,
        change: impl FnOnce(StepRow) -> (StepState, bool),
    ) -> Applied {
        let Some(row) = self.steps.get_mut(step.index()) else { return Applied::NOTHING };
        let before = *row;
        let (state, interrupted) = change(before);
        if (before.state, before.interrupted) == (state, interrupted) {
            return Applied::NOTHING;
        }
        let phase = self.phases.get_mut(before.phase.index()).and_then(Option::as_mut);
        let Some(phase) = phase.filter(|phase| phase.place.is_some()).map(Arc::make_mut) else {
            return Applied::NOTHING;
        };
        row.state = state;
        row.interrupted = interrupted;
        let (from, to) = (before.status(), state.status(interrupted));
        if from != to {
            if is_working(from) != is_working(to) {
                set_working(&mut self.working, step, to);
            }
            self.changes.push(Change { element: Element::Step(step), from, to });
        }
        let other = phase.group.set(phase.position_of(step), Child::of_step(state, interrupted));
        Applied { changed: true, settle: (other || !phase.canary.is_empty()).then_some(before.phase) }
    }

    /// Derives a phase's status again and updates the plan's group.
    pub(super) fn settle_phase(&mut self, id: PhaseId) {
        let rollup = self.head.rollup;
        let Some(phase) = self.row(id) else { return };
        let (bits, interrupted) = if phase.canary.is_empty() {
            (plain_bits(phase), phase.interrupted)
        } else {
            self.settle_canary(id)
        };
        let phase = self.phases.get_mut(id.index()).and_then(Option::as_mut).map(Arc::make_mut);
        let Some(phase) = phase else { return };
        let Some(place) = phase.place.filter(|_| phase.rolled != bits) else { return };
        phase.rolled = bits;
        let (from, to) = (phase.status, rollup.evaluate_bits(bits));
        phase.status = to;
        if from != to {
            self.changes.push(Change { element: Element::Phase(id), from, to });
        }
        self.group.set(place as usize, Child::new(to, interrupted));
    }

    /// Updates a canary phase: its roll-up, and whether it is interrupted.
    fn settle_canary(&mut self, id: PhaseId) -> (u32, bool) {
        let over = self.phase(id).is_some_and(|phase| !self.canary_open(phase));
        if let Some(phase) = self.row_mut(id).filter(|_| over) {
            // The inner strategy is asked for the first time now.
            phase.group.freeze();
        }
        self.phase(id).map_or((0, false), |phase| self.rolled(phase))
    }

    /// Returns the roll-up inputs of a phase, and whether it is interrupted.
    fn rolled(&self, phase: &PhaseRow) -> (u32, bool) {
        if phase.canary.is_empty() {
            return (plain_bits(phase), phase.interrupted);
        }
        let interrupted = self.phase_interrupted(phase);
        let inputs = RollupInputs {
            children: phase.group.tally().set(),
            candidates: self.canary_candidates(phase),
            errors: phase.errors > 0,
            interrupted,
        };
        (inputs.bits(), interrupted)
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

    /// Statuses of a canary phase's candidates.
    fn canary_candidates(&self, phase: &PhaseRow) -> StatusSet {
        if !self.canary_open(phase) {
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

    /// Adds the rows of a phase and its steps; the phase has no place yet.
    pub(super) fn create_phase(&mut self, spec: Arc<crate::spec::PhaseSpec>) -> PhaseId {
        let id = PhaseId::at(self.phases.len());
        let first = StepId::at(self.steps.len());
        let states: Vec<StepState> = spec
            .steps
            .iter()
            .map(|step| if step.error.is_some() { StepState::Error } else { step.initial })
            .collect();
        let canary = crate::strategy::canary::Canary::arm(
            spec.strategy.proceeds().unwrap_or(0),
            states.iter().map(|state| *state == StepState::Pending),
        );
        self.working.grow(self.steps.len() + states.len());
        let mut children = Vec::with_capacity(states.len());
        let mut errors = 0;
        for ((position, state), step_spec) in (0_u32..).zip(states).zip(&spec.steps) {
            let step = StepId(first.0.saturating_add(position));
            let interrupted = !canary.is_empty() && canary.holds(position);
            let row = StepRow { phase: id, state, interrupted };
            self.steps.push(row);
            set_working(&mut self.working, step, row.status());
            children.push(Child::new(row.status(), interrupted));
            if let Some(error) = &step_spec.error {
                errors += 1;
                self.step_errors.insert(step, Arc::clone(error));
            }
        }
        let group = Group::new(&spec.strategy, &children, canary.is_empty());
        self.phases.push(Some(Arc::new(PhaseRow {
            spec,
            first: first.0,
            place: None,
            interrupted: false,
            canary,
            group,
            status: Status::Complete,
            rolled: 0,
            errors,
        })));
        id
    }

    /// Places a phase and derives its status, without the plan's group.
    pub(super) fn place_phase(&mut self, id: PhaseId, place: usize) {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        let Some(row) = self.row_mut(id) else { return };
        row.place = Some(place);
        let Some(phase) = self.phase(id) else { return };
        let (bits, _) = self.rolled(phase);
        let status = self.head.rollup.evaluate_bits(bits);
        if let Some(phase) = self.row_mut(id) {
            phase.rolled = bits;
            phase.status = status;
        }
    }

    /// Builds the plan's group from its phases; a serial order is fixed again.
    pub(super) fn regroup(&mut self) {
        let children: Vec<Child> = self.order.iter().filter_map(|phase| self.as_child(*phase)).collect();
        self.group = Group::new(&self.head.strategy, &children, true);
    }

    /// A phase as the plan sees it.
    pub(super) fn as_child(&self, phase: PhaseId) -> Option<Child> {
        let phase = self.phase(phase)?;
        Some(Child::new(phase.status, self.phase_interrupted(phase)))
    }

    /// Debug builds compare all derived values with recomputed ones, at a cost of at most a constant factor: after
    /// every call in a small tree, after every n-th call in one of n steps.
    #[cfg(debug_assertions)]
    fn debug_check(&mut self) {
        self.since_check += 1;
        if self.steps.len() <= 64 || self.since_check >= self.steps.len() as u64 {
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

const fn is_working(status: Status) -> bool {
    matches!(status, Status::Prepared | Status::Starting | Status::Started)
}

#[inline]
fn set_working(working: &mut BitTree, step: StepId, status: Status) {
    if is_working(status) {
        working.insert(step.index());
    } else {
        working.remove(step.index());
    }
}
