//! The event bus: what `/v2/events` tells.
//!
//! *Knows*: the events and their JSON. *Must not know*: who listens, over which transport.
//!
//! Events are kept as what they are about, for as long as a listener may come for them; their JSON is made when one does.
//!
//! **Source**: `marathon: core/event/Events.scala, core/event/impl/stream/HttpEventStreamHandle.scala,
//! raml/EventConversion.scala`. Match.

use crate::dates::Calendar;
use crate::definition::RunSpec;
use crate::definition::spec::Stamp;
use crate::definition::write::{self, Dates};
use crate::deployments::plan::Plan;
use crate::health::Health;
use crate::id::PathId;
use crate::instances::instance::Instance;
use crate::instances::tracker::instance_part;
use planarium_kernel::{SimTime, Weight, cow::bytes_of};
use planarium_protocol::{Text, json};
use serde_json::{Map as Object, Value};
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum of events kept.
const KEPT: usize = 4096;
/// Events of a block.
const BLOCK: usize = 64;

/// The fact reported.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// A body was posted.
    ApiPost { uri: Text, app: Arc<RunSpec> },
    /// A pod was posted, changed or taken away: `created`, `updated`, `deleted`.
    Pod { verb: &'static str, uri: Text },
    /// A group changed.
    GroupChanged { id: PathId, version: Stamp },
    /// A step begins: its index.
    StepInfo { plan: Arc<Plan>, step: u32 },
    /// A step is done.
    StepDone { plan: Arc<Plan>, step: u32 },
    /// All is done.
    Deployed { plan: Arc<Plan> },
    /// It was given up.
    Failed { plan: Arc<Plan>, reason: Text },
    /// An app was removed.
    AppTerminated { id: PathId },
    /// Mesos said something of a task.
    Status { instance: Arc<Instance>, task: Text },
    /// Condition or goal changed.
    Changed { instance: Arc<Instance> },
    /// Health as the agent sees it, or as all checks together do.
    HealthChanged { instance: Text, spec: PathId, version: Stamp, healthy: Option<bool> },
    /// An unknown instance has ended.
    UnknownEnded { instance: Text, spec: PathId, condition: &'static str },
    /// A health check begins.
    CheckAdded { id: PathId, version: Stamp, check: Value },
    /// A health check ends.
    CheckRemoved { id: PathId },
    /// A health check failed.
    CheckFailed { id: PathId, instance: Text, check: Value },
    /// One check of an instance sees it otherwise.
    Alive { id: PathId, version: Stamp, health: Arc<Health> },
    /// An instance is killed because a check failed too often. `at` and `reason` are those of the failure before the
    /// last one.
    UnhealthyKill { instance: Arc<Instance>, version: Stamp, reason: Text, at: SimTime },
    /// The framework subscribed, for the first time or again, or lost its master.
    Scheduler { kind: &'static str, framework: Text, master: Text },
}

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct BusEvent {
    pub(crate) at: SimTime,
    pub(crate) what: Happening,
    /// The world's next event when it came about.
    seq: u64,
}

/// The events of the last time, in order.
#[derive(Clone, Default)]
pub(crate) struct Bus {
    /// In blocks that copies share, all but the last one full.
    blocks: VecDeque<Arc<Vec<BusEvent>>>,
    /// `seq` of the newest one.
    newest: u64,
}

impl Bus {
    /// Something happened, before the world's event of number `seq`.
    pub(crate) fn publish(&mut self, at: SimTime, seq: u64, what: Happening) {
        if self.blocks.back().is_none_or(|block| block.len() >= BLOCK) {
            if self.blocks.len() > KEPT / BLOCK {
                self.blocks.pop_front();
            }
            self.blocks.push_back(Arc::new(Vec::with_capacity(BLOCK)));
        }
        if let Some(block) = self.blocks.back_mut() {
            Arc::make_mut(block).push(BusEvent { at, what, seq });
        }
        self.newest = seq;
    }

    /// Returns the number of events, including those that only fill a block.
    fn len(&self) -> usize {
        let last = self.blocks.back().map_or(0, |block| block.len());
        self.blocks.len().saturating_sub(1) * BLOCK + last
    }

    /// Returns whether something was published that no event of the world up to `last` tells of.
    pub(crate) fn is_ahead_of(&self, last: u64) -> bool {
        self.newest > last
    }

    /// Events that came about before the world's events `first..=last`, in order.
    pub(crate) fn between(&self, first: u64, last: u64) -> impl Iterator<Item = &BusEvent> {
        let kept = self.blocks.iter().flat_map(|block| block.iter()).skip(self.len().saturating_sub(KEPT));
        kept.filter(move |event| (first..=last).contains(&event.seq))
    }

    /// Returns the last reported state of an app version's instances that are no longer known.
    pub(crate) fn of_forgotten(
        &self,
        id: &PathId,
        version: Stamp,
        is_known: impl Fn(&str) -> bool,
    ) -> Vec<Arc<Instance>> {
        let mut all: Vec<Arc<Instance>> = Vec::new();
        for event in self.blocks.iter().flat_map(|block| block.iter()) {
            let Happening::Changed { instance } = &event.what else { continue };
            if instance.spec_id() == id && instance.version() == version && !is_known(&instance.id) {
                all.retain(|other| other.id != instance.id);
                all.push(instance.clone());
            }
        }
        all
    }
}

impl Happening {
    /// The type as listeners select it.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::ApiPost { .. } => "api_post_event",
            Self::Pod { verb, .. } => match verb.as_bytes() {
                [b'c', ..] => "pod_created_event",
                [b'u', ..] => "pod_updated_event",
                _ => "pod_deleted_event",
            },
            Self::GroupChanged { .. } => "group_change_success",
            Self::StepInfo { .. } => "deployment_info",
            Self::StepDone { .. } => "deployment_step_success",
            Self::Deployed { .. } => "deployment_success",
            Self::Failed { .. } => "deployment_failed",
            Self::AppTerminated { .. } => "app_terminated_event",
            Self::Status { .. } => "status_update_event",
            Self::Changed { .. } => "instance_changed_event",
            Self::HealthChanged { .. } => "instance_health_changed_event",
            Self::UnknownEnded { .. } => "unknown_instance_terminated_event",
            Self::CheckAdded { .. } => "add_health_check_event",
            Self::CheckRemoved { .. } => "remove_health_check_event",
            Self::CheckFailed { .. } => "failed_health_check_event",
            Self::Alive { .. } => "health_status_changed_event",
            Self::UnhealthyKill { .. } => "unhealthy_instance_kill_event",
            Self::Scheduler { kind, .. } => kind,
        }
    }
}

