//! Nodes: machines as the cluster sees them, with their totals.
//!
//! *Knows*: a node's capacity, its pods' requests, the allocations of other parts, whether its kubelet reports. *Must
//! not know*: what happens to its pods.
//!
//! *Invariant*: a node's requests are the sum over its pods; [`crate::Kube::check`] recomputes it.

use super::rooms::Rooms;
use crate::{
    amounts::Amounts,
    labels::Pairs,
    object::{Object, ObjectNo},
    spec::{Spec, placement::Taint},
    status::Tri,
    view::DrainFacts,
};
use planarium_ground::{Absence, FleetEventKind, MachineId, Ports};
use planarium_kernel::{Digestible, Map, SimTime, SortedMap, SortedSet, TimerId};
use planarium_protocol::Text;
use std::sync::Arc;

/// The time that a node may be silent. *Units*: milliseconds.
pub(crate) const GRACE_MS: u64 = 40_000;
/// The label with a node's zone.
pub(crate) const ZONE: &str = "topology.kubernetes.io/zone";
/// The best score of one rule of the scheduler.
pub(crate) const MOST: i64 = 100;

/// A machine as the cluster sees it.
#[derive(Clone, Debug, Digestible)]
#[digest(ready.as_str(), absences, pods.len())]
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
    /// Sum of its pods' requests.
    pub(crate) requested: Amounts,
    /// Amounts and ports of the machine that others than pods hold.
    pub(crate) others: Others,
    /// The same, with defaults for pods without requests; used for scores.
    pub(crate) weighed: Amounts,
    /// Its score for a pod with the weight of the last added or removed one, with that weight.
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
    /// Number of times that it was away.
    pub(crate) absences: u32,
    /// Reports that arrived while its kubelet was away.
    pub(crate) held: Vec<FleetEventKind>,
    pub(crate) drain: Option<Drain>,
}

impl Node {
    /// Computes its score again after its pods have changed, for a pod of this weight.
    fn rescore(&mut self, weight: Amounts) {
        self.score = Some((weight, resources(weight, self)));
    }

    /// Notes what others hold now; the score follows.
    pub(crate) fn set_others(&mut self, others: Others) {
        self.others = others;
        if let Some((weight, _)) = self.score {
            self.rescore(weight);
        }
    }
}

/// A drain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Drain {
    pub(crate) since: SimTime,
    pub(crate) grace_s: Option<u32>,
    pub(crate) disable_eviction: bool,
    /// True if it is to ask again.
    pub(crate) armed: bool,
    pub(crate) facts: DrainFacts,
}

/// Amounts counted for a pod without requests. *Units*: thousandths of a CPU, bytes.
const LEAST_CPU: i64 = 100;
const LEAST_MEMORY: i64 = 200 * 1024 * 1024;

/// Weighs a pod's requests for scores.
pub(crate) fn weighed(requests: Amounts) -> Amounts {
    let or = |amount: i64, least: i64| if amount == 0 { least } else { amount };
    Amounts {
        cpu_milli: or(requests.cpu_milli, LEAST_CPU),
        memory: or(requests.memory, LEAST_MEMORY),
        ..requests
    }
}

/// All nodes that there have been. *Order*: joining; a node's number is its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) all: Vec<Arc<Node>>,
    /// Number of nodes that have a Node object.
    present: u32,
    /// Room of these nodes for pods without rules.
    pub(crate) rooms: Rooms,
    machines: Arc<SortedMap<MachineId, u32>>,
    names: Arc<SortedMap<Text, u32>>,
    /// Pods that are to leave a tainted node.
    pub(crate) evictions: Map<ObjectNo, TimerId>,
    /// Pods whose holdings the ledger of machines does not have yet.
    pub(crate) held_changes: HeldChanges,
}

impl Nodes {
    /// The node of a number.
    pub(crate) fn get(&self, number: u32) -> Option<&Arc<Node>> {
        self.all.get(number as usize)
    }

    /// The node of a name.
    pub(crate) fn named(&self, name: &str) -> Option<&Node> {
        self.get(self.number_of(name)?).map(|node| &**node)
    }

