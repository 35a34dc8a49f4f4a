//! The decommission plan: pods that the target no longer has, taken away one after the other.
//!
//! *Knows*: which stored pods are too many, in which order they go, with which steps.
//! *Must not know*: when a step runs.
//!
//! Made when the scheduler starts, and only if there is something to take away; it stays listed until the
//! next start.
//!
//! **Source**: `dcos-commons: …/scheduler/decommission/DecommissionPlanFactory.java`. Match.

use super::plans::{Action, NewPhase, NewStep, Plan, PlanFactory, PlanKind};
use super::service::Service;
use super::state::{Override, OverrideProgress, OverrideTarget, PodKey, PodTasks, TaskStore};
use crate::spec::PodSpec;
use planarium_kernel::SortedSet;
use planarium_plan::StrategySpec;
use planarium_protocol::Text;
use std::cmp::Reverse;
use std::sync::Arc;

/// Name of the plan.
pub(crate) const DECOMMISSION: &str = "decommission";

/// Makes the plan, if there is a pod to take away.
pub(crate) fn plan(
    leaving: &[PodKey],
    tasks: &TaskStore,
    service: &Service,
    factory: &mut PlanFactory<'_>,
) -> Option<Plan> {
    if leaving.is_empty() {
        return None;
    }
    let phase = |key: &PodKey| {
        let before = service.program.before_decommission(&service.env);
        let before = before.map(|name| NewStep::acting(name, Action::Custom));
        let steps = before.into_iter().chain(steps(key, tasks.pod(key)?)).collect();
        Some(NewPhase { name: key.name(), strategy: StrategySpec::Serial, steps })
    };
    let phases = leaving.iter().filter_map(phase).collect();
    Some(factory.plan(PlanKind::Decommission, DECOMMISSION, StrategySpec::Serial, phases))
}

/// Returns the pods missing in the target, in the order of their removal: removed types first, then the other types
/// in reverse order of the definition; within a type the highest index first.
pub(crate) fn leaving(pods: &[Arc<PodSpec>], tasks: &TaskStore) -> Vec<PodKey> {
    let mut leaving: Vec<(Option<Reverse<usize>>, PodKey)> = tasks
        .pods()
        .filter_map(|(key, _)| match pods.iter().position(|pod| pod.name == key.pod) {
            None => Some((None, key.clone())),
            Some(at) if pods.get(at).is_some_and(|pod| key.index >= pod.count) => {
                Some((Some(Reverse(at)), key.clone()))
            }
            Some(_) => None,
        })
        .collect();
    planarium_kernel::sorted::sort_by(&mut leaving, |(a, x), (b, y)| {
        a.cmp(b).then_with(|| x.pod.cmp(&y.pod)).then_with(|| y.index.cmp(&x.index))
    });
    leaving.into_iter().map(|(_, key)| key).collect()
}

/// Overrides to set: tasks that leave are marked, and tasks that were marked before and stay after all are unmarked.
pub(crate) fn overrides(leaving: &[PodKey], tasks: &TaskStore) -> Vec<(Text, Override)> {
    let leaving: SortedSet<&PodKey> = leaving.iter().collect();
    let change = |task: &super::state::TaskRecord| {
        let leaves = leaving.contains(&task.pod);
        if leaves == (task.goal.target == OverrideTarget::Decommissioned) {
            return None;
        }
        let goal = if leaves {
            Override { target: OverrideTarget::Decommissioned, progress: OverrideProgress::Pending }
        } else {
            Override::default()
        };
        Some((task.name.clone(), goal))
    };
    tasks.tasks().filter_map(change).collect()
}

/// Ends every task, gives every reservation back, forgets every task.
fn steps(key: &PodKey, tasks: &PodTasks) -> Vec<NewStep> {
    let mut steps: Vec<NewStep> = Vec::new();
    for name in tasks.keys() {
        steps.push(NewStep::acting(format!("kill-{name}"), Action::Decommission { task: name.clone() }));
    }
    let mut seen = SortedSet::new();
    let own = tasks.values().flat_map(|task| task.held.iter().map(move |held| (held, task)));
    let executor = tasks.values().flat_map(|task| task.executor.iter().map(move |held| (held, task)));
    for (held, task) in own.chain(executor) {
        if !held.id.is_empty() && seen.insert(held.id.clone()) {
            let action =
                Action::Unreserve { id: held.id.clone(), host: task.at.hostname.clone(), pod: key.name() };
            steps.push(NewStep::acting(format!("unreserve-{}", held.id), action));
        }
    }
    for name in tasks.keys() {
        steps.push(NewStep::acting(format!("erase-{name}"), Action::Erase { task: name.clone() }));
    }
    steps
}
