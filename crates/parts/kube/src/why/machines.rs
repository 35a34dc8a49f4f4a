//! Why a machine's node accepts no pods, or only some, and why pods that should leave stay on it.
//!
//! *Knows*: cordons, readiness, taints, and evictions that budgets refused. *Must not know*: a pod's requests.

use super::evictions;
use crate::{
    cluster::Cluster,
    controllers::budget,
    object::Object,
    records::nodes::{GRACE_MS, Node},
    records::queue::Timer,
    status::Tri,
};
use planarium_ground::MachineId;
use planarium_kernel::SimTime;
use planarium_protocol::why::Unblock;
use std::sync::Arc;

/// Prefix of the cluster's own taints: the node's state already explains them.
const OWN_TAINTS: &str = "node.kubernetes.io/";

/// Maximum of held pods that are named.
const HELD: usize = 5;

/// When the node controller detects that a machine is silent; `None` if it is not silent, or was detected.
pub(crate) fn notices_at(cluster: &Cluster, machine: MachineId) -> Option<SimTime> {
    let number = cluster.nodes.of_machine(machine)?;
    let node = cluster.nodes.get(number)?;
    if node.absence.is_none() || node.object.is_none() || node.ready != Tri::True {
        return None;
    }
    cluster.queue.due(&Timer::NodeGrace(number, node.absences))
}

/// Reasons in words, most severe first; none where any pod may come.
pub(crate) fn why(cluster: &Cluster, machine: MachineId) -> Vec<String> {
    let Some(node) = node_of(cluster, machine) else { return Vec::new() };
    let mut reasons = Vec::new();
    if let Some(at) = notices_at(cluster, machine) {
        let grace_s = GRACE_MS / 1000;
        reasons.push(format!("Kubernetes notices at {at}: its node has been silent for {grace_s} s then"));
    }
    if node.ready != Tri::True {
        reasons.push("its node is not ready: nothing is heard of its kubelet".to_owned());
    }
    if node.unschedulable {
        reasons.push("its node is cordoned: no new pods come to it".to_owned());
    }
    let taints = node.taints.iter().filter(|taint| !taint.key.starts_with(OWN_TAINTS));
    reasons.extend(taints.map(|taint| {
        format!("its node has the taint {}: only pods that tolerate it come to it", taint.text())
    }));
    reasons.extend(held(cluster, node).map(|(pod, holding)| {
        format!("pod {}/{} may not be evicted: {}", pod.namespace, pod.name, holding.sentence())
    }));
    reasons
}

/// What would let the pods go that budgets hold on a machine's node.
pub(crate) fn ways(cluster: &Cluster, machine: MachineId) -> Vec<Unblock> {
    let Some(node) = node_of(cluster, machine) else { return Vec::new() };
    let mut ways: Vec<Unblock> = Vec::new();
    for way in held(cluster, node).flat_map(|(pod, holding)| evictions::ways(cluster, pod, &holding)) {
        if ways.iter().all(|known| known.title != way.title) {
            ways.push(way);
        }
    }
    ways
}

fn node_of(cluster: &Cluster, machine: MachineId) -> Option<&Node> {
    cluster.nodes.of_machine(machine).and_then(|number| cluster.nodes.get(number)).map(|node| &**node)
}

/// Pods of a node whose eviction a budget refused and would refuse now.
fn held<'a>(
    cluster: &'a Cluster,
    node: &'a Node,
) -> impl Iterator<Item = (&'a Arc<Object>, budget::Holding)> {
    let pods = node.pods.iter().filter_map(|no| cluster.api.store.object(*no));
    pods.filter_map(|pod| Some((pod, budget::holding(cluster, pod)?))).take(HELD)
}
