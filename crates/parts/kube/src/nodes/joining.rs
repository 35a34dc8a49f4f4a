//! Machines become nodes, and cease to be.

use super::{description, holdings, silence};
use crate::{
    amounts::Amounts,
    api::Parts,
    cluster::Cluster,
    kinds::KindId,
    object::{Object, ObjectNo, Pairs},
    records::nodes::{Node, ZONE},
    request::DeleteOptions,
    spec::Spec,
    status::{Status, Tri},
};
use planarium_ground::{Absence, Cx, Fleet, MachineId};
use planarium_kernel::SortedSet;
use std::sync::Arc;

/// Makes a machine a node, under its hostname. Nothing happens for a machine that is one already, or whose name another node
/// has: it takes that one's place when that one is removed. Pods that a former node of this name left go at once.
pub(crate) fn add_node(cluster: &mut Cluster, cx: &mut Cx, fleet: &Fleet, machine: MachineId) {
    let Some(spec) = fleet.machine(machine) else { return };
    let has_name =
        |number: u32| cluster.nodes.get(number).is_some_and(|node| cluster.nodes.has_machine(node.machine));
    if cluster.nodes.has_machine(machine) || cluster.nodes.number_of(&spec.hostname).is_some_and(has_name) {
        return;
    }
    drop_pods_of(cluster, cx, &spec.hostname);
    let capacity = description::amounts(&spec.resources);
    let labels = description::labels_of(spec);
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
        others: holdings::others_of(fleet.ledger(), machine, capacity),
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
    let number = cluster.nodes.add(node);
    register(cluster, cx, number);
    if let Some(how) = fleet.absence(machine) {
        silence::node_lost(cluster, cx, machine, how);
    }
}

/// A node's kubelet makes its Node object.
pub(super) fn register(cluster: &mut Cluster, cx: &mut Cx, number: u32) {
    let Some(node) = cluster.nodes.get(number).cloned() else { return };
    let mut parts = Parts::new(KindId::NODE, &"".into(), node.name.clone());
    parts = parts.with_content(planarium_protocol::json!({ "spec": {} }));
    parts.labels = node.labels.clone();
    parts.annotations = Pairs::new([("node.alpha.kubernetes.io/ttl".into(), "0".into())]);
    parts.status = Status::Plain(Arc::new(description::status(&cluster.api, &node, cx.now(), cx.now())));
    let Ok(object) = cluster.create_owned(cx, None, parts) else { return };
    cluster.nodes.change(number, |node| node.object = Some(object.no));
    cluster.refresh_taints(cx, number);
    let message = format!("Node {} event: Registered Node {} in Controller", node.name, node.name);
    cluster.reports.record(cx, &object, false, "RegisteredNode", &message, "node-controller");
    cluster.nodes_changed(cx);
}

/// Removes the node of a permanently removed machine: deletes its Node object and its pods.
pub(crate) fn remove_node(cluster: &mut Cluster, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId) {
    let Some(number) = cluster.nodes.of_machine(machine) else { return };
    let pods: Vec<ObjectNo> =
        cluster.runs.all.iter().filter(|(_, run)| run.node == number).map(|(no, _)| *no).collect();
    for no in pods {
        if cluster.api.store.object(no).is_some() {
            cluster.runs.forget_processes(fleet, no);
        } else {
            cluster.runs.end(&mut cluster.queue, fleet, no);
        }
    }
    cluster.nodes.change(number, |node| {
        node.absence = Some(Absence::Lost);
        node.absences += 1;
    });
    let object = cluster
        .nodes
        .get(number)
        .and_then(|node| node.object)
        .and_then(|no| cluster.api.store.object(no))
        .cloned();
    if let Some(object) = object {
        cluster.delete(cx, &object, &DeleteOptions::default());
    }
    cluster.nodes.forget_machine(machine);
    let name = cluster.nodes.get(number).map(|node| node.name.clone());
    let of_name = |other: &MachineId| {
        *other != machine && fleet.machine(*other).is_some_and(|spec| Some(&spec.hostname) == name.as_ref())
    };
    if let Some(next) = fleet.machine_ids().find(of_name) {
        add_node(cluster, cx, fleet, next);
    }
}

/// Pods that are bound to a node, or were made for it, go without a word from it.
fn drop_pods_of(cluster: &mut Cluster, cx: &mut Cx, name: &str) {
    if cluster.nodes.number_of(name).is_none() {
        return;
    }
    let is_meant = |pod: &&Arc<Object>| {
        let Spec::Pod(_, own) = &pod.spec else { return false };
        *own.node == *name || own.pinned.as_deref() == Some(name)
    };
    let pods: Vec<Arc<Object>> =
        cluster.api.store.of_kind(KindId::POD, None).filter(is_meant).cloned().collect();
    for pod in pods {
        cluster.delete(cx, &pod, &DeleteOptions { grace_s: Some(0), ..DeleteOptions::default() });
    }
}
