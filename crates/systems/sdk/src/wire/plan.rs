//! Plans: names and the whole tree.
//!
//! **Source**: `dcos-commons: …/http/types/PlanInfo.java, PhaseInfo.java, StepInfo.java`. Match.

use super::not_found;
use crate::scheduler::plans::{Action, Plan, Plans};
use crate::scheduler::requirement::Recovery;
use crate::scheduler::state::TaskStore;
use planarium_plan::{Element, PhaseId, Status, StepId};
use planarium_protocol::Refusal;
use planarium_protocol::json;
use serde_json::Value;

/// Names of all plans.
pub(super) fn names(plans: &Plans) -> Value {
    plans.iter().map(|plan| Value::from(&**plan.tree.plan_name())).collect()
}

/// 200 when complete, 417 when in error, 202 otherwise; always with the tree.
pub(super) fn plan(plans: &Plans, tasks: &TaskStore, name: &str) -> Result<(u16, Value), Refusal> {
    let (id, plan) = plans.named(name).ok_or_else(|| not_found("Plan", name))?;
    let status = plan.tree.status(Element::Plan);
    let code = match status {
        Status::Error => 417,
        Status::Complete => 200,
        _ => 202,
    };
    let shown = |step: StepId| plans.display_status(id, Element::Step(step), tasks);
    let phases: Vec<Value> = plan.tree.phases().map(|phase| phase_body(plan, phase, &shown)).collect();
    let errors: Vec<Value> = plan.tree.errors().map(|text| Value::from(&**text)).collect();
    let body = json!({
        "phases": phases,
        "errors": errors,
        "status": status.as_str(),
        "strategy": plan.strategy(),
    });
    Ok((code, body))
}

fn phase_body(plan: &Plan, phase: PhaseId, shown: &dyn Fn(StepId) -> &'static str) -> Value {
    let element = Element::Phase(phase);
    let steps: Vec<Value> = plan.tree.steps(phase).map(|step| step_body(plan, step, shown(step))).collect();
    json!({
        "id": plan.phases.get(phase.index()).map_or("", |data| &*data.id),
        "name": plan.tree.name(element),
        "steps": steps,
        "status": plan.tree.status(element).as_str(),
        "strategy": plan.tree.strategy(element).map_or("", planarium_plan::StrategySpec::name),
    })
}

fn step_body(plan: &Plan, step: StepId, shown: &str) -> Value {
    let name = plan.tree.name(Element::Step(step));
    let real = plan.tree.status(Element::Step(step)).as_str();
    let uuid = plan.step(step).map_or("", |data| &*data.id);
    let display = if shown == real { String::new() } else { format!(" (display:{shown})") };
    let recovery = plan.requirement(step).map_or(Recovery::None, |requirement| requirement.recovery);
    let class = plan
        .step(step)
        .and_then(|data| data.action.as_deref())
        .map_or("com.mesosphere.sdk.scheduler.plan.DeploymentStep", Action::class);
    let message = match recovery {
        Recovery::None => format!("{class}: {name} [{uuid}] with status: {real}{display}"),
        kind => format!(
            "com.mesosphere.sdk.scheduler.recovery.RecoveryStep: {name} [{uuid}] with status: {real}{display} \
             RecoveryType: {}",
            kind.as_str()
        ),
    };
    json!({ "id": uuid, "status": shown, "name": name, "message": message })
}
