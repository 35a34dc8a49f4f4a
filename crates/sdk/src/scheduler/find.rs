//! Finding elements by path: names first, then ids.

use super::Scheduler;
use super::plan::Plan;
use planarium_plan::{Element, PhaseId, PlanId, StepId};
use planarium_protocol::event::ElementPath;

impl Scheduler {
    /// Finds an element by its path.
    pub(crate) fn find(&self, path: &ElementPath) -> Option<(PlanId, Element)> {
        if path.service != self.name {
            return None;
        }
        let (id, plan) = self.plan_named(&path.plan)?;
        let element = match (&path.phase, &path.step) {
            (None, _) => Element::Plan,
            (Some(phase), None) => Element::Phase(phase_by(plan, phase)?),
            (Some(phase), Some(step)) => Element::Step(step_by(plan, phase_by(plan, phase)?, step)?),
        };
        Some((id, element))
    }
}

/// A phase by name, else by id.
fn phase_by(plan: &Plan, key: &str) -> Option<PhaseId> {
    let has_id = |phase: &PhaseId| plan.phases.get(phase.index()).is_some_and(|data| *data.id == *key);
    plan.tree.phases_named(key).next().or_else(|| plan.tree.phases().find(has_id))
}

/// A step of a phase by name, else by id.
fn step_by(plan: &Plan, phase: PhaseId, key: &str) -> Option<StepId> {
    let has_id = |step: &StepId| plan.step(*step).is_some_and(|data| *data.id == *key);
    plan.tree.steps_named(phase, key).next().or_else(|| plan.tree.steps(phase).find(has_id))
}
