//! Cordon, drain, uncordon: a node is emptied for maintenance.
//!
//! Source: `kubernetes/kubectl: pkg/drain/{drain,filters}.go` with the flags `--ignore-daemonsets --delete-emptydir-data
//! --force`; match: pods are evicted at once, those that a budget holds are asked for again every 5 s, as long as something has
//! changed meanwhile.

use super::cordon;
use crate::{
    cluster::Cluster,
    controllers::budget,
    error::Reason,
    kinds::KindId,
    object::Object,
    records::nodes::Drain,
    records::store::Store,
    request::{DeleteOptions, Written},
    view::{DrainFacts, DrainOptions},
};
use planarium_ground::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

/// Cordons a node and evicts its pods, those of DaemonSets apart, as disruption budgets allow; asks again every 5 s.
/// *Errors*: 404.
pub(crate) fn drain(cluster: &mut Cluster, cx: &mut Cx, node: &str, options: DrainOptions) -> Written {
    let object = cordon::set_unschedulable(cluster, cx, node, true)?;
    let Some(number) = cluster.nodes.number_of(node) else { return Ok(object) };
    let since = cx.now();
    let facts = DrainFacts { since, left: Vec::new(), blocked: Vec::new(), done: false };
    let DrainOptions { grace_s, disable_eviction } = options;
    cluster.nodes.change(number, |node| {
        node.drain = Some(Drain { since, grace_s, disable_eviction, armed: false, facts });
    });
    drain_on(cluster, cx, number);
    Ok(cluster.api.store.object(object.no).cloned().unwrap_or(object))
}

/// Evicts what can be evicted now.
pub(crate) fn drain_on(cluster: &mut Cluster, cx: &mut Cx, number: u32) {
    let Some(node) = cluster.nodes.get(number).cloned() else { return };
    let Some(drain) = node.drain.clone() else { return };
    let stays = |store: &Store, pod: &Object| {
        let owner = store.controller_of(pod);
        owner.is_some_and(|owner| owner.kind == KindId::DAEMON_SET)
            || pod.annotations.get("kubernetes.io/config.mirror").is_some()
    };
    let pods: Vec<Arc<Object>> = node
        .pods
        .iter()
        .filter_map(|no| cluster.api.store.object(*no))
        .filter(|pod| !stays(&cluster.api.store, pod))
        .cloned()
        .collect();
    let options = DeleteOptions { grace_s: drain.grace_s, ..DeleteOptions::default() };
    let (mut left, mut blocked): (Vec<Text>, Vec<Text>) = (Vec::new(), Vec::new());
    for pod in pods {
        let name: Text = format!("{}/{}", pod.namespace, pod.name).into();
        left.push(name.clone());
        if pod.is_being_deleted() {
            continue;
        }
        if drain.disable_eviction {
            cluster.delete(cx, &pod, &options);
            continue;
        }
        match budget::evict(cluster, cx, &pod.namespace, &pod.name, &options) {
            Ok(_) => {}
            Err(error) if error.reason == Reason::NotFound => {}
            Err(error) => {
                cluster.reports.record(cx, &pod, true, "EvictionBlocked", &error.message, "drain");
                blocked.push(name);
            }
        }
    }
    let done = left.is_empty();
    cluster.nodes.change(number, |node| {
        if let Some(drain) = &mut node.drain {
            drain.armed = false;
            drain.facts = DrainFacts { since: drain.since, left, blocked, done };
        }
    });
}
