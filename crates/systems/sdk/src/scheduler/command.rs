//! Plan commands: look-up, rules, effects and replies.
//!
//! *Knows*: what each command touches and how the real system words its answers.
//! *Must not know*: routes.
//!
//! **Source**: `dcos-commons: …/http/queries/PlansQueries.java`. Match.

use super::ids::is_uuid;
use super::plan::{Params, Plan};
use super::{Cx, Request, Scheduler};
use planarium_kernel::Cause;
use planarium_plan::{Element, Holder, Op, PhaseId, PlanId, StepId};
use planarium_protocol::Refusal;
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::input::{PlanCommand, PlanOp};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;
use std::sync::Arc;

/// What a command acts on.
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

impl Scheduler {
    /// Carries out a plan command. Answers the real system's reply.
    ///
    /// *Errors*: its refusals (208, 400, 404) with their texts.
    pub fn plan_command(
        &mut self,
        cx: &mut Cx,
        command: &PlanCommand,
    ) -> Result<(Value, Vec<Request>), Refusal> {
        self.must_run()?;
        self.now = cx.now();
        if command.op == PlanOp::Start {
            check_params(command)?;
        }
        let Some((id, plan)) = self.plan_named(&command.plan) else {
            return Err(not_found("Plan", &command.plan));
        };
        let target = target(plan, command)?;
        let allowed = match &target {
            Target::One(element) => plan.tree.allowed(*element, op_of(command.op)),
            Target::Phases(phases) => plan.tree.allowed_phases(phases, op_of(command.op)),
        };
        allowed.map_err(|_| already())?;
        let path = ElementPath {
            dialect: crate::DIALECT.into(),
            phase: element_of(&target).and_then(|element| plan.path(&self.name, element).phase),
            step: element_of(&target).and_then(|element| plan.path(&self.name, element).step),
            service: self.name.clone(),
            plan: plan.name(),
        };
        let seq = cx.emit(EventBody::PlanCommanded { path, op: command.op.as_str().into() });
        cx.scoped(Cause::Event(seq), |cx| {
            self.carry_out(cx, id, &target, command);
            self.report_all(cx);
            self.touch(cx, id);
            self.need_cycle(cx);
            self.await_removal(cx);
        });
        Ok((json!({"message": format!("Received cmd: {}", reply(command))}), Vec::new()))
    }

    fn carry_out(&mut self, cx: &Cx, id: PlanId, target: &Target, command: &PlanCommand) {
        let elements: Vec<Element> = match target {
            Target::One(element) => vec![*element],
            Target::Phases(phases) => phases.iter().copied().map(Element::Phase).collect(),
        };
        for element in elements {
            match command.op {
                PlanOp::Start => self.start_plan(cx, id, command),
                PlanOp::Stop => {
                    self.with_tree(id, |plan| plan.tree.interrupt(Element::Plan));
                    self.forget_delays(cx, id, Element::Plan);
                    self.with_tree(id, |plan| plan.tree.restart(Element::Plan));
                }
                PlanOp::Interrupt => self.with_tree(id, |plan| plan.tree.interrupt(element)),
                PlanOp::Continue => self.with_tree(id, |plan| plan.tree.proceed(element)),
                PlanOp::Restart => {
                    self.forget_delays(cx, id, element);
                    self.with_tree(id, |plan| plan.tree.proceed_and_restart(element));
                }
                PlanOp::ForceComplete => self.complete_steps(id, element),
            }
        }
    }

    fn with_tree<R>(&mut self, id: PlanId, change: impl FnOnce(&mut Plan) -> R) {
        if let Some(plan) = self.plans.get_mut(id.index()) {
            change(plan);
        }
    }

    fn start_plan(&mut self, cx: &Cx, id: PlanId, command: &PlanCommand) {
        let params: Params = Arc::new(command.params.clone());
        let Some(plan) = self.plans.get_mut(id.index()) else { return };
        let steps: Vec<StepId> = plan.tree.all_steps().collect();
        for step in steps {
            plan.set_params(step, &params);
        }
        if plan.is_complete() {
            self.forget_delays(cx, id, Element::Plan);
            self.with_tree(id, |plan| plan.tree.restart(Element::Plan));
        }
        self.with_tree(id, |plan| plan.tree.proceed(Element::Plan));
    }

    /// What a restart forgets of the steps that it sets back to pending: delays of their tasks, and that they were
    /// completed by hand. The tasks they launched stay known: a late status of one of them still moves its step until
    /// the next look at offers.
    fn forget_delays(&mut self, cx: &Cx, id: PlanId, element: Element) {
        for step in self.steps_of(id, element) {
            let holder = Holder { plan: id, step };
            let requirement = self.plan(id).and_then(|plan| plan.requirement(step)).cloned();
            for name in requirement.iter().flat_map(|requirement| requirement.task_names()) {
                self.clear_delay(cx, name);
            }
            self.delayed.remove(&holder);
            if let Some(data) = self.step_data_mut(holder) {
                data.forced = false;
                data.touched += 1;
            }
        }
    }

    fn complete_steps(&mut self, id: PlanId, element: Element) {
        for step in self.steps_of(id, element) {
            let holder = Holder { plan: id, step };
            let done = self.step_status(holder).is_complete();
            self.delayed.remove(&holder);
            if let Some(data) = self.step_data_mut(holder).filter(|_| !done) {
                data.forced = true;
                data.touched += 1;
            }
        }
        self.with_tree(id, |plan| plan.tree.force_complete(element));
    }

    fn steps_of(&self, id: PlanId, element: Element) -> Vec<StepId> {
        let Some(plan) = self.plan(id) else { return Vec::new() };
        match element {
            Element::Plan => plan.tree.all_steps().collect(),
            Element::Phase(phase) => plan.tree.steps(phase).collect(),
            Element::Step(step) => vec![step],
        }
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

/// Finds what a command acts on. For interrupt and continue a phase that is given at all is looked up,
/// and all phases of that name are meant; for the others blank is absent, and the first phase is meant.
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

fn element_of(target: &Target) -> Option<Element> {
    match target {
        Target::One(element) => Some(*element),
        Target::Phases(phases) => phases.first().copied().map(Element::Phase),
    }
}

/// What the reply says after `Received cmd: `.
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
