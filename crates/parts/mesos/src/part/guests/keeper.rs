//! Frameworks that keep copies of something and plan ahead, for teaching.
//!
//! *replicate* is a datastore of two copies, never both on one machine; *move* is one task with its own volume. Before a
//! machine is taken away, both start a copy on a machine that stays, and then end the one that must leave. They agree to
//! leave a machine once they have a replacement, and decline before. A datastore needs a minute to copy its data: with less
//! time left it declines and stays.
//!
//! Source: `apache/mesos: docs/maintenance.md` (examples of what frameworks may do). Ours.

use crate::api::{
    Call, InverseOffer, Offer, OfferId, Operation, Persistence, Reservation, Resource, Resources,
    SchedulerEvent, TaskInfo, TaskState, TaskStatus, Unavailability,
};
use crate::maintenance::Response;
use planarium_kernel::Milli;
use planarium_protocol::Text;
use std::sync::Arc;

/// Needs of a copy: cpus, and MiB of memory and disk.
const NEEDS: [(&str, Milli); 3] = [("cpus", Milli(100)), ("mem", Milli(32_000)), ("disk", Milli(100_000))];
/// Time that a datastore takes to copy its data.
const COPY_NS: i64 = 60_000_000_000;
/// Time for which a subscriber that agreed is not asked again.
const PROMISE_MS: u64 = 3_600_000;

/// Kinds of kept values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Two copies of some data.
    Datastore,
    /// One task with a volume.
    Stateful,
}

/// A copy.
#[derive(Clone, Debug)]
struct Copy {
    task: Text,
    agent: Text,
    /// Id of its volume, when it has one.
    volume: Option<Text>,
    running: bool,
    /// Another one is to take its place.
    leaving: bool,
    /// Its end was asked for.
    killed: bool,
}

/// A framework that keeps copies.
#[derive(Clone, Debug)]
pub(super) struct Keeper {
    kept: Kept,
    name: Text,
    copies: Vec<Copy>,
    launched: u32,
    suppressed: bool,
    /// Volumes no longer in use, and their agents.
    left: Vec<(Text, Text)>,
}

impl Keeper {
    pub(super) fn new(kept: Kept, name: &str) -> Self {
        Self { kept, name: name.into(), copies: Vec::new(), launched: 0, suppressed: false, left: Vec::new() }
    }

    /// Returns its answers to an event at this instant, in nanoseconds since 1970.
    pub(super) fn on_event(&mut self, event: &SchedulerEvent, now_ns: i64) -> Vec<Call> {
        match event {
            SchedulerEvent::Offers(offers) => self.on_offers(offers, now_ns),
            SchedulerEvent::Update(status) => self.on_status(status),
            SchedulerEvent::InverseOffers(offers) => self.on_inverse_offers(offers, now_ns),
            SchedulerEvent::Subscribed { .. } => {
                // A new subscription is offered everything.
                self.suppressed = false;
                Vec::new()
            }
            SchedulerEvent::Failure { agent_id, .. } => {
                self.left.retain(|(_, agent)| agent != agent_id);
                Vec::new()
            }
            SchedulerEvent::Rescind(_)
            | SchedulerEvent::Operation(_)
            | SchedulerEvent::RescindInverseOffer(_) => Vec::new(),
        }
    }

    const fn wanted(&self) -> usize {
        match self.kept {
            Kept::Datastore => 2,
            Kept::Stateful => 1,
        }
    }

    fn wants_a_copy(&self) -> bool {
        self.copies.iter().filter(|copy| !copy.leaving).count() < self.wanted()
    }

    /// Plans replacements for tasks on a machine that will be taken away, if there is enough time.
    fn plan(&mut self, agent: &Text, unavailability: Unavailability, now_ns: i64) {
        let late = unavailability.start_ns.saturating_sub(now_ns) < COPY_NS;
        if self.kept == Kept::Datastore && late {
            return;
        }
        for copy in self.copies.iter_mut().filter(|copy| copy.agent == *agent) {
            copy.leaving = true;
        }
    }

    /// Cancels the replacements for a machine that stays, unless they already run.
    fn stay(&mut self, agent: &Text) {
        while self.wants_a_copy() {
            let here = |copy: &&mut Copy| copy.agent == *agent && copy.leaving && !copy.killed;
            let Some(copy) = self.copies.iter_mut().find(here) else { return };
            copy.leaving = false;
        }
    }

    fn on_offers(&mut self, offers: &[Arc<Offer>], now_ns: i64) -> Vec<Call> {
        for offer in offers {
            match offer.unavailability {
                Some(unavailability) => self.plan(&offer.agent_id, unavailability, now_ns),
                None => self.stay(&offer.agent_id),
            }
        }
        let (mut calls, mut declined) = (Vec::new(), Vec::new());
        for offer in offers {
            let mut operations = self.clean(offer);
            if offer.unavailability.is_none() && self.wants_a_copy() {
                operations.extend(self.copy_to(offer));
            }
            if operations.is_empty() {
                declined.push(offer.id);
            } else {
                calls.push(Call::Accept { offer_ids: vec![offer.id], operations, refuse_ms: None });
            }
        }
        if !declined.is_empty() {
            calls.push(Call::Decline { offer_ids: declined, refuse_ms: None });
        }
        if !self.wants_offers() && !self.suppressed {
            self.suppressed = true;
            calls.push(Call::Suppress { roles: Vec::new() });
        }
        calls
    }