    /// The number of the node of a name.
    pub(crate) fn number_of(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    /// The number of a machine's node.
    pub(crate) fn of_machine(&self, machine: MachineId) -> Option<u32> {
        self.machines.get(&machine).copied()
    }

    /// True if a machine is a node.
    pub(crate) fn has_machine(&self, machine: MachineId) -> bool {
        self.machines.contains_key(&machine)
    }

    /// Nodes that have a Node object.
    pub(crate) fn present(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.all.iter().filter(|node| node.object.is_some())
    }

    /// Number of nodes that have a Node object.
    pub(crate) const fn count_present(&self) -> usize {
        self.present as usize
    }

    /// True if a node's kubelet is heard of now.
    pub(crate) fn is_heard(&self, number: u32) -> bool {
        self.get(number).is_some_and(|node| node.absence.is_none())
    }

    /// Changes a node.
    pub(crate) fn change<R>(&mut self, number: u32, change: impl FnOnce(&mut Node) -> R) -> Option<R> {
        let node = self.all.get_mut(number as usize)?;
        let was_present = node.object.is_some();
        let result = change(Arc::make_mut(node));
        self.present = self.present - u32::from(was_present) + u32::from(node.object.is_some());
        self.rooms.refresh(number, node);
        Some(result)
    }

    /// Adds a node under the name of its machine; returns its number.
    pub(crate) fn add(&mut self, node: Node) -> u32 {
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        Arc::make_mut(&mut self.machines).insert(node.machine, number);
        Arc::make_mut(&mut self.names).insert(node.name.clone(), number);
        self.rooms.add(&node);
        self.present += u32::from(node.object.is_some());
        self.all.push(Arc::new(node));
        number
    }

    /// Forgets which node a machine is.
    pub(crate) fn forget_machine(&mut self, machine: MachineId) {
        Arc::make_mut(&mut self.machines).remove(&machine);
    }

    /// Books a pod on its node, at a version of the cluster; returns the number of the node.
    pub(crate) fn book_in(&mut self, name: &str, pod: &Object, version: u64) -> Option<u32> {
        let number = self.number_of(name)?;
        let Spec::Pod(spec, _) = &pod.spec else { return None };
        let requests = spec.requests;
        let ports = spec.host_ports.iter().map(|(port, protocol)| (*port, protocol.clone(), pod.no));
        self.change(number, |node| {
            node.booked = version;
            node.pods.insert(pod.no);
            node.requested = node.requested.plus(requests);
            node.weighed = node.weighed.plus(weighed(requests));
            node.rescore(weighed(requests));
            node.ports.extend(ports);
        });
        self.held_changes.note(pod.no, number);
        Some(number)
    }

    /// Takes a pod off the books of its node; returns the number of the node if the pod was there.
    pub(crate) fn book_out(&mut self, name: &str, pod: &Object, version: u64) -> Option<u32> {
        let number = self.number_of(name)?;
        let Spec::Pod(spec, _) = &pod.spec else { return None };
        let requests = spec.requests;
        let was_there = self.change(number, |node| {
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
        (was_there == Some(true)).then_some(number)
    }
}

/// Amounts and ports of a node that others hold, as far as that takes room from pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Others {
    pub(crate) amounts: Amounts,
    pub(crate) ports: Vec<Ports>,
}

/// Pods that came to a node or went since the ledger was last brought up to date.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldChanges(pub(crate) Vec<(ObjectNo, u32)>);

impl HeldChanges {
    /// Records that a pod was added to or removed from a node.
    pub(crate) fn note(&mut self, pod: ObjectNo, node: u32) {
        if self.0.last() != Some(&(pod, node)) {
            self.0.push((pod, node));
        }
    }
}

impl Node {
    /// Amounts that are still free for requests.
    pub(crate) fn free(&self) -> Amounts {
        self.allocatable.minus(self.requested).minus(self.others.amounts)
    }

    /// True if others hold a port of the machine.
    pub(crate) fn is_port_taken(&self, port: i64) -> bool {
        let Ok(port) = u16::try_from(port) else { return false };
        self.others.ports.iter().any(|taken| taken.meets(Ports { first: port, last: port }))
    }
}

/// Least allocated, and CPU and memory in balance. Amounts that others hold of the machine count as allocated.
pub(crate) fn resources(requests: Amounts, node: &Node) -> i64 {
    let used = node.weighed.plus(requests).plus(node.others.amounts);
    let share =
        |used: i64, of: i64| if of <= 0 { 1000 } else { (used.saturating_mul(1000) / of).clamp(0, 1000) };
    let cpu = share(used.cpu_milli, node.allocatable.cpu_milli);
    let memory = share(used.memory / 1024, node.allocatable.memory / 1024);
    let least = (1000 - cpu + 1000 - memory) / 20;
    let balance = if cpu >= 1000 || memory >= 1000 { 0 } else { MOST - (cpu - memory).abs() / 10 };
    least + balance
}
