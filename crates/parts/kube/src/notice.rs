//! Who is told about a change.
//!
//! *Knows*: which controllers look at which kinds. *Must not know*: what they do about it.

use crate::{
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectNo, ObjectRef},
    queue::Work,
    selector::Selector,
    spec::Spec,
    status::Status,
    tree::Tree,
    workload::{Mark, is_workload},
};
use planarium_ground::Cx;
use std::sync::Arc;

impl Kube {
    /// An object has come, changed, or gone.
    pub(crate) fn notice(&mut self, cx: &mut Cx, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) {
        let Some(object) = new.or(old) else { return };
        let object = object.clone();
        let changed = old.zip(new).is_none_or(|(old, new)| !is_same_apart_from_status(old, new));
        match object.kind {
            KindId::POD => self.notice_pod(cx, old, new),
            KindId::REPLICA_SET | KindId::JOB => {
                if changed && new.is_some() {
                    self.ask(cx, Work::Sync(object.no));
                }
                self.ask_controller(cx, &object);
            }
            KindId::DEPLOYMENT
            | KindId::STATEFUL_SET
            | KindId::DAEMON_SET
            | KindId::CRON_JOB
            | KindId::CUSTOM_RESOURCE_DEFINITION
            | KindId::NAMESPACE
                if changed && new.is_some() =>
            {
                self.ask(cx, Work::Sync(object.no));
            }
            KindId::SERVICE | KindId::POD_DISRUPTION_BUDGET if changed => {
                self.rewatch(cx, &object, new.is_none());
                if new.is_some() {
                    self.ask(cx, Work::Sync(object.no));
                }
            }
            KindId::PERSISTENT_VOLUME_CLAIM => {
                if new.is_some() {
                    self.ask(cx, Work::Sync(object.no));
                }
                let volume = object.content().at(&["spec"]).text("volumeName");
                if let Some(volume) =
                    self.get(ObjectRef::new(KindId::PERSISTENT_VOLUME, "", volume)).map(|one| one.no)
                {
                    self.ask(cx, Work::Sync(volume));
                }
                self.room(cx);
                if new.is_some() && !self.wanting.is_empty() {
                    self.source_came(cx, &object.namespace);
                }
            }
            KindId::PERSISTENT_VOLUME => {
                if new.is_some() {
                    self.ask(cx, Work::Sync(object.no));
                }
                if old.is_none() {
                    self.ask_claims(cx);
                }
            }
            KindId::STORAGE_CLASS => self.ask_claims(cx),
            KindId::CONFIG_MAP | KindId::SECRET if new.is_some() && !self.wanting.is_empty() => {
                self.source_came(cx, &object.namespace);
            }
            KindId::NODE if changed => {
                self.notice_node(cx, &object, new.is_none());
            }
            _ => {}
        }
        if old.is_none() && (is_workload(object.kind) || object.kind == KindId::DEPLOYMENT) {
            self.workload_mut(object.no, |workload| workload.adopt = true);
        }
        self.notice_owners(cx, old, new);
        if new.is_none() {
            if object.kind == KindId::SERVICE {
                self.drop_endpoints(cx, &object);
            }
            let timer = self.workload(object.no).and_then(|workload| workload.timer);
            if let Some((timer, _)) = timer {
                self.queue.disarm(Some(timer));
                if object.kind == KindId::CRON_JOB {
                    self.queue.periodic = self.queue.periodic.saturating_sub(1);
                }
            }
            self.notice_gone(cx, &object);
            self.workloads.remove(&object.no);
        }
    }

    /// The controller that manages an object looks at what it makes of it.
    fn ask_controller(&mut self, cx: &Cx, object: &Object) {
        let owner = object
            .controller()
            .and_then(|owner| self.store.by_uid(&owner.uid))
            .map(|owner| (owner.no, owner.kind));
        if let Some((owner, KindId::DEPLOYMENT | KindId::CRON_JOB)) = owner {
            self.ask(cx, Work::Sync(owner));
        }
    }

    /// Claims that are not bound look for a volume again.
    fn ask_claims(&mut self, cx: &Cx) {
        let open = |claim: &&Arc<Object>| claim.content().at(&["spec"]).text("volumeName").is_empty();
        let claims: Vec<ObjectNo> = self
            .store
            .of_kind(KindId::PERSISTENT_VOLUME_CLAIM, None)
            .filter(open)
            .map(|claim| claim.no)
            .collect();
        for claim in claims {
            self.ask(cx, Work::Sync(claim));
        }
    }

