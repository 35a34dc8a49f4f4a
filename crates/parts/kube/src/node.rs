//! Nodes: machines as the cluster sees them.
//!
//! *Knows*: what a node has and what its pods ask for, whether its kubelet is heard of. *Must not know*: how pods are run.
//! Source: `kubernetes/kubernetes: pkg/kubelet/kubelet_node_status.go`, `pkg/controller/nodelifecycle`; match for the times
//! (grace period 40 s), conditions, taints and evictions; a heartbeat is not an event of its own.

use crate::{
    api::Parts,
    clock::Epoch,
    error::ApiError,
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectNo, ObjectRef, Pairs},
    quantity::{bytes_text, cpu_text},
    queue::{Timer, Work},
    request::{DeleteOptions, Written},
    scheduler::{Others, others_of, resources},
    spec::{
        Spec,
        placement::{Effect, Taint},
    },
    status::{Cond, Status, Tri},
    tree::{Tree, as_object, object_at},
    view::{Amounts, DrainFacts},
};
use planarium_ground::{Absence, Cx, Fleet, FleetEventKind, MachineId, MachineSpec};
use planarium_kernel::{SimTime, SortedSet, draw};
use planarium_protocol::{
    Text,
    input::Resources,
    json::{self, Map, Value},
};
use std::sync::Arc;

/// How long a node may be silent. *Units*: milliseconds.
pub(crate) const GRACE_MS: u64 = 40_000;
/// Pods that a node takes.
const MOST_PODS: i64 = 110;
/// The version that nodes and server show.
pub(crate) const VERSION: &str = "v1.19.16";
const RETURN: u32 = 0x4B06;
const ZONE: &str = "topology.kubernetes.io/zone";

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// A machine as the cluster sees it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its Node object; nothing once that was deleted.
    pub(crate) object: Option<ObjectNo>,
    pub(crate) name: Text,
    pub(crate) machine: MachineId,
    pub(crate) address: Text,
    pub(crate) labels: Pairs,
    /// Its zone, as its labels say.
    pub(crate) zone: Option<Text>,
    pub(crate) taints: Vec<Taint>,
    pub(crate) unschedulable: bool,
    pub(crate) allocatable: Amounts,
    /// What its pods ask for.
    pub(crate) requested: Amounts,
    /// What others than pods hold of the machine.
    pub(crate) others: Others,
    /// The same, with something for pods that ask for nothing; scores go by that.
    pub(crate) weighed: Amounts,
    /// Its score for a pod of the same weight as the one that came or went last, with that weight.
    pub(crate) score: Option<(Amounts, i64)>,
    pub(crate) pods: SortedSet<ObjectNo>,
    /// The version of the cluster when a pod last came or went.
    pub(crate) booked: u64,
    pub(crate) ports: Vec<(i64, Text, ObjectNo)>,
    pub(crate) images: SortedSet<Text>,
    /// Status of the condition `Ready`.
    pub(crate) ready: Tri,
    /// In which way its machine is away.
    pub(crate) absence: Option<Absence>,
    /// How often it was away.
    pub(crate) absences: u32,
    /// What came while its kubelet was away.
    pub(crate) held: Vec<FleetEventKind>,
    pub(crate) drain: Option<Drain>,
}

impl Node {
    /// Works its score out anew after its pods have changed, for a pod of this weight.
    fn rescore(&mut self, weight: Amounts) {
        self.score = Some((weight, resources(weight, self)));
    }
}

/// A drain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Drain {
    pub(crate) since: SimTime,
    pub(crate) grace_s: Option<u32>,
    pub(crate) disable_eviction: bool,
    /// Whether it is to ask again.
    pub(crate) armed: bool,
    pub(crate) facts: DrainFacts,
}

/// What counts for a pod that asks for nothing. *Units*: thousandths of a CPU, bytes.
const LEAST_CPU: i64 = 100;
const LEAST_MEMORY: i64 = 200 * 1024 * 1024;