    fn wants_offers(&self) -> bool {
        self.wants_a_copy() || !self.left.is_empty()
    }

    /// Returns the operations that destroy unused volumes.
    fn clean(&mut self, offer: &Offer) -> Vec<Operation> {
        let used = |id: &Text| self.copies.iter().any(|copy| copy.volume.as_ref() == Some(id));
        let volumes: Vec<Resource> = offer
            .resources
            .iter()
            .filter(|resource| resource.persistence().is_some_and(|volume| !used(&volume.id)))
            .cloned()
            .collect();
        if volumes.is_empty() {
            return Vec::new();
        }
        let destroyed =
            |id: &Text| volumes.iter().any(|one| one.persistence().is_some_and(|volume| volume.id == *id));
        self.left.retain(|(id, _)| !destroyed(id));
        let disk = volumes.iter().map(Resource::without_volume).collect();
        vec![Operation::Destroy(volumes), Operation::Unreserve(disk)]
    }

    /// One copy more, where there is room and none yet.
    fn copy_to(&mut self, offer: &Offer) -> Vec<Operation> {
        if self.copies.iter().any(|copy| copy.agent == offer.agent_id) {
            return Vec::new();
        }
        let part = |(name, amount): (&str, Milli)| {
            let fits = |resource: &&Resource| {
                &*resource.name == name && resource.reservations.is_empty() && resource.amount() >= amount
            };
            offer.resources.iter().find(fits).map(|resource| resource.with_scalar(amount))
        };
        let Some(mut parts) = NEEDS.into_iter().map(part).collect::<Option<Vec<Resource>>>() else {
            return Vec::new();
        };
        self.launched += 1;
        let task: Text = format!("{}.{}", self.name, self.launched).into();
        let (mut operations, mut volume) = (Vec::new(), None);
        // Without a role of its own, a framework cannot reserve anything.
        if self.kept == Kept::Stateful
            && &*offer.role != "*"
            && let Some(disk) = parts.last_mut()
        {
            let reserved = disk.pushed(Reservation::dynamic(offer.role.clone(), None));
            let made = reserved.with_volume(Persistence {
                id: task.clone(),
                principal: None,
                container_path: "data".into(),
            });
            *disk = made.clone();
            volume = Some(task.clone());
            operations = vec![Operation::Reserve(vec![reserved]), Operation::Create(vec![made])];
        }
        self.copies.push(Copy {
            task: task.clone(),
            agent: offer.agent_id.clone(),
            volume,
            running: false,
            leaving: false,
            killed: false,
        });
        let resources: Resources = parts.into_iter().collect();
        let task = TaskInfo { name: self.name.clone(), task_id: task, resources, ..TaskInfo::default() };
        operations.push(Operation::Launch(vec![task]));
        operations
    }

    /// Answers inverse offers: agrees if nothing would be lost.
    fn on_inverse_offers(&mut self, offers: &[Arc<InverseOffer>], now_ns: i64) -> Vec<Call> {
        let (mut agreed, mut declined): (Vec<OfferId>, Vec<OfferId>) = (Vec::new(), Vec::new());
        for offer in offers {
            self.plan(&offer.agent_id, offer.unavailability, now_ns);
        }
        for offer in offers {
            let mut here = self.copies.iter().filter(|copy| copy.agent == offer.agent_id).peekable();
            let free = here.peek().is_none() || (here.all(|copy| copy.leaving) && !self.wants_a_copy());
            if free { &mut agreed } else { &mut declined }.push(offer.id);
        }
        let mut calls = Vec::new();
        for (offer_ids, response, refuse_ms) in
            [(agreed, Response::Accept, Some(PROMISE_MS)), (declined, Response::Decline, None)]
        {
            if !offer_ids.is_empty() {
                calls.push(Call::AnswerInverseOffers { offer_ids, response, refuse_ms });
            }
        }
        calls.extend(self.revive());
        calls
    }

    /// Asks for offers if they are suppressed and needed.
    fn revive(&mut self) -> Option<Call> {
        let revives = self.wants_offers() && self.suppressed;
        self.suppressed &= !revives;
        revives.then_some(Call::Revive { roles: Vec::new() })
    }

    fn on_status(&mut self, status: &TaskStatus) -> Vec<Call> {
        let of = |copy: &&mut Copy| copy.task == status.task_id;
        if status.state.is_terminal() || status.state == TaskState::Unreachable {
            let there = !matches!(status.state, TaskState::Lost | TaskState::Unreachable);
            for copy in self.copies.iter().filter(|copy| copy.task == status.task_id && there) {
                self.left.extend(copy.volume.clone().map(|id| (id, copy.agent.clone())));
            }
            self.copies.retain(|copy| copy.task != status.task_id);
        } else if let Some(copy) = self.copies.iter_mut().find(of) {
            copy.running = status.state == TaskState::Running;
        }
        let mut calls = Vec::new();
        if self.copies.iter().filter(|copy| copy.running && !copy.leaving).count() >= self.wanted() {
            for copy in self.copies.iter_mut().filter(|copy| copy.leaving && !copy.killed) {
                copy.killed = true;
                calls.push(Call::Kill { task_id: copy.task.clone(), agent_id: None, grace_ms: None });
            }
        }
        calls.extend(self.revive());
        calls
    }
}
