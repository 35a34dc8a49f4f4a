//! The ReplicaSets of a Deployment, and the selection of the new one.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/deployment/{deployment_controller,sync}.go`,
//! `util/deployment_util.go`, match.

use crate::controllers::pods::source;
use crate::{
    api::Parts,
    cluster::Cluster,
    kinds::KindId,
    object::{Object, Pairs},
    records::store::Store,
    request::DeleteOptions,
    spec::{
        Spec,
        workload::{DeploymentSpec, ReplicaSetSpec, within_spec},
    },
    status::{Cond, SetStatus, Status, Tri},
    tree::{Tree, as_object, object_at},
};
use planarium_ground::Cx;
use planarium_protocol::{
    Text,
    json::{self, Map, Value},
};
use std::sync::Arc;

/// The label that tells the pods of one ReplicaSet from those of another.
pub(crate) const HASH_LABEL: &str = "pod-template-hash";
const REVISION: &str = "deployment.kubernetes.io/revision";
const HISTORY: &str = "deployment.kubernetes.io/revision-history";
pub(super) const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MAX: &str = "deployment.kubernetes.io/max-replicas";
/// Annotations of a Deployment that its ReplicaSets do not get.
const OWN: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    HISTORY,
    DESIRED,
    MAX,
    "deprecated.deployment.rollback.to",
];

/// A Deployment with its ReplicaSets.
pub(crate) struct Rollout {
    pub(crate) object: Arc<Object>,
    pub(crate) spec: Arc<DeploymentSpec>,
    /// The one of today's template.
    pub(crate) new: Option<Arc<Object>>,
    /// The others. *Order*: creation.
    pub(crate) old: Vec<Arc<Object>>,
}

impl Rollout {
    /// All ReplicaSets, the new one last.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.old.iter().chain(&self.new)
    }

    /// Puts a ReplicaSet that has changed in its place.
    pub(super) fn replace(&mut self, set: Arc<Object>) {
        if let Some(place) = self.old.iter_mut().chain(&mut self.new).find(|place| place.no == set.no) {
            *place = set;
        }
    }

    /// Number of pods requested by the Deployment.
    pub(crate) fn replicas(&self) -> u32 {
        self.object.replicas
    }
}

/// Counts in the status of a ReplicaSet.
pub(crate) fn counts(set: &Object) -> &SetStatus {
    static NONE: std::sync::OnceLock<SetStatus> = std::sync::OnceLock::new();
    match &set.status {
        Status::Set(status) => status,
        _ => NONE.get_or_init(SetStatus::default),
    }
}

/// Number of pods requested by some ReplicaSets.
pub(crate) fn asked<'a>(sets: impl IntoIterator<Item = &'a Arc<Object>>) -> u32 {
    sets.into_iter().map(|set| set.replicas).fold(0, u32::saturating_add)
}

/// Number of pods some ReplicaSets have available.
pub(crate) fn available<'a>(sets: impl IntoIterator<Item = &'a Arc<Object>>) -> u32 {
    sets.into_iter().map(|set| counts(set).available).fold(0, u32::saturating_add)
}

pub(super) fn number(set: &Object, annotation: &str) -> Option<i64> {
    set.annotations.get(annotation)?.parse().ok()
}

pub(super) fn of(store: &Store, object: &Arc<Object>, spec: &Arc<DeploymentSpec>) -> Rollout {
    let (mut new, mut old): (Option<Arc<Object>>, Vec<Arc<Object>>) = (None, Vec::new());
    for set in store.dependants(object.no).filter(|set| set.kind == KindId::REPLICA_SET) {
        let Spec::ReplicaSet(own) = &set.spec else { continue };
        let managed = set.controller().is_some_and(|owner| owner.uid == object.uid);
        if managed && new.is_none() && own.template.is_same(&spec.template, HASH_LABEL) {
            new = Some(set.clone());
        } else if managed {
            old.push(set.clone());
        }
    }
    Rollout { object: object.clone(), spec: spec.clone(), new, old }
}