/// What a pod's requests weigh in scores.
pub(crate) fn weighed(requests: Amounts) -> Amounts {
    let or = |amount: i64, least: i64| if amount == 0 { least } else { amount };
    Amounts {
        cpu_milli: or(requests.cpu_milli, LEAST_CPU),
        memory: or(requests.memory, LEAST_MEMORY),
        ..requests
    }
}

/// What a machine has unless its resources say otherwise: as much as the Mesos agent on it. *Units*: thousandths of CPUs and of MiB.
const CPUS: i64 = 8_000;
const MEMORY: i64 = 32_768_000;
const STORAGE: i64 = 204_800_000;

/// What a machine's resources come to.
fn amounts(resources: &Resources) -> Amounts {
    let mib = |amount: Option<planarium_protocol::Amount>, usual: i64| {
        let milli = i128::from(amount.map_or(usual, planarium_protocol::Amount::thousandths));
        i64::try_from(milli * 1_048_576 / 1000).unwrap_or(i64::MAX)
    };
    Amounts {
        cpu_milli: resources.cpus.map_or(CPUS, planarium_protocol::Amount::thousandths),
        memory: mib(resources.mem, MEMORY),
        storage: mib(resources.disk, STORAGE),
        gpus: resources.gpus.map_or(0, |gpus| gpus.thousandths() / 1000),
        pods: MOST_PODS,
    }
}

