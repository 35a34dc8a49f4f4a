//! Converts a fitting offer to operations and records: ids are drawn here.
//!
//! *Knows*: the form of Mesos operations and of records. *Must not know*: plans.
//!
//! **Source**: `dcos-commons: …/offer/evaluate/PodInfoBuilder.java, LaunchEvaluationStage.java,
//! …/offer/LaunchOfferRecommendation.java`. Match; the reservations of one launch are in one RESERVE and one CREATE,
//! and each task in its own group.

use super::Ask;
use super::environment::Launching;
use super::footprint::{Change, ExecutorUse, Footprint, Part, SetParts};
use crate::scheduler::ids::Ids;
use crate::scheduler::state::{
    Disk, Heard, Held, HeldKind, Launched, Location, OverrideTarget, Params, StoredStatus, TaskRecord,
};
use crate::spec::ServiceSpec;
use planarium_ground::Labels;
use planarium_kernel::{Milli, SimTime, SortedMap};
use planarium_mesos::api::{
    DiskInfo, DiskSource, ExecutorInfo, Operation, Persistence, Ranges, Reservation, ReservationKind,
    Resource, Stack, TaskInfo, Value,
};
use planarium_protocol::Text;
use std::sync::{Arc, LazyLock};

/// Label of a reservation: its id.
static RESOURCE_ID: LazyLock<Text> = LazyLock::new(|| "resource_id".into());
/// Label of a reservation: the framework that made it.
static FRAMEWORK_ID: LazyLock<Text> = LazyLock::new(|| "framework_id".into());

/// Surroundings of a launch.
pub(crate) struct Context<'a> {
    /// The definition the tasks are launched from.
    pub(crate) spec: &'a ServiceSpec,
    /// Id of their configuration.
    pub(crate) config: &'a Text,
    /// Principal of the reservations.
    pub(crate) principal: &'a Text,
    /// Framework id, a label of every reservation.
    pub(crate) framework: &'a Text,
    /// The service's name, a label of every reservation of a service that shares its framework.
    pub(crate) namespace: Option<&'a Text>,
    /// Step name, for fault targets.
    pub(crate) step: &'a Text,
    /// Parameters of the plan.
    pub(crate) params: &'a Params,
    /// Pause command of the scheduler's environment.
    pub(crate) pause_command: Option<&'a str>,
    /// Now.
    pub(crate) now: SimTime,
}

/// A launch.
pub(crate) struct Launch {
    /// For the master, in order.
    pub(crate) operations: Vec<Operation>,
    /// To store: launched tasks and stubs.
    pub(crate) records: Vec<TaskRecord>,
}