    fn notice_pod(&mut self, cx: &mut Cx, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) {
        let Some(pod) = new.or(old) else { return };
        let no = pod.no;
        let before = self.marks.get(&no).cloned();
        let after = new.and_then(|new| self.mark_of(new, old.map(|old| &**old), before.as_ref(), cx.now()));
        if let Some(new) = new {
            self.await_available(cx, new, after.as_ref());
        }
        let watchers =
            after.as_ref().or(before.as_ref()).map(|mark| mark.watchers.clone()).unwrap_or_default();
        let lost = before.as_ref().map(|mark| mark.watchers.clone()).unwrap_or_default();
        let workloads =
            [before.as_ref().and_then(|mark| mark.workload), after.as_ref().and_then(|mark| mark.workload)];
        if self.put_mark(no, after) {
            let [before, after] = workloads;
            for workload in before.into_iter().chain(after.filter(|after| Some(*after) != before)) {
                self.ask(cx, Work::Sync(workload));
            }
        }
        for watcher in lost.iter().filter(|watcher| !watchers.contains(watcher)) {
            if self.seat(*watcher, no, None) {
                self.ask(cx, Work::Sync(*watcher));
            }
        }
        for watcher in watchers.iter() {
            if self.seat(*watcher, no, new.map(|new| &**new)) {
                self.ask(cx, Work::Sync(*watcher));
            }
        }
        self.notice_place(cx, old, new);
        self.notice_claims(cx, old, new);
        if new.is_none()
            && let Some(set) = pod.controller().and_then(|owner| self.store.by_uid(&owner.uid)).cloned()
            && set.kind == KindId::REPLICA_SET
        {
            // A Deployment that waits until the last pod of its old template is gone.
            self.ask_controller(cx, &set);
        }
        let relabelled = old.zip(new).is_none_or(|(old, new)| !old.labels.is_same(&new.labels));
        if let Some(new) = new
            && relabelled
            && new.controller().is_none()
        {
            self.notice_bare(cx, new);
        }
        if let (Some(old), Some(new)) = (old, new)
            && relabelled
            && let Some(owner) = new.controller()
            && let Some(owner) = self.store.by_uid(&owner.uid).cloned()
            && is_workload(owner.kind)
            && !old.labels.is_same(&new.labels)
        {
            // A pod that its controller's selector picks no more is let go.
            self.workload_mut(owner.no, |workload| workload.adopt = true);
            self.ask(cx, Work::Sync(owner.no));
        }
    }

    /// Claims that wait until no pod uses them.
    fn notice_claims(&mut self, cx: &Cx, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) {
        let Some(old) = old else { return };
        let over = |pod: &Object| matches!(&pod.status, Status::Pod(status) if status.phase.is_terminal());
        if over(old) || new.is_some_and(|new| !over(new)) {
            return;
        }
        let leaving = |name: &planarium_protocol::Text| {
            let claim = self.get(ObjectRef::new(KindId::PERSISTENT_VOLUME_CLAIM, &old.namespace, name))?;
            claim.is_being_deleted().then_some(claim.no)
        };
        let claims: Vec<ObjectNo> = crate::control::storage::claims_of(old).filter_map(leaving).collect();
        for claim in claims {
            self.ask(cx, Work::Sync(claim));
        }
    }

    /// Where a pod is, or wants to be.
    fn notice_place(&mut self, cx: &mut Cx, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) {
        let bound = |pod: &Arc<Object>| matches!(&pod.spec, Spec::Pod(_, own) if own.is_bound());
        let over =
            |pod: &Arc<Object>| matches!(&pod.status, Status::Pod(status) if status.phase.is_terminal());
        self.book(cx, old, new);
        match new {
            None => {
                let Some(old) = old else { return };
                self.scheduler.forget(old.no);
                if self.runs.contains_key(&old.no) {
                    self.ask(cx, Work::Kubelet(old.no));
                }
            }
            Some(new) if bound(new) => {
                let was_bound = old.is_some_and(bound);
                let asked = old.is_none_or(|old| {
                    old.deletion != new.deletion
                        || !Arc::ptr_eq(&old.content, &new.content)
                        || !old.annotations.is_same(&new.annotations)
                });
                if !was_bound {
                    self.scheduler.forget(new.no);
                }
                if !was_bound || asked {
                    self.ask(cx, Work::Kubelet(new.no));
                }
            }
            Some(new) => {
                let asked = old.is_none_or(|old| {
                    !Arc::ptr_eq(&old.content, &new.content) || !old.labels.is_same(&new.labels)
                });
                if asked && !new.is_being_deleted() && !over(new) {
                    self.ask(cx, Work::Schedule(new.no));
                }
            }
        }
    }

