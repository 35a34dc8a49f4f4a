//! The sizes that ReplicaSets get next. Pure: a rollout goes in, sizes come out.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/deployment/{rolling,recreate,sync}.go`, match.

use super::sets::{Rollout, annotated_most, asked, available, counts, new_size};
use crate::object::{Object, ObjectNo};
use planarium_kernel::sorted;
use std::sync::Arc;

/// A ReplicaSet and the size that it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Resize {
    pub(super) set: ObjectNo,
    pub(super) replicas: u32,
}

/// Scales the new ReplicaSet to its size, or one step towards it.
pub(super) fn grow(rollout: &Rollout) -> Option<Resize> {
    let new = rollout.new.as_ref()?;
    let wanted = rollout.replicas();
    let replicas = if new.replicas >= wanted { wanted } else { new_size(rollout, new.replicas) };
    (replicas != new.replicas).then_some(Resize { set: new.no, replicas })
}

/// Scales old ReplicaSets down: first by unavailable pods, then by as many as may be missing.
pub(super) fn shrink(rollout: &Rollout) -> Vec<Resize> {
    let wanted = rollout.replicas();
    let (_, unavailable) = rollout.spec.fence(wanted);
    let least = i64::from(wanted.saturating_sub(unavailable));
    let new_unavailable =
        rollout.new.as_ref().map_or(0, |new| i64::from(new.replicas) - i64::from(counts(new).available));
    let most = i64::from(asked(rollout.all())) - least - new_unavailable;
    if asked(&rollout.old) == 0 || most <= 0 {
        return Vec::new();
    }
    let sizes = without_unavailable(&rollout.old, u32::try_from(most).unwrap_or(u32::MAX));
    let changed = rollout.old.iter().zip(&sizes).filter(|(set, size)| set.replicas != size.replicas);
    let mut steps: Vec<Resize> = changed.map(|(_, size)| *size).collect();
    let spare = u32::try_from(i64::from(available(rollout.all())) - least).unwrap_or(0);
    steps.extend(without_spare(&sizes, spare));
    steps
}

/// Returns the sizes of old ReplicaSets after removing at most `most` unavailable pods.
///
/// **Source**: `rolling.go` (`cleanupUnhealthyReplicas`), match.
pub(super) fn without_unavailable(old: &[Arc<Object>], most: u32) -> Vec<Resize> {
    let mut left = most;
    let smaller = |set: &Arc<Object>| {
        let down = left.min(set.replicas.saturating_sub(counts(set).available));
        left -= down;
        Resize { set: set.no, replicas: set.replicas - down }
    };
    old.iter().map(smaller).collect()
}

/// Returns the ReplicaSets that give up `spare` pods in total, with their new sizes.
///
/// **Source**: `rolling.go` (`scaleDownOldReplicaSetsForRollingUpdate`), match.
pub(super) fn without_spare(sizes: &[Resize], spare: u32) -> Vec<Resize> {
    let mut left = spare;
    let mut steps = Vec::new();
    for Resize { set, replicas } in sizes.iter().copied() {
        let down = left.min(replicas);
        left -= down;
        if down > 0 {
            steps.push(Resize { set, replicas: replicas - down });
        }
    }
    steps
}

/// Old ReplicaSets give up all their pods.
pub(super) fn empty_old(rollout: &Rollout) -> Vec<Resize> {
    let full = rollout.old.iter().filter(|set| set.replicas > 0);
    full.map(|set| Resize { set: set.no, replicas: 0 }).collect()
}

/// All ReplicaSets take their part in a new size of the Deployment. *Order*: the largest first; of two of a size the newer
/// when growing, the older when shrinking.
pub(super) fn proportional(rollout: &Rollout) -> Vec<Resize> {
    let wanted = rollout.replicas();
    let mut active: Vec<&Arc<Object>> = rollout.all().filter(|set| set.replicas > 0).collect();
    let single = match active.as_slice() {
        [] => rollout.new.as_ref().or_else(|| rollout.old.last()),
        [one] => Some(*one),
        _ => None,
    };
    if let Some(set) = single {
        return vec![Resize { set: set.no, replicas: wanted }];
    }
    let saturated =
        rollout.new.as_ref().is_some_and(|new| new.replicas == wanted && counts(new).available == wanted);
    if saturated {
        return empty_old(rollout);
    }
    if active.is_empty() || rollout.spec.recreate {
        return Vec::new();
    }
    let (surge, _) = rollout.spec.fence(wanted);
    let allowed = if wanted > 0 { i64::from(wanted.saturating_add(surge)) } else { 0 };
    let add = allowed - i64::from(asked(rollout.all()));
    sorted::sort_by(&mut active, |one, other| {
        let age = if add > 0 { other.no.cmp(&one.no) } else { one.no.cmp(&other.no) };
        other.replicas.cmp(&one.replicas).then(age)
    });
    let mut added = 0;
    let mut sizes: Vec<(ObjectNo, i64)> = Vec::new();
    for set in active {
        let part = if add == 0 { 0 } else { proportion(rollout, set, add, added) };
        sizes.push((set.no, i64::from(set.replicas) + part));
        added += part;
    }
    // What rounding has left over goes to the first.
    if let Some((_, first)) = sizes.first_mut() {
        *first += add - added;
    }
    let size = |size: i64| u32::try_from(size.max(0)).unwrap_or(u32::MAX);
    sizes.into_iter().map(|(set, replicas)| Resize { set, replicas: size(replicas) }).collect()
}

/// A ReplicaSet's part of the pods to add (or, below zero, to take).
fn proportion(rollout: &Rollout, set: &Object, add: i64, added: i64) -> i64 {
    if set.replicas == 0 || add == added {
        return 0;
    }
    let wanted = rollout.replicas();
    let fraction = if wanted == 0 {
        -i64::from(set.replicas)
    } else {
        let (surge, _) = rollout.spec.fence(wanted);
        let total = i64::from(wanted.saturating_add(surge));
        let before =
            annotated_most(set).unwrap_or_else(|| i64::from(counts(&rollout.object).replicas)).max(1);
        let size = i64::from(set.replicas);
        // Rounded half up.
        (2 * size * total + before).div_euclid(2 * before) - size
    };
    let left = add - added;
    if add > 0 { fraction.min(left) } else { fraction.max(left) }
}

/// True if everything is as asked for, as far as the status says.
pub(super) fn is_complete(rollout: &Rollout) -> bool {
    let (status, wanted) = (counts(&rollout.object), rollout.replicas());
    status.updated == wanted
        && status.replicas == wanted
        && status.available == wanted
        && status.observed >= rollout.object.generation
}