/// Builds the launch.
pub(crate) fn build(ask: &Ask<'_>, cx: &Context<'_>, ids: &mut Ids, footprint: Footprint) -> Launch {
    let requirement = ask.requirement;
    let wire = Wire { ask, cx, role: ask.role(), pod: requirement.key.name() };
    let at = Arc::new(Location {
        agent_id: ask.offer.agent_id.clone(),
        hostname: ask.offer.hostname.clone(),
        ip: ask.offer.ip.clone(),
        attributes: match ask.offer.attributes.as_slice() {
            [] => Arc::default(),
            attributes => attributes.into(),
        },
        region: ask.offer.region.clone(),
        zone: ask.offer.zone.clone(),
    });
    let executor_id = match &footprint.executor {
        ExecutorUse::Running(id) => id.clone(),
        ExecutorUse::New => ids.executor(&requirement.key.pod, &wire.pod),
    };
    let own = footprint.sets.iter().filter_map(|set| match &set.parts {
        SetParts::Own(parts) => Some(parts),
        SetParts::Of(_) => None,
    });
    let parts = footprint.executor_parts.iter().chain(own.flatten());
    let anew = parts.filter(|part| part.change == Change::Reserve).count();
    let shared = footprint.sets.iter().any(|set| matches!(set.parts, SetParts::Of(_)));
    let mut settled: Vec<(Arc<[Held]>, Vec<Resource>)> = Vec::new();
    let mut changes = Changes { reserve: Vec::with_capacity(anew), ..Changes::default() };
    for held in &footprint.release {
        changes.release(&wire, held);
    }
    let (executor, resources) = changes.settle_all(&wire, ids, &footprint.executor_parts);
    let executor_info = ExecutorInfo { id: executor_id.clone(), resources: resources.into_iter().collect() };
    let mut records = Vec::with_capacity(footprint.sets.len());
    let mut groups = Vec::with_capacity(footprint.sets.len());
    for set in &footprint.sets {
        let (held, resources) = match &set.parts {
            SetParts::Own(parts) => changes.settle_all(&wire, ids, parts),
            SetParts::Of(first) => settled.get(*first).cloned().unwrap_or_default(),
        };
        if shared {
            settled.push((held.clone(), resources.clone()));
        }
        let name = requirement.name_of(&set.task.name);
        let old = ask.tasks.named(&name);
        let goal = old.map(|old| old.goal).unwrap_or_default();
        let launching = Launching {
            spec: cx.spec,
            requirement,
            task: &set.task,
            name: &name,
            at: &at,
            held: &held,
            params: cx.params,
            wanted: if goal.target == OverrideTarget::Paused { goal.target } else { OverrideTarget::None },
            pause_command: cx.pause_command,
        };
        let id = if set.launch { ids.task(&name) } else { Text::default() };
        let program = launching.program();
        let status = if set.launch { Some(staging(cx)) } else { old.and_then(|old| old.status.clone()) };
        let command = program.command.clone();
        let paused = launching.wanted == OverrideTarget::Paused;
        let files = if set.launch { launching.files() } else { Arc::default() };
        if set.launch {
            groups.push(Operation::LaunchGroup {
                executor: executor_info.clone(),
                tasks: vec![TaskInfo {
                    name: name.clone(),
                    task_id: id.clone(),
                    agent_id: Some(at.agent_id.clone()),
                    executor: None,
                    resources: resources.into_iter().collect(),
                    labels: launching.labels(cx.config),
                    // Not needed here: the environment is shown from the record, which gives the same.
                    env: SortedMap::new(),
                    program,
                    process_labels: Labels::new(
                        [
                            ("pod", wire.pod.clone()),
                            ("pod-type", requirement.key.pod.clone()),
                            ("step", cx.step.clone()),
                        ]
                        .into_iter()
                        .chain(cx.namespace.map(|name| ("service", name.clone()))),
                    ),
                    kill_grace_ms: Some(set.task.kill_grace_s.saturating_mul(1000)),
                    max_completion_ms: None,
                    flaw: None,
                    details: None,
                }],
            });
        }
        let launched = Launched {
            name,
            task: set.task.name.clone(),
            pod: requirement.key.clone(),
            executor_id: executor_id.clone(),
            set: set.task.resource_set.id.clone(),
            at: at.clone(),
            held,
            executor: executor.clone(),
            params: cx.params.clone(),
            command,
            paused,
            files,
        };
        records.push(TaskRecord {
            launched: Arc::new(launched),
            id,
            config: cx.config.clone(),
            permanently_failed: false,
            watched_since: None,
            status,
            goal,
            addressed: old.is_some_and(|old| old.addressed),
            heard: Heard::default(),
        });
    }
    Launch { operations: changes.into_operations(groups), records }
}

/// The status a task has from its launch until the first update.
fn staging(cx: &Context<'_>) -> StoredStatus {
    StoredStatus {
        state: "TASK_STAGING",
        reason: Text::default(),
        message: Text::default(),
        healthy: None,
        checked: false,
        readiness_exit: None,
        readiness_seen: 0,
        at: cx.now,
    }
}

