//! Finding elements by path: names first, then ids.

use super::{Plan, Plans};
use crate::scheduler::state::TaskStore;
use planarium_plan::{Element, PhaseId, PlanId, StepId};
use planarium_protocol::event::ElementPath;

impl Plans {
    /// Finds an element by its path.
    pub(crate) fn find(&self, path: &ElementPath) -> Option<(PlanId, Element)> {
        if path.service != self.service {
            return None;
        }
        let (id, plan) = self.named(&path.plan)?;
        let element = match (&path.phase, &path.step) {
            (None, _) => Element::Plan,
            (Some(phase), None) => Element::Phase(phase_by(plan, phase)?),
            (Some(phase), Some(step)) => Element::Step(step_by(plan, phase_by(plan, phase)?, step)?),
        };
        Some((id, element))
    }

    /// The word that the view of an element shows, without a view: `PLAN[/PHASE[/STEP]]`, by names or ids.
    pub(crate) fn status_at(&self, element: &str, tasks: &TaskStore) -> Option<&'static str> {
        let mut keys = element.splitn(3, '/');
        let (id, plan) = self.named(keys.next()?)?;
        let Some(key) = keys.next() else { return Some(plan.tree.status(Element::Plan).as_str()) };
        let is_phase = |phase: &PhaseId| {
            *plan.phase_name(*phase) == *key
                || plan.phases.get(phase.index()).is_some_and(|data| *data.id == *key)
        };
        let phase = plan.tree.phases().find(is_phase)?;
        let Some(key) = keys.next() else { return Some(plan.tree.status(Element::Phase(phase)).as_str()) };
        let is_step = |step: &StepId| {
            *plan.step_name(*step) == *key || plan.step(*step).is_some_and(|data| *data.id == *key)
        };
        let step = plan.tree.steps(phase).find(is_step)?;
        Some(self.display_status(id, Element::Step(step), tasks))
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
