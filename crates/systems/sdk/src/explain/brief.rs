//! One line per step: why it is where it is.
//!
//! *Cost*: small and without a walk; a view asks for every step it shows.

use crate::scheduler::Scheduler;
use crate::scheduler::backoff::Delay;
use crate::scheduler::evaluate::outcome::nearest;
use crate::scheduler::plan::{Plan, PlanKind};
use crate::scheduler::store::OverrideTarget;
use planarium_plan::{Element, Holder, PlanId, Reason, Status, StepId};

impl Scheduler {
    /// One line on a step; empty when it is complete.
    pub(crate) fn brief(&self, id: PlanId, plan: &Plan, step: StepId) -> String {
        let status = plan.tree.status(Element::Step(step));
        let holder = Holder { plan: id, step };
        if let Some(line) = self.exit_line().filter(|_| status != Status::Complete) {
            return line;
        }
        match status {
            Status::Complete => String::new(),
            Status::Starting | Status::Started | Status::InProgress => self.brief_task(holder),
            Status::Delayed => self.brief_delay(holder),
            Status::Prepared => match self.brief_reason(plan, holder) {
                Some(held) => held,
                None => self.brief_action(holder).unwrap_or_else(|| self.brief_offers(holder)),
            },
            Status::Pending | Status::Waiting | Status::Error => {
                self.brief_reason(plan, holder).unwrap_or_else(|| self.brief_next())
            }
        }
    }

    /// The first reason that the tree gives.
    fn brief_reason(&self, plan: &Plan, holder: Holder) -> Option<String> {
        let held_by = self.withheld.get(&holder).copied();
        let reasons = plan.tree.why(Element::Step(holder.step), held_by);
        reasons.into_iter().find_map(|reason| self.brief_words(plan, holder, reason))
    }

    fn brief_words(&self, plan: &Plan, holder: Holder, reason: Reason) -> Option<String> {
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
            Reason::NotItsTurn { waiting_for } => brief_turn(plan, holder, &waiting_for),
            Reason::DirtyAsset { held_by } => {
                format!("pod in use by plan {}", self.plan(held_by.plan)?.tree.plan_name())
            }
            Reason::Running | Reason::Delayed | Reason::Candidate | Reason::Children { .. } => return None,
        })
    }

    fn brief_task(&self, holder: Holder) -> String {
        let Some(data) = self.step_data(holder) else { return String::new() };
        let Some(requirement) = &data.requirement else { return String::new() };
        let open = data.tasks.iter().find(|task| task.state != planarium_plan::StepState::Complete);
        let Some(task) = open else { return String::new() };
        let name = requirement.key.task(&task.task);
        let Some(record) = self.store.named(&name) else { return String::new() };
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

    fn brief_delay(&self, holder: Holder) -> String {
        let requirement = self.step_data(holder).and_then(|data| data.requirement.clone());
        let now = self.time_of_last_change();
        let delays = requirement.iter().flat_map(|requirement| requirement.task_names());
        let until = delays.filter_map(|task| self.backoff.running(task, now)).map(Delay::until).max();
        until.map_or_else(
            || "delayed after a failure".to_owned(),
            |until| format!("delayed until {until} after a failure"),
        )
    }

    fn brief_offers(&self, holder: Holder) -> String {
        let Some(data) = self.step_data(holder) else { return String::new() };
        if let Some(requirement) = &data.requirement
            && let Some(dying) = self.dying(requirement).first()
        {
            return format!("waits for {} to end", dying.name);
        }
        let nearest = self.outcomes(holder).and_then(|(_, outcomes)| nearest(&outcomes));
        nearest.map_or_else(|| "waits for offers".to_owned(), |text| format!("no offer fits; {text}"))
    }
}

/// In a serial order the step before it is named, so that the line does not change with every step.
fn brief_turn(plan: &Plan, holder: Holder, waiting_for: &[Element]) -> String {
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
