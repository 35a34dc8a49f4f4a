//! Garbage collection: dependants of objects that are gone, and deletions that wait for dependants.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/garbagecollector/garbagecollector.go` (`attemptToDeleteItem`,
//! `processDeletingDependentsItem`, `attemptToOrphan`), match in outcome.

use crate::{
    api::{FOREGROUND, ORPHAN},
    cluster::Cluster,
    object::{Object, ObjectNo, OwnerReference},
    request::{DeleteOptions, Propagation},
};
use planarium_ground::Cx;
use std::sync::Arc;

/// Looks at an object whose owners may be gone, or whose deletion waits for its dependants.
pub(crate) fn collect(cluster: &mut Cluster, cx: &mut Cx, no: ObjectNo) {
    let Some(object) = cluster.api.store.object(no).cloned() else { return };
    let has = |finalizer: &str| object.finalizers.iter().any(|one| **one == *finalizer);
    if object.is_being_deleted() {
        if has(ORPHAN) {
            return orphan(cluster, cx, &object);
        }
        if has(FOREGROUND) {
            return wait_for_dependants(cluster, cx, &object);
        }
        return;
    }
    if object.owners.is_empty() {
        return;
    }
    let (mut solid, mut waiting) = (0, 0);
    let mut kept: Vec<OwnerReference> = Vec::new();
    for owner in object.owners.iter() {
        let Some(found) = cluster.api.store.by_uid(&owner.uid) else { continue };
        let leaves = found.is_being_deleted() && found.finalizers.iter().any(|one| **one == *FOREGROUND);
        if leaves {
            waiting += 1;
        } else {
            solid += 1;
            kept.push(owner.clone());
        }
    }
    if solid > 0 {
        if kept.len() < object.owners.len() {
            cluster.put(cx, Object { owners: Arc::new(kept), ..Object::clone(&object) });
        }
        return;
    }
    let propagation = if waiting > 0 && cluster.api.store.has_dependants(no) {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    cluster.delete(cx, &object, &DeleteOptions { propagation, ..DeleteOptions::default() });
}

/// Dependants lose their owner, which may then go.
fn orphan(cluster: &mut Cluster, cx: &mut Cx, owner: &Arc<Object>) {
    let dependants: Vec<Arc<Object>> = cluster.api.store.dependants(owner.no).cloned().collect();
    for dependant in dependants {
        let owners = dependant.owners.iter().filter(|one| one.uid != owner.uid).cloned().collect();
        cluster.put(cx, Object { owners: Arc::new(owners), ..Object::clone(&dependant) });
    }
    cluster.drop_finalizer(cx, owner, ORPHAN);
}

/// Dependants that block the deletion go first.
fn wait_for_dependants(cluster: &mut Cluster, cx: &mut Cx, owner: &Arc<Object>) {
    let blocks = |dependant: &&Arc<Object>| {
        dependant.owners.iter().any(|one| one.uid == owner.uid && one.block_owner_deletion)
    };
    let blocking: Vec<Arc<Object>> = cluster.api.store.dependants(owner.no).filter(blocks).cloned().collect();
    if blocking.is_empty() {
        return cluster.drop_finalizer(cx, owner, FOREGROUND);
    }
    for dependant in blocking.iter().filter(|dependant| !dependant.is_being_deleted()) {
        collect(cluster, cx, dependant.no);
    }
}
