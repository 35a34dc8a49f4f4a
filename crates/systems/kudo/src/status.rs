//! The words that plans, phases and steps show.

use planarium_protocol::Text;

/// Status of a plan, a phase or a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Never started.
    #[default]
    NeverRun,
    /// Started, and not looked at yet.
    Pending,
    /// Under way.
    InProgress,
    /// Done.
    Complete,
    /// Failed, and tried again.
    Error,
    /// Failed permanently.
    FatalError,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::NeverRun, Self::Pending, Self::InProgress, Self::Complete, Self::Error, Self::FatalError];

    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NeverRun => "NEVER_RUN",
            Self::Pending => "PENDING",
            Self::InProgress => "IN_PROGRESS",
            Self::Complete => "COMPLETE",
            Self::Error => "ERROR",
            Self::FatalError => "FATAL_ERROR",
        }
    }

    /// The status of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// Ended well or badly.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Complete | Self::FatalError)
    }

    /// Ended well.
    pub const fn is_finished(self) -> bool {
        matches!(self, Self::Complete)
    }

    /// Returns whether it is running, in any state.
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Pending | Self::InProgress | Self::Error)
    }

    /// The word as shared text.
    pub fn text(self) -> Text {
        Text::from(self.word())
    }
}
