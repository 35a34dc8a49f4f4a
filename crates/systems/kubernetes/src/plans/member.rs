//! An object of a service, with its state in the cluster.

use std::sync::{Arc, OnceLock};

use planarium_kernel::{SimTime, Weight};
use planarium_kube::{KindId, Object, ObjectNo};
use planarium_protocol::Text;
use planarium_protocol::view::{PlanView, PodView, SourceRef};

use super::curve::Curve;
use super::parts::Parts;
use super::pods::pod_view;
use super::status::MemberStatus;
use crate::definition::Item;

/// An object of a service.
#[derive(Clone, Debug, Weight)]
#[weight(own 256, parts, curve.samples)]
pub(crate) struct Member {
    /// `Deployment`.
    pub(crate) kind_name: Text,
    /// `deployment.apps`.
    pub(crate) word: Text,
    /// Its namespace; empty for kinds that have none.
    pub(crate) namespace: Text,
    /// Its name.
    pub(crate) name: Text,
    /// Name of its plan, or of its step in the plan `objects`.
    pub(crate) key: Text,
    /// Its kind; nothing while the cluster does not serve it.
    pub(crate) kind: Option<KindId>,
    /// The server's words if it refused the object.
    pub(crate) refused: Option<Text>,
    /// It is in the files that were applied last.
    pub(crate) in_files: bool,
    /// Its position there.
    pub(crate) source: Option<SourceRef>,
    /// The object; nothing where there is none.
    pub(crate) object: Option<Arc<Object>>,
    /// Objects that its controllers made.
    pub(crate) parts: Parts,
    /// Statuses as last reported.
    pub(crate) facts: MemberStatus,
    /// Counts of its latest rollout over time, of a Deployment.
    pub(crate) curve: Curve,
    /// Since when it has its status.
    pub(crate) since: SimTime,
    /// Grows with every change.
    pub(crate) revision: u64,
    /// Its plan, built when requested.
    pub(crate) shown: Arc<OnceLock<Arc<PlanView>>>,
}

/// An object that a controller made for a member: a ReplicaSet, a Job, a ControllerRevision or a pod.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The object.
    pub(crate) object: Arc<Object>,
    /// Number of its owner.
    pub(crate) parent: ObjectNo,
    /// Status of a pod.
    pub(crate) word: &'static str,
    /// Since when it has that.
    pub(crate) since: SimTime,
    /// Number of a ReplicaSet's or ControllerRevision's revision; 0 for other kinds.
    pub(super) revision: i64,
    /// Name of a ReplicaSet's phase; empty for other kinds.
    pub(super) phase: Text,
    /// A pod's view, built when requested.
    shown: Arc<OnceLock<Arc<PodView>>>,
}

impl Part {
    /// An object that a controller made.
    pub(crate) fn new(object: &Arc<Object>, parent: ObjectNo, word: &'static str, since: SimTime) -> Self {
        let (revision, phase) = (revision_of(object), revision_name(object));
        Self { object: Arc::clone(object), parent, word, since, revision, phase, shown: Arc::default() }
    }

    /// Replaces the object by its next version.
    pub(crate) fn follow(
        &mut self,
        object: &Arc<Object>,
        parent: ObjectNo,
        word: &'static str,
        since: SimTime,
    ) {
        let revision = revision_of(object);
        if revision != self.revision {
            (self.revision, self.phase) = (revision, revision_name(object));
        }
        self.object = Arc::clone(object);
        (self.parent, self.word, self.since) = (parent, word, since);
        drop_view(&mut self.shown);
    }

    /// The view of a pod.
    pub(crate) fn view(&self) -> Arc<PodView> {
        Arc::clone(self.shown.get_or_init(|| Arc::new(pod_view(&self.object))))
    }
}

impl Member {
    /// An object that is about to be applied.
    pub(crate) fn new(item: &Item, key: Text, now: SimTime) -> Self {
        Self {
            kind_name: item.kind.clone(),
            word: item.word.clone(),
            namespace: item.namespace.clone(),
            name: item.name.clone(),
            key,
            kind: None,
            refused: None,
            in_files: true,
            source: item.source.clone(),
            object: None,
            parts: Parts::default(),
            facts: MemberStatus::default(),
            curve: Curve::default(),
            since: now,
            revision: 0,
            shown: Arc::default(),
        }
    }

    /// Returns whether it has its own plan.
    pub(crate) fn is_workload(&self) -> bool {
        super::is_workload(&self.kind_name)
    }

    /// `deployment.apps/web`.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.word, self.name)
    }

    /// Returns whether an item of a definition is about it.
    pub(crate) fn is(&self, item: &Item) -> bool {
        self.word == item.word && self.namespace == item.namespace && self.name == item.name
    }

    /// Pods wanted, updated, available and unavailable, as its status has them; `None` while there is no object.
    pub(crate) fn counts(&self) -> Option<(u32, u32, u32, u32)> {
        let object = self.object.as_ref()?;
        Some(match (object.deployment(), object.stateful_set(), object.daemon_set()) {
            (Some(it), ..) => {
                (it.spec_replicas, it.updated_replicas, it.available_replicas, it.unavailable_replicas)
            }
            (_, Some(it), _) => {
                let missing = it.spec_replicas.saturating_sub(it.ready_replicas);
                (it.spec_replicas, it.updated_replicas, it.ready_replicas, missing)
            }
            (.., Some(it)) => (it.desired, it.updated, it.available, it.desired.saturating_sub(it.available)),
            _ => {
                let progress = self.facts.progress;
                (progress.total, progress.done, progress.done, progress.total.saturating_sub(progress.done))
            }
        })
    }

    /// Its ReplicaSets, Jobs or ControllerRevisions. *Order*: creation.
    pub(crate) fn makers(&self, kind: KindId) -> impl Iterator<Item = &Part> {
        self.parts.makers(kind)
    }

    /// Its pods, in order of creation.
    pub(crate) fn pods(&self) -> impl Iterator<Item = &Part> {
        self.parts.pods()
    }

    /// The revision that a Deployment's or DaemonSet's newest template has: the object that keeps it.
    pub(crate) fn newest(&self) -> Option<&Part> {
        let kind = match self.kind? {
            KindId::DEPLOYMENT => KindId::REPLICA_SET,
            KindId::DAEMON_SET => KindId::CONTROLLER_REVISION,
            _ => return None,
        };
        self.makers(kind).max_by_key(|part| part.revision)
    }
}

/// Drops a view that was built on request. A view that an earlier state of the world shares stays there.
pub(crate) fn drop_view<T>(view: &mut Arc<OnceLock<T>>) {
    match Arc::get_mut(view) {
        Some(own) => _ = own.take(),
        None => *view = Arc::default(),
    }
}

/// Name of the phase of a ReplicaSet; empty for other kinds.
fn revision_name(object: &Object) -> Text {
    if object.kind != KindId::REPLICA_SET {
        return Text::default();
    }
    format!("revision-{}", revision_of(object)).into()
}

/// The number of a revision: of a ReplicaSet by its annotation, of a ControllerRevision by its field; 0 for other kinds.
pub(crate) fn revision_of(object: &Object) -> i64 {
    if object.kind == KindId::CONTROLLER_REVISION {
        return object.content().get("revision").and_then(serde_json::Value::as_i64).unwrap_or(0);
    }
    if object.kind != KindId::REPLICA_SET {
        return 0;
    }
    let text = object.annotations.get("deployment.kubernetes.io/revision");
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}
