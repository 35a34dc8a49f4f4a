//! Plans: names and the whole tree.
//!
//! **Source**: `dcos-commons: …/http/types/PlanInfo.java, PhaseInfo.java, StepInfo.java`. Match.

use super::not_found;
use crate::scheduler::Scheduler;
use crate::scheduler::plan::Plan;
use crate::scheduler::requirement::Recovery;
use planarium_plan::{Element, PhaseId, PlanId, Status, StepId};
use planarium_protocol::Refusal;
use planarium_protocol::json;
use serde_json::Value;

impl Scheduler {
    pub(super) fn plan_names(&self) -> Value {
        self.plans.iter().map(|plan| Value::from(&**plan.tree.plan_name())).collect()
    }

    /// 200 when complete, 417 when in error, 202 otherwise; always with the tree.
    pub(super) fn plan_body(&self, name: &str) -> Result<(u16, Value), Refusal> {
        let (id, plan) = self.plan_named(name).ok_or_else(|| not_found("Plan", name))?;
        let status = plan.tree.status(Element::Plan);
        let code = match status {
            Status::Error => 417,
            Status::Complete => 200,
            _ => 202,
        };
        let phases: Vec<Value> = plan.tree.phases().map(|phase| self.phase_body(id, plan, phase)).collect();
        let errors: Vec<Value> = plan.tree.errors().map(|text| Value::from(&**text)).collect();
        let body = json!({
            "phases": phases,
            "errors": errors,
            "status": status.as_str(),
            "strategy": plan.strategy(),
        });
        Ok((code, body))
    }

    fn phase_body(&self, id: PlanId, plan: &Plan, phase: PhaseId) -> Value {
        let element = Element::Phase(phase);
        let steps: Vec<Value> = plan.tree.steps(phase).map(|step| self.step_body(id, plan, step)).collect();
        json!({
            "id": plan.phases.get(phase.index()).map_or("", |data| &*data.id),
            "name": plan.tree.name(element),
            "steps": steps,
            "status": plan.tree.status(element).as_str(),
            "strategy": plan.tree.strategy(element).map_or("", planarium_plan::StrategySpec::name),
        })
    }

    fn step_body(&self, id: PlanId, plan: &Plan, step: StepId) -> Value {
        let name = plan.tree.name(Element::Step(step));
        let real = plan.tree.status(Element::Step(step)).as_str();
        let shown = self.display_status(id, Element::Step(step));
        let uuid = plan.step(step).map_or("", |data| &*data.id);
        let display = if shown == real { String::new() } else { format!(" (display:{shown})") };
        let recovery = plan.requirement(step).map_or(Recovery::None, |requirement| requirement.recovery);
        let class = plan.step(step).and_then(|data| data.action.as_deref()).map_or(
            "com.mesosphere.sdk.scheduler.plan.DeploymentStep",
            crate::scheduler::action::Action::class,
        );
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
}
