//! Deployments: manage pods through ReplicaSets, one for each template.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/deployment/{deployment_controller,sync}.go`,
//! `util/deployment_util.go`, match.
//!
//! [`sets`] has the ReplicaSets of a Deployment, [`plan`] decides their sizes, [`rolling`] carries that out, [`status`]
//! writes the result.

mod plan;
mod rolling;
mod sets;
mod status;
#[cfg(test)]
pub(crate) mod tables;

use crate::{
    cluster::Cluster,
    object::{Object, OwnerReference},
    spec::{Spec, workload::DeploymentSpec},
    status::{Cond, Tri},
};
use planarium_ground::Cx;
use rolling::{roll, roll_by_recreation, scale_proportionally};
use sets::{DESIRED, Rollout, condition, number};
use std::sync::Arc;

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, object: &Arc<Object>) {
    let Spec::Deployment(spec) = &object.spec else { return };
    let spec = spec.clone();
    adopt_sets(cluster, cx, object, &spec);
    let mut rollout = sets::of(&cluster.api.store, object, &spec);
    if object.is_being_deleted() {
        return status::write(cluster, cx, &rollout, false);
    }
    note_pause(cluster, cx, &mut rollout);
    let is_scaling = rollout.all().any(|set| {
        set.replicas > 0
            && number(set, DESIRED).is_some_and(|desired| desired != i64::from(rollout.replicas()))
    });
    if spec.paused || is_scaling {
        sets::find_new(cluster, cx, &mut rollout, false);
        scale_proportionally(cluster, cx, &mut rollout);
        if spec.paused {
            sets::drop_history(cluster, cx, &rollout);
        }
        return status::write(cluster, cx, &rollout, false);
    }
    if spec.recreate {
        roll_by_recreation(cluster, cx, &mut rollout);
    } else {
        roll(cluster, cx, &mut rollout);
    }
}

/// Adopts ReplicaSets without a controller.
fn adopt_sets(cluster: &mut Cluster, cx: &mut Cx, object: &Arc<Object>, spec: &DeploymentSpec) {
    let asked = cluster.workloads.get(object.no).is_some_and(|workload| workload.adopt);
    if !asked || object.is_being_deleted() {
        return;
    }
    cluster.workloads.change(object.no, |workload| workload.adopt = false);
    let found: Vec<Arc<Object>> = cluster
        .api
        .store
        .bare_sets(&object.namespace)
        .into_iter()
        .filter(|set| spec.selector.matches(&set.labels) && !set.is_being_deleted())
        .cloned()
        .collect();
    for set in found {
        let mut owners = Vec::clone(&set.owners);
        owners.push(OwnerReference::controlling(object));
        cluster.put(cx, Object { owners: Arc::new(owners), ..Object::clone(&set) });
    }
}

fn note_pause(cluster: &mut Cluster, cx: &mut Cx, rollout: &mut Rollout) {
    if rollout.spec.progress_s.is_none() {
        return;
    }
    let reason = condition(&rollout.object, "Progressing").map_or("", |one| one.reason);
    let (reason, message) = match (rollout.spec.paused, reason) {
        (_, "ProgressDeadlineExceeded") => return,
        (true, was) if was != "DeploymentPaused" => ("DeploymentPaused", "Deployment is paused"),
        (false, "DeploymentPaused") => ("DeploymentResumed", "Deployment is resumed"),
        _ => return,
    };
    sets::set_condition(
        cluster,
        cx,
        rollout,
        Cond::new("Progressing", Tri::Unknown, reason, message, cx.now()),
    );
}