/// The ReplicaSet of today's template, made where there is none and one is asked for; its revision is the newest.
pub(crate) fn find_new(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout, create: bool) {
    let newest = rollout.old.iter().filter_map(|set| number(set, REVISION)).max().unwrap_or(0);
    let revision = newest + 1;
    if let Some(set) = rollout.new.clone() {
        let annotations = set_annotations(&rollout.object, &set.annotations, revision);
        let min_ready = min_ready(&set);
        if annotations != set.annotations || min_ready != rollout.spec.min_ready_s {
            let mut changed = Object { annotations, ..Object::clone(&set) };
            if min_ready != rollout.spec.min_ready_s {
                set_min_ready(&mut changed, rollout.spec.min_ready_s);
                changed.generation += 1;
            }
            rollout.new = Some(cluster.put(cx, changed));
        }
        let revision = rollout.new.as_ref().and_then(|set| set.annotations.get(REVISION).cloned());
        set_revision(cluster, cx, rollout, revision);
        if rollout.spec.progress_s.is_some() && condition(&rollout.object, "Progressing").is_none() {
            let message = format!("Found new replica set {:?}", set.name);
            set_condition(
                cluster,
                cx,
                rollout,
                Cond::new("Progressing", Tri::True, "FoundNewReplicaSet", message, cx.now()),
            );
        }
        return;
    }
    if !create {
        return;
    }
    let spec = rollout.spec.clone();
    let collisions = counts(&rollout.object).collisions;
    let hash = spec.template.hash(HASH_LABEL, collisions);
    let object = rollout.object.clone();
    let labels = spec.template.labels.with(HASH_LABEL, hash.clone());
    let replicas = new_size(rollout, 0);
    let template = Arc::new(spec.template.labelled(labels.clone()));
    let mut selector = spec.selector.clone();
    selector.requirements.extend(crate::selector::Selector::of_pairs([(HASH_LABEL, &*hash)]).requirements);
    let mut parts = Parts::new(KindId::REPLICA_SET, &object.namespace, format!("{}-{hash}", object.name));
    parts.content = Arc::new(set_content(&object, &hash, &labels, spec.min_ready_s));
    parts.spec =
        Spec::ReplicaSet(Arc::new(ReplicaSetSpec { selector, template, min_ready_s: spec.min_ready_s }));
    parts.status = Status::Set(Arc::default());
    parts.labels = labels;
    parts.annotations = scaled(&set_annotations(&object, &Pairs::default(), revision), rollout);
    parts.replicas = replicas;
    match cluster.create_owned(cx, Some(&object), parts) {
        Ok(set) => {
            if replicas > 0 {
                let message = format!("Scaled up replica set {} to {replicas}", set.name);
                cluster.reports.record(
                    cx,
                    &object,
                    false,
                    "ScalingReplicaSet",
                    &message,
                    source(KindId::DEPLOYMENT),
                );
            }
            let message = format!("Created new replica set {:?}", set.name);
            let revision = set.annotations.get(REVISION).cloned();
            rollout.new = Some(set);
            set_revision(cluster, cx, rollout, revision);
            if spec.progress_s.is_some() {
                set_condition(
                    cluster,
                    cx,
                    rollout,
                    Cond::new("Progressing", Tri::True, "NewReplicaSetCreated", message, cx.now()),
                );
            }
        }
        Err(error) => {
            let message = format!(
                "Failed to create new replica set {:?}: {}",
                format!("{}-{hash}", object.name),
                error.message
            );
            if error.reason == crate::error::Reason::AlreadyExists {
                // A foreign ReplicaSet has the name: try another hash.
                let status = SetStatus { collisions: collisions + 1, ..counts(&object).clone() };
                rollout.object = cluster.put_status(cx, &object, Status::Set(Arc::new(status)));
                cluster.queue.ask(cx, crate::records::queue::Work::Sync(object.no));
            } else {
                set_condition(
                    cluster,
                    cx,
                    rollout,
                    Cond::new("Progressing", Tri::False, "ReplicaSetCreateError", message, cx.now()),
                );
            }
        }
    }
}

fn set_revision(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout, revision: Option<Text>) {
    if let Some(revision) = revision
        && rollout.object.annotations.get(REVISION) != Some(&revision)
    {
        let annotations = rollout.object.annotations.with(REVISION, revision);
        rollout.object = cluster.put(cx, Object { annotations, ..Object::clone(&rollout.object) });
    }
}

pub(crate) fn set_condition(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout, condition: Cond) {
    let mut status = counts(&rollout.object).clone();
    condition.put(&mut status.conditions);
    if status != *counts(&rollout.object) {
        rollout.object = cluster.put_status(cx, &rollout.object, Status::Set(Arc::new(status)));
    }
}

/// Scales a ReplicaSet, and records its Deployment's size.
pub(crate) fn scale(
    cluster: &mut Cluster,
    cx: &mut Cx,
    rollout: &Rollout,
    set: &Arc<Object>,
    replicas: u32,
) -> Arc<Object> {
    let annotations = scaled(&set.annotations, rollout);
    if set.replicas == replicas && annotations == set.annotations {
        return set.clone();
    }
    let mut changed = Object { annotations, replicas, ..Object::clone(set) };
    let before = set.replicas;
    if before != replicas {
        changed.generation += 1;
    }
    let set = cluster.put(cx, changed);
    if before != replicas {
        let way = if replicas > before { "up" } else { "down" };
        let message = format!("Scaled {way} replica set {} to {replicas}", set.name);
        cluster.reports.record(
            cx,
            &rollout.object,
            false,
            "ScalingReplicaSet",
            &message,
            source(KindId::DEPLOYMENT),
        );
    }
    set
}

