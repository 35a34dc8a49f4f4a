//! Consequences of an object's change: updates counts and nodes' totals, and queues the controllers concerned.
//!
//! *Knows*: which controllers watch which kinds. *Must not know*: what they do. *Order*: that of the log; work is
//! queued in this order.

use super::Cluster;
use crate::{
    api::gives_back,
    kinds::KindId,
    object::{Object, ObjectNo, ObjectRef},
    records::{
        queue::Work,
        workloads::{PodTally, is_workload},
    },
    request::Change,
    selector::Selector,
    spec::Spec,
    status::{Gate, Status},
    tree::Tree,
};
use planarium_ground::Cx;
use std::sync::Arc;

impl Cluster {
    /// Handles one change: an object was created, changed or deleted.
    pub(super) fn follow(&mut self, cx: &mut Cx, change: &Change) {
        let (old, new) = (change.before(), change.after());
        let Some(object) = new.or(old) else { return };
        let object = object.clone();
        let changed = old.zip(new).is_none_or(|(old, new)| !is_same_apart_from_status(old, new));
        match object.kind {
            KindId::POD => self.follow_pod(cx, change),
            KindId::REPLICA_SET | KindId::JOB => {
                if changed && new.is_some() {
                    self.queue.ask(cx, Work::Sync(object.no));
                }
                self.ask_controller(cx, &object);
            }
            KindId::DEPLOYMENT
            | KindId::STATEFUL_SET
            | KindId::DAEMON_SET
            | KindId::CRON_JOB
            | KindId::CUSTOM_RESOURCE_DEFINITION
            | KindId::NAMESPACE
            | KindId::HORIZONTAL_POD_AUTOSCALER
                if changed && new.is_some() =>
            {
                self.queue.ask(cx, Work::Sync(object.no));
            }
            KindId::SERVICE | KindId::POD_DISRUPTION_BUDGET if changed => {
                self.reselect(cx, &object, new.is_none());
                if new.is_some() {
                    self.queue.ask(cx, Work::Sync(object.no));
                } else if object.kind == KindId::POD_DISRUPTION_BUDGET {
                    // What it held back may go.
                    self.drains_may_go_on(cx);
                }
            }
            KindId::PERSISTENT_VOLUME_CLAIM | KindId::PERSISTENT_VOLUME | KindId::STORAGE_CLASS => {
                self.follow_storage(cx, &object, change);
            }
            KindId::CONFIG_MAP | KindId::SECRET if new.is_some() && !self.runs.wanting.is_empty() => {
                self.source_came(cx, &object.namespace);
            }
            KindId::SERVICE_ACCOUNT if new.is_none() && *object.name == *"default" => {
                self.ask_namespace(cx, &object.namespace);
            }
            KindId::NODE if changed => {
                self.follow_node(cx, &object, new.is_none());
            }
            _ => {}
        }
        if old.is_none() && (is_workload(object.kind) || object.kind == KindId::DEPLOYMENT) {
            self.workloads.change(object.no, |workload| workload.adopt = true);
        }
        self.follow_quota(cx, &object, change);
        self.follow_owners(cx, old, new);
        if new.is_none() {
            self.follow_removal(cx, &object);
        }
    }

    /// Recounts the quotas of a namespace after an object there was deleted.
    fn follow_quota(&mut self, cx: &Cx, object: &Object, change: &Change) {
        let (old, new) = (change.before().map(|old| &**old), change.after().map(|new| &**new));
        if object.namespace.is_empty() || object.kind == KindId::EVENT || !gives_back(old, new) {
            return;
        }
        let quotas = self.api.store.of_kind(KindId::RESOURCE_QUOTA, Some(&object.namespace));
        let quotas: Vec<ObjectNo> = quotas.map(|quota| quota.no).collect();
        for quota in quotas {
            self.queue.ask(cx, Work::Sync(quota));
        }
    }

