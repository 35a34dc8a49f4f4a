//! The page in a frame: calls from the document around it, and events for that document.
//!
//! *Knows*: names and arguments of calls. *Must not know*: their transport, which is `web/js/frame.js`.

use super::keys;
use crate::browser;
use crate::store::action::Toward;
use crate::store::state::State;
use crate::store::{Action, Hub};
use planarium_messages::facts::{CallError, Reply};
use planarium_messages::questions::{Ask, Call};
use planarium_protocol::{Input, json};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use yew::Callback;

/// The row of the tree that has the place in the order of Tab, which is the selected one.
const SELECTED_ROW: &str = "[role=treegrid] [tabindex='0']";

/// Most steps of one call.
const MOST_STEPS: u64 = 1_000;

/// Listens to the document around the page, and sends it events, while the page exists.
pub(super) fn listen(hub: &Hub) {
    if browser::window().is_none() {
        return;
    }
    let on_call = {
        let hub = hub.clone();
        Closure::new(move |number, name: String, arguments: String| {
            let arguments = json::read::<Vec<Value>>(arguments.as_bytes()).unwrap_or_default();
            call(&hub, &name, &arguments, Callback::from(move |called| answer(number, called)));
        })
    };
    browser::listen_to_parent(&on_call);
    on_call.forget();
}

type Called = Result<Value, CallError>;

fn answer(number: f64, called: Called) {
    match called {
        Ok(value) => browser::answer_parent(number, true, &value.to_string()),
        Err(error) => {
            let error = json!({ "code": error.code, "reason": error.reason });
            browser::answer_parent(number, false, &error.to_string());
        }
    }
}

/// The request of a call.
#[derive(Debug, PartialEq)]
enum Asked {
    /// Actions of the page, in order.
    Act(Vec<Action>),
    /// A question to the host.
    Ask(Call),
    /// Puts the focus on the selected row.
    Focus,
}

fn call(hub: &Hub, name: &str, arguments: &[Value], answer: Callback<Called>) {
    match asked(name, arguments, &hub.state()) {
        Ok(Asked::Act(actions)) => {
            for action in actions {
                hub.send(action);
            }
            answer.emit(Ok(Value::Null));
        }
        Ok(Asked::Focus) => {
            browser::focus_soon(SELECTED_ROW);
            answer.emit(Ok(Value::Null));
        }
        Ok(Asked::Ask(call)) => {
            let reply = Callback::from(move |reply| {
                if let Reply::Called(called) = reply {
                    answer.emit(called);
                }
            });
            hub.ask(Ask::Call(call), reply);
        }
        Err(reason) => answer.emit(Err(CallError { code: "bad-request".to_owned(), reason })),
    }
}

/// Reads a call.
///
/// *Errors*: the call is unknown, or its arguments do not fit.
fn asked(name: &str, arguments: &[Value], state: &State) -> Result<Asked, String> {
    let first = arguments.first().unwrap_or(&Value::Null);
    let act = |action| Ok(Asked::Act(vec![action]));
    match name {
        "play" | "pause" => {
            let turn = state.play.playing != (name == "play");
            Ok(Asked::Act(if turn { vec![Action::TogglePlay] } else { Vec::new() }))
        }
        "seek" => act(Action::SeekMs(instant(first, state)?)),
        "step" => step(first.as_str().unwrap_or("status"), arguments.get(1)),
        "reset" => act(Action::Reset),
        "undo" => act(Action::Undo),
        "value" => match first.as_str() {
            Some(text) => act(Action::OpenText(text.to_owned())),
            None => Err("value takes the text of a definition or scenario".to_owned()),
        },
        "theme" => match first.as_str() {
            Some("auto") => act(Action::SetTheme(crate::store::state::Theme::Auto)),
            Some("light") => act(Action::SetTheme(crate::store::state::Theme::Light)),
            Some("dark") => act(Action::SetTheme(crate::store::state::Theme::Dark)),
            _ => Err("theme takes auto, light or dark".to_owned()),
        },
        "command" => command(first),
        "inject" => input(fault(first.clone())),
        "input" => input(first.clone()),
        "why" => match first.as_str() {
            Some(element) => Ok(Asked::Ask(Call::Why(element.to_owned()))),
            None => Err("why takes an element: PLAN, PLAN/PHASE or PLAN/PHASE/STEP".to_owned()),
        },
        "snapshot" => Ok(Asked::Ask(Call::Snapshot)),
        "share" => Ok(Asked::Ask(Call::Share(browser::whole_page_url()))),
        "focus" => Ok(Asked::Focus),
        "press" => press(first, state),
        _ => Err(format!(
            "there is no call `{}`; calls are play, pause, seek, step, reset, undo, value, theme, command, inject, input, why, snapshot, share, focus, press",
            name.chars().take(40).collect::<String>()
        )),
    }
}

