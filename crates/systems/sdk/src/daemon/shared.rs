//! Services that share a framework: their exchange with the framework and the master.
//!
//! *Knows*: when the framework's scheduler is called and in which order its answers are carried out. *Must not know*:
//! its rules; those belong to the hub.

use super::{Daemon, Member};
use crate::multi::{Hub, MemberId, Routed, must_end, reserve_limit};
use crate::scheduler::Scheduler;
use crate::wire::{Metrics, SdkQuery};
use planarium_kernel::{Cause, draw};
use planarium_mesos::Cluster;
use planarium_mesos::api::{Call, FrameworkInfo, Message, Request, SchedulerEvent};
use planarium_part::{Cx, Number};
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_protocol::{EventBody, Text};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// State that the services of a framework share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) name: Text,
    pub(crate) hub: Hub,
    /// The framework that it subscribed as.
    pub(crate) info: FrameworkInfo,
    /// Request that its first service was loaded with.
    pub(crate) load: Arc<LoadService>,
    /// It is removed after its last service.
    pub(crate) uninstalling: bool,
}

impl Shared {
    pub(super) fn new(load: &Arc<LoadService>, info: FrameworkInfo) -> Self {
        let hub = Hub::new(reserve_limit(&load.env));
        Self { name: info.name.clone(), hub, info, load: Arc::clone(load), uninstalling: false }
    }
}

fn id(number: Number) -> MemberId {
    MemberId(number.0)
}

fn number(id: MemberId) -> Number {
    Number(id.0)
}

impl Daemon {
    /// Works with the framework's hub, which may ask whether a service is reserving.
    fn with_hub(&mut self, work: impl FnOnce(&mut Hub, &dyn Fn(MemberId) -> bool) -> Routed) -> Routed {
        let Some(shared) = &mut self.shared else { return Routed::default() };
        let members = &self.members;
        let reserving =
            |id: MemberId| members.get(&number(id)).is_some_and(|member| member.scheduler.is_reserving());
        work(&mut shared.hub, &reserving)
    }

    /// Tells the services whether they must wait for others.
    fn bar(&mut self, cx: &mut Cx) {
        let Some(shared) = &self.shared else { return };
        let members = &self.members;
        let reserving =
            |id: MemberId| members.get(&number(id)).is_some_and(|member| member.scheduler.is_reserving());
        for (member, barred) in shared.hub.barred(&reserving) {
            let number = number(member);
            if self.members.get(&number).is_some_and(|member| member.scheduler.is_barred() != barred) {
                self.with(number, |scheduler| scheduler.set_barred(cx, barred));
            }
        }
    }

    pub(super) fn send_shared(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        from: Number,
        calls: Vec<Request>,
    ) {
        let mut queue = VecDeque::from([(from, calls)]);
        while let Some((from, calls)) = queue.pop_front() {
            let cause = cx.cause();
            let routed = self.with_hub(|hub, reserving| hub.sent(cause, id(from), calls, reserving));
            let leaves = routed.leaves;
            queue.extend(self.follow(cx, cluster, routed, true));
            if leaves {
                cx.set_cause(cause);
                self.leave(cx, cluster, from, false);
            }
        }
        self.bar(cx);
    }

    /// Carries out the answers of the framework's scheduler; returns the requests of services in turn.
    fn follow(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        routed: Routed,
        at_once: bool,
    ) -> Vec<(Number, Vec<Request>)> {
        cluster.call_all(cx, self.framework, routed.calls);
        let mut asked = Vec::new();
        for turn in routed.turns {
            let number = number(turn.member);
            cx.set_cause(turn.cause);
            let heard = self.with(number, |scheduler| {
                let mut calls = scheduler.on_event(cx, SchedulerEvent::Offers(turn.offers));
                if at_once {
                    // The wait for further offers was the first service's.
                    calls.extend(scheduler.run_cycle_now(cx));
                }
                calls
            });
            asked.push((number, heard.unwrap_or_default()));
        }
        asked
    }

    fn follow_all(&mut self, cx: &mut Cx, cluster: &mut Cluster, routed: Routed, at_once: bool) {
        for (number, calls) in self.follow(cx, cluster, routed, at_once) {
            self.send(cx, cluster, number, calls);
        }
    }

