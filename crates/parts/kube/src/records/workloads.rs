//! Workloads: counts of their pods, updated with each change, and the next sync of their controllers.
//!
//! *Knows*: what one pod counts for. *Must not know*: what a controller does with the counts.
//!
//! *Invariant*: the counts equal the sum of its pods' tallies, and a tally follows from its pod; [`Kube::check`] recomputes both.

use crate::{
    kinds::KindId,
    object::{Object, ObjectNo},
    records::ranks::Ranks,
    records::store::Store,
    status::{Phase, PodStatus},
};
use planarium_kernel::{IdMap, Map, SimTime, SortedMap, SortedSet, TimerId, Weight, draw};
use std::sync::Arc;

/// The label that tells by which revision of a StatefulSet or DaemonSet a pod was made.
pub(crate) const REVISION_LABEL: &str = "controller-revision-hash";

/// The counted properties of one pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PodTally {
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
    pub(crate) selected_by: Arc<Vec<ObjectNo>>,
}

impl PodTally {
    /// Neither finished nor terminating.
    pub(crate) const fn is_active(&self) -> bool {
        !self.terminating && !self.phase.is_terminal()
    }

    /// Running, ready and not terminating.
    const fn is_healthy(&self) -> bool {
        self.is_active() && self.ready
    }
}

/// Pods by place: ordinals of a StatefulSet, nodes of a DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slots {
    pub(crate) pods: Map<u32, ObjectNo>,
    /// Pods whose place was taken, with that place.
    pub(crate) extra: SortedMap<ObjectNo, (u32, PodTally)>,
    /// Places that have to have a pod.
    pub(crate) wanted: SortedSet<u32>,
    /// Places without a pod.
    pub(crate) gaps: SortedSet<u32>,
    /// Places whose pod is not running and ready, or is terminating.
    pub(crate) unhealthy: SortedSet<u32>,
    /// Places whose pod was made by another revision.
    pub(crate) stale: SortedSet<u32>,
    /// Places with a pod beyond the requested ones.
    pub(crate) surplus: SortedSet<u32>,
    /// Fingerprint of the revision that pods have to have.
    pub(crate) revision: u64,
}

impl Slots {
    fn join(&mut self, slot: u32, no: ObjectNo, tally: &PodTally) {
        match self.pods.get(&slot) {
            Some(other) if *other != no => {
                self.extra.insert(no, (slot, tally.clone()));
                return;
            }
            _ => _ = self.pods.insert(slot, no),
        }
        self.gaps.remove(&slot);
        set(&mut self.unhealthy, slot, !(tally.is_healthy() && tally.available));
        set(&mut self.stale, slot, tally.revision != self.revision);
        set(&mut self.surplus, slot, !self.wanted.contains(&slot));
    }

    /// A pod that has this place, or found it taken, counts otherwise than before.
    fn refresh(&mut self, slot: u32, no: ObjectNo, tally: &PodTally) {
        if self.pods.get(&slot) == Some(&no) {
            set(&mut self.unhealthy, slot, !(tally.is_healthy() && tally.available));
            set(&mut self.stale, slot, tally.revision != self.revision);
        } else if let Some((_, kept)) = self.extra.get_mut(&no) {
            *kept = tally.clone();
        }
    }

    fn leave(&mut self, slot: u32, no: ObjectNo) {
        if self.extra.remove(&no).is_some() || self.pods.get(&slot) != Some(&no) {
            return;
        }
        self.pods.remove(&slot);
        for set in [&mut self.unhealthy, &mut self.stale, &mut self.surplus] {
            set.remove(&slot);
        }
        // The oldest pod that found the place taken has it now.
        let next = self.extra.iter().find(|(_, (place, _))| *place == slot);
        match next.map(|(no, (_, tally))| (*no, tally.clone())) {
            Some((next, tally)) => {
                self.extra.remove(&next);
                self.join(slot, next, &tally);
            }
            None => set(&mut self.gaps, slot, self.wanted.contains(&slot)),
        }
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Weight)]
#[weight(own 128)]
pub(crate) struct Workload {
    /// The time that a pod has to be ready to count as available.
    pub(crate) min_ready_ms: u64,
    /// All pods, in any state.
    pub(crate) all: u32,
    /// Neither over nor on their way out.
    pub(crate) active: u32,
    pub(crate) ready: u32,
    pub(crate) available: u32,
    pub(crate) succeeded: u32,
    pub(crate) failed: u32,
    /// On their way out, and not over.
    pub(crate) terminating: u32,
    /// Terminating pods that are still ready.
    pub(crate) leaving_ready: u32,
    /// Number of times that containers of active pods were started again.
    pub(crate) restarts: u32,
    /// Active pods, and the ready ones of these, by the fingerprint of their revision.
    pub(crate) revisions: SortedMap<u64, (u32, u32)>,
    pub(crate) slots: Option<Box<Slots>>,
    /// Its pods in the order in which they go, from the first time that there were too many until none is left.
    pub(crate) ranks: Option<Box<Ranks>>,
    /// True if pods without a controller must be searched.
    pub(crate) adopt: bool,
    /// Number of times in a row that its controller was refused a pod.
    pub(crate) refusals: u32,
    /// Failures that delay the next pod of a Job.
    pub(crate) failures: u32,
    /// Until when no new pod is made.
    pub(crate) hold: Option<SimTime>,
    /// A controller's own timer, and when it is due.
    pub(crate) timer: Option<(TimerId, SimTime)>,
}

