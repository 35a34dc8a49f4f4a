//! Namespaces: their default objects, and their deletion.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/namespace/deletion/namespaced_resources_deleter.go`,
//! `pkg/controller/serviceaccount/serviceaccounts_controller.go`; match in outcome.

use crate::{
    api::Parts,
    cluster::Cluster,
    kinds::KindId,
    object::{Object, ObjectRef},
    request::DeleteOptions,
};
use planarium_ground::Cx;
use std::sync::Arc;

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, namespace: &Arc<Object>) {
    let name = namespace.name.clone();
    if !namespace.is_being_deleted() {
        if cluster.api.get(ObjectRef::new(KindId::SERVICE_ACCOUNT, &name, "default")).is_none() {
            let made = cluster.create_owned(cx, None, Parts::new(KindId::SERVICE_ACCOUNT, &name, "default"));
            debug_assert!(made.is_ok(), "the account of {name} could not be made");
        }
        return;
    }
    let all: Vec<Arc<Object>> = cluster.api.store.in_namespace(&name).cloned().collect();
    if all.is_empty() {
        if namespace.finalizers.is_empty() {
            cluster.take(cx, namespace.no);
        }
        return;
    }
    for object in all {
        if !object.is_being_deleted() && cluster.api.store.object(object.no).is_some() {
            cluster.delete(cx, &object, &DeleteOptions::default());
        }
    }
}
