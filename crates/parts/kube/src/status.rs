//! Statuses kept by controllers and kubelets: typed, and converted to plain data when read.
//!
//! *Knows*: the status fields of each kind, and their spelling. *Must not know*: who sets them and when.

use crate::{calendar::Epoch, kinds::KindId, object::Object, spec::Spec, tree::Tree};
use planarium_kernel::{Digestible, Map as Cow, SimTime};
use planarium_protocol::{
    Text,
    json::{self, Map, Value},
};
use std::{any::Any, fmt, sync::Arc};

/// The status of an object.
#[derive(Clone, Debug, Digestible)]
pub(crate) enum Status {
    None,
    Plain(Arc<Value>),
    /// Kept by the controller that wrote it.
    Kept(Arc<dyn KeptStatus>),
    #[digest(0)]
    Pod(Arc<PodStatus>),
    Set(Arc<SetStatus>),
    Job(Arc<JobStatus>),
    Cron(Arc<CronStatus>),
    Budget(Arc<BudgetStatus>),
    Endpoints(Arc<Addresses>),
}

/// The status of a custom object as kept by its controller; converted to plain data when read.
///
/// *Invariant*: two statuses of one type are equal exactly if their values are.
pub trait KeptStatus: fmt::Debug + Any + Send + Sync {
    /// The value, as the API shows it.
    fn to_value(&self) -> Value;

    /// True if another one has the same value.
    fn is_same(&self, other: &dyn KeptStatus) -> bool {
        self.to_value() == other.to_value()
    }
}

/// `True`, `False` or `Unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tri {
    True,
    False,
    Unknown,
}

impl Tri {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    pub(crate) fn read(word: &str) -> Self {
        match word {
            "True" => Self::True,
            "False" => Self::False,
            _ => Self::Unknown,
        }
    }

    pub(crate) const fn of(truth: bool) -> Self {
        if truth { Self::True } else { Self::False }
    }
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cond {
    pub(crate) kind: &'static str,
    pub(crate) status: Tri,
    pub(crate) reason: &'static str,
    pub(crate) message: Text,
    /// When the status last changed.
    pub(crate) since: SimTime,
    /// Instant of its last change.
    pub(crate) updated: SimTime,
}

impl Cond {
    pub(crate) fn new(
        kind: &'static str,
        status: Tri,
        reason: &'static str,
        message: impl Into<Text>,
        now: SimTime,
    ) -> Self {
        Self { kind, status, reason, message: message.into(), since: now, updated: now }
    }

    /// A condition without a reason and a message.
    pub(crate) fn bare(kind: &'static str, status: Tri, now: SimTime) -> Self {
        Self::new(kind, status, "", Text::default(), now)
    }

    /// Takes the place of a condition of the same kind; times stay where nothing has changed.
    pub(crate) fn put(self, all: &mut Vec<Self>) {
        let Some(old) = all.iter_mut().find(|old| old.kind == self.kind) else { return all.push(self) };
        if old.status == self.status && old.reason == self.reason && old.message == self.message {
            return;
        }
        let since = if old.status == self.status { old.since } else { self.since };
        *old = Self { since, ..self };
    }

    /// Sets the condition of a kind, as [`Cond::put`] does. *Cost*: copies no text where nothing changes.
    pub(crate) fn set(
        all: &mut Vec<Self>,
        kind: &'static str,
        status: Tri,
        reason: &'static str,
        message: &str,
        now: SimTime,
    ) {
        let is_same = |old: &Self| {
            old.kind == kind && old.status == status && old.reason == reason && *old.message == *message
        };
        if !all.iter().any(is_same) {
            let message = if message.is_empty() { Text::default() } else { message.into() };
            Self::new(kind, status, reason, message, now).put(all);
        }
    }

