//! Maintenance calls of the operator.
//!
//! Knows: how a body is read for each operation, and the simulator's additions to the real calls: windows that begin
//! relative to now, adding to and removing from the schedule, agents named by hostname.
//! Must not know: what a call does and when it is refused.

use super::Mesos;
use crate::maintenance::decode::{self, OperatorCall};
use crate::maintenance::{MachineId, Refused, Schedule};
use planarium_ground::Cx;
use planarium_kernel::SortedSet;
use planarium_part::Ground;
use planarium_protocol::input::Maintenance;
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use serde_json::{Map, Value};

impl Mesos {
    /// Does what an operator asks about maintenance. The answer is empty, but for the one call that is answered
    /// with an error although it has an effect: then it holds that answer's `status` and `message`.
    pub(crate) fn maintenance(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        input: &Maintenance,
    ) -> Result<Value, Refusal> {
        let call = self.read_maintenance(ground, input)?;
        let (cause, before) = (cx.cause(), self.master.scheduled_hosts(ground.fleet()));
        let done = self.act(cx, ground, |master, fleet, cx| master.maintain(cx, fleet, call));
        cx.set_cause(cause);
        self.report_plan(cx, ground, &before);
        match done {
            Ok(()) => Ok(json!({})),
            Err(refused @ Refused::NotRegistered) => {
                Ok(json!({ "status": refused.status(), "message": refused.to_string() }))
            }
            Err(refused) => Err(refused.into()),
        }
    }

    /// Reports the machines that an operator plans to take away, or does not any more, since these were planned.
    fn report_plan(&self, cx: &Cx, ground: &mut Ground<'_>, before: &[Text]) {
        let now = self.master.scheduled_hosts(ground.fleet());
        for host in now.iter().filter(|host| !before.contains(host)) {
            ground.fleet_mut().report_plan(cx, host, true);
        }
        for host in before.iter().filter(|host| !now.contains(host)) {
            ground.fleet_mut().report_plan(cx, host, false);
        }
    }

    fn read_maintenance(&self, ground: &Ground<'_>, input: &Maintenance) -> Result<OperatorCall, Refusal> {
        let body = &input.body;
        if body.get("type").is_some_and(Value::is_string) {
            return self.whole_call(&input.op, body);
        }
        let payload = |kind: &str, field: &str| {
            let mut call = Map::new();
            call.insert("type".to_owned(), kind.into());
            call.insert(field.to_owned(), body.clone());
            self.agent_call(&Value::Object(call))
        };
        Ok(match input.op.as_str() {
            "schedule" => OperatorCall::UpdateSchedule(decode::schedule(&with_starts(ground, body))?),
            "schedule-add" => OperatorCall::UpdateSchedule(self.schedule_with(ground, body)?),
            "schedule-remove" => OperatorCall::UpdateSchedule(self.schedule_without(body)?),
            "down" => OperatorCall::Start(decode::machine_list(body)?),
            "up" => OperatorCall::Stop(decode::machine_list(body)?),
            "drain" => payload("DRAIN_AGENT", "drain_agent")?,
            "deactivate" => payload("DEACTIVATE_AGENT", "deactivate_agent")?,
            "reactivate" => payload("REACTIVATE_AGENT", "reactivate_agent")?,
            "gone" => payload("MARK_AGENT_GONE", "mark_agent_gone")?,
            op => {
                let text = format!(
                    "`{op}` is no maintenance operation; there are schedule, schedule-add, schedule-remove, down, \
                     up, drain, deactivate, reactivate, gone"
                );
                return Err(Refusal::new(RefusalCode::BadRequest, text));
            }
        })
    }

    /// Reads a complete v1 call; it must be of the named operation.
    fn whole_call(&self, op: &str, body: &Value) -> Result<OperatorCall, Refusal> {
        let call = self.agent_call(body)?;
        let named = match &call {
            OperatorCall::UpdateSchedule(_) => "schedule",
            OperatorCall::Start(_) => "down",
            OperatorCall::Stop(_) => "up",
            OperatorCall::Drain { .. } => "drain",
            OperatorCall::Deactivate(_) => "deactivate",
            OperatorCall::Reactivate(_) => "reactivate",
            OperatorCall::MarkGone(_) => "gone",
            OperatorCall::GetStatus | OperatorCall::GetSchedule | OperatorCall::Other(_) => "",
        };
        if named == op {
            return Ok(call);
        }
        Err(Refusal::new(RefusalCode::BadRequest, format!("the call in the body is not one for `{op}`")))
    }

    /// A v1 call, with hostnames in the place of agent ids understood.
    fn agent_call(&self, body: &Value) -> Result<OperatorCall, Refusal> {
        let mut call = decode::operator_call(body)?;
        if let OperatorCall::Drain { agent_id, .. }
        | OperatorCall::Deactivate(agent_id)
        | OperatorCall::Reactivate(agent_id)
        | OperatorCall::MarkGone(agent_id) = &mut call
            && let Some(id) = self.master.agent_id_on(agent_id)
        {
            *agent_id = id;
        }
        Ok(call)
    }

    /// The schedule with windows added; their machines leave the windows they were in.
    fn schedule_with(&self, ground: &Ground<'_>, body: &Value) -> Result<Schedule, Refusal> {
        let added = decode::schedule(&with_starts(ground, body))?;
        let moved: SortedSet<_> = added.machines().map(|(id, _)| id.key()).collect();
        let mut schedule = self.master.schedule().without(&moved);
        schedule.windows.extend(added.windows);
        Ok(schedule)
    }

    /// The schedule with machines taken out.
    fn schedule_without(&self, body: &Value) -> Result<Schedule, Refusal> {
        let machines = decode::machine_list(body)?;
        let schedule = self.master.schedule();
        let there: SortedSet<_> = schedule.machines().map(|(id, _)| id.key()).collect();
        if machines.is_empty() {
            return Err(Refused::EmptyList.into());
        }
        if let Some(id) = machines.iter().find(|id| !there.contains(&id.key())) {
            return Err(Refused::NotScheduled(id.clone()).into());
        }
        Ok(schedule.without(&machines.iter().map(MachineId::key).collect()))
    }
}

/// Returns the body with starts of the form `{"in_ms": N}` put as calendar time.
fn with_starts(ground: &Ground<'_>, body: &Value) -> Value {
    let mut body = body.clone();
    let now_ms = i64::try_from(ground.epoch_ms.saturating_add(ground.now.ms())).unwrap_or(i64::MAX);
    let windows = match body.get_mut("windows") {
        Some(Value::Array(windows)) => windows.as_mut_slice(),
        Some(window) => std::slice::from_mut(window),
        None => return body,
    };
    for window in windows {
        let Some(start) = window.pointer_mut("/unavailability/start") else { continue };
        if let Some(in_ms) = start.get("in_ms").and_then(Value::as_i64) {
            *start = json!({ "nanoseconds": now_ms.saturating_add(in_ms).saturating_mul(1_000_000) });
        }
    }
    body
}
