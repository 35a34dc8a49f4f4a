//! The engine: what has become of a plan so far.
//!
//! *Knows*: modes, frames, what each step shows. *Must not know*: how a call is carried out ([`super::call`]), how it is
//! shown.
//!
//! A run is a stack of frames. The top frame is the chain whose step is being worked on; a loop stands below the chain of
//! its present iteration. Moves take no time; only leaves do.

pub(crate) mod ahead;
mod check;
mod command;
mod exit;
mod finish;
mod history;
mod indices;
pub(crate) mod log;
mod run;
mod status;

pub(crate) use command::Command;
pub(crate) use history::History;
pub(crate) use indices::Indices;
pub(crate) use log::{Level, LogKind, Record};
pub(crate) use run::{Io, Move};
pub(crate) use status::Shown;

use crate::call::Leaf;
use crate::plan::{ChainId, StepId};
use planarium_kernel::{Map, SimTime, SortedMap, Table};
use planarium_protocol::Text;
use std::sync::Arc;

/// What the engine as a whole is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// There is no plan: nothing is to be done.
    NotReady,
    /// Nothing has begun.
    Ready,
    /// A step is being worked on.
    Running,
    /// It is held at an exit.
    Paused,
    /// A gate waits for a verdict.
    GateWait,
    /// It is held at the exit of a step that failed.
    ErrorWait,
    /// The plan has passed.
    Completed,
    /// The plan has failed.
    Failed,
}

impl Mode {
    /// The word of the mode.
    ///
    /// **Source**: `opsani/servo-skopos: adjust`, states of a deployment. Match.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::NotReady => "not-ready",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::GateWait => "gate-wait",
            Self::ErrorWait => "error-wait",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// Whether nothing more will happen.
    pub(crate) const fn is_final(self) -> bool {
        matches!(self, Self::NotReady | Self::Completed | Self::Failed)
    }

    /// Whether it is held at an exit.
    pub(crate) const fn is_held(self) -> bool {
        matches!(self, Self::Paused | Self::ErrorWait)
    }
}

/// Why a plan failed, other than by an exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// An operator gave it up.
    Abandoned,
    /// It would have gone on for ever.
    Guard(Text),
}

impl Reason {
    /// A short word for it.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Abandoned => "abandoned",
            Self::Guard(_) => "run-guard",
        }
    }
}

/// A level of the run.
#[derive(Clone, Debug)]
pub(crate) enum Frame {
    /// A chain with the place of its present step.
    Chain {
        chain: ChainId,
        at: u32,
        /// Number of this activation, never reused.
        activation: u64,
    },
    /// A loop with its present iteration.
    Loop { step: StepId, indices: Indices, k: u64 },
}

/// Why the plan is held at an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HoldReason {
    /// The exit says so.
    Exit,
    /// A step failed, and the run is interactive.
    Error,
    /// An operator asked for it.
    Operator,
    /// One step was asked for.
    Step,
}

/// A hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    /// The step at whose exit it is, and the exit; none before the first step.
    pub(crate) at: Option<(StepId, bool)>,
    pub(crate) reason: HoldReason,
    pub(crate) since: SimTime,
}

/// What has become of a step.
#[derive(Clone, Debug)]
pub(crate) struct StepRun {
    pub(crate) shown: Shown,
    /// How often it was entered.
    pub(crate) entries: u32,
    /// How often it was entered in the present activation of its chain.
    pub(crate) visits: u32,
    pub(crate) activation: u64,
    /// The latest result.
    pub(crate) result: Option<bool>,
    /// How often its exits were taken: pass, fail.
    pub(crate) taken: [u32; 2],
    /// Since when it shows what it shows.
    pub(crate) since: SimTime,
    /// Number of the event that told it.
    pub(crate) event: u64,
    /// Why it failed last.
    pub(crate) note: Option<Text>,
    /// Its last call with names replaced, where there were any.
    pub(crate) called: Option<Text>,
}

impl StepRun {
    pub(crate) const fn new() -> Self {
        Self {
            shown: Shown::Pending,
            entries: 0,
            visits: 0,
            activation: 0,
            result: None,
            taken: [0, 0],
            since: SimTime::ZERO,
            event: 0,
            note: None,
            called: None,
        }
    }
}

/// The latest run of a loop.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopRun {
    /// How many iterations there are to be.
    pub(crate) planned: u64,
    pub(crate) iterations: Table<Iteration, 16>,
}

/// An iteration of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Iteration {
    /// The slot.
    pub(crate) index: u64,
    pub(crate) result: Option<bool>,
    /// What each step of the chain shows for it.
    pub(crate) cells: Vec<Shown>,
}

/// A step that has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(crate) at: SimTime,
    pub(crate) step: StepId,
    pub(crate) index: Option<u64>,
    pub(crate) passed: bool,
}

/// What has become of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) mode: Mode,
    pub(crate) passed: Option<bool>,
    pub(crate) reason: Option<Reason>,
    pub(crate) stack: Vec<Frame>,
    pub(crate) pause_requested: bool,
    pub(crate) step_mode: bool,
    pub(crate) interactive: bool,
    pub(crate) hold: Option<Hold>,
    pub(crate) leaf: Option<Leaf>,
    pub(crate) steps: Table<StepRun, 16>,
    pub(crate) loops: Map<StepId, Arc<LoopRun>>,
    pub(crate) log: History<Record>,
    pub(crate) trace: History<Trace>,
    /// Steps entered.
    pub(crate) executions: u32,
    /// Activations of chains so far.
    pub(crate) activations: u64,
    /// How often each planned failure has struck.
    pub(crate) struck: SortedMap<u32, u64>,
    /// How often each script has run.
    pub(crate) script_runs: SortedMap<Text, u32>,
    /// The exit that was taken last.
    pub(crate) last_exit: Option<(StepId, bool)>,
    pub(crate) started: Option<SimTime>,
    pub(crate) ended: Option<SimTime>,
    /// Number of the last event about the plan as a whole.
    pub(crate) event: u64,
    pub(crate) since: SimTime,
}

impl Run {
    /// A run that has not begun, of a plan with this many steps.
    pub(crate) fn new(steps: usize, mode: Mode, interactive: bool, now: SimTime) -> Self {
        Self {
            mode,
            passed: None,
            reason: None,
            stack: Vec::new(),
            pause_requested: false,
            step_mode: false,
            interactive,
            hold: None,
            leaf: None,
            steps: (0..steps).map(|_| StepRun::new()).collect(),
            loops: Map::new(),
            log: History::new(),
            trace: History::new(),
            executions: 0,
            activations: 0,
            struck: SortedMap::new(),
            script_runs: SortedMap::new(),
            last_exit: None,
            started: None,
            ended: None,
            event: 0,
            since: now,
        }
    }

    pub(crate) fn step(&self, id: StepId) -> Option<&StepRun> {
        self.steps.get(id.index())
    }

    /// The slot of the innermost loop.
    pub(crate) fn index(&self) -> Option<u64> {
        self.stack.iter().rev().find_map(|frame| match frame {
            Frame::Loop { indices, k, .. } => Some(indices.at(*k)),
            Frame::Chain { .. } => None,
        })
    }
}
