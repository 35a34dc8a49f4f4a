//! Debug routes: plans in short, task statuses by step, reservations, evaluations of offers.
//!
//! **Source**: `dcos-commons: …/debug/PlansTracker.java, TaskStatusesTracker.java, TaskReservationsTracker.java,
//! OfferOutcomeTrackerV2.java`. Match; the explanations of evaluations are our own words.

use super::DebugFilter;
use crate::scheduler::offers::history::History;
use crate::scheduler::plans::{Plan, PlanKind, Plans};
use crate::scheduler::state::{TaskRecord, TaskStore};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_plan::{Element, PhaseId, StepId};
use planarium_protocol::{Text, json};
use serde_json::{Map, Value};

/// Plans in short.
pub(super) fn plans(plans: &Plans, completed_once: bool, filter: &DebugFilter) -> Value {
    if let Some(text) = bad_filter(plans, filter) {
        return json!({"invalid-input": text});
    }
    let shown: Vec<Value> = plans
        .iter()
        .filter(|plan| matches(filter.plan.as_deref(), plan.tree.plan_name()))
        .map(|plan| debug_plan(plan, filter))
        .collect();
    let active: Vec<&str> = plans
        .iter()
        .filter(|plan| plan.tree.status(Element::Plan).is_running())
        .map(|plan| &**plan.tree.plan_name())
        .collect();
    json!({
        "schedulerState": scheduler_state(plans, completed_once),
        "activePlans": active,
        "plans": shown,
        "serviceTopology": plans.iter().map(topology).collect::<Vec<_>>(),
    })
}

/// The last that applies of deploying, deployed, recovering, decommissioning.
fn scheduler_state(plans: &Plans, completed_once: bool) -> &'static str {
    let running = |kind| plans.of_kind(kind).is_some_and(|plan| plan.tree.status(Element::Plan).is_running());
    let mut state = "RUNNING";
    if running(PlanKind::Deploy) {
        state = "DEPLOYING";
    }
    if completed_once || plans.is_deployed() {
        state = "DEPLOYED";
    }
    if running(PlanKind::Recovery) {
        state = "RECOVERING";
    }
    if running(PlanKind::Decommission) {
        state = "DECOMMISSIONING";
    }
    state
}

/// Finds a mistake in the query parameters.
fn bad_filter(plans: &Plans, filter: &DebugFilter) -> Option<&'static str> {
    let DebugFilter { plan, phase, step } = filter;
    if step.is_some() && (plan.is_none() || phase.is_none()) {
        return Some("Step specified without parent Phase and Plan values.");
    }
    if phase.is_some() && plan.is_none() {
        return Some("Phase specified without parent Plan.");
    }
    let plan_name = plan.as_deref()?;
    let mut named = plans.iter().filter(|plan| matches(Some(plan_name), plan.tree.plan_name()));
    let (Some(plan), None) = (named.next(), named.next()) else {
        return Some("Supplied plan not found in list of all available plans!");
    };
    let phase_name = phase.as_deref()?;
    let mut phases =
        plan.tree.phases().filter(|phase| matches(Some(phase_name), plan.tree.name((*phase).into())));
    let (Some(phase), None) = (phases.next(), phases.next()) else {
        return Some("Supplied phase not found in set of possible phases with supplied plan!");
    };
    let step_name = step.as_deref()?;
    let steps =
        plan.tree.steps(phase).filter(|step| matches(Some(step_name), plan.tree.name((*step).into())));
    (steps.count() != 1)
        .then_some("Supplied step not found in set of possible steps with supplied plan and phase!")
}

/// Statuses of tasks by the steps that launch them.
pub(super) fn task_statuses(plans: &Plans, tasks: &TaskStore, filter: &DebugFilter) -> Value {
    plans
        .iter()
        .filter(|plan| matches(filter.plan.as_deref(), plan.tree.plan_name()))
        .map(|plan| {
            let phases: Vec<Value> = filtered_phases(plan, filter)
                .map(|phase| {
                    let steps: Vec<Value> = filtered_steps(plan, phase, filter)
                        .map(|step| step_statuses(plan, tasks, step))
                        .collect();
                    json!({"name": plan.tree.name(phase.into()), "steps": steps})
                })
                .collect();
            json!({"name": &**plan.tree.plan_name(), "phases": phases})
        })
        .collect()
}

fn step_statuses(plan: &Plan, tasks: &TaskStore, step: StepId) -> Value {
    let statuses: Vec<Value> = plan
        .requirement(step)
        .into_iter()
        .flat_map(|requirement| requirement.task_names())
        .map(|name| {
            let mut body = Map::new();
            body.insert("name".to_owned(), Value::from(&**name));
            let task = tasks.named(name);
            if let Some((task, status)) = task.and_then(|task| Some((task, task.status.as_ref()?))) {
                body.insert("taskId".to_owned(), Value::from(&*task.id));
                body.insert("taskStatus".to_owned(), Value::from(status.state));
            }
            body.into()
        })
        .collect();
    json!({"name": plan.tree.name(step.into()), "taskStatus": statuses})
}

