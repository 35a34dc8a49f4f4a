//! What is kept of each workload: its pods, counted as they change and never by walking over them, and when its controller acts next.
//!
//! *Knows*: what one pod counts for. *Must not know*: what a controller makes of the counts.
//!
//! *Invariant*: the counts equal the sum of its pods' marks, and a mark equals what its pod says; [`Kube::check`] recomputes both.

use crate::{
    kinds::KindId,
    kube::Kube,
    object::{Object, ObjectNo},
    queue::Timer,
    spec::{Spec, pod::Restart},
    status::{Phase, PodStatus, Status},
};
use planarium_ground::Cx;
use planarium_kernel::{Map, SimTime, SortedMap, SortedSet, TimerId, draw};
use std::sync::Arc;

/// The label that tells by which revision of a StatefulSet or DaemonSet a pod was made.
pub(crate) const REVISION_LABEL: &str = "controller-revision-hash";

/// What one pod counts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The workload that manages it.
    pub(crate) workload: Option<ObjectNo>,
    pub(crate) phase: Phase,
    pub(crate) terminating: bool,
    pub(crate) ready: bool,
    pub(crate) available: bool,
    pub(crate) restarts: u32,
    /// Fingerprint of its revision; 0 for none.
    pub(crate) revision: u64,
    /// Its ordinal, or the number of its node.
    pub(crate) slot: Option<u32>,
    /// Services and budgets that pick it.
    pub(crate) watchers: Arc<Vec<ObjectNo>>,
}

impl Mark {
    /// Neither over nor on its way out.
    pub(crate) const fn is_active(&self) -> bool {
        !self.terminating && !self.phase.is_terminal()
    }

    /// Running, ready and not on its way out.
    const fn is_healthy(&self) -> bool {
        self.is_active() && self.ready
    }
}

/// Pods by place: ordinals of a StatefulSet, nodes of a DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slots {
    pub(crate) pods: Map<u32, ObjectNo>,
    /// Pods whose place was taken.
    pub(crate) extra: SortedSet<ObjectNo>,
    /// Places that have to have a pod.
    pub(crate) wanted: SortedSet<u32>,
    /// Those of them that have none.
    pub(crate) gaps: SortedSet<u32>,
    /// Places whose pod is not running and ready, or on its way out.
    pub(crate) unhealthy: SortedSet<u32>,
    /// Places whose pod was made by another revision.
    pub(crate) stale: SortedSet<u32>,
    /// Places with a pod that nobody wants there.
    pub(crate) surplus: SortedSet<u32>,
    /// Fingerprint of the revision that pods have to have.
    pub(crate) revision: u64,
}

impl Slots {
    fn join(&mut self, slot: u32, no: ObjectNo, mark: &Mark) {
        match self.pods.get(&slot) {
            Some(other) if *other != no => {
                self.extra.insert(no);
                return;
            }
            _ => _ = self.pods.insert(slot, no),
        }
        self.gaps.remove(&slot);
        set(&mut self.unhealthy, slot, !mark.is_healthy());
        set(&mut self.stale, slot, mark.revision != self.revision);
        set(&mut self.surplus, slot, !self.wanted.contains(&slot));
    }

    fn leave(&mut self, slot: u32, no: ObjectNo) {
        if self.extra.remove(&no) || self.pods.get(&slot) != Some(&no) {
            return;
        }
        self.pods.remove(&slot);
        for set in [&mut self.unhealthy, &mut self.stale, &mut self.surplus] {
            set.remove(&slot);
        }
        set(&mut self.gaps, slot, self.wanted.contains(&slot));
    }

    /// Says which places have to have a pod.
    pub(crate) fn want(&mut self, wanted: SortedSet<u32>) {
        if self.wanted == wanted {
            return;
        }
        self.gaps = wanted.iter().filter(|slot| !self.pods.contains_key(*slot)).copied().collect();
        self.surplus = self.pods.keys().filter(|slot| !wanted.contains(*slot)).copied().collect();
        self.wanted = wanted;
    }
}

