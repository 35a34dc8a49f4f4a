//! `/maintenance/schedule`, `/maintenance/status`, `/machine/down`, `/machine/up`.
//!
//! Bodies are JSON whatever their `Content-Type` says; the v1 forms of these calls come by `/api/v1`.
//! Source: `apache/mesos: src/master/http.cpp` (maintenanceSchedule, maintenanceStatus, machineDown, machineUp). Match.

use super::{answered, apply, reads, wrong_method};
use crate::{Request, Response, Session};
use planarium_world::MesosQuery;

/// Answers one of these paths.
pub(super) fn call(session: &mut Session, request: &Request, parts: &[&str]) -> Response {
    match (request.method.as_str(), parts) {
        ("GET" | "HEAD", ["maintenance", "schedule"]) => {
            reads::answer(session, request, MesosQuery::MaintenanceSchedule)
        }
        ("GET" | "HEAD", ["maintenance", "status"]) => {
            reads::answer(session, request, MesosQuery::MaintenanceStatus)
        }
        ("POST", ["maintenance", "schedule"] | ["machine", _]) => post(session, request, parts),
        (_, ["maintenance", "schedule"]) => wrong_method(request, "GET, POST"),
        (_, ["maintenance", _]) => wrong_method(request, "GET"),
        _ => wrong_method(request, "POST"),
    }
}

fn post(session: &mut Session, request: &Request, parts: &[&str]) -> Response {
    match planarium_protocol::json::body(&request.body) {
        Ok(body) => {
            let path = format!("/{}", parts.join("/"));
            apply(session, &path, body).map_or_else(|refused| refused, |reply| answered(&reply))
        }
        Err(error) => Response::text(400, format!("Body is not JSON: {error}")),
    }
}
