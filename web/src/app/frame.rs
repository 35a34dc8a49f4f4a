//! The page in a frame: calls from the document around it, and events for that document.
//!
//! *Knows*: names and arguments of calls. *Must not know*: their transport, which is `web/js/frame.js`.

use super::keys;
use crate::browser;
use crate::store::action::Toward;
use crate::store::lessons::Verdict;
use crate::store::state::State;
use crate::store::{Action, Hub};
use planarium_messages::facts::{CallError, Reply};
use planarium_messages::questions::{Ask, Call, Format};
use planarium_protocol::event::ElementPath;
use planarium_protocol::json::Read;
use planarium_protocol::{Cause, Event, EventBody, Input, Text, json};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use yew::Callback;

/// The row of the tree that has the place in the order of Tab, which is the selected one.
const SELECTED_ROW: &str = "[role=treegrid] [tabindex='0']";

/// The task and checks of an open lesson.
const LESSON: &str = "#lesson";

/// The longest run of `runUntil` unless it says otherwise. *Units*: seconds.
const RUN_S: f64 = 3_600.0;

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
            let arguments = json::read::text::<Vec<Value>>(arguments.as_bytes()).unwrap_or_default();
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
    /// Puts the focus on the selected row, or on the open lesson.
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
            let in_lesson = hub.state().lesson.is_some();
            browser::focus_soon(if in_lesson { LESSON } else { SELECTED_ROW });
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
        "open" => open(first),
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
        "fork" => Ok(Asked::Ask(Call::Fork)),
        "export" => export(first),
        "runUntil" => run_until(first, arguments.get(1)),
        "focus" => Ok(Asked::Focus),
        "press" => press(first, state),
        _ => Err(format!(
            "there is no call `{}`; calls are play, pause, seek, step, reset, undo, value, open, theme, command, inject, input, why, snapshot, share, fork, export, runUntil, focus, press",
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

/// Pairs of name and text: one file of any kind, or a scenario with the files that it names.
fn open(files: &Value) -> Result<Asked, String> {
    let files: Vec<(String, String)> = Vec::read(files.clone())
        .map_err(|_| "open takes pairs of a file's name and its text, a scenario first")?;
    let action = match <[_; 1]>::try_from(files) {
        Ok([(_, text)]) => Action::OpenText(text),
        Err(mut files) => {
            let Some((first, _)) = files.first_mut() else {
                return Err("open takes at least one file".to_owned());
            };
            // A scenario is recognised by its name among other files.
            if !first.ends_with(".planarium.yaml") {
                first.push_str(".planarium.yaml");
            }
            Action::OpenFiles(files)
        }
    };
    Ok(Asked::Act(vec![action]))
}

/// A file format of a run, `journal` without one.
fn export(format: &Value) -> Result<Asked, String> {
    let format = match format.as_str().unwrap_or("journal") {
        "journal" => Format::Journal,
        "csv" => Format::Csv,
        "transcript" => Format::Transcript,
        "tree" => Format::Tree,
        "mermaid" => Format::Mermaid,
        _ => return Err("export takes journal, csv, transcript, tree or mermaid".to_owned()),
    };
    Ok(Asked::Ask(Call::Export(format)))
}

/// A condition, and the longest run in seconds.
fn run_until(condition: &Value, limit: Option<&Value>) -> Result<Asked, String> {
    let condition = condition.as_str().ok_or("runUntil takes a condition: deploy=COMPLETE, idle, t=90s")?;
    let limit = match limit {
        None | Some(Value::Null) => RUN_S,
        Some(limit) => {
            let number = limit.as_f64().filter(|number| *number >= 0.0);
            number.ok_or("the limit of runUntil is a number of seconds")?
        }
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above; the cast saturates"
    )]
    let limit_ms = (limit * 1000.0) as u64;
    Ok(Asked::Ask(Call::RunUntil(condition.to_owned(), limit_ms)))
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
    for Change { path, from, to } in changes(old, new) {
        let cause = cause(&path, old, new);
        let names = [Some(&path.plan), path.phase.as_ref(), path.step.as_ref()];
        let name = names.into_iter().flatten().map(|name| &**name).collect::<Vec<_>>().join("/");
        let detail = json!({ "path": name, "from": from, "to": to, "t": clock.now_ms, "cause": cause });
        browser::tell_parent("statuschange", &detail.to_string());
    }
    if clock.now_ms != old.world.clock.now_ms {
        browser::tell_parent("timeupdate", &json!({ "time": clock.now_ms }).to_string());
    }
    if new.play.playing != old.play.playing {
        browser::tell_parent("playing", &json!({ "playing": new.play.playing }).to_string());
    }
    if let Some(lesson) = lesson(new).filter(|told| lesson(old).as_ref() != Some(told)) {
        browser::tell_parent("lesson", &lesson.to_string());
    }
    if let Some(fork) = fork(old, new) {
        browser::tell_parent("fork", &fork.to_string());
    }
    for (event, detail) in put_in(old, new) {
        browser::tell_parent(event, &detail.to_string());
    }
    if new.checked.revision != old.checked.revision || new.checked.findings != old.checked.findings {
        browser::tell_parent("diagnostics", &diagnostics(new).to_string());
    }
    if (new.at, new.draft.revision, &new.draft.file) != (old.at, old.draft.revision, &old.draft.file)
        || new.draft.loaded != old.draft.loaded
    {
        browser::tell_parent("change", &json!({ "value": new.draft.text() }).to_string());
    }
    if let Some(broken) = new.broken.as_ref().filter(|_| old.broken.is_none()) {
        browser::tell_parent("error", &json!({ "reason": &*broken.reason }).to_string());
    }
    let ended = |state: &State| state.world.clock.idle && state.world.clock.at_head() && state.world.touched;
    if ended(new) && !ended(old) {
        browser::tell_parent("complete", &json!({ "time": clock.now_ms }).to_string());
    }
}

/// Returns the branch that was opened, if one is new in the same world.
fn fork(old: &State, new: &State) -> Option<Value> {
    if old.world.generation != new.world.generation || old.world.branches.is_empty() {
        return None;
    }
    let known = |id| old.world.branches.iter().any(|tab| tab.id == id);
    let tab = new.world.branches.iter().find(|tab| tab.current && !known(tab.id))?;
    Some(json!({ "id": tab.id, "name": &*tab.name, "t": tab.forked_at_ms }))
}

/// Returns the inputs that were applied since, each as `command`, and the failures among them also as `inject`.
fn put_in(old: &State, new: &State) -> Vec<(&'static str, Value)> {
    // An input in the past opens a branch at the moment shown.
    let clock = &old.world.clock;
    let from = if fork(old, new).is_some() { clock.seq } else { clock.head_seq };
    let to = new.world.clock.head_seq;
    if old.world.generation != new.world.generation || from >= to {
        return Vec::new();
    }
    let fresh = new.world.log.from(usize::try_from(from).unwrap_or(usize::MAX));
    let told = fresh.filter_map(|event| match &event.body {
        EventBody::InputApplied { text, .. } => {
            Some(("command", json!({ "text": text.to_string(), "t": event.at_ms })))
        }
        EventBody::FaultInjected { fault, what, text } => {
            let detail =
                json!({ "id": &**fault, "kind": &**what, "text": text.to_string(), "t": event.at_ms });
            Some(("inject", detail))
        }
        _ => None,
    });
    told.collect()
}

/// Returns the findings of the definition in the editor.
fn diagnostics(state: &State) -> Value {
    let findings = state.checked.findings.iter().map(|finding| {
        json!({
            "code": &*finding.code, "severity": finding.severity.word(), "message": &*finding.message, "file": &*finding.file,
            "line": finding.line, "column": finding.column,
        })
    });
    json!({ "findings": findings.collect::<Vec<_>>() })
}

/// Returns the lesson with the verdict over its try; the score counts once there is a verdict.
fn lesson(state: &State) -> Option<Value> {
    let card = state.lesson.as_ref()?;
    let word = match state.attempt.verdict {
        Verdict::Open => return Some(json!({ "id": &*card.id, "state": "open" })),
        Verdict::Passed { .. } => "passed",
        Verdict::Lost { .. } => "lost",
    };
    let score = state.attempt.score;
    let score = json!({
        "commands": score.commands, "time_ms": score.time_ms, "unavailable_ms": score.unavailable_ms,
    });
    Some(json!({ "id": &*card.id, "state": word, "score": score, "stars": state.attempt.stars }))
}

/// A changed status.
struct Change {
    path: ElementPath,
    from: String,
    to: String,
}

/// Returns the elements whose status changed, with the old and the new one. Skips unchanged parts of the view.
fn changes(old: &State, new: &State) -> Vec<Change> {
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
            let mut note = |phase: Option<&Text>, step: Option<&Text>, from: &str, to: &str| {
                if from != to {
                    let path = ElementPath {
                        dialect: service.dialect.clone(),
                        service: service.name.clone(),
                        plan: plan.name.clone(),
                        phase: phase.cloned(),
                        step: step.cloned(),
                    };
                    found.push(Change { path, from: from.to_owned(), to: to.to_owned() });
                }
            };
            note(None, None, &was.status, &plan.status);
            for (phase, was) in plan.phases.iter().zip(&was.phases) {
                note(Some(&phase.name), None, &was.status, &phase.status);
                for (step, was) in phase.steps.iter().zip(&was.steps) {
                    note(Some(&phase.name), Some(&step.name), &was.status, &step.status);
                }
            }
        }
    }
    found
}

