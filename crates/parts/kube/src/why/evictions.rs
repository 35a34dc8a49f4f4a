//! Pods that a disruption budget holds where they are, and what would let them go.
//!
//! *Knows*: evictions that were refused, and which calls help. *Must not know*: who evicts.

use super::{Why, WhyKind};
use crate::{
    cluster::Cluster,
    controllers::budget::{self, Holding},
    object::Object,
};
use planarium_part::http::encode;
use planarium_protocol::{
    Text,
    input::{HttpCall, Input},
    json,
    why::Unblock,
};

impl Holding {
    /// `the budget web needs 2 healthy pods and has 2`.
    pub(super) fn sentence(&self) -> String {
        let pods = if self.desired == 1 { "pod" } else { "pods" };
        format!(
            "the budget {} needs {} healthy {pods} and has {}",
            self.budget.name, self.desired, self.healthy
        )
    }
}

/// The reason why a pod is still there whose eviction was asked for.
pub(super) fn why(cluster: &Cluster, pod: &Object) -> Option<Why> {
    let holding = budget::holding(cluster, pod)?;
    let at = cluster.api.epoch.text(holding.at);
    let text = format!("the eviction of pod {} was refused at {at}: {}", pod.name, holding.sentence());
    Some(Why {
        kind: WhyKind::DisruptionBudget,
        about: pod.path(),
        text,
        until: None,
        event: holding.event,
        requests: None,
        pinned: false,
        held: None,
        missing: Vec::new(),
        ways: ways(cluster, pod, &holding),
    })
}

/// What would let a pod go: one pod more where that is enough, or no budget.
pub(super) fn ways(cluster: &Cluster, pod: &Object, holding: &Holding) -> Vec<Unblock> {
    let mut ways = Vec::new();
    if holding.one_more_helps
        && let Some(workload) = scaled(cluster, pod)
    {
        let replicas = workload.replicas.saturating_add(1);
        let call = HttpCall {
            method: "PATCH".to_owned(),
            path: format!("{}/scale", path_of(workload)),
            body: json!({ "spec": { "replicas": replicas } }),
            content_type: Some("application/merge-patch+json".to_owned()),
        };
        ways.push(way(format!("Scale {} up to {replicas}", workload.path()), call));
    }
    let budget = &holding.budget;
    let call = HttpCall {
        method: "DELETE".to_owned(),
        path: path_of(budget),
        body: json::Value::Null,
        content_type: None,
    };
    ways.push(way(format!("Delete the budget {}", budget.name), call));
    ways
}

fn way(title: String, call: HttpCall) -> Unblock {
    Unblock { title, input: Some(Input::Call(call)) }
}

/// The workload whose size the pods of a pod's kind follow: a Deployment rather than its ReplicaSet.
fn scaled<'a>(cluster: &'a Cluster, pod: &'a Object) -> Option<&'a Object> {
    let mut found = None;
    let mut at = cluster.api.store.controller_of(pod);
    for _ in 0..4 {
        let Some(owner) = at else { break };
        found = Some(&**owner).filter(|owner| owner.info().has_scale);
        at = cluster.api.store.controller_of(owner);
    }
    found
}

/// The path of an object below `/kube`.
fn path_of(object: &Object) -> String {
    let info = object.info();
    let version = info.versions.first().cloned().unwrap_or_else(|| Text::from("v1"));
    let group = if info.group.is_empty() {
        format!("/kube/api/{version}")
    } else {
        format!("/kube/apis/{}/{version}", info.group)
    };
    format!("{group}/namespaces/{}/{}/{}", encode(&object.namespace), info.plural, encode(&object.name))
}
