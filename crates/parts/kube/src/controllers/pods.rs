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
    records::store::Store,
    records::workloads::{PodTally, Workloads, restarts},
    request::{DeleteOptions, Written},
    selector::Selector,
    spec::{Spec, pod::PodOwn, workload::PodTemplate},
    status::{Phase, Status},
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

/// The annotation with the cost of deleting a pod.
const COST: &str = "controller.kubernetes.io/pod-deletion-cost";

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
    let prefix = prefix.unwrap_or_else(|| format!("{}-", owner.name).into());
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

/// Returns the pods to delete first if there are too many.
///
/// **Source**: `controller_utils.go` (`ActivePodsWithRanks`): not bound, pending, not ready, of a lower deletion cost, crowded, ready for a
/// shorter time, restarted more often, younger; simplified: times count as they are, not by their logarithm.
pub(crate) fn spare(
    store: &Store,
    workloads: &Workloads,
    workload: ObjectNo,
    count: u32,
) -> Vec<Arc<Object>> {
    let active: Vec<&Arc<Object>> = store
        .pods_of(workload)
        .filter(|pod| workloads.pods.get(&pod.no).is_some_and(PodTally::is_active))
        .collect();
    let crowd = |node: &Text| {
        let there = |pod: &&&Arc<Object>| matches!(&pod.spec, Spec::Pod(_, own) if own.node == *node);
        active.iter().filter(there).count() as u64
    };
    let mut crowds: planarium_kernel::SortedMap<Text, u64> = planarium_kernel::SortedMap::new();
    let mut ranked: Vec<_> = Vec::with_capacity(active.len());
    for pod in &active {
        let Spec::Pod(_, own) = &pod.spec else { continue };
        if crowds.get(&own.node).is_none() {
            crowds.insert(own.node.clone(), crowd(&own.node));
        }
        let crowd = crowds.get(&own.node).copied().unwrap_or(0);
        ranked.push((rank(pod, crowd), Arc::clone(pod)));
    }
    planarium_kernel::sorted::sort_by(&mut ranked, |(one, _), (other, _)| one.cmp(other));
    ranked.into_iter().take(count as usize).map(|(_, pod)| pod).collect()
}

/// Rank of a pod, as [`rank`] gives it.
pub(super) type Rank = (bool, bool, bool, i64, u64, u64, u32, u32);

/// The lower its rank, the sooner a pod goes; `crowd` is the number of pods beside it.
pub(super) fn rank(pod: &Object, crowd: u64) -> Rank {
    let (Spec::Pod(_, own), Status::Pod(status)) = (&pod.spec, &pod.status) else { return Rank::default() };
    let cost = pod.annotations.get(COST).and_then(|cost| cost.parse::<i32>().ok()).unwrap_or(0);
    let since = status.ready_since().map_or(u64::MAX, planarium_kernel::SimTime::ms);
    (
        own.is_bound(),
        status.phase != Phase::Pending,
        status.ready_since().is_some(),
        i64::from(cost),
        u64::MAX - crowd,
        u64::MAX - since,
        u32::MAX - restarts(status),
        u32::MAX - pod.no.0,
    )
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
        status::{Cond, ContainerStatus, PodStatus, Tri},
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
        fn rank(self, crowd: u64) -> Rank {
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
            rank(&Object { no: ObjectNo(no), spec, status, annotations, ..Object::clone(&pod) }, crowd)
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
