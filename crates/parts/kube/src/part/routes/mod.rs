//! The Kubernetes API below `/kube`, as clients reach it.
//!
//! *Knows*: the API's root, which requests are reads, watches or inputs, and how an answer becomes a response. *Must
//! not know*: the meaning of requests, which [`crate::wire`] handles.

mod changes;
mod watches;

pub(super) use changes::{call, evicted, is_call};
pub(super) use watches::news;

use super::Kubernetes;
use crate::wire::{self, Answer, Body, METHODS, duplicates, protobuf};
use planarium_part::{Ground, Request, Response, Wire};
use planarium_protocol::Input;

/// First segment of the API's paths.
const ROOT: &str = "kube";

/// Returns whether a path is one of the API's.
pub(super) fn owns(parts: &[&str]) -> bool {
    parts.first() == Some(&ROOT)
}

/// The path as the API server sees it.
fn below(path: &str) -> &str {
    path.trim_start_matches('/').strip_prefix(ROOT).unwrap_or_default()
}

/// Answers a read, begins a watch, or makes an input of a change.
pub(super) fn route(kubernetes: &Kubernetes, ground: &Ground<'_>, request: &Request, parts: &[&str]) -> Wire {
    if !owns(parts) {
        return Wire::NotMine;
    }
    if matches!(request.method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE") {
        return change(request);
    }
    if request.method != "GET" {
        return Wire::Answer(Response::wrong_method(METHODS));
    }
    let asked = wire::Request {
        method: "GET",
        path: below(&request.path),
        query: &request.query,
        accept: request.header("accept").unwrap_or_default(),
        ..wire::Request::default()
    };
    let Answer { status, body, .. } = wire::read_on(&kubernetes.kube, ground.fleet(), ground.now, &asked);
    Wire::Answer(match body {
        Body::Json(value) => Response::json(status, &value),
        Body::Text(text) => Response::text(status, text),
        Body::Bytes(kind, bytes) => Response { content_type: kind, body: bytes, ..Response::empty(status) },
        Body::Watch(watch) => return watches::begin(&watch, ground.now, request, status),
    })
}

/// A change as an input. Journals keep bodies as JSON, so one in protocol buffers is read before.
fn change(request: &Request) -> Wire {
    if request.content_type() != protobuf::MEDIA_TYPE {
        let mut wire = Wire::call(request);
        if let Wire::Change(input, _) = &mut wire
            && let Input::Call(call) = &mut **input
            && duplicates::repeats(&request.body)
        {
            // As parsed data it would lose repeated fields.
            call.body = String::from_utf8_lossy(&request.body).into_owned().into();
        }
        return wire;
    }
    match protobuf::decode(&request.body) {
        Ok(body) => {
            let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
            Wire::call(&Request { headers, body: planarium_protocol::json::text(&body), ..request.clone() })
        }
        Err(error) => Wire::Answer(Response::json(error.code, &error.status())),
    }
}