    fn to_value(&self, epoch: Epoch, with_update: bool, probe: bool) -> Value {
        let mut fields = Map::new();
        json::put(&mut fields, "type", self.kind.into());
        json::put(&mut fields, "status", self.status.as_str().into());
        if probe {
            json::put(&mut fields, "lastProbeTime", Value::Null);
        }
        if with_update {
            json::put(&mut fields, "lastUpdateTime", epoch.text(self.updated).into());
        }
        json::put(&mut fields, "lastTransitionTime", epoch.text(self.since).into());
        if !self.reason.is_empty() {
            json::put(&mut fields, "reason", self.reason.into());
        }
        if !self.message.is_empty() {
            json::put(&mut fields, "message", self.message.as_ref().into());
        }
        Value::Object(fields)
    }
}

/// Puts conditions where there are any.
fn put_conditions(
    fields: &mut Map<String, Value>,
    all: &[Cond],
    epoch: Epoch,
    with_update: bool,
    probe: bool,
) {
    if !all.is_empty() {
        let all = all.iter().map(|one| one.to_value(epoch, with_update, probe)).collect();
        json::put(fields, "conditions", Value::Array(all));
    }
}

fn put_count(fields: &mut Map<String, Value>, key: &str, count: u32) {
    if count > 0 {
        json::put(fields, key, count.into());
    }
}

/// The phase of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Pending,
    Running,
    Succeeded,
    Failed,
}

impl Phase {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
        }
    }

    pub(crate) fn read(word: &str) -> Option<Self> {
        [Self::Pending, Self::Running, Self::Succeeded, Self::Failed]
            .into_iter()
            .find(|one| one.as_str() == word)
    }

    /// True if it is over.
    pub(crate) const fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }
}

/// A container that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) reason: &'static str,
    pub(crate) message: Text,
    pub(crate) started: SimTime,
    pub(crate) finished: SimTime,
}

/// The state of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Waiting { reason: &'static str, message: Text },
    Running { since: SimTime },
    Terminated(Ended),
}

/// One container of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContainerStatus {
    pub(crate) state: State,
    pub(crate) last: Option<Ended>,
    pub(crate) ready: bool,
    pub(crate) started: bool,
    pub(crate) restarts: u32,
    /// True if its image is on the node.
    pub(crate) pulled: bool,
    /// Number of its process, which its id is made of.
    pub(crate) process: Option<u32>,
}

impl ContainerStatus {
    pub(crate) fn waiting(reason: &'static str) -> Self {
        Self {
            state: State::Waiting { reason, message: Text::default() },
            last: None,
            ready: false,
            started: false,
            restarts: 0,
            pulled: false,
            process: None,
        }
    }
}

/// An address in the cluster's network; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ip(pub(crate) u32);

impl Ip {
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn text(self) -> String {
        let [a, b, c, d] = self.0.to_be_bytes();
        format!("{a}.{b}.{c}.{d}")
    }
}

/// A pod.
#[derive(Clone, Debug, PartialEq, Eq, Digestible)]
#[digest(phase.as_str(), ip.0, ready_since().is_some())]
pub(crate) struct PodStatus {
    pub(crate) phase: Phase,
    pub(crate) reason: &'static str,
    pub(crate) message: Text,
    pub(crate) ip: Ip,
    /// Address of its node; empty while it has none.
    pub(crate) host: Text,
    pub(crate) start: Option<SimTime>,
    /// `PodScheduled`, `Initialized`, `ContainersReady`, `Ready`, those that are set.
    pub(crate) conditions: Vec<Cond>,
    /// Init containers first; empty until a kubelet has taken it.
    pub(crate) containers: Vec<ContainerStatus>,
    /// The node on which other pods go for it; empty for none.
    pub(crate) nominated: Text,
    /// Conditions of readiness gates, which clients write.
    pub(crate) gates: Vec<Gate>,
}

/// The condition of a readiness gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gate {
    pub(crate) kind: Text,
    pub(crate) status: Tri,
    pub(crate) since: SimTime,
}

