//! The status of a Deployment: counts, availability, progress and its deadline.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/deployment/{progress,sync}.go`, match.

use super::sets::{Rollout, asked, available, condition, counts};
use crate::{
    cluster::Cluster,
    status::{Cond, SetStatus, Status, Tri},
};
use planarium_ground::Cx;
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use std::sync::Arc;

/// Writes the status; `rolling` where progress is watched.
pub(crate) fn write(cluster: &mut Cluster, cx: &mut Cx, rollout: &Rollout, rolling: bool) {
    let Some(object) = cluster.api.store.object(rollout.object.no).cloned() else { return };
    // ReplicaSets may have changed since they were looked up.
    let now_there = |set: &Arc<crate::object::Object>| {
        cluster.api.store.object(set.no).cloned().unwrap_or_else(|| set.clone())
    };
    let rollout = Rollout {
        object,
        spec: rollout.spec.clone(),
        new: rollout.new.as_ref().map(now_there),
        old: rollout.old.iter().map(now_there).collect(),
    };
    let (old, now) = (counts(&rollout.object), cx.now());
    let mut new = calculate(&rollout, old, now);
    let progressing = condition(&rollout.object, "Progressing");
    if rollout.spec.progress_s.is_none() {
        new.conditions.retain(|one| one.kind != "Progressing");
    } else if rolling {
        let is_done = new.replicas == new.updated
            && progressing.is_some_and(|one| one.reason == "NewReplicaSetAvailable");
        if !is_done {
            let (word, name) = match &rollout.new {
                Some(set) => ("ReplicaSet", &set.name),
                None => ("Deployment", &rollout.object.name),
            };
            let wanted = rollout.replicas();
            let complete = new.updated == wanted && new.replicas == wanted && new.available == wanted;
            if complete {
                let message = || format!("{word} {name:?} has successfully progressed.").into();
                set(&mut new, "Progressing", Tri::True, "NewReplicaSetAvailable", message, now);
            } else if goes_on(old, &new) {
                let message = format!("{word} {name:?} is progressing.");
                let since = progressing.filter(|one| one.status == Tri::True).map_or(now, |one| one.since);
                new.conditions.retain(|one| one.kind != "Progressing");
                let cond = Cond::new("Progressing", Tri::True, "ReplicaSetUpdated", message, now);
                new.conditions.push(Cond { since, ..cond });
            } else if is_late(&rollout, now) {
                let message = || format!("{word} {name:?} has timed out progressing.").into();
                set(&mut new, "Progressing", Tri::False, "ProgressDeadlineExceeded", message, now);
            }
        }
    }
    let failure = rollout.all().filter_map(|one| condition(one, "ReplicaFailure")).last().cloned();
    match failure {
        Some(failure) => {
            if is_new(&new, failure.kind, failure.status, failure.reason) {
                Cond { updated: now, ..failure }.put(&mut new.conditions);
            }
        }
        None => new.conditions.retain(|one| one.kind != "ReplicaFailure"),
    }
    let object = if new == *old {
        rollout.object.clone()
    } else {
        cluster.put_status(cx, &rollout.object, Status::Set(Arc::new(new)))
    };
    await_deadline(cluster, cx, &Rollout { object, ..rollout });
}

/// True if a rollout has come further from one status to the next.
///
/// **Source**: `util/deployment_util.go` (`DeploymentProgressing`), match.
pub(super) fn goes_on(old: &SetStatus, new: &SetStatus) -> bool {
    new.updated > old.updated
        || new.replicas.saturating_sub(new.updated) < old.replicas.saturating_sub(old.updated)
        || new.ready > old.ready
        || new.available > old.available
}

/// Schedules another sync at the progress deadline of a rollout.
fn await_deadline(cluster: &mut Cluster, cx: &Cx, rollout: &Rollout) {
    let no = rollout.object.no;
    let due = condition(&rollout.object, "Progressing")
        .filter(|one| {
            one.status == Tri::True && one.reason != "NewReplicaSetAvailable" && !rollout.spec.paused
        })
        .zip(rollout.spec.progress_s)
        .map(|(one, seconds)| one.updated.saturating_add(u64::from(seconds) * 1000 + 1_000));
    cluster.look_again(cx, no, due);
}

/// True if there is no condition of a kind with this status and reason.
fn is_new(status: &SetStatus, kind: &str, truth: Tri, reason: &str) -> bool {
    let same = status.conditions.iter().find(|one| one.kind == kind);
    same.is_none_or(|one| one.status != truth || one.reason != reason)
}

/// Sets a condition; keeps an existing one with the same status and reason.
fn set(
    status: &mut SetStatus,
    kind: &'static str,
    truth: Tri,
    reason: &'static str,
    message: impl FnOnce() -> Text,
    now: SimTime,
) {
    if is_new(status, kind, truth, reason) {
        Cond::new(kind, truth, reason, message(), now).put(&mut status.conditions);
    }
}

/// True if a rollout has made no progress within its deadline.
///
/// **Source**: `util/deployment_util.go` (`DeploymentTimedOut`), match.
pub(super) fn is_late(rollout: &Rollout, now: SimTime) -> bool {
    let Some((one, seconds)) = condition(&rollout.object, "Progressing").zip(rollout.spec.progress_s) else {
        return false;
    };
    match one.reason {
        "NewReplicaSetAvailable" => false,
        "ProgressDeadlineExceeded" => true,
        _ => one.updated.saturating_add(u64::from(seconds) * 1000) < now,
    }
}

fn calculate(rollout: &Rollout, old: &SetStatus, now: SimTime) -> SetStatus {
    let wanted = rollout.replicas();
    let sum =
        |of: fn(&SetStatus) -> u32| rollout.all().map(|set| of(counts(set))).fold(0, u32::saturating_add);
    let available = available(rollout.all());
    let mut status = SetStatus {
        observed: rollout.object.generation,
        replicas: sum(|set| set.replicas),
        updated: rollout.new.as_ref().map_or(0, |set| counts(set).replicas),
        ready: sum(|set| set.ready),
        available,
        unavailable: asked(rollout.all()).saturating_sub(available),
        collisions: old.collisions,
        conditions: old.conditions.clone(),
        ..SetStatus::default()
    };
    let (_, unavailable) = rollout.spec.fence(wanted);
    let (truth, reason, message) = if available >= wanted.saturating_sub(unavailable) {
        (Tri::True, "MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        (Tri::False, "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    };
    set(&mut status, "Available", truth, reason, || message.into(), now);
    status
}
