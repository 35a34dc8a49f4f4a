//! `/sim`: the simulator's own API.

use crate::problem::{problem, refused};
use crate::{Request, Response, Session, left_out, pieces};
use planarium_part::routes::{Captures, Route, find};
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{AddAgent, ClearFault, Fault, LoadService, RemoveAgent, RemoveService};
use planarium_protocol::json;
use planarium_protocol::view::{Applied, ServiceView, View};
use planarium_scenario::find_element;
use planarium_source::render::json::flat;
use planarium_world::limits::Bound;
use planarium_world::{Advanced, Condition, Engine, Journal};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// A request below `/sim`.
struct Asked<'a> {
    request: &'a Request,
    captures: Captures<'a>,
    is_over: &'a dyn Fn() -> bool,
}

/// Answers a request.
type Handler = fn(&mut Session, &Asked<'_>) -> Response;

const fn route_to(methods: &'static str, pattern: &'static str, handler: Handler) -> Route<Handler> {
    Route::new(methods, pattern, handler)
}

/// The journal, which is returned completely or not at all.
pub(super) const JOURNAL: &str = "journal";

/// Every path below `/sim`.
const ROUTES: &[Route<Handler>] = &[
    route_to("GET", "", |session, _| Response::json(200, &session.engine.clock_json())),
    route_to("POST", "advance", |session, asked| {
        body(asked.request).map_or_else(|r| r, |advance| advance_by(session, &advance, asked.is_over))
    }),
    route_to("POST", "inputs", |session, asked| inputs(session, asked.request)),
    route_to("GET", "events", |session, asked| events(session, asked.request)),
    route_to("GET", "view", |session, _| left_out::view(&session.engine.view())),
    route_to("GET", JOURNAL, |session, _| Response::json(200, &session.engine.journal())),
    route_to("PUT", JOURNAL, |session, asked| {
        body(asked.request).map_or_else(|r| r, |journal| replace(session, &journal))
    }),
    route_to("PUT", "scenario", |session, asked| scenario(session, asked.request)),
    route_to("POST", "seek", |session, asked| {
        body(asked.request).map_or_else(|r| r, |seek| seek_to(session, &seek))
    }),
    route_to("POST", "services", |session, asked| {
        apply_body::<LoadService>(session, asked.request, Input::LoadService)
    }),
    route_to("GET", "services/{name...}", |session, asked| {
        definition(session, &asked.captures.joined("name"))
    }),
    route_to("PUT", "services/{name...}", |session, asked| {
        update(session, asked.request, &asked.captures.joined("name"))
    }),
    route_to("DELETE", "services/{name...}", |session, asked| {
        let force = asked.request.param("force").is_some_and(|value| value != "false");
        let name = asked.captures.joined("name");
        applied(session, Input::RemoveService(RemoveService { dialect: String::new(), name, force }))
    }),
    route_to("POST", "agents", |session, asked| {
        apply_body::<AddAgent>(session, asked.request, Input::AddAgent)
    }),
    route_to("DELETE", "agents/{agent}", |session, asked| {
        applied(session, Input::RemoveAgent(RemoveAgent { agent: asked.captures.text("agent") }))
    }),
    route_to("POST", "faults", |session, asked| apply_body::<Fault>(session, asked.request, Input::Fault)),
    route_to("DELETE", "faults/{id}", |session, asked| {
        applied(session, Input::ClearFault(ClearFault { id: asked.captures.text("id") }))
    }),
    route_to("GET", "why", |session, asked| why(session, asked.request)),
    route_to("GET", "config-file", |session, asked| config_file(session, asked.request)),
    route_to("GET", "branches", |session, _| Response::json(200, &session.engine.branches())),
    route_to("POST", "branches/{id}", |session, asked| {
        let id = asked.captures.one("id");
        match id.parse().ok().filter(|id| session.engine.switch_branch(*id)) {
            Some(_) => Response::json(200, &session.engine.clock_json()),
            None => problem(404, "no such branch", &format!("there is no branch {id}")),
        }
    }),
];

/// Answers below `/sim`.
pub(crate) fn route(
    session: &mut Session,
    request: &Request,
    rest: &[&str],
    is_over: &dyn Fn() -> bool,
) -> Response {
    let path = rest.join("/");
    let Some(found) = find(ROUTES, rest) else {
        return problem(404, "no such path", &format!("there is no /sim/{path}"));
    };
    // Of the reads, only that of the clock is answered without a body.
    let is_headless = request.method == "HEAD" && !rest.is_empty();
    match found.by(&request.method) {
        Ok(handler) if !is_headless => {
            handler(session, &Asked { request, captures: found.captures, is_over })
        }
        _ => {
            let text = format!("{} is not for /sim/{path}", request.method);
            let mut response = problem(405, "wrong method", &text);
            response.headers.push(("allow".into(), found.allowed()));
            response
        }
    }
}

trait ClockJson {
    fn clock_json(&self) -> Value;
}

impl ClockJson for Engine {
    fn clock_json(&self) -> Value {
        json!({
            "now_ms": self.now_ms(),
            "seed": self.seed(),
            "idle": self.idle(),
            "next_event_ms": self.next_event_ms(),
            "seq": self.seq(),
            "digest": self.digest(),
            "epoch_ms": self.epoch_ms(),
            "head_ms": self.head_ms(),
            "head_seq": self.head_seq(),
        })
    }
}

/// The body; an empty one is an empty object.
fn bytes(request: &Request) -> &[u8] {
    if request.body.iter().all(u8::is_ascii_whitespace) { b"{}" } else { &request.body }
}

/// The body as `T`.
fn body<T: DeserializeOwned>(request: &Request) -> Result<T, Response> {
    json::read(bytes(request)).map_err(|error| problem(400, "the body cannot be read", &error.to_string()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Advance {
    for_ms: Option<u64>,
    to_ms: Option<u64>,
    until: Option<String>,
    limit_ms: Option<u64>,
    events: Option<u64>,
}

/// Default limit of `until`. *Units*: milliseconds.
const UNTIL_LIMIT_MS: u64 = 24 * 3_600_000;

/// The end of an advance.
enum Goal {
    /// An instant.
    At(u64),
    /// The number of an event.
    Event(u64),
    /// A condition, and the instant at which it is given up.
    When(Condition, u64),
}

fn advance_by(session: &mut Session, advance: &Advance, is_over: &dyn Fn() -> bool) -> Response {
    let from = session.engine.seq();
    let now = session.engine.now_ms();
    let goal = match advance {
        Advance { for_ms: Some(ms), to_ms: None, until: None, events: None, .. } => {
            Goal::At(now.saturating_add(*ms))
        }
        Advance { to_ms: Some(ms), for_ms: None, until: None, events: None, .. } => Goal::At(*ms),
        Advance { events: Some(n), for_ms: None, to_ms: None, until: None, .. } => {
            Goal::Event(from.saturating_add(*n))
        }
        Advance { until: Some(text), for_ms: None, to_ms: None, events: None, limit_ms } => {
            match Condition::parse(text) {
                Ok(condition) => {
                    Goal::When(condition, now.saturating_add(limit_ms.unwrap_or(UNTIL_LIMIT_MS)))
                }
                Err(error) => return problem(400, "`until` cannot be read", &error.to_string()),
            }
        }
        _ => {
            return problem(
                400,
                "how far?",
                "give exactly one of for_ms, to_ms, events, until (with limit_ms), e.g. {\"for_ms\":1000}",
            );
        }
    };
    let mut last = None;
    let late = pieces::run(session, is_over, |session| {
        let done = piece(session, &goal);
        let cut_off = done.limit == Some(Bound::Steps);
        last = Some(done);
        cut_off
    });
    let Some(done) = last else { return problem(400, "how far?", "there is nothing to do") };
    let limit = if late { Some(Bound::AnswerTime) } else { done.limit };
    let events = session.engine.seq().saturating_sub(from);
    let mut value = session.engine.clock_json();
    if let Some(map) = value.as_object_mut() {
        map.insert("events".to_owned(), events.into());
        map.insert("limit_reached".to_owned(), done.limit_reached.into());
        map.insert("met".to_owned(), done.met.into());
        if let Some(limit) = limit {
            map.insert("limit".to_owned(), json!({ "bound": limit, "text": limit.text() }));
        }
    }
    Response::json(200, &value)
}

/// One piece of the way to a goal.
fn piece(session: &mut Session, goal: &Goal) -> Advanced {
    match goal {
        Goal::At(ms) => advance_plain(session, *ms),
        Goal::Event(seq) => {
            let left = seq.saturating_sub(session.engine.seq());
            session.engine.advance_events(left)
        }
        Goal::When(condition, end) => {
            let left = end.saturating_sub(session.engine.now_ms());
            session.engine.run_until(condition, left)
        }
    }
}

fn advance_plain(session: &mut Session, to_ms: u64) -> Advanced {
    if session.player.as_ref().is_some_and(|player| !player.done()) {
        session.advance_to(to_ms);
        let engine = &session.engine;
        let met = engine.now_ms() >= to_ms && !engine.was_cut_off();
        let limit = if engine.was_cut_off() { Some(Bound::Steps) } else { None };
        return Advanced {
            now_ms: engine.now_ms(),
            events: 0,
            idle: engine.idle(),
            limit_reached: !met,
            limit,
            met,
        };
    }
    session.engine.advance_to(to_ms)
}

fn shaped(applied: &Applied) -> Value {
    match &applied.outcome {
        Ok(reply) => {
            json!({ "input": applied.input, "accepted": true, "reply": reply, "diagnostics": applied.diagnostics })
        }
        Err(refusal) => {
            json!({ "input": applied.input, "accepted": false, "refusal": refusal, "diagnostics": applied.diagnostics })
        }
    }
}

fn applied(session: &mut Session, input: Input) -> Response {
    let applied = session.engine.apply(input);
    match &applied.outcome {
        Ok(_) => Response::json(200, &shaped(&applied)),
        Err(refusal) => refused(refusal, &applied.diagnostics),
    }
}

fn apply_body<T: DeserializeOwned>(
    session: &mut Session,
    request: &Request,
    make: fn(T) -> Input,
) -> Response {
    body(request).map_or_else(|r| r, |value| applied(session, make(value)))
}

fn inputs(session: &mut Session, request: &Request) -> Response {
    let value: Value = match body(request) {
        Ok(value) => value,
        Err(response) => return response,
    };
    let Value::Array(items) = value else {
        return match json::read(bytes(request)) {
            Ok(input) => applied(session, input),
            Err(error) => problem(400, "the input cannot be read", &error.to_string()),
        };
    };
    let mut read = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        match json::item::<Input>(item, &request.body, index) {
            Ok(input) => read.push(input),
            Err(error) => {
                return problem(
                    400,
                    "an input cannot be read",
                    &format!("input {index}: {error}; none was applied"),
                );
            }
        }
    }
    let results: Vec<Value> = read.into_iter().map(|input| shaped(&session.engine.apply(input))).collect();
    Response::json(200, &results)
}

fn events(session: &Session, request: &Request) -> Response {
    let since = match request.param("since").as_deref() {
        None | Some("") => 0,
        Some(text) => match text.parse() {
            Ok(since) => since,
            Err(_) => return problem(400, "`since` is a sequence number", &format!("`{text}` is not")),
        },
    };
    left_out::events(session.engine.events_since(since))
}

fn replace(session: &mut Session, journal: &Journal) -> Response {
    match Engine::open(journal) {
        Ok((engine, difference)) => {
            session.replace(Session::over(engine, None));
            let mut value = session.engine.clock_json();
            if let (Some(map), Some(difference)) = (value.as_object_mut(), difference) {
                let mut shown = json::of(&difference);
                if let Some(shown) = shown.as_object_mut() {
                    shown.insert("text".to_owned(), difference.to_string().into());
                }
                map.insert("difference".to_owned(), shown);
            }
            Response::json(200, &value)
        }
        Err(error) => problem(422, "the journal does not replay", &error.to_string()),
    }
}

fn scenario(session: &mut Session, request: &Request) -> Response {
    let Ok(text) = std::str::from_utf8(&request.body) else {
        return problem(400, "the body cannot be read", "it is not UTF-8");
    };
    let read = planarium_scenario::parse(text, "scenario", &|_| None);
    let diagnostics: Vec<Value> = read
        .diagnostics
        .iter()
        .map(|finding| serde_json::to_value(flat(finding, &read.sources)).unwrap_or_default())
        .collect();
    let Some(scenario) = read.scenario else {
        let mut response = Response::json(
            422,
            &json!({ "type": "about:blank", "title": "the scenario has errors", "status": 422,
                     "detail": read.diagnostics.first().map(|d| d.message.as_str()).unwrap_or_default(), "diagnostics": diagnostics }),
        );
        response.content_type = "application/problem+json";
        return response;
    };
    let mut next = Session::of_scenario(scenario);
    // A world that could not be set up does not replace the running one.
    for note in next.player.as_mut().map(planarium_scenario::Player::take_notes).unwrap_or_default() {
        if let planarium_scenario::NoteKind::Did(_, applied) = note.kind
            && let Err(refusal) = &applied.outcome
        {
            return refused(refusal, &applied.diagnostics);
        }
    }
    // Work due at time zero is done.
    next.advance_to(0);
    session.replace(next);
    let mut value = session.engine.clock_json();
    if let Some(map) = value.as_object_mut() {
        map.insert("diagnostics".to_owned(), diagnostics.into());
    }
    Response::json(200, &value)
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Seek {
    at_ms: Option<u64>,
    seq: Option<u64>,
}

fn seek_to(session: &mut Session, seek: &Seek) -> Response {
    match seek {
        Seek { at_ms: Some(ms), seq: None } => session.engine.seek_ms(*ms),
        Seek { at_ms: None, seq: Some(seq) } => session.engine.seek_seq(*seq),
        _ => return problem(400, "where to?", "give exactly one of at_ms and seq, e.g. {\"at_ms\":1000}"),
    }
    Response::json(200, &session.engine.clock_json())
}

/// Returns the definition that a service was installed with.
fn definition(session: &Session, name: &str) -> Response {
    match session.engine.definition("", name) {
        Some(load) => Response::json(200, &**load),
        None => problem(404, "no such service", &format!("there is no service {name}")),
    }
}

/// Another definition for a service. Without files it keeps its own: the environment that is given goes over the one it has,
/// and so `{"env": {"SDK_UNINSTALL": "true"}}` alone uninstalls it.
fn update(session: &mut Session, request: &Request, name: &str) -> Response {
    body::<LoadService>(request).map_or_else(
        |r| r,
        |mut load| {
            if load.files.is_empty()
                && let Some(own) = session.engine.definition(&load.dialect, name)
            {
                let given = std::mem::replace(&mut load, (**own).clone());
                load.env.extend(given.env);
                load.params.extend(given.params);
                if !given.options.is_null() {
                    load.options = given.options;
                }
            }
            name.clone_into(&mut load.name);
            applied(session, Input::UpdateService(load))
        },
    )
}

/// A config file as it lies in a task's sandbox.
fn config_file(session: &Session, request: &Request) -> Response {
    let part = |key| request.param(key).filter(|value| !value.is_empty());
    let (Some(task), Some(config)) = (part("task"), part("config")) else {
        return problem(400, "which file?", "give task= and config=, and service= as needed");
    };
    let service = part("service").unwrap_or_default();
    match session.engine.world().rendered_file(&service, &task, &config) {
        None => problem(404, "no such file", &format!("no service has a task {task} with a config {config}")),
        Some(Ok((status, Value::String(text)))) => Response::text(status, text),
        Some(Ok((status, value))) => Response::json(status, &value),
        Some(Err(refusal)) => refused(&refusal, &[]),
    }
}

fn why(session: &Session, request: &Request) -> Response {
    let engine = &session.engine;
    let part = |key| request.param(key).filter(|value| !value.is_empty());
    let view = engine.view();
    if let Some(agent) = part("agent") {
        return match engine.world().why_machine(&agent) {
            Some(why) => Response::json(200, &why),
            None => {
                let names = view.cluster.machines.iter().map(|machine| machine.hostname.to_string());
                let known = there_are(names, "there are no machines");
                problem(404, "no such machine", &format!("there is no machine or agent {agent}; {known}"))
            }
        };
    }
    if let Some(app) = part("app").or_else(|| part("plan").filter(|plan| plan.starts_with('/'))) {
        return match of_id(&view, &app).and_then(|path| engine.why(&path)) {
            Some(why) => Response::json(200, &why),
            None => {
                let known = there_are(ids(&view), "there are no apps");
                problem(404, "no such element", &format!("nothing has the id {app}; {known}"))
            }
        };
    }
    let Some(plan) = part("plan") else {
        return problem(
            400,
            "of what?",
            "give agent=, app=, or plan=, and phase=, step=, service= as needed",
        );
    };
    let plans = || {
        let all =
            view.services.iter().flat_map(|service| service.plans.iter().map(move |plan| (service, plan)));
        there_are(
            all.map(|(service, plan)| format!("{} of {}", plan.name, service.name)),
            "there are no plans",
        )
    };
    let service = match part("service") {
        Some(service) => service,
        None => match view.services.iter().find(|service| service.plans.iter().any(|p| *p.name == *plan)) {
            Some(service) => service.name.to_string(),
            None => {
                let text = format!("no service has a plan {plan}; {}", plans());
                return problem(404, "no such element", &text);
            }
        },
    };
    let mut text = format!("{}/{plan}", service.trim_start_matches('/'));
    for name in [part("phase"), part("step")].into_iter().flatten() {
        text.push('/');
        text.push_str(&name);
    }
    match find_element(&view, &text).and_then(|path| engine.why(&path)) {
        Some(why) => Response::json(200, &why),
        None => {
            let known = inside(&view, &service, &plan, part("phase").as_deref()).unwrap_or_else(plans);
            problem(404, "no such element", &format!("there is no {text}; {known}"))
        }
    }
}

/// Names that a problem mentions at most.
const MENTIONED: usize = 12;

/// `there are a, b and others`.
fn there_are(names: impl Iterator<Item = String>, none: &str) -> String {
    let mut names: Vec<String> = names.take(MENTIONED + 1).collect();
    let more = if names.len() > MENTIONED { " and others" } else { "" };
    names.truncate(MENTIONED);
    match names.as_slice() {
        [] => none.to_owned(),
        [one] => format!("there is {one}"),
        all => format!("there are {}{more}", all.join(", ")),
    }
}

/// Returns the parts of a plan, or of a phase; `None` if the plan does not exist.
fn inside(view: &View, service: &str, plan: &str, phase: Option<&str>) -> Option<String> {
    let is_it = |one: &&Arc<ServiceView>| one.name.trim_matches('/') == service.trim_matches('/');
    let service = view.services.iter().find(is_it)?;
    let plan = service.plans.iter().find(|one| *one.name == *plan)?;
    let phase =
        phase.and_then(|phase| plan.phases.iter().find(|one| *one.name == *phase || *one.id == *phase));
    Some(match phase {
        Some(phase) => {
            let steps = phase.steps.iter().map(|step| step.key().to_string());
            format!("in {} {}", phase.name, there_are(steps, "there are no steps"))
        }
        None => {
            let phases = plan.phases.iter().map(|phase| phase.name.to_string());
            format!("in {} {}", plan.name, there_are(phases, "there are no phases"))
        }
    })
}

/// Ids of steps that are paths: those of apps.
fn ids(view: &View) -> impl Iterator<Item = String> {
    let steps = view.services.iter().flat_map(|service| &service.plans).flat_map(|plan| &plan.phases);
    let steps = steps.flat_map(|phase| &phase.steps);
    steps.filter(|step| step.id.starts_with('/')).map(|step| step.id.to_string())
}

/// The step with this id.
fn of_id(view: &View, id: &str) -> Option<ElementPath> {
    let wanted = format!("/{}", id.trim_matches('/'));
    view.services.iter().find_map(|service| {
        service.plans.iter().find_map(|plan| {
            plan.phases.iter().find_map(|phase| {
                let step = phase.steps.iter().find(|step| *step.id == *wanted)?;
                Some(ElementPath {
                    dialect: service.dialect.clone(),
                    service: service.name.clone(),
                    plan: plan.name.clone(),
                    phase: Some(phase.name.clone()),
                    step: Some(step.key().clone()),
                })
            })
        })
    })
}
