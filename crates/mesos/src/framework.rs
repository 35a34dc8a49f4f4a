//! Frameworks: subscription, disconnection, departure.
//!
//! Source: `apache/mesos: src/master/master.cpp` (subscribe, disconnect, removeFramework, suppress, revive). Match.

use crate::{
    Master,
    api::{Call, Capability, FrameworkId, FrameworkInfo, SchedulerEvent, TaskState},
    master::{Requested, Timer},
    task::{Ended, Task},
};
use planarium_fleet::{Cx, Fleet};
use planarium_kernel::{Class, SimTime, TimerId};
use planarium_protocol::{EventBody, Text};
use std::{collections::VecDeque, sync::Arc};

/// How many ended tasks the master remembers per framework.
pub(crate) const MAX_ENDED: usize = 1_000;

/// Whether a framework is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Connected,
    Away,
    Removed,
}

/// A framework.
#[derive(Clone, Debug)]
pub(crate) struct Framework {
    /// Its id on the wire.
    pub(crate) name: Text,
    pub(crate) info: Arc<FrameworkInfo>,
    /// It acknowledges statuses by calls; those of others are acknowledged as soon as they are told.
    pub(crate) acknowledges: bool,
    presence: Presence,
    /// The master failed over and has not heard from it since.
    pub(crate) recovered: bool,
    /// When it subscribed first and last, and when it went.
    pub(crate) registered: SimTime,
    pub(crate) reregistered: Option<SimTime>,
    pub(crate) unregistered: Option<SimTime>,
    failover: Option<TimerId>,
    /// Tasks that have ended, oldest first; shared, since any change copies the list.
    pub(crate) ended: VecDeque<Arc<Ended>>,
}

impl Framework {
    pub(crate) fn is_connected(&self) -> bool {
        self.presence == Presence::Connected
    }

    pub(crate) fn is_registered(&self) -> bool {
        self.presence != Presence::Removed
    }

    pub(crate) fn wants_offers(&self) -> bool {
        self.is_connected()
    }

    pub(crate) fn can(&self, capability: Capability) -> bool {
        self.info.can(capability)
    }

    /// The master fails over: what has completed is forgotten.
    pub(crate) fn lose_memory(&mut self) {
        self.ended.clear();
        self.recovered = self.is_registered();
        self.unregistered = None;
    }

    /// Whether it is remembered as one that has completed.
    pub(crate) fn is_remembered(&self) -> bool {
        self.is_registered() || self.unregistered.is_some()
    }

    /// A task that was thought to have ended is there again.
    pub(crate) fn forget(&mut self, task: &Task) -> Option<Ended> {
        let is_it = |ended: &Arc<Ended>| ended.info.task_id == *task.id() && ended.agent == task.agent;
        self.ended.remove(self.ended.iter().rposition(is_it)?).map(Arc::unwrap_or_clone)
    }

    pub(crate) fn remember(&mut self, ended: Ended) {
        if self.ended.len() >= MAX_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(Arc::new(ended));
    }
}

impl Master {
    /// Takes a framework in and offers at once.
    pub fn subscribe(&mut self, cx: &mut Cx, fleet: &Fleet, info: FrameworkInfo) -> FrameworkId {
        let id = FrameworkId::at(self.frameworks.len());
        let framework = Framework {
            name: format!("{}-{:04}", self.uuid, id.0).into(),
            info: Arc::new(info),
            acknowledges: false,
            presence: Presence::Connected,
            recovered: false,
            registered: cx.now(),
            reregistered: None,
            unregistered: None,
            failover: None,
            ended: VecDeque::new(),
        };
        self.frameworks.push(Arc::new(framework));
        self.welcome(cx, fleet, id);
        id
    }

    /// Takes a framework back under its id, with what it says now. False when it was removed meanwhile.
    pub fn resubscribe(&mut self, cx: &mut Cx, fleet: &Fleet, id: FrameworkId, info: FrameworkInfo) -> bool {
        self.disconnect_framework(cx, id);
        let Some(framework) = self.framework_mut(id).filter(|framework| framework.is_registered()) else {
            return false;
        };
        framework.presence = Presence::Connected;
        framework.recovered = false;
        framework.reregistered = Some(cx.now());
        framework.info = Arc::new(info);
        let failover = framework.failover.take();
        self.disarm(failover);
        self.welcome(cx, fleet, id);
        true
    }

    fn welcome(&mut self, cx: &mut Cx, fleet: &Fleet, id: FrameworkId) {
        let Some(framework) = self.framework(id) else { return };
        let (framework_id, info) = (framework.name.clone(), framework.info.clone());
        let region = self.region.clone();
        cx.following(EventBody::FrameworkSubscribed { framework: info.name.clone() }, |cx| {
            self.send(cx, id, SchedulerEvent::Subscribed { framework_id, region });
            self.allocator.activate(id, &info, cx.cause());
            self.will_ask_everywhere(id, cx.cause());
            self.requested = Requested::All;
            self.run_requested(cx, fleet);
        });
    }

