//! Calls of the SDK schedulers' API: the command of each path, and files for the state store.
//!
//! Knows: the input of each command. Must not know: the effect of a call, which the scheduler decides.
//!
//! A `call` input below `/service/NAME/v1` (or below `/v1`, for the first service) is resolved here, so that every replay
//! resolves it the same way, and has the effect of its command. The body is JSON, or a text with JSON; for `PUT
//! .../state/files/FILE` it is the file's text.
//!
//! **Source**: dcos-commons `sdk/scheduler/src/main/java/com/mesosphere/sdk/http/endpoints/{Plans,Pod,State}Resource.java`.

use super::paths::{Meaning, ROUTES, plan_of};
use crate::daemon::Daemon;
use planarium_mesos::Cluster;
use planarium_mesos::operator::form_fields;
use planarium_part::routes::{Captures, find};
use planarium_part::{Cx, System};
use planarium_protocol::input::{HttpCall, PlanCommand, PlanOp, PodCommand, PodOp};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Input, Refusal};
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the command of a path; `None` if the path is not a command.
///
/// *Errors*: the real scheduler's answer to an unreadable body.
pub(super) fn command(
    service: &str,
    meaning: Meaning,
    captures: &Captures<'_>,
    param: &dyn Fn(&str) -> Option<String>,
    body: &[u8],
) -> Option<Result<Input, Refusal>> {
    match meaning {
        Meaning::Plan(op) => Some(plan_command(service, plan_of(captures), op, param, body)),
        Meaning::Pod(op) => Some(pod_command(service, captures.one("pod"), op, body)),
        Meaning::Read(_) | Meaning::StoreFile | Meaning::Refresh => None,
    }
}

fn plan_command(
    service: &str,
    plan: &str,
    op: PlanOp,
    param: &dyn Fn(&str) -> Option<String>,
    body: &[u8],
) -> Result<Input, Refusal> {
    // Blank is absent for forceComplete and restart; continue and interrupt look up an empty phase and do not find it.
    let takes_step = matches!(op, PlanOp::ForceComplete | PlanOp::Restart);
    let part = |key| param(key).filter(|value| !(takes_step && value.trim().is_empty()));
    let takes_phase = !matches!(op, PlanOp::Start | PlanOp::Stop);
    Ok(Input::Plan(PlanCommand {
        dialect: crate::DIALECT.to_owned(),
        service: service.to_owned(),
        plan: plan.to_owned(),
        op,
        phase: if takes_phase { part("phase") } else { None },
        step: if takes_step { part("step") } else { None },
        params: if op == PlanOp::Start { parameters(body)? } else { BTreeMap::new() },
    }))
}

/// The body of `start`: a JSON map. A missing or unreadable one is the real server's 500 or 400.
fn parameters(body: &[u8]) -> Result<BTreeMap<String, String>, Refusal> {
    if is_blank(body) {
        let text = "the body with the parameters is missing; send {} for none";
        return Err(Refusal { status: 500, ..bad(text) });
    }
    let map: serde_json::Map<String, Value> = planarium_protocol::json::read(body)
        .map_err(|error| bad(format!("Couldn't parse parameters: {error}")))?;
    let texts = map.into_iter().map(|(key, value)| match value {
        Value::String(text) => (key, text),
        Value::Null => (key, String::new()),
        other => (key, other.to_string()),
    });
    Ok(planarium_kernel::sorted::tree(texts))
}

fn pod_command(service: &str, pod: &str, op: PodOp, body: &[u8]) -> Result<Input, Refusal> {
    let takes_tasks = matches!(op, PodOp::Pause | PodOp::Resume);
    let tasks = if takes_tasks && !is_blank(body) {
        planarium_protocol::json::read(body)
            .map_err(|error| bad(format!("Couldn't parse task names: {error}")))?
    } else {
        Vec::new()
    };
    Ok(Input::Pod(PodCommand {
        dialect: crate::DIALECT.to_owned(),
        service: service.to_owned(),
        pod: pod.to_owned(),
        op,
        tasks,
    }))
}

fn is_blank(body: &[u8]) -> bool {
    body.iter().all(u8::is_ascii_whitespace)
}

fn bad(text: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::BadRequest, text)
}

fn wrong_method(call: &HttpCall, right: &str) -> Refusal {
    let text = format!("{} is not for {}: it takes {right}", call.method, call.path);
    Refusal { status: 405, ..bad(text) }
}

impl Daemon {
    /// Carries out a journaled call of a scheduler's API. Queries are not inputs: they are sent over HTTP.
    pub(crate) fn carry_out(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        call: &HttpCall,
        parts: &[&str],
    ) -> Option<Result<Value, Refusal>> {
        let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
        let (name, parts) = address(parts)?;
        let service = self.meant(&name)?.name.to_string();
        let found = find(ROUTES, &parts);
        if let Some(found) = found.as_ref().filter(|found| found.meaning().is_command()) {
            let meaning = match found.by(&call.method) {
                Ok(meaning) => *meaning,
                Err(allowed) => return Some(Err(wrong_method(call, &allowed))),
            };
            let fields = form_fields(query);
            let body = match &call.body {
                Value::Null => Vec::new(),
                Value::String(text) => text.clone().into_bytes(),
                body => planarium_protocol::json::text(body),
            };
            let param = |key: &str| fields.get(key).cloned();
            return Some(match command(&service, meaning, &found.captures, &param, &body)? {
                Ok(Input::Plan(command)) => self.plan_command(cx, cluster, &command),
                Ok(Input::Pod(command)) => self.pod_command(cx, cluster, &command),
                Ok(_) => Ok(Value::Null),
                Err(refusal) => Err(refusal),
            });
        }
        let stored = found.as_ref().filter(|found| matches!(found.by(&call.method), Ok(Meaning::StoreFile)));
        Some(match (stored, call.method.as_str()) {
            (Some(found), _) => self.put_file(cx, &service, found.captures.one("name"), &call.body),
            (None, "GET" | "HEAD") => {
                Err(bad(format!("{path} is a question, not an input: ask it over HTTP")))
            }
            (None, method) => {
                Err(Refusal::new(RefusalCode::NotFound, format!("{method} {path} is not a command")))
            }
        })
    }

    fn put_file(&mut self, cx: &mut Cx, service: &str, file: &str, body: &Value) -> Result<Value, Refusal> {
        let Value::String(text) = body else { return Err(bad("Missing payload")) };
        self.store_file(cx, service, file, text)
    }
}

/// The service's name and what follows it: `/service/NAME/v1/...`, `/v1/service/NAME/...`, `/v1/...`.
fn address<'p>(parts: &'p [&'p str]) -> Option<(String, Vec<&'p str>)> {
    parts.first().filter(|first| matches!(**first, "service" | "v1"))?;
    Some(match super::address(parts)? {
        (_, ["v1", "service", one, rest @ ..]) => {
            ((*one).to_owned(), std::iter::once("v1").chain(rest.iter().copied()).collect())
        }
        (name, rest) => (name, rest.to_vec()),
    })
}
