//! Specifications of machines and processes.

use crate::labels::Labels;
use planarium_kernel::{Digestible, id_types};
use planarium_protocol::{Text, input::Resources};
use std::collections::BTreeMap;

id_types! {
    /// A machine. Never reused.
    pub MachineId;
    /// A process. Never reused.
    pub ProcessId;
}

/// A machine as it joins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineSpec {
    /// Hostname.
    pub hostname: Text,
    /// Address.
    pub ip: Text,
    /// Fault domain region.
    pub region: Option<Text>,
    /// Fault domain zone.
    pub zone: Option<Text>,
    /// Attributes by name.
    pub attributes: Vec<(Text, Text)>,
    /// Its unreserved resources.
    pub resources: Resources,
    /// Its static reservations, by role.
    pub roles: BTreeMap<String, Resources>,
}

/// A check whose result is only reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSpec {
    /// The command; see the module `convention` for the outcomes that it can request.
    pub command: Text,
    /// From running to the first check.
    pub delay_ms: u64,
    /// Time from one result to the next check.
    pub interval_ms: u64,
    /// Timeout after which a check counts as failed.
    pub timeout_ms: u64,
}

/// A check whose repeated failure ends the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthSpec {
    /// The check itself.
    pub check: CheckSpec,
    /// Failures are ignored this long after running, until the first success.
    pub grace_ms: u64,
    /// Number of consecutive failures that end the process.
    pub max_failures: u32,
}

/// A program: command, image and checks, independent of the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Runs until it is ended (true), or ends on its own with exit code 0 (false).
    pub lives: bool,
    /// The goal is unknown: a command with a predictable end ends ([`crate::plain_end`]), any other keeps running.
    pub goalless: bool,
    /// The command.
    pub command: Text,
    /// Exit code of a process that ends on its own, if its owner sets it; otherwise the command decides.
    pub code: Option<i32>,
    /// The container image.
    pub image: Option<Text>,
    /// Check that is only reported.
    pub readiness: Option<CheckSpec>,
    /// Check that ends the process.
    pub health: Option<HealthSpec>,
}

impl Default for Program {
    /// Runs on without checks.
    fn default() -> Self {
        Self {
            lives: true,
            goalless: false,
            command: "".into(),
            code: None,
            image: None,
            readiness: None,
            health: None,
        }
    }
}

/// Number of the part that started a process and receives its reports. This crate gives the numbers no meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Digestible)]
#[digest(0)]
pub struct Owner(pub u32);

/// A process to launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSpec {
    /// Owner that starts it.
    pub owner: Owner,
    /// Name; the key of its random draws together with the label `service`.
    pub name: Text,
    /// Its machine.
    pub machine: MachineId,
    /// Labels that targets match on.
    pub labels: Labels,
    /// The program it runs.
    pub program: Program,
    /// Time from a failing health check's request to end until the end is forced.
    pub grace_ms: u64,
}

impl ProcessSpec {
    /// Its name, and the id of its task instance, for events about it.
    pub(crate) fn named(&self) -> (Text, Text) {
        (self.name.clone(), self.labels.task_id())
    }
}