/// Returns the event behind a change that came between two states; null on the way back, and where it is not in the log.
fn cause(path: &ElementPath, old: &State, new: &State) -> Value {
    let (log, to) = (&new.world.log, new.world.clock.seq);
    let since = log.count_to(old.world.clock.seq);
    let change = (since..log.count_to(to)).rev().filter_map(|at| log.get(at)).find(
        |event| matches!(&event.body, EventBody::ElementStatus { path: changed, .. } if changed == path),
    );
    let input = |number: u64| {
        let applied =
            |event: &&Event| matches!(event.body, EventBody::InputApplied { input, .. } if input == number);
        log.from(0).filter(|event| event.seq <= to).find(applied)
    };
    let behind = change.and_then(|change| match change.cause {
        Cause::Event(seq) => log.by_seq(seq),
        Cause::Input(number) => input(number),
        Cause::Genesis => None,
    });
    behind.map_or(Value::Null, |event| json!({ "kind": event.body.word(), "text": event.body.sentence() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::lessons::LessonAsk;
    use crate::store::state::Dialog;

    #[test]
    fn a_lesson_is_told_with_its_score_once_there_is_a_verdict() {
        let hub = Hub::new(State::first());
        let begin = crate::store::effects::begin("#lesson=canary", None);
        let link = crate::store::link::Wired::new(&hub);
        hub.connect(std::rc::Rc::new(link), Ask::Begin(Box::new(begin)));
        assert_eq!(lesson(&hub.state()), Some(json!({ "id": "canary", "state": "open" })));
        hub.send(Action::Lesson(LessonAsk::Answer(0, 0)));
        hub.send(Action::SeekMs(120_000));
        let told = lesson(&hub.state()).unwrap_or_default();
        assert_eq!((&told["state"], &told["score"]["commands"]), (&json!("lost"), &json!(0)), "{told}");
        assert_eq!(told["score"]["time_ms"], json!(90_000));
        assert_eq!(lesson(&State::default()), None);
    }

    /// A page on an example, as calls of the document around it reach it.
    fn page_on(example: &str) -> Hub {
        let hub = Hub::new(State::first());
        let begin = crate::store::effects::begin("", Some(example));
        hub.connect(std::rc::Rc::new(crate::store::link::Wired::new(&hub)), Ask::Begin(Box::new(begin)));
        hub
    }

    fn called(hub: &Hub, name: &str, arguments: &Value) -> Called {
        let found = std::rc::Rc::new(std::cell::RefCell::new(None));
        let answer = {
            let found = std::rc::Rc::clone(&found);
            Callback::from(move |called| *found.borrow_mut() = Some(called))
        };
        call(hub, name, arguments.as_array().map(Vec::as_slice).unwrap_or_default(), answer);
        found.take().expect("an answer")
    }

    #[test]
    fn a_run_ends_where_its_condition_holds_and_tells_whether_it_does() {
        let hub = page_on("hello-world");
        let met = called(&hub, "runUntil", &json!(["deploy=COMPLETE"])).expect("a run");
        assert_eq!(met["met"], json!(true));
        assert_eq!(json!(hub.state().world.clock.now_ms), met["now_ms"], "the page shows that instant");
        let more = called(&hub, "runUntil", &json!(["deploy=ERROR", 5])).expect("a run");
        assert_eq!(more["met"], json!(false));
        for bad in [json!([]), json!(["soon"]), json!(["idle", -1]), json!(["idle", "x"])] {
            let refused = called(&hub, "runUntil", &bad).expect_err("it is refused");
            assert_eq!(refused.code, "bad-request", "{bad}");
        }
    }

    #[test]
    fn a_fork_leaves_the_run_on_its_own_branch() {
        let hub = page_on("hello-world");
        hub.send(Action::SeekMs(60_000));
        hub.send(Action::SeekMs(5_000));
        let before = hub.state();
        let opened = called(&hub, "fork", &json!([])).expect("a branch");
        assert_eq!((&opened["forked_at_ms"], &opened["current"]), (&json!(5_000), &json!(true)));
        let after = hub.state();
        assert_eq!(fork(&before, &after).map(|told| told["t"].clone()), Some(json!(5_000)));
        assert_eq!(after.world.clock.head_ms, 5_000);
        let seen = called(&hub, "snapshot", &json!([])).expect("a snapshot");
        let ends: Vec<&Value> =
            seen["branches"].as_array().into_iter().flatten().map(|branch| &branch["head_ms"]).collect();
        assert_eq!(ends, [&json!(60_000), &json!(5_000)]);
    }

    #[test]
    fn a_run_is_exported_in_every_format() {
        let hub = page_on("hello-world");
        hub.send(Action::SeekMs(60_000));
        for (format, begins) in [
            ("csv", "event,ms,time"),
            ("journal", "{"),
            ("mermaid", "gantt\n"),
            ("tree", "deploy"),
            ("transcript", ""),
        ] {
            let file = called(&hub, "export", &json!([format])).expect("a file");
            assert!(
                file["text"].as_str().is_some_and(|text| text.starts_with(begins) && text.len() > 100),
                "{file}"
            );
            assert!(file["name"].as_str().is_some_and(|name| name.starts_with("planarium-")), "{file}");
        }
        assert_eq!(called(&hub, "export", &json!(["pdf"])).expect_err("no such format").code, "bad-request");
    }

    #[test]
    fn commands_and_failures_are_told_in_the_past_too() {
        let hub = page_on("hello-world");
        hub.send(Action::SeekMs(60_000));
        for at_ms in [60_000, 5_000] {
            hub.send(Action::SeekMs(at_ms));
            let before = hub.state();
            let lost = json!([{ "kind": "agent-lost", "target": { "agent": "agent-1" } }]);
            called(&hub, "inject", &lost).expect("a failure");
            let told = put_in(&before, &hub.state());
            let words: Vec<&str> = told.iter().map(|(event, _)| *event).collect();
            assert_eq!(words, ["command", "inject"], "{at_ms}: {told:?}");
            assert!(told.iter().all(|(_, detail)| detail["t"] == json!(at_ms)), "{told:?}");
            assert_eq!(told[1].1["kind"], json!("agent-lost"));
        }
    }

    #[test]
    fn a_status_that_changes_is_told_with_its_cause() {
        let hub = page_on("hello-world");
        hub.send(Action::SeekMs(0));
        let before = hub.state();
        hub.send(Action::SeekMs(60_000));
        let after = hub.state();
        let found = changes(&before, &after);
        let step = found.iter().find(|change| change.path.step.is_some()).expect("a step");
        let told = cause(&step.path, &before, &after);
        assert!(told["text"].as_str().is_some_and(|text| !text.is_empty()), "{told}");
        assert!(told["kind"].is_string(), "{told}");
        assert_eq!(cause(&step.path, &after, &before), Value::Null, "nothing causes a step back");
    }

    #[test]
    fn files_are_opened_with_the_scenario_that_names_them() {
        let hub = page_on("hello-world");
        let definition = "name: own\npods:\n  own:\n    count: 1\n    tasks:\n      server: {goal: RUNNING, cmd: ./x, cpus: 0.1, memory: 32}\n";
        called(&hub, "open", &json!([[["own.yml", definition]]])).expect("a definition");
        assert_eq!(
            hub.state().world.view.services.first().map(|it| it.name.to_string()).as_deref(),
            Some("own")
        );
        let scenario = "version: 1\ncluster: small\nservices:\n  - files: [own.yml]\n";
        called(&hub, "open", &json!([[["faults.yaml", scenario], ["own.yml", definition]]]))
            .expect("a scenario");
        assert_eq!(hub.state().world.view.cluster.machines.len(), 3, "{:?}", hub.state().ui.toasts);
        for bad in [json!([]), json!([[]]), json!([["x"]]), json!([7])] {
            assert_eq!(called(&hub, "open", &bad).expect_err("it is refused").code, "bad-request", "{bad}");
        }
    }

    #[test]
    fn findings_of_an_edited_text_are_told_with_their_lines() {
        let hub = page_on("hello-world");
        called(&hub, "value", &json!(["name: x\npods: 3\n"])).expect("a text");
        hub.send(Action::Check);
        let told = diagnostics(&hub.state());
        let first = &told["findings"][0];
        assert_eq!((&first["severity"], &first["line"]), (&json!("error"), &json!(2)), "{told}");
    }

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