    /// Hands a message of the master to the services that it is for.
    pub(super) fn hear(&mut self, cx: &mut Cx, cluster: &mut Cluster, message: Message) {
        let Message { cause, event, .. } = message;
        match event {
            SchedulerEvent::Offers(offers) => {
                let routed = self.with_hub(|hub, reserving| hub.offered(cause, offers, reserving));
                self.follow_all(cx, cluster, routed, false);
            }
            SchedulerEvent::Update(status) => {
                let owner = self.shared.as_ref().and_then(|shared| shared.hub.owner(&status.task_id));
                match owner {
                    Some(member) => {
                        self.deliver_event(
                            cx,
                            cluster,
                            number(member),
                            cause,
                            SchedulerEvent::Update(status),
                        );
                    }
                    None if must_end(&status) => {
                        // A task of a service that is gone.
                        let call =
                            Call::Kill { task_id: status.task_id, agent_id: status.agent_id, grace_ms: None };
                        cluster.call_all(cx, self.framework, vec![Request { cause, call }]);
                    }
                    None => {}
                }
            }
            SchedulerEvent::Rescind(offer) => {
                let holder = self.shared.as_mut().and_then(|shared| shared.hub.rescinded(offer));
                if let Some(member) = holder {
                    self.deliver_event(cx, cluster, number(member), cause, SchedulerEvent::Rescind(offer));
                }
            }
            event => {
                if matches!(event, SchedulerEvent::Subscribed { .. })
                    && let Some(shared) = &mut self.shared
                {
                    shared.hub.subscribed(&event);
                }
                for number in self.joined() {
                    self.deliver_event(cx, cluster, number, cause, event.clone());
                }
            }
        }
    }

    /// The services in the order they joined.
    pub(super) fn joined(&self) -> Vec<Number> {
        self.shared.as_ref().map(|shared| shared.hub.members().map(number).collect()).unwrap_or_default()
    }

    fn deliver_event(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        to: Number,
        cause: Cause,
        event: SchedulerEvent,
    ) {
        cx.set_cause(cause);
        let calls = self.with(to, |scheduler| scheduler.on_event(cx, event)).unwrap_or_default();
        self.send(cx, cluster, to, calls);
    }

    /// Adds a service to the hub, also after its scheduler was recreated.
    pub(super) fn register(&mut self, number: Number) {
        let Some(member) = self.members.get(&number) else { return };
        let prefix = member.scheduler.task_prefix();
        if let Some(shared) = &mut self.shared {
            shared.hub.join(id(number), &member.name, &prefix);
        }
    }

    /// The framework's roles and capabilities with those of a further service; none when it has them all.
    fn widened(&self, scheduler: &Scheduler) -> Option<FrameworkInfo> {
        let mut info = self.shared.as_ref()?.info.clone();
        let more = scheduler.framework_info();
        let before = (info.roles.len(), info.capabilities.len());
        for role in more.roles {
            if !info.roles.contains(&role) {
                info.roles.push(role);
            }
        }
        for capability in more.capabilities {
            if !info.capabilities.contains(&capability) {
                info.capabilities.push(capability);
            }
        }
        (before != (info.roles.len(), info.capabilities.len())).then_some(info)
    }

    /// Adds a service to the framework: its scheduler gets the master's answer to the framework's subscription.
    pub(super) fn join(&mut self, cx: &mut Cx, cluster: &mut Cluster, number: Number) {
        let widened = self.members.get(&number).and_then(|member| self.widened(&member.scheduler));
        if let Some(info) = widened {
            if let Some(shared) = &mut self.shared {
                shared.info = info.clone();
            }
            let framework = self.framework;
            // Only roles and capabilities are more than before, which the master takes.
            let _ = cluster.update_framework(cx, framework, info);
        }
        self.register(number);
        // It takes its place among those that wait to reserve.
        self.send(cx, cluster, number, Vec::new());
        if let Some(greeting) = self.shared.as_ref().and_then(|shared| shared.hub.greeting()) {
            let cause = cx.cause();
            self.deliver_event(cx, cluster, number, cause, greeting);
        }
    }

    /// Passes on the offers of a service that leaves, or whose scheduler was recreated.
    fn release(&mut self, cx: &mut Cx, cluster: &mut Cluster, number: Number) {
        let cause = cx.cause();
        let routed = self.with_hub(|hub, reserving| hub.release(cause, id(number), reserving));
        self.follow_all(cx, cluster, routed, true);
        cx.set_cause(cause);
    }