/// Address of every client in the simulator.
pub(crate) const CLIENT: &str = "127.0.0.1";

impl BusEvent {
    /// The JSON of the event. `old` adds to plans what clients of older versions need.
    pub(crate) fn json(&self, calendar: Calendar, old: bool) -> Value {
        let mut all = Object::new();
        let mut put = |key: &str, value: Value| _ = all.insert(key.to_owned(), value);
        let plan = |plan: &Plan| plan_json(plan, calendar, old);
        match &self.what {
            Happening::ApiPost { uri, app } => {
                put("clientIp", CLIENT.into());
                put("uri", (&**uri).into());
                put("appDefinition", write::spec(app, &calendar));
            }
            Happening::Pod { uri, .. } => {
                put("clientIp", CLIENT.into());
                put("uri", (&**uri).into());
            }
            Happening::GroupChanged { id, version } => {
                put("groupId", id.as_str().into());
                put("version", calendar.date(*version).into());
            }
            Happening::StepInfo { plan: of, step } | Happening::StepDone { plan: of, step } => {
                put("plan", plan(of));
                put(
                    "currentStep",
                    of.steps.get(*step as usize).map_or(Value::Null, crate::deployments::plan::Step::json),
                );
            }
            Happening::Deployed { plan: of } => {
                put("id", (&*of.id).into());
                put("plan", plan(of));
            }
            Happening::Failed { plan: of, reason } => {
                put("id", (&*of.id).into());
                put("plan", plan(of));
                put("reason", (&**reason).into());
            }
            Happening::AppTerminated { id } | Happening::CheckRemoved { id } => {
                put("appId", id.as_str().into());
            }
            Happening::Status { instance, task } => status_json(instance, task, calendar, &mut put),
            Happening::Changed { instance } => {
                put("instanceId", (&*instance.id).into());
                put("condition", instance.condition.as_str().into());
                put("runSpecId", instance.spec_id().as_str().into());
                let agent = instance.agent.as_ref();
                put("agentId", agent.map_or(Value::Null, |agent| (&*agent.agent_id).into()));
                put("host", agent.map_or(Value::Null, |agent| (&*agent.hostname).into()));
                put("runSpecVersion", calendar.date(instance.version()).into());
            }
            Happening::HealthChanged { instance, spec, version, healthy } => {
                put("instanceId", (&**instance).into());
                put("runSpecVersion", calendar.date(*version).into());
                put("healthy", healthy.map_or(Value::Null, Value::Bool));
                put("runSpecId", spec.as_str().into());
            }
            Happening::UnknownEnded { instance, spec, condition } => {
                put("instanceId", (&**instance).into());
                put("runSpecId", spec.as_str().into());
                put("condition", (*condition).into());
            }
            Happening::CheckAdded { id, version, check } => {
                put("appId", id.as_str().into());
                put("version", calendar.date(*version).into());
                put("healthCheck", check.clone());
            }
            Happening::CheckFailed { id, instance, check } => {
                put("appId", id.as_str().into());
                put("taskId", (&**instance).into());
                put("healthCheck", check.clone());
            }
            Happening::Alive { id, version, health } => {
                put("appId", id.as_str().into());
                put("instanceId", (&*health.instance).into());
                put("version", calendar.date(*version).into());
                put("alive", health.is_alive().into());
            }
            Happening::UnhealthyKill { instance, version, reason, .. } => {
                put("appId", instance.spec_id().as_str().into());
                put("taskId", instance.task().map_or(Value::Null, |task| (&*task.id).into()));
                put("instanceId", (&*instance.id).into());
                put("version", calendar.date(*version).into());
                put("reason", (&**reason).into());
                let agent = instance.agent.as_ref();
                put("host", agent.map_or("unknown", |agent| &agent.hostname).into());
                put("slaveId", agent.map_or(Value::Null, |agent| (&*agent.agent_id).into()));
            }
            Happening::Scheduler { kind, framework, master } => {
                if *kind == "scheduler_registered_event" {
                    put("frameworkId", (&**framework).into());
                }
                if *kind != "scheduler_disconnected_event" {
                    put("master", (&**master).into());
                }
            }
        }
        put("eventType", self.what.kind().into());
        let at = match &self.what {
            Happening::UnhealthyKill { at, .. } => *at,
            _ => self.at,
        };
        put("timestamp", calendar.at(at).into());
        let keeps_null = matches!(self.what, Happening::HealthChanged { .. } | Happening::Changed { .. });
        all.retain(|_, value| keeps_null || !value.is_null());
        Value::Object(all)
    }
}

