//! Frameworks that answer automatically, for teaching.
//!
//! All but *grow* keep one small task running. *accept* and *decline* leave it in place, whatever is planned for its machine,
//! and differ in their answer to inverse offers; *migrate* starts a second task on a machine that is not scheduled for
//! maintenance, and ends the first one when the second runs. All prefer offers of machines that stay, and suppress offers
//! while they have what they need. *grow* launches another task of one whole cpu with every message that offers one, and
//! answers inverse offers like *accept*.

use super::keeper::{Keeper, Kept};
use super::pace::Pace;
use crate::api::{
    Call, InverseOffer, Offer, Operation, Resource, Resources, SchedulerEvent, TaskInfo, TaskState,
    TaskStatus,
};
use crate::maintenance::Response;
use planarium_kernel::Milli;
use planarium_protocol::Text;
use std::sync::Arc;

/// The resources of a task.
#[derive(Clone, Copy, Debug)]
struct Size {
    cpus: Milli,
    mem: Milli,
}

/// Resources of such a framework's task: cpus, and memory in MiB.
const SMALL: Size = Size { cpus: Milli(100), mem: Milli(32_000) };
/// Needs of each task of a growing framework.
const LARGE: Size = Size { cpus: Milli(1_000), mem: Milli(128_000) };
/// Time for which a growing framework avoids a machine without room for a task.
const FULL_MS: u64 = 60_000;
/// Time for which a framework that agreed is not asked again.
const PROMISE_MS: u64 = 3_600_000;

/// A framework's answers to inverse offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Accept,
    Decline,
    Migrate,
    Grow,
}

impl Policy {
    /// Reads the word; inner none is `manual`.
    #[expect(clippy::option_option, reason = "a word that is none is unlike the word for none")]
    fn parse(word: &str) -> Option<Option<Self>> {
        Some(match word {
            "accept" => Some(Self::Accept),
            "decline" => Some(Self::Decline),
            "migrate" => Some(Self::Migrate),
            "grow" => Some(Self::Grow),
            "manual" => None,
            _ => return None,
        })
    }
}

/// A framework that answers automatically.
#[derive(Clone, Debug)]
pub(super) struct Autopilot {
    kind: Kind,
    pace: Pace,
}

/// Programs of a framework.
#[derive(Clone, Debug)]
enum Kind {
    Single(SingleTask),
    Keeper(Keeper),
}

impl Autopilot {
    /// Reads a policy's word; an inner none is `manual`.
    #[expect(clippy::option_option, reason = "a word that is none is unlike the word for none")]
    pub(super) fn parse(word: &str, name: &str) -> Option<Option<Self>> {
        let kind = match word {
            "replicate" => Kind::Keeper(Keeper::new(Kept::Datastore, name)),
            "move" => Kind::Keeper(Keeper::new(Kept::Stateful, name)),
            _ => match Policy::parse(word)? {
                Some(policy) => Kind::Single(SingleTask::new(policy, name)),
                None => return Some(None),
            },
        };
        Some(Some(Self { kind, pace: Pace::default() }))
    }

    /// Returns its answers to an event at this instant, in milliseconds since 1970.
    pub(super) fn on_event(&mut self, event: &SchedulerEvent, now_ms: u64) -> Vec<Call> {
        if let Some(call) = self.pace.holds_back(event, now_ms) {
            return vec![call];
        }
        let now_ns = i64::try_from(now_ms).unwrap_or(i64::MAX).saturating_mul(1_000_000);
        let calls = match &mut self.kind {
            Kind::Single(single) => single.on_event(event),
            Kind::Keeper(keeper) => keeper.on_event(event, now_ns),
        };
        self.pace.note(&calls, now_ms);
        calls
    }
}

/// A task of such a framework.
#[derive(Clone, Debug)]
struct Own {
    id: Text,
    agent: Text,
    running: bool,
    /// Another one is to take its place.
    leaving: bool,
    /// Its end was asked for.
    killed: bool,
}

/// A framework with a simple policy.
#[derive(Clone, Debug)]
struct SingleTask {
    policy: Policy,
    name: Text,
    tasks: Vec<Own>,
    launched: u32,
    suppressed: bool,
}

impl SingleTask {
    fn new(policy: Policy, name: &str) -> Self {
        Self { policy, name: name.into(), tasks: Vec::new(), launched: 0, suppressed: false }
    }

    /// Returns its answers to an event.
    fn on_event(&mut self, event: &SchedulerEvent) -> Vec<Call> {
        match event {
            SchedulerEvent::Offers(offers) => self.on_offers(offers),
            SchedulerEvent::Update(status) => self.on_status(status),
            SchedulerEvent::InverseOffers(offers) => self.on_inverse_offers(offers),
            SchedulerEvent::Subscribed { .. } => {
                // A new subscription is offered everything.
                self.suppressed = false;
                Vec::new()
            }
            SchedulerEvent::Rescind(_)
            | SchedulerEvent::Operation(_)
            | SchedulerEvent::RescindInverseOffer(_)
            | SchedulerEvent::Failure { .. } => Vec::new(),
        }
    }

    fn wants_a_task(&self) -> bool {
        self.tasks.iter().all(|task| task.leaving)
    }

