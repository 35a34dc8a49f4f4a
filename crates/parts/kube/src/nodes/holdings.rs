//! The ledger of machines: pods' requests, and the allocations of other parts on nodes.
//!
//! *Knows*: nodes' totals and the ledger. *Must not know*: the other parts. A pod holds its requests from its binding to its
//! end; one that was bound past the scheduler and finds no room holds nothing, and its kubelet refuses it.

use crate::{
    amounts::Amounts,
    cluster::Cluster,
    kubelet::KUBELETS,
    object::Object,
    records::nodes::{Node, Nodes, Others},
    spec::{Spec, pod::PodSpec},
};
use planarium_ground::{
    Amounts as Held, Cx, Fleet, Holder, Holding, HoldingId, Ledger, MachineId, Ports, Scalar,
};
use planarium_kernel::Milli;
use planarium_protocol::why::HeldByOthers;
use std::sync::Arc;

/// An amount in whole units, rounded up.
const fn whole_up(amount: Milli) -> i64 {
    amount.thousandths().saturating_add(999).div_euclid(1000)
}

fn held(requests: Amounts) -> Held {
    Held::in_bytes(requests.cpu_milli, requests.memory, requests.storage, requests.gpus)
}

fn host_ports(spec: &PodSpec) -> Arc<[Ports]> {
    if spec.host_ports.is_empty() {
        return Arc::default();
    }
    let ports = spec.host_ports.iter().filter_map(|(port, _)| u16::try_from(*port).ok());
    ports.map(|port| Ports { first: port, last: port }).collect()
}

/// Reads what others hold of a machine beyond what no pod could have anyway.
pub(crate) fn others_of(ledger: &Ledger, machine: MachineId, allocatable: Amounts) -> Others {
    let beside = ledger.has(machine).less(held(allocatable));
    let taken = ledger.held_by_others(machine, KUBELETS).less(beside);
    let mut ports: Vec<Ports> = ledger.ports_of_others(machine, KUBELETS).collect();
    planarium_kernel::sorted::sort(&mut ports);
    Others {
        amounts: Amounts {
            cpu_milli: taken.cpus.thousandths(),
            memory: whole_up(taken.mem),
            storage: whole_up(taken.disk),
            gpus: whole_up(taken.gpus),
            ..Amounts::NONE
        },
        ports,
    }
}

/// True if the ledger is behind what nodes' books say.
pub(crate) const fn is_behind(nodes: &Nodes) -> bool {
    !nodes.held_changes.0.is_empty()
}

/// Brings the ledger in line with what pods hold.
pub(crate) fn settle(cluster: &mut Cluster, cx: &Cx, fleet: &mut Fleet) {
    for (no, number) in std::mem::take(&mut cluster.nodes.held_changes.0) {
        let Some(node) = cluster.nodes.get(number) else { continue };
        let machine = node.machine;
        let id = HoldingId { owner: KUBELETS, number: u64::from(no.0) };
        let pod = cluster.api.store.object(no).filter(|_| node.pods.contains(&no));
        match pod.and_then(|pod| holding_of(cluster, pod)) {
            Some(holding) if fleet.ledger().holding(machine, KUBELETS, id.number) == Some(&holding) => {}
            Some(holding) if fleet.ledger().free_for(machine, KUBELETS).contains(holding.amounts) => {
                fleet.hold(cx, machine, id, holding);
            }
            Some(_) => {}
            None => fleet.release(cx, machine, id),
        }
    }
}

fn holding_of(cluster: &Cluster, pod: &Object) -> Option<Holding> {
    let Spec::Pod(spec, _) = &pod.spec else { return None };
    let holder =
        Holder { owner: "Kubernetes", kind: "pod", name: pod.name.clone(), service: cluster.service_of(pod) };
    Some(Holding { holder, amounts: held(spec.requests), ports: host_ports(spec) })
}

/// Others hold more or less of a machine than before: pods that found no node try again when it is less.
pub(crate) fn others_changed(cluster: &mut Cluster, cx: &Cx, fleet: &Fleet, machine: MachineId) {
    let Some(number) = cluster.nodes.of_machine(machine) else { return };
    let Some(node) = cluster.nodes.get(number) else { return };
    let (before, allocatable) = (node.others.clone(), node.allocatable);
    let after = others_of(fleet.ledger(), machine, allocatable);
    if before == after {
        return;
    }
    let gained = before.amounts.minus(after.amounts);
    let freed = [gained.cpu_milli, gained.memory, gained.storage, gained.gpus].iter().any(|one| *one > 0)
        || before.ports.iter().any(|port| !after.ports.contains(port));
    cluster.nodes.change(number, |node| node.set_others(after));
    if freed {
        cluster.room(cx);
    }
}

/// Finds nodes where a pod would fit without the allocations of other parts: the node, the missing resource, and the
/// holder.
pub(crate) fn held_from<'a>(
    nodes: &'a Nodes,
    fleet: &Fleet,
    spec: &PodSpec,
) -> Vec<(&'a Node, Scalar, HeldByOthers)> {
    let mut found = Vec::new();
    for node in nodes.present() {
        let (alone, free) = (node.allocatable.minus(node.requested), node.free());
        let rows = [
            (Scalar::Cpus, spec.requests.cpu_milli, alone.cpu_milli, free.cpu_milli),
            (Scalar::Mem, spec.requests.memory, alone.memory, free.memory),
            (Scalar::Disk, spec.requests.storage, alone.storage, free.storage),
            (Scalar::Gpus, spec.requests.gpus, alone.gpus, free.gpus),
        ];
        for (scalar, wanted, alone, free) in rows {
            if wanted > 0 && wanted > free && wanted <= alone {
                let others = fleet.ledger().named_others(node.machine, KUBELETS, scalar);
                found.extend(others.map(|held| (&**node, scalar, held)));
            }
        }
    }
    found
}

/// Says in words where the ledger differs from the books of nodes.
pub(crate) fn check(nodes: &Nodes, fleet: &Fleet, broken: &mut Vec<String>) {
    if !nodes.held_changes.0.is_empty() {
        return;
    }
    for node in &nodes.all {
        if nodes.of_machine(node.machine).is_none() {
            continue;
        }
        let others = others_of(fleet.ledger(), node.machine, node.allocatable);
        if others != node.others {
            broken.push(format!("node {}: others hold {others:?}, it has {:?}", node.name, node.others));
        }
        let all = fleet.ledger().holdings_between(node.machine, KUBELETS, 0..=u64::MAX);
        for (key, holding) in all {
            if !node.pods.iter().any(|no| u64::from(no.0) == key) {
                broken.push(format!(
                    "node {}: {} {} holds something and is gone",
                    node.name, holding.holder.kind, holding.holder.name
                ));
            }
        }
    }
}