    /// A pod without a controller: workloads that pick it may take it.
    fn notice_bare(&mut self, cx: &Cx, pod: &Object) {
        let picks = |workload: &Arc<Object>| {
            let selector: &Selector = match &workload.spec {
                Spec::ReplicaSet(spec) => &spec.selector,
                Spec::StatefulSet(spec) => &spec.selector,
                Spec::DaemonSet(spec) => &spec.selector,
                Spec::Job(spec) => &spec.selector,
                _ => return false,
            };
            !selector.is_everything() && selector.matches(&pod.labels)
        };
        let mut takers = Vec::new();
        for kind in [KindId::REPLICA_SET, KindId::STATEFUL_SET, KindId::DAEMON_SET, KindId::JOB] {
            let all = self.store.of_kind(kind, Some(&pod.namespace));
            takers.extend(all.filter(|workload| picks(workload)).map(|workload| workload.no));
        }
        for taker in takers {
            self.workload_mut(taker, |workload| workload.adopt = true);
            self.ask(cx, Work::Sync(taker));
        }
    }

    /// Garbage collection looks at objects whose owners are not there, and at owners that wait for them.
    fn notice_owners(&mut self, cx: &Cx, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) {
        if let Some(new) = new {
            let fresh = old.is_none_or(|old| !Arc::ptr_eq(&old.owners, &new.owners));
            if fresh && new.owners.iter().any(|owner| self.store.by_uid(&owner.uid).is_none()) {
                self.ask(cx, Work::Collect(new.no));
            }
            let begins = new.is_being_deleted()
                && old.is_none_or(|old| old.finalizers != new.finalizers || old.deletion.is_none());
            if begins && !new.finalizers.is_empty() {
                self.ask(cx, Work::Collect(new.no));
            }
        }
        let waiting = |owner: &Arc<Object>| owner.is_being_deleted() && !owner.finalizers.is_empty();
        let lost = old.filter(|old| new.is_none_or(|new| !Arc::ptr_eq(&old.owners, &new.owners)));
        for owner in lost.into_iter().flat_map(|old| old.owners.iter()) {
            if let Some(owner) =
                self.store.by_uid(&owner.uid).filter(|owner| waiting(owner)).map(|owner| owner.no)
            {
                self.ask(cx, Work::Collect(owner));
            }
        }
    }

    /// An object is no more: what belonged to it goes after it, and its namespace may be empty now.
    fn notice_gone(&mut self, cx: &Cx, object: &Object) {
        for no in self.store.release(object.no) {
            self.ask(cx, Work::Collect(no));
            if let Some(mark) = self.marks.get(&no).filter(|mark| mark.workload == Some(object.no)).cloned() {
                self.put_mark(no, Some(Mark { workload: None, slot: None, ..mark }));
            }
        }
        if !object.namespace.is_empty()
            && let Some(namespace) = self.get(ObjectRef::new(KindId::NAMESPACE, "", &object.namespace))
            && namespace.is_being_deleted()
        {
            let no = namespace.no;
            self.ask(cx, Work::Sync(no));
        }
        if object.info().custom {
            let name = format!("{}.{}", object.info().plural, object.info().group);
            if let Some(crd) = self.get(ObjectRef::new(KindId::CUSTOM_RESOURCE_DEFINITION, "", &name))
                && crd.is_being_deleted()
            {
                let no = crd.no;
                self.ask(cx, Work::Sync(no));
            }
        }
        if object.kind == KindId::CUSTOM_RESOURCE_DEFINITION {
            self.withdraw_definition(object);
        }
    }
}

/// Whether nothing but the status tells two versions of an object apart.
fn is_same_apart_from_status(old: &Object, new: &Object) -> bool {
    Arc::ptr_eq(&old.content, &new.content)
        && old.replicas == new.replicas
        && old.labels.is_same(&new.labels)
        && old.annotations.is_same(&new.annotations)
        && (Arc::ptr_eq(&old.owners, &new.owners) || old.owners == new.owners)
        && (Arc::ptr_eq(&old.finalizers, &new.finalizers) || old.finalizers == new.finalizers)
        && old.deletion == new.deletion
}