impl PodStatus {
    /// As it comes into being.
    pub(crate) fn pending() -> Self {
        Self {
            phase: Phase::Pending,
            reason: "",
            message: Text::default(),
            ip: Ip(0),
            host: Text::default(),
            start: None,
            conditions: Vec::new(),
            containers: Vec::new(),
            nominated: Text::default(),
            gates: Vec::new(),
        }
    }

    pub(crate) fn condition(&self, kind: &str) -> Option<&Cond> {
        self.conditions.iter().find(|one| one.kind == kind)
    }

    /// The status as a client writes it: phase, message and conditions; the rest is its kubelet's.
    pub(crate) fn posted(&self, wanted: &Value, now: SimTime) -> Self {
        let mut new = self.clone();
        if let Some(phase) = Phase::read(wanted.text("phase")) {
            new.phase = phase;
        }
        if let Some(message) = wanted.key("message").as_str() {
            new.message = message.into();
        }
        for one in wanted.items("conditions") {
            let status = Tri::read(one.text("status"));
            let own = ["PodScheduled", "Initialized", "ContainersReady", "Ready", "DisruptionTarget"];
            if let Some(kind) = own.into_iter().find(|kind| *kind == one.text("type")) {
                if new.condition(kind).is_none_or(|old| old.status != status) {
                    Cond::new(kind, status, "", one.text("message"), now).put(&mut new.conditions);
                }
                continue;
            }
            let kind = one.text("type");
            match new.gates.iter_mut().find(|gate| *gate.kind == *kind) {
                Some(gate) if gate.status == status => {}
                Some(gate) => (gate.status, gate.since) = (status, now),
                None => new.gates.push(Gate { kind: kind.into(), status, since: now }),
            }
        }
        new
    }

    /// Since when it is ready, if it is.
    pub(crate) fn ready_since(&self) -> Option<SimTime> {
        self.condition("Ready").filter(|one| one.status == Tri::True).map(|one| one.since)
    }
}

/// A Deployment, ReplicaSet, StatefulSet or DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetStatus {
    /// `observedGeneration`.
    pub(crate) observed: u64,
    /// `replicas`; of a DaemonSet `currentNumberScheduled`.
    pub(crate) replicas: u32,
    /// `updatedReplicas`; of a DaemonSet `updatedNumberScheduled`.
    pub(crate) updated: u32,
    /// `readyReplicas`; of a DaemonSet `numberReady`.
    pub(crate) ready: u32,
    /// `availableReplicas`; of a DaemonSet `numberAvailable`.
    pub(crate) available: u32,
    /// `unavailableReplicas`; of a DaemonSet `numberUnavailable`.
    pub(crate) unavailable: u32,
    /// `currentReplicas` of a StatefulSet, `desiredNumberScheduled` of a DaemonSet, `fullyLabeledReplicas` of a ReplicaSet.
    pub(crate) own: u32,
    /// `numberMisscheduled` of a DaemonSet.
    pub(crate) misscheduled: u32,
    pub(crate) current_revision: Text,
    pub(crate) update_revision: Text,
    pub(crate) collisions: u32,
    pub(crate) conditions: Vec<Cond>,
}