fn status_json(instance: &Instance, task_id: &Text, calendar: Calendar, put: &mut dyn FnMut(&str, Value)) {
    let task = instance.tasks.iter().find(|task| task.id == *task_id);
    let status = task.and_then(|task| task.status.as_ref());
    let agent = instance.agent.as_ref();
    put("slaveId", status.and_then(|status| status.agent_id.as_deref()).unwrap_or_default().into());
    put("taskId", (&**task_id).into());
    put("taskStatus", status.map_or("TASK_STAGING", |status| status.state.as_str()).into());
    put("message", status.map_or("", |status| &status.message).into());
    put("appId", instance.spec_id().as_str().into());
    put("host", agent.map_or("unknown", |agent| &agent.hostname).into());
    put("ipAddresses", crate::instances::network::addresses(instance));
    put("ports", task.map_or(Value::Null, crate::instances::network::host_ports));
    put("version", calendar.date(instance.version()).into());
}

/// A plan in an event.
pub(crate) fn plan_json(plan: &Plan, calendar: Calendar, old: bool) -> Value {
    let mut json = plan.json(&calendar);
    if let (true, Some(all)) = (old, json.as_object_mut()) {
        let group = |version| json!({"id": "/", "apps": [], "groups": [], "dependencies": [], "version": calendar.date(version)});
        all.insert("original".to_owned(), group(plan.original.version));
        all.insert("target".to_owned(), group(plan.target.version));
    }
    json
}

/// Returns the spec named in the id of an instance or task, if it can be derived.
pub(crate) fn spec_of_task(task_id: &str) -> (Text, PathId) {
    let instance = instance_part(task_id);
    let safe = instance.rsplit_once('.').map_or(instance, |(head, _)| head);
    (instance.into(), PathId::of_safe(safe))
}

impl Weight for Bus {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let shared = |block: &Arc<Vec<BusEvent>>| {
            before.is_some_and(|before| before.blocks.iter().any(|other| Arc::ptr_eq(block, other)))
        };
        let own = self.blocks.iter().filter(|block| !shared(block)).map(|block| block.len()).sum();
        // Most keep an instance alive in its former state, which costs at least as much again.
        2 * bytes_of::<BusEvent>(own) + 96 * own as u64
    }
}
