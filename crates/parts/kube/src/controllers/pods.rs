//! Work that controllers of pods share: making pods, taking them in and letting them go, choosing which go first.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/controller_utils.go`, `controller_ref_manager.go`, match.

use crate::{
    api::Parts,
    cluster::Cluster,
    error::ApiError,
    kinds::KindId,
    object::{Object, ObjectNo, OwnerReference, Pairs},
    records::queue::{Timer, Work},
    request::{DeleteOptions, Written},
    selector::Selector,
    spec::{pod::PodOwn, workload::PodTemplate},
};
use planarium_ground::Cx;
use planarium_kernel::Class;
use planarium_protocol::Text;
use std::sync::Arc;

/// Maximum of pods made or deleted in one pass.
pub(crate) const BURST: u32 = 500;
/// The time that a controller waits after it could not make a pod, twice as long after each further time. *Units*: milliseconds.
///
/// **Source**: `kubernetes/client-go: util/workqueue/default_rate_limiters.go`; match but for the tries of the first five seconds, which
/// are one.
const RETRY_MS: u64 = 5_000;
const RETRY_MOST_MS: u64 = 1_000_000;

/// The prefix of the names of a controller's pods.
pub(crate) fn prefix(owner: &Object) -> Text {
    format!("{}-", owner.name).into()
}

/// Makes a pod of a template for its controller.
pub(crate) fn make(
    cluster: &mut Cluster,
    cx: &mut Cx,
    owner: &Arc<Object>,
    template: &PodTemplate,
    prefix: Option<Text>,
    own: PodOwn,
    labels: Pairs,
) -> Written {
    let prefix = prefix.unwrap_or_else(|| self::prefix(owner));
    let name = cluster.api.generate_name(KindId::POD, Some(&owner.namespace), &prefix);
    let own = PodOwn { of_template: true, ..own };
    let mut parts = Parts::pod(&owner.namespace, name, template, labels, own);
    parts.generate_name = Some(prefix);
    let made = cluster.create_owned(cx, Some(owner), parts);
    match &made {
        Ok(pod) => {
            forget_refusals(cluster, owner.no);
            let message = format!("Created pod: {}", pod.name);
            cluster.reports.record(cx, owner, false, "SuccessfulCreate", &message, source(owner.kind));
        }
        Err(error) => cannot_make(cluster, cx, owner, error),
    }
    made
}

/// Reports that a pod could not be made, and sees to it that it is tried again.
fn cannot_make(cluster: &mut Cluster, cx: &mut Cx, owner: &Arc<Object>, error: &ApiError) {
    let message = format!("Error creating: {}", error.message);
    cluster.reports.record(cx, owner, true, "FailedCreate", &message, source(owner.kind));
    try_again(cluster, cx, owner.no);
}

/// Has a controller that was refused a pod try again later.
pub(crate) fn try_again(cluster: &mut Cluster, cx: &Cx, owner: ObjectNo) {
    let refusals = cluster.workloads.change(owner, |workload| {
        workload.refusals = workload.refusals.saturating_add(1);
        workload.refusals
    });
    let delay = RETRY_MS.saturating_mul(1 << refusals.saturating_sub(1).min(20)).min(RETRY_MOST_MS);
    let due = cx.now().saturating_add(delay);
    cluster.queue.arm(due, Class::Periodic, cx.cause(), Timer::Work(Work::Sync(owner)));
}

/// A controller was given a pod.
pub(crate) fn forget_refusals(cluster: &mut Cluster, owner: ObjectNo) {
    if cluster.workloads.get(owner).is_some_and(|workload| workload.refusals > 0) {
        cluster.workloads.change(owner, |workload| workload.refusals = 0);
    }
}

/// Deletes a pod for its controller.
pub(crate) fn unmake(cluster: &mut Cluster, cx: &mut Cx, owner: &Arc<Object>, pod: &Arc<Object>) {
    if pod.is_being_deleted() {
        return;
    }
    cluster.delete(cx, pod, &DeleteOptions::default());
    let message = format!("Deleted pod: {}", pod.name);
    cluster.reports.record(cx, owner, false, "SuccessfulDelete", &message, source(owner.kind));
}

/// Adopts selected pods without a controller, and releases pods that are no longer selected.
pub(crate) fn adopt(cluster: &mut Cluster, cx: &mut Cx, workload: &Arc<Object>, selector: &Selector) {
    let asked = cluster.workloads.get(workload.no).is_some_and(|workload| workload.adopt);
    if !asked || workload.is_being_deleted() {
        return;
    }
    cluster.workloads.change(workload.no, |workload| workload.adopt = false);
    let lost: Vec<Arc<Object>> = cluster
        .api
        .store
        .dependants(workload.no)
        .filter(|pod| pod.kind == KindId::POD && !selector.matches(&pod.labels) && !pod.is_being_deleted())
        .filter(|pod| pod.controller().is_some_and(|owner| owner.uid == workload.uid))
        .cloned()
        .collect();
    for pod in lost {
        let owners = pod.owners.iter().filter(|owner| owner.uid != workload.uid).cloned().collect();
        cluster.put(cx, Object { owners: Arc::new(owners), ..Object::clone(&pod) });
    }
    let found: Vec<Arc<Object>> = cluster
        .api
        .store
        .bare_pods
        .keys()
        .filter_map(|no| cluster.api.store.object(*no))
        .filter(|pod| pod.namespace == workload.namespace && selector.matches(&pod.labels))
        .filter(|pod| !pod.is_being_deleted() && !pod.is_over())
        .filter(|pod| workload.kind != KindId::STATEFUL_SET || is_numbered(&pod.name, &workload.name))
        .cloned()
        .collect();
    for pod in found {
        let mut owners = Vec::clone(&pod.owners);
        owners.push(OwnerReference::controlling(workload));
        cluster.put(cx, Object { owners: Arc::new(owners), ..Object::clone(&pod) });
    }
}