impl SetStatus {
    fn to_value(&self, kind: KindId, epoch: Epoch) -> Map<String, Value> {
        let mut fields = Map::new();
        if self.observed > 0 {
            json::put(&mut fields, "observedGeneration", self.observed.into());
        }
        if kind == KindId::DAEMON_SET {
            for (key, count) in [
                ("currentNumberScheduled", self.replicas),
                ("numberMisscheduled", self.misscheduled),
                ("desiredNumberScheduled", self.own),
                ("numberReady", self.ready),
            ] {
                json::put(&mut fields, key, count.into());
            }
            for (key, count) in [
                ("updatedNumberScheduled", self.updated),
                ("numberAvailable", self.available),
                ("numberUnavailable", self.unavailable),
            ] {
                put_count(&mut fields, key, count);
            }
            return fields;
        }
        if kind == KindId::DEPLOYMENT {
            put_count(&mut fields, "replicas", self.replicas);
        } else {
            json::put(&mut fields, "replicas", self.replicas.into());
        }
        if kind == KindId::REPLICA_SET {
            put_count(&mut fields, "fullyLabeledReplicas", self.own);
        }
        put_count(&mut fields, "updatedReplicas", self.updated);
        put_count(&mut fields, "readyReplicas", self.ready);
        if kind == KindId::STATEFUL_SET {
            json::put(&mut fields, "availableReplicas", self.available.into());
            put_count(&mut fields, "currentReplicas", self.own);
            if self.observed > 0 {
                json::put(&mut fields, "collisionCount", self.collisions.into());
            }
            for (key, revision) in
                [("currentRevision", &self.current_revision), ("updateRevision", &self.update_revision)]
            {
                if !revision.is_empty() {
                    json::put(&mut fields, key, revision.as_ref().into());
                }
            }
        } else {
            put_count(&mut fields, "availableReplicas", self.available);
        }
        if kind == KindId::DEPLOYMENT {
            put_count(&mut fields, "unavailableReplicas", self.unavailable);
        }
        put_conditions(&mut fields, &self.conditions, epoch, kind == KindId::DEPLOYMENT, false);
        fields
    }
}

/// A Job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JobStatus {
    pub(crate) start: Option<SimTime>,
    pub(crate) completion: Option<SimTime>,
    pub(crate) active: u32,
    pub(crate) succeeded: u32,
    pub(crate) failed: u32,
    /// `completedIndexes`: `0-2,5`.
    pub(crate) completed: Text,
    pub(crate) conditions: Vec<Cond>,
}

/// A CronJob.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CronStatus {
    pub(crate) last: Option<SimTime>,
    /// Name and uid of jobs that have not finished.
    pub(crate) active: Vec<(Text, Text)>,
}

/// A PodDisruptionBudget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BudgetStatus {
    pub(crate) observed: u64,
    pub(crate) healthy: u32,
    pub(crate) desired: u32,
    pub(crate) allowed: u32,
    pub(crate) expected: u32,
    /// When it last began to allow disruptions, or to allow none.
    pub(crate) since: SimTime,
}

/// One address behind a Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) ip: Ip,
    pub(crate) node: Text,
    pub(crate) name: Text,
    pub(crate) uid: Text,
    pub(crate) ready: bool,
}

/// The backends of a Service: the pods by number, and the ports.
#[derive(Clone, Debug, Default)]
pub(crate) struct Addresses {
    pub(crate) pods: Cow<crate::object::ObjectNo, Address>,
    pub(crate) namespace: Text,
    /// As written.
    pub(crate) ports: Vec<Value>,
}

impl Addresses {
    fn subsets(&self) -> Value {
        let mut ready: Vec<&Address> = Vec::new();
        let mut not_ready: Vec<&Address> = Vec::new();
        for address in self.pods.values() {
            if address.ready { ready.push(address) } else { not_ready.push(address) }
        }
        if ready.is_empty() && not_ready.is_empty() {
            return Value::Null;
        }
        let list = |mut all: Vec<&Address>| {
            planarium_kernel::sorted::sort_by(&mut all, |one, other| one.ip.cmp(&other.ip));
            let one = |address: &Address| {
                planarium_protocol::json!({
                    "ip": address.ip.text(), "nodeName": address.node,
                    "targetRef": {
                        "kind": "Pod", "namespace": self.namespace, "name": address.name, "uid": address.uid,
                    },
                })
            };
            Value::Array(all.into_iter().map(one).collect())
        };
        let mut subset = Map::new();
        if !ready.is_empty() {
            json::put(&mut subset, "addresses", list(ready));
        }
        if !not_ready.is_empty() {
            json::put(&mut subset, "notReadyAddresses", list(not_ready));
        }
        if !self.ports.is_empty() {
            json::put(&mut subset, "ports", Value::Array(self.ports.clone()));
        }
        Value::Array(vec![Value::Object(subset)])
    }
}

