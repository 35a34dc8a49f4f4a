//! Services that share a framework: what goes between them, their framework and the master.
//!
//! Knows: when the framework's scheduler is asked and in which order what it says is carried out.
//! Must not know: its rules; those are its dialect's.

use crate::systems::{Group, GroupView, Request, ServiceId};
use crate::world::World;
use planarium_kernel::Cause;
use planarium_mesos::api::{Call, FrameworkId, Message, SchedulerEvent};
use planarium_protocol::input::{LoadService, RemoveService};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{EventBody, Refusal, Text};
use planarium_sdk::multi::{Hub, Routed, must_end, reserve_limit};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

impl World {
    /// Frameworks that several services share.
    pub fn groups(&self) -> Vec<GroupView> {
        self.services.group_views()
    }

    /// Hands a service's calls to the master; those of a service that shares its framework by way of that.
    pub(crate) fn send(&mut self, id: ServiceId, calls: Vec<Request>) {
        let Some(framework) = self.services.framework(id) else { return };
        if self.services.group(framework).is_none() {
            self.cluster.call_all(&mut self.recorder, Some(framework), calls);
            return;
        }
        let mut queue = VecDeque::from([(id, calls)]);
        while let Some((id, calls)) = queue.pop_front() {
            let cause = self.recorder.cause();
            let routed = self
                .services
                .with_hub(framework, |hub, reserving| hub.sent(cause, id.member(), calls, reserving));
            let leaves = routed.leaves;
            queue.extend(self.follow(framework, routed, true));
            if leaves {
                self.recorder.set_cause(cause);
                self.leave_group(framework, id, false);
            }
        }
        self.services.bar(&mut self.recorder, framework);
    }

    /// Carries out what the framework's scheduler said; what services asked for in turn.
    fn follow(
        &mut self,
        framework: FrameworkId,
        routed: Routed,
        at_once: bool,
    ) -> Vec<(ServiceId, Vec<Request>)> {
        self.cluster.call_all(&mut self.recorder, Some(framework), routed.calls);
        let mut asked = Vec::new();
        for turn in routed.turns {
            let id = ServiceId::of(turn.member);
            self.recorder.set_cause(turn.cause);
            let cx = &mut self.recorder;
            let mut calls = self.services.on_event(cx, id, SchedulerEvent::Offers(turn.offers));
            if at_once {
                // The wait for further offers was the first service's.
                calls.extend(self.services.run_cycle_now(cx, id));
            }
            asked.push((id, calls));
        }
        asked
    }

    fn follow_all(&mut self, framework: FrameworkId, routed: Routed, at_once: bool) {
        for (id, calls) in self.follow(framework, routed, at_once) {
            self.send(id, calls);
        }
    }

    /// Hands a message of the master to the services of a shared framework that it is for.
    pub(crate) fn deliver_to_group(&mut self, message: Message) {
        let Message { framework, cause, event } = message;
        match event {
            SchedulerEvent::Offers(offers) => {
                let routed =
                    self.services.with_hub(framework, |hub, reserving| hub.offered(cause, offers, reserving));
                self.follow_all(framework, routed, false);
            }
            SchedulerEvent::Update(status) => {
                let owner = self.services.group(framework).and_then(|group| group.hub.owner(&status.task_id));
                match owner {
                    Some(member) => {
                        self.tell(ServiceId::of(member), cause, SchedulerEvent::Update(status));
                    }
                    None if must_end(&status) => {
                        // A task of a service that is gone.
                        let call =
                            Call::Kill { task_id: status.task_id, agent_id: status.agent_id, grace_ms: None };
                        let request = Request { cause, call };
                        self.cluster.call_all(&mut self.recorder, Some(framework), vec![request]);
                    }
                    None => {}
                }
            }
            SchedulerEvent::Rescind(offer) => {
                let hub = self.services.group_mut(framework).map(|group| &mut group.hub);
                if let Some(member) = hub.and_then(|hub| hub.rescinded(offer)) {
                    self.tell(ServiceId::of(member), cause, SchedulerEvent::Rescind(offer));
                }
            }
            event => {
                if matches!(event, SchedulerEvent::Subscribed { .. })
                    && let Some(group) = self.services.group_mut(framework)
                {
                    group.hub.subscribed(&event);
                }
                for id in self.services.members(framework) {
                    self.tell(id, cause, event.clone());
                }
            }
        }
    }

    fn tell(&mut self, id: ServiceId, cause: Cause, event: SchedulerEvent) {
        self.recorder.set_cause(cause);
        let calls = self.services.on_event(&mut self.recorder, id, event);
        self.send(id, calls);
    }

    /// The framework that a service is to share; it is brought about with its first service.
    pub(crate) fn group_for(&self, load: &LoadService) -> Result<Option<FrameworkId>, Refusal> {
        if load.framework.is_empty() {
            return Ok(None);
        }
        let conflict = |text: String| Err(Refusal::new(RefusalCode::Conflict, text));
        if self.services.find(&load.framework).is_some() {
            return conflict(format!("'{}' is a service with a framework of its own", load.framework));
        }
        let framework = self.services.group_named(&load.framework);
        let leaving = |id: &FrameworkId| self.services.group(*id).is_some_and(|group| group.uninstalling);
        if framework.as_ref().is_some_and(leaving) {
            return conflict(format!("The framework '{}' is being uninstalled", load.framework));
        }
        Ok(framework)
    }

