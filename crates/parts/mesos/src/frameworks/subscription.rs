//! Frameworks subscribe, disconnect and are removed.
//!
//! Source: `apache/mesos: src/master/master.cpp` (subscribe, disconnect, removeFramework, suppress, revive). Match.

use super::record::{Framework, Presence};
use crate::{
    Master,
    api::{Capability, FrameworkId, FrameworkInfo, Reason, SchedulerEvent, TaskState, TaskStatus},
    master::{Requested, Timer},
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Class;
use planarium_protocol::{EventBody, Text};
use std::{collections::VecDeque, sync::Arc};

impl Master {
    /// Subscribes a framework and makes offers at once.
    pub fn subscribe(&mut self, cx: &mut Cx, fleet: &Fleet, info: FrameworkInfo) -> FrameworkId {
        // One of so many names is free, whatever ids frameworks have brought along.
        let count = self.frameworks.len();
        let mut names = (count..=count * 2).map(|number| Text::from(format!("{}-{number:04}", self.uuid)));
        let name = names.find(|name| !self.has_framework(name)).unwrap_or_default();
        let id = self.add_framework(info, name, cx);
        self.tell_framework_added(cx, id);
        self.activate_framework(cx, fleet, id);
        id
    }

    /// Subscribes a framework that has its id from another master, under that id.
    ///
    /// *Errors*: one of this id was removed, or the id is malformed.
    pub fn subscribe_as(
        &mut self,
        cx: &mut Cx,
        fleet: &Fleet,
        info: FrameworkInfo,
        wire: &Text,
    ) -> Result<FrameworkId, String> {
        if self.has_framework(wire) {
            return Err("Framework has been removed".to_owned());
        }
        id_error(wire).map_or(Ok(()), Err)?;
        let id = self.add_framework(info, wire.clone(), cx);
        if let Some(framework) = self.framework_mut(id) {
            framework.reregistered = Some(cx.now());
        }
        self.tell_framework_updated(cx, id);
        self.activate_framework(cx, fleet, id);
        Ok(id)
    }

    /// Whether a framework has or had this id on the wire.
    fn has_framework(&self, wire: &str) -> bool {
        self.frameworks.iter().any(|framework| *framework.name == *wire)
    }

    fn add_framework(&mut self, info: FrameworkInfo, name: Text, cx: &Cx) -> FrameworkId {
        let id = FrameworkId::at(self.frameworks.len());
        let framework = Framework {
            name,
            info: Arc::new(info),
            acknowledges_explicitly: false,
            presence: Presence::Connected,
            recovered: false,
            registered: cx.now(),
            reregistered: None,
            unregistered: None,
            failover: None,
            completed: VecDeque::new(),
        };
        self.frameworks.push(Arc::new(framework));
        id
    }

    /// Subscribes a framework again under its id, with its new description. False when it was removed meanwhile.
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
        self.tell_framework_updated(cx, id);
        self.activate_framework(cx, fleet, id);
        true
    }

    fn activate_framework(&mut self, cx: &mut Cx, fleet: &Fleet, id: FrameworkId) {
        let Some(framework) = self.framework(id) else { return };
        let (framework_id, info) = (framework.name.clone(), framework.info.clone());
        let region = self.region.clone();
        cx.following(EventBody::FrameworkSubscribed { framework: info.name.clone() }, |cx| {
            self.send(cx, id, SchedulerEvent::Subscribed { framework_id, region });
            self.allocator.activate(id, &info, cx.cause());
            self.want_inverse_offers_of(id, cx.cause());
            self.requested = Requested::All;
            self.run_requested(cx, fleet);
        });
    }

    /// A framework's scheduler is gone: its offers come back without filters, and it is sent nothing any more.
    pub fn disconnect_framework(&mut self, cx: &mut Cx, id: FrameworkId) {
        let failover_ms = self.framework(id).map_or(0, |framework| framework.info.failover_ms);
        self.deactivate_framework(cx, id, failover_ms);
    }

    /// The same, with this much time to return.
    pub(crate) fn deactivate_framework(&mut self, cx: &mut Cx, id: FrameworkId, failover_ms: u64) {
        let Some(framework) = self.framework_mut(id).filter(|framework| framework.is_connected()) else {
            return;
        };
        framework.presence = Presence::Disconnected;
        let at = cx.now().saturating_add(failover_ms);
        for offer in self.offers_of(id) {
            self.take_offer_back(cx, offer, None);
        }
        self.allocator.deactivate(id);
        self.drop_inverse_offers_of(cx, id);
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
        let message: Text = format!("Framework {} removed", framework.name).into();
        cx.following(body, |cx| {
            for offer in self.offers_of(id) {
                self.take_offer_back(cx, offer, None);
            }
            for no in self.tasks_of(id) {
                // Recorded, not delivered: the framework is gone.
                let now = cx.now();
                let agent_id =
                    self.task(no).and_then(|task| self.agent(task.agent)).map(|agent| agent.name.clone());
                let Some(task) = self.task_mut(no) else { continue };
                let status = TaskStatus {
                    state: TaskState::Killed,
                    reason: Some(Reason::FrameworkRemoved),
                    message: message.clone(),
                    healthy: None,
                    check: None,
                    ..task.status(agent_id.unwrap_or_default(), now)
                };
                let is_new = task.record_status(&status);
                let ended = task.freed.then_some(task.state);
                let state = ended.unwrap_or(TaskState::Killed);
                let (agent, process) = (task.agent, task.process.take());
                if ended.is_none() {
                    self.counters.end(state);
                }
                self.shut_down_process(cx, fleet, agent, process);
                self.tell_task_updated(cx, id, &status, state, is_new);
                self.end_task(cx, fleet, no, state);
            }
            self.forget_operations_of(id);
            self.allocator.remove_framework(id);
            self.drop_inverse_offers_of(cx, id);
            let Some(framework) = self.framework_mut(id) else { return };
            framework.presence = Presence::Removed;
            framework.unregistered = Some(cx.now());
            let failover = framework.failover.take();
            self.disarm(failover);
            self.tell_framework_removed(cx, id);
        });
    }

    /// The word LOST, or the precise state for frameworks that are PARTITION_AWARE.
    pub(crate) fn lost_or(&self, id: FrameworkId, precise: TaskState) -> TaskState {
        let aware = self.framework(id).is_some_and(|framework| framework.can(Capability::PartitionAware));
        if aware { precise } else { TaskState::Lost }
    }
}

/// Longest id. *Units*: bytes.
const LONGEST_ID: usize = 255;

/// What is wrong with an id.
///
/// Source: `apache/mesos: src/common/validation.cpp` (validateID). Match.
fn id_error(id: &str) -> Option<String> {
    if id.is_empty() {
        Some("ID must not be empty".to_owned())
    } else if id.len() > LONGEST_ID {
        Some(format!("ID must not be greater than {LONGEST_ID} characters"))
    } else if matches!(id, "." | "..") {
        Some(format!("'{id}' is disallowed"))
    } else if id.bytes().any(|byte| byte.is_ascii_control() || matches!(byte, b'/' | b'\\')) {
        Some(format!("'{id}' contains invalid characters"))
    } else {
        None
    }
}
