//! Why each node does not fit an unschedulable pod.
//!
//! *Knows*: the filter that refuses on each node, and whether only room is missing. *Must not know*: the wording.

use super::{Candidate, filter, placing::Snapshot, volumes};
use crate::{amounts::Amounts, cluster::Cluster, object::Object, records::nodes::Node, spec::Spec};
use planarium_protocol::Text;

/// A node that does not take a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Miss {
    pub(crate) node: Text,
    /// As the first filter that refuses says.
    pub(crate) reasons: Vec<Text>,
    /// True if it would not take it without any other pod either.
    pub(crate) is_final: bool,
    /// The room that is missing, if the node takes the pod with that much more.
    pub(crate) lacks: Option<Amounts>,
}

/// Nodes that do not take a pod, in their order; nothing while its volumes are not there, as no node is looked at then.
pub(crate) fn misses(cluster: &Cluster, pod: &Object) -> Vec<Miss> {
    let Spec::Pod(spec, own) = &pod.spec else { return Vec::new() };
    let Ok((volumes, wanted)) = volumes::terms(&cluster.api, pod) else { return Vec::new() };
    if !wanted.is_empty() {
        return Vec::new();
    }
    let candidate = Candidate { pod, spec, own, volumes };
    let snapshot = Snapshot {
        seed: cluster.api.seed,
        store: &cluster.api.store,
        nodes: &cluster.nodes,
        scheduler: &cluster.scheduler,
    };
    let company = snapshot.company_of(&candidate);
    let mut found = Vec::new();
    for (number, node) in (0..).zip(&cluster.nodes.all) {
        let is_meant = own.pinned.as_ref().is_none_or(|pinned| *pinned == node.name);
        if node.object.is_none() || !is_meant {
            continue;
        }
        let promised = snapshot.with_promised(&candidate, number, node);
        let node = promised.as_ref().unwrap_or(node);
        if let Err(refusal) = filter::filter(&candidate, node, &company) {
            let lacks = shortage(spec.requests, node).filter(|lacks| {
                let allocatable = node.allocatable.plus(*lacks);
                filter::filter(&candidate, &Node { allocatable, ..node.clone() }, &company).is_ok()
            });
            let filter::Refusal { reasons, is_final } = refusal;
            found.push(Miss { node: node.name.clone(), reasons, is_final, lacks });
        }
    }
    found
}

/// Returns the amounts that a node lacks for a pod; `None` if it has enough room.
fn shortage(requests: Amounts, node: &Node) -> Option<Amounts> {
    let lacks = requests.minus(node.free());
    let of = |wanted: i64, lacks: i64| if wanted > 0 { lacks.max(0) } else { 0 };
    let pods = i64::try_from(node.pods.len()).unwrap_or(i64::MAX);
    let lacks = Amounts {
        cpu_milli: of(requests.cpu_milli, lacks.cpu_milli),
        memory: of(requests.memory, lacks.memory),
        storage: of(requests.storage, lacks.storage),
        gpus: of(requests.gpus, lacks.gpus),
        pods: pods.saturating_add(1).saturating_sub(node.allocatable.pods).max(0),
    };
    (lacks != Amounts::NONE).then_some(lacks)
}
