//! Reports of the fleet to the parts that run processes on it.

use crate::spec::{MachineId, Owner, ProcessId};
use planarium_kernel::Cause;
use planarium_protocol::{Text, input::Target};

/// One report. Handle it with its cause.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetEvent {
    /// The event or input that caused it.
    pub cause: Cause,
    /// Owner of the process; `None` for reports about machines or everything.
    pub owner: Option<Owner>,
    /// The fact reported.
    pub kind: FleetEventKind,
}

/// Which check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckKind {
    /// Result is only reported.
    Readiness,
    /// Repeated failure ends the process.
    Health,
}

impl CheckKind {
    /// The word used in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Readiness => "readiness",
            Self::Health => "health",
        }
    }
}

/// Why a process ended on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitReason {
    /// It exited with a code.
    Exit,
    /// It used more memory than it may.
    Oom,
    /// Its image could not be fetched.
    ImageMissing,
    /// The machine had no room to start it.
    MachineFull,
}

/// In which way a machine is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Absence {
    /// Lost with everything on it; comes back rebooted.
    Lost,
    /// Disconnected in both directions; everything on it keeps running.
    Partitioned,
    /// Only the agent process is down; everything else keeps running.
    AgentRestart,
}

impl Absence {
    /// The word used in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Partitioned => "partitioned",
            Self::AgentRestart => "agent-restart",
        }
    }
}

/// The kinds of report.
#[derive(Clone, Debug, PartialEq)]
pub enum FleetEventKind {
    /// The machine has accepted the process and is starting it.
    Started {
        /// Which process.
        pid: ProcessId,
    },
    /// The process runs.
    Running {
        /// Which process.
        pid: ProcessId,
    },
    /// A readiness check gave a result.
    Check {
        /// Which process.
        pid: ProcessId,
        /// Its exit code; `None` on a timeout.
        exit_code: Option<i32>,
        /// Counted from 1 for this process.
        attempt: u32,
    },
    /// A result of an external check: every failure, and every success after a failure or at first.
    Watched {
        /// Which process.
        pid: ProcessId,
        /// The number given by its owner.
        number: u32,
        /// Its exit code; `None` if nothing answered in time.
        exit_code: Option<i32>,
    },
    /// A reportable result of a health check: a failure outside the grace period, or the first success, also after
    /// failures.
    Health {
        /// Which process.
        pid: ProcessId,
        /// The result.
        healthy: bool,
    },
    /// The process ended on its own.
    Exited {
        /// Which process.
        pid: ProcessId,
        /// Exit code.
        code: i32,
        /// Why.
        reason: ExitReason,
        /// For people.
        message: Text,
    },
    /// The process was ended from outside.
    Killed {
        /// Which process.
        pid: ProcessId,
        /// Its health check failed too often.
        unhealthy: bool,
        /// Before it was running.
        during_launch: bool,
        /// For people.
        message: Text,
    },
    /// A machine is away.
    MachineLost {
        /// Which machine.
        machine: MachineId,
        /// In which way.
        how: Absence,
    },
    /// A machine is back.
    MachineReturned {
        /// Which machine.
        machine: MachineId,
        /// In which way it had been away.
        how: Absence,
    },
    /// An operator plans to take a hostname's machines away, or has cancelled the plan.
    AbsencePlanned {
        /// Which machines.
        hostname: Text,
        /// They are to go.
        planned: bool,
    },
    /// An owner's allocation on a machine changed, so others may take more or less.
    HoldingsChanged {
        /// Which machine.
        machine: MachineId,
        /// Owner whose holdings changed.
        by: Owner,
    },
    /// The set of withheld offers changed; see [`crate::Fleet::offers_withheld`].
    OffersChanged,
    /// A new leader takes over the cluster state, knowing only what was persisted.
    MasterFailover,
    /// Scheduler processes of matching services restart.
    SchedulerRestart {
        /// Which.
        target: Box<Target>,
    },
}
