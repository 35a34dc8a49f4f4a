//! The places of a StatefulSet: which pod comes or goes next. Pure: places go in, ordinals and pods come out.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/statefulset/stateful_set_control.go` (`updateStatefulSet`), match.

use crate::{
    controllers::pods::BURST,
    object::Object,
    records::{store::Store, workloads::Slots},
    spec::workload::StatefulSetSpec,
};
use planarium_kernel::SortedSet;
use std::sync::Arc;

/// A set's places, and the pods in them.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) store: &'a Store,
    pub(super) slots: &'a Slots,
    /// Number of pods requested by the set.
    pub(super) replicas: u32,
}

/// Places to fill.
#[derive(Clone, Debug, Default)]
pub(super) struct Open {
    /// Ordinals that get a pod now.
    pub(super) missing: Vec<u32>,
    /// Nothing else is done before the pod of this ordinal is running and ready.
    pub(super) waits: bool,
}

/// Pods beyond the requested ones.
#[derive(Clone, Debug)]
pub(super) struct Surplus {
    /// Those that go now.
    pub(super) pods: Vec<Arc<Object>>,
    /// Nothing else is done before they have ended.
    pub(super) waits: bool,
}

impl Default for Surplus {
    fn default() -> Self {
        Self { pods: Vec::new(), waits: true }
    }
}

impl Places<'_> {
    fn pod(&self, ordinal: u32) -> Option<&Arc<Object>> {
        self.store.object(*self.slots.pods.get(&ordinal)?)
    }

    fn failed_at(&self, ordinal: u32) -> Option<Arc<Object>> {
        self.pod(ordinal).filter(|pod| pod.is_over() && !pod.is_being_deleted()).cloned()
    }

    /// The lowest ordinal that has no pod that is running and ready.
    fn first_unready(&self) -> Option<u32> {
        let gap = self.slots.gaps.first().copied();
        let unhealthy = self.slots.unhealthy.first().copied().filter(|ordinal| *ordinal < self.replicas);
        gap.into_iter().chain(unhealthy).min()
    }

    /// Returns failed pods to recreate: all of them, or only the first place's.
    pub(super) fn failed(&self, spec: &StatefulSetSpec) -> Vec<Arc<Object>> {
        if !spec.parallel {
            return self.first_unready().and_then(|ordinal| self.failed_at(ordinal)).into_iter().collect();
        }
        let unhealthy = self.slots.unhealthy.iter().filter(|ordinal| **ordinal < self.replicas);
        unhealthy.filter_map(|ordinal| self.failed_at(*ordinal)).collect()
    }

    /// Returns places that get a pod now: all of them, or the first that is not running and ready.
    pub(super) fn open(&self, spec: &StatefulSetSpec) -> Open {
        if spec.parallel {
            return Open {
                missing: self.slots.gaps.iter().take(BURST as usize).copied().collect(),
                waits: false,
            };
        }
        let first = self.first_unready();
        let missing = first.filter(|ordinal| self.pod(*ordinal).is_none()).into_iter().collect();
        Open { missing, waits: first.is_some() }
    }

    /// Returns pods beyond the requested ones, highest first: all of them, or one after the other.
    pub(super) fn surplus(&self, spec: &StatefulSetSpec) -> Surplus {
        let mut pods = Vec::new();
        for ordinal in self.slots.surplus.iter().rev() {
            let Some(pod) = self.pod(*ordinal) else { continue };
            if spec.parallel {
                if !pod.is_being_deleted() {
                    pods.push(pod.clone());
                }
                continue;
            }
            // The first place that is not well goes before all others.
            let later =
                self.slots.unhealthy.contains(ordinal) && self.slots.unhealthy.first() != Some(ordinal);
            if !pod.is_being_deleted() && !later {
                pods.push(pod.clone());
            }
            return Surplus { pods, waits: true };
        }
        Surplus { pods, waits: false }
    }

    /// The pod with the highest ordinal that is not up to date, if all above it are well.
    pub(super) fn outdated(&self, spec: &StatefulSetSpec) -> Option<Arc<Object>> {
        if spec.on_delete() {
            return None;
        }
        let from = spec.partition.unwrap_or(0);
        let highest = |places: &SortedSet<u32>| {
            places.iter().rev().find(|ordinal| **ordinal < self.replicas && **ordinal >= from).copied()
        };
        let (stale, sick) = (highest(&self.slots.stale), highest(&self.slots.unhealthy));
        let stale = stale.filter(|stale| sick.is_none_or(|sick| sick <= *stale))?;
        self.pod(stale).filter(|pod| !pod.is_being_deleted()).cloned()
    }
}
