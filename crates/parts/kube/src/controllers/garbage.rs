//! Garbage collection: dependants of deleted objects, and deletions that wait for dependants.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/garbagecollector/garbagecollector.go` (`attemptToDeleteItem`,
//! `processDeletingDependentsItem`, `attemptToOrphan`), match in outcome.

use crate::{
    api::{FOREGROUND, ORPHAN},
    cluster::Cluster,
    object::{Object, ObjectNo, OwnerReference},
    records::store::Store,
    request::{DeleteOptions, Propagation},
};
use planarium_ground::Cx;
use std::sync::Arc;

/// Checks an object whose owners may be gone, or whose deletion waits for its dependants.
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
    match fate(&cluster.api.store, &object) {
        Fate::Stays => {}
        Fate::Loses(owners) => {
            cluster.put(cx, Object { owners: Arc::new(owners), ..Object::clone(&object) });
        }
        Fate::Goes(propagation) => {
            cluster.delete(cx, &object, &DeleteOptions { propagation, ..DeleteOptions::default() });
        }
    }
}

/// The fate of an object by its owners.
enum Fate {
    Stays,
    /// Some of its owners are gone; these remain.
    Loses(Vec<OwnerReference>),
    Goes(Propagation),
}

/// Decides on an object by those of its owners that are there, and stay.
fn fate(store: &Store, object: &Object) -> Fate {
    let mut waiting = false;
    let mut kept: Vec<OwnerReference> = Vec::new();
    for owner in object.owners.iter() {
        let Some(found) = store.owner(owner) else { continue };
        if found.is_being_deleted() && found.finalizers.iter().any(|one| **one == *FOREGROUND) {
            waiting = true;
        } else {
            kept.push(owner.clone());
        }
    }
    match kept.len() {
        0 if waiting && store.has_dependants(object.no) => Fate::Goes(Propagation::Foreground),
        0 => Fate::Goes(Propagation::Background),
        left if left < object.owners.len() => Fate::Loses(kept),
        _ => Fate::Stays,
    }
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
