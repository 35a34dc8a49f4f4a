//! Why a machine's node takes no pods, or only some.
//!
//! *Knows*: cordons, readiness and taints. *Must not know*: what a pod asks for.

use crate::{
    cluster::Cluster,
    records::nodes::{GRACE_MS, Nodes},
    records::queue::Timer,
    status::Tri,
};
use planarium_ground::MachineId;
use planarium_kernel::SimTime;

/// The prefix of taints that the cluster sets by itself: what they say is said of the node's state already.
const OWN_TAINTS: &str = "node.kubernetes.io/";

/// When the node controller notices that a machine is silent; none where it hears of the node, or has noticed.
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
    let nodes: &Nodes = &cluster.nodes;
    let Some(node) = nodes.of_machine(machine).and_then(|number| nodes.get(number)) else {
        return Vec::new();
    };
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
    reasons
}
