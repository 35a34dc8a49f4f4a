//! `/skopos/v1/...`: paths, bodies, shapes.
//!
//! *Knows*: the input of each request, and the form of answers. *Must not know*: how commands are carried out.
//!
//! The prefix and its shapes are ours. The states are those of the real API, which has
//! `/api/v1/applications/NAME/deployment`.
//!
//! | Request | Does |
//! |---|---|
//! | `GET /skopos/v1` | names and states of all applications |
//! | `GET /skopos/v1/NAME` | state, steps, trace, instances, log |
//! | `PUT /skopos/v1/NAME` | loads or updates it from `files`, `options`, `env`; `findings` in the answer say what was found in them |
//! | `DELETE /skopos/v1/NAME` | takes it down (`?force=true`: drops it) |
//! | `POST /skopos/v1/NAME/start`, `pause`, `resume`, `step`, `abandon`, `reset` | the command |
//! | `POST /skopos/v1/NAME/gates/STEP` | `{"result": "pass"}` or `"fail"` |
//! | `POST /skopos/v1/NAME/gate-pass`, `gate-fail` | answers the open gate |
//! | `GET`, `PUT /skopos/v1/NAME/plan` | the plan as text; brings another one |
//! | `GET /skopos/v1/NAME/deployment`, `log`, `instances`, `drawing` | parts of it |

use crate::application::App;
use crate::commands::Command;
use crate::daemon::{Daemon, Member};
use crate::definition::{Loaded, load_beside};
use crate::instances::{Instance, InstanceState, Slot};
use crate::plan::{Step, StepId};
use crate::run::log::verdict;
use crate::run::{Reason, Record, Trace};
use crate::{DIALECT, views};
use planarium_part::routes::{Captures, Route, find};
use planarium_part::{Request, Response, Wire, outcome};
use planarium_protocol::input::{HttpCall, Input, LoadService, RemoveService};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Refusal, json};
use planarium_source::{Diagnostic, SourceFile};
use serde_json::Value;
use std::sync::Arc;

/// Returns whether a path is one of this API's.
pub(crate) fn owns(parts: &[&str]) -> bool {
    matches!(parts, ["skopos", ..])
}

/// Answers a request if there is no application.
pub(crate) fn nobody(request: &Request, parts: &[&str]) -> Response {
    match (request.method.as_str(), parts) {
        ("GET" | "HEAD", ["skopos", "v1"]) => Response::json(200, &json!({ "applications": [] })),
        (_, ["skopos", "v1", name, ..]) => problem(404, &format!("there is no application '{name}'")),
        _ => problem(404, "paths begin with /skopos/v1"),
    }
}

/// Returns the readable paths of an application.
pub(crate) fn links(service: &ServiceView) -> Vec<(String, &'static str)> {
    let base = format!("/skopos/v1/{}", views::encoded(&service.name));
    [
        ("", "the application"),
        ("/deployment", "the state of its deployment"),
        ("/plan", "its plan"),
        ("/log", "its log"),
    ]
    .map(|(path, what)| (format!("{base}{path}"), what))
    .to_vec()
}

/// An error in the API's shape.
pub(crate) fn problem(status: u16, message: &str) -> Response {
    Response::json(status, &json!({ "error": message }))
}

fn refused(refusal: &Refusal) -> Response {
    Response::json(refusal.status, refusal.body.as_ref().unwrap_or(&json!({ "error": refusal.message })))
}

/// A refusal whose body has the API's shape.
pub(crate) fn shaped(refusal: Refusal) -> Refusal {
    let body = refusal.body.unwrap_or_else(|| json!({ "error": refusal.message }));
    Refusal { body: Some(body), ..refusal }
}

impl Daemon {
    /// Answers a request.
    pub(crate) fn answer_request(&self, request: &Request, parts: &[&str]) -> Wire {
        let ["skopos", "v1", rest @ ..] = parts else {
            return match parts {
                ["skopos", ..] => Wire::Answer(problem(404, "paths begin with /skopos/v1")),
                _ => Wire::NotMine,
            };
        };
        let reads = matches!(request.method.as_str(), "GET" | "HEAD");
        let [name, rest @ ..] = rest else {
            return Wire::Answer(if reads {
                Response::json(200, &self.list())
            } else {
                Response::wrong_method("GET")
            });
        };
        let member = self.find(name);
        // A POST to the application itself loads it, too.
        let method = if rest.is_empty() && request.method == "POST" { "PUT" } else { &*request.method };
        let found = find(ROUTES, rest);
        let meaning = found.as_ref().map(|found| found.by(method));
        match (meaning, member) {
            (Some(Ok(Meaning::Load)), member) => put(name, member, request),
            (_, None) => Wire::Answer(problem(404, &format!("there is no application '{name}'"))),
            (Some(Ok(Meaning::Read(read))), Some(member)) => Wire::Answer(read(&member.app, request)),
            (Some(Ok(Meaning::Delete)), Some(_)) => delete(name, request),
            (Some(Ok(Meaning::LoadPlan)), Some(member)) => put_plan(member, request),
            (Some(Ok(Meaning::Command(_))), Some(_)) => Wire::call(request),
            (Some(Err(allowed)), Some(_)) => Wire::Answer(Response::wrong_method(&allowed)),
            (None, Some(_)) => Wire::Answer(problem(404, "there is no such path below the application")),
        }
    }