    /// A framework's scheduler is gone: its offers come back without filters, it is told nothing any more.
    pub fn disconnect_framework(&mut self, cx: &mut Cx, id: FrameworkId) {
        let failover_ms = self.framework(id).map_or(0, |framework| framework.info.failover_ms);
        self.let_framework_go(cx, id, failover_ms);
    }

    /// The same, with so much time to return.
    pub(crate) fn let_framework_go(&mut self, cx: &mut Cx, id: FrameworkId, failover_ms: u64) {
        let Some(framework) = self.framework_mut(id).filter(|framework| framework.is_connected()) else {
            return;
        };
        framework.presence = Presence::Away;
        let at = cx.now().saturating_add(failover_ms);
        for offer in self.offers_of(id) {
            self.take_offer_back(cx, offer, None);
        }
        self.allocator.deactivate(id);
        self.inverse_framework_gone(cx, id);
        let timer = self.arm(at, Class::Periodic, cx.cause(), Timer::Failover(id));
        if let Some(framework) = self.framework_mut(id) {
            framework.failover = Some(timer);
        }
    }

    /// Removes a framework with everything it runs.
    pub(crate) fn remove_framework(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: FrameworkId) {
        let Some(framework) = self.framework(id).filter(|framework| framework.is_registered()) else {
            return;
        };
        let body = EventBody::FrameworkRemoved { framework: framework.info.name.clone() };
        cx.following(body, |cx| {
            for offer in self.offers_of(id) {
                self.take_offer_back(cx, offer, None);
            }
            for no in self.tasks_of(id) {
                // Stored, not delivered: there is nobody to tell.
                let now = cx.now();
                let Some(task) = self.task_mut(no) else { continue };
                task.note(now, TaskState::Killed, None);
                let ended = task.freed.then_some(task.state);
                let state = ended.unwrap_or(TaskState::Killed);
                let (agent, process) = (task.agent, task.process.take());
                if ended.is_none() {
                    self.counters.end(state);
                }
                self.let_end(cx, fleet, agent, process);
                self.end_task(cx, fleet, no, state);
            }
            self.forget_operations_of(id);
            self.allocator.remove_framework(id);
            self.inverse_framework_gone(cx, id);
            let Some(framework) = self.framework_mut(id) else { return };
            framework.presence = Presence::Removed;
            framework.unregistered = Some(cx.now());
            let failover = framework.failover.take();
            self.disarm(failover);
        });
    }

    /// A framework asks for something. Calls of frameworks that are not connected are ignored.
    pub fn call(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: FrameworkId, call: Call) {
        let Some(framework) = self.framework(id).filter(|framework| framework.is_connected()) else { return };
        let info = framework.info.clone();
        let all_known = |roles: &[Text]| roles.iter().all(|role| info.roles.contains(role));
        match call {
            Call::Accept { offer_ids, operations, refuse_ms } => {
                self.accept(cx, fleet, id, &offer_ids, operations, refuse_ms);
            }
            Call::Decline { offer_ids, refuse_ms } => {
                self.counters.decline_offers += 1;
                self.decline(cx, id, &offer_ids, refuse_ms);
            }
            Call::AnswerInverseOffers { offer_ids, response, refuse_ms } => {
                self.answer_inverse(cx, id, &offer_ids, response, refuse_ms);
            }
            Call::Revive { roles } if all_known(&roles) => {
                self.counters.revive_offers += 1;
                cx.following(EventBody::Revived { framework: info.name.clone() }, |cx| {
                    self.allocator.revive(id, &roles, cx.cause());
                    self.clear_inverse_filters(cx, id);
                    self.requested = Requested::All;
                    self.run_requested(cx, fleet);
                });
            }
            Call::Suppress { roles } if all_known(&roles) => {
                self.counters.suppress_offers += 1;
                if !self.allocator.is_suppressed(id) {
                    cx.emit(EventBody::Suppressed { framework: info.name.clone() });
                }
                self.allocator.suppress(id, &roles);
            }
            // A role that is not its own: the whole call is dropped.
            Call::Revive { .. } | Call::Suppress { .. } => {}
            Call::Kill { task_id, agent_id, grace_ms } => {
                self.counters.kill_task += 1;
                self.kill(cx, fleet, id, &task_id, agent_id.as_ref(), grace_ms);
            }
            Call::Reconcile { tasks } => {
                self.counters.reconcile_tasks += 1;
                self.reconcile(cx, id, &tasks);
            }
            Call::ReconcileOperations { operations } => self.reconcile_operations(cx, id, &operations),
            Call::Teardown => self.remove_framework(cx, fleet, id),
        }
    }

    /// The word LOST, or the precise one for frameworks that know it.
    pub(crate) fn lost_or(&self, id: FrameworkId, precise: TaskState) -> TaskState {
        let aware = self.framework(id).is_some_and(|framework| framework.can(Capability::PartitionAware));
        if aware { precise } else { TaskState::Lost }
    }
}