    /// Queues claims, volumes and classes that may match, and pods that may wait for a claim.
    fn follow_storage(&mut self, cx: &Cx, object: &Object, change: &Change) {
        let is_there = change.after().is_some();
        if is_there && object.kind != KindId::STORAGE_CLASS {
            self.queue.ask(cx, Work::Sync(object.no));
        }
        match object.kind {
            KindId::PERSISTENT_VOLUME_CLAIM => {
                let volume = object.content().at(&["spec"]).text("volumeName");
                let volume = self.api.get(ObjectRef::new(KindId::PERSISTENT_VOLUME, "", volume));
                if let Some(volume) = volume.map(|one| one.no) {
                    self.queue.ask(cx, Work::Sync(volume));
                }
                self.room(cx);
                if is_there && !self.runs.wanting.is_empty() {
                    self.source_came(cx, &object.namespace);
                }
            }
            KindId::PERSISTENT_VOLUME if change.before().is_some() => {}
            _ => self.ask_claims(cx),
        }
    }

    /// Queues the controller that manages an object.
    fn ask_controller(&mut self, cx: &Cx, object: &Object) {
        let owner = object
            .controller()
            .and_then(|owner| self.api.store.owner(owner))
            .map(|owner| (owner.no, owner.kind));
        if let Some((owner, KindId::DEPLOYMENT | KindId::CRON_JOB)) = owner {
            self.queue.ask(cx, Work::Sync(owner));
        }
    }

    /// Queues unbound claims to search for a volume again.
    fn ask_claims(&mut self, cx: &Cx) {
        let open = |claim: &&Arc<Object>| claim.content().at(&["spec"]).text("volumeName").is_empty();
        let claims: Vec<ObjectNo> = self
            .api
            .store
            .of_kind(KindId::PERSISTENT_VOLUME_CLAIM, None)
            .filter(open)
            .map(|claim| claim.no)
            .collect();
        for claim in claims {
            self.queue.ask(cx, Work::Sync(claim));
        }
    }

    fn follow_pod(&mut self, cx: &mut Cx, change: &Change) {
        let (old, new) = (change.before(), change.after());
        let Some(pod) = new.or(old) else { return };
        let no = pod.no;
        let before = self.workloads.pods.get(&no).cloned();
        let after = new.and_then(|new| self.tally_of(new, old.map(|old| &**old), before.as_ref(), cx.now()));
        if let Some(new) = new {
            self.await_available(cx, new, after.as_ref());
        }
        let selections =
            after.as_ref().or(before.as_ref()).map(|tally| tally.selected_by.clone()).unwrap_or_default();
        let lost = before.as_ref().map(|tally| tally.selected_by.clone()).unwrap_or_default();
        let workloads = [
            before.as_ref().and_then(|tally| tally.workload),
            after.as_ref().and_then(|tally| tally.workload),
        ];
        if self.workloads.put_tally(no, after) {
            let [before, after] = workloads;
            for workload in before.into_iter().chain(after.filter(|after| Some(*after) != before)) {
                self.queue.ask(cx, Work::Sync(workload));
            }
        }
        self.workloads.note_rank(workloads[0], no, new.map(|new| &**new));
        for selection in lost.iter().filter(|selection| !selections.contains(selection)) {
            if self.selections.note_pod(*selection, no, None, None) {
                self.queue.ask(cx, Work::Sync(*selection));
            }
        }
        let manager = self.workloads.manager_of(no);
        for selection in selections.iter() {
            if self.selections.note_pod(*selection, no, new.map(|new| &**new), manager) {
                self.queue.ask(cx, Work::Sync(*selection));
            }
        }
        self.follow_place(cx, change);
        self.release_claims(cx, old, new);
        if new.is_none()
            && let Some(set) = pod.controller().and_then(|owner| self.api.store.owner(owner)).cloned()
            && set.kind == KindId::REPLICA_SET
        {
            // A Deployment may wait until the last pod of its old template has ended.
            self.ask_controller(cx, &set);
        }
        let relabelled = old.zip(new).is_none_or(|(old, new)| !old.labels.is_same(&new.labels));
        if let Some(new) = new
            && relabelled
            && new.controller().is_none()
        {
            self.offer_bare_pod(cx, new);
        }
        if let (Some(old), Some(new)) = (old, new)
            && relabelled
            && let Some(owner) = new.controller()
            && let Some(owner) = self.api.store.owner(owner).cloned()
            && is_workload(owner.kind)
            && !old.labels.is_same(&new.labels)
        {
            // A pod no longer selected by its controller is released.
            self.workloads.change(owner.no, |workload| workload.adopt = true);
            self.queue.ask(cx, Work::Sync(owner.no));
        }
    }