    /// Subscribes a framework for its first service.
    pub(crate) fn form_group(
        &mut self,
        load: &Arc<LoadService>,
        system: &crate::systems::System,
    ) -> FrameworkId {
        let name: Text = load.framework.as_str().into();
        let info = planarium_mesos::api::FrameworkInfo { name: name.clone(), ..system.framework_info() };
        let framework = self.cluster.subscribe(&mut self.recorder, info.clone());
        let hub = Hub::new(reserve_limit(&load.env));
        let group = Group { name, hub, info, load: Arc::clone(load), uninstalling: false };
        self.services.form(framework, group);
        framework
    }

    /// A service joins a framework: its scheduler hears what the master said when the framework subscribed.
    pub(crate) fn join_group(&mut self, framework: FrameworkId, id: ServiceId) {
        let widened =
            self.services.load(id).and_then(|(.., system)| self.services.widened(framework, system));
        if let Some(info) = widened {
            if let Some(group) = self.services.group_mut(framework) {
                group.info = info.clone();
            }
            // Only roles and capabilities are more than before, which the master takes.
            let _ = self.cluster.with_master(&mut self.recorder, |master, _, cx| {
                master.update_framework(cx, framework, info)
            });
        }
        self.services.join(framework, id);
        // It takes its place among those that wait to reserve.
        self.send(id, Vec::new());
        let greeting = self.services.group(framework).and_then(|group| group.hub.greeting());
        if let Some(greeting) = greeting {
            self.tell(id, self.recorder.cause(), greeting);
        }
    }

    /// A service's scheduler was made anew within its framework: offers that the one before held go on.
    pub(crate) fn rejoin_group(&mut self, framework: FrameworkId, id: ServiceId) {
        let cause = self.recorder.cause();
        let routed =
            self.services.with_hub(framework, |hub, reserving| hub.release(cause, id.member(), reserving));
        self.follow_all(framework, routed, true);
        self.recorder.set_cause(cause);
        self.join_group(framework, id);
    }

    /// Takes a service out of its framework. `abandoned`: its tasks run on and are ended now.
    pub(crate) fn leave_group(&mut self, framework: FrameworkId, id: ServiceId, abandoned: bool) {
        let Some(name) = self.services.name(id).cloned() else { return };
        let cause = self.recorder.cause();
        let routed =
            self.services.with_hub(framework, |hub, reserving| hub.release(cause, id.member(), reserving));
        self.follow_all(framework, routed, true);
        self.recorder.set_cause(cause);
        if let Some(group) = self.services.group_mut(framework) {
            group.hub.leave(id.member());
        }
        self.services.remove(id);
        self.recorder.emit(EventBody::ServiceRemoved { service: name });
        if abandoned {
            // The statuses of tasks that nobody knows any more come back, and have them ended.
            let call = Call::Reconcile { tasks: Vec::new() };
            let request = Request { cause, call };
            self.cluster.call_all(&mut self.recorder, Some(framework), vec![request]);
        }
        self.end_group(framework);
    }

    /// A framework that is uninstalled goes with its last service.
    fn end_group(&mut self, framework: FrameworkId) {
        let over = self.services.group(framework).is_some_and(|group| group.uninstalling)
            && self.services.members(framework).is_empty();
        if over && let Some(group) = self.services.dissolve(framework) {
            let request = Request { cause: self.recorder.cause(), call: Call::Teardown };
            self.cluster.call_all(&mut self.recorder, Some(framework), vec![request]);
            self.recorder.emit(EventBody::ServiceRemoved { service: group.name });
        }
    }

    /// Takes a whole framework with all its services away; none when there is no such framework.
    pub(crate) fn remove_group(&mut self, remove: &RemoveService) -> Option<Result<Value, Refusal>> {
        let framework = self.services.group_named(&remove.name)?;
        let group = self.services.group_mut(framework)?;
        let name = group.name.clone();
        if group.uninstalling && !remove.force {
            let text = format!("The framework '{name}' is being uninstalled already");
            return Some(Err(Refusal::new(RefusalCode::Conflict, text)));
        }
        group.uninstalling = true;
        for id in self.services.members(framework) {
            if remove.force {
                self.leave_group(framework, id, false);
            } else if let Some(service) = self.services.name(id).cloned()
                && self.services.load(id).is_some_and(|(.., system)| !system.is_uninstalling())
                && let Err(refusal) = self.uninstall_service(id, &service)
            {
                return Some(Err(refusal));
            }
        }
        self.end_group(framework);
        Some(Ok(json!({ "service": name })))
    }

    /// The process of a shared framework starts again, with all its services.
    pub(crate) fn restart_group(&mut self, framework: FrameworkId) {
        let members = self.services.members(framework);
        let Some(group) = self.services.group(framework) else { return };
        let info = group.info.clone();
        for id in members {
            if let Some((load, definition, _)) = self.services.load(id) {
                let (load, definition) = (Arc::clone(load), definition.clone());
                // What ran with this definition can start with it again; if not, it goes on as it was.
                let _ = self.make_anew(id, load, definition);
                self.services.join(framework, id);
            }
        }
        self.cluster.resubscribe(&mut self.recorder, framework, info);
    }

    /// The master has removed a framework without its asking: its schedulers hear of it.
    pub(crate) fn framework_removed(&mut self, framework: FrameworkId) {
        let mut ids = self.services.members(framework);
        ids.extend(self.services.by_framework(framework));
        for id in ids {
            self.services.fail(&mut self.recorder, id, planarium_sdk::FRAMEWORK_REMOVED);
        }
    }
}
