//! Changes of states and holds: the owner's reports and the operator's commands.
//!
//! *Knows*: what each operation changes. *Must not know*: whether a command is permitted now, which [`crate::admit`]
//! decides.
//!
//! **Source**: `…/scheduler/plan/` (`AbstractStep`, `DefaultPhase`, `DefaultPlan`, `CanaryStrategy`) and
//! `…/http/queries/PlansQueries.java`. Match: interrupt and proceed touch the named element only;
//! force-complete and restart touch all steps below and no hold.

use std::sync::Arc;

use crate::{
    group::Child,
    ids::{Element, PhaseId, StepId},
    status::{Status, StepState},
    tree::PlanTree,
};

impl PlanTree {
    /// Sets a step's state.
    pub fn set_step_state(&mut self, step: StepId, state: StepState) {
        let applied = self.apply_step(step, |child| Child::of_step(state, child.is_held()));
        self.settle(applied);
    }

    /// Gives a step an error text and puts it into [`StepState::Error`], or takes the text away and
    /// leaves the state.
    pub fn set_step_error(&mut self, step: StepId, error: Option<Arc<str>>) {
        let Some(phase) = self.phase_of(step) else { return };
        let has = error.is_some();
        let had = match error {
            Some(text) => self.step_errors.insert(step, text),
            None => self.step_errors.remove(&step),
        };
        if let Some(row) = self.phases.get_mut(phase) {
            row.errors = row.errors.saturating_add(u32::from(has)).saturating_sub(u32::from(had.is_some()));
        }
        if has {
            self.apply_step(step, |child| Child::of_step(StepState::Error, child.is_held()));
        }
        self.settle_all(phase);
    }

    /// Sets the errors of the plan itself.
    pub fn set_plan_errors(&mut self, errors: Vec<Arc<str>>) {
        self.errors = errors;
        self.settle_plan();
    }

    /// Interrupts an element; nothing below it is touched, and steps under way go on. A phase whose
    /// canary period lasts ignores it. Answers whether anything changed.
    pub fn interrupt(&mut self, element: Element) -> bool {
        match element {
            Element::Plan => self.hold_plan(true),
            Element::Phase(phase) => !self.in_canary(phase) && self.hold_phase(phase, true),
            Element::Step(step) => self.hold_step(step, true),
        }
    }

    /// Releases an element; nothing below it is touched, except that a phase whose canary period lasts
    /// releases its next canary step instead. Answers whether anything changed.
    pub fn proceed(&mut self, element: Element) -> bool {
        match element {
            Element::Plan => self.hold_plan(false),
            Element::Phase(id) => match self.next_canary_step(id) {
                Some(step) => self.hold_step(step, false),
                None => self.hold_phase(id, false),
            },
            Element::Step(step) => self.hold_step(step, false),
        }
    }

    /// Marks every step of an element complete.
    pub fn force_complete(&mut self, element: Element) {
        self.set_states(element, StepState::Complete);
    }

    /// Sets every step of an element back to pending. Holds are not touched; the operator's restart
    /// command is [`PlanTree::proceed_and_restart`].
    pub fn restart(&mut self, element: Element) {
        self.set_states(element, StepState::Pending);
    }

    /// The operator's restart: proceeds that element only and restarts all its steps. On a canary phase the proceed
    /// releases the next canary step; an interrupted plan is started.
    ///
    /// Both happen at once: the serial order fixed at the end of a canary period is fixed among the restarted steps.
    ///
    /// **Source**: `…/http/queries/PlansQueries.java (restart)`: the plan is not read between its two calls. Match.
    pub fn proceed_and_restart(&mut self, element: Element) {
        match element {
            Element::Plan => self.interrupted = false,
            Element::Phase(id) => match self.next_canary_step(id) {
                Some(step) => _ = self.apply_step(step, |child| Child::of_step(child.state(), false)),
                None => {
                    if let Some(phase) = self.phases.get_mut(id) {
                        phase.interrupted = false;
                    }
                }
            },
            Element::Step(step) => {
                let applied = self.apply_step(step, |_| Child::of_step(StepState::Pending, false));
                return self.settle(applied);
            }
        }
        self.restart(element);
    }

    /// The canary step that the next proceed of a phase releases.
    fn next_canary_step(&self, id: PhaseId) -> Option<StepId> {
        let phase = self.phase(id)?;
        let next = phase.canary.next(|position| phase.canary_step(position))?;
        Some(phase.step_at(next))
    }

    /// The operator's start: a complete plan is restarted, then the plan proceeds.
    pub fn start(&mut self) {
        if self.status(Element::Plan) == Status::Complete {
            self.restart(Element::Plan);
        }
        self.proceed(Element::Plan);
    }

    /// The operator's stop: the plan is interrupted, and every step restarted.
    pub fn stop(&mut self) {
        self.interrupt(Element::Plan);
        self.restart(Element::Plan);
    }

    fn set_states(&mut self, element: Element, state: StepState) {
        match element {
            Element::Plan => {
                for place in 0..self.order.len() {
                    if let Some(phase) = self.order.get(place).copied() {
                        self.set_phase_states(phase, state);
                    }
                }
                self.settle_plan();
            }
            Element::Phase(phase) => {
                self.set_phase_states(phase, state);
                self.settle_plan();
            }
            Element::Step(step) => self.set_step_state(step, state),
        }
    }

    fn set_phase_states(&mut self, phase: PhaseId, state: StepState) {
        for step in self.steps(phase) {
            self.apply_step(step, |child| Child::of_step(state, child.is_held()));
        }
        self.settle_phase(phase);
    }

    fn hold_plan(&mut self, interrupted: bool) -> bool {
        let changed = self.interrupted != interrupted;
        self.interrupted = interrupted;
        self.settle_plan();
        changed
    }

    fn hold_phase(&mut self, id: PhaseId, interrupted: bool) -> bool {
        if self.phase(id).is_none_or(|phase| phase.interrupted == interrupted) {
            return false;
        }
        let Some(phase) = self.phases.get_mut(id) else { return false };
        phase.interrupted = interrupted;
        self.settle_all(id);
        true
    }

    fn hold_step(&mut self, step: StepId, interrupted: bool) -> bool {
        let applied = self.apply_step(step, |child| Child::of_step(child.state(), interrupted));
        self.settle(applied);
        applied.changed
    }
}
