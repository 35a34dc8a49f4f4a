//! Plan commands: look-up, rules, effects and replies.
//!
//! *Knows*: what each command changes and the real system's replies. *Must not know*: routes.
//!
//! **Source**: `dcos-commons: …/http/queries/PlansQueries.java`. Match.

use crate::scheduler::Cx;
use crate::scheduler::delays::Delays;
use crate::scheduler::ids::is_uuid;
use crate::scheduler::plans::{Plan, Plans};
use crate::scheduler::state::Params;
use planarium_plan::{Element, Holder, Op, PhaseId, PlanId, StepId};
use planarium_protocol::Refusal;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{PlanCommand, PlanOp};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;
use std::sync::Arc;

/// The elements that a command acts on.
enum Target {
    /// One element.
    One(Element),
    /// All phases of a name.
    Phases(Vec<PhaseId>),
}

/// The real system's 208.
fn already() -> Refusal {
    Refusal::new(RefusalCode::AlreadyDone, "Command has already been reported or completed")
}

fn not_found(what: &str, name: &str) -> Refusal {
    Refusal::new(RefusalCode::NotFound, format!("{what} {name} not found"))
}

/// The operation in the plan crate's words.
pub(crate) fn op_of(op: PlanOp) -> Op {
    match op {
        PlanOp::Start => Op::Start,
        PlanOp::Stop => Op::Stop,
        PlanOp::Interrupt => Op::Interrupt,
        PlanOp::Continue => Op::Proceed,
        PlanOp::Restart => Op::Restart,
        PlanOp::ForceComplete => Op::ForceComplete,
    }
}

/// A command with the plan and the elements that it acts on.
pub(crate) struct Commanded<'a> {
    plan: PlanId,
    target: Target,
    command: &'a PlanCommand,
}

impl<'a> Commanded<'a> {
    /// Finds the elements of a command that is allowed now.
    ///
    /// *Errors*: the real system's refusals (208, 400, 404) with their texts.
    pub(crate) fn find(plans: &Plans, command: &'a PlanCommand) -> Result<Self, Refusal> {
        if command.op == PlanOp::Start {
            check_params(command)?;
        }
        let Some((id, plan)) = plans.named(&command.plan) else {
            return Err(not_found("Plan", &command.plan));
        };
        let target = target(plan, command)?;
        let allowed = match &target {
            Target::One(element) => plan.tree.allowed(*element, op_of(command.op)),
            Target::Phases(phases) => plan.tree.allowed_phases(phases, op_of(command.op)),
        };
        allowed.map_err(|_| already())?;
        Ok(Self { plan: id, target, command })
    }

    /// Number of the plan.
    pub(crate) fn plan(&self) -> PlanId {
        self.plan
    }

    /// Path of the first element, as the command names it.
    pub(crate) fn path(&self, plans: &Plans) -> ElementPath {
        let first = match &self.target {
            Target::One(element) => Some(*element),
            Target::Phases(phases) => phases.first().copied().map(Element::Phase),
        };
        let whole = plans.path(self.plan, Element::Plan);
        let Some(first) = first.map(|element| plans.path(self.plan, element)) else { return whole };
        ElementPath { phase: first.phase, step: first.step, ..whole }
    }

    /// Applies the command to each of its elements.
    pub(crate) fn apply(&self, cx: &Cx, delays: &mut Delays<'_>) {
        match &self.target {
            Target::One(element) => apply(cx, delays, self.plan, *element, self.command),
            Target::Phases(phases) => {
                for phase in phases {
                    apply(cx, delays, self.plan, Element::Phase(*phase), self.command);
                }
            }
        }
    }

    /// The real system's reply.
    pub(crate) fn reply(&self) -> Value {
        json!({"message": format!("Received cmd: {}", reply(self.command))})
    }
}

/// Applies a command to one element.
fn apply(cx: &Cx, delays: &mut Delays<'_>, id: PlanId, element: Element, command: &PlanCommand) {
    match command.op {
        PlanOp::Start => start(cx, delays, id, command),
        PlanOp::Stop => {
            with_plan(delays, id, |plan| plan.tree.interrupt(Element::Plan));
            forget_delays(cx, delays, id, Element::Plan);
            with_plan(delays, id, |plan| plan.tree.restart(Element::Plan));
        }
        PlanOp::Interrupt => with_plan(delays, id, |plan| plan.tree.interrupt(element)),
        PlanOp::Continue => with_plan(delays, id, |plan| plan.tree.proceed(element)),
        PlanOp::Restart => {
            forget_delays(cx, delays, id, element);
            with_plan(delays, id, |plan| plan.tree.proceed_and_restart(element));
        }
        PlanOp::ForceComplete => force_complete(delays.plans, id, element),
    }
}

fn with_plan<R>(delays: &mut Delays<'_>, id: PlanId, change: impl FnOnce(&mut Plan) -> R) {
    if let Some(plan) = delays.plans.get_mut(id) {
        change(plan);
    }
}

fn start(cx: &Cx, delays: &mut Delays<'_>, id: PlanId, command: &PlanCommand) {
    let params: Params = Arc::new(command.params.clone());
    let Some(plan) = delays.plans.get_mut(id) else { return };
    let steps: Vec<StepId> = plan.tree.all_steps().collect();
    for step in steps {
        plan.set_params(step, &params);
    }
    if plan.is_complete() {
        forget_delays(cx, delays, id, Element::Plan);
        with_plan(delays, id, |plan| plan.tree.restart(Element::Plan));
    }
    with_plan(delays, id, |plan| plan.tree.proceed(Element::Plan));
}

