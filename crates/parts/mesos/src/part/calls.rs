//! Calls of the Mesos master's API as inputs, and queries to it.
//!
//! Knows: how each kind of call is read. Must not know: what a call does; that is the master's.
//!
//! A `call` input whose path belongs to the master is resolved here, so that every replay resolves it the same way. The
//! body is the JSON of a v1 call, or the form of a v0 endpoint as a text or an object. The result is `{"status":CODE}`,
//! with `body` and more if the call has an answer. Reads may be applied as inputs, too; they change nothing.

use super::Mesos;
use super::routes::{Endpoint, ROUTES, unprefixed};
use crate::maintenance::decode;
use crate::operator::{OperatorCall, TimedEvent, V0, form_fields, v0_call, v1_call};
use crate::wire::{Calendar, MesosQuery, operator_question};
use planarium_ground::Cx;
use planarium_part::Ground;
use planarium_part::routes::{Found, find};
use planarium_protocol::Refusal;
use planarium_protocol::input::{HttpCall, Maintenance};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;

/// Returns the calendar position of virtual time.
pub(crate) fn calendar(ground: &Ground<'_>) -> Calendar {
    Calendar { epoch_ms: ground.epoch_ms, now: ground.now }
}

impl Mesos {
    /// Asks the Mesos master: status and body, or a refusal.
    pub fn query(&self, ground: &Ground<'_>, query: &MesosQuery) -> Result<(u16, Value), Refusal> {
        self.master.read(calendar(ground), query).map(|value| (200, value))
    }

    /// Keeps operator events from now on, for a listener. Nothing else depends on it.
    pub fn listen(&mut self, epoch_ms: u64) {
        self.master.listen(epoch_ms);
    }

    /// Returns the first event of an operator's subscription, and the number of the event that comes next.
    pub fn operator_subscribed(&self, ground: &Ground<'_>) -> Option<(Value, u64)> {
        let master = &self.master;
        Some((master.subscribed_event(calendar(ground)), master.next_operator_event()?))
    }

    /// Returns the operator events from this one on, each with its instant, and the number of the next one; `None` if
    /// there is no listener, or some were dropped.
    pub fn operator_events(&self, since: u64) -> Option<(Vec<TimedEvent>, u64)> {
        self.master.operator_events(since)
    }

    /// Carries a call of the master's API out; none when the path is none of its calls.
    pub(crate) fn master_call(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        call: &HttpCall,
    ) -> Option<Result<Value, Refusal>> {
        let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let found = find(ROUTES, unprefixed(&parts).0).filter(is_call)?;
        let rest = found.captures.rest();
        match found.by(&call.method) {
            Ok(Endpoint::Read(asked)) => {
                let fields = form_fields(query);
                Some(self.reply_to(ground, &asked(&|key| fields.get(key).cloned())))
            }
            Ok(Endpoint::Maintenance(op)) => Some(self.maintenance_call(cx, ground, op, &call.body)),
            Ok(Endpoint::Scheduler) => Some(self.scheduler_call(cx, ground, &call.body)),
            Ok(Endpoint::Operator) => Some(self.operator_call(cx, ground, &call.body)),
            Ok(Endpoint::Change(change)) if rest.is_empty() || matches!(change, V0::RemoveQuota) => {
                let read = v0_call(*change, rest, &call.body);
                Some(read.and_then(|call| self.operate(cx, ground, &call)))
            }
            _ => {
                let text = format!("{} is not for {path}", call.method);
                Some(Err(Refusal { status: 405, ..Refusal::new(RefusalCode::BadRequest, text) }))
            }
        }
    }

    fn reply_to(&self, ground: &Ground<'_>, asked: &MesosQuery) -> Result<Value, Refusal> {
        self.query(ground, asked).map(|(status, body)| json!({ "status": status, "body": body }))
    }

    /// A call of the v1 operator API.
    fn operator_call(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        body: &Value,
    ) -> Result<Value, Refusal> {
        if let Some(asked) = operator_question(body) {
            return self.reply_to(ground, &asked?);
        }
        match (maintenance_op(body), v1_call(body)) {
            (Some(op), _) => self.maintenance_call(cx, ground, op, body),
            (None, Some(read)) => read.and_then(|call| self.operate(cx, ground, &call)),
            (None, None) => Err(unknown_type(body)),
        }
    }

    /// A maintenance call, with the status that it is answered with.
    fn maintenance_call(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        op: &str,
        body: &Value,
    ) -> Result<Value, Refusal> {
        let mut reply =
            self.maintenance(cx, ground, &Maintenance { op: op.to_owned(), body: body.clone() })?;
        if let Some(map) = reply.as_object_mut() {
            map.entry("status").or_insert(200.into());
        }
        Ok(reply)
    }

    fn operate(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        call: &OperatorCall,
    ) -> Result<Value, Refusal> {
        let removed = if let OperatorCall::Teardown { framework_id } = call {
            self.master.framework_by_id(framework_id)
        } else {
            None
        };
        let answer = self.act(cx, ground, |master, fleet, cx| master.operate(cx, fleet, call))?;
        if let Some(number) = removed.and_then(|framework| self.schedulers.get(&framework)) {
            self.removed.push_back(*number);
        }
        let mut reply = json!({ "status": answer.status });
        if let (Some(map), Some(body)) = (reply.as_object_mut(), answer.body) {
            map.insert("body".to_owned(), body);
        }
        Ok(reply)
    }
}

/// Returns whether a call is one of the master's.
pub(super) fn is_masters(call: &HttpCall) -> bool {
    let path = call.path.split_once('?').map_or(&*call.path, |(path, _)| path);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    find(ROUTES, unprefixed(&parts).0).is_some_and(|found| is_call(&found))
}

/// Returns whether an endpoint takes calls as inputs. Forms do only where nothing follows their path.
fn is_call(found: &Found<'_, Endpoint>) -> bool {
    match found.meaning() {
        Endpoint::Health | Endpoint::Redirect | Endpoint::Beside => false,
        Endpoint::Change(_) => found.captures.rest().is_empty(),
        Endpoint::Scheduler | Endpoint::Operator | Endpoint::Read(_) | Endpoint::Maintenance(_) => true,
    }
}

/// Which maintenance operation a v1 call is.
fn maintenance_op(body: &Value) -> Option<&'static str> {
    Some(match body.get("type")?.as_str()? {
        "UPDATE_MAINTENANCE_SCHEDULE" => "schedule",
        "START_MAINTENANCE" => "down",
        "STOP_MAINTENANCE" => "up",
        "DRAIN_AGENT" => "drain",
        "DEACTIVATE_AGENT" => "deactivate",
        "REACTIVATE_AGENT" => "reactivate",
        "MARK_AGENT_GONE" => "gone",
        _ => return None,
    })
}

/// Returns the refusal of a v1 call that is none of those simulated.
fn unknown_type(body: &Value) -> Refusal {
    match decode::operator_call(body) {
        Err(refused) => refused.into(),
        Ok(_) => {
            let kind = body.get("type").and_then(Value::as_str).unwrap_or_default();
            let text = match kind {
                "SUBSCRIBE" => "SUBSCRIBE opens a stream, which only a connection has".to_owned(),
                kind => format!("{kind} is not simulated"),
            };
            Refusal::new(RefusalCode::Unsupported, text)
        }
    }
}
