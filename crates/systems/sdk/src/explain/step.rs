//! Reasons for a step: its turn and holds, then what work on it waits for.

use super::rivals::Rivals;
use super::{Explainer, MaintenanceFacts, next_cycle, reason};
use crate::scheduler::offers::evaluate::outcome::funnel;
use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::{OverrideTarget, StoredStatus, TaskRecord};
use crate::spec::Goal;
use planarium_plan::{self as plan, Element, Holder, Status, StepId, StepState};
use planarium_protocol::why::{Reason, ReasonKind};
use planarium_protocol::{Text, why::OfferFunnel};
use std::sync::Arc;

impl Explainer<'_> {
    /// Reasons for a step.
    pub(super) fn step(&mut self, step: StepId) -> Vec<Reason> {
        let holder = Holder { plan: self.plan, step };
        let Some(plan) = self.scheduler.plans.get(self.plan) else { return Vec::new() };
        let held_by = self.scheduler.plans.withheld.get(&holder).copied();
        let found = plan.tree.why(Element::Step(step), held_by);
        let status = plan.tree.status(Element::Step(step));
        let mut reasons = Vec::new();
        for found in found {
            match found {
                plan::Reason::Running if status == Status::Prepared => {}
                plan::Reason::Running => reasons.extend(self.launched(holder)),
                plan::Reason::Delayed => reasons.extend(self.delayed(holder)),
                plan::Reason::Candidate => {}
                other => reasons.extend(self.tree_reason(Element::Step(step), other)),
            }
        }
        let free = reasons.is_empty() && matches!(status, Status::Pending | Status::Prepared);
        if free || status == Status::Prepared {
            reasons.extend(self.waiting(holder, status));
        }
        reasons
    }

    /// That a step's task was paused by an operator after the step was complete.
    pub(super) fn paused_after_all(&mut self, step: StepId) -> Option<Reason> {
        let holder = Holder { plan: self.plan, step };
        let requirement = self.scheduler.plans.step(holder)?.requirement.clone()?;
        let is_paused = |name: &Text| {
            let record = self.scheduler.state.tasks.named(name);
            record.is_some_and(|record| record.goal.target == OverrideTarget::Paused)
        };
        let task = requirement.task_names().iter().find(|name| is_paused(name))?.clone();
        self.remedies.resume(&requirement);
        let held = self.scheduler.path(holder.plan, Element::Step(holder.step));
        let text = format!("The step was complete; after that an operator paused {task}");
        Some(reason(text, None, ReasonKind::Interrupted { held }))
    }

    /// Reasons for a launched step, task by task.
    fn launched(&mut self, holder: Holder) -> Vec<Reason> {
        let Some(data) = self.scheduler.plans.step(holder) else { return Vec::new() };
        let Some(requirement) = data.requirement.clone() else { return Vec::new() };
        let tasks: Vec<_> =
            data.tasks.iter().filter(|task| task.state != StepState::Complete).cloned().collect();
        let rivals = Rivals { scheduler: self.scheduler };
        let mut reasons = Vec::new();
        for task in tasks {
            let name = requirement.key.task(&task.task);
            let Some(record) = self.scheduler.state.tasks.named(&name).filter(|record| record.id == task.id)
            else {
                continue;
            };
            let Some(status) = record.status.clone() else { continue };
            let record = record.clone();
            let goal = requirement.pod.spec.task(&task.task).map_or(Goal::Running, |spec| spec.goal);
            reasons.extend(rivals.ending(holder, &record));
            reasons.extend(self.task(holder, &requirement, &record, &status, goal));
        }
        reasons
    }

    fn task(
        &mut self,
        holder: Holder,
        requirement: &Requirement,
        record: &TaskRecord,
        status: &StoredStatus,
        goal: Goal,
    ) -> Vec<Reason> {
        let task = record.name.clone();
        let event = self.scheduler.state.tasks.event_of(record);
        let mut reasons = Vec::new();
        let manual = self.facts.is_manual(&record.id);
        if record.goal.target == OverrideTarget::Paused {
            let held = self.scheduler.path(holder.plan, Element::Step(holder.step));
            let text = format!(
                "An operator paused {task}: it runs the pause command, whose readiness check never passes"
            );
            self.remedies.resume(requirement);
            return vec![reason(text, event, ReasonKind::Interrupted { held })];
        }
        match (status.state, goal) {
            ("TASK_RUNNING", Goal::Running) => {
                let known = self.facts.readiness(&record.id);
                let attempts = known.map_or(status.readiness_seen, |known| known.attempts);
                let last_exit = known.map_or(status.readiness_exit, |known| known.last_exit);
                let next_ms = known.and_then(|known| known.next_ms);
                let so_far = match (attempts, last_exit) {
                    (0, _) => "no result yet".to_owned(),
                    (1, Some(code)) => format!("1 attempt, exit code {code}"),
                    (n, Some(code)) => format!("{n} attempts, last exit code {code}"),
                    (n, None) => format!("{n} attempts without an exit code"),
                };
                let text = match last_exit {
                    // The machine knows of it, the scheduler does not.
                    Some(0) => format!(
                        "{task} runs and its readiness check has passed, but no status has told the scheduler: its machine is \
                         cut off, or status updates are dropped"
                    ),
                    _ => format!("{task} runs, but its readiness check has not passed: {so_far}"),
                };
                let kind = ReasonKind::Readiness { task: task.clone(), attempts, last_exit, next_ms };
                reasons.push(reason(text, event, kind));
                self.remedies.readiness(holder, requirement, record);
            }
            ("TASK_RUNNING", goal) => {
                let text = format!("{task} runs; its goal is {}: it has to exit with code 0", goal.as_str());
                let kind = ReasonKind::AwaitingExit { task: task.clone(), goal: goal.as_str().into() };
                reasons.push(reason(text, event, kind));
                self.remedies.exit(holder, record, manual);
            }
            (state, _) => {
                let agent = record.at.hostname.clone();
                let text = format!("{task} was launched on {agent} and is {}", short(state));
                let kind = ReasonKind::Starting { task: task.clone(), agent, state: state.into() };
                reasons.push(reason(text, event, kind));
                self.remedies.start(holder, record);
            }
        }
        if manual {
            let text = format!("You control {task} by hand");
            reasons.push(reason(text, None, ReasonKind::Manual { task }));
        }
        reasons
    }

    /// Delays of the step's tasks.
    fn delayed(&mut self, holder: Holder) -> Vec<Reason> {
        let requirement = self.scheduler.plans.step(holder).and_then(|data| data.requirement.clone());
        let Some(requirement) = requirement else { return Vec::new() };
        let now = self.scheduler.time_of_last_change();
        let mut reasons = Vec::new();
        for task in requirement.task_names() {
            let Some(delay) = self.scheduler.backoff.running(task, now) else { continue };
            let text = format!("{task} failed and is not launched again before {}", delay.until());
            let (until_ms, delay_ms) = (delay.until().ms(), delay.size_ms());
            let kind = ReasonKind::Backoff { task: task.clone(), until_ms, delay_ms };
            reasons.push(reason(text, Some(delay.event), kind));
        }
        self.remedies.restart(holder);
        reasons
    }

    /// Reasons for a step whose turn it is: old tasks, offers, the next cycle.
    fn waiting(&mut self, holder: Holder, status: Status) -> Vec<Reason> {
        let data = self.scheduler.plans.step(holder);
        if let Some(action) = data.and_then(|data| data.action.clone()) {
            return self.acting(holder, &action, status);
        }
        let requirement = data.and_then(|data| data.requirement.clone());
        let Some(requirement) = requirement else { return vec![next_cycle(self.scheduler)] };
        let rivals = Rivals { scheduler: self.scheduler };
        let mut reasons = Vec::new();
        reasons.extend(rivals.killing(holder, &requirement));
        reasons.extend(rivals.ended(holder, &requirement));
        if let Some(barred) = self.barred() {
            reasons.push(barred);
            return reasons;
        }
        if status == Status::Pending {
            reasons.push(next_cycle(self.scheduler));
        }
        match self.funnel(holder) {
            Some(funnel) if !funnel.agents.is_empty() => {
                let text = funnel_text(&funnel);
                self.remedies.offer(&requirement, &funnel);
                reasons.push(reason(text, None, ReasonKind::NoMatchingOffer { funnel }));
            }
            _ if status == Status::Prepared => reasons.push(self.no_offers(&requirement)),
            _ => {}
        }
        // What has not been looked at yet is new work, for which offers are asked for again.
        if status == Status::Prepared {
            reasons.extend(self.declined(holder, &requirement));
        }
        reasons.extend(self.maintenance(&requirement));
        reasons
    }

    /// A pod's reservations are on a machine that makes no offers because of maintenance. The real scheduler ignores
    /// unavailability, so a planned window is not a reason.
    fn maintenance(&mut self, requirement: &Requirement) -> Vec<Reason> {
        let stored =
            self.scheduler.state.tasks.pod(&requirement.key).into_iter().flat_map(|tasks| tasks.values());
        let mut homes: Vec<Text> = stored.map(|task| task.at.hostname.clone()).collect();
        planarium_kernel::sorted::sort(&mut homes);
        homes.dedup();
        // A pod that may go anywhere lacks every machine that is out.
        let tied = !homes.is_empty() && !self.scheduler.state.tasks.is_flagged(&requirement.key);
        let agents = if tied { homes } else { self.facts.out_of_offers() };
        let mut reasons = Vec::new();
        for agent in agents {
            let Some(MaintenanceFacts { state, remedy }) = self.facts.maintenance(&agent) else { continue };
            let what = match &*state {
                "down" => "DOWN for maintenance and may not register".to_owned(),
                state => format!("{state} and makes no offers"),
            };
            let text = if tied {
                format!(
                    "{agent}, where its reservations are, is {what}; the scheduler knows nothing of maintenance and \
                     waits for it"
                )
            } else {
                format!("{agent} is {what}")
            };
            reasons.push(reason(text, None, ReasonKind::Maintenance { agent, state }));
            if let Some((title, input)) = remedy {
                self.remedies.add(title.to_string(), Some(input));
            }
        }
        reasons
    }

    fn funnel(&self, holder: Holder) -> Option<OfferFunnel> {
        let (at, outcomes) = self.scheduler.outcomes(holder)?;
        let since = self.scheduler.plans.step(holder)?.look.as_ref()?.at;
        let fresh: Vec<Arc<_>> = outcomes.into_iter().filter(|outcome| !outcome.passed).collect();
        Some(OfferFunnel { at_ms: since.ms(), ..funnel(at, &fresh) })
    }

    fn no_offers(&mut self, requirement: &Requirement) -> Reason {
        let scheduler = self.scheduler;
        let text = if !scheduler.is_subscribed() {
            "the scheduler is not registered with the master".to_owned()
        } else if scheduler.is_reconciling() {
            "the scheduler first waits for the statuses of its tasks".to_owned()
        } else if let Some(text) = self.facts.offer_drought(scheduler.name()) {
            text
        } else if scheduler.offers.revive.is_suppressed() {
            "the scheduler told the master to send none".to_owned()
        } else if !scheduler.offers.open.is_empty() {
            format!("{} offers wait for the next cycle", scheduler.offers.open.len())
        } else {
            "the master has sent none since the scheduler asked".to_owned()
        };
        if scheduler.offers.open.is_empty() {
            self.remedies.drought(requirement);
        } else if let Some(at) = scheduler.next_cycle() {
            let text = format!("{text}, at {at}");
            return reason(text, None, ReasonKind::NextCycle { at_ms: at.ms() });
        }
        reason(format!("There was no offer: {text}"), None, ReasonKind::NoOffers { text: text.into() })
    }
}

fn short(state: &str) -> &str {
    state.strip_prefix("TASK_").unwrap_or(state)
}

fn funnel_text(funnel: &OfferFunnel) -> String {
    let count = funnel.agents.len();
    let machines = if count == 1 { "1 machine was".to_owned() } else { format!("{count} machines were") };
    let nearest = funnel.nearest.as_ref().map(|nearest| format!("; {nearest}")).unwrap_or_default();
    format!("No offer fits: {machines} looked at{nearest}")
}
