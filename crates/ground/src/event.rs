//! Reports of the fleet to the parts that run processes on it.

use crate::spec::{MachineId, Owner, ProcessId};
use planarium_kernel::Cause;
use planarium_protocol::{Text, input::Target};

/// One report. Handle it under its cause.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetEvent {
    /// The event or input that caused it.
    pub cause: Cause,
    /// Owner of the process it is about; none when it is about machines or everything.
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

/// Why a process ended by itself.
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
    /// Gone with everything on it; comes back rebooted.
    Lost,
    /// Silent both ways; everything on it goes on.
    Partitioned,
    /// Only the agent process is away; everything else goes on.
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
    /// The machine has taken the process on and is starting it.
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
        /// Its exit code; none when it timed out.
        exit_code: Option<i32>,
        /// Counted from 1 for this process.
        attempt: u32,
    },
    /// A check from outside gave a result: each that failed, and one that passed unless the one before it did.
    Watched {
        /// Which process.
        pid: ProcessId,
        /// The number that its owner gave it.
        number: u32,
        /// Its exit code; none when nothing answered in time.
        exit_code: Option<i32>,
    },
    /// A health check gave a result worth telling: a failure outside the grace period, or the first success
    /// or first success after failures.
    Health {
        /// Which process.
        pid: ProcessId,
        /// The result.
        healthy: bool,
    },
    /// The process ended by itself.
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
        /// Because its health check failed too often.
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
    /// An operator plans to take the machines of a hostname away for a while, or does so no longer.
    AbsencePlanned {
        /// Which machines.
        hostname: Text,
        /// They are to go.
        planned: bool,
    },
    /// An owner's holdings on a machine have changed, so others may take more or less of it.
    HoldingsChanged {
        /// Which machine.
        machine: MachineId,
        /// Owner whose holdings changed.
        by: Owner,
    },
    /// The set of withheld offers has changed; see [`crate::Fleet::offers_withheld`].
    OffersChanged,
    /// Whoever keeps the books of the machines is replaced by somebody who knows no more than was written down.
    MasterFailover,
    /// Scheduler processes restart: those whose service matches.
    SchedulerRestart {
        /// Which.
        target: Box<Target>,
    },
}
