//! Preemption: less important pods are deleted to make room for a more important one.
//!
//! Source: `kubernetes/kubernetes: pkg/scheduler/framework/preemption/preemption.go`, `plugins/defaultpreemption` (1.29); match for
//! eligibility, victims, the preference of nodes, and the words; all nodes are checked, and rules about other pods are evaluated before
//! any victim is removed.

use super::{Candidate, filter, filter::Company};
use crate::{
    amounts::Amounts,
    cluster::Cluster,
    object::{Object, ObjectNo},
    records::nodes::Node,
    spec::{Spec, pod::PodSpec},
    status::Status,
};
use planarium_kernel::{Map, SimTime, SortedMap, sorted};
use planarium_protocol::Text;
use std::{cmp::Reverse, sync::Arc};

const NO_VICTIMS: &str = "No preemption victims found for incoming pod";
const HELPLESS: &str = "Preemption is not helpful for scheduling";

/// Pods that go from a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) node: u32,
    pub(super) victims: Vec<ObjectNo>,
}

/// Nodes as the filters left them: those on which room is all that is missing, and the number of the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Chances {
    pub(super) open: Vec<u32>,
    pub(super) helpless: u32,
}

/// Finds a node on which pods less important than a candidate can be evicted. *Errors*: there is none, with the
/// reason.
pub(super) fn plan(
    cluster: &Cluster,
    candidate: &Candidate<'_>,
    company: &Company,
    chances: &Chances,
) -> Result<Plan, Text> {
    let all = cluster.nodes.count_present();
    let rank = &candidate.own.rank;
    if rank.never_preempts {
        return Err("preemption: not eligible due to preemptionPolicy=Never.".into());
    }
    if waits_for_victims(cluster, candidate) {
        return Err("preemption: not eligible due to a terminating pod on the nominated node.".into());
    }
    let mut refused: SortedMap<Text, u32> = SortedMap::new();
    if chances.helpless > 0 {
        refused.insert(HELPLESS.into(), chances.helpless);
    }
    let mut best: Option<(Cost, Plan)> = None;
    for number in &chances.open {
        let Some(node) = cluster.nodes.get(*number) else { continue };
        match victims(cluster, candidate, company, node) {
            Ok(found) => {
                let plan = Plan { node: *number, victims: found.pods };
                if best.as_ref().is_none_or(|(cost, _)| found.cost < *cost) {
                    best = Some((found.cost, plan));
                }
            }
            Err(reasons) => {
                for reason in reasons {
                    *refused.entry(reason).or_default() += 1;
                }
            }
        }
    }
    best.map(|(_, plan)| plan).ok_or_else(|| {
        let mut reasons: Vec<String> =
            refused.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        sorted::sort(&mut reasons);
        format!("preemption: 0/{all} nodes are available: {}.", reasons.join(", ")).into()
    })
}

/// True while pods that go for a candidate are still on its node.
fn waits_for_victims(cluster: &Cluster, candidate: &Candidate<'_>) -> bool {
    let Some((number, _)) = cluster.scheduler.nominated.get(&candidate.pod.no) else { return false };
    let Some(node) = cluster.nodes.get(*number) else { return false };
    node.pods
        .iter()
        .filter_map(|no| cluster.api.store.object(*no))
        .any(|pod| pod.is_being_deleted() && priority(pod) < candidate.own.rank.value)
}

/// The cost of a choice of victims. *Order*: budgets that are broken, the most important victim, the sum of importance, the number, and
/// then the node whose most important victim began last.
type Cost = (u32, i64, i128, usize, Reverse<SimTime>);

struct Victims {
    pods: Vec<ObjectNo>,
    cost: Cost,
}

