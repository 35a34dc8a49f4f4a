//! The plan that takes a whole service back.
//!
//! *Knows*: which tasks end, which reservations are given back, in which order. *Must not know*: when a step runs.
//!
//! **Source**: `dcos-commons: …/scheduler/uninstall/UninstallPlanFactory.java`. Match.

use crate::scheduler::plans::{Action, DEPLOY, NewPhase, NewStep, Plan, PlanFactory, PlanKind};
use crate::scheduler::state::{TaskRecord, TaskStore};
use crate::spec::ServiceSpec;
use planarium_kernel::{SortedMap, SortedSet};
use planarium_plan::{Edge, StrategySpec};
use planarium_protocol::Text;

/// Placeholder for an unrecorded machine.
const UNKNOWN_AGENT: &str = "UNKNOWN_AGENT";

/// Makes the only plan of a service that is uninstalled.
pub(crate) fn plan(spec: &ServiceSpec, tasks: &TaskStore, factory: &mut PlanFactory<'_>) -> Plan {
    let phase = |name: Text, strategy, steps| NewPhase { name, strategy, steps };
    let mut phases = vec![phase("kill-tasks".into(), StrategySpec::Parallel, kill_steps(tasks))];
    for (host, steps) in unreserve_steps(tasks) {
        phases.push(phase(format!("unreserve-resources-{host}").into(), StrategySpec::Parallel, steps));
    }
    let mut defined = spec.pods.iter().flat_map(|pod| &pod.tasks);
    if defined.any(|task| !task.transport_encryption.is_empty()) {
        let step = NewStep::acting("tls-cleanup", Action::TlsCleanup);
        phases.push(phase("tls-cleanup".into(), StrategySpec::Serial, vec![step]));
    }
    let last = u32::try_from(phases.len()).unwrap_or(u32::MAX);
    let step = NewStep::acting("deregister", Action::Deregister);
    phases.push(phase("deregister-service".into(), StrategySpec::Serial, vec![step]));
    let strategy = StrategySpec::dependency((0..last).map(|parent| Edge { child: last, parent }));
    factory.plan(PlanKind::Deploy, DEPLOY, strategy, phases)
}

fn kill_steps(tasks: &TaskStore) -> Vec<NewStep> {
    let step = |task: &TaskRecord| {
        let action = Action::Kill { id: task.id.clone(), agent: task.at.agent_id.clone() };
        NewStep::acting(format!("kill-task-{}", task.id), action)
    };
    tasks.tasks().map(step).collect()
}

/// Returns steps by machine and id. Reservations of a task that is flagged as lost and in TASK_ERROR never existed.
fn unreserve_steps(tasks: &TaskStore) -> SortedMap<Text, Vec<NewStep>> {
    let mut by_host: SortedMap<Text, Vec<NewStep>> = SortedMap::new();
    let mut seen: SortedSet<(Text, Text)> = SortedSet::new();
    for task in tasks.tasks() {
        let in_error = task.own_status().is_some_and(|status| status.state == "TASK_ERROR");
        if task.permanently_failed && in_error {
            continue;
        }
        let host = &task.at.hostname;
        let host: Text = if host.is_empty() { UNKNOWN_AGENT.into() } else { host.clone() };
        for held in task.held.iter().chain(task.executor.iter()).filter(|held| !held.id.is_empty()) {
            if seen.insert((host.clone(), held.id.clone())) {
                let action =
                    Action::Unreserve { id: held.id.clone(), host: host.clone(), pod: task.pod.name() };
                let step = NewStep::acting(format!("unreserve-{}", held.id), action);
                by_host.entry(host.clone()).or_default().push(step);
            }
        }
    }
    for steps in by_host.values_mut() {
        planarium_kernel::sorted::sort_by(steps, |a, b| a.name.cmp(&b.name));
    }
    by_host
}
