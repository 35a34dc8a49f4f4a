//! ControllerRevisions: the templates that a StatefulSet or DaemonSet has had.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/history/controller_history.go`, match.

use crate::{
    api::Parts,
    cluster::Cluster,
    kinds::KindId,
    object::Object,
    records::store::Store,
    records::workloads::REVISION_LABEL,
    request::DeleteOptions,
    spec::{Spec, workload::PodTemplate},
    tree::{as_object, put_new},
};
use planarium_ground::Cx;
use planarium_protocol::{Text, json};
use std::sync::Arc;

/// One revision.
#[derive(Clone, Debug)]
pub(crate) struct Revised {
    /// Name of its object.
    pub(crate) name: Text,
    /// The hash of the template, part of the name.
    pub(crate) hash: Text,
    pub(crate) template: Arc<PodTemplate>,
}

/// Revisions of a workload, oldest first.
pub(crate) fn all(store: &Store, owner: &Object) -> Vec<(i64, Arc<Object>)> {
    let read = |object: &Arc<Object>| match &object.spec {
        Spec::Revision(spec) => Some((spec.number, object.clone())),
        _ => None,
    };
    let mut all: Vec<(i64, Arc<Object>)> = store
        .dependants(owner.no)
        .filter(|object| object.kind == KindId::CONTROLLER_REVISION)
        .filter_map(read)
        .collect();
    planarium_kernel::sorted::sort_by(&mut all, |(one, a), (other, b)| one.cmp(other).then(a.no.cmp(&b.no)));
    all
}

/// Creates the revision of the current template, or makes it the newest.
pub(crate) fn update(
    cluster: &mut Cluster,
    cx: &mut Cx,
    owner: &Arc<Object>,
    template: &Arc<PodTemplate>,
    collisions: u32,
) -> Option<Revised> {
    let all = all(&cluster.api.store, owner);
    let newest = all.last().map_or(0, |(number, _)| *number);
    let equal = all.iter().rev().find(|(_, object)| match &object.spec {
        Spec::Revision(spec) => {
            Arc::ptr_eq(&spec.template, template) || spec.template.is_same(template, REVISION_LABEL)
        }
        _ => false,
    });
    if let Some((number, object)) = equal {
        let object =
            if *number == newest { object.clone() } else { renumber(cluster, cx, object, newest + 1) };
        return Some(revised(owner, &object));
    }
    let hash = template.hash(REVISION_LABEL, collisions);
    let content = {
        let mut value = template.value();
        if let Some(fields) = as_object(&mut value) {
            put_new(fields, "$patch", "replace".into());
        }
        json!({ "data": { "spec": { "template": value } }, "revision": newest + 1 })
    };
    let spec = crate::spec::workload::Revision { number: newest + 1, template: template.clone() };
    let mut parts =
        Parts::new(KindId::CONTROLLER_REVISION, &owner.namespace, format!("{}-{hash}", owner.name));
    let label =
        if owner.kind == KindId::DAEMON_SET { REVISION_LABEL } else { "controller.kubernetes.io/hash" };
    parts.labels = template.labels.with(label, hash);
    parts.content = Arc::new(content);
    parts.spec = Spec::Revision(Arc::new(spec));
    let object = cluster.create_owned(cx, Some(owner), parts).ok()?;
    Some(revised(owner, &object))
}

/// The revision of a name, if it is kept.
pub(crate) fn named(store: &Store, owner: &Object, name: &str) -> Option<Revised> {
    all(store, owner)
        .into_iter()
        .find(|(_, object)| *object.name == *name)
        .map(|(_, object)| revised(owner, &object))
}

fn renumber(cluster: &mut Cluster, cx: &mut Cx, object: &Arc<Object>, number: i64) -> Arc<Object> {
    let mut new = Object::clone(object);
    if let Some(fields) = as_object(Arc::make_mut(&mut new.content)) {
        fields.insert("revision".to_owned(), number.into());
    }
    if let Spec::Revision(spec) = &mut new.spec {
        Arc::make_mut(spec).number = number;
    }
    cluster.put(cx, new)
}

/// Deletes the oldest revisions beyond those that are kept and those that are in use.
pub(crate) fn drop_old(
    cluster: &mut Cluster,
    cx: &mut Cx,
    owner: &Object,
    kept: u32,
    in_use: impl Fn(&Revised) -> bool,
) {
    let all = all(&cluster.api.store, owner);
    if all.len() <= kept as usize {
        return;
    }
    let spare: Vec<Arc<Object>> =
        all.into_iter().map(|(_, object)| object).filter(|object| !in_use(&revised(owner, object))).collect();
    let surplus = spare.len().saturating_sub(kept as usize);
    for object in spare.iter().take(surplus) {
        cluster.delete(cx, object, &DeleteOptions::default());
    }
}

fn revised(owner: &Object, object: &Object) -> Revised {
    let hash = object.name.strip_prefix(&*owner.name).map_or("", |rest| rest.trim_start_matches('-'));
    let template = match &object.spec {
        Spec::Revision(spec) => spec.template.clone(),
        _ => Arc::new(PodTemplate::read(&serde_json::Value::Null, false)),
    };
    Revised { name: object.name.clone(), hash: hash.into(), template }
}