impl Workload {
    pub(crate) fn join(&mut self, no: ObjectNo, tally: &PodTally) {
        self.count(tally, true);
        if let (Some(slots), Some(slot)) = (&mut self.slots, tally.slot) {
            slots.join(slot, no, tally);
        }
    }

    pub(crate) fn leave(&mut self, no: ObjectNo, tally: &PodTally) {
        self.count(tally, false);
        if let (Some(slots), Some(slot)) = (&mut self.slots, tally.slot) {
            slots.leave(slot, no);
        }
    }

    /// A pod of the workload counts otherwise than before, at the same place.
    fn change(&mut self, no: ObjectNo, before: &PodTally, after: &PodTally) {
        self.count(before, false);
        self.count(after, true);
        if let (Some(slots), Some(slot)) = (&mut self.slots, after.slot) {
            slots.refresh(slot, no, after);
        }
    }

    fn count(&mut self, tally: &PodTally, more: bool) {
        let by = |count: &mut u32, amount: u32| {
            *count = if more { count.saturating_add(amount) } else { count.saturating_sub(amount) };
        };
        by(&mut self.all, 1);
        let counts = [
            (&mut self.active, tally.is_active()),
            (&mut self.ready, tally.is_healthy()),
            (&mut self.available, tally.is_active() && tally.available),
            (&mut self.succeeded, tally.phase == Phase::Succeeded),
            // A pod that was told to end has not failed.
            (&mut self.failed, tally.phase == Phase::Failed && !tally.terminating),
            (&mut self.terminating, tally.terminating && !tally.phase.is_terminal()),
            (&mut self.leaving_ready, tally.terminating && !tally.phase.is_terminal() && tally.ready),
        ];
        for (count, counts) in counts {
            by(count, u32::from(counts));
        }
        if tally.is_active() {
            by(&mut self.restarts, tally.restarts);
            if tally.revision != 0 {
                let (all, ready) = self.revisions.entry(tally.revision).or_default();
                by(all, 1);
                by(ready, u32::from(tally.ready));
                let none = *all == 0;
                if none {
                    self.revisions.remove(&tally.revision);
                }
            }
        }
    }

    /// Returns active pods of a revision, and the ready ones of these.
    pub(crate) fn of_revision(&self, revision: u64) -> (u32, u32) {
        self.revisions.get(&revision).copied().unwrap_or_default()
    }
}

/// The fingerprint of a revision; never 0.
pub(crate) fn revision_print(hash: &str) -> u64 {
    draw::entity(hash).max(1)
}