/// Seconds, a share of the run (`50%`), `start` or `end`. *Units*: the result is in milliseconds.
fn instant(to: &Value, state: &State) -> Result<u64, String> {
    let head = state.world.clock.head_ms;
    let text = to.as_str().map(str::trim);
    let (number, whole) = match text {
        Some("start") => return Ok(0),
        Some("end") => return Ok(head),
        Some(text) => match text.strip_suffix('%') {
            Some(share) => (share.parse().ok(), true),
            None => (text.parse().ok(), false),
        },
        None => (to.as_f64(), false),
    };
    let Some(number) = number.filter(|number: &f64| number.is_finite() && *number >= 0.0) else {
        return Err("seek takes seconds, \"50%\", \"start\" or \"end\"".to_owned());
    };
    #[expect(clippy::cast_precision_loss, reason = "a run's length in milliseconds")]
    let ms = if whole { head as f64 * number.min(100.0) / 100.0 } else { number * 1000.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above; the cast saturates"
    )]
    let ms = ms as u64;
    Ok(ms)
}

/// Presses a key of the page on the selected element. A key without a meaning at this moment does nothing.
fn press(key: &Value, state: &State) -> Result<Asked, String> {
    let Some(key) = key.as_str().filter(|key| key.chars().count() == 1) else {
        return Err("press takes a key of the page: p, c, f, r, i, w".to_owned());
    };
    Ok(Asked::Act(keys::pressed(key, state).into_iter().collect()))
}

fn step(what: &str, times: Option<&Value>) -> Result<Asked, String> {
    let times = times.and_then(Value::as_i64).unwrap_or(1);
    let toward = if times < 0 { Toward::Back } else { Toward::Ahead };
    let action = match what {
        "event" => Action::StepEvent(toward),
        "status" => Action::StepStatus(toward),
        "marker" => Action::StepMark(toward),
        _ => return Err("step takes event, status or marker, and how often".to_owned()),
    };
    let count = usize::try_from(times.unsigned_abs().min(MOST_STEPS)).unwrap_or(usize::MAX);
    Ok(Asked::Act(vec![action; count]))
}

/// `{op, plan, phase?, step?}`.
fn command(what: &Value) -> Result<Asked, String> {
    let field = |name: &str| what.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (Some(op), Some(plan)) = (field("op"), field("plan")) else {
        return Err("command takes {op, plan, phase?, step?}".to_owned());
    };
    let names = [field("service"), Some(plan), field("phase"), field("step")];
    let element = names.into_iter().flatten().collect::<Vec<_>>().join("/");
    Ok(Asked::Ask(Call::Command { op: op.to_owned(), element }))
}

/// Writes `{kind: "agent-lost", ...}` as the input `{kind: "fault", fault: "agent-lost", ...}`, which is read as well.
fn fault(mut request: Value) -> Value {
    if let Some(fields) = request.as_object_mut()
        && let Some(word) = fields.insert("kind".to_owned(), "fault".into())
    {
        fields.entry("fault").or_insert(word);
    }
    request
}

fn input(value: Value) -> Result<Asked, String> {
    let input: Input = serde_json::from_value(value).map_err(|error| error.to_string())?;
    Ok(Asked::Ask(Call::Input(Box::new(input))))
}

/// Tells the document around the page what changed between two states.
pub(super) fn tell(old: &State, new: &State) {
    let clock = &new.world.clock;
    if new.world.generation != old.world.generation {
        let ready = json!({ "differing": new.differing.is_some(), "version": env!("CARGO_PKG_VERSION") });
        browser::tell_parent("ready", &ready.to_string());
    }
    for (path, from, to) in changes(old, new) {
        let detail = json!({ "path": path, "from": from, "to": to, "t": clock.now_ms });
        browser::tell_parent("statuschange", &detail.to_string());
    }
    if clock.now_ms != old.world.clock.now_ms {
        browser::tell_parent("timeupdate", &json!({ "time": clock.now_ms }).to_string());
    }
    if new.play.playing != old.play.playing {
        browser::tell_parent("playing", &json!({ "playing": new.play.playing }).to_string());
    }
    let ended = |state: &State| state.world.clock.idle && state.world.clock.at_head() && state.world.touched;
    if ended(new) && !ended(old) {
        browser::tell_parent("complete", &json!({ "time": clock.now_ms }).to_string());
    }
}

