//! Nodes that are not heard of, and that come back.

use super::{RETURN, description, joining};
use crate::{
    cluster::Cluster,
    kubelet::Kubelet,
    object::ObjectNo,
    records::nodes::{GRACE_MS, Node},
    records::queue::{Timer, Work},
    request::DeleteOptions,
    status::{Cond, Status, Tri},
};
use planarium_ground::{Absence, Cx, Fleet, MachineId};
use planarium_kernel::draw;
use std::sync::Arc;

/// A machine is away.
pub(crate) fn node_lost(cluster: &mut Cluster, cx: &mut Cx, machine: MachineId, how: Absence) {
    let Some(number) = cluster.nodes.of_machine(machine) else { return };
    let again = cluster.nodes.get(number).is_some_and(|node| node.absence.is_some());
    let absence = cluster.nodes.change(number, |node| {
        node.absence = Some(how);
        if !again {
            node.absences += 1;
        }
        node.absences
    });
    if how == Absence::Lost {
        cluster.runs.lose_machine(&mut cluster.queue, number);
    }
    if !again && let Some(absence) = absence {
        cluster.queue.arm_in(cx, GRACE_MS, Timer::NodeGrace(number, absence));
    }
}

/// Handles a machine's return: its kubelet reports after a delay.
pub(crate) fn node_back(cluster: &mut Cluster, cx: &mut Cx, machine: MachineId) {
    let Some(number) = cluster.nodes.of_machine(machine) else { return };
    let Some(node) = cluster.nodes.get(number) else { return };
    let entity = draw::entity(&node.name);
    let delay =
        draw::between(cluster.api.seed, entity, RETURN, u64::from(node.absences) + 100, 1_000, 10_000);
    let absence = node.absences;
    cluster.queue.arm_in(cx, delay, Timer::NodeReturns(number, absence));
}

/// Nothing was heard of a node for the grace period, or its Node object was deleted as long ago.
pub(crate) fn node_silent(cluster: &mut Cluster, cx: &mut Cx, number: u32, absence: u32) {
    let Some(node) = cluster.nodes.get(number).cloned() else { return };
    let Some(object) = node.object.and_then(|no| cluster.api.store.object(no)).cloned() else {
        return drop_pods(cluster, cx, &node);
    };
    if node.absence.is_none() || node.absences != absence || node.ready != Tri::True {
        return;
    }
    set_ready(cluster, cx, number, Tri::Unknown);
    let message = format!("Node {} status is now: NodeNotReady", node.name);
    cluster.reports.record(cx, &object, false, "NodeNotReady", &message, "node-controller");
    for no in &node.pods {
        let Some(pod) = cluster.api.store.object(*no).cloned() else { continue };
        let Status::Pod(status) = &pod.status else { continue };
        if status.ready_since().is_none() {
            continue;
        }
        let mut status = crate::status::PodStatus::clone(status);
        Cond::new("Ready", Tri::False, "", "", cx.now()).put(&mut status.conditions);
        let pod = cluster.put_status(cx, &pod, Status::Pod(Arc::new(status)));
        cluster.reports.record(cx, &pod, true, "NodeNotReady", "Node is not ready", "node-controller");
    }
    cluster.refresh_taints(cx, number);
}

/// Removes the pods of a deleted node without reports from it.
fn drop_pods(cluster: &mut Cluster, cx: &mut Cx, node: &Node) {
    for no in &node.pods.clone() {
        if let Some(pod) = cluster.api.store.object(*no).cloned() {
            cluster.delete(cx, &pod, &DeleteOptions { grace_s: Some(0), ..DeleteOptions::default() });
        }
    }
}

fn set_ready(cluster: &mut Cluster, cx: &mut Cx, number: u32, ready: Tri) {
    cluster.nodes.change(number, |node| node.ready = ready);
    let Some(node) = cluster.nodes.get(number).cloned() else { return };
    let Some(object) = node.object.and_then(|no| cluster.api.store.object(no)).cloned() else { return };
    let status = description::status(&cluster.api, &node, cx.now(), cx.now());
    cluster.put_status(cx, &object, Status::Plain(Arc::new(status)));
}

/// The kubelet of a node that came back reports.
pub(crate) fn node_returns(cluster: &mut Cluster, cx: &mut Cx, fleet: &mut Fleet, number: u32, absence: u32) {
    let Some(node) = cluster.nodes.get(number).cloned() else { return };
    let Some(how) = node.absence else { return };
    if node.absences != absence
        || fleet.absence(node.machine).is_some()
        || fleet.machine(node.machine).is_none()
    {
        return;
    }
    let held = cluster.nodes.change(number, |node| {
        node.absence = None;
        std::mem::take(&mut node.held)
    });
    if node.object.is_none() {
        // A kubelet that starts registers its node again.
        if how != Absence::Partitioned {
            joining::register(cluster, cx, number);
        }
    } else if node.ready != Tri::True {
        set_ready(cluster, cx, number, Tri::True);
        cluster.refresh_taints(cx, number);
        cancel_evictions(cluster, &node);
        if let Some(object) = node.object.and_then(|no| cluster.api.store.object(no)).cloned() {
            let message = format!("Node {} status is now: NodeReady", node.name);
            cluster.reports.record(cx, &object, false, "NodeReady", &message, "kubelet");
        }
        cluster.nodes_changed(cx);
    }
    for event in held.into_iter().flatten() {
        Kubelet { cluster, cx, fleet }.hear(&event);
    }
    for no in &node.pods {
        Kubelet { cluster, cx, fleet }.report_pod(*no);
        cluster.queue.ask(cx, Work::Kubelet(*no));
    }
    // Pods whose objects were deleted while the node was silent.
    let gone: Vec<ObjectNo> = cluster
        .runs
        .all
        .iter()
        .filter(|(no, run)| run.node == number && cluster.api.store.object(**no).is_none())
        .map(|(no, _)| *no)
        .collect();
    for no in gone {
        cluster.runs.end(&mut cluster.queue, fleet, no);
    }
}

/// Pods stay on a node that has come back.
fn cancel_evictions(cluster: &mut Cluster, node: &Node) {
    for no in &node.pods {
        if let Some(timer) = cluster.nodes.evictions.remove(no) {
            cluster.queue.disarm(Some(timer));
        }
    }
}