    fn list(&self) -> Value {
        let one = |member: &Member| json!({ "name": member.app.blueprint.name(), "state": member.app.run.mode.word() });
        json!({ "applications": self.members().map(one).collect::<Vec<_>>() })
    }
}

/// Loads or updates an application.
fn put(name: &str, member: Option<&Member>, request: &Request) -> Wire {
    let wrong = |text: &str| Wire::Answer(problem(400, text));
    let body = match json::body(&request.body) {
        Ok(Value::Object(body)) => body,
        Ok(_) => return wrong("the body must be an object with 'files'"),
        Err(error) => return wrong(&format!("the body is not JSON: {error}")),
    };
    let mut fields = serde_json::Map::new();
    for (key, value) in body {
        match key.as_str() {
            "files" | "options" | "env" => {
                fields.insert(key, value);
            }
            _ => return wrong(&format!("there is no field '{key}': write files, options, env")),
        }
    }
    fields.insert("dialect".to_owned(), DIALECT.into());
    fields.insert("name".to_owned(), name.into());
    let load: LoadService = match json::from(Value::Object(fields)) {
        Ok(load) => load,
        Err(error) => return wrong(&error.to_string()),
    };
    loading(load, member)
}

/// Loads or updates an application; the answer contains the findings in its files.
fn loading(load: LoadService, member: Option<&Member>) -> Wire {
    let runs = |name: &str| {
        member.is_some_and(|member| {
            let component = member.app.blueprint.component_id(name);
            component.and_then(|component| member.app.instances.any_running(component)).is_some()
        })
    };
    let found = findings(&load_beside(&load, &runs));
    let update = member.is_some();
    let told = move |body: Value| match body {
        Value::Object(mut fields) => {
            fields.insert("findings".to_owned(), found);
            Value::Object(fields)
        }
        other => other,
    };
    let reply = |outcome: Result<Value, Refusal>| match outcome {
        Ok(answer) => Response::json(200, &told(answer)),
        Err(refusal) => {
            let body = refusal.body.unwrap_or_else(|| json!({ "error": refusal.message }));
            Response::json(refusal.status, &told(body))
        }
    };
    let input = if update { Input::UpdateService(load) } else { Input::LoadService(load) };
    Wire::Change(Box::new(input), Box::new(reply))
}

/// Returns the findings in files, each with its position.
fn findings(loaded: &Loaded) -> Value {
    let one = |finding: &Diagnostic| {
        let span = finding.span;
        let at = loaded.sources.position(span);
        json!({
            "file": loaded.sources.get(span.file).map_or("", SourceFile::name),
            "line": at.line,
            "column": at.column,
            "severity": finding.severity.word(),
            "code": &*finding.code,
            "message": finding.message,
            "help": finding.help,
        })
    };
    Value::Array(loaded.findings().iter().map(one).collect())
}

fn delete(name: &str, request: &Request) -> Wire {
    let force = request.param("force").is_some_and(|value| value != "false");
    changed(Input::RemoveService(RemoveService { dialect: DIALECT.to_owned(), name: name.to_owned(), force }))
}

fn changed(input: Input) -> Wire {
    let reply = |outcome: Result<Value, Refusal>| match outcome {
        Ok(answer) => Response::json(200, &answer),
        Err(refusal) => refused(&refusal),
    };
    Wire::Change(Box::new(input), Box::new(reply))
}

/// The meaning of a path below an application.
#[derive(Clone, Copy)]
enum Meaning {
    Read(fn(&App, &Request) -> Response),
    Load,
    Delete,
    LoadPlan,
    Command(fn(&Fields<'_>, &Captures<'_>) -> Result<Command, Refusal>),
}

const fn read(pattern: &'static str, answer: fn(&App, &Request) -> Response) -> Route<Meaning> {
    Route::new("GET", pattern, Meaning::Read(answer))
}

