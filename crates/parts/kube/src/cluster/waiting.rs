//! Objects that wait for others: pods for room or for mounted objects, dependent objects for their owner.

use super::Cluster;
use crate::{
    kinds::{KindId, crd::info_of},
    object::{Object, ObjectNo, ObjectRef},
    records::queue::Work,
    request::DeleteOptions,
    status::Status,
};
use planarium_ground::Cx;
use std::sync::Arc;

impl Cluster {
    /// Something has changed that may give waiting pods a node.
    pub(crate) fn room(&mut self, cx: &Cx) {
        self.scheduler.failures.clear();
        if !self.scheduler.waiting.is_empty() {
            self.queue.ask(cx, Work::Retry);
        }
    }

    /// A pod was bound, which matters to those that have rules about others.
    pub(super) fn company(&mut self, cx: &Cx) {
        if self.scheduler.company {
            self.room(cx);
        }
    }

    /// Something that pods may wait for has come: a ConfigMap, a Secret, a claim.
    pub(super) fn source_came(&mut self, cx: &Cx, namespace: &str) {
        let store = &self.api.store;
        let waiting: Vec<ObjectNo> = self
            .runs
            .wanting
            .keys()
            .filter(|no| store.object(**no).is_some_and(|pod| *pod.namespace == *namespace))
            .copied()
            .collect();
        for no in waiting {
            self.runs.retry_config(no);
            self.queue.ask(cx, Work::Kubelet(no));
        }
    }

    /// Deletes the Endpoints of a deleted Service.
    pub(super) fn drop_endpoints(&mut self, cx: &mut Cx, service: &Object) {
        let reference = ObjectRef::new(KindId::ENDPOINTS, &service.namespace, &service.name);
        let made = |there: &&Arc<Object>| matches!(there.status, Status::Endpoints(_));
        if let Some(there) = self.api.get(reference).filter(made).cloned() {
            self.delete(cx, &there, &DeleteOptions::default());
        }
        let timer = self.workloads.get(service.no).and_then(|workload| workload.timer);
        self.queue.disarm(timer.map(|(timer, _)| timer));
    }

    /// Withdraws the kind of a deleted CRD.
    pub(super) fn withdraw_definition(&mut self, crd: &Object) {
        let info = info_of(crd.content());
        if let Some(kind) = self.api.find_plural(&info.group, &info.plural)
            && self.api.kind_info(kind).is_some_and(|info| info.custom)
        {
            Arc::make_mut(&mut self.api.kinds).withdraw(kind);
        }
    }
}