/// Returns the pods to delete first if there are too many, by their [`DeletionRank`](crate::records::ranks::DeletionRank).
pub(crate) fn spare(cluster: &mut Cluster, workload: ObjectNo, count: u32) -> Vec<Arc<Object>> {
    let Cluster { api, workloads, .. } = cluster;
    workloads.rank_all(&api.store, workload);
    let ranks = workloads.get(workload).and_then(|workload| workload.ranks.as_ref());
    let first = ranks.into_iter().flat_map(|ranks| ranks.first(count));
    first.filter_map(|no| api.store.object(no)).cloned().collect()
}

/// The component that reports for a kind.
pub(crate) const fn source(kind: KindId) -> &'static str {
    match kind {
        KindId::DEPLOYMENT => "deployment-controller",
        KindId::REPLICA_SET => "replicaset-controller",
        KindId::STATEFUL_SET => "statefulset-controller",
        KindId::DAEMON_SET => "daemonset-controller",
        KindId::JOB => "job-controller",
        KindId::CRON_JOB => "cronjob-controller",
        _ => "controller-manager",
    }
}

fn is_numbered(pod: &str, set: &str) -> bool {
    let digits = pod.strip_prefix(set).and_then(|rest| rest.strip_prefix('-'));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
pub(crate) mod tables {
    use super::*;
    use crate::{
        kube::Kube,
        records::ranks::{COST, DeletionRank},
        spec::Spec,
        status::{Cond, ContainerStatus, Phase, PodStatus, Status, Tri},
        tables::Rows,
    };
    use planarium_kernel::SimTime;
    use planarium_protocol::json;

    const NOW_S: u64 = 9_000_000;
    const MONTH_S: u64 = 2_600_000;

    /// A pod: bound, phase, since when it is ready, restarts, number (the older, the lower), cost.
    #[derive(Clone, Copy)]
    struct Pod(bool, Phase, Option<u64>, u32, u32, Option<&'static str>);

    impl Pod {
        fn rank(self, crowd: u64) -> DeletionRank {
            let Self(bound, phase, ready_s, restarts, no, cost) = self;
            let value = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" },
                "spec": { "containers": [{ "name": "c", "image": "c:1" }] } });
            let pod = Kube::new(7, 0).create(&mut Cx::new(7), value).expect("a pod");
            let (Spec::Pod(spec, own), Status::Pod(status)) = (&pod.spec, &pod.status) else {
                panic!("a pod")
            };
            let own = PodOwn { node: if bound { "node" } else { "" }.into(), ..PodOwn::clone(own) };
            let mut status = PodStatus { phase, ..PodStatus::clone(status) };
            if let Some(seconds) = ready_s {
                let since = SimTime(seconds * 1000);
                Cond::new("Ready", Tri::True, "", "", since).put(&mut status.conditions);
            }
            let container = ContainerStatus { restarts, ..ContainerStatus::waiting("") };
            status.containers = vec![container];
            let annotations = match cost {
                Some(cost) => pod.annotations.with(COST, cost),
                None => pod.annotations.clone(),
            };
            let (spec, status) = (Spec::Pod(spec.clone(), Arc::new(own)), Status::Pod(Arc::new(status)));
            DeletionRank::of(
                &Object { no: ObjectNo(no), spec, status, annotations, ..Object::clone(&pod) },
                crowd,
            )
        }
    }

    pub(crate) fn rows(rows: &mut Rows) {
        let unscheduled = Pod(false, Phase::Pending, None, 0, 5, None);
        let pending = Pod(true, Phase::Pending, None, 0, 5, None);
        let not_ready = Pod(true, Phase::Running, None, 0, 5, None);
        let now = Pod(true, Phase::Running, Some(NOW_S), 0, 5, None);
        let then = Pod(true, Phase::Running, Some(NOW_S - MONTH_S), 0, 1, None);
        let restarted = Pod(true, Phase::Running, Some(NOW_S), 9001, 5, None);
        let older = Pod(true, Phase::Running, Some(NOW_S), 0, 1, None);
        let cheap = Pod(true, Phase::Running, Some(NOW_S), 0, 1, Some("10"));
        let dear = Pod(true, Phase::Running, Some(NOW_S), 0, 1, Some("100"));
        let two_hours = Pod(false, Phase::Running, Some(NOW_S - 7_200), 0, 1, None);
        let five_hours = Pod(false, Phase::Running, Some(NOW_S - 18_000), 0, 1, None);
        rows.source("pkg/controller/controller_utils_test.go: TestSortingActivePodsWithRanks");
        for (row, (lesser, of), (greater, than)) in [
            ("unscheduled before pending", (unscheduled, 1), (pending, 2)),
            ("unscheduled before pending, whatever the ranks", (unscheduled, 2), (pending, 1)),
            ("pending before running", (pending, 1), (not_ready, 2)),
            ("not ready before ready", (not_ready, 1), (now, 1)),
            ("ready now before ready then", (now, 1), (then, 1)),
            ("ready now before ready then, in a crowd", (now, 2), (then, 1)),
            ("restarted before not restarted", (restarted, 1), (now, 1)),
            ("a crowd before restarts", (now, 2), (restarted, 1)),
            ("younger before older", (now, 1), (older, 1)),
            ("a crowd before age", (older, 2), (now, 1)),
            ("low cost before high cost, whatever the ranks", (cheap, 2), (dear, 1)),
            ("ready for 2 hours before ready for 5 hours", (two_hours, 1), (five_hours, 1)),
        ] {
            rows.check(row, lesser.rank(of) < greater.rank(than), true);
        }
    }
}