/// Resource changes of one launch.
#[derive(Default)]
struct Changes {
    destroy: Vec<Resource>,
    unreserve: Vec<Resource>,
    reserve: Vec<Resource>,
    create: Vec<Resource>,
}

impl Changes {
    fn release(&mut self, wire: &Wire<'_>, held: &Held) {
        let resource = wire.resource(held, None);
        if resource.persistence().is_some() {
            self.destroy.push(resource.clone());
        }
        self.unreserve.push(resource.without_volume());
    }

    /// Settles parts: reservations to remember, and the reserved resources on the wire.
    fn settle_all(&mut self, wire: &Wire<'_>, ids: &mut Ids, parts: &[Part]) -> (Arc<[Held]>, Vec<Resource>) {
        let mut resources = Vec::with_capacity(parts.len());
        let held = parts.iter().map(|part| self.settle(wire, ids, part, &mut resources)).collect();
        (held, resources)
    }

    /// Settles a part.
    fn settle(&mut self, wire: &Wire<'_>, ids: &mut Ids, part: &Part, resources: &mut Vec<Resource>) -> Held {
        let id = match (&part.id, part.change) {
            (Some(id), _) => id.clone(),
            (None, Change::Unreserved) => Text::default(),
            (None, _) => ids.resource(&wire.pod),
        };
        let mut held = Held { id, kind: part.kind.clone() };
        if let (Change::Reserve, HeldKind::Volume { persistence, .. }) = (part.change, &mut held.kind) {
            *persistence = ids.volume(&wire.pod);
        }
        if held.id.is_empty() {
            return held;
        }
        let resource = wire.resource(&held, part.stack.as_ref());
        match part.change {
            Change::Keep | Change::Unreserved => {}
            Change::Reserve => {
                self.reserve.push(resource.without_volume());
                if resource.persistence().is_some() {
                    self.create.push(resource.clone());
                }
            }
            Change::Grow(more) => self.reserve.push(resource.with_scalar(more)),
            Change::Shrink(less) => self.unreserve.push(resource.with_scalar(less)),
        }
        resources.push(resource);
        held
    }

    /// The operations for them, and the launches after them.
    fn into_operations(self, launches: Vec<Operation>) -> Vec<Operation> {
        if [&self.destroy, &self.unreserve, &self.reserve, &self.create].iter().all(|list| list.is_empty()) {
            return launches;
        }
        let mut operations = Vec::with_capacity(4 + launches.len());
        let mut add = |resources: Vec<Resource>, make: fn(Vec<Resource>) -> Operation| {
            if !resources.is_empty() {
                operations.push(make(resources));
            }
        };
        add(self.destroy, Operation::Destroy);
        add(self.unreserve, Operation::Unreserve);
        add(self.reserve, Operation::Reserve);
        add(self.create, Operation::Create);
        operations.extend(launches);
        operations
    }
}

/// Reservations in wire form.
struct Wire<'a> {
    ask: &'a Ask<'a>,
    cx: &'a Context<'a>,
    /// The role resources are reserved for.
    role: Text,
    /// Name of the pod instance.
    pod: Text,
}

impl Wire<'_> {
    /// Returns a reservation; `offered` is the stack of the offered one. An equal stack is reused, so that later
    /// comparisons find the same list.
    fn resource(&self, held: &Held, offered: Option<&Stack>) -> Resource {
        let owner = self.owner();
        let stack = match offered {
            Some(stack) if owner.made(stack, &held.id) => stack.clone(),
            _ => owner.stack(&held.id),
        };
        debug_assert_eq!(stack, owner.stack(&held.id), "as it would be made");
        reserved(held, stack, &owner)
    }

    fn owner(&self) -> Owner<'_> {
        Owner {
            source_role: self.ask.source_role(),
            role: &self.role,
            principal: self.cx.principal,
            framework: self.cx.framework,
            namespace: self.cx.namespace,
        }
    }
}

