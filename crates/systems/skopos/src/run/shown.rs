//! Shown states of steps.
//!
//! *Knows*: the states of steps and their words. *Must not know*: when they change.

/// Shown states of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shown {
    /// Not entered yet.
    Pending,
    /// Being worked on, or something inside it is.
    Running,
    /// A gate that waits for a verdict.
    Waiting,
    /// The exit before it is held.
    Paused,
    /// Its latest result.
    Passed,
    /// Its latest result.
    Failed,
    /// Its chain has ended without it.
    Skipped,
}

impl Shown {
    /// All of them.
    pub(crate) const ALL: [Self; 7] = [
        Self::Pending,
        Self::Running,
        Self::Waiting,
        Self::Paused,
        Self::Passed,
        Self::Failed,
        Self::Skipped,
    ];

    /// The word of the state.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// The state of a result.
    pub(crate) const fn of(passed: bool) -> Self {
        if passed { Self::Passed } else { Self::Failed }
    }

    /// Returns whether it is being worked on.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Waiting)
    }
}
