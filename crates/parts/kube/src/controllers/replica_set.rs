//! ReplicaSets: as many pods as asked for.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/replicaset/{replica_set,replica_set_utils}.go`, match but for slow start:
//! as many pods as are missing are made at once, up to the same burst.

use super::pods::{self, BURST};
use crate::{
    cluster::Cluster,
    object::Object,
    records::queue::Work,
    spec::{Spec, pod::PodOwn},
    status::{Cond, SetStatus, Status, Tri},
};
use planarium_ground::Cx;
use std::sync::Arc;

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, set: &Arc<Object>) {
    let Spec::ReplicaSet(spec) = &set.spec else { return };
    let spec = spec.clone();
    cluster.set_min_ready(cx, set.no, spec.min_ready_s);
    pods::adopt(cluster, cx, set, &spec.selector);
    let active = cluster.workloads.get(set.no).map_or(0, |workload| workload.active);
    let mut failure = None;
    if !set.is_being_deleted() {
        if active < set.replicas {
            let missing = set.replicas - active;
            let prefix = pods::prefix(set);
            for _ in 0..missing.min(BURST) {
                let (prefix, labels) = (Some(prefix.clone()), spec.template.labels.clone());
                if let Err(error) =
                    pods::make(cluster, cx, set, &spec.template, prefix, PodOwn::default(), labels)
                {
                    failure = Some(("FailedCreate", error.message));
                    break;
                }
            }
            if failure.is_none() && missing > BURST {
                cluster.queue.ask(cx, Work::Sync(set.no));
            }
        } else if active > set.replicas {
            let surplus = (active - set.replicas).min(BURST);
            for pod in pods::spare(cluster, set.no, surplus) {
                pods::unmake(cluster, cx, set, &pod);
            }
        }
    }
    let Some(set) = cluster.api.store.object(set.no).cloned() else { return };
    let Status::Set(before) = &set.status else { return };
    let (active, ready, available) = cluster
        .workloads
        .get(set.no)
        .map_or((0, 0, 0), |workload| (workload.active, workload.ready, workload.available));
    let mut conditions = before.conditions.clone();
    match failure {
        Some((reason, message)) => {
            Cond::new("ReplicaFailure", Tri::True, reason, message, cx.now()).put(&mut conditions);
        }
        None => conditions.retain(|one| one.kind != "ReplicaFailure"),
    }
    let status = SetStatus {
        observed: set.generation,
        replicas: active,
        own: active,
        ready,
        available,
        conditions,
        ..SetStatus::default()
    };
    if status != **before {
        cluster.put_status(cx, &set, Status::Set(Arc::new(status)));
    }
}