/// The label that says whose a reservation is, where several services share a framework.
pub(crate) const NAMESPACE: &str = "namespace";

/// Owner of reservations.
pub(crate) struct Owner<'a> {
    /// Static role the resources are taken from, `*` usually.
    pub(crate) source_role: &'a str,
    /// The role they are reserved for.
    pub(crate) role: &'a Text,
    /// On whose behalf.
    pub(crate) principal: &'a Text,
    /// Framework id.
    pub(crate) framework: &'a Text,
    /// The service's name, if it shares its framework.
    pub(crate) namespace: Option<&'a Text>,
}

impl Owner<'_> {
    /// Returns a reservation in Mesos' form.
    pub(crate) fn resource(&self, held: &Held) -> Resource {
        reserved(held, self.stack(&held.id), self)
    }

    /// The reservation stack of a resource id.
    fn stack(&self, id: &Text) -> Stack {
        // In the order of their names.
        let mut labels = SortedMap::with_capacity(2 + usize::from(self.namespace.is_some()));
        labels.insert(FRAMEWORK_ID.clone(), self.framework.clone());
        if let Some(namespace) = self.namespace {
            labels.insert(NAMESPACE.into(), namespace.clone());
        }
        labels.insert(RESOURCE_ID.clone(), id.clone());
        let principal = Some(self.principal.clone());
        let top = Reservation { kind: ReservationKind::Dynamic, role: self.role.clone(), principal, labels };
        let below = match self.source_role {
            "*" => Stack::default(),
            role => Stack::default().pushed(Reservation::fixed(role)),
        };
        below.pushed(top)
    }

    /// Tells if it would make this very stack.
    fn made(&self, stack: &Stack, id: &Text) -> bool {
        let top = match &**stack {
            [top] if self.source_role == "*" => top,
            [below, top] if *below == Reservation::fixed(self.source_role) => top,
            _ => return false,
        };
        let mut labels = top.labels.iter();
        let mut next =
            |key: &str, value: &Text| labels.next().is_some_and(|(k, v)| **k == *key && v == value);
        top.kind == ReservationKind::Dynamic
            && top.role == *self.role
            && top.principal.as_ref() == Some(self.principal)
            && next(&FRAMEWORK_ID, self.framework)
            && self.namespace.is_none_or(|namespace| next(NAMESPACE, namespace))
            && next(&RESOURCE_ID, id)
            && labels.next().is_none()
    }
}

fn reserved(held: &Held, reservations: Stack, owner: &Owner<'_>) -> Resource {
    let (name, value, disk) = match &held.kind {
        HeldKind::Scalar { name, amount } => (name.clone(), Value::Scalar(*amount), None),
        HeldKind::Port { port, .. } => ("ports".into(), Value::Ranges(Ranges::one(u64::from(*port))), None),
        HeldKind::Volume { path, size, disk, persistence } => {
            let source = match disk {
                Disk::Root => None,
                Disk::Mount { root, profile } => {
                    Some(DiskSource::Mount { root: root.clone(), profile: profile.clone() })
                }
            };
            let persistence = (!persistence.is_empty()).then(|| Persistence {
                id: persistence.clone(),
                principal: Some(owner.principal.clone()),
                container_path: path.clone(),
            });
            let there = source.is_some() || persistence.is_some();
            let disk = there.then(|| Arc::new(DiskInfo { source, persistence }));
            ("disk".into(), Value::Scalar(*size), disk)
        }
    };
    Resource { name, value, reservations, disk, allocation_role: Some(owner.role.clone()) }
}

/// Sum of a scalar over reservations, for views.
pub(crate) fn total(held: &[Held], wanted: &str) -> Milli {
    held.iter().fold(Milli::ZERO, |sum, held| match &held.kind {
        HeldKind::Scalar { name, amount } if **name == *wanted => sum.saturating_add(*amount),
        _ => sum,
    })
}