/// Deletes the oldest ReplicaSets beyond those that are kept.
pub(crate) fn drop_history(cluster: &mut Cluster, cx: &mut Cx, rollout: &Rollout) {
    let mut empty: Vec<Arc<Object>> =
        rollout.old.iter().filter(|set| !set.is_being_deleted()).cloned().collect();
    let surplus = empty.len().saturating_sub(rollout.spec.history as usize);
    if surplus == 0 {
        return;
    }
    planarium_kernel::sorted::sort_by_key(&mut empty, |set| (number(set, REVISION).unwrap_or(0), set.no));
    let done = |set: &&Arc<Object>| {
        let status = counts(set);
        status.replicas == 0 && set.replicas == 0 && set.generation <= status.observed
    };
    let gone: Vec<Arc<Object>> = empty.iter().take(surplus).filter(done).cloned().collect();
    for set in gone {
        cluster.delete(cx, &set, &DeleteOptions::default());
    }
}

/// Returns the allowed number of pods of the new ReplicaSet, given its present number.
pub(crate) fn new_size(rollout: &Rollout, now: u32) -> u32 {
    let wanted = rollout.replicas();
    if rollout.spec.recreate {
        return wanted;
    }
    let (surge, _) = rollout.spec.fence(wanted);
    let total = asked(rollout.all());
    let most = wanted.saturating_add(surge);
    if total >= most {
        return now;
    }
    now.saturating_add((most - total).min(wanted.saturating_sub(now)))
}

/// The condition of a kind in a Deployment's status.
pub(crate) fn condition<'a>(object: &'a Object, kind: &str) -> Option<&'a Cond> {
    counts(object).conditions.iter().find(|one| one.kind == kind)
}

fn min_ready(set: &Object) -> u32 {
    let Spec::ReplicaSet(spec) = &set.spec else { return 0 };
    spec.min_ready_s
}

fn set_min_ready(set: &mut Object, seconds: u32) {
    if let Spec::ReplicaSet(spec) = &mut set.spec {
        Arc::make_mut(spec).min_ready_s = seconds;
    }
    if let Some(spec) =
        as_object(Arc::make_mut(&mut set.content)).and_then(|content| object_at(content, "spec"))
    {
        json::put(spec, "minReadySeconds", seconds.into());
    }
}

/// Annotations of a ReplicaSet: those of its Deployment and its revision, if that is newer.
fn set_annotations(deployment: &Object, now: &Pairs, revision: i64) -> Pairs {
    let mut all = now.clone();
    for (key, value) in deployment.annotations.iter().filter(|(key, _)| !OWN.contains(&&***key)) {
        if all.get(key) != Some(value) {
            all = all.with(key, value.clone());
        }
    }
    let old = now.get(REVISION).and_then(|text| text.parse::<i64>().ok()).unwrap_or(0);
    if old >= revision {
        return all;
    }
    if old > 0 {
        let history = now.get(HISTORY).map_or_else(|| old.to_string(), |history| format!("{history},{old}"));
        all = all.with(HISTORY, history);
    }
    all.with(REVISION, revision.to_string())
}

/// Annotations with the Deployment's current size.
fn scaled(annotations: &Pairs, rollout: &Rollout) -> Pairs {
    let wanted = rollout.replicas();
    let (surge, _) = rollout.spec.fence(wanted);
    let (desired, most) = (wanted.to_string(), wanted.saturating_add(surge).to_string());
    let same = |key, text: &str| annotations.get(key).is_some_and(|value| **value == *text);
    if same(DESIRED, &desired) && same(MAX, &most) {
        return annotations.clone();
    }
    annotations.with(DESIRED, desired).with(MAX, most)
}

/// Number of pods a Deployment might have had when a ReplicaSet was last scaled.
pub(crate) fn annotated_most(set: &Object) -> Option<i64> {
    number(set, MAX)
}

/// The content of a new ReplicaSet.
fn set_content(deployment: &Object, hash: &str, labels: &Pairs, min_ready_s: u32) -> Value {
    let spec = deployment.content().key("spec");
    let mut template = spec.key("template").clone();
    if let Some(metadata) = as_object(&mut template).and_then(|template| object_at(template, "metadata")) {
        json::put(metadata, "labels", labels.to_value());
    }
    let mut selector = spec.key("selector").clone();
    if let Some(labels) = as_object(&mut selector).and_then(|selector| object_at(selector, "matchLabels")) {
        json::put(labels, HASH_LABEL, hash.into());
    }
    let mut fields = Map::new();
    json::put(&mut fields, "replicas", 0.into());
    if min_ready_s > 0 {
        json::put(&mut fields, "minReadySeconds", min_ready_s.into());
    }
    json::put(&mut fields, "selector", selector);
    json::put(&mut fields, "template", template);
    within_spec(Value::Object(fields))
}