/// Labels of a machine's node: its own attributes, as far as they make labels, and those that every node has.
fn labels_of(spec: &MachineSpec) -> Pairs {
    let fits = |text: &Text| {
        text.len() <= 63
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    let own = spec.attributes.iter().filter(|(key, value)| fits(key) && fits(value)).cloned();
    let mut all: Vec<(Text, Text)> = own.collect();
    for prefix in ["beta.kubernetes.io", "kubernetes.io"] {
        all.push((format!("{prefix}/arch").into(), "amd64".into()));
        all.push((format!("{prefix}/os").into(), "linux".into()));
    }
    all.push(("kubernetes.io/hostname".into(), spec.hostname.clone()));
    for (key, value) in [("region", &spec.region), ("zone", &spec.zone)] {
        if let Some(value) = value {
            all.push((format!("topology.kubernetes.io/{key}").into(), value.clone()));
            all.push((format!("failure-domain.beta.kubernetes.io/{key}").into(), value.clone()));
        }
    }
    Pairs::new(all)
}

fn amounts_value(amounts: Amounts) -> Value {
    let mut fields = Map::new();
    json::put(&mut fields, "cpu", cpu_text(amounts.cpu_milli).into());
    json::put(&mut fields, "ephemeral-storage", bytes_text(amounts.storage).into());
    json::put(&mut fields, "memory", bytes_text(amounts.memory).into());
    if amounts.gpus > 0 {
        json::put(&mut fields, "nvidia.com/gpu", amounts.gpus.to_string().into());
    }
    json::put(&mut fields, "pods", amounts.pods.to_string().into());
    Value::Object(fields)
}

fn condition(
    kind: &str,
    status: Tri,
    reason: &str,
    message: &str,
    epoch: Epoch,
    since: SimTime,
    now: SimTime,
) -> Value {
    planarium_protocol::json!({
        "type": kind, "status": status.as_str(), "lastHeartbeatTime": epoch.text(now),
        "lastTransitionTime": epoch.text(since), "reason": reason, "message": message,
    })
}

impl Kube {
    /// Makes a machine a node, under its hostname. Nothing happens for a machine that is one already, or whose name another node
    /// has: it takes that one's place when that one is removed. Pods that a former node of this name left go at once.
    pub fn add_node(&mut self, cx: &mut Cx, fleet: &Fleet, machine: MachineId) {
        let Some(spec) = fleet.machine(machine) else { return };
        let has_name =
            |number: u32| self.nodes.get(number as usize).is_some_and(|node| self.is_node(node.machine));
        if self.is_node(machine) || self.node_number(&spec.hostname).is_some_and(has_name) {
            return;
        }
        self.drop_pods_of(cx, &spec.hostname);
        let capacity = amounts(&spec.resources);
        let labels = labels_of(spec);
        let number = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let node = Node {
            object: None,
            name: spec.hostname.clone(),
            machine,
            address: if spec.ip.is_empty() { spec.hostname.clone() } else { spec.ip.clone() },
            zone: labels.get(ZONE).cloned(),
            labels,
            taints: Vec::new(),
            unschedulable: false,
            allocatable: capacity,
            requested: Amounts::NONE,
            others: others_of(fleet.ledger(), machine, capacity),
            weighed: Amounts::NONE,
            score: None,
            pods: SortedSet::new(),
            booked: 0,
            ports: Vec::new(),
            images: SortedSet::new(),
            ready: Tri::True,
            absence: None,
            absences: 0,
            held: Vec::new(),
            drain: None,
        };
        self.nodes.push(Arc::new(node));
        Arc::make_mut(&mut self.machines).insert(machine, number);
        Arc::make_mut(&mut self.node_names).insert(spec.hostname.clone(), number);
        self.register(cx, number);
        if let Some(how) = fleet.absence(machine) {
            self.node_lost(cx, machine, how);
        }
    }

    /// A node's kubelet makes its Node object.
    fn register(&mut self, cx: &mut Cx, number: u32) {
        let Some(node) = self.nodes.get(number as usize).cloned() else { return };
        let mut parts = Parts::new(KindId::NODE, &"".into(), node.name.clone());
        parts = parts.with_content(planarium_protocol::json!({ "spec": {} }));
        parts.labels = node.labels.clone();
        parts.annotations = Pairs::new([("node.alpha.kubernetes.io/ttl".into(), "0".into())]);
        parts.status = Status::Plain(Arc::new(self.node_status(&node, cx.now(), cx.now())));
        let Ok(object) = self.create_owned(cx, None, parts) else { return };
        self.node_mut(number, |node| node.object = Some(object.no));
        self.refresh_taints(cx, number);
        let message = format!("Node {} event: Registered Node {} in Controller", node.name, node.name);
        self.record(cx, &object, false, "RegisteredNode", &message, "node-controller");
        self.nodes_changed(cx);
    }

    /// The status of a Node object.
    fn node_status(&self, node: &Node, since: SimTime, now: SimTime) -> Value {
        let epoch = self.epoch;
        let (reason, message) = match node.ready {
            Tri::True => ("KubeletReady", "kubelet is posting ready status"),
            _ => ("NodeStatusUnknown", "Kubelet stopped posting node status."),
        };
        let pressure = |kind: &str, good: &str, text: &str| match node.ready {
            Tri::True => condition(kind, Tri::False, good, text, epoch, since, now),
            _ => condition(kind, Tri::Unknown, reason, message, epoch, since, now),
        };
        planarium_protocol::json!({
            "capacity": amounts_value(node.allocatable),
            "allocatable": amounts_value(node.allocatable),
            "conditions": [
                pressure("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                pressure("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                pressure("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                condition("Ready", node.ready, reason, message, epoch, since, now),
            ],
            "addresses": [
                { "type": "InternalIP", "address": node.address },
                { "type": "Hostname", "address": node.name },
            ],
            "daemonEndpoints": { "kubeletEndpoint": { "Port": 10_250 } },
            "nodeInfo": {
                "machineID": draw::uuid(self.seed, draw::entity(&node.name), RETURN, 1),
                "systemUUID": draw::uuid(self.seed, draw::entity(&node.name), RETURN, 2),
                "bootID": draw::uuid(self.seed, draw::entity(&node.name), RETURN, u64::from(node.absences) + 3),
                "kernelVersion": "5.4.0", "osImage": "Planarium", "containerRuntimeVersion": "docker://19.3.15",
                "kubeletVersion": VERSION, "kubeProxyVersion": VERSION, "operatingSystem": "linux", "architecture": "amd64",
            },
        })
    }

    /// Takes the node of a machine that was removed for good: its Node object goes, and its pods with it.
    pub fn remove_node(&mut self, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId) {
        let Some(number) = self.node_of(machine) else { return };
        let pods: Vec<ObjectNo> =
            self.runs.iter().filter(|(_, run)| run.node == number).map(|(no, _)| *no).collect();
        for no in pods {
            if self.store.object(no).is_some() {
                self.forget_processes(fleet, no);
            } else {
                self.end_run(fleet, no);
            }
        }
        self.node_mut(number, |node| {
            node.absence = Some(Absence::Lost);
            node.absences += 1;
        });
        let object = self
            .nodes
            .get(number as usize)
            .and_then(|node| node.object)
            .and_then(|no| self.store.object(no))
            .cloned();
        if let Some(object) = object {
            self.delete_object(cx, &object, &DeleteOptions::default());
        }
        Arc::make_mut(&mut self.machines).remove(&machine);
        let name = self.nodes.get(number as usize).map(|node| node.name.clone());
        let of_name = |other: &MachineId| {
            *other != machine
                && fleet.machine(*other).is_some_and(|spec| Some(&spec.hostname) == name.as_ref())
        };
        if let Some(next) = fleet.machine_ids().find(of_name) {
            self.add_node(cx, fleet, next);
        }
    }

    /// Whether a machine is a node.
    fn is_node(&self, machine: MachineId) -> bool {
        self.machines.contains_key(&machine)
    }

    /// The number of a machine's node.
    pub(crate) fn node_of(&self, machine: MachineId) -> Option<u32> {
        self.machines.get(&machine).copied()
    }

    /// The number of the node of a name.
    pub(crate) fn node_number(&self, name: &str) -> Option<u32> {
        self.node_names.get(name).copied()
    }

    pub(crate) fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(self.node_number(name)? as usize).map(|node| &**node)
    }

    pub(crate) fn node_mut<R>(&mut self, number: u32, change: impl FnOnce(&mut Node) -> R) -> Option<R> {
        self.nodes.get_mut(number as usize).map(|node| change(Arc::make_mut(node)))
    }

    /// DaemonSets look at all nodes again, and pods that found none try again.
    fn nodes_changed(&mut self, cx: &Cx) {
        let sets: Vec<ObjectNo> = self.store.of_kind(KindId::DAEMON_SET, None).map(|set| set.no).collect();
        for set in sets {
            self.ask(cx, Work::Sync(set));
        }
        self.room(cx);
    }

    /// Somebody has changed a Node object, or deleted it.
    pub(crate) fn notice_node(&mut self, cx: &mut Cx, object: &Object, is_gone: bool) {
        let Some(number) = self.node_number(&object.name) else { return };
        if is_gone {
            self.node_mut(number, |node| {
                node.object = None;
                node.drain = None;
            });
            // Pods of a node that is no more are force-deleted after the same time that a node may be silent.
            let absence = self.nodes.get(number as usize).map_or(0, |node| node.absences);
            self.arm(cx, GRACE_MS, Timer::NodeGrace(number, absence));
            return self.nodes_changed(cx);
        }
        let Spec::Node(spec) = &object.spec else { return };
        self.node_mut(number, |node| {
            node.object = Some(object.no);
            node.labels = object.labels.clone();
            node.zone = node.labels.get(ZONE).cloned();
            node.taints.clone_from(&spec.taints);
            node.unschedulable = spec.unschedulable;
        });
        self.refresh_taints(cx, number);
        self.taint_pods(cx, number);
        self.nodes_changed(cx);
    }

    /// Brings the taints that the cluster itself puts on a node in line with its state.
    fn refresh_taints(&mut self, cx: &mut Cx, number: u32) {
        let Some(node) = self.nodes.get(number as usize).cloned() else { return };
        let Some(object) = node.object.and_then(|no| self.store.object(no)).cloned() else { return };
        let own = |key: &str| matches!(key, NOT_READY | UNREACHABLE | UNSCHEDULABLE);
        let mut wanted: Vec<(&str, Effect)> = Vec::new();
        if node.unschedulable {
            wanted.push((UNSCHEDULABLE, Effect::NoSchedule));
        }
        if node.ready != Tri::True {
            wanted.push((UNREACHABLE, Effect::NoSchedule));
            wanted.push((UNREACHABLE, Effect::NoExecute));
        }
        let has = |key: &str, effect: Effect| {
            node.taints.iter().any(|one| *one.key == *key && one.effect == effect)
        };
        let right = wanted.iter().all(|(key, effect)| has(key, *effect))
            && node
                .taints
                .iter()
                .filter(|one| own(&one.key))
                .all(|one| wanted.contains(&(&*one.key, one.effect)));
        if right {
            return;
        }
        let mut content = Value::clone(&object.content);
        let Some(spec) = as_object(&mut content).and_then(|content| object_at(content, "spec")) else {
            return;
        };
        let mut taints: Vec<Value> = spec
            .get("taints")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|one| !own(one.text("key")))
            .cloned()
            .collect();
        for (key, effect) in wanted {
            let mut one = Map::new();
            json::put(&mut one, "key", key.into());
            json::put(&mut one, "effect", effect.as_str().into());
            if effect == Effect::NoExecute || key == UNREACHABLE {
                json::put(&mut one, "timeAdded", self.epoch.text(cx.now()).into());
            }
            taints.push(Value::Object(one));
        }
        if taints.is_empty() {
            spec.shift_remove("taints");
        } else {
            json::put(spec, "taints", Value::Array(taints));
        }
        let typed = crate::spec::read(KindId::NODE, &content);
        self.put(cx, Object { content: Arc::new(content), spec: typed, ..Object::clone(&object) });
    }

    /// Pods that do not tolerate a node's taints go, at once or after the time that they tolerate them.
    fn taint_pods(&mut self, cx: &mut Cx, number: u32) {
        let Some(node) = self.nodes.get(number as usize).cloned() else { return };
        if !node.taints.iter().any(|taint| taint.effect == Effect::NoExecute) {
            return;
        }
        for no in &node.pods {
            let Some(pod) = self.store.object(*no).filter(|pod| !pod.is_being_deleted()).cloned() else {
                continue;
            };
            match tolerance(&pod, &node.taints) {
                Tolerance::Always => {}
                Tolerance::For(seconds) => self.ask_eviction(cx, &pod, seconds.saturating_mul(1000)),
            }
        }
    }

    fn ask_eviction(&mut self, cx: &Cx, pod: &Object, delay_ms: u64) {
        if self.evictions.contains_key(&pod.no) {
            return;
        }
        let timer = self.arm(cx, delay_ms, Timer::Evict(pod.no));
        self.evictions.insert(pod.no, timer);
    }

    /// A pod has tolerated a taint for as long as it does.
    pub(crate) fn evict_tainted(&mut self, cx: &mut Cx, no: ObjectNo) {
        self.evictions.remove(&no);
        let Some(pod) = self.store.object(no).filter(|pod| !pod.is_being_deleted()).cloned() else { return };
        let Spec::Pod(_, own) = &pod.spec else { return };
        let taints = self.node(&own.node).map(|node| node.taints.clone()).unwrap_or_default();
        if !taints.iter().any(|taint| taint.effect == Effect::NoExecute)
            || tolerance(&pod, &taints) == Tolerance::Always
        {
            return;
        }
        let message = format!("Marking for deletion Pod {}/{}", pod.namespace, pod.name);
        self.record(cx, &pod, false, "TaintManagerEviction", &message, "taint-controller");
        self.delete_object(cx, &pod, &DeleteOptions::default());
    }

    /// Pods stay on a node that has come back.
    fn cancel_evictions(&mut self, node: &Node) {
        for no in &node.pods {
            if let Some(timer) = self.evictions.remove(no) {
                self.queue.disarm(Some(timer));
            }
        }
    }

    /// A machine is away.
    pub(crate) fn node_lost(&mut self, cx: &mut Cx, machine: MachineId, how: Absence) {
        let Some(number) = self.node_of(machine) else { return };
        let again = self.nodes.get(number as usize).is_some_and(|node| node.absence.is_some());
        let absence = self.node_mut(number, |node| {
            node.absence = Some(how);
            if !again {
                node.absences += 1;
            }
            node.absences
        });
        if how == Absence::Lost {
            self.containers_lost(number);
        }
        if !again && let Some(absence) = absence {
            self.arm(cx, GRACE_MS, Timer::NodeGrace(number, absence));
        }
    }

    /// A machine is back: its kubelet reports after a while.
    pub(crate) fn node_back(&mut self, cx: &mut Cx, machine: MachineId) {
        let Some(number) = self.node_of(machine) else { return };
        let Some(node) = self.nodes.get(number as usize) else { return };
        let entity = draw::entity(&node.name);
        let delay = draw::between(self.seed, entity, RETURN, u64::from(node.absences) + 100, 1_000, 10_000);
        let absence = node.absences;
        self.arm(cx, delay, Timer::NodeReturns(number, absence));
    }

    /// Nothing was heard of a node for the grace period, or its Node object was deleted as long ago.
    pub(crate) fn node_silent(&mut self, cx: &mut Cx, number: u32, absence: u32) {
        let Some(node) = self.nodes.get(number as usize).cloned() else { return };
        let Some(object) = node.object.and_then(|no| self.store.object(no)).cloned() else {
            return self.drop_pods(cx, &node);
        };
        if node.absence.is_none() || node.absences != absence || node.ready != Tri::True {
            return;
        }
        self.set_ready(cx, number, Tri::Unknown);
        let message = format!("Node {} status is now: NodeNotReady", node.name);
        self.record(cx, &object, false, "NodeNotReady", &message, "node-controller");
        for no in &node.pods {
            let Some(pod) = self.store.object(*no).cloned() else { continue };
            let Status::Pod(status) = &pod.status else { continue };
            if status.ready_since().is_none() {
                continue;
            }
            let mut status = crate::status::PodStatus::clone(status);
            let since = status.condition("Ready").map_or(cx.now(), |one| one.since);
            let _ = since;
            Cond::new("Ready", Tri::False, "", "", cx.now()).put(&mut status.conditions);
            let pod = self.put_status(cx, &pod, Status::Pod(Arc::new(status)));
            self.record(cx, &pod, true, "NodeNotReady", "Node is not ready", "node-controller");
        }
        self.refresh_taints(cx, number);
    }

    /// Pods that are bound to a node, or were made for it, go without a word from it.
    fn drop_pods_of(&mut self, cx: &mut Cx, name: &str) {
        if self.node_number(name).is_none() {
            return;
        }
        let is_meant = |pod: &&Arc<Object>| {
            let Spec::Pod(_, own) = &pod.spec else { return false };
            *own.node == *name || own.pinned.as_deref() == Some(name)
        };
        let pods: Vec<Arc<Object>> =
            self.store.of_kind(KindId::POD, None).filter(is_meant).cloned().collect();
        for pod in pods {
            self.delete_object(cx, &pod, &DeleteOptions { grace_s: Some(0), ..DeleteOptions::default() });
        }
    }

    /// Pods of a node whose object is no more go without a word from it.
    fn drop_pods(&mut self, cx: &mut Cx, node: &Node) {
        for no in &node.pods.clone() {
            if let Some(pod) = self.store.object(*no).cloned() {
                self.delete_object(cx, &pod, &DeleteOptions { grace_s: Some(0), ..DeleteOptions::default() });
            }
        }
    }

    fn set_ready(&mut self, cx: &mut Cx, number: u32, ready: Tri) {
        self.node_mut(number, |node| node.ready = ready);
        let Some(node) = self.nodes.get(number as usize).cloned() else { return };
        let Some(object) = node.object.and_then(|no| self.store.object(no)).cloned() else { return };
        let status = self.node_status(&node, cx.now(), cx.now());
        self.put_status(cx, &object, Status::Plain(Arc::new(status)));
    }

    /// The kubelet of a node that came back reports.
    pub(crate) fn node_returns(&mut self, cx: &mut Cx, fleet: &mut Fleet, number: u32, absence: u32) {
        let Some(node) = self.nodes.get(number as usize).cloned() else { return };
        let Some(how) = node.absence else { return };
        if node.absences != absence
            || fleet.absence(node.machine).is_some()
            || fleet.machine(node.machine).is_none()
        {
            return;
        }
        let held = self.node_mut(number, |node| {
            node.absence = None;
            std::mem::take(&mut node.held)
        });
        if node.object.is_none() {
            // A kubelet that starts registers its node again.
            if how != Absence::Partitioned {
                self.register(cx, number);
            }
        } else if node.ready != Tri::True {
            self.set_ready(cx, number, Tri::True);
            self.refresh_taints(cx, number);
            self.cancel_evictions(&node);
            if let Some(object) = node.object.and_then(|no| self.store.object(no)).cloned() {
                let message = format!("Node {} status is now: NodeReady", node.name);
                self.record(cx, &object, false, "NodeReady", &message, "kubelet");
            }
            self.nodes_changed(cx);
        }
        for event in held.into_iter().flatten() {
            self.heard(cx, fleet, &event);
        }
        for no in &node.pods {
            self.report_pod(cx, *no);
            self.ask(cx, Work::Kubelet(*no));
        }
        // Pods whose objects went while nothing was heard of it.
        let gone: Vec<ObjectNo> = self
            .runs
            .iter()
            .filter(|(no, run)| run.node == number && self.store.object(**no).is_none())
            .map(|(no, _)| *no)
            .collect();
        for no in gone {
            self.end_run(fleet, no);
        }
    }

    /// Whether a node's kubelet is heard of now.
    pub(crate) fn is_heard(&self, number: u32) -> bool {
        self.nodes.get(number as usize).is_some_and(|node| node.absence.is_none())
    }

    // ---- books ---------------------------------------------------------------------------------

    /// Keeps a node's books in line with a pod that has come, changed or gone.
    pub(crate) fn book(&mut self, cx: &Cx, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) {
        let place = |pod: &Arc<Object>| match (&pod.spec, &pod.status) {
            (Spec::Pod(_, own), Status::Pod(status)) if own.is_bound() && !status.phase.is_terminal() => {
                Some(own.node.clone())
            }
            _ => None,
        };
        let (before, after) = (old.and_then(place), new.and_then(place));
        if before == after {
            return;
        }
        if let (Some(name), Some(pod)) = (before, old) {
            self.book_out(&name, pod);
            self.room(cx);
            self.drain_goes_on(cx, &name);
            if let Some(timer) = self.evictions.remove(&pod.no) {
                self.queue.disarm(Some(timer));
            }
        }
        if let (Some(name), Some(pod)) = (after, new) {
            self.book_in(&name, pod);
            self.company(cx);
        }
    }

    fn book_in(&mut self, name: &str, pod: &Object) {
        let Some(number) = self.node_number(name) else { return };
        let Spec::Pod(spec, _) = &pod.spec else { return };
        let requests = spec.requests;
        let ports = spec.host_ports.iter().map(|(port, protocol)| (*port, protocol.clone(), pod.no));
        let manager = pod.controller().map(|owner| owner.uid.clone());
        let version = self.store.version;
        self.node_mut(number, |node| {
            node.booked = version;
            node.pods.insert(pod.no);
            node.requested = node.requested.plus(requests);
            node.weighed = node.weighed.plus(weighed(requests));
            node.rescore(weighed(requests));
            node.ports.extend(ports);
        });
        self.held_changes.note(pod.no, number);
        if let Some(manager) = manager {
            self.scheduler.place(manager, number);
        }
        if !spec.placement.as_ref().is_none_or(|place| place.anti_affinity.is_empty()) {
            self.scheduler.loners.insert(pod.no, ());
        }
    }

    fn book_out(&mut self, name: &str, pod: &Object) {
        self.scheduler.loners.remove(&pod.no);
        let Some(number) = self.node_number(name) else { return };
        let Spec::Pod(spec, _) = &pod.spec else { return };
        let requests = spec.requests;
        let manager = pod.controller().map(|owner| owner.uid.clone());
        let version = self.store.version;
        let was_there = self.node_mut(number, |node| {
            if !node.pods.remove(&pod.no) {
                return false;
            }
            node.booked = version;
            node.requested = node.requested.minus(requests);
            node.weighed = node.weighed.minus(weighed(requests));
            node.rescore(weighed(requests));
            node.ports.retain(|(_, _, no)| *no != pod.no);
            true
        });
        self.held_changes.note(pod.no, number);
        if let Some(manager) = manager.filter(|_| was_there == Some(true)) {
            self.scheduler.displace(&manager, number);
        }
    }

    /// The Node object of a name. *Errors*: 404.
    pub(crate) fn node_object(&self, name: &str) -> Written {
        self.read(ObjectRef::new(KindId::NODE, "", name)).cloned()
    }

    /// Keeps new pods off a node, or lets them come again. *Errors*: 404.
    pub(crate) fn set_unschedulable(
        &mut self,
        cx: &mut Cx,
        name: &str,
        unschedulable: bool,
    ) -> Result<Arc<Object>, ApiError> {
        let object = self.node_object(name)?;
        if object.content().at(&["spec", "unschedulable"]).as_bool().unwrap_or(false) == unschedulable {
            return Ok(object);
        }
        let mut content = Value::clone(&object.content);
        if let Some(spec) = as_object(&mut content).and_then(|content| object_at(content, "spec")) {
            if unschedulable {
                json::put(spec, "unschedulable", true.into());
            } else {
                spec.shift_remove("unschedulable");
            }
        }
        let spec = crate::spec::read(KindId::NODE, &content);
        let object = self.put(cx, Object { content: Arc::new(content), spec, ..Object::clone(&object) });
        let (reason, word) = if unschedulable {
            ("NodeNotSchedulable", "NodeNotSchedulable")
        } else {
            ("NodeSchedulable", "NodeSchedulable")
        };
        self.record(cx, &object, false, reason, &format!("Node {name} status is now: {word}"), "kubelet");
        Ok(self.store.object(object.no).cloned().unwrap_or(object))
    }
}

/// How long a pod tolerates taints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tolerance {
    Always,
    /// For this long; 0 if not at all. *Units*: seconds.
    For(u64),
}

/// How long a pod tolerates the `NoExecute` taints of a node.
fn tolerance(pod: &Object, taints: &[Taint]) -> Tolerance {
    let Spec::Pod(spec, own) = &pod.spec else { return Tolerance::Always };
    let mut shortest: Option<u64> = None;
    for taint in taints.iter().filter(|taint| taint.effect == Effect::NoExecute) {
        let mut found = false;
        let mut seconds: Option<u64> = None;
        for one in spec.tolerations.iter().filter(|one| one.covers(taint)) {
            found = true;
            if let Some(most) = one.seconds {
                let most = u64::try_from(most.max(0)).unwrap_or(0);
                seconds = Some(seconds.map_or(most, |least| least.min(most)));
            }
        }
        if !found && own.of_template && matches!(&*taint.key, NOT_READY | UNREACHABLE) {
            // What admission adds to pods of templates.
            found = true;
            seconds = own.pinned.is_none().then_some(300);
        }
        if !found {
            return Tolerance::For(0);
        }
        if let Some(seconds) = seconds {
            shortest = Some(shortest.map_or(seconds, |least| least.min(seconds)));
        }
    }
    shortest.map_or(Tolerance::Always, Tolerance::For)
}
