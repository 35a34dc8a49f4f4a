//! Endpoints of the v0 API that change something: those that take a form, `/weights` and `/quota`, and maintenance.
//!
//! Bodies of maintenance calls are JSON regardless of `Content-Type`; the v1 forms of these calls come through `/api/v1`.
//! Source: `apache/mesos: src/master/http.cpp` (maintenanceSchedule, machineDown, machineUp). Match.

use super::{Endpoint, apply, apply_by, wrong_method};
use crate::operator::V0;
use planarium_part::routes::Found;
use planarium_part::{Request, Response, Wire};
use serde_json::Value;

/// `/maintenance/schedule`, `/machine/down`, `/machine/up`.
pub(super) fn maintenance(request: &Request, parts: &[&str]) -> Wire {
    match planarium_protocol::json::body(&request.body) {
        Ok(body) => apply(&format!("/{}", parts.get(..2).unwrap_or(parts).join("/")), body),
        Err(error) => Wire::Answer(Response::text(400, format!("Body is not JSON: {error}"))),
    }
}

/// `/reserve`, `/unreserve`, `/create-volumes`, `/destroy-volumes`, `/teardown`.
pub(super) fn form(request: &Request, parts: &[&str]) -> Wire {
    let Ok(text) = std::str::from_utf8(&request.body) else {
        return Wire::Answer(Response::text(400, "Unable to decode query string: it is not UTF-8"));
    };
    apply(&format!("/{}", parts.first().copied().unwrap_or_default()), Value::from(text))
}

/// `/weights`, `/quota`, `/quota/ROLE`.
pub(super) fn shares(request: &Request, found: &Found<'_, Endpoint>) -> Wire {
    let rest = found.captures.rest();
    let path = match found.by(&request.method) {
        Ok(Endpoint::Change(V0::RemoveQuota)) => {
            let path: Vec<&str> = std::iter::once("/quota").chain(rest.iter().copied()).collect();
            return apply_by(&request.method, &path.join("/"), Value::Null);
        }
        Ok(Endpoint::Change(V0::Weights)) => "/weights",
        // A quota is set without a role in the path.
        _ if rest.is_empty() => "/quota",
        _ => return Wire::Answer(wrong_method(request, &found.allowed())),
    };
    match planarium_protocol::json::body(&request.body) {
        Ok(body) => apply_by(&request.method, path, body),
        Err(error) => Wire::Answer(Response::text(400, format!("Failed to parse request JSON: {error}"))),
    }
}
