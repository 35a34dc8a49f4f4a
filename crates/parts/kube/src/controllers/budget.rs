//! Disruption budgets: the number of pods that may be evicted now.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/disruption/disruption.go`, `pkg/registry/core/pod/storage/eviction.go`;
//! (1.29); match but for `disruptedPods`: an evicted pod counts as not healthy at once.

use crate::{
    cluster::Cluster,
    error::{ApiError, FieldCause, Reason},
    kinds::KindId,
    object::{Object, ObjectNo, ObjectRef},
    records::evictions::Refused,
    records::selections::{Counted, Picked},
    records::store::Store,
    records::workloads::Workloads,
    request::{DeleteOptions, Written},
    spec::{BudgetSpec, Share, Spec},
    status::{BudgetStatus, PodStatus, Status},
};
use planarium_ground::Cx;
use planarium_kernel::{SimTime, cause::Cause};
use std::sync::Arc;

pub(crate) fn sync(cluster: &mut Cluster, cx: &mut Cx, budget: &Arc<Object>) {
    let (Spec::Budget(spec), Status::Budget(before)) = (&budget.spec, &budget.status) else { return };
    let counted = cluster.selections.all.get(&budget.no).and_then(|selection| match &selection.picked {
        Picked::Budget(counted) => Some(counted.clone()),
        Picked::Service(_) => None,
    });
    let counted = counted.unwrap_or_default();
    let (expected, desired) = expected(&cluster.api.store, &cluster.workloads, spec, &counted);
    let allowed = if expected == 0 { 0 } else { counted.healthy.saturating_sub(desired) };
    let flips = before.observed == 0 || (allowed > 0) != (before.allowed > 0);
    let since = if flips { cx.now() } else { before.since };
    let healthy = counted.healthy;
    let status = BudgetStatus { observed: budget.generation, healthy, desired, allowed, expected, since };
    if status != **before {
        if needs_scale(spec) && counted.pods.len() > counted.managers.values().sum::<u32>() as usize {
            let message = format!(
                "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of the PDB \
                 cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set \
                 \".spec.minAvailable\" field of the PDB to an integer value.",
                spec.selector.text()
            );
            cluster.reports.record(cx, budget, true, "UnmanagedPods", &message, "controllermanager");
        }
        let more = status.allowed > before.allowed;
        cluster.put_status(cx, budget, Status::Budget(Arc::new(status)));
        if more {
            cluster.drains_may_go_on(cx);
        }
    }
}

/// Returns the expected number of pods, and how many must be healthy.
fn expected(store: &Store, workloads: &Workloads, spec: &BudgetSpec, counted: &Counted) -> (u32, u32) {
    let pods = u32::try_from(counted.pods.len()).unwrap_or(u32::MAX);
    // Pods without a controller do not count here.
    let scale = || {
        let each = counted.managers.keys().map(|manager| scale(store, workloads, *manager));
        each.fold(0, u32::saturating_add)
    };
    match (spec.max_unavailable, spec.min_available) {
        (Some(most), _) => {
            let expected = scale();
            (expected, expected.saturating_sub(most.of(expected, true)))
        }
        (None, Some(Share::Number(_))) => (pods, spec.min_available.map_or(0, |least| least.of(pods, true))),
        (None, Some(least)) => {
            let expected = scale();
            (expected, least.of(expected, true))
        }
        (None, None) => (0, 0),
    }
}

/// True if a budget goes by the sizes of workloads.
const fn needs_scale(spec: &BudgetSpec) -> bool {
    spec.max_unavailable.is_some() || matches!(spec.min_available, Some(Share::Percent(_)))
}

/// Returns the number of pods requested by the workload of some pods.
fn scale(store: &Store, workloads: &Workloads, manager: ObjectNo) -> u32 {
    let Some(workload) = store.object(manager) else { return 0 };
    let owner = workload.controller().and_then(|owner| store.owner(owner));
    match owner.filter(|owner| owner.kind == KindId::DEPLOYMENT) {
        Some(deployment) => deployment.replicas,
        None if workload.info().has_scale => workload.replicas,
        None => workloads.get(manager).map_or(0, |workload| workload.active),
    }
}

/// Evicts a pod as far as disruption budgets allow. *Errors*: 404; 429 when a budget does not allow it.
pub(crate) fn evict(
    cluster: &mut Cluster,
    cx: &mut Cx,
    namespace: &str,
    name: &str,
    options: &DeleteOptions,
) -> Written {
    let pod = cluster.api.read(ObjectRef::new(KindId::POD, namespace, name))?.clone();
    let Status::Pod(status) = &pod.status else { return Ok(pod) };
    let over = status.phase.is_terminal() || status.phase == crate::status::Phase::Pending;
    if !over && !pod.is_being_deleted() {
        match budgets_of(cluster, &pod).as_slice() {
            [] => {}
            [budget] if goes_freely(budget, status) => {}
            [budget] => {
                let spent = spend(cluster, cx, budget);
                if spent.is_err() {
                    note_refused(cluster, cx, &pod);
                }
                spent?;
            }
            _ => {
                let message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(ApiError::new(Reason::InternalError, message));
            }
        }
    }
    Ok(cluster.delete(cx, &pod, options))
}

