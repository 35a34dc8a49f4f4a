//! Calls from the document that the page is embedded in.
//!
//! *Knows*: how a text names an element. *Must not know*: how a call travels.

use super::Host;
use planarium_messages::facts::{CallError, Fact, Reply};
use planarium_messages::questions::Call;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{ActionView, ServiceView, View};
use planarium_protocol::{Input, json};
use planarium_scenario::find_element;
use planarium_world::Engine;
use serde_json::Value;

type Called = Result<Value, CallError>;

impl Host {
    /// Carries out a call and returns the resulting facts and the call's value.
    pub(crate) fn call(&mut self, call: Call) -> Vec<Fact> {
        let (mut facts, called) = match call {
            Call::Why(element) => (Vec::new(), self.why_of(&element)),
            Call::Command { op, element } => match self.command_of(&op, &element) {
                Ok(input) => self.called_input(&input),
                Err(error) => (Vec::new(), Err(error)),
            },
            Call::Input(input) => self.called_input(&input),
            Call::Snapshot => (Vec::new(), Ok(snapshot(&mut self.shown.engine))),
            Call::Share(page) => (Vec::new(), Ok(json!({ "url": &*self.link(&page).address }))),
        };
        facts.push(Fact::Reply(Reply::Called(called)));
        facts
    }

    fn why_of(&self, element: &str) -> Called {
        let path = found(&self.shown.engine.view(), element)?;
        let why = self.shown.engine.why(&path).ok_or_else(|| missing(element))?;
        Ok(json::of(&why))
    }

    /// Returns the input of a plan operation on an element, as the view offers it.
    fn command_of(&self, op: &str, element: &str) -> Result<Input, CallError> {
        let view = self.shown.engine.view();
        let path = found(&view, element)?;
        let service = view.services.iter().find(|service| service.holds(&path));
        let actions = service.map(|service| actions_at(service, &path)).unwrap_or_default();
        let known = |action: &&ActionView| action.op.is_some_and(|known| known.as_str() == op);
        let Some(action) = actions.iter().find(known) else {
            let mut words: Vec<&str> = actions
                .iter()
                .filter_map(|action| action.op)
                .map(planarium_protocol::input::PlanOp::as_str)
                .collect();
            words.sort_unstable();
            words.dedup();
            let reason = if words.is_empty() {
                format!("{element} takes no command")
            } else {
                format!("{element} takes no command `{op}`; it takes {}", words.join(", "))
            };
            return Err(error("bad-request", reason));
        };
        match &action.refused {
            Some(reason) => Err(error("refused", reason.to_string())),
            None => Ok(action.at(&path)),
        }
    }

    fn called_input(&mut self, input: &Input) -> (Vec<Fact>, Called) {
        let mut facts = self.put_in(input);
        let refused = facts.iter().position(|fact| matches!(fact, Fact::Refused(_)));
        // A refusal goes to the caller only, not to the reader of the page.
        let called = match refused.map(|at| facts.remove(at)) {
            Some(Fact::Refused(reason)) => Err(error("refused", reason.to_string())),
            _ => Ok(Value::Null),
        };
        (facts, called)
    }
}

fn error(code: &str, reason: String) -> CallError {
    CallError { code: code.to_owned(), reason }
}

fn missing(element: &str) -> CallError {
    let element: String = element.chars().take(80).collect();
    error("not-found", format!("there is no element `{element}`; write PLAN, PLAN/PHASE or PLAN/PHASE/STEP"))
}

fn found(view: &View, element: &str) -> Result<ElementPath, CallError> {
    find_element(view, element).ok_or_else(|| missing(element))
}

/// Returns the actions of an element.
fn actions_at(service: &ServiceView, path: &ElementPath) -> Vec<ActionView> {
    let plan = service.plans.iter().find(|plan| plan.name == path.plan);
    let phase = plan
        .zip(path.phase.as_ref())
        .and_then(|(plan, name)| plan.phases.iter().find(|phase| phase.name == *name));
    let step = phase
        .zip(path.step.as_ref())
        .and_then(|(phase, name)| phase.steps.iter().find(|step| step.name == *name));
    match (plan, &path.phase, &path.step) {
        (Some(plan), None, _) => plan.actions.to_vec(),
        (_, Some(_), None) => phase.map(|phase| phase.actions.to_vec()).unwrap_or_default(),
        (_, _, Some(_)) => step.map(|step| step.actions.to_vec()).unwrap_or_default(),
        (None, None, None) => Vec::new(),
    }
}

/// Returns the instant and the digest of a run's end without moving the engine.
fn end(engine: &mut Engine) -> Value {
    let (now_ms, seq) = (engine.now_ms(), engine.seq());
    engine.seek_ms(engine.head_ms());
    let end = json!({ "ms": engine.now_ms(), "digest": engine.digest() });
    engine.seek_ms(now_ms);
    if engine.seq() != seq {
        engine.seek_seq(seq);
    }
    end
}

/// Returns the plans with the statuses of their elements, and the totals of the run.
fn snapshot(engine: &mut Engine) -> Value {
    let end = end(engine);
    let view = engine.view();
    let mut plans = Vec::new();
    for service in &view.services {
        for plan in &service.plans {
            let phases = plan.phases.iter().map(|phase| {
                let steps = phase.steps.iter();
                let steps: Vec<Value> =
                    steps.map(|step| json!({ "name": &*step.name, "status": &*step.status })).collect();
                json!({ "name": &*phase.name, "status": &*phase.status, "steps": steps })
            });
            let phases: Vec<Value> = phases.collect();
            plans.push(json!({
                "service": &*service.name, "name": &*plan.name, "status": &*plan.status, "phases": phases,
            }));
        }
    }
    let clock = &view.clock;
    json!({ "now_ms": clock.now_ms, "idle": clock.idle, "digest": clock.digest, "end": end, "plans": plans })
}