    /// Claims that wait until no pod uses them.
    fn release_claims(&mut self, cx: &Cx, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) {
        let Some(old) = old else { return };
        let over = |pod: &Object| matches!(&pod.status, Status::Pod(status) if status.phase.is_terminal());
        if over(old) || new.is_some_and(|new| !over(new)) {
            return;
        }
        let leaving = |name: &planarium_protocol::Text| {
            let claim =
                self.api.get(ObjectRef::new(KindId::PERSISTENT_VOLUME_CLAIM, &old.namespace, name))?;
            claim.is_being_deleted().then_some(claim.no)
        };
        let claims: Vec<ObjectNo> = old.claims().filter_map(leaving).collect();
        for claim in claims {
            self.queue.ask(cx, Work::Sync(claim));
        }
    }

    /// Follows a pod to its current or wanted node.
    fn follow_place(&mut self, cx: &mut Cx, change: &Change) {
        let (old, new) = (change.before(), change.after());
        let bound = |pod: &Arc<Object>| matches!(&pod.spec, Spec::Pod(_, own) if own.is_bound());
        let over =
            |pod: &Arc<Object>| matches!(&pod.status, Status::Pod(status) if status.phase.is_terminal());
        self.book(cx, change);
        match new {
            None => {
                let Some(old) = old else { return };
                self.scheduler.forget(old.no);
                self.evictions.forget(old.no);
                if self.runs.all.contains_key(&old.no) {
                    self.queue.ask(cx, Work::Kubelet(old.no));
                }
            }
            Some(new) if bound(new) => {
                let was_bound = old.is_some_and(bound);
                let asked = old.is_none_or(|old| {
                    old.deletion != new.deletion
                        || !Arc::ptr_eq(&old.content, &new.content)
                        || !old.annotations.is_same(&new.annotations)
                        || gates(old) != gates(new)
                });
                if !was_bound {
                    self.scheduler.forget(new.no);
                }
                if !was_bound || asked {
                    self.queue.ask(cx, Work::Kubelet(new.no));
                }
            }
            Some(new) => {
                let asked = old.is_none_or(|old| {
                    !Arc::ptr_eq(&old.content, &new.content) || !old.labels.is_same(&new.labels)
                });
                if asked && !new.is_being_deleted() && !over(new) {
                    self.queue.ask(cx, Work::Schedule(new.no));
                }
            }
        }
    }