/// Returns the elements whose status changed, with the old and the new one. Skips unchanged parts of the view.
fn changes(old: &State, new: &State) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    if old.world.generation != new.world.generation || old.world.view == new.world.view {
        return found;
    }
    for service in &new.world.view.services {
        let before = old
            .world
            .view
            .services
            .iter()
            .find(|before| before.name == service.name && before.dialect == service.dialect);
        let Some(before) = before.filter(|before| before.revision != service.revision) else { continue };
        for plan in &service.plans {
            let Some(was) = before.plans.iter().find(|was| was.name == plan.name) else { continue };
            if was.revision == plan.revision {
                continue;
            }
            let mut note = |path: String, from: &str, to: &str| {
                if from != to {
                    found.push((path, from.to_owned(), to.to_owned()));
                }
            };
            note(plan.name.to_string(), &was.status, &plan.status);
            for (phase, was) in plan.phases.iter().zip(&was.phases) {
                note(format!("{}/{}", plan.name, phase.name), &was.status, &phase.status);
                for (step, was) in phase.steps.iter().zip(&was.steps) {
                    note(format!("{}/{}/{}", plan.name, phase.name, step.name), &was.status, &step.status);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::state::Dialog;

    #[test]
    fn calls_are_read_and_invalid_ones_are_refused_with_a_reason() {
        let mut state = State::default();
        state.world.clock.head_ms = 80_000;
        let ask = |name: &str, arguments: Value| {
            asked(name, arguments.as_array().map(Vec::as_slice).unwrap_or_default(), &state)
        };
        let seek = |to: Value| ask("seek", json!([to]));
        assert_eq!(seek(json!(42.5)), Ok(Asked::Act(vec![Action::SeekMs(42_500)])));
        assert_eq!(seek(json!("50%")), Ok(Asked::Act(vec![Action::SeekMs(40_000)])));
        assert_eq!(seek(json!("end")), Ok(Asked::Act(vec![Action::SeekMs(80_000)])));
        for bad in [json!(-1), json!("soon"), json!(null), json!({ "marker": "x" })] {
            assert!(seek(bad.clone()).is_err(), "{bad}");
        }
        assert_eq!(ask("focus", json!([])), Ok(Asked::Focus));
        assert_eq!(ask("press", json!(["i"])), Ok(Asked::Act(vec![Action::OpenDialog(Dialog::Fault)])));
        assert_eq!(ask("press", json!(["c"])), Ok(Asked::Act(Vec::new())), "nothing is selected");
        assert_eq!(ask("pause", json!([])), Ok(Asked::Act(Vec::new())), "it is at rest already");
        let back = Asked::Act(vec![Action::StepEvent(Toward::Back); 2]);
        assert_eq!(ask("step", json!(["event", -2])), Ok(back));
        let element = "deploy/node/node-0:[server]".to_owned();
        assert_eq!(
            ask(
                "command",
                json!([{ "op": "interrupt", "plan": "deploy", "phase": "node", "step": "node-0:[server]" }])
            ),
            Ok(Asked::Ask(Call::Command { op: "interrupt".to_owned(), element }))
        );
        let lost = ask("inject", json!([{ "kind": "agent-lost", "target": { "agent": "agent-1" } }]));
        assert!(matches!(lost, Ok(Asked::Ask(Call::Input(_)))), "{lost:?}");
        for same in [
            json!({ "fault": "agent-lost", "target": { "agent": "agent-1" } }),
            json!({ "kind": "fault", "fault": "agent-lost", "target": { "agent": "agent-1" } }),
        ] {
            assert_eq!(ask("inject", json!([same])), lost);
        }
        for (name, arguments) in [
            ("command", json!([])),
            ("inject", json!([7])),
            ("inject", json!([{}])),
            ("fly", json!([])),
            ("why", json!([3])),
            ("press", json!([])),
            ("press", json!(["Enter"])),
        ] {
            assert!(ask(name, arguments.clone()).is_err(), "{name} {arguments}");
        }
    }
}