const fn command_at(
    pattern: &'static str,
    make: fn(&Fields<'_>, &Captures<'_>) -> Result<Command, Refusal>,
) -> Route<Meaning> {
    Route::new("POST", pattern, Meaning::Command(make))
}

/// Every path below an application.
const ROUTES: &[Route<Meaning>] = &[
    read("", |app, _| Response::json(200, &state(app))),
    Route::new("PUT", "", Meaning::Load),
    Route::new("DELETE", "", Meaning::Delete),
    read("plan", read_plan),
    Route::new("PUT", "plan", Meaning::LoadPlan),
    read("deployment", |app, _| Response::json(200, &deployment(app))),
    read("log", |app, request| {
        let since = request.param("since").and_then(|since| since.parse::<usize>().ok()).unwrap_or(0);
        Response::json(200, &json!({ "log": log(app, since) }))
    }),
    read("instances", |app, _| Response::json(200, &json!({ "instances": instances(app) }))),
    read("drawing", |app, _| Response::json(200, &views::drawing(app))),
    command_at("start", |fields, _| {
        let paused = fields.flag("paused").unwrap_or(false);
        Ok(Command::Start { paused, interactive: fields.flag("interactive") })
    }),
    command_at("pause", |_, _| Ok(Command::Pause)),
    command_at("resume", |_, _| Ok(Command::Resume)),
    command_at("step", |_, _| Ok(Command::Step)),
    command_at("abandon", |_, _| Ok(Command::Abandon)),
    command_at("reset|replan", |_, _| Ok(Command::Reset)),
    command_at("gate-pass", |fields, _| Ok(Command::Gate { step: fields.text("step"), passed: true })),
    command_at("gate-fail", |fields, _| Ok(Command::Gate { step: fields.text("step"), passed: false })),
    command_at("gates/{step}", |fields, at| {
        let passed = match fields.text("result").as_deref() {
            Some("pass") => true,
            Some("fail") => false,
            Some(other) => return Err(bad(&format!("the result is pass or fail, not '{other}'"))),
            None => return Err(bad("the body must be {\"result\": \"pass\"} or {\"result\": \"fail\"}")),
        };
        Ok(Command::Gate { step: Some(at.text("step")), passed })
    }),
];

fn read_plan(app: &App, request: &Request) -> Response {
    if request.header("accept").is_some_and(|accept| accept.contains("json")) {
        return Response::json(
            200,
            &json!({ "generated": app.prepared.generated, "plan": app.prepared.text }),
        );
    }
    if !app.run.has_plan() {
        return Response::empty(204);
    }
    let response = Response::text(200, app.prepared.text.to_string());
    Response { content_type: "application/yaml;charset=utf-8", ..response }
}

/// Brings another plan.
fn put_plan(member: &Member, request: &Request) -> Wire {
    let Ok(text) = std::str::from_utf8(&request.body) else {
        return Wire::Answer(problem(400, "the plan is not text"));
    };
    let mut load = LoadService::clone(&member.load);
    let path = member.app.blueprint.definition.plan_path.as_deref().unwrap_or("plan.yaml");
    load.files.insert(path.to_owned(), text.to_owned());
    load.name = member.app.blueprint.name().to_string();
    loading(load, Some(member))
}

fn bad(text: &str) -> Refusal {
    Refusal::new(RefusalCode::BadRequest, text)
}

/// The fields of a call: those of its body before those of its query.
struct Fields<'c> {
    body: &'c Value,
    query: Request,
}

impl Fields<'_> {
    fn flag(&self, key: &str) -> Option<bool> {
        let own = self.body.get(key).and_then(Value::as_bool);
        own.or_else(|| Some(self.query.param(key)? != "false"))
    }

    fn text(&self, key: &str) -> Option<String> {
        let own = self.body.get(key).and_then(Value::as_str).map(str::to_owned);
        own.or_else(|| self.query.param(key))
    }
}

/// The command of a journaled call; `None` if the path is not a command.
pub(crate) fn command(call: &HttpCall, rest: &[&str]) -> Option<Result<Command, Refusal>> {
    if !(call.body.is_null() || call.body.is_object() || call.body.as_str() == Some("")) {
        return Some(Err(bad("the body must be an object")));
    }
    let found = find(ROUTES, rest)?;
    let Meaning::Command(make) = found.meaning() else { return None };
    let query = call.path.split_once('?').map_or("", |(_, query)| query).to_owned();
    let fields = Fields { body: &call.body, query: Request { query, ..Request::default() } };
    Some(make(&fields, &found.captures))
}