/// Budgets that pick a pod.
fn budgets_of(cluster: &Cluster, pod: &Object) -> Vec<Arc<Object>> {
    let selections =
        cluster.workloads.pods.get(&pod.no).map(|tally| tally.selected_by.clone()).unwrap_or_default();
    selections
        .iter()
        .filter_map(|no| cluster.api.store.object(*no))
        .filter(|selection| selection.kind == KindId::POD_DISRUPTION_BUDGET)
        .cloned()
        .collect()
}

/// Notes that the budget of a pod has refused its eviction.
pub(crate) fn note_refused(cluster: &mut Cluster, cx: &Cx, pod: &Object) {
    let budgets = budgets_of(cluster, pod);
    let [budget] = budgets.as_slice() else { return };
    let event = match cx.cause() {
        Cause::Event(event) => Some(event),
        Cause::Genesis | Cause::Input(_) => None,
    };
    cluster.evictions.note(pod.no, Refused { at: cx.now(), budget: budget.no, event });
}

/// A budget that refused the eviction of a pod and would refuse it now.
#[derive(Clone, Debug)]
pub(crate) struct Holding {
    /// When it refused.
    pub(crate) at: SimTime,
    /// The event behind that.
    pub(crate) event: Option<u64>,
    /// The budget.
    pub(crate) budget: Arc<Object>,
    /// Number of healthy pods that it needs, and that it has.
    pub(crate) desired: u32,
    pub(crate) healthy: u32,
    /// True if the budget would allow an eviction after one more healthy pod, in a workload that requests one more.
    pub(crate) one_more_helps: bool,
}

/// The budget that holds a pod whose eviction was asked for.
pub(crate) fn holding(cluster: &Cluster, pod: &Object) -> Option<Holding> {
    let refused = cluster.evictions.get(pod.no).filter(|_| !pod.is_being_deleted() && !pod.is_over())?;
    let budget = cluster.api.store.object(refused.budget).filter(|budget| !budget.is_being_deleted())?;
    let (Spec::Budget(spec), Status::Budget(status), Status::Pod(pod)) =
        (&budget.spec, &budget.status, &pod.status)
    else {
        return None;
    };
    if status.allowed > 0 || goes_freely(budget, pod) {
        return None;
    }
    let more = status.expected.saturating_add(1);
    let desired = match (spec.max_unavailable, spec.min_available) {
        (Some(most), _) => more.saturating_sub(most.of(more, true)),
        (None, Some(least)) => least.of(more, true),
        (None, None) => 0,
    };
    Some(Holding {
        at: refused.at,
        event: refused.event,
        budget: Arc::clone(budget),
        desired: status.desired,
        healthy: status.healthy,
        one_more_helps: status.healthy.saturating_add(1) > desired,
    })
}

/// Returns whether a pod may be evicted independent of the budget's rest: it is not ready, and the budget is met without it or does
/// not protect such pods.
fn goes_freely(budget: &Object, pod: &PodStatus) -> bool {
    let (Spec::Budget(spec), Status::Budget(status)) = (&budget.spec, &budget.status) else { return false };
    pod.ready_since().is_none()
        && (spec.unhealthy_go || status.desired > 0 && status.healthy >= status.desired)
}

/// Takes one disruption from a budget. *Errors*: none is left.
fn spend(cluster: &mut Cluster, cx: &mut Cx, budget: &Arc<Object>) -> Result<(), ApiError> {
    let Status::Budget(status) = &budget.status else { return Ok(()) };
    let refuse = |message: String| {
        let mut error = ApiError::new(Reason::TooManyRequests, message);
        error.causes.push(FieldCause {
            reason: "DisruptionBudget",
            message: format!(
                "The disruption budget {} needs {} healthy pods and has {} currently",
                budget.name, status.desired, status.healthy
            ),
            field: String::new(),
        });
        error
    };
    if status.observed < budget.generation {
        let message = format!(
            "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget {} is still being \
                         processed by the server.",
            budget.name
        );
        return Err(refuse(message));
    }
    if status.allowed == 0 {
        return Err(refuse("Cannot evict pod as it would violate the pod's disruption budget.".to_owned()));
    }
    let since = if status.allowed == 1 { cx.now() } else { status.since };
    let status = BudgetStatus { allowed: status.allowed - 1, since, ..BudgetStatus::clone(status) };
    cluster.put_status(cx, budget, Status::Budget(Arc::new(status)));
    Ok(())
}