/// Clears the task delays and manual completions of steps that a restart sets back to pending. Their launched tasks
/// stay known: a late status of one of them still moves its step until offers are evaluated again.
fn forget_delays(cx: &Cx, delays: &mut Delays<'_>, id: PlanId, element: Element) {
    for step in steps_of(delays.plans, id, element) {
        let holder = Holder { plan: id, step };
        let requirement = delays.plans.get(id).and_then(|plan| plan.requirement(step)).cloned();
        for name in requirement.iter().flat_map(|requirement| requirement.task_names()) {
            delays.clear(cx, name);
        }
        delays.plans.forget_delayed(holder);
        if let Some(data) = delays.plans.step_mut(holder) {
            data.forced = false;
            data.touched += 1;
        }
    }
}

fn force_complete(plans: &mut Plans, id: PlanId, element: Element) {
    for step in steps_of(plans, id, element) {
        let holder = Holder { plan: id, step };
        let done = plans.step_status(holder).is_complete();
        plans.forget_delayed(holder);
        if let Some(data) = plans.step_mut(holder).filter(|_| !done) {
            data.forced = true;
            data.touched += 1;
        }
    }
    if let Some(plan) = plans.get_mut(id) {
        plan.tree.force_complete(element);
    }
}

fn steps_of(plans: &Plans, id: PlanId, element: Element) -> Vec<StepId> {
    let Some(plan) = plans.get(id) else { return Vec::new() };
    match element {
        Element::Plan => plan.tree.all_steps().collect(),
        Element::Phase(phase) => plan.tree.steps(phase).collect(),
        Element::Step(step) => vec![step],
    }
}

fn check_params(command: &PlanCommand) -> Result<(), Refusal> {
    let valid = |name: &str| {
        name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match command.params.keys().find(|name| !valid(name)) {
        Some(name) => Err(Refusal::new(
            RefusalCode::BadRequest,
            format!("Couldn't parse parameters: {name} is not a valid environment variable name"),
        )),
        None => Ok(()),
    }
}

/// Finds the elements of a command. Interrupt and continue look up any given phase, and apply to all phases of that
/// name; for the others blank is absent, and the first phase is used.
fn target(plan: &Plan, command: &PlanCommand) -> Result<Target, Refusal> {
    let given = |name: &Option<String>| name.clone().filter(|name| !name.trim().is_empty());
    match command.op {
        PlanOp::Start | PlanOp::Stop => Ok(Target::One(Element::Plan)),
        PlanOp::Interrupt | PlanOp::Continue => match &command.phase {
            None => Ok(Target::One(Element::Plan)),
            Some(name) => {
                let phases = phases(plan, name);
                if phases.is_empty() { Err(not_found("Phase", name)) } else { Ok(Target::Phases(phases)) }
            }
        },
        PlanOp::Restart | PlanOp::ForceComplete => {
            let (phase, step) = (given(&command.phase), given(&command.step));
            let Some(name) = phase else {
                return match step {
                    None => Ok(Target::One(Element::Plan)),
                    Some(_) => Err(Refusal::new(RefusalCode::BadRequest, "Missing phase")),
                };
            };
            let Some(phase) = phases(plan, &name).first().copied() else {
                return Err(not_found("Phase", &name));
            };
            let Some(name) = step else { return Ok(Target::One(Element::Phase(phase))) };
            match steps(plan, phase, &name).as_slice() {
                [only] => Ok(Target::One(Element::Step(*only))),
                _ => Err(not_found("Step", &name)),
            }
        }
    }
}

fn phases(plan: &Plan, key: &str) -> Vec<PhaseId> {
    if !is_uuid(key) {
        return plan.tree.phases_named(key).collect();
    }
    let has_id = |phase: &PhaseId| plan.phases.get(phase.index()).is_some_and(|data| same_id(&data.id, key));
    plan.tree.phases().filter(has_id).collect()
}

fn steps(plan: &Plan, phase: PhaseId, key: &str) -> Vec<StepId> {
    if !is_uuid(key) {
        return plan.tree.steps_named(phase, key).collect();
    }
    plan.tree
        .steps(phase)
        .filter(|step| plan.step(*step).is_some_and(|data| same_id(&data.id, key)))
        .collect()
}

fn same_id(id: &str, key: &str) -> bool {
    id.eq_ignore_ascii_case(key)
}

/// Text of the reply after `Received cmd: `.
fn reply(command: &PlanCommand) -> String {
    let or_null = |name: &Option<String>| name.clone().unwrap_or_else(|| "null".to_owned());
    let element = |word: &str| {
        let (phase, step) = (or_null(&command.phase), or_null(&command.step));
        format!("{word} for Plan: {}, Phase: {phase}, Step: {step}", command.plan)
    };
    match command.op {
        PlanOp::Start => {
            let params: Vec<String> =
                command.params.iter().map(|(key, value)| format!("{key}={value}")).collect();
            format!("start {} with parameters: {{{}}}", command.plan, params.join(", "))
        }
        PlanOp::Stop => "stop".to_owned(),
        PlanOp::Interrupt => "interrupt".to_owned(),
        PlanOp::Continue => "continue".to_owned(),
        PlanOp::Restart => element("restart"),
        PlanOp::ForceComplete => element("forceComplete"),
    }
}