/// Returns the answer of a command.
pub(crate) fn answer(app: &App) -> Value {
    outcome(200, &[], brief(app))
}

/// An application in a few words.
pub(crate) fn brief(app: &App) -> Value {
    json!({
        "name": app.blueprint.name(),
        "state": app.run.mode.word(),
        "display_state": views::line(&app.run),
        "result": app.run.passed.map(verdict),
    })
}

/// All of an application.
pub(crate) fn state(app: &App) -> Value {
    let run = &app.run;
    let name = |id: StepId| app.run.plan.step(id).map(|step| step.id.clone());
    let steps = app.run.plan.steps().map(|(id, step)| step_state(app, id, step));
    let held = run.hold.map(|hold| {
        json!({
            "step": hold.at.and_then(|(id, _)| name(id)),
            "exit": hold.at.map(|(_, passed)| verdict(passed)),
            "reason": hold.reason.words(),
        })
    });
    let gate = run.open_gate().map(|step| {
        let message =
            app.run.plan.find(step).and_then(|id| app.run.plan.step(id)).and_then(|step| match &step.class {
                crate::plan::Class::Gate { message } => Some(message.clone()),
                _ => None,
            });
        json!({ "step": step, "message": message })
    });
    json!({
        "name": app.blueprint.name(),
        "mode": if app.blueprint.definition.options.teardown { "teardown" } else { "deploy" },
        "state": run.mode.word(),
        "display_state": views::line(&app.run),
        "result": run.passed.map(verdict),
        "reason": run.reason.as_ref().map(Reason::word),
        "pause_requested": run.pause_requested,
        "interactive": run.interactive,
        "gate": gate,
        "held": held,
        "path": views::path(&app.run),
        "generated": app.prepared.generated,
        "steps": steps.collect::<Vec<_>>(),
        "trace": run.trace.iter().map(|trace| traced(app, trace)).collect::<Vec<_>>(),
        "instances": instances(app),
        "log": log(app, 0),
    })
}

fn step_state(app: &App, id: StepId, step: &Step) -> Value {
    let own = app.run.step(id);
    json!({
        "id": step.id,
        "label": step.label,
        "class": step.class.word(),
        "state": own.map(|own| own.shown.word()),
        "result": own.and_then(|own| own.result).map(verdict),
        "entries": own.map_or(0, |own| own.entries),
        "note": own.and_then(|own| own.note.clone()),
    })
}

fn traced(app: &App, trace: &Trace) -> Value {
    json!({
        "at_ms": trace.at.ms(),
        "step": app.run.plan.step(trace.step).map(|step| step.id.clone()),
        "index": trace.index,
        "result": verdict(trace.passed),
    })
}

fn instances(app: &App) -> Value {
    let one = |(slot, instance): (Slot, &Arc<Instance>)| {
        json!({
            "id": instance.id,
            "component": app.blueprint.component_name(slot.component),
            "group": slot.group.word(),
            "index": slot.index,
            "image": instance.image,
            "version": instance.version(),
            "state": instance.state.word(),
            "ip": instance.ip,
            "lb": instance.balancers.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(),
            "sd": !instance.hidden && instance.state == InstanceState::Running,
            "created_at_ms": instance.created.ms(),
        })
    };
    Value::Array(app.instances.iter().map(one).collect())
}

fn log(app: &App, since: usize) -> Value {
    let one = |(at, record): (usize, &Record)| {
        json!({
            "seq": at.saturating_add(1) as u64,
            "at_ms": record.at.ms(),
            "level": record.kind.level().word(),
            "kind": record.kind.word(),
            "step": record.step.and_then(|id| app.run.plan.step(id)).map(|step| step.id.clone()),
            "index": record.index,
            "message": record.text(&app.run.plan),
            "origin": record.kind.origin().word(),
        })
    };
    Value::Array(app.run.log.iter().enumerate().skip(since).map(one).collect())
}

/// The deployment as the real API words it.
fn deployment(app: &App) -> Value {
    let view = views::view(app, &|machine| app.hosts.get(machine));
    let progress = view.plans.first().map_or((0, 0), |plan| (plan.progress.done, plan.progress.total));
    let percent = if progress.1 == 0 { 100 } else { u64::from(progress.0) * 100 / u64::from(progress.1) };
    json!({
        "docver": app.touched,
        "deploystate": { "state": app.run.mode.word(), "display_state": views::line(&app.run), "progress": percent },
    })
}

/// The path of an application's API.
pub(crate) fn base(name: &str) -> String {
    format!("/skopos/v1/{}", views::encoded(name))
}