/// Writes the status of an object (or its equivalent) into its fields.
pub(crate) fn put(object: &Object, fields: &mut Map<String, Value>) {
    let epoch = object.epoch;
    match &object.status {
        Status::None => {}
        Status::Plain(value) => json::put(fields, "status", Value::clone(value)),
        Status::Kept(kept) => json::put(fields, "status", kept.to_value()),
        Status::Endpoints(addresses) => match addresses.subsets() {
            Value::Null => {}
            subsets => json::put(fields, "subsets", subsets),
        },
        Status::Set(set) => json::put(fields, "status", Value::Object(set.to_value(object.kind, epoch))),
        Status::Pod(pod) => json::put(fields, "status", pod_value(object, pod)),
        Status::Job(job) => {
            let mut status = Map::new();
            put_conditions(&mut status, &job.conditions, epoch, false, true);
            for (key, at) in [("startTime", job.start), ("completionTime", job.completion)] {
                if let Some(at) = at {
                    json::put(&mut status, key, epoch.text(at).into());
                }
            }
            for (key, count) in [("active", job.active), ("succeeded", job.succeeded), ("failed", job.failed)]
            {
                put_count(&mut status, key, count);
            }
            if !job.completed.is_empty() {
                json::put(&mut status, "completedIndexes", job.completed.as_ref().into());
            }
            json::put(fields, "status", Value::Object(status));
        }
        Status::Cron(cron) => {
            let mut status = Map::new();
            if !cron.active.is_empty() {
                let one = |(name, uid): &(Text, Text)| {
                    planarium_protocol::json!({
                        "kind": "Job", "namespace": object.namespace, "name": name, "uid": uid, "apiVersion": "batch/v1",
                    })
                };
                json::put(&mut status, "active", Value::Array(cron.active.iter().map(one).collect()));
            }
            if let Some(last) = cron.last {
                json::put(&mut status, "lastScheduleTime", epoch.text(last).into());
            }
            json::put(fields, "status", Value::Object(status));
        }
        Status::Budget(budget) => {
            let mut status = Map::new();
            if budget.observed > 0 {
                json::put(&mut status, "observedGeneration", budget.observed.into());
            }
            for (key, count) in [
                ("disruptionsAllowed", budget.allowed),
                ("currentHealthy", budget.healthy),
                ("desiredHealthy", budget.desired),
                ("expectedPods", budget.expected),
            ] {
                json::put(&mut status, key, count.into());
            }
            if budget.observed > 0 {
                let (word, reason) = if budget.allowed > 0 {
                    ("True", "SufficientPods")
                } else {
                    ("False", "InsufficientPods")
                };
                let condition = planarium_protocol::json!([{
                    "type": "DisruptionAllowed", "status": word, "observedGeneration": budget.observed,
                    "lastTransitionTime": epoch.text(budget.since), "reason": reason, "message": "",
                }]);
                json::put(&mut status, "conditions", condition);
            }
            json::put(fields, "status", Value::Object(status));
        }
    }
}