/// Ids of reservations by machines.
pub(super) fn reservations(tasks: &TaskStore) -> Value {
    let mut hosts: SortedMap<&str, SortedSet<&str>> = SortedMap::new();
    // Planned reservations of a permanently lost task that the master refused were never made.
    let refused = |task: &&TaskRecord| {
        task.permanently_failed && task.status.as_ref().is_some_and(|status| status.state == "TASK_ERROR")
    };
    for task in tasks.tasks().filter(|task| !refused(task)) {
        let ids = task.held.iter().chain(task.executor.iter()).map(|held| &*held.id);
        hosts.entry(&task.at.hostname).or_default().extend(ids.filter(|id| !id.is_empty()));
    }
    let body: Map<String, Value> =
        hosts.into_iter().map(|(host, ids)| (host.to_owned(), ids.into_iter().collect())).collect();
    body.into()
}

/// The last evaluations of offers.
pub(super) fn offers(history: &History, epoch_ms: u64) -> Value {
    let offers: Vec<Value> = history
        .last
        .iter()
        .map(|evaluation| {
            let outcome = &evaluation.outcome;
            let explanation: Vec<String> = outcome
                .checks
                .iter()
                .map(|check| {
                    let verdict = if check.passed { "PASS" } else { "FAIL" };
                    format!("{verdict}({}): {}", check.requirement, check.text)
                })
                .collect();
            json!({
                "timestamp": epoch_ms.saturating_add(outcome.at.ms()),
                "pod-instance-name": &*evaluation.pod,
                "outcome": if outcome.passed { "pass" } else { "fail" },
                "explanation": explanation,
                "offer":
                    format!("{} on {}: {}", evaluation.offer.name(), outcome.agent, evaluation.offer.resources),
            })
        })
        .collect();
    let failures: Map<String, Value> =
        history.failures.iter().map(|(reason, count)| ((*reason).to_owned(), (*count).into())).collect();
    let agents: SortedMap<Text, u64> =
        history.agents.iter().map(|(agent, count)| (agent.clone(), *count)).collect();
    let agents: Map<String, Value> =
        agents.iter().map(|(agent, count)| (agent.to_string(), (*count).into())).collect();
    json!({
        "acceptedCount": history.accepted,
        "rejectedCount": history.rejected,
        "failureReasons": failures,
        "rejectedAgents": agents,
        "offers": offers,
    })
}

/// Names are compared without regard to case; no filter matches everything.
fn matches(filter: Option<&str>, name: &str) -> bool {
    filter.is_none_or(|filter| filter.eq_ignore_ascii_case(name))
}

fn filtered_phases<'a>(plan: &'a Plan, filter: &'a DebugFilter) -> impl Iterator<Item = PhaseId> + 'a {
    plan.tree.phases().filter(|phase| matches(filter.phase.as_deref(), plan.tree.name((*phase).into())))
}

fn filtered_steps<'a>(
    plan: &'a Plan,
    phase: PhaseId,
    filter: &'a DebugFilter,
) -> impl Iterator<Item = StepId> + 'a {
    plan.tree.steps(phase).filter(|step| matches(filter.step.as_deref(), plan.tree.name((*step).into())))
}

fn debug_plan(plan: &Plan, filter: &DebugFilter) -> Value {
    let steps = plan.tree.all_steps();
    let done = steps.filter(|step| plan.tree.status((*step).into()).is_complete()).count();
    let phases: Vec<Value> = filtered_phases(plan, filter)
        .map(|phase| {
            let steps: Vec<Value> = filtered_steps(plan, phase, filter)
                .map(|step| {
                    let errors: Vec<&str> =
                        plan.tree.step_error(step).map(|text| &**text).into_iter().collect();
                    json!({
                        "name": plan.tree.name(step.into()),
                        "status": plan.tree.status(step.into()).as_str(),
                        "errors": errors,
                    })
                })
                .collect();
            json!({
                "name": plan.tree.name(phase.into()),
                "status": plan.tree.status(phase.into()).as_str(),
                "strategy": plan.tree.strategy(phase.into()).map_or("", planarium_plan::StrategySpec::name),
                "steps": steps,
            })
        })
        .collect();
    json!({
        "name": &**plan.tree.plan_name(),
        "status": plan.tree.status(Element::Plan).as_str(),
        "strategy": plan.strategy(),
        "totalSteps": plan.tree.step_count(),
        "completedSteps": done,
        "phases": phases,
    })
}

fn topology(plan: &Plan) -> Value {
    let phases: Vec<Value> = plan
        .tree
        .phases()
        .map(|phase| {
            let steps: Vec<Value> = plan
                .tree
                .steps(phase)
                .map(|step| json!({"name": plan.tree.name(step.into()), "type": "step", "children": null}))
                .collect();
            json!({"name": plan.tree.name(phase.into()), "type": "phase", "children": steps})
        })
        .collect();
    json!({"name": &**plan.tree.plan_name(), "type": "plan", "children": phases})
}
