//! Custom kinds: establishes CRDs, and deletes their objects before them.
//!
//! Source: `kubernetes/apiextensions-apiserver: pkg/controller/{establish,finalizer,status}`; match in outcome. Schemas are
//! stored but not enforced.

use crate::{
    cluster::Cluster, kinds::crd::info_of, object::Object, request::DeleteOptions, status::Status, tree::Tree,
};
use planarium_ground::Cx;
use planarium_protocol::{Text, json};
use serde_json::Value;
use std::sync::Arc;

/// The finalizer of a CRD while there may be objects of its kind.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, crd: &Arc<Object>) {
    let info = info_of(crd.content());
    if crd.is_being_deleted() {
        let kind = cluster.api.find_plural(&info.group, &info.plural);
        let all: Vec<Arc<Object>> =
            kind.map(|kind| cluster.api.store.of_kind(kind, None).cloned().collect()).unwrap_or_default();
        if all.is_empty() {
            return cluster.drop_finalizer(cx, crd, CLEANUP);
        }
        for object in all.iter().filter(|object| !object.is_being_deleted()) {
            cluster.delete(cx, object, &DeleteOptions::default());
        }
        return;
    }
    let taken =
        cluster.api.find_kind(&info.preferred(), &info.kind).and_then(|kind| cluster.api.kind_info(kind));
    if taken.is_some_and(|taken| taken.plural != info.plural) {
        let at = cluster.api.epoch.text(cx.now());
        let message = format!("{:?} is already in use", info.kind);
        let status = json!({ "conditions": [{
                "type": "NamesAccepted", "status": "False", "lastTransitionTime": at, "reason": "KindConflict", "message": message,
            }, {
                "type": "Established", "status": "False", "lastTransitionTime": at, "reason": "NotAccepted",
                "message": "not all names are accepted",
            }] });
        cluster.put_status(cx, crd, Status::Plain(Arc::new(status)));
        return;
    }
    let names = crd.content().at(&["spec", "names"]).clone();
    let stored: Vec<Text> = stored_version(crd).into_iter().collect();
    let served =
        cluster.api.find_plural(&info.group, &info.plural).and_then(|kind| cluster.api.kind_info(kind));
    if served.is_none_or(|served| **served != info) {
        Arc::make_mut(&mut cluster.api.kinds).serve(info);
    }
    if crd.is_established() {
        return keep(cluster, cx, crd);
    }
    let at = cluster.api.epoch.text(cx.now());
    let status = json!({
        "conditions": [{
            "type": "NamesAccepted", "status": "True", "lastTransitionTime": at, "reason": "NoConflicts",
            "message": "no conflicts found",
        }, {
            "type": "Established", "status": "True", "lastTransitionTime": at, "reason": "InitialNamesAccepted",
            "message": "the initial names have been accepted",
        }],
        "acceptedNames": names, "storedVersions": stored,
    });
    let mut new = Object { status: Status::Plain(Arc::new(status)), ..Object::clone(crd) };
    if !new.finalizers.iter().any(|one| **one == *CLEANUP) {
        Arc::make_mut(&mut new.finalizers).push(CLEANUP.into());
    }
    cluster.put(cx, new);
}

/// The version in which objects are stored.
fn stored_version(crd: &Object) -> Option<Text> {
    let versions = crd.content().at(&["spec", "versions"]).as_array()?;
    versions.iter().find(|one| one.flag("storage")).map(|one| one.text("name").into())
}

/// Keeps what an update of an established CRD may not take from it: the finalizer, and the versions in which objects were stored.
fn keep(cluster: &mut Cluster, cx: &mut Cx, crd: &Arc<Object>) {
    let mut new = Object::clone(crd);
    let lacks_finalizer = !new.finalizers.iter().any(|one| **one == *CLEANUP);
    if lacks_finalizer {
        Arc::make_mut(&mut new.finalizers).push(CLEANUP.into());
    }
    let mut is_stored_anew = false;
    if let (Status::Plain(status), Some(version)) = (&mut new.status, stored_version(crd))
        && !status.texts("storedVersions").contains(&version)
        && let Some(stored) = Arc::make_mut(status).get_mut("storedVersions").and_then(Value::as_array_mut)
    {
        stored.push(version.as_ref().into());
        is_stored_anew = true;
    }
    if lacks_finalizer || is_stored_anew {
        cluster.put(cx, new);
    }
}
