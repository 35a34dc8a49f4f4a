//! Why a call is refused: class, status code, plain text.
//!
//! Source: `apache/mesos: src/master/maintenance.cpp`, `src/master/http.cpp`,
//! `3rdparty/stout/include/stout/protobuf.hpp`. Match in the class of each fault, in the order in which faults
//! are found and in status codes; the wording is ours.

use super::MachineId;
use planarium_protocol::{
    Text,
    refusal::{Refusal, RefusalCode},
};
use std::fmt;

/// Why a call was refused. State is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The body is not JSON.
    NotJson(Text),
    /// The body, or an element of it, is not an object.
    NotAnObject,
    /// The body is not an array.
    NotAnArray,
    /// A field has a value of another type.
    WrongType {
        /// The field.
        field: &'static str,
        /// The type it should have: `string`, `number`, `boolean`, `array`, `object`.
        found: &'static str,
    },
    /// A field's text or number is out of range or malformed.
    BadValue {
        /// The field.
        field: &'static str,
        /// The expected text.
        text: Text,
    },
    /// Required fields are missing.
    MissingFields {
        /// Their paths, limited in number.
        paths: Vec<String>,
        /// Number of further entries.
        more: u64,
    },
    /// A v1 call without a type, or with an unknown one.
    TypeMissing,
    /// A v1 call of the type UNKNOWN.
    TypeUnknown,
    /// A v1 call without the part that its type needs.
    PayloadMissing(&'static str),
    /// A window without machines.
    EmptyWindow,
    /// A negative duration.
    NegativeDuration,
    /// A machine with neither host name nor address.
    EmptyMachine,
    /// An address that is not four decimal numbers.
    BadIp(Text),
    /// A machine that occurs twice.
    MachineTwice(MachineId),
    /// A DOWN machine is missing from the new schedule.
    DownMachineDropped(MachineId),
    /// A list without machines.
    EmptyList,
    /// An unknown machine, which is in no schedule.
    NotScheduled(MachineId),
    /// A machine to be taken down is not DRAINING.
    NotDraining(MachineId),
    /// A machine to be brought up is not DOWN.
    NotDown(MachineId),
    /// The caller is not authorized.
    Forbidden,
    /// The agent to be drained is on a machine of the schedule.
    AgentScheduled,
    /// The agent lacks the capability to drain.
    CannotDrain,
    /// Unknown agent (400).
    UnknownAgent,
    /// Unknown agent (404, mark gone only).
    NoSuchAgent,
    /// The agent is being marked gone.
    BeingMarkedGone,
    /// The agent is not deactivated.
    NotDeactivated,
    /// The agent has not finished draining.
    StillDraining,
    /// The agent is not registered; its flags were cleared nevertheless.
    NotRegistered,
    /// The agent is being removed, or marked unreachable or gone.
    InTransition,
}

impl Refused {
    /// Its HTTP status.
    pub const fn status(&self) -> u16 {
        match self {
            Self::Forbidden => 403,
            Self::NoSuchAgent => 404,
            Self::BeingMarkedGone | Self::NotRegistered => 409,
            Self::TypeUnknown => 501,
            Self::InTransition => 503,
            _ => 400,
        }
    }

