//! One line per step: the reason for its status.
//!
//! *Cost*: small and without a walk; a view requests it for every step.

use super::process::BARRED;
use super::rivals::dying;
use crate::scheduler::Scheduler;
use crate::scheduler::delays::Delay;
use crate::scheduler::offers::evaluate::outcome::nearest;
use crate::scheduler::plans::{Action, Plan, PlanKind};
use crate::scheduler::state::OverrideTarget;
use planarium_plan::{Element, Holder, Reason, Status, StepId};

/// Words one step in a line.
#[derive(Clone, Copy)]
pub(crate) struct Brief<'a> {
    scheduler: &'a Scheduler,
    plan: &'a Plan,
    holder: Holder,
}

impl<'a> Brief<'a> {
    /// A step of a plan.
    pub(crate) fn new(scheduler: &'a Scheduler, plan: &'a Plan, holder: Holder) -> Self {
        Self { scheduler, plan, holder }
    }

    /// One line on the step; empty when it is complete.
    pub(crate) fn line(self) -> String {
        let status = self.plan.tree.status(Element::Step(self.holder.step));
        if let Some(line) = self.scheduler.exit_line().filter(|_| status != Status::Complete) {
            return line;
        }
        match status {
            Status::Complete => String::new(),
            Status::Starting | Status::Started | Status::InProgress => self.task(),
            Status::Delayed => self.delay(),
            Status::Prepared => match self.reason() {
                Some(held) => held,
                None => self.action().unwrap_or_else(|| self.offers()),
            },
            Status::Pending | Status::Waiting | Status::Error => self.reason().unwrap_or_else(|| self.next()),
        }
    }

    /// The first reason that the tree gives.
    fn reason(self) -> Option<String> {
        let held_by = self.scheduler.plans.withheld.get(&self.holder).copied();
        let reasons = self.plan.tree.why(Element::Step(self.holder.step), held_by);
        reasons.into_iter().find_map(|reason| self.words(reason))
    }

    fn words(self, reason: Reason) -> Option<String> {
        let plan = self.plan;
        Some(match reason {
            Reason::Errored { element: Element::Step(step) } => {
                let text = plan.tree.step_error(step).map_or("", |text| &**text);
                text.lines().next().unwrap_or("has an error").to_owned()
            }
            Reason::Errored { .. } => "held up by an error in its phase or plan".to_owned(),
            Reason::Unnamed { .. } => "held up by a delayed step".to_owned(),
            Reason::Interrupted { held: Element::Plan } if plan.kind == PlanKind::Custom => {
                "waits until an operator starts the plan".to_owned()
            }
            Reason::Interrupted { held: Element::Plan } => "plan interrupted by an operator".to_owned(),
            Reason::Interrupted { .. } => "phase interrupted by an operator".to_owned(),
            Reason::CanaryGate { proceeds_left: 1 } => "canary: waits for one continue".to_owned(),
            Reason::CanaryGate { proceeds_left } => format!("canary: waits for {proceeds_left} continues"),
            Reason::NotItsTurn { waiting_for } => turn(plan, self.holder, &waiting_for),
            Reason::DirtyAsset { held_by } => {
                format!("pod in use by plan {}", self.scheduler.plans.get(held_by.plan)?.tree.plan_name())
            }
            Reason::Running | Reason::Delayed | Reason::Candidate | Reason::Children { .. } => return None,
        })
    }

    fn task(self) -> String {
        let Some(data) = self.plan.step(self.holder.step) else { return String::new() };
        let Some(requirement) = &data.requirement else { return String::new() };
        let open = data.tasks.iter().find(|task| task.state != planarium_plan::StepState::Complete);
        let Some(task) = open else { return String::new() };
        let name = requirement.key.task(&task.task);
        let Some(record) = self.scheduler.state.tasks.named(&name) else { return String::new() };
        let Some(status) = &record.status else { return String::new() };
        let goal = requirement.pod.spec.task(&task.task).map(|spec| spec.goal);
        if record.goal.target == OverrideTarget::Paused {
            return format!("{name} is paused by an operator");
        }
        match (status.state, goal) {
            ("TASK_RUNNING", Some(crate::spec::Goal::Running)) => format!("{name} is not ready yet"),
            ("TASK_RUNNING", _) => format!("{name} runs until it exits with 0"),
            _ => format!("{name} is starting on {}", record.at.hostname),
        }
    }

    fn delay(self) -> String {
        let requirement = self.plan.step(self.holder.step).and_then(|data| data.requirement.clone());
        let now = self.scheduler.time_of_last_change();
        let delays = requirement.iter().flat_map(|requirement| requirement.task_names());
        let until =
            delays.filter_map(|task| self.scheduler.backoff.running(task, now)).map(Delay::until).max();
        until.map_or_else(
            || "delayed after a failure".to_owned(),
            |until| format!("delayed until {until} after a failure"),
        )
    }

    fn offers(self) -> String {
        let Some(data) = self.plan.step(self.holder.step) else { return String::new() };
        if let Some(requirement) = &data.requirement
            && let Some(dying) = dying(self.scheduler, requirement).first()
        {
            return format!("waits for {} to end", dying.name);
        }
        let nearest = self.scheduler.outcomes(self.holder).and_then(|(_, outcomes)| nearest(&outcomes));
        nearest.map_or_else(|| "waits for offers".to_owned(), |text| format!("no offer fits; {text}"))
    }

    /// One line on a step that launches nothing.
    fn action(self) -> Option<String> {
        match self.plan.step(self.holder.step)?.action.as_deref()? {
            Action::Unreserve { host, pod, .. } => {
                Some(format!("waits for {host} to offer this reservation of {pod}"))
            }
            Action::Deregister => Some("ends the framework in the next cycle".to_owned()),
            _ => None,
        }
    }

    /// One line on a step that is next, or would be.
    fn next(self) -> String {
        if self.scheduler.is_barred() { BARRED.to_owned() } else { "next to be looked at".to_owned() }
    }
}

/// In a serial order the step before it is named, so that the line does not change with every step.
fn turn(plan: &Plan, holder: Holder, waiting_for: &[Element]) -> String {
    match waiting_for.first() {
        Some(phase @ Element::Phase(_)) => format!("waits for phase {}", plan.tree.name(*phase)),
        Some(Element::Step(first)) => {
            let before = holder.step.index().checked_sub(1).map(StepId::at);
            let before = before.filter(|step| {
                plan.tree.phase_of(*step) == plan.tree.phase_of(holder.step)
                    && !plan.tree.status((*step).into()).is_complete()
            });
            format!("waits for {}", plan.tree.name(before.unwrap_or(*first).into()))
        }
        Some(Element::Plan) | None => "waits for its turn".to_owned(),
    }
}
