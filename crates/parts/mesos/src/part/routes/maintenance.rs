//! `/maintenance/schedule`, `/maintenance/status`, `/machine/down`, `/machine/up`.
//!
//! Bodies are JSON regardless of `Content-Type`; the v1 forms of these calls come through `/api/v1`.
//! Source: `apache/mesos: src/master/http.cpp` (maintenanceSchedule, maintenanceStatus, machineDown, machineUp). Match.

use super::{Asked, apply, reads, wrong_method};
use crate::wire::MesosQuery;
use planarium_part::{Request, Response, Wire};

/// Answers one of these paths.
pub(super) fn call(asked: Asked<'_>, request: &Request, parts: &[&str]) -> Wire {
    match (request.method.as_str(), parts) {
        ("GET" | "HEAD", ["maintenance", "schedule"]) => {
            Wire::Answer(reads::answer(asked, request, &MesosQuery::MaintenanceSchedule))
        }
        ("GET" | "HEAD", ["maintenance", "status"]) => {
            Wire::Answer(reads::answer(asked, request, &MesosQuery::MaintenanceStatus))
        }
        ("POST", ["maintenance", "schedule"] | ["machine", _]) => post(request, parts),
        (_, ["maintenance", "schedule"]) => Wire::Answer(wrong_method(request, "GET, POST")),
        (_, ["maintenance", _]) => Wire::Answer(wrong_method(request, "GET")),
        _ => Wire::Answer(wrong_method(request, "POST")),
    }
}

fn post(request: &Request, parts: &[&str]) -> Wire {
    match planarium_protocol::json::body(&request.body) {
        Ok(body) => apply(&format!("/{}", parts.join("/")), body),
        Err(error) => Wire::Answer(Response::text(400, format!("Body is not JSON: {error}"))),
    }
}