fn set(set: &mut SortedSet<u32>, slot: u32, member: bool) {
    if member {
        set.insert(slot);
    } else {
        set.remove(&slot);
    }
}

/// A Deployment's ReplicaSet, a StatefulSet, DaemonSet or Job: its pods, counted, and its controller's own times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Workload {
    /// How long a pod has to be ready to count as available.
    pub(crate) min_ready_ms: u64,
    /// All pods, whatever their state.
    pub(crate) all: u32,
    /// Neither over nor on their way out.
    pub(crate) active: u32,
    pub(crate) ready: u32,
    pub(crate) available: u32,
    pub(crate) succeeded: u32,
    pub(crate) failed: u32,
    /// On their way out, and not over.
    pub(crate) terminating: u32,
    /// Those of them that are still ready.
    pub(crate) leaving_ready: u32,
    /// How often containers of active pods were started again.
    pub(crate) restarts: u32,
    /// Active pods, and those of them that are ready, by fingerprint of their revision.
    pub(crate) revisions: SortedMap<u64, (u32, u32)>,
    pub(crate) slots: Option<Box<Slots>>,
    /// Whether pods without a controller are to be looked through.
    pub(crate) adopt: bool,
    /// Failures that delay the next pod of a Job.
    pub(crate) failures: u32,
    /// Until when no new pod is made.
    pub(crate) hold: Option<SimTime>,
    /// A controller's own timer, and when it is due.
    pub(crate) timer: Option<(TimerId, SimTime)>,
}

impl Workload {
    pub(crate) fn join(&mut self, no: ObjectNo, mark: &Mark) {
        self.count(mark, true);
        if let (Some(slots), Some(slot)) = (&mut self.slots, mark.slot) {
            slots.join(slot, no, mark);
        }
    }

    pub(crate) fn leave(&mut self, no: ObjectNo, mark: &Mark) {
        self.count(mark, false);
        if let (Some(slots), Some(slot)) = (&mut self.slots, mark.slot) {
            slots.leave(slot, no);
        }
    }

    fn count(&mut self, mark: &Mark, more: bool) {
        let by = |count: &mut u32, amount: u32| {
            *count = if more { count.saturating_add(amount) } else { count.saturating_sub(amount) };
        };
        by(&mut self.all, 1);
        let counts = [
            (&mut self.active, mark.is_active()),
            (&mut self.ready, mark.is_healthy()),
            (&mut self.available, mark.is_active() && mark.available),
            (&mut self.succeeded, mark.phase == Phase::Succeeded),
            (&mut self.failed, mark.phase == Phase::Failed),
            (&mut self.terminating, mark.terminating && !mark.phase.is_terminal()),
            (&mut self.leaving_ready, mark.terminating && !mark.phase.is_terminal() && mark.ready),
        ];
        for (count, counts) in counts {
            by(count, u32::from(counts));
        }
        if mark.is_active() {
            by(&mut self.restarts, mark.restarts);
            if mark.revision != 0 {
                let (all, ready) = self.revisions.entry(mark.revision).or_default();
                by(all, 1);
                by(ready, u32::from(mark.ready));
                let none = *all == 0;
                if none {
                    self.revisions.remove(&mark.revision);
                }
            }
        }
    }

    /// Active pods of a revision, and those of them that are ready.
    pub(crate) fn of_revision(&self, revision: u64) -> (u32, u32) {
        self.revisions.get(&revision).copied().unwrap_or_default()
    }
}

/// The fingerprint of a revision; never 0.
pub(crate) fn revision_print(hash: &str) -> u64 {
    draw::entity(hash).max(1)
}