/// The ordinal of a StatefulSet's pod.
pub(crate) fn ordinal(pod: &str, set: &str) -> Option<u32> {
    let digits = pod.strip_prefix(set)?.strip_prefix('-')?;
    let plain = digits == "0" || !digits.starts_with('0');
    (plain && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// All workloads, with the tallies of their pods.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workloads {
    pub(crate) all: Map<ObjectNo, Arc<Workload>>,
    pub(crate) pods: IdMap<ObjectNo, PodTally>,
}

impl Workloads {
    /// Returns the next scheduled sync of an object's controller.
    pub(crate) fn next_turn(&self, no: ObjectNo) -> Option<SimTime> {
        self.get(no)?.timer.map(|(_, at)| at)
    }

    /// The workload that manages a pod.
    pub(crate) fn manager_of(&self, pod: ObjectNo) -> Option<ObjectNo> {
        self.pods.get(&pod).and_then(|tally| tally.workload)
    }

    /// Takes a pod's tally over into the counts; returns whether it has changed.
    pub(crate) fn put_tally(&mut self, no: ObjectNo, tally: Option<PodTally>) -> bool {
        let before = self.pods.get(&no).cloned();
        if before == tally {
            return false;
        }
        if let (Some(before), Some(after)) = (&before, &tally)
            && before.workload == after.workload
            && before.slot == after.slot
        {
            if let Some(workload) = before.workload.and_then(|workload| self.all.get_mut(&workload)) {
                Arc::make_mut(workload).change(no, before, after);
            }
            self.pods.insert(no, after.clone());
            return true;
        }
        if let Some(before) = &before
            && let Some(workload) = before.workload.and_then(|workload| self.all.get_mut(&workload))
        {
            Arc::make_mut(workload).leave(no, before);
        }
        match tally {
            Some(tally) => {
                if let Some(workload) = tally.workload {
                    self.all
                        .upsert(workload, Arc::default, |workload| Arc::make_mut(workload).join(no, &tally));
                }
                self.pods.insert(no, tally);
            }
            None => _ = self.pods.remove(&no),
        }
        true
    }

    /// Counts of a workload, and what its controller remembers.
    pub(crate) fn get(&self, workload: ObjectNo) -> Option<&Workload> {
        self.all.get(&workload).map(|workload| &**workload)
    }

    /// Changes a controller's data about a workload.
    pub(crate) fn change<R>(&mut self, workload: ObjectNo, change: impl FnOnce(&mut Workload) -> R) -> R {
        self.all.upsert(workload, Arc::default, |workload| change(Arc::make_mut(workload)))
    }

    /// Active pods of a workload.
    pub(crate) fn active_pods<'a>(
        &'a self,
        store: &'a Store,
        workload: ObjectNo,
    ) -> impl Iterator<Item = &'a Object> {
        let is_active = move |pod: &&Object| {
            let tally = self.pods.get(&pod.no);
            tally.is_some_and(|tally| tally.is_active() && tally.workload == Some(workload))
        };
        store.pods_of(workload).map(|pod| &**pod).filter(is_active)
    }

    /// Ranks the pods of a workload, unless they are ranked already.
    pub(crate) fn rank_all(&mut self, store: &Store, workload: ObjectNo) {
        if self.get(workload).is_none_or(|workload| workload.ranks.is_some()) {
            return;
        }
        let ranks = Ranks::of(self.active_pods(store, workload));
        self.change(workload, |workload| workload.ranks = Some(Box::new(ranks)));
    }

    /// Notes a changed pod in the ranks of its workload, if those are kept; `before` is the workload that it had.
    pub(crate) fn note_rank(&mut self, before: Option<ObjectNo>, no: ObjectNo, pod: Option<&Object>) {
        let tally = self.pods.get(&no);
        let (after, is_active) =
            (tally.and_then(|tally| tally.workload), tally.is_some_and(PodTally::is_active));
        let mut note = |workload: ObjectNo, pod: Option<&Object>| {
            if self.all.get(&workload).is_none_or(|own| own.ranks.is_none()) {
                return;
            }
            let Some(own) = self.all.get_mut(&workload).map(Arc::make_mut) else { return };
            if let Some(ranks) = &mut own.ranks {
                ranks.note(no, pod);
            }
            own.ranks.take_if(|ranks| ranks.is_empty());
        };
        if let Some(before) = before.filter(|before| Some(*before) != after) {
            note(before, None);
        }
        if let Some(after) = after {
            note(after, pod.filter(|_| is_active));
        }
    }

    /// Says from which revision on pods are up to date, and which places have to have one.
    pub(crate) fn set_slots(&mut self, store: &Store, no: ObjectNo, wanted: SortedSet<u32>, revision: u64) {
        let workload = self.get(no);
        if workload
            .and_then(|workload| workload.slots.as_ref())
            .is_some_and(|slots| slots.wanted == wanted && slots.revision == revision)
        {
            return;
        }
        let missing = workload.is_none_or(|workload| workload.slots.is_none());
        if missing {
            let pods: Vec<(ObjectNo, PodTally)> = store
                .dependants(no)
                .filter_map(|pod| Some((pod.no, self.pods.get(&pod.no)?.clone())))
                .collect();
            self.change(no, |workload| {
                let mut slots = Slots { revision, ..Slots::default() };
                slots.want(wanted);
                for (pod, tally) in &pods {
                    if let Some(slot) = tally.slot {
                        slots.join(slot, *pod, tally);
                    }
                }
                workload.slots = Some(Box::new(slots));
            });
            return;
        }
        let tallies = self.pods.clone();
        self.change(no, |workload| {
            let Some(slots) = &mut workload.slots else { return };
            slots.want(wanted);
            if slots.revision != revision {
                slots.revision = revision;
                let stale = |no: &ObjectNo| tallies.get(no).is_some_and(|tally| tally.revision != revision);
                slots.stale = slots.pods.iter().filter(|(_, no)| stale(no)).map(|(slot, _)| *slot).collect();
            }
        });
    }
}

/// True if objects of a kind have pods that are counted.
pub(crate) const fn is_workload(kind: KindId) -> bool {
    matches!(kind, KindId::REPLICA_SET | KindId::STATEFUL_SET | KindId::DAEMON_SET | KindId::JOB)
}

/// Number of times that containers of a pod were started again.
pub(crate) fn restarts(status: &PodStatus) -> u32 {
    status.containers.iter().map(|one| one.restarts).fold(0, u32::saturating_add)
}
