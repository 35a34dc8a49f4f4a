//! Cordon and uncordon: new pods are kept off a node, or come again.

use crate::{
    cluster::Cluster,
    error::ApiError,
    kinds::KindId,
    object::{Object, ObjectRef},
    request::Written,
    tree::{Tree, as_object, object_at},
};
use planarium_ground::Cx;
use planarium_protocol::json::{self, Value};
use std::sync::Arc;

/// Keeps new pods off a node. *Errors*: 404.
pub(crate) fn cordon(cluster: &mut Cluster, cx: &mut Cx, node: &str) -> Written {
    set_unschedulable(cluster, cx, node, true)
}

/// Makes a node schedulable again; ends a drain. *Errors*: 404.
pub(crate) fn uncordon(cluster: &mut Cluster, cx: &mut Cx, node: &str) -> Written {
    if let Some(number) = cluster.nodes.number_of(node) {
        cluster.nodes.change(number, |node| node.drain = None);
    }
    set_unschedulable(cluster, cx, node, false)
}
/// Keeps new pods off a node, or lets them come again. *Errors*: 404.
pub(crate) fn set_unschedulable(
    cluster: &mut Cluster,
    cx: &mut Cx,
    name: &str,
    unschedulable: bool,
) -> Result<Arc<Object>, ApiError> {
    let object = cluster.api.read(ObjectRef::new(KindId::NODE, "", name))?.clone();
    if object.content().at(&["spec", "unschedulable"]).as_bool().unwrap_or(false) == unschedulable {
        return Ok(object);
    }
    let mut content = Value::clone(&object.content);
    if let Some(spec) = as_object(&mut content).and_then(|content| object_at(content, "spec")) {
        if unschedulable {
            json::put(spec, "unschedulable", true.into());
        } else {
            spec.shift_remove("unschedulable");
        }
    }
    let spec = crate::spec::read(KindId::NODE, &content);
    let object = cluster.put(cx, Object { content: Arc::new(content), spec, ..Object::clone(&object) });
    let (reason, word) = if unschedulable {
        ("NodeNotSchedulable", "NodeNotSchedulable")
    } else {
        ("NodeSchedulable", "NodeSchedulable")
    };
    cluster.reports.record(
        cx,
        &object,
        false,
        reason,
        &format!("Node {name} status is now: {word}"),
        "kubelet",
    );
    Ok(cluster.api.store.object(object.no).cloned().unwrap_or(object))
}
