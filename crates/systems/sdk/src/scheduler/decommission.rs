//! The decommission plan: pods that the target no longer has, taken away one after the other.
//!
//! *Knows*: which stored pods are too many, in which order they go, with which steps.
//! *Must not know*: when a step runs.
//!
//! Made when the scheduler starts, and only if there is something to take away; it stays listed until the
//! next start.
//!
//! **Source**: `dcos-commons: …/scheduler/decommission/DecommissionPlanFactory.java`. Match.

use super::action::Action;
use super::plan::{NewStep, Plan, PlanKind, phase_spec};
use super::store::{Override, OverrideProgress, OverrideTarget, PodKey, PodTasks};
use super::{Cx, Scheduler};
use planarium_kernel::SortedSet;
use planarium_plan::{PlanSpec, StrategySpec};
use planarium_protocol::Text;
use std::cmp::Reverse;

/// Name of the plan.
pub(crate) const DECOMMISSION: &str = "decommission";

impl Scheduler {
    /// Makes the plan, if there is a pod to take away, and marks the tasks concerned; tasks that were
    /// marked before and stay after all are unmarked.
    pub(super) fn decommission_plan(&mut self, cx: &Cx) -> Option<Plan> {
        let leaving = self.leaving();
        self.mark_leaving(&leaving);
        if leaving.is_empty() {
            return None;
        }
        let (mut phases, mut rows) = (Vec::new(), Vec::new());
        for key in &leaving {
            let Some(tasks) = self.store.pod(key) else { continue };
            let before = self.program.before_decommission(&self.env);
            let before = before.map(|name| NewStep::acting(name, Action::Custom));
            let steps: Vec<NewStep> = before.into_iter().chain(steps(key, tasks)).collect();
            phases.push(phase_spec(key.name(), StrategySpec::Serial, &steps, &mut self.assets));
            rows.push(steps);
        }
        let spec = PlanSpec::new(DECOMMISSION, StrategySpec::Serial, phases);
        Some(Plan::new(PlanKind::Decommission, &spec, rows, &self.ids, cx.now()))
    }

    /// Pods that the target does not have, in the order they go: types that are gone first, then the
    /// other types in reverse order of the definition; within a type the highest index first.
    fn leaving(&self) -> Vec<PodKey> {
        let pods = &self.target.spec.pods;
        let mut leaving: Vec<(Option<Reverse<usize>>, PodKey)> = self
            .store
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

    fn mark_leaving(&mut self, leaving: &[PodKey]) {
        let leaving: SortedSet<&PodKey> = leaving.iter().collect();
        let changes: Vec<(Text, bool)> = self
            .store
            .tasks()
            .map(|task| (task.name.clone(), leaving.contains(&task.pod), task.goal.target))
            .filter(|(_, leaves, target)| *leaves != (*target == OverrideTarget::Decommissioned))
            .map(|(name, leaves, _)| (name, leaves))
            .collect();
        for (name, leaves) in changes {
            let goal = if leaves {
                Override { target: OverrideTarget::Decommissioned, progress: OverrideProgress::Pending }
            } else {
                Override::default()
            };
            self.store.update(&name, |task| task.goal = goal);
        }
    }
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