/// Finds the pods that have to go from a node. *Errors*: reasons why none would do.
fn victims(
    cluster: &Cluster,
    candidate: &Candidate<'_>,
    company: &Company,
    node: &Node,
) -> Result<Victims, Vec<Text>> {
    let mut lower: Vec<&Arc<Object>> = node
        .pods
        .iter()
        .filter_map(|no| cluster.api.store.object(*no))
        .filter(|pod| priority(pod) < candidate.own.rank.value)
        .collect();
    if lower.is_empty() {
        return Err(vec![NO_VICTIMS.into()]);
    }
    sorted::sort_by_key(&mut lower, |pod| (Reverse(priority(pod)), started(pod), pod.no));
    let mut left = Node::clone(node);
    for pod in &lower {
        take_off(&mut left, pod);
    }
    filter::filter(candidate, &left, company).map_err(|refusal| refusal.reasons)?;
    let (guarded, free) = by_budget(cluster, &lower);
    let (mut going, mut broken) = (Vec::new(), 0);
    for (pods, is_guarded) in [(guarded, true), (free, false)] {
        for pod in pods {
            put_on(&mut left, pod);
            if filter::filter(candidate, &left, company).is_err() {
                take_off(&mut left, pod);
                going.push(pod);
                broken += u32::from(is_guarded);
            }
        }
    }
    if going.is_empty() {
        return Err(vec![NO_VICTIMS.into()]);
    }
    let most = going.iter().map(|pod| priority(pod)).max().unwrap_or(0);
    let first = going.iter().filter(|pod| priority(pod) == most).map(|pod| started(pod)).min();
    // Priorities may be negative; each counts as if the least were zero.
    let sum = going.iter().map(|pod| i128::from(priority(pod)) + i128::from(i32::MAX) + 1).sum();
    let cost = (broken, most, sum, going.len(), Reverse(first.unwrap_or_default()));
    Ok(Victims { pods: going.into_iter().map(|pod| pod.no).collect(), cost })
}

/// Splits pods into those protected by a budget and the others. *Order*: as given.
fn by_budget<'a>(
    cluster: &Cluster,
    pods: &[&'a Arc<Object>],
) -> (Vec<&'a Arc<Object>>, Vec<&'a Arc<Object>>) {
    let mut left: Map<ObjectNo, u32> = Map::new();
    let is_guarded = |pod: &&'a Arc<Object>| {
        let tally = cluster.workloads.pods.get(&pod.no);
        let selections = tally.map(|tally| tally.selected_by.clone()).unwrap_or_default();
        let mut guarded = false;
        for no in selections.iter() {
            let Some(Status::Budget(status)) = cluster.api.store.object(*no).map(|one| &one.status) else {
                continue;
            };
            let allowed = left.get(no).copied().unwrap_or(status.allowed);
            guarded |= allowed == 0;
            left.insert(*no, allowed.saturating_sub(1));
        }
        guarded
    };
    pods.iter().copied().partition(is_guarded)
}

/// Returns the node including the more important pods nominated for it.
pub(super) fn with_nominated(cluster_nodes: &Node, promised: &[Arc<PodSpec>]) -> Node {
    let mut node = Node::clone(cluster_nodes);
    for spec in promised {
        node.requested = node.requested.plus(spec.requests);
        let ports =
            spec.host_ports.iter().map(|(port, protocol)| (*port, protocol.clone(), ObjectNo(u32::MAX)));
        node.ports.extend(ports);
    }
    node
}

fn requests(pod: &Object) -> Amounts {
    match &pod.spec {
        Spec::Pod(spec, _) => spec.requests,
        _ => Amounts::NONE,
    }
}

fn take_off(node: &mut Node, pod: &Object) {
    node.pods.remove(&pod.no);
    node.requested = node.requested.minus(requests(pod));
    node.ports.retain(|(_, _, no)| *no != pod.no);
}

fn put_on(node: &mut Node, pod: &Object) {
    node.pods.insert(pod.no);
    node.requested = node.requested.plus(requests(pod));
    if let Spec::Pod(spec, _) = &pod.spec {
        let ports = spec.host_ports.iter().map(|(port, protocol)| (*port, protocol.clone(), pod.no));
        node.ports.extend(ports);
    }
}

/// A pod's `spec.priority`.
pub(super) fn priority(pod: &Object) -> i64 {
    match &pod.spec {
        Spec::Pod(_, own) => own.rank.value,
        _ => 0,
    }
}

fn started(pod: &Object) -> SimTime {
    match &pod.status {
        Status::Pod(status) => status.start.unwrap_or(pod.created),
        _ => pod.created,
    }
}