    /// A stable word for the class of the fault.
    pub const fn class(&self) -> &'static str {
        match self {
            Self::NotJson(_) => "not-json",
            Self::NotAnObject => "not-an-object",
            Self::NotAnArray => "not-an-array",
            Self::WrongType { .. } => "wrong-type",
            Self::BadValue { .. } => "bad-value",
            Self::MissingFields { .. } => "missing-fields",
            Self::TypeMissing => "type-missing",
            Self::TypeUnknown => "type-unknown",
            Self::PayloadMissing(_) => "payload-missing",
            Self::EmptyWindow => "empty-window",
            Self::NegativeDuration => "negative-duration",
            Self::EmptyMachine => "empty-machine",
            Self::BadIp(_) => "bad-ip",
            Self::MachineTwice(_) => "machine-twice",
            Self::DownMachineDropped(_) => "down-machine-dropped",
            Self::EmptyList => "empty-list",
            Self::NotScheduled(_) => "not-scheduled",
            Self::NotDraining(_) => "not-draining",
            Self::NotDown(_) => "not-down",
            Self::Forbidden => "forbidden",
            Self::AgentScheduled => "agent-scheduled",
            Self::CannotDrain => "cannot-drain",
            Self::UnknownAgent => "unknown-agent",
            Self::NoSuchAgent => "no-such-agent",
            Self::BeingMarkedGone => "being-marked-gone",
            Self::NotDeactivated => "not-deactivated",
            Self::StillDraining => "still-draining",
            Self::NotRegistered => "not-registered",
            Self::InTransition => "in-transition",
        }
    }

    const fn code(&self) -> RefusalCode {
        match self {
            Self::UnknownAgent | Self::NoSuchAgent | Self::NotScheduled(_) => RefusalCode::NotFound,
            Self::TypeUnknown => RefusalCode::Unsupported,
            Self::DownMachineDropped(_)
            | Self::NotDraining(_)
            | Self::NotDown(_)
            | Self::AgentScheduled
            | Self::CannotDrain
            | Self::BeingMarkedGone
            | Self::NotDeactivated
            | Self::StillDraining
            | Self::NotRegistered
            | Self::InTransition => RefusalCode::Conflict,
            _ => RefusalCode::BadRequest,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(why) => write!(f, "Body is not JSON: {why}"),
            Self::NotAnObject => f.write_str("JSON object expected"),
            Self::NotAnArray => f.write_str("JSON array expected"),
            Self::WrongType { field, found } => write!(f, "Field '{field}' cannot be a JSON {found}"),
            Self::BadValue { field, text } => write!(f, "Field '{field}' cannot be '{text}'"),
            Self::MissingFields { paths, more: 0 } => {
                write!(f, "Required fields missing: {}", paths.join(", "))
            }
            Self::MissingFields { paths, more } => {
                write!(f, "Required fields missing: {}, and {more} more", paths.join(", "))
            }
            Self::TypeMissing => f.write_str("Call needs a known 'type'"),
            Self::TypeUnknown => f.write_str("Call type UNKNOWN is not implemented"),
            Self::PayloadMissing(field) => write!(f, "Call of this type needs '{field}'"),
            Self::EmptyWindow => f.write_str("Maintenance window has an empty list of machines"),
            Self::NegativeDuration => f.write_str("'duration' of an unavailability is negative"),
            Self::EmptyMachine => f.write_str("Machine has neither 'hostname' nor 'ip'"),
            Self::BadIp(ip) => write!(f, "'{ip}' is not an IPv4 address"),
            Self::MachineTwice(id) => write!(f, "Machine '{id}' is listed more than once"),
            Self::DownMachineDropped(id) => {
                write!(f, "Machine '{id}' is DOWN (deactivated) and has to stay in the schedule")
            }
            Self::EmptyList => f.write_str("Empty list of machines"),
            Self::NotScheduled(id) => write!(f, "Machine '{id}' is not in the maintenance schedule"),
            Self::NotDraining(id) => write!(f, "Machine '{id}' cannot be brought down: not in DRAINING mode"),
            Self::NotDown(id) => write!(f, "Machine '{id}' cannot be brought up: not in DOWN mode"),
            Self::Forbidden => f.write_str("Not permitted"),
            Self::AgentScheduled => {
                f.write_str("Agent cannot be drained: its machine is in the maintenance schedule")
            }
            Self::CannotDrain => {
                f.write_str("Agent cannot be drained: it lacks the AGENT_DRAINING capability")
            }
            Self::UnknownAgent => f.write_str("Unknown agent"),
            Self::NoSuchAgent => f.write_str("Agent not found"),
            Self::BeingMarkedGone => f.write_str("Agent is being marked gone"),
            Self::NotDeactivated => f.write_str("Agent is not deactivated"),
            Self::StillDraining => f.write_str("Agent is still DRAINING"),
            Self::NotRegistered => f.write_str("Agent is not registered at present"),
            Self::InTransition => f.write_str("Agent is in transition; try again"),
        }
    }
}

impl From<&Refused> for Refusal {
    fn from(refused: &Refused) -> Self {
        Self {
            code: refused.code(),
            message: refused.to_string(),
            status: refused.status(),
            body: None,
            told: None,
        }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Self::from(&refused)
    }
}
