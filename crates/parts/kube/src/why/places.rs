//! Nodes that do not fit a pod: the refusing filter of each, counted, the nearest miss first.
//!
//! *Knows*: the scheduler's result for each node. *Must not know*: its filters.

use crate::{
    amounts::Amounts,
    kube::Kube,
    object::Object,
    quantity,
    scheduler::{Miss, misses},
    spec::Spec,
    status::{Status, Tri},
};
use planarium_kernel::{SortedMap, sorted};
use planarium_protocol::Text;

/// Maximum number of nodes listed individually.
const TOLD: usize = 5;

/// A node that does not fit a pod, or a count of the remaining ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMiss {
    /// The node; nothing for the rest.
    pub node: Option<Text>,
    /// The filter that refuses, and what would do: `node-2: Insufficient cpu; 0.3 cpus more would do`.
    pub text: String,
}

impl Kube {
    /// Returns the nodes that do not fit an unschedulable pod, the nearest miss first. The last row counts those not listed
    /// individually.
    pub fn missed_by(&self, pod: &Object) -> Vec<NodeMiss> {
        let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return Vec::new() };
        let failed = status
            .condition("PodScheduled")
            .is_some_and(|one| one.status == Tri::False && *one.reason == *"Unschedulable");
        if own.is_bound() || !failed || pod.is_being_deleted() {
            return Vec::new();
        }
        let mut all = misses(&self.cluster, pod);
        sorted::sort_by_key(&mut all, |miss| distance(spec.requests, miss));
        let rest = all.split_off(all.len().min(TOLD));
        let mut told: Vec<NodeMiss> = all.iter().map(one).collect();
        if !rest.is_empty() {
            let mut counts: SortedMap<Text, u32> = SortedMap::new();
            for reason in rest.iter().flat_map(|miss| &miss.reasons) {
                *counts.entry(reason.clone()).or_default() += 1;
            }
            let counts: Vec<String> =
                counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            let text = format!("{} nodes more: {}", rest.len(), counts.join(", "));
            told.push(NodeMiss { node: None, text });
        }
        told
    }
}

/// Rates how far a node is from fitting a pod: nodes without room by the largest missing share of the requests, then those blocked by
/// other pods, then the rest.
fn distance(requests: Amounts, miss: &Miss) -> (u32, i64) {
    let Some(lacks) = miss.lacks else { return (if miss.is_final { 2 } else { 1 }, 0) };
    let share = |lacks: i64, wanted: i64| lacks.saturating_mul(1000).checked_div(wanted.max(1)).unwrap_or(0);
    let shares = [
        share(lacks.cpu_milli, requests.cpu_milli),
        share(lacks.memory, requests.memory),
        share(lacks.storage, requests.storage),
        share(lacks.gpus, requests.gpus),
        share(lacks.pods, 1),
    ];
    (0, shares.into_iter().max().unwrap_or(0))
}

fn one(miss: &Miss) -> NodeMiss {
    let reasons: Vec<&str> =
        miss.reasons.iter().map(|reason| reason.strip_prefix("node(s) ").unwrap_or(reason)).collect();
    let would_do = miss.lacks.map_or_else(String::new, |lacks| format!("; {} more would do", words(lacks)));
    let text = format!("{}: {}{would_do}", miss.node, reasons.join(", "));
    NodeMiss { node: Some(miss.node.clone()), text }
}

/// `0.3 cpus and 512Mi of memory`.
fn words(amounts: Amounts) -> String {
    let milli = amounts.cpu_milli;
    let cpus = format!("{}.{:03}", milli / 1000, milli % 1000);
    let cpus = cpus.trim_end_matches('0').trim_end_matches('.');
    let rows = [
        (milli, format!("{cpus} cpus")),
        (amounts.memory, format!("{} of memory", quantity::bytes_text(amounts.memory))),
        (amounts.storage, format!("{} of disk", quantity::bytes_text(amounts.storage))),
        (amounts.gpus, format!("{} GPUs", amounts.gpus)),
        (
            amounts.pods,
            if amounts.pods == 1 {
                "room for 1 pod".to_owned()
            } else {
                format!("room for {} pods", amounts.pods)
            },
        ),
    ];
    let words: Vec<String> =
        rows.into_iter().filter(|(amount, _)| *amount > 0).map(|(_, word)| word).collect();
    words.join(" and ")
}
