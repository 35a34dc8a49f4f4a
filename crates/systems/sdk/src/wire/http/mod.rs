//! The SDK scheduler's API: `/v1/...` and `/service/NAME/v1/...`.
//!
//! Knows: the input of each call, and that a refusal's message is the body. The shapes of reads are `wire`'s.
//!
//! **Source**: dcos-commons `sdk/scheduler/src/main/java/com/mesosphere/sdk/http/endpoints`.

pub(crate) mod command;
mod files;
mod multi;
mod paths;
mod text;

use super::SdkQuery;
use crate::daemon::{Daemon, Member};
use paths::{Meaning, ROUTES};
use planarium_part::http::encode;
use planarium_part::routes::{Captures, find};
use planarium_part::{Request, Response, Wire};
use planarium_protocol::input::PlanOp;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Input, Refusal};
use text::Form;

/// Tells if a path is one of this API's. `parts` are its decoded segments. Services of other systems share these prefixes, so the table of
/// [`paths`] does not decide this.
pub(crate) fn owns(parts: &[&str]) -> bool {
    matches!(parts, ["service" | "v1", ..] | ["v2", "debug", "offers"])
}

/// Reads of every service, below `/service/NAME/v1`.
const LINKS: [(&str, &str); 4] = [
    ("/plans", "names of its plans"),
    ("/pod/status", "pods and tasks"),
    ("/endpoints", "where it can be reached"),
    ("/configurations/target", "its target configuration"),
];

/// Reads of a service's present state.
pub(crate) fn links(service: &ServiceView) -> Vec<(String, &'static str)> {
    let base = format!("/service/{}/v1", encode(service.name.trim_matches('/')));
    // An uninstalling service answers for its plan only.
    let leaving =
        service.plans.iter().flat_map(|plan| &plan.phases).any(|phase| *phase.name == *"deregister-service");
    let all = LINKS.iter().take(if leaving { 1 } else { LINKS.len() });
    let plans = service.plans.iter().map(|plan| (format!("{base}/plans/{}", encode(&plan.name)), "a plan"));
    all.map(|(path, what)| (format!("{base}{path}"), *what)).chain(plans).collect()
}

