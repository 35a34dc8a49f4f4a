//! The indexes of an indexed Job.
//!
//! *Knows*: which indexes are done, active or open, and which pods have none. *Must not know*: when pods are created.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/job/indexed_job_utils.go` (1.29), match.

use crate::{
    object::Object,
    records::{ranks::DeletionRank, store::Store},
    spec::workload::INDEX,
    status::{Phase, Status},
};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Text;
use std::sync::Arc;

/// Longest prefix that leaves room for the five characters of a generated name.
const PREFIX: usize = 58;

/// The numbers of an indexed Job.
pub(super) struct Indexes {
    /// Numbers whose pod has succeeded.
    pub(super) done: SortedSet<u32>,
    /// Numbers with an active pod.
    active: SortedSet<u32>,
}

impl Indexes {
    /// Returns the indexes of a Job with this number of completions, some of them done before.
    pub(super) fn of(store: &Store, job: &Object, before: &str, completions: u32) -> Self {
        let pods = store.pods_of(job.no).filter_map(|pod| match &pod.status {
            Status::Pod(status) if status.phase == Phase::Succeeded || !pod.is_being_deleted() => {
                Some((index_of(pod), status.phase))
            }
            _ => None,
        });
        Self::count(before, pods, completions)
    }

    /// Counts the indexes from those done before, and pods with their phases. An index out of range is ignored.
    pub(super) fn count(
        before: &str,
        pods: impl Iterator<Item = (Option<u32>, Phase)>,
        completions: u32,
    ) -> Self {
        let (mut done, mut active) = (read(before, completions), SortedSet::new());
        for (index, phase) in pods {
            let Some(index) = index.filter(|index| *index < completions) else { continue };
            match phase {
                Phase::Succeeded => _ = done.insert(index),
                phase if !phase.is_terminal() => _ = active.insert(index),
                _ => {}
            }
        }
        Self { done, active }
    }

    /// The lowest numbers that still need a pod.
    pub(super) fn open(&self, completions: u32, count: u32) -> Vec<u32> {
        let is_open = |index: &u32| !self.done.contains(index) && !self.active.contains(index);
        (0..completions).filter(is_open).take(count as usize).collect()
    }

    /// `0-2,5`.
    pub(super) fn text(&self) -> Text {
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for index in &self.done {
            match parts.last_mut() {
                Some((_, last)) if last.saturating_add(1) == *index => *last = *index,
                _ => parts.push((*index, *index)),
            }
        }
        let one = |(first, last): &(u32, u32)| match last - first {
            0 => first.to_string(),
            1 => format!("{first},{last}"),
            _ => format!("{first}-{last}"),
        };
        parts.iter().map(one).collect::<Vec<_>>().join(",").into()
    }
}

/// Reads indexes such as `0-2,5` below a bound; skips invalid text.
fn read(text: &str, completions: u32) -> SortedSet<u32> {
    let mut all = SortedSet::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) {
            (first..completions.min(last.saturating_add(1))).for_each(|index| _ = all.insert(index));
        }
    }
    all
}

pub(super) fn index_of(pod: &Object) -> Option<u32> {
    pod.annotations.get(INDEX)?.parse().ok()
}

/// Returns active pods without an index of the Job, and for each index with several pods all but the last in deletion
/// order.
pub(super) fn surplus(active: &[Arc<Object>], completions: u32) -> Vec<Arc<Object>> {
    let mut kept: SortedMap<u32, &Arc<Object>> = SortedMap::new();
    let mut surplus = Vec::new();
    for pod in active {
        let Some(index) = index_of(pod).filter(|index| *index < completions) else {
            surplus.push(Arc::clone(pod));
            continue;
        };
        match kept.get(&index).copied() {
            Some(other) if DeletionRank::of(other, 0) >= DeletionRank::of(pod, 0) => {
                surplus.push(Arc::clone(pod));
            }
            other => {
                surplus.extend(other.cloned());
                kept.insert(index, pod);
            }
        }
    }
    surplus
}

/// Returns the prefix of an index's pod names: the Job's name, cut if it is too long, and the index.
pub(super) fn name_prefix(job: &str, index: u32) -> String {
    let end = format!("-{index}-");
    let most = PREFIX.saturating_sub(end.len());
    format!("{}{end}", job.get(..most).unwrap_or(job))
}
