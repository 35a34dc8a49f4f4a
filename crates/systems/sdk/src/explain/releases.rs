//! Reasons for steps that launch nothing: what the release of a reservation waits for.

use super::{Explainer, next_cycle, reason};
use crate::scheduler::Scheduler;
use crate::scheduler::plans::Action;
use crate::scheduler::state::TaskRecord;
use planarium_plan::{Holder, Status};
use planarium_protocol::Text;
use planarium_protocol::why::{Reason, ReasonKind};

impl Explainer<'_> {
    /// Reasons for a step without a pod whose turn it is.
    pub(super) fn acting(&mut self, holder: Holder, action: &Action, status: Status) -> Vec<Reason> {
        let Action::Unreserve { id, host, .. } = action else { return vec![next_cycle(self.scheduler)] };
        if status == Status::Pending {
            return vec![next_cycle(self.scheduler)];
        }
        let scheduler = self.scheduler;
        let mut reasons = Vec::new();
        let absent = self.facts.machine_state(host);
        if absent.is_none()
            && let Some(task) = living_user(scheduler, id)
        {
            let text = format!("{} still uses it: the kill is on its way", task.name);
            let tasks: Vec<Text> = vec![task.name.clone()];
            reasons.push(reason(
                text,
                scheduler.state.tasks.event_of(task),
                ReasonKind::Killing { tasks, by: None },
            ));
        }
        let why = match absent {
            Some(state) => format!("{host} is {state}, and only {host} can offer the reservation"),
            None => match self.facts.offer_drought(scheduler.name()).or_else(|| self.declined_until(host)) {
                Some(text) => text,
                None => format!("{host} has not offered the reservation yet"),
            },
        };
        let text = format!("A reservation is given back only out of an offer that holds it: {why}");
        reasons.push(reason(text, None, ReasonKind::NoOffers { text: why.into() }));
        self.remedies.reservation(holder, host);
        reasons
    }
}

/// A task that is to end and still uses a reservation.
fn living_user<'a>(scheduler: &'a Scheduler, id: &str) -> Option<&'a TaskRecord> {
    let uses = |task: &&TaskRecord| task.held.iter().chain(task.executor.iter()).any(|h| *h.id == *id);
    let mut dying =
        scheduler.state.tasks.tasks().filter(|task| task.is_alive() && scheduler.killer.contains(&task.id));
    dying.find(uses)
}
