//! Pods that have tolerated a taint for as long as they do.

use crate::{
    cluster::{
        Cluster,
        taints::{Tolerance, tolerance},
    },
    object::ObjectNo,
    request::DeleteOptions,
    spec::{Spec, placement::Effect},
};
use planarium_ground::Cx;

/// A pod has tolerated a taint for as long as it does.
pub(crate) fn evict_tainted(cluster: &mut Cluster, cx: &mut Cx, no: ObjectNo) {
    cluster.nodes.evictions.remove(&no);
    let Some(pod) = cluster.api.store.object(no).filter(|pod| !pod.is_being_deleted()).cloned() else {
        return;
    };
    let Spec::Pod(_, own) = &pod.spec else { return };
    let taints = cluster.nodes.named(&own.node).map(|node| node.taints.clone()).unwrap_or_default();
    if !taints.iter().any(|taint| taint.effect == Effect::NoExecute)
        || tolerance(&pod, &taints) == Tolerance::Always
    {
        return;
    }
    let message = format!("Marking for deletion Pod {}/{}", pod.namespace, pod.name);
    cluster.reports.record(cx, &pod, false, "TaintManagerEviction", &message, "taint-controller");
    cluster.delete(cx, &pod, &DeleteOptions::default());
}
