//! Counts of pods for their workloads.
//!
//! *Invariant*: a pod's counts follow from its state; [`crate::Kube::check`] recomputes them.

use super::Cluster;
use crate::{
    kinds::KindId,
    object::{Object, ObjectNo},
    records::queue::{Timer, Work},
    records::workloads::{PodTally, REVISION_LABEL, is_workload, ordinal, restarts, revision_print},
    spec::{Spec, pod::Restart},
    status::Status,
};
use planarium_ground::Cx;
use planarium_kernel::SimTime;
use std::sync::Arc;

impl Cluster {
    /// Counts a pod; `before` is its previous count.
    pub(crate) fn tally_of(
        &self,
        pod: &Object,
        old: Option<&Object>,
        before: Option<&PodTally>,
        now: SimTime,
    ) -> Option<PodTally> {
        let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return None };
        let known = old.zip(before);
        let same_owner = known.filter(|(old, _)| Arc::ptr_eq(&old.owners, &pod.owners));
        let (workload, slot) = match same_owner {
            Some((_, tally)) => (tally.workload, tally.slot),
            None => {
                let owner = pod
                    .controller()
                    .and_then(|owner| self.api.store.owner(owner))
                    .filter(|owner| is_workload(owner.kind));
                let slot = owner.and_then(|owner| match owner.kind {
                    KindId::STATEFUL_SET => ordinal(&pod.name, &owner.name),
                    KindId::DAEMON_SET => {
                        let node = own.pinned.as_deref().unwrap_or(&own.node);
                        self.nodes.number_of(node)
                    }
                    _ => None,
                });
                (owner.map(|owner| owner.no), slot)
            }
        };
        let same_labels = known.filter(|(old, _)| old.labels.is_same(&pod.labels));
        let (revision, selections) = match same_labels {
            Some((_, tally)) => (tally.revision, tally.selected_by.clone()),
            None => {
                let revision = pod.labels.get(REVISION_LABEL).map_or(0, |hash| revision_print(hash));
                (revision, Arc::new(self.selections.of_pod(pod)))
            }
        };
        let min_ready_ms = workload
            .and_then(|workload| self.workloads.all.get(&workload))
            .map_or(0, |workload| workload.min_ready_ms);
        let ready_since = status.ready_since();
        Some(PodTally {
            workload,
            phase: status.phase,
            terminating: pod.is_being_deleted(),
            ready: ready_since.is_some(),
            available: ready_since.is_some_and(|since| since.saturating_add(min_ready_ms) <= now),
            restarts: if spec.restart == Restart::OnFailure && spec.ends { restarts(status) } else { 0 },
            revision,
            slot,
            selected_by: selections,
        })
    }

    /// Says how long pods have to be ready to count as available.
    pub(crate) fn set_min_ready(&mut self, cx: &Cx, workload: ObjectNo, min_ready_s: u32) {
        let ms = u64::from(min_ready_s) * 1000;
        if self.workloads.get(workload).is_some_and(|workload| workload.min_ready_ms == ms) {
            return;
        }
        self.workloads.change(workload, |workload| workload.min_ready_ms = ms);
        let pods: Vec<Arc<Object>> =
            self.api.store.dependants(workload).filter(|pod| pod.kind == KindId::POD).cloned().collect();
        for pod in pods {
            self.recount(cx, &pod);
        }
    }

    /// Recounts a pod, and schedules a recount for when it becomes available.
    pub(crate) fn recount(&mut self, cx: &Cx, pod: &Arc<Object>) {
        let before = self.workloads.pods.get(&pod.no).cloned();
        let tally = self.tally_of(pod, Some(pod), before.as_ref(), cx.now());
        self.await_available(cx, pod, tally.as_ref());
        self.workloads.put_tally(pod.no, tally);
    }

    /// Arms the timer at which a pod that is ready becomes available.
    pub(crate) fn await_available(&mut self, cx: &Cx, pod: &Object, tally: Option<&PodTally>) {
        let (Some(tally), Status::Pod(status)) = (tally, &pod.status) else { return };
        let Some(since) = status.ready_since().filter(|_| tally.ready && !tally.available) else { return };
        let min_ready_ms = tally
            .workload
            .and_then(|workload| self.workloads.get(workload))
            .map_or(0, |workload| workload.min_ready_ms);
        let due = since.saturating_add(min_ready_ms);
        if due > cx.now() {
            self.queue.arm_in(cx, due.since(cx.now()), Timer::Available(pod.no));
        }
    }

    /// A pod has been ready for long enough.
    pub(crate) fn pod_available(&mut self, cx: &mut Cx, no: ObjectNo) {
        let Some(pod) = self.api.store.object(no).cloned() else { return };
        let before = self.workloads.pods.get(&no).cloned();
        let tally = self.tally_of(&pod, Some(&pod), before.as_ref(), cx.now());
        let workload = tally.as_ref().and_then(|tally| tally.workload);
        if self.workloads.put_tally(no, tally)
            && let Some(workload) = workload
        {
            self.queue.ask(cx, Work::Sync(workload));
        }
    }
}