/// The ordinal of a StatefulSet's pod.
fn ordinal(pod: &str, set: &str) -> Option<u32> {
    let digits = pod.strip_prefix(set)?.strip_prefix('-')?;
    let plain = digits == "0" || !digits.starts_with('0');
    (plain && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

impl Kube {
    /// What a pod counts for; `before` is what it counted for so far.
    pub(crate) fn mark_of(
        &self,
        pod: &Object,
        old: Option<&Object>,
        before: Option<&Mark>,
        now: SimTime,
    ) -> Option<Mark> {
        let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return None };
        let known = old.zip(before);
        let same_owner = known.filter(|(old, _)| Arc::ptr_eq(&old.owners, &pod.owners));
        let (workload, slot) = match same_owner {
            Some((_, mark)) => (mark.workload, mark.slot),
            None => {
                let owner = pod
                    .controller()
                    .and_then(|owner| self.store.by_uid(&owner.uid))
                    .filter(|owner| is_workload(owner.kind));
                let slot = owner.and_then(|owner| match owner.kind {
                    KindId::STATEFUL_SET => ordinal(&pod.name, &owner.name),
                    KindId::DAEMON_SET => {
                        let node = own.pinned.as_deref().unwrap_or(&own.node);
                        self.node_number(node)
                    }
                    _ => None,
                });
                (owner.map(|owner| owner.no), slot)
            }
        };
        let same_labels = known.filter(|(old, _)| old.labels.is_same(&pod.labels));
        let (revision, watchers) = match same_labels {
            Some((_, mark)) => (mark.revision, mark.watchers.clone()),
            None => {
                let revision = pod.labels.get(REVISION_LABEL).map_or(0, |hash| revision_print(hash));
                (revision, Arc::new(self.watchers.of_pod(pod)))
            }
        };
        let min_ready_ms = workload
            .and_then(|workload| self.workloads.get(&workload))
            .map_or(0, |workload| workload.min_ready_ms);
        let ready_since = status.ready_since();
        Some(Mark {
            workload,
            phase: status.phase,
            terminating: pod.is_being_deleted(),
            ready: ready_since.is_some(),
            available: ready_since.is_some_and(|since| since.saturating_add(min_ready_ms) <= now),
            restarts: if spec.restart == Restart::OnFailure && spec.ends { restarts(status) } else { 0 },
            revision,
            slot,
            watchers,
        })
    }

    /// Takes a pod's mark over into the counts; answers whether the counts of its workload have changed.
    pub(crate) fn put_mark(&mut self, no: ObjectNo, mark: Option<Mark>) -> bool {
        let before = self.marks.get(&no).cloned();
        if before == mark {
            return false;
        }
        if let Some(before) = &before
            && let Some(workload) = before.workload.and_then(|workload| self.workloads.get_mut(&workload))
        {
            Arc::make_mut(workload).leave(no, before);
        }
        match mark {
            Some(mark) => {
                if let Some(workload) = mark.workload {
                    self.workloads
                        .upsert(workload, Arc::default, |workload| Arc::make_mut(workload).join(no, &mark));
                }
                self.marks.insert(no, mark);
            }
            None => _ = self.marks.remove(&no),
        }
        true
    }

    pub(crate) fn workload(&self, workload: ObjectNo) -> Option<&Workload> {
        self.workloads.get(&workload).map(|workload| &**workload)
    }

    /// Changes what a controller remembers of a workload.
    pub(crate) fn workload_mut<R>(
        &mut self,
        workload: ObjectNo,
        change: impl FnOnce(&mut Workload) -> R,
    ) -> R {
        self.workloads.upsert(workload, Arc::default, |workload| change(Arc::make_mut(workload)))
    }

    /// Says from which revision on pods are up to date, and which places have to have one.
    pub(crate) fn set_slots(&mut self, no: ObjectNo, wanted: SortedSet<u32>, revision: u64) {
        let workload = self.workload(no);
        if workload
            .and_then(|workload| workload.slots.as_ref())
            .is_some_and(|slots| slots.wanted == wanted && slots.revision == revision)
        {
            return;
        }
        let missing = workload.is_none_or(|workload| workload.slots.is_none());
        if missing {
            let pods: Vec<(ObjectNo, Mark)> = self
                .store
                .dependants(no)
                .filter_map(|pod| Some((pod.no, self.marks.get(&pod.no)?.clone())))
                .collect();
            self.workload_mut(no, |workload| {
                let mut slots = Slots { revision, ..Slots::default() };
                slots.want(wanted);
                for (pod, mark) in &pods {
                    if let Some(slot) = mark.slot {
                        slots.join(slot, *pod, mark);
                    }
                }
                workload.slots = Some(Box::new(slots));
            });
            return;
        }
        let marks = self.marks.clone();
        self.workload_mut(no, |workload| {
            let Some(slots) = &mut workload.slots else { return };
            slots.want(wanted);
            if slots.revision != revision {
                slots.revision = revision;
                let stale = |no: &ObjectNo| marks.get(no).is_some_and(|mark| mark.revision != revision);
                slots.stale = slots.pods.iter().filter(|(_, no)| stale(no)).map(|(slot, _)| *slot).collect();
            }
        });
    }

    /// Says how long pods have to be ready to count as available.
    pub(crate) fn set_min_ready(&mut self, cx: &Cx, workload: ObjectNo, min_ready_s: u32) {
        let ms = u64::from(min_ready_s) * 1000;
        if self.workload(workload).is_some_and(|workload| workload.min_ready_ms == ms) {
            return;
        }
        self.workload_mut(workload, |workload| workload.min_ready_ms = ms);
        let pods: Vec<Arc<Object>> =
            self.store.dependants(workload).filter(|pod| pod.kind == KindId::POD).cloned().collect();
        for pod in pods {
            self.remark(cx, &pod);
        }
    }

    /// Counts a pod anew, and sees to it that it is counted when it becomes available.
    pub(crate) fn remark(&mut self, cx: &Cx, pod: &Arc<Object>) {
        let before = self.marks.get(&pod.no).cloned();
        let mark = self.mark_of(pod, Some(pod), before.as_ref(), cx.now());
        self.await_available(cx, pod, mark.as_ref());
        self.put_mark(pod.no, mark);
    }

    /// Arms the timer at which a pod that is ready becomes available.
    pub(crate) fn await_available(&mut self, cx: &Cx, pod: &Object, mark: Option<&Mark>) {
        let (Some(mark), Status::Pod(status)) = (mark, &pod.status) else { return };
        let Some(since) = status.ready_since().filter(|_| mark.ready && !mark.available) else { return };
        let min_ready_ms = mark
            .workload
            .and_then(|workload| self.workload(workload))
            .map_or(0, |workload| workload.min_ready_ms);
        let due = since.saturating_add(min_ready_ms);
        if due > cx.now() {
            self.arm(cx, due.since(cx.now()), Timer::Available(pod.no));
        }
    }

    /// A pod has been ready for long enough.
    pub(crate) fn pod_available(&mut self, cx: &mut Cx, no: ObjectNo) {
        let Some(pod) = self.store.object(no).cloned() else { return };
        let before = self.marks.get(&no).cloned();
        let mark = self.mark_of(&pod, Some(&pod), before.as_ref(), cx.now());
        let workload = mark.as_ref().and_then(|mark| mark.workload);
        if self.put_mark(no, mark)
            && let Some(workload) = workload
        {
            self.ask(cx, crate::queue::Work::Sync(workload));
        }
    }
}

/// Whether objects of a kind have pods that are counted.
pub(crate) const fn is_workload(kind: KindId) -> bool {
    matches!(kind, KindId::REPLICA_SET | KindId::STATEFUL_SET | KindId::DAEMON_SET | KindId::JOB)
}

/// How often containers of a pod were started again.
pub(crate) fn restarts(status: &PodStatus) -> u32 {
    status.containers.iter().map(|one| one.restarts).fold(0, u32::saturating_add)
}
