//! Deployments go from their old ReplicaSets to their new one.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/deployment/{rolling,recreate,sync}.go`, match.

use super::{
    plan::{self, Resize},
    sets::{self, Rollout, counts},
    status,
};
use crate::{
    cluster::Cluster,
    records::{queue::Work, store::Store},
    spec::Spec,
    status::{Phase, Status},
};
use planarium_ground::Cx;

/// Some pods of the new come, then some of the old go.
pub(super) fn roll(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout) {
    sets::find_new(cluster, cx, rollout, true);
    let grown: Vec<Resize> = plan::grow(rollout).into_iter().collect();
    let steps = if grown.is_empty() { plan::shrink(rollout) } else { grown };
    if steps.is_empty() && plan::is_complete(rollout) {
        sets::drop_history(cluster, cx, rollout);
    }
    resize(cluster, cx, rollout, &steps);
    status::write(cluster, cx, rollout, true);
    ask_for_cleanup(cluster, cx, rollout);
}

/// Schedules another sync once a rollout is complete and has more old ReplicaSets than the history limit.
fn ask_for_cleanup(cluster: &mut Cluster, cx: &Cx, rollout: &Rollout) {
    let no = rollout.object.no;
    let Some(object) = cluster.api.store.object(no).filter(|now| counts(now) != counts(&rollout.object))
    else {
        return;
    };
    let Spec::Deployment(spec) = &object.spec else { return };
    let history = spec.history as usize;
    // Few dependants are few old ReplicaSets: mostly no templates need to be compared.
    if cluster.api.store.dependants(no).nth(history).is_none() {
        return;
    }
    let now = sets::of(&cluster.api.store, object, &spec.clone());
    if plan::is_complete(&now) && now.old.len() > history {
        cluster.queue.ask(cx, Work::Sync(no));
    }
}

/// All of the old go, then the new come.
pub(super) fn roll_by_recreation(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout) {
    sets::find_new(cluster, cx, rollout, false);
    let steps = plan::empty_old(rollout);
    resize(cluster, cx, rollout, &steps);
    if !steps.is_empty() || old_pods_run(&cluster.api.store, rollout) {
        return status::write(cluster, cx, rollout, true);
    }
    sets::find_new(cluster, cx, rollout, true);
    let new = rollout.new.as_ref().map(|new| Resize { set: new.no, replicas: rollout.replicas() });
    resize(cluster, cx, rollout, new.as_slice());
    if plan::is_complete(rollout) {
        sets::drop_history(cluster, cx, rollout);
    }
    status::write(cluster, cx, rollout, true);
}

/// A Deployment has another size in the middle of a rollout, or is paused: all ReplicaSets take their part.
pub(super) fn scale_proportionally(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout) {
    let steps = plan::proportional(rollout);
    resize(cluster, cx, rollout, &steps);
}

/// Gives ReplicaSets their sizes.
fn resize(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout, steps: &[Resize]) {
    for step in steps {
        let Some(set) = rollout.all().find(|set| set.no == step.set).cloned() else { continue };
        let set = sets::scale(cluster, cx, rollout, &set, step.replicas);
        rollout.replace(set);
    }
}

/// True if pods of old ReplicaSets are still there, those on their way out included.
fn old_pods_run(store: &Store, rollout: &Rollout) -> bool {
    rollout.old.iter().any(|set| {
        counts(set).replicas > 0
            || store.pods_of(set.no).any(|pod| match &pod.status {
                Status::Pod(status) => !matches!(status.phase, Phase::Succeeded | Phase::Failed),
                _ => false,
            })
    })
}