    /// Adds a service again whose scheduler was recreated.
    pub(super) fn rejoin(&mut self, cx: &mut Cx, cluster: &mut Cluster, number: Number) {
        self.release(cx, cluster, number);
        self.join(cx, cluster, number);
    }

    /// Takes a service out of the framework. `abandoned`: its tasks run on and are ended now.
    pub(super) fn leave(&mut self, cx: &mut Cx, cluster: &mut Cluster, number: Number, abandoned: bool) {
        let Some(name) = self.members.get(&number).map(|member| member.name.clone()) else { return };
        self.release(cx, cluster, number);
        if let Some(shared) = &mut self.shared {
            shared.hub.leave(id(number));
        }
        if let Some(member) = self.members.remove(&number) {
            cluster.note_past_revision(member.scheduler.revision());
        }
        cx.emit(EventBody::ServiceRemoved { service: name, dialect: crate::DIALECT.into() });
        if abandoned {
            // Statuses of unknown tasks are sent again, so that these tasks are killed.
            cluster.call(cx, self.framework, Call::Reconcile { tasks: Vec::new() });
        }
        self.end_if_left(cx, cluster);
    }

    /// A framework that is uninstalled goes with its last service.
    pub(super) fn end_if_left(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let Some(shared) = &self.shared else { return };
        if self.over || !shared.uninstalling || !self.members.is_empty() {
            return;
        }
        let name = shared.name.clone();
        self.over = true;
        cluster.call(cx, self.framework, Call::Teardown);
        cx.emit(EventBody::ServiceRemoved { service: name, dialect: crate::DIALECT.into() });
    }

    /// Returns the framework's own answers: its plan, its health, its metrics.
    pub(crate) fn query_framework(&self, what: &SdkQuery) -> Option<(u16, Value)> {
        let shared = self.shared.as_ref()?;
        let metrics = || {
            let mut all = Metrics::default();
            for number in self.joined() {
                if let Some(member) = self.members.get(&number) {
                    all.add(&member.scheduler.metrics());
                }
            }
            all
        };
        Some(match what {
            SdkQuery::Plans => (200, json!(["deploy"])),
            SdkQuery::Plan { name } if name == "deploy" => plan(shared),
            SdkQuery::Health { .. } => {
                let code = if shared.uninstalling { 202 } else { 200 };
                (code, json!({ "value": code }))
            }
            SdkQuery::Metrics => (200, metrics().json()),
            SdkQuery::Prometheus => (200, metrics().prometheus().into()),
            _ => return None,
        })
    }

    /// The framework's name, where several services may share it, with its services in the order they joined.
    pub(crate) fn sharing(&self) -> Option<(&Shared, Vec<&Member>)> {
        let shared = self.shared.as_ref()?;
        Some((shared, self.joined().iter().filter_map(|number| self.members.get(number)).collect()))
    }

    /// Finds services that the shared framework does not know.
    pub(super) fn check_shared(&self) -> Option<String> {
        let shared = self.shared.as_ref()?;
        let same = self.members.keys().copied().eq(shared.hub.members().map(number));
        (!same).then(|| format!("{}: its services are not those it knows", shared.name))
    }
}

/// The framework's own plan: empty until the framework is uninstalled.
///
/// Source: dcos-commons `MultiServiceEventClient` (phase and step while uninstalling). Match.
fn plan(shared: &Shared) -> (u16, Value) {
    if !shared.uninstalling {
        return (200, json!({ "phases": [], "errors": [], "status": "COMPLETE", "strategy": "serial" }));
    }
    let id = |key: &str| draw::uuid(0, draw::entity(&format!("{}/{key}", shared.name)), ELEMENT, 0);
    let step = id("step");
    let class = "com.mesosphere.sdk.scheduler.uninstall.DeregisterStep";
    let message = format!("{class}: deregister [{step}] with status: PENDING");
    let step = json!({ "id": step, "status": "PENDING", "name": "deregister", "message": message });
    let phase = json!({
        "id": id("phase"),
        "name": "deregister-framework",
        "steps": [step],
        "status": "PENDING",
        "strategy": "serial",
    });
    (202, json!({ "phases": [phase], "errors": [], "status": "PENDING", "strategy": "serial" }))
}

/// Purpose of the draw that makes the ids of a framework's own elements.
const ELEMENT: u32 = 0x5D01;
