//! How a Deployment goes from its old ReplicaSets to its new one.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/deployment/{rolling,recreate,sync}.go`, match.

use super::{
    sets::{self, Rollout, annotated_most, asked, available, counts, new_size},
    status,
};
use crate::{
    cluster::Cluster,
    object::Object,
    status::{Phase, Status},
};
use planarium_ground::Cx;
use std::sync::Arc;

/// Some pods of the new come, then some of the old go.
pub(crate) fn roll(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout) {
    sets::find_new(cluster, cx, rollout, true);
    if !grow_new(cluster, cx, rollout) && !shrink_old(cluster, cx, rollout) && is_complete(rollout) {
        sets::drop_history(cluster, cx, rollout);
    }
    status::write(cluster, cx, rollout, true);
}

/// All of the old go, then the new come.
pub(crate) fn roll_by_recreation(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout) {
    sets::find_new(cluster, cx, rollout, false);
    let mut scaled = false;
    for at in 0..rollout.old.len() {
        scaled |= scale_old(cluster, cx, rollout, at, 0);
    }
    if scaled || old_pods_run(cluster, rollout) {
        return status::write(cluster, cx, rollout, true);
    }
    sets::find_new(cluster, cx, rollout, true);
    if let Some(new) = rollout.new.clone() {
        rollout.new = Some(sets::scale(cluster, cx, rollout, &new, rollout.replicas()));
    }
    if is_complete(rollout) {
        sets::drop_history(cluster, cx, rollout);
    }
    status::write(cluster, cx, rollout, true);
}

/// Whether pods of old ReplicaSets are still there, those on their way out included.
fn old_pods_run(cluster: &Cluster, rollout: &Rollout) -> bool {
    rollout.old.iter().any(|set| {
        counts(set).replicas > 0
            || cluster.api.store.pods_of(set.no).any(|pod| match &pod.status {
                Status::Pod(status) => !matches!(status.phase, Phase::Succeeded | Phase::Failed),
                _ => false,
            })
    })
}

fn scale_old(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout, at: usize, replicas: u32) -> bool {
    let Some(set) = rollout.old.get(at).cloned() else { return false };
    if set.replicas == replicas {
        return false;
    }
    let set = sets::scale(cluster, cx, rollout, &set, replicas);
    if let Some(place) = rollout.old.get_mut(at) {
        *place = set;
    }
    true
}

fn grow_new(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout) -> bool {
    let Some(new) = rollout.new.clone() else { return false };
    let wanted = rollout.replicas();
    let size = match new.replicas {
        now if now == wanted => return false,
        now if now > wanted => wanted,
        now => new_size(rollout, now),
    };
    if size == new.replicas {
        return false;
    }
    rollout.new = Some(sets::scale(cluster, cx, rollout, &new, size));
    true
}

fn shrink_old(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout) -> bool {
    if asked(&rollout.old) == 0 {
        return false;
    }
    let wanted = rollout.replicas();
    let (_, unavailable) = rollout.spec.fence(wanted);
    let least = i64::from(wanted.saturating_sub(unavailable));
    let new_unavailable =
        rollout.new.as_ref().map_or(0, |new| i64::from(new.replicas) - i64::from(counts(new).available));
    let most = i64::from(asked(rollout.all())) - least - new_unavailable;
    if most <= 0 {
        return false;
    }
    let unhealthy = shrink_unhealthy(cluster, cx, rollout, u32::try_from(most).unwrap_or(u32::MAX));
    let healthy = shrink_healthy(cluster, cx, rollout, least);
    unhealthy + healthy > 0
}

/// Pods of the old that are not available go first: nobody misses them.
fn shrink_unhealthy(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout, most: u32) -> u32 {
    let mut total = 0;
    for at in 0..rollout.old.len() {
        let Some(set) = rollout.old.get(at) else { break };
        let (size, available) = (set.replicas, counts(set).available);
        if total >= most || size == 0 || size <= available {
            continue;
        }
        let down = (most - total).min(size - available);
        scale_old(cluster, cx, rollout, at, size - down);
        total += down;
    }
    total
}

fn shrink_healthy(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout, least: i64) -> u32 {
    let now = i64::from(available(rollout.all()));
    let Ok(most) = u32::try_from(now - least) else { return 0 };
    let mut total = 0;
    for at in 0..rollout.old.len() {
        let Some(set) = rollout.old.get(at) else { break };
        let size = set.replicas;
        if total >= most || size == 0 {
            continue;
        }
        let down = size.min(most - total);
        scale_old(cluster, cx, rollout, at, size - down);
        total += down;
    }
    total
}

/// A Deployment of another size in the middle of a rollout, or a paused one: all ReplicaSets take their part.
pub(crate) fn scale_proportionally(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout) {
    let wanted = rollout.replicas();
    let active: Vec<Arc<Object>> = rollout.all().filter(|set| set.replicas > 0).cloned().collect();
    let single = match active.as_slice() {
        [] => rollout.new.clone().or_else(|| rollout.old.last().cloned()),
        [one] => Some(one.clone()),
        _ => None,
    };
    if let Some(set) = single {
        let set = sets::scale(cluster, cx, rollout, &set, wanted);
        return replace(rollout, set);
    }
    if active.is_empty() {
        return;
    }
    let saturated =
        rollout.new.as_ref().is_some_and(|new| new.replicas == wanted && counts(new).available == wanted);
    if saturated {
        for at in 0..rollout.old.len() {
            scale_old(cluster, cx, rollout, at, 0);
        }
        return;
    }
    if rollout.spec.recreate {
        return;
    }
    let (surge, _) = rollout.spec.fence(wanted);
    let allowed = if wanted > 0 { i64::from(wanted.saturating_add(surge)) } else { 0 };
    let add = allowed - i64::from(asked(rollout.all()));
    let mut sets = active;
    // The largest first; of two of a size the newer when growing, the older when shrinking.
    planarium_kernel::sorted::sort_by(&mut sets, |one, other| {
        let age = if add > 0 { other.no.cmp(&one.no) } else { one.no.cmp(&other.no) };
        other.replicas.cmp(&one.replicas).then(age)
    });
    let mut added = 0;
    let mut sizes: Vec<i64> = Vec::new();
    for set in &sets {
        let part = if add == 0 { 0 } else { proportion(rollout, set, add, added) };
        sizes.push(i64::from(set.replicas) + part);
        added += part;
    }
    for (at, (set, size)) in sets.iter().zip(sizes).enumerate() {
        let size = if at == 0 && add != 0 { size + (add - added) } else { size };
        let size = u32::try_from(size.max(0)).unwrap_or(u32::MAX);
        let set = sets::scale(cluster, cx, rollout, set, size);
        replace(rollout, set);
    }
}

fn replace(rollout: &mut Rollout, set: Arc<Object>) {
    for place in rollout.old.iter_mut().chain(&mut rollout.new) {
        if place.no == set.no {
            *place = set;
            return;
        }
    }
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

/// Whether everything is as asked for, as far as the status says.
fn is_complete(rollout: &Rollout) -> bool {
    let (status, wanted) = (counts(&rollout.object), rollout.replicas());
    status.updated == wanted
        && status.replicas == wanted
        && status.available == wanted
        && status.observed >= rollout.object.generation
}
