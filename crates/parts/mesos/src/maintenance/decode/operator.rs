//! Operator calls of the v1 API (`POST /api/v1`) that concern maintenance and agents.
//!
//! Source: `apache/mesos: include/mesos/v1/master/master.proto`, `src/master/validation.cpp` (master::call),
//! `src/master/http.cpp` (api). Match for these types, except that parts which do not belong to the type are
//! ignored.

use super::{Fields, Path, Reader, read_machines, read_schedule};
use crate::maintenance::{DrainConfig, MachineId, Refused, Schedule};
use planarium_protocol::Text;
use serde_json::Value;

/// A call of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorCall {
    /// GET_MAINTENANCE_STATUS.
    GetStatus,
    /// GET_MAINTENANCE_SCHEDULE.
    GetSchedule,
    /// UPDATE_MAINTENANCE_SCHEDULE.
    UpdateSchedule(Schedule),
    /// START_MAINTENANCE.
    Start(Vec<MachineId>),
    /// STOP_MAINTENANCE.
    Stop(Vec<MachineId>),
    /// DRAIN_AGENT.
    Drain {
        /// The agent's id on the wire.
        agent_id: Text,
        /// The configuration.
        config: DrainConfig,
    },
    /// DEACTIVATE_AGENT.
    Deactivate(Text),
    /// REACTIVATE_AGENT.
    Reactivate(Text),
    /// MARK_AGENT_GONE.
    MarkGone(Text),
    /// A type that exists and is handled elsewhere.
    Other(&'static str),
}

/// Types that exist and are handled elsewhere.
const OTHERS: [&str; 30] = [
    "GET_HEALTH",
    "GET_FLAGS",
    "GET_VERSION",
    "GET_METRICS",
    "GET_LOGGING_LEVEL",
    "SET_LOGGING_LEVEL",
    "LIST_FILES",
    "READ_FILE",
    "GET_STATE",
    "GET_AGENTS",
    "GET_FRAMEWORKS",
    "GET_EXECUTORS",
    "GET_OPERATIONS",
    "GET_TASKS",
    "GET_ROLES",
    "GET_WEIGHTS",
    "UPDATE_WEIGHTS",
    "GET_MASTER",
    "SUBSCRIBE",
    "RESERVE_RESOURCES",
    "UNRESERVE_RESOURCES",
    "CREATE_VOLUMES",
    "DESTROY_VOLUMES",
    "GROW_VOLUME",
    "SHRINK_VOLUME",
    "GET_QUOTA",
    "UPDATE_QUOTA",
    "SET_QUOTA",
    "REMOVE_QUOTA",
    "TEARDOWN",
];

/// Reads a call.
pub fn operator_call(body: &Value) -> Result<OperatorCall, Refused> {
    let fields = Fields::of(body)?;
    let kind = fields.text("type")?.ok_or(Refused::TypeMissing)?;
    match &*kind {
        "UNKNOWN" => Err(Refused::TypeUnknown),
        "GET_MAINTENANCE_STATUS" => Ok(OperatorCall::GetStatus),
        "GET_MAINTENANCE_SCHEDULE" => Ok(OperatorCall::GetSchedule),
        "UPDATE_MAINTENANCE_SCHEDULE" => update(&payload(&fields, "update_maintenance_schedule")?),
        "START_MAINTENANCE" => {
            Ok(OperatorCall::Start(read_machines(&payload(&fields, "start_maintenance")?, "machines")?))
        }
        "STOP_MAINTENANCE" => {
            Ok(OperatorCall::Stop(read_machines(&payload(&fields, "stop_maintenance")?, "machines")?))
        }
        "DRAIN_AGENT" => {
            let drain = payload(&fields, "drain_agent")?;
            let agent_id = agent_id(&drain, "drain_agent");
            let max_grace_ns =
                drain.message("max_grace_period")?.map(|time| duration_ns(&time)).transpose()?;
            let mark_gone = drain.flag("mark_gone")?.unwrap_or(false);
            Ok(OperatorCall::Drain { agent_id: agent_id?, config: DrainConfig { max_grace_ns, mark_gone } })
        }
        "DEACTIVATE_AGENT" => agent_of(&fields, "deactivate_agent").map(OperatorCall::Deactivate),
        "REACTIVATE_AGENT" => agent_of(&fields, "reactivate_agent").map(OperatorCall::Reactivate),
        "MARK_AGENT_GONE" => agent_of(&fields, "mark_agent_gone").map(OperatorCall::MarkGone),
        other => {
            let known = OTHERS.into_iter().find(|name| *name == other);
            known.map(OperatorCall::Other).ok_or(Refused::TypeMissing)
        }
    }
}

fn update(payload: &Fields) -> Result<OperatorCall, Refused> {
    let mut reader = Reader::default();
    let outer = Path::ROOT.field("update_maintenance_schedule");
    let path = outer.field("schedule");
    let schedule = match payload.message("schedule")? {
        Some(fields) => Some(read_schedule(&mut reader, &fields, &path)?),
        None => reader.missing(&path),
    };
    reader.finish()?;
    Ok(OperatorCall::UpdateSchedule(schedule.unwrap_or_default()))
}

fn payload<'a>(fields: &Fields<'a>, field: &'static str) -> Result<Fields<'a>, Refused> {
    fields.message(field)?.ok_or(Refused::PayloadMissing(field))
}

fn agent_of(fields: &Fields, field: &'static str) -> Result<Text, Refused> {
    agent_id(&payload(fields, field)?, field)
}

fn agent_id(payload: &Fields, field: &'static str) -> Result<Text, Refused> {
    let missing = |paths: &str| Refused::MissingFields { paths: vec![format!("{field}.{paths}")], more: 0 };
    let id = payload.message("agent_id")?.ok_or_else(|| missing("agent_id"))?;
    id.text("value")?.ok_or_else(|| missing("agent_id.value"))
}

/// Seconds and nanoseconds, both optional. More than 64 bits of nanoseconds are as good as for ever.
fn duration_ns(time: &Fields) -> Result<i64, Refused> {
    let (nanos, seconds) = (time.int("nanos")?.unwrap_or(0), time.int("seconds")?.unwrap_or(0));
    Ok(seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}
