//! The metrics API: what `kubectl top` prints.
//!
//! **Source**: `kubernetes/metrics: pkg/apis/metrics/v1beta1/types.go`; the numbers are those of [`crate::cluster::usage`].

use super::{Request, nothing_there};
use crate::{
    cluster::usage::{Use, WINDOW_MS, window_end},
    error::ApiError,
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectRef},
    quantity::{bytes_text, cpu_text},
    selector::Selector,
};
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_protocol::json::Value;

/// The group of the metrics API.
pub(super) const GROUP: &str = "metrics.k8s.io";
pub(super) const VERSION: &str = "v1beta1";

/// The resources of the group.
pub(super) fn resources() -> Value {
    let one = |name: &str, kind: &str, namespaced: bool| {
        planarium_protocol::json!({
            "name": name, "singularName": "", "namespaced": namespaced, "kind": kind, "verbs": ["get", "list"],
        })
    };
    planarium_protocol::json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": format!("{GROUP}/{VERSION}"),
        "resources": [one("nodes", "NodeMetrics", false), one("pods", "PodMetrics", true)],
    })
}

/// Answers a question below the group's version.
pub(super) fn answer(
    kube: &Kube,
    fleet: &Fleet,
    now: SimTime,
    request: &Request<'_>,
    rest: &[&str],
) -> Result<Value, ApiError> {
    let labels = request.param("labelSelector").unwrap_or_default();
    let labels =
        Selector::parse(&labels).map_err(|text| ApiError::new(crate::error::Reason::BadRequest, text))?;
    match rest {
        ["nodes"] => {
            let all = kube.api().list(KindId::NODE, None, &labels);
            Ok(list("NodeMetricsList", all.iter().filter_map(|one| node(kube, fleet, now, one)).collect()))
        }
        ["nodes", name] => {
            let object = kube.read(ObjectRef::new(KindId::NODE, "", name))?;
            node(kube, fleet, now, object).ok_or_else(nothing_there)
        }
        ["pods"] => Ok(pods(kube, fleet, now, None, &labels)),
        ["namespaces", namespace, "pods"] => Ok(pods(kube, fleet, now, Some(namespace), &labels)),
        ["namespaces", namespace, "pods", name] => {
            let object = kube.read(ObjectRef::new(KindId::POD, namespace, name))?;
            pod(kube, fleet, now, object).ok_or_else(|| {
                let message = format!("podmetrics.{GROUP} \"{namespace}/{name}\" not found");
                ApiError::new(crate::error::Reason::NotFound, message)
            })
        }
        _ => Err(nothing_there()),
    }
}

fn pods(kube: &Kube, fleet: &Fleet, now: SimTime, namespace: Option<&str>, labels: &Selector) -> Value {
    let all = kube.api().list(KindId::POD, namespace, labels);
    list("PodMetricsList", all.iter().filter_map(|one| pod(kube, fleet, now, one)).collect())
}

fn list(kind: &str, items: Vec<Value>) -> Value {
    planarium_protocol::json!({
        "kind": kind, "apiVersion": format!("{GROUP}/{VERSION}"), "metadata": {}, "items": items,
    })
}

fn amounts(cpu_milli: i64, memory: i64) -> Value {
    planarium_protocol::json!({ "cpu": cpu_text(cpu_milli), "memory": bytes_text(memory - memory % 1024) })
}

fn head(kube: &Kube, now: SimTime, object: &Object, kind: &str) -> serde_json::Map<String, Value> {
    let epoch = kube.api().epoch;
    let mut metadata = serde_json::Map::new();
    metadata.insert("name".to_owned(), object.name.as_ref().into());
    if !object.namespace.is_empty() {
        metadata.insert("namespace".to_owned(), object.namespace.as_ref().into());
    }
    metadata.insert("creationTimestamp".to_owned(), epoch.text(now).into());
    if !object.labels.is_empty() {
        metadata.insert("labels".to_owned(), object.labels.to_value());
    }
    let mut fields = serde_json::Map::new();
    fields.insert("kind".to_owned(), kind.into());
    fields.insert("apiVersion".to_owned(), format!("{GROUP}/{VERSION}").into());
    fields.insert("metadata".to_owned(), Value::Object(metadata));
    fields.insert("timestamp".to_owned(), epoch.text(window_end(now)).into());
    fields.insert("window".to_owned(), format!("{}s", WINDOW_MS / 1000).into());
    fields
}

/// A pod whose containers run.
fn pod(kube: &Kube, fleet: &Fleet, now: SimTime, object: &Object) -> Option<Value> {
    let all = kube.cluster.usage_of(fleet, object)?;
    let mut fields = head(kube, now, object, "PodMetrics");
    let one = |own: &Use| planarium_protocol::json!({ "name": own.container, "usage": amounts(own.cpu_milli, own.memory) });
    fields.insert("containers".to_owned(), all.iter().map(one).collect());
    Some(Value::Object(fields))
}

/// A node that is heard of: the sum over its pods.
fn node(kube: &Kube, fleet: &Fleet, now: SimTime, object: &Object) -> Option<Value> {
    let number = kube.cluster.nodes.number_of(&object.name)?;
    let node = kube.cluster.nodes.get(number).filter(|node| node.absence.is_none())?;
    let (mut cpu, mut memory) = (0_i64, 0_i64);
    for pod in node.pods.iter().filter_map(|no| kube.object(*no)) {
        for own in kube.cluster.usage_of(fleet, pod).unwrap_or_default() {
            cpu = cpu.saturating_add(own.cpu_milli);
            memory = memory.saturating_add(own.memory);
        }
    }
    let mut fields = head(kube, now, object, "NodeMetrics");
    fields.insert("usage".to_owned(), amounts(cpu, memory));
    Some(Value::Object(fields))
}
