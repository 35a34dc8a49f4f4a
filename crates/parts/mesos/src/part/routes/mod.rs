//! The Mesos master's API: `/x`, `/master/x`, `/mesos/x`, `/mesos/master/x`, `/api/v1`, `/api/v1/scheduler`.
//!
//! *Knows*: paths, methods, headers, and the query or input of each call. *Must not know*: what a call does and the content
//! of replies; both are the master's. Source: `apache/mesos: src/master/http.cpp`, `src/master/master.cpp` (routes),
//! `3rdparty/libprocess/src/process.cpp` (the longest prefix of a path that has a route answers; the rest is ignored).
//! Match.

mod endpoints;
mod operator;
mod reads;
mod scheduler;
mod stream;
mod writes;

use super::Mesos;
use crate::operator::V0;
use planarium_part::routes::{Found, find};
use planarium_part::{Ground, Request, Response, Wire};
use planarium_protocol::input::HttpCall;
use planarium_protocol::{Input, Refusal};
use serde_json::Value;

pub(super) use endpoints::{Endpoint, ROUTES, unprefixed};
pub(super) use stream::{closed, news};

/// The master as a request finds it.
#[derive(Clone, Copy)]
struct Asked<'a> {
    mesos: &'a Mesos,
    ground: &'a Ground<'a>,
}

/// Returns whether a path is one of the master's.
pub(super) fn owns(parts: &[&str]) -> bool {
    let (rest, is_prefixed, _) = unprefixed(parts);
    // Without a prefix, what follows `/api/v1` belongs to it only where that is the scheduler's.
    let is_own = |found: Found<'_, Endpoint>| {
        !matches!(found.meaning(), Endpoint::Operator) || found.captures.rest().is_empty()
    };
    is_prefixed || find(ROUTES, rest).is_some_and(is_own)
}

/// Answers a call of the master.
pub(super) fn route(mesos: &Mesos, ground: &Ground<'_>, request: &Request, parts: &[&str]) -> Wire {
    let asked = Asked { mesos, ground };
    let (parts, is_prefixed, of_master) = unprefixed(parts);
    let nothing = || if is_prefixed { Wire::Answer(no_endpoint(request)) } else { Wire::NotMine };
    // A process of its own, beside the master.
    if of_master && parts.first() == Some(&"version") {
        return nothing();
    }
    let Some(found) = find(ROUTES, parts) else { return nothing() };
    match (found.meaning(), found.by(&request.method)) {
        (Endpoint::Beside, _) => nothing(),
        (Endpoint::Redirect, _) => Wire::Answer(redirect(request)),
        (_, Err(allowed)) => Wire::Answer(wrong_method(request, &allowed)),
        (_, Ok(Endpoint::Scheduler)) => scheduler::call(asked, request),
        (_, Ok(Endpoint::Operator)) => operator::call(request, asked),
        (_, Ok(Endpoint::Read(query))) => {
            Wire::Answer(reads::answer(asked, request, &query(&|key| request.param(key))))
        }
        (_, Ok(Endpoint::Maintenance(_))) => writes::maintenance(request, parts),
        (_, Ok(Endpoint::Change(V0::Weights | V0::Quota | V0::RemoveQuota))) => {
            writes::shares(request, &found)
        }
        (_, Ok(Endpoint::Change(_))) => writes::form(request, parts),
        (_, Ok(Endpoint::Health | Endpoint::Redirect | Endpoint::Beside)) => {
            Wire::Answer(Response::empty(200))
        }
    }
}

fn no_endpoint(request: &Request) -> Response {
    Response::text(404, format!("{} is no endpoint of the master", request.path))
}

/// To the leading master, which is this one: where the caller has reached it.
fn redirect(request: &Request) -> Response {
    let mut response = Response::empty(307);
    let host = header(request, "host").unwrap_or("localhost:5050");
    response.headers.push(("location".into(), format!("//{host}")));
    response
}

fn wrong_method(request: &Request, allowed: &str) -> Response {
    let text = format!("Expecting one of {{ '{allowed}' }}, but received '{}'", request.method);
    let mut response = Response::text(405, text);
    response.headers.push(("allow".into(), allowed.to_owned()));
    response
}

/// The last value of a header; its name in lower case.
fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// Refuses media types that a v1 call does not take.
fn not_v1(request: &Request) -> Option<Response> {
    let essence = |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match header(request, "content-type").map(essence).as_deref() {
        None | Some("") => return Some(Response::text(400, "Expecting 'Content-Type' to be present")),
        Some("application/json") => {}
        Some(_) => {
            let text = "Expecting 'Content-Type' of application/json; other forms are not simulated";
            return Some(Response::text(415, text));
        }
    }
    let accepts = |accept: &str| {
        accept.split(',').map(essence).any(|media| {
            matches!(
                media.as_str(),
                "*/*" | "application/*" | "application/json" | "application/x-protobuf" | ""
            )
        })
    };
    match header(request, "accept") {
        Some(accept) if !accepts(accept) => Some(Response::text(
            406,
            "Expecting 'Accept' to allow application/json or application/x-protobuf",
        )),
        _ => None,
    }
}

/// The JSON body of a v1 call.
fn v1_body(request: &Request) -> Result<Value, Response> {
    planarium_protocol::json::body(&request.body)
        .map_err(|error| Response::text(400, format!("Failed to parse body into JSON: {error}")))
}

/// Applies a POST as an input; responds with the master's answer.
fn apply(path: &str, body: Value) -> Wire {
    apply_by("POST", path, body)
}

/// The same by another method.
fn apply_by(method: &str, path: &str, body: Value) -> Wire {
    let reply = |outcome: Result<Value, Refusal>| match outcome {
        Ok(reply) => answered(&reply),
        Err(refusal) => refused(&refusal),
    };
    Wire::Change(Box::new(input(method, path, body)), Box::new(reply))
}

fn input(method: &str, path: &str, body: Value) -> Input {
    Input::Call(HttpCall { content_type: None, method: method.to_owned(), path: path.to_owned(), body })
}

/// Builds the response of an accepted call.
fn answered(reply: &Value) -> Response {
    let status = reply.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
    if let Some(message) = reply.get("message").and_then(Value::as_str) {
        return Response::text(status.unwrap_or(200), message);
    }
    match reply.get("body") {
        Some(body) => Response::json(status.unwrap_or(200), body),
        None => Response::empty(status.unwrap_or(200)),
    }
}

fn refused(refusal: &Refusal) -> Response {
    Response::text(refusal.status, refusal.message.clone())
}