    /// A pod without a controller: workloads that pick it may take it.
    fn offer_bare_pod(&mut self, cx: &Cx, pod: &Object) {
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
            let all = self.api.store.of_kind(kind, Some(&pod.namespace));
            takers.extend(all.filter(|workload| picks(workload)).map(|workload| workload.no));
        }
        for taker in takers {
            self.workloads.change(taker, |workload| workload.adopt = true);
            self.queue.ask(cx, Work::Sync(taker));
        }
    }

    /// Queues garbage collection for objects with missing owners, and for owners that wait for them.
    fn follow_owners(&mut self, cx: &Cx, old: Option<&Arc<Object>>, new: Option<&Arc<Object>>) {
        if let Some(new) = new {
            let fresh = old.is_none_or(|old| !Arc::ptr_eq(&old.owners, &new.owners));
            if fresh && new.owners.iter().any(|owner| self.api.store.owner(owner).is_none()) {
                self.queue.ask(cx, Work::Collect(new.no));
            }
            let begins = new.is_being_deleted()
                && old.is_none_or(|old| old.finalizers != new.finalizers || old.deletion.is_none());
            if begins && !new.finalizers.is_empty() {
                self.queue.ask(cx, Work::Collect(new.no));
            }
        }
        let waiting = |owner: &Arc<Object>| owner.is_being_deleted() && !owner.finalizers.is_empty();
        let lost = old.filter(|old| new.is_none_or(|new| !Arc::ptr_eq(&old.owners, &new.owners)));
        for owner in lost.into_iter().flat_map(|old| old.owners.iter()) {
            if let Some(owner) =
                self.api.store.owner(owner).filter(|owner| waiting(owner)).map(|owner| owner.no)
            {
                self.queue.ask(cx, Work::Collect(owner));
            }
        }
    }

    /// Queues the controller of a namespace.
    fn ask_namespace(&mut self, cx: &Cx, name: &str) {
        if let Some(no) = self.api.get(ObjectRef::new(KindId::NAMESPACE, "", name)).map(|one| one.no) {
            self.queue.ask(cx, Work::Sync(no));
        }
    }

    /// Handles an object's deletion: its dependants are collected, and its namespace may be empty now.
    fn follow_removal(&mut self, cx: &mut Cx, object: &Object) {
        if object.kind == KindId::SERVICE {
            self.drop_endpoints(cx, object);
        }
        let timer = self.workloads.get(object.no).and_then(|workload| workload.timer);
        if let Some((timer, _)) = timer {
            self.queue.disarm(Some(timer));
            if object.kind == KindId::CRON_JOB {
                self.queue.periodic = self.queue.periodic.saturating_sub(1);
            }
        }
        for no in self.api.store.release(object.no) {
            self.queue.ask(cx, Work::Collect(no));
            if let Some(tally) =
                self.workloads.pods.get(&no).filter(|tally| tally.workload == Some(object.no)).cloned()
            {
                self.workloads.put_tally(no, Some(PodTally { workload: None, slot: None, ..tally }));
            }
        }
        let namespace = self.api.get(ObjectRef::new(KindId::NAMESPACE, "", &object.namespace));
        if namespace.is_some_and(|namespace| namespace.is_being_deleted()) {
            self.ask_namespace(cx, &object.namespace);
        }
        if object.info().custom {
            let name = format!("{}.{}", object.info().plural, object.info().group);
            if let Some(crd) = self.api.get(ObjectRef::new(KindId::CUSTOM_RESOURCE_DEFINITION, "", &name))
                && crd.is_being_deleted()
            {
                let no = crd.no;
                self.queue.ask(cx, Work::Sync(no));
            }
        }
        if object.kind == KindId::CUSTOM_RESOURCE_DEFINITION {
            self.withdraw_definition(object);
        }
        self.workloads.all.remove(&object.no);
    }
}

/// Conditions that clients have written for a pod's readiness gates.
fn gates(pod: &Object) -> &[Gate] {
    match &pod.status {
        Status::Pod(status) => &status.gates,
        _ => &[],
    }
}

/// Returns whether two versions of an object differ in the status only.
fn is_same_apart_from_status(old: &Object, new: &Object) -> bool {
    Arc::ptr_eq(&old.content, &new.content)
        && old.replicas == new.replicas
        && old.labels.is_same(&new.labels)
        && old.annotations.is_same(&new.annotations)
        && (Arc::ptr_eq(&old.owners, &new.owners) || old.owners == new.owners)
        && (Arc::ptr_eq(&old.finalizers, &new.finalizers) || old.finalizers == new.finalizers)
        && old.deletion == new.deletion
}
