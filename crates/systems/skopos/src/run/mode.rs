//! Modes of the plan as a whole, and the reasons for a hold or an end.
//!
//! *Knows*: modes, holds, reasons and their words. *Must not know*: when they change.

use crate::plan::StepId;
use planarium_kernel::SimTime;
use planarium_protocol::Text;

/// Modes of the engine as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// Nothing is to be done, so there is no plan.
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

    /// Returns whether nothing more will happen.
    pub(crate) const fn is_final(self) -> bool {
        matches!(self, Self::NotReady | Self::Completed | Self::Failed)
    }

    /// Returns whether it is held at an exit.
    pub(crate) const fn is_held(self) -> bool {
        matches!(self, Self::Paused | Self::ErrorWait)
    }
}

/// All modes.
pub(crate) const MODES: [Mode; 8] = [
    Mode::NotReady,
    Mode::Ready,
    Mode::Running,
    Mode::Paused,
    Mode::GateWait,
    Mode::ErrorWait,
    Mode::Completed,
    Mode::Failed,
];

/// Why a plan failed, other than by an exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// An operator gave it up.
    Abandoned,
    /// The endless plan was stopped.
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

/// Why the plan is held at an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HoldReason {
    /// The exit requests it.
    Exit,
    /// A step failed, and the run is interactive.
    Error,
    /// An operator asked for it.
    Operator,
    /// One step was asked for.
    Step,
}

impl HoldReason {
    /// Why it is held, as the end of a sentence.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Exit => "its exit says so",
            Self::Error => "a step failed and the run is interactive",
            Self::Operator => "an operator asked for it",
            Self::Step => "one step was asked for",
        }
    }
}

/// A hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    /// The step at whose exit it is, and the exit; none before the first step.
    pub(crate) at: Option<(StepId, bool)>,
    pub(crate) reason: HoldReason,
    pub(crate) since: SimTime,
}
