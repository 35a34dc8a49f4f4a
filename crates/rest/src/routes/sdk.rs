//! The SDK scheduler's API: `/v1/...` and `/service/NAME/v1/...`.
//!
//! Knows: which input stands behind which call, and that a refusal's message is the body. The shapes of reads are the sdk crate's.
//! Source: dcos-commons `sdk/scheduler/.../http/endpoints`, sheet sections 12.1 and 12.3.

use crate::{Request, Response, Session};
use planarium_protocol::{Input, Refusal};
use planarium_world::{Query, SdkQuery, is_sdk_command as is_command, sdk_command};

mod files;
mod multi;
mod reads;
mod text;

use text::Form;

/// `/service/NAME/v1/...`: the service's name may hold slashes, so the `v1` (or `v2/debug`) after it ends it.
pub(crate) fn service(session: &mut Session, request: &Request, rest: &[&str]) -> Response {
    let end = rest.iter().position(|part| matches!(*part, "v1" | "v2"));
    let Some((name, parts)) = end.and_then(|end| rest.split_at_checked(end)) else {
        return Response::text(404, "no API path after the service's name");
    };
    route(session, request, &name.join("/"), parts)
}

/// Answers below `v1` (or `v2`) of a service; an empty name means the only or first SDK service.
pub(crate) fn route(session: &mut Session, request: &Request, name: &str, parts: &[&str]) -> Response {
    let of_several = matches!(parts, ["v1", "multi", ..]);
    let is_one = !of_several && find_service(session, name).is_some();
    if (!name.is_empty() || of_several)
        && !is_one
        && let Some(group) = multi::group(session, name)
    {
        return multi::route(session, request, &group, parts);
    }
    if let ["v1", "service", one, rest @ ..] = parts {
        return one_of_several(session, request, one, rest);
    }
    let Some(service) = find_service(session, name) else {
        let text = if name.is_empty() {
            "There is no service".to_owned()
        } else {
            format!("Service {name} not found")
        };
        return Response::text(404, text);
    };
    match (request.method.as_str(), parts) {
        ("POST", _) if is_command(parts) => command(session, request, &service, parts),
        ("PUT", ["v1", "state", "files", name]) => files::put(session, request, &service, name),
        ("PUT", ["v1", "state", "refresh"]) => answer(session, service, SdkQuery::RefreshState),
        ("GET" | "HEAD", _) if !is_command(parts) && parts != REFRESH => {
            reads::read(request, parts).map_or_else(unknown, |what| answer(session, service, what))
        }
        _ if is_command(parts) => Response::wrong_method("POST"),
        _ if parts == REFRESH => Response::wrong_method("PUT"),
        (_, ["v1", "state", "files", _]) => Response::wrong_method("GET, PUT"),
        _ if reads::read(request, parts).is_some() => Response::wrong_method("GET"),
        _ => unknown(),
    }
}

/// The one path that takes `PUT` only.
const REFRESH: [&str; 3] = ["v1", "state", "refresh"];

/// What a read answers.
fn answer(session: &Session, service: String, what: SdkQuery) -> Response {
    let (plain, prometheus) = (what.is_plain(), what == SdkQuery::Prometheus);
    let (property, form) = (matches!(what, SdkQuery::Property { .. }), form(&what));
    match session.engine.query(&Query::Sdk { service, what }) {
        Ok((status, serde_json::Value::String(text))) if prometheus => {
            Response { content_type: PROMETHEUS, ..Response::text(status, text) }
        }
        Ok((status, serde_json::Value::String(text))) if plain => Response::text(status, text),
        // A property's bytes are handed out as they are, whatever they say.
        Ok((status, serde_json::Value::String(text))) if property => {
            Response { content_type: "application/json", ..Response::text(status, text) }
        }
        Ok((status, value)) => text::json(status, &value, form),
        Err(refusal) => refused(&refusal),
    }
}

/// Who writes the answer of a read in the real one.
fn form(what: &SdkQuery) -> Form {
    match what {
        SdkQuery::Plan { .. }
        | SdkQuery::PodInfo { .. }
        | SdkQuery::Target
        | SdkQuery::Configuration { .. }
        | SdkQuery::Property { .. } => Form::Bean,
        SdkQuery::Metrics => Form::Compact,
        _ => Form::Assembled,
    }
}

/// The form that Prometheus asks for.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What a scheduler of several services serves for one of them below `/v1/service/NAME`, with the slashes of its
/// name written as dots.
const PER_SERVICE: &[&str] = &["plans", "pod", "endpoints", "configurations", "state", "artifacts"];

/// Answers below `/v1/service/NAME`: the same as below `/v1`, for what belongs to one service.
fn one_of_several(session: &mut Session, request: &Request, name: &str, rest: &[&str]) -> Response {
    let is_read = matches!(request.method.as_str(), "GET" | "HEAD");
    match rest {
        // There, the pods' statuses name the service as the path does.
        ["pod", "status"] if is_read && let Some(service) = find_service(session, name) => {
            match session.engine.query(&Query::Sdk { service, what: SdkQuery::PodStatuses }) {
                Ok((status, mut body)) => {
                    if let Some(service) = body.get_mut("service") {
                        *service = name.into();
                    }
                    text::json(status, &body, Form::Assembled)
                }
                Err(refusal) => refused(&refusal),
            }
        }
        [first, ..] if PER_SERVICE.contains(first) => {
            let parts: Vec<&str> = std::iter::once("v1").chain(rest.iter().copied()).collect();
            route(session, request, name, &parts)
        }
        _ => unknown(),
    }
}

fn unknown() -> Response {
    Response::text(404, "HTTP 404 Not Found")
}

fn refused(refusal: &Refusal) -> Response {
    Response::text(refusal.status, refusal.message.clone())
}

/// Names compare without a leading slash; in paths, inner slashes may also be written as dots.
fn find_service(session: &Session, name: &str) -> Option<String> {
    let view = session.engine.view();
    let mut services = view.services.iter().filter(|service| &*service.dialect == "sdk");
    if name.is_empty() {
        return services.next().map(|service| service.name.to_string());
    }
    let wanted = name.trim_matches('/');
    services
        .find(|service| {
            let own = service.name.trim_start_matches('/');
            own == wanted || own.replace('/', ".") == wanted
        })
        .map(|service| service.name.to_string())
}

/// Whether a request says that its body is something else than JSON, as `curl -d` does unless told otherwise.
fn is_not_json(request: &Request) -> bool {
    let kind = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let main = kind.and_then(|(_, kind)| kind.split(';').next());
    main.is_some_and(|main| !main.trim().eq_ignore_ascii_case("application/json"))
}

/// A body of a kind that is not taken.
fn wrong_kind() -> Response {
    Response::text(415, "HTTP 415 Unsupported Media Type")
}

/// Carries a command out; its words are the world's.
fn command(session: &mut Session, request: &Request, service: &str, parts: &[&str]) -> Response {
    if matches!(parts, ["v1", "plans", _, "start"]) && is_not_json(request) {
        return wrong_kind();
    }
    match sdk_command(service, parts, &|key| request.param(key), &request.body) {
        None => unknown(),
        Some(Ok(input)) => reply(session, input),
        Some(Err(refusal)) => refused(&refusal),
    }
}

fn reply(session: &mut Session, input: Input) -> Response {
    match session.engine.apply(input).outcome {
        Ok(value) => text::json(200, &value, Form::Assembled),
        Err(refusal) => refused(&refusal),
    }
}