    /// One task more, on the first machine with room for one.
    fn grow(&mut self, offers: &[Arc<Offer>]) -> Vec<Call> {
        let (mut calls, mut later, mut full) = (Vec::new(), Vec::new(), Vec::new());
        for offer in offers {
            match needed(&offer.resources, LARGE) {
                Some(resources) if calls.is_empty() => calls.push(self.launch(offer, resources, Some(0))),
                Some(_) => later.push(offer.id),
                None => full.push(offer.id),
            }
        }
        for (offer_ids, refuse_ms) in [(later, 0), (full, FULL_MS)] {
            if !offer_ids.is_empty() {
                calls.push(Call::Decline { offer_ids, refuse_ms: Some(refuse_ms) });
            }
        }
        calls
    }

    fn on_offers(&mut self, offers: &[Arc<Offer>]) -> Vec<Call> {
        if self.policy == Policy::Grow {
            return self.grow(offers);
        }
        if self.policy == Policy::Migrate {
            for offer in offers.iter().filter(|offer| offer.unavailability.is_some()) {
                self.leave(&offer.agent_id);
            }
        }
        let mut order: Vec<&Arc<Offer>> = offers.iter().collect();
        planarium_kernel::sorted::sort_by_key(&mut order, |offer| offer.unavailability.is_some());
        let (mut calls, mut declined) = (Vec::new(), Vec::new());
        for offer in order {
            let stays = offer.unavailability.is_none() || self.policy != Policy::Migrate;
            match needed(&offer.resources, SMALL).filter(|_| stays && self.wants_a_task()) {
                Some(resources) => calls.push(self.launch(offer, resources, None)),
                None => declined.push(offer.id),
            }
        }
        if !declined.is_empty() {
            calls.push(Call::Decline { offer_ids: declined, refuse_ms: None });
        }
        if !self.wants_a_task() && !self.suppressed {
            self.suppressed = true;
            calls.push(Call::Suppress { roles: Vec::new() });
        }
        calls
    }

    /// Asked to leave machines: answers, and moves away where that is the policy.
    fn on_inverse_offers(&mut self, offers: &[Arc<InverseOffer>]) -> Vec<Call> {
        let (response, refuse_ms) = match self.policy {
            Policy::Accept | Policy::Grow => (Response::Accept, Some(PROMISE_MS)),
            Policy::Decline => (Response::Decline, None),
            Policy::Migrate => {
                for offer in offers {
                    self.leave(&offer.agent_id);
                }
                (Response::Accept, Some(PROMISE_MS))
            }
        };
        let offer_ids = offers.iter().map(|offer| offer.id).collect();
        let mut calls = vec![Call::AnswerInverseOffers { offer_ids, response, refuse_ms }];
        calls.extend(self.revive());
        calls
    }

    /// Asks for offers if they are suppressed and needed.
    fn revive(&mut self) -> Option<Call> {
        let revives = self.wants_a_task() && self.suppressed;
        self.suppressed &= !revives;
        revives.then_some(Call::Revive { roles: Vec::new() })
    }

    fn launch(&mut self, offer: &Offer, resources: Resources, refuse_ms: Option<u64>) -> Call {
        self.launched += 1;
        let id: Text = format!("{}.{}", self.name, self.launched).into();
        self.tasks.push(Own {
            id: id.clone(),
            agent: offer.agent_id.clone(),
            running: false,
            leaving: false,
            killed: false,
        });
        let task = TaskInfo { name: self.name.clone(), task_id: id, resources, ..TaskInfo::default() };
        Call::Accept { offer_ids: vec![offer.id], operations: vec![Operation::Launch(vec![task])], refuse_ms }
    }

    /// Moves the tasks of this agent elsewhere.
    fn leave(&mut self, agent: &Text) {
        for task in self.tasks.iter_mut().filter(|task| task.agent == *agent) {
            task.leaving = true;
        }
    }

    fn on_status(&mut self, status: &TaskStatus) -> Vec<Call> {
        let gone = status.state.is_terminal() || status.state == TaskState::Unreachable;
        if gone {
            self.tasks.retain(|task| task.id != status.task_id);
        } else if let Some(task) = self.tasks.iter_mut().find(|task| task.id == status.task_id) {
            task.running = status.state == TaskState::Running;
        }
        let mut calls = Vec::new();
        if self.tasks.iter().any(|task| task.running && !task.leaving) {
            for task in self.tasks.iter_mut().filter(|task| task.leaving && !task.killed) {
                task.killed = true;
                calls.push(Call::Kill { task_id: task.id.clone(), agent_id: None, grace_ms: None });
            }
        }
        calls.extend(self.revive());
        calls
    }
}

/// Returns the resources that a task takes of an offer, if they are there.
fn needed(offered: &Resources, size: Size) -> Option<Resources> {
    let part = |name: &str, amount: Milli| -> Option<Resource> {
        let fits = |resource: &&Resource| &*resource.name == name && resource.amount() >= amount;
        offered.iter().find(fits).map(|resource| resource.with_scalar(amount))
    };
    Some([part("cpus", size.cpus)?, part("mem", size.mem)?].into_iter().collect())
}
