//! Reasons that lie with tasks on the resource sets that a step needs: kills on their way, and steps of other plans.
//!
//! *Knows*: which step ends which task. *Must not know*: offers.

use super::{element_ref, reason, sentences};
use crate::scheduler::Scheduler;
use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::TaskRecord;
use planarium_plan::{Element, Holder};
use planarium_protocol::Text;
use planarium_protocol::why::{Reason, ReasonKind};

/// Finds the rivals of steps.
#[derive(Clone, Copy)]
pub(super) struct Rivals<'a> {
    pub(super) scheduler: &'a Scheduler,
}

impl Rivals<'_> {
    /// A task of this step is being ended for the sake of another plan's step.
    pub(super) fn ending(self, holder: Holder, record: &TaskRecord) -> Option<Reason> {
        let kill = self.scheduler.killer.of(&record.id)?;
        let by = kill.by.filter(|by| *by != holder)?;
        let text = format!("{} ends {}: {}", self.step_of_plan(by), record.name, rivalry(record));
        let by = Some(element_ref(self.scheduler, by.plan, Element::Step(by.step)));
        Some(reason(text, None, ReasonKind::Killing { tasks: vec![record.name.clone()], by }))
    }

    /// Another plan's step had a task of this step ended.
    pub(super) fn ended(self, holder: Holder, requirement: &Requirement) -> Option<Reason> {
        let data = self.scheduler.plans.step(holder)?;
        let (task, by) = data.tasks.iter().find_map(|task| Some((task, task.ended_by?)))?;
        let record = self.scheduler.state.tasks.task(&requirement.key, &task.task)?;
        let (name, event) = (record.name.clone(), self.scheduler.state.tasks.event_of(record));
        let text = format!("{} ended {name}: {}", self.step_of_plan(by), rivalry(record));
        let by = element_ref(self.scheduler, by.plan, Element::Step(by.step));
        Some(reason(text, event, ReasonKind::Ended { task: name, by }))
    }

    fn step_of_plan(self, holder: Holder) -> String {
        let path = self.scheduler.path(holder.plan, Element::Step(holder.step));
        format!("{} of plan {}", sentences::called(&path), path.plan)
    }

    /// Tasks that must end before the step launches its own.
    pub(super) fn killing(self, holder: Holder, requirement: &Requirement) -> Option<Reason> {
        let dying = dying(self.scheduler, requirement);
        let tasks: Vec<Text> = dying.iter().map(|task| task.name.clone()).collect();
        if tasks.is_empty() {
            return self.rival(holder, requirement);
        }
        let text = match dying.iter().find_map(|task| Some((*task, self.rival_plan(holder, task)?))) {
            Some((task, plan)) => {
                format!(
                    "{} of plan {plan} must end first: {}, and the kill is on its way",
                    tasks.join(", "),
                    rivalry(task)
                )
            }
            None => format!("{} must end first: the kill is on its way", tasks.join(", ")),
        };
        Some(reason(text, None, ReasonKind::Killing { tasks, by: None }))
    }

    /// Another plan's step launched a task on a resource set that this one needs, and its end was not requested yet.
    fn rival(self, holder: Holder, requirement: &Requirement) -> Option<Reason> {
        let sets: Vec<&Text> = requirement.task_specs().map(|spec| &spec.resource_set.id).collect();
        let stored = self.scheduler.state.tasks.pod(&requirement.key)?;
        let mut alive = stored.values().filter(|task| task.is_alive() && sets.contains(&&task.set));
        let (task, plan) = alive.find_map(|task| Some((task, self.rival_plan(holder, task)?)))?;
        let text = format!(
            "{} of plan {plan} must end first: {}, and the next cycle ends it",
            task.name,
            rivalry(task)
        );
        Some(reason(text, None, ReasonKind::Killing { tasks: vec![task.name.clone()], by: None }))
    }

    /// The other plan whose step launched a task and still waits for it.
    fn rival_plan(self, holder: Holder, task: &TaskRecord) -> Option<Text> {
        let other = self.scheduler.plans.step_waiting_for(task).filter(|other| other.plan != holder.plan)?;
        let unreachable = task.status.as_ref().is_some_and(|status| status.state == "TASK_UNREACHABLE");
        let at_work = !unreachable && !self.scheduler.plans.step_status(other).is_complete();
        at_work.then(|| self.scheduler.path(other.plan, Element::Plan).plan)
    }
}

/// Returns tasks of a pod whose kill was requested. Unreachable tasks are left out: they cannot be told to end, and
/// the pod waits for another offer.
pub(super) fn dying<'a>(scheduler: &'a Scheduler, requirement: &Requirement) -> Vec<&'a TaskRecord> {
    let unreachable =
        |task: &TaskRecord| task.status.as_ref().is_some_and(|status| status.state == "TASK_UNREACHABLE");
    let stored = scheduler.state.tasks.pod(&requirement.key).into_iter().flat_map(|tasks| tasks.values());
    let is_dying =
        |task: &&TaskRecord| task.is_alive() && scheduler.killer.contains(&task.id) && !unreachable(task);
    stored.filter(is_dying).collect()
}

/// The resource set that two steps which end each other's tasks share, in words.
fn rivalry(task: &TaskRecord) -> String {
    format!("both use the resource set {} of pod {}", task.set, task.pod.name())
}