/// The name of the service in a path, and what follows it. A name may hold slashes: the `v1` (or `v2/debug`) after it ends
/// it. Without a name it is the only or first service.
fn address<'p>(parts: &'p [&'p str]) -> Option<(String, &'p [&'p str])> {
    let ["service", rest @ ..] = parts else { return Some((String::new(), parts)) };
    let end = rest.iter().position(|part| matches!(*part, "v1" | "v2"))?;
    let (name, rest) = rest.split_at_checked(end)?;
    Some((name.join("/"), rest))
}

/// Answers a request that no process takes.
pub(crate) fn nobody(_: &Request, parts: &[&str]) -> Response {
    match address(parts) {
        None => Response::text(404, "no API path after the service's name"),
        Some((_, ["v1", "service", name, ..])) => Response::text(404, format!("Service {name} not found")),
        Some((name, _)) if name.is_empty() => Response::text(404, "There is no service"),
        Some((name, _)) => Response::text(404, format!("Service {name} not found")),
    }
}

impl Daemon {
    /// Outcome of a request.
    pub(crate) fn answer_request(&self, request: &Request, parts: &[&str], epoch_ms: u64) -> Wire {
        let Some((name, parts)) = address(parts) else { return Wire::NotMine };
        self.route(request, &name, parts, epoch_ms)
    }

    /// Answers below `v1` (or `v2`) of a service; an empty name means the only or first one.
    fn route(&self, request: &Request, name: &str, parts: &[&str], epoch_ms: u64) -> Wire {
        let of_several = matches!(parts, ["v1", "multi", ..]);
        let one = if of_several { None } else { self.meant(name) };
        if (!name.is_empty() || of_several)
            && one.is_none()
            && let Some((shared, members)) = self.sharing()
            && is_called(&shared.name, name)
        {
            return self.answer_framework(request, shared, &members, parts, epoch_ms);
        }
        if let ["v1", "service", one, rest @ ..] = parts {
            return self.one_of_several(request, one, rest, epoch_ms);
        }
        let Some(member) = one else { return Wire::NotMine };
        let Some(found) = find(ROUTES, parts) else { return unknown() };
        match found.by(&request.method) {
            Ok(Meaning::Read(read)) => answer(member, &read(&found.captures, request), epoch_ms),
            Ok(Meaning::StoreFile) => files::put(request, &member.name, found.captures.one("name")),
            Ok(Meaning::Refresh) => answer(member, &SdkQuery::RefreshState, epoch_ms),
            Ok(meaning) => command(request, member, *meaning, &found.captures),
            Err(allowed) => wrong_method(&allowed),
        }
    }

    /// The service that a path means: slashes of its name may be written as dots; the first one without a name.
    pub(crate) fn meant(&self, name: &str) -> Option<&Member> {
        self.services().find(|member| is_called(&member.name, name))
    }

    /// Answers below `/v1/service/NAME`: the same as below `/v1`, for what belongs to one service.
    fn one_of_several(&self, request: &Request, name: &str, rest: &[&str], epoch_ms: u64) -> Wire {
        let Some(member) = self.meant(name).filter(|_| !name.is_empty()) else { return Wire::NotMine };
        let is_read = matches!(request.method.as_str(), "GET" | "HEAD");
        match rest {
            // There, the pods' statuses name the service as the path does.
            ["pod", "status"] if is_read => match member.scheduler.query(&SdkQuery::PodStatuses, epoch_ms) {
                Ok((status, mut body)) => {
                    if let Some(service) = body.get_mut("service") {
                        *service = name.into();
                    }
                    Wire::Answer(text::json(status, &body, Form::Assembled))
                }
                Err(refusal) => Wire::Answer(refused(&refusal)),
            },
            [first, ..] if PER_SERVICE.contains(first) => {
                let parts: Vec<&str> = std::iter::once("v1").chain(rest.iter().copied()).collect();
                self.route(request, name, &parts, epoch_ms)
            }
            _ => unknown(),
        }
    }
}

/// Names compare without outer slashes; in paths, inner slashes may also be written as dots. An empty name fits any.
fn is_called(own: &str, wanted: &str) -> bool {
    let (own, wanted) = (own.trim_matches('/'), wanted.trim_matches('/'));
    wanted.is_empty() || own == wanted || own.replace('/', ".") == wanted
}

/// Reads that a scheduler of several services serves for each below `/v1/service/NAME`, with dots for the slashes of
/// its name.
const PER_SERVICE: &[&str] = &["plans", "pod", "endpoints", "configurations", "state", "artifacts"];

/// Answers a read of a service.
fn answer(member: &Member, what: &SdkQuery, epoch_ms: u64) -> Wire {
    Wire::Answer(shaped(what, member.scheduler.query(what, epoch_ms)))
}

/// The answer of a read in the form that the real one gives it.
fn shaped(what: &SdkQuery, outcome: Result<(u16, serde_json::Value), Refusal>) -> Response {
    // A program's endpoint is a text where the library's are objects.
    let plain = what.is_plain() || matches!(what, SdkQuery::Endpoint { .. });
    let prometheus = *what == SdkQuery::Prometheus;
    let (property, form) = (matches!(what, SdkQuery::Property { .. }), form(what));
    match outcome {
        Ok((status, serde_json::Value::String(text))) if prometheus => {
            Response { content_type: PROMETHEUS, ..Response::text(status, text) }
        }
        Ok((status, serde_json::Value::String(text))) if plain => Response::text(status, text),
        // A property's bytes are returned unchanged.
        Ok((status, serde_json::Value::String(text))) if property => {
            Response { content_type: "application/json", ..Response::text(status, text) }
        }
        Ok((status, value)) => text::json(status, &value, form),
        Err(refusal) => refused(&refusal),
    }
}

/// Writer of the answer of a read in the real one.
fn form(what: &SdkQuery) -> Form {
    match what {
        SdkQuery::Plan { .. }
        | SdkQuery::PodInfo { .. }
        | SdkQuery::Target
        | SdkQuery::Configuration { .. }
        | SdkQuery::Property { .. } => Form::Bean,
        SdkQuery::Metrics | SdkQuery::Seeds => Form::Compact,
        _ => Form::Assembled,
    }
}

/// The media type requested by Prometheus.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

fn unknown() -> Wire {
    Wire::Answer(Response::text(404, "HTTP 404 Not Found"))
}

fn wrong_method(right: &str) -> Wire {
    Wire::Answer(Response::wrong_method(right))
}

fn refused(refusal: &Refusal) -> Response {
    Response::text(refusal.status, refusal.message.clone())
}

/// Returns whether a request declares a body other than JSON, as `curl -d` does by default.
fn is_not_json(request: &Request) -> bool {
    request.header("content-type").is_some() && request.content_type() != "application/json"
}

/// A body of a kind that is not taken.
fn wrong_kind() -> Wire {
    Wire::Answer(Response::text(415, "HTTP 415 Unsupported Media Type"))
}

/// Carries a command out.
fn command(request: &Request, member: &Member, meaning: Meaning, captures: &Captures<'_>) -> Wire {
    let starts = matches!(meaning, Meaning::Plan(PlanOp::Start)) && !captures.all("plan").is_empty();
    if starts && is_not_json(request) {
        return wrong_kind();
    }
    match command::command(&member.name, meaning, captures, &|key| request.param(key), &request.body) {
        None => unknown(),
        Some(Ok(input)) => change(input),
        Some(Err(refusal)) => Wire::Answer(refused(&refusal)),
    }
}

fn change(input: Input) -> Wire {
    let reply = |outcome: Result<serde_json::Value, Refusal>| match outcome {
        Ok(value) => text::json(200, &value, Form::Assembled),
        Err(refusal) => refused(&refusal),
    };
    Wire::Change(Box::new(input), Box::new(reply))
}
