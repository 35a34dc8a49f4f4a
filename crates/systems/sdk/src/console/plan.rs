//! `plan ...`: what each command asks and prints.
//!
//! **Source**: dcos-commons `cli/queries/plan.go`. Match.

use super::call::{Call, Done, Failure, Rules};
use super::tree;
use planarium_part::console::Given;
use serde_json::{Map, Value};

pub(super) fn list(call: &mut Call<'_>, _: &Given) -> Done {
    let body = call.get(Rules::Plain, &["plans"])?;
    call.say_json(&body);
    Ok(())
}

pub(super) fn status(call: &mut Call<'_>, given: &Given) -> Done {
    status_of(call, given.text(0), given.has("json"))
}

pub(super) fn start(call: &mut Call<'_>, given: &Given) -> Done {
    let mut params = Map::new();
    for pair in given.values("params") {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Failure::BadWords(format!("parameter '{pair}': write NAME=VALUE")));
        };
        params.insert(key.to_owned(), Value::from(value));
    }
    let path = ["plans", given.text(0), "start"];
    let body = call.post(Rules::PlanCommand, &path, &[], Some(&Value::Object(params)))?;
    call.say_json(&body);
    Ok(())
}

pub(super) fn stop(call: &mut Call<'_>, given: &Given) -> Done {
    let body = call.post(Rules::PlanCommand, &["plans", given.text(0), "stop"], &[], None)?;
    call.say_json(&body);
    Ok(())
}

pub(super) fn pause(call: &mut Call<'_>, given: &Given) -> Done {
    command(call, PAUSE, Element { plan: given.text(0), phase: given.text(1), step: "" })
}

pub(super) fn resume(call: &mut Call<'_>, given: &Given) -> Done {
    command(call, RESUME, Element { plan: given.text(0), phase: given.text(1), step: "" })
}

pub(super) fn force_restart(call: &mut Call<'_>, given: &Given) -> Done {
    command(call, RESTART, Element { plan: given.text(0), phase: given.text(1), step: given.text(2) })
}

pub(super) fn force_complete(call: &mut Call<'_>, given: &Given) -> Done {
    command(call, COMPLETE, Element { plan: given.text(0), phase: given.text(1), step: given.text(2) })
}

/// An API command with its messages for success and for an invalid reply.
#[derive(Clone, Copy)]
pub(super) struct Verb {
    call: &'static str,
    done: &'static str,
    not_done: &'static str,
}

/// `pause`
pub(super) const PAUSE: Verb =
    Verb { call: "interrupt", done: "has been paused", not_done: "could not be paused" };
/// `resume`
pub(super) const RESUME: Verb =
    Verb { call: "continue", done: "has been resumed", not_done: "could not be resumed" };
/// `force-restart`
pub(super) const RESTART: Verb =
    Verb { call: "restart", done: "has been restarted", not_done: "could not be restarted" };
/// `force-complete`
pub(super) const COMPLETE: Verb = Verb {
    call: "forceComplete",
    done: "has been forced to complete",
    not_done: "could not be forced to complete",
};

/// Target of a command; empty is absent.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) plan: &'a str,
    pub(super) phase: &'a str,
    pub(super) step: &'a str,
}

impl Element<'_> {
    fn words(self) -> String {
        let Self { plan, phase, step } = self;
        match (phase, step) {
            ("", "") => format!("\"{plan}\" plan"),
            (phase, "") => format!("\"{plan}\" plan: phase \"{phase}\""),
            (phase, step) => format!("\"{plan}\" plan: step \"{step}\" in phase \"{phase}\""),
        }
    }
}

/// Sends a command and reports the result.
pub(super) fn command(call: &mut Call<'_>, verb: Verb, element: Element<'_>) -> Done {
    let query: Vec<(&str, &str)> = [("phase", element.phase), ("step", element.step)]
        .into_iter()
        .filter(|(_, name)| !name.is_empty())
        .collect();
    let body = call.post(Rules::PlanCommand, &["plans", element.plan, verb.call], &query, None)?;
    let words = if has_message(&body) { verb.done } else { verb.not_done };
    call.say(&format!("{} {words}.", element.words()));
    Ok(())
}

/// The tree of a plan, or its JSON.
pub(super) fn status_of(call: &mut Call<'_>, plan: &str, as_json: bool) -> Done {
    let body = call.get(Rules::PlanStatus, &["plans", plan])?;
    if as_json {
        call.say_json(&body);
        return Ok(());
    }
    match serde_json::from_slice::<Value>(&body) {
        Ok(value) if value.is_object() => call.say(&tree::plan(plan, &value)),
        Ok(_) => return Err(Failure::Refused("the answer is not a plan".to_owned())),
        Err(error) => return Err(Failure::Refused(format!("the answer is not a plan: {error}"))),
    }
    Ok(())
}

fn has_message(body: &[u8]) -> bool {
    let reply: Value = serde_json::from_slice(body).unwrap_or_default();
    reply.get("message").and_then(Value::as_str).is_some_and(|message| !message.is_empty())
}
