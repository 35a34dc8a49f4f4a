//! Reasons for steps that launch nothing: what a reservation to be given back waits for.

use super::{Explainer, reason};
use crate::scheduler::Scheduler;
use crate::scheduler::action::Action;
use crate::scheduler::store::TaskRecord;
use planarium_plan::{Holder, Status};
use planarium_protocol::Text;
use planarium_protocol::why::{Reason, ReasonKind};

impl Explainer<'_> {
    /// What a step without a pod waits for when it is its turn.
    pub(super) fn acting(&mut self, holder: Holder, action: &Action, status: Status) -> Vec<Reason> {
        let Action::Unreserve { id, host, .. } = action else { return vec![self.next_cycle()] };
        if status == Status::Pending {
            return vec![self.next_cycle()];
        }
        let scheduler = self.scheduler;
        let mut reasons = Vec::new();
        let absent = self.facts.machine_state(host);
        if absent.is_none()
            && let Some(task) = scheduler.living_user(id)
        {
            let text = format!("{} still uses it: the kill is on its way", task.name);
            let tasks: Vec<Text> = vec![task.name.clone()];
            reasons.push(reason(text, task_event(task), ReasonKind::Killing { tasks, by: None }));
        }
        let why = match absent {
            Some(state) => format!("{host} is {state}, and only {host} can offer the reservation"),
            None => match self.facts.offer_drought(&scheduler.name).or_else(|| self.declined_until(host)) {
                Some(text) => text,
                None => format!("{host} has not offered the reservation yet"),
            },
        };
        let text = format!("A reservation is given back only out of an offer that holds it: {why}");
        reasons.push(reason(text, None, ReasonKind::NoOffers { text: why.into() }));
        self.reservation_remedies(holder, host);
        reasons
    }
}

fn task_event(task: &TaskRecord) -> Option<u64> {
    task.status.as_ref().map(|status| status.event)
}

impl Scheduler {
    /// A task that is to end and still uses a reservation.
    fn living_user(&self, id: &str) -> Option<&TaskRecord> {
        let uses = |task: &&TaskRecord| task.held.iter().chain(task.executor.iter()).any(|h| *h.id == *id);
        self.store.tasks().filter(|task| task.is_alive() && self.kills.contains(&task.id)).find(uses)
    }

    /// One line on a step that launches nothing.
    pub(super) fn brief_action(&self, holder: Holder) -> Option<String> {
        match self.step_data(holder)?.action.as_deref()? {
            Action::Unreserve { host, pod, .. } => {
                Some(format!("waits for {host} to offer this reservation of {pod}"))
            }
            Action::Deregister => Some("ends the framework in the next cycle".to_owned()),
            _ => None,
        }
    }
}
