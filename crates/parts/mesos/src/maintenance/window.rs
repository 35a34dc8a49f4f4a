//! A window: machines that share an unavailability.
//!
//! *Units*: nanoseconds in whole 64-bit numbers, exact from end to end; they are larger than a double can
//! hold, so they never pass through one.
//! Source: `apache/mesos: include/mesos/maintenance/maintenance.proto`, `include/mesos/v1/mesos.proto`.
//! Match.

use super::{MachineId, Unavailability};
use planarium_kernel::Digestible;
use serde_json::{Map, Value};

/// Machines with the interval in which they are expected to be unavailable.
#[derive(Clone, Debug, PartialEq, Eq, Digestible)]
#[digest(machine_ids.len(), each machine_ids.iter().map(ToString::to_string))]
pub struct Window {
    /// The machines.
    pub machine_ids: Vec<MachineId>,
    /// The interval.
    pub unavailability: Unavailability,
}

impl Window {
    /// As JSON; an empty list is left out.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        if !self.machine_ids.is_empty() {
            fields.insert("machine_ids".into(), self.machine_ids.iter().map(MachineId::to_json).collect());
        }
        fields.insert("unavailability".into(), self.unavailability.to_json());
        Value::Object(fields)
    }
}

impl Unavailability {
    /// As JSON, in whole nanoseconds.
    pub fn to_json(self) -> Value {
        let mut fields = Map::new();
        fields.insert("start".into(), nanoseconds(self.start_ns));
        if let Some(duration_ns) = self.duration_ns {
            fields.insert("duration".into(), nanoseconds(duration_ns));
        }
        Value::Object(fields)
    }
}

/// `{"nanoseconds": n}`.
pub(super) fn nanoseconds(ns: i64) -> Value {
    let mut fields = Map::new();
    fields.insert("nanoseconds".into(), Value::from(ns));
    Value::Object(fields)
}
