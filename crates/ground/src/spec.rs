//! Specifications of machines and processes.

use crate::labels::Labels;
use planarium_kernel::id_types;
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
    /// The command; see the module `convention` for what it can say about its own outcome.
    pub command: Text,
    /// From running to the first check.
    pub delay_ms: u64,
    /// From one result to the next check.
    pub interval_ms: u64,
    /// After this long a check without a result counts as failed.
    pub timeout_ms: u64,
}

/// A check whose repeated failure ends the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthSpec {
    /// The check itself.
    pub check: CheckSpec,
    /// Failures are ignored this long after running, until the first success.
    pub grace_ms: u64,
    /// Number of failures in a row that end the process.
    pub max_failures: u32,
}

/// A program: command, image and checks, whoever runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Runs on until it is ended (true), or ends by itself with exit code 0 (false).
    pub lives: bool,
    /// Nobody has said whether it is to end: a command that plainly ends does so ([`crate::plain_end`]), any other runs on.
    pub goalless: bool,
    /// The command.
    pub command: Text,
    /// Exit code of a process that ends by itself, where whoever launches it knows the code; otherwise the command says.
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

/// Number of the part that started a process and hears of it. This crate gives the numbers no meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
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
    /// Time between being asked to end and being ended, when a failing health check asks.
    pub grace_ms: u64,
}

impl ProcessSpec {
    /// Its name, and the id of the instance of the task that it runs, for events about it.
    pub(crate) fn named(&self) -> (Text, Text) {
        (self.name.clone(), self.labels.task_id())
    }
}
