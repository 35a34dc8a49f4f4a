//! Actions on an application, in Skopos' words, each with its consequence.
//!
//! *Knows*: commands, when they are accepted, what they lead to. *Must not know*: who shows them.

use crate::DIALECT;
use crate::commands::{Command, refusal};
use crate::flow::ahead::{after, ahead};
use crate::plan::{ChainId, StepId};
use crate::run::{Mode, PLAN, Run};
use planarium_protocol::input::{HttpCall, Input, PlanCommand, PlanOp};
use planarium_protocol::json;
use planarium_protocol::view::ActionView;
use std::collections::BTreeMap;

/// Returns the actions on the plan as a whole.
pub(crate) fn plan_actions(run: &Run) -> Vec<ActionView> {
    let mut all = Vec::new();
    let start = Command::Start { paused: false, interactive: None };
    for (title, icon, command, consequence) in [
        ("Start", "play", start, on_start(run)),
        ("Pause", "waiting", Command::Pause, on_pause(run)),
        ("Resume", "unblock", Command::Resume, on_resume(run)),
        ("Step", "step-ahead", Command::Step, on_step(run)),
        (
            "Abandon",
            "stop",
            Command::Abandon,
            "stops at once and fails the plan; no cleanup is run, what exists stays as it is".to_owned(),
        ),
        (
            "Reset",
            "reset",
            Command::Reset,
            "forgets this run, looks at what runs now, and makes the plan anew".to_owned(),
        ),
    ] {
        all.push(action(run, title, &command, consequence).icon(icon));
    }
    all
}

/// Returns the actions on a gate.
pub(crate) fn gate_actions(run: &Run, id: StepId) -> Vec<ActionView> {
    let step = run.plan.step(id).map(|step| step.id.to_string());
    let answer = |title, passed| {
        let command = Command::Gate { step: step.clone(), passed };
        action(run, title, &command, after(run, id, passed))
    };
    let pass = answer("Pass gate", true).icon("check").found_by(PlanOp::ForceComplete);
    vec![pass, answer("Fail gate", false).icon("cross")]
}

fn action(run: &Run, title: &str, command: &Command, consequence: String) -> ActionView {
    let refused = refusal(run, command).map(|why| capitalised(&why));
    ActionView::new(title, input(run, command)).doing(consequence).unless(refused)
}

/// The input that carries a command out.
pub(crate) fn input(run: &Run, command: &Command) -> Input {
    let op = match command {
        Command::Start { paused: false, interactive: None } => Some(PlanOp::Start),
        Command::Pause => Some(PlanOp::Interrupt),
        Command::Resume => Some(PlanOp::Continue),
        Command::Abandon => Some(PlanOp::Stop),
        Command::Reset => Some(PlanOp::Restart),
        Command::Start { .. } | Command::Step | Command::Gate { .. } => None,
    };
    let service = run.names.plan.service.to_string();
    if let Some(op) = op {
        return Input::Plan(PlanCommand {
            dialect: DIALECT.to_owned(),
            service,
            plan: PLAN.to_owned(),
            op,
            phase: None,
            step: None,
            params: BTreeMap::new(),
        });
    }
    let (path, body) = match command {
        Command::Gate { step: Some(step), passed } => {
            let result = crate::run::log::verdict(*passed);
            (format!("/skopos/v1/{}/gates/{}", encoded(&service), encoded(step)), json!({ "result": result }))
        }
        _ => (format!("/skopos/v1/{}/{}", encoded(&service), command.word()), json!(null)),
    };
    Input::Call(HttpCall { method: "POST".to_owned(), path, body, content_type: None })
}

fn on_start(run: &Run) -> String {
    match run.plan.at(ChainId::ROOT, 0).and_then(|first| run.plan.step(first)) {
        Some(first) => format!("runs the plan from its first step, {}", first.id),
        None => "runs the plan, which has no steps".to_owned(),
    }
}

fn on_pause(run: &Run) -> String {
    match run.step_at_work() {
        Some(step) if run.mode == Mode::GateWait => {
            format!("the gate {} stays open; the plan is held once it is answered", step.id)
        }
        Some(step) => format!("{} is carried out to its end, then the plan is held", step.id),
        None => "holds the plan at the next exit".to_owned(),
    }
}

fn on_resume(run: &Run) -> String {
    if run.pause_requested {
        return "takes the pause back".to_owned();
    }
    match run.hold.and_then(|hold| hold.at) {
        Some((id, passed)) => ahead(run, id, passed).words(&run.plan),
        None => "goes on where it was held".to_owned(),
    }
}

fn on_step(run: &Run) -> String {
    let next = match run.hold.and_then(|hold| hold.at) {
        Some((id, passed)) => ahead(run, id, passed).step(),
        None => run.plan.at(ChainId::ROOT, 0),
    };
    match next.and_then(|id| run.plan.step(id)) {
        Some(step) if step.is_leaf() => format!("carries out {} and holds at its exit", step.id),
        Some(step) => format!("carries out one step of {} and holds at its exit", step.id),
        None => "carries the run to its end".to_owned(),
    }
}

/// A sentence with a capital at its beginning.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A name as one part of a path.
pub(crate) fn encoded(name: &str) -> String {
    planarium_part::http::encode(name).replace('/', "%2F")
}
