//! Which module answers which path.

mod mesos;
mod sdk;
mod sim;

use crate::problem::problem;
use crate::{Request, Response, Session};

/// Prefixes of APIs that are named but not simulated yet.
const LATER: &[(&str, &str)] = &[
    ("marathon", "the Marathon API"),
    ("v2", "the Marathon API"),
    ("kube", "the Kubernetes-shaped API"),
    ("skopos", "the Skopos API"),
];

/// Answers a request by its first path segment.
pub(crate) fn route(session: &mut Session, request: &Request) -> Response {
    let segments = request.segments();
    let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["sim", rest @ ..] => sim::route(session, request, rest),
        ["service", name, "marathon", ..] if *name == "marathon" => later("the Marathon API"),
        ["service", rest @ ..] => sdk::service(session, request, rest),
        ["v1", ..] | ["v2", "debug", "offers"] => sdk::route(session, request, "", &parts),
        _ if let Some(response) = mesos::route(session, request, &parts) => response,
        [first, ..] => match LATER.iter().find(|(prefix, _)| prefix == first) {
            Some((_, what)) => later(what),
            None => unknown(request),
        },
        [] => unknown(request),
    }
}

fn later(what: &str) -> Response {
    problem(501, "not simulated", &format!("{what} is not part of this version"))
}

fn unknown(request: &Request) -> Response {
    problem(404, "no such path", &format!("{} is none of /sim, /v1, /service/NAME/v1", request.path))
}