fn pod_value(object: &Object, pod: &PodStatus) -> Value {
    let epoch = object.epoch;
    let Spec::Pod(spec, _) = &object.spec else { return Value::Null };
    let mut fields = Map::new();
    json::put(&mut fields, "phase", pod.phase.as_str().into());
    put_conditions(&mut fields, &pod.conditions, epoch, false, true);
    for (key, text) in [("message", &*pod.message), ("reason", pod.reason), ("hostIP", &pod.host)] {
        if !text.is_empty() {
            json::put(&mut fields, key, text.into());
        }
    }
    for gate in &pod.gates {
        let shown = planarium_protocol::json!({
            "type": gate.kind, "status": gate.status.as_str(), "lastProbeTime": null,
            "lastTransitionTime": epoch.text(gate.since),
        });
        if let Some(all) =
            fields.entry("conditions").or_insert_with(|| Value::Array(Vec::new())).as_array_mut()
        {
            all.push(shown);
        }
    }
    if !pod.nominated.is_empty() {
        json::put(&mut fields, "nominatedNodeName", pod.nominated.as_ref().into());
    }
    if !pod.ip.is_none() {
        let ip = pod.ip.text();
        json::put(&mut fields, "podIPs", planarium_protocol::json!([{ "ip": ip }]));
        json::put(&mut fields, "podIP", ip.into());
    }
    if let Some(start) = pod.start {
        json::put(&mut fields, "startTime", epoch.text(start).into());
    }
    let one = |(status, container): (&ContainerStatus, &crate::spec::container::Container)| {
        let mut fields = Map::new();
        json::put(&mut fields, "name", container.name.as_ref().into());
        json::put(&mut fields, "state", state_value(&status.state, epoch, object, status));
        let last = status
            .last
            .as_ref()
            .map(|last| state_value(&State::Terminated(last.clone()), epoch, object, status));
        json::put(&mut fields, "lastState", last.unwrap_or_else(|| Value::Object(Map::new())));
        json::put(&mut fields, "ready", status.ready.into());
        json::put(&mut fields, "restartCount", status.restarts.into());
        json::put(&mut fields, "image", container.image.as_ref().into());
        let id = if status.pulled { format!("docker-pullable://{}", container.image) } else { String::new() };
        json::put(&mut fields, "imageID", id.into());
        if let Some(id) = container_id(object, status) {
            json::put(&mut fields, "containerID", id.into());
        }
        json::put(&mut fields, "started", status.started.into());
        Value::Object(fields)
    };
    let mut all: Vec<Value> = pod.containers.iter().zip(&spec.containers).map(one).collect();
    let main = all.split_off(usize::from(spec.inits).min(all.len()));
    if !all.is_empty() {
        json::put(&mut fields, "initContainerStatuses", Value::Array(all));
    }
    if !main.is_empty() {
        json::put(&mut fields, "containerStatuses", Value::Array(main));
    }
    json::put(&mut fields, "qosClass", spec.qos.into());
    Value::Object(fields)
}

/// `docker://...`, made of the pod and the process.
fn container_id(object: &Object, status: &ContainerStatus) -> Option<String> {
    let process = status.process?;
    let seed = planarium_kernel::draw::entity(&object.uid);
    let words =
        (0..4).map(|n| format!("{:016x}", planarium_kernel::draw::draw(seed, u64::from(process), 0x4B02, n)));
    Some(format!("docker://{}", words.collect::<String>()))
}

fn state_value(state: &State, epoch: Epoch, object: &Object, status: &ContainerStatus) -> Value {
    match state {
        State::Waiting { reason, message } => {
            let mut fields = Map::new();
            json::put(&mut fields, "reason", (*reason).into());
            if !message.is_empty() {
                json::put(&mut fields, "message", message.as_ref().into());
            }
            planarium_protocol::json!({ "waiting": Value::Object(fields) })
        }
        State::Running { since } => {
            planarium_protocol::json!({ "running": { "startedAt": epoch.text(*since) } })
        }
        State::Terminated(ended) => {
            let mut fields = Map::new();
            json::put(&mut fields, "exitCode", ended.code.into());
            json::put(&mut fields, "reason", ended.reason.into());
            if !ended.message.is_empty() {
                json::put(&mut fields, "message", ended.message.as_ref().into());
            }
            json::put(&mut fields, "startedAt", epoch.text(ended.started).into());
            json::put(&mut fields, "finishedAt", epoch.text(ended.finished).into());
            if let Some(id) = container_id(object, status) {
                json::put(&mut fields, "containerID", id.into());
            }
            planarium_protocol::json!({ "terminated": Value::Object(fields) })
        }
    }
}
