//! Journaled calls of the API.
//!
//! *Knows*: how a recorded call becomes a request of [`crate::wire`], and its answer an outcome. A read may be applied as an
//! input, too; it changes nothing. *Must not know*: what a call does.

use super::{ROOT, below};
use crate::part::Kubernetes;
use crate::wire::{self, Answer, Body};
use planarium_ground::Cx;
use planarium_part::routes::{Route, find};
use planarium_part::{Ground, outcome};
use planarium_protocol::input::HttpCall;
use planarium_protocol::{Input, Refusal};
use serde_json::Value;

/// Returns whether a call is one of the API's.
pub(in super::super) fn is_call(call: &HttpCall) -> bool {
    let path = call.path.split_once('?').map_or(&*call.path, |(path, _)| path);
    path.split('/').find(|part| !part.is_empty()) == Some(ROOT)
}

/// Namespace and name of the pod that a call evicts.
pub(in super::super) fn evicted(input: &Input) -> Option<(String, String)> {
    let Input::Call(call) = input else { return None };
    let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
    if call.method != "POST" || query.contains("dryRun") {
        return None;
    }
    let segments = planarium_part::Request::new(&call.method, path, "").segments();
    let words: Vec<&str> = segments.iter().map(String::as_str).collect();
    let at = find(EVICTION, words.split_first().filter(|(root, _)| **root == ROOT)?.1)?.captures;
    Some((at.text("namespace"), at.text("pod")))
}

/// The path of evictions.
const EVICTION: &[Route<()>] =
    &[Route::new("POST", "api/{version}/namespaces/{namespace}/pods/{pod}/eviction", ())];

/// Carries out a call; `None` if its path does not belong to the API.
pub(in super::super) fn call(
    kubernetes: &mut Kubernetes,
    cx: &mut Cx,
    ground: &mut Ground<'_>,
    call: &HttpCall,
) -> Option<Result<Value, Refusal>> {
    if !is_call(call) {
        return None;
    }
    let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
    let request = wire::Request {
        method: &call.method,
        path: below(path),
        query,
        accept: "",
        content_type: call.content_type.as_deref().unwrap_or_default(),
        body: (!call.body.is_null()).then_some(&call.body),
    };
    let answer = if call.method == "GET" {
        wire::read_on(&kubernetes.kube, ground.fleet(), ground.now, &request)
    } else {
        let answer = wire::write(&mut kubernetes.kube, cx, &request);
        kubernetes.hear_own(cx, ground);
        answer
    };
    let warning = answer.warning();
    let Answer { status, body, .. } = answer;
    let body = match body {
        Body::Json(value) => value,
        Body::Text(text) => Value::from(text),
        Body::Bytes(..) | Body::Watch(_) => Value::Null,
    };
    if status < 400 {
        let headers = warning.as_deref().map(|text| ("warning", text));
        return Some(Ok(outcome(status, headers.as_slice(), body)));
    }
    let message = body.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Err(Refusal::with_body(crate::error::refusal_code(status), status, message, body)))
}
