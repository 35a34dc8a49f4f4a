//! Why a machine's node takes no pods, or only some.
//!
//! *Knows*: cordons, readiness and taints. *Must not know*: what a pod asks for.

use crate::{records::nodes::Nodes, status::Tri};
use planarium_ground::MachineId;

/// The prefix of taints that the cluster sets by itself: what they say is said of the node's state already.
const OWN_TAINTS: &str = "node.kubernetes.io/";

/// Reasons in words, most severe first; none where any pod may come.
pub(crate) fn why(nodes: &Nodes, machine: MachineId) -> Vec<String> {
    let Some(node) = nodes.of_machine(machine).and_then(|number| nodes.get(number)) else {
        return Vec::new();
    };
    let mut reasons = Vec::new();
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
