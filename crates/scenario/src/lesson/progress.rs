//! Progress of a try as plain data: every check's state, the verdict and the score.

use super::account::Account;
use super::model::Role;
use serde::Serialize;

/// State of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Came true; for a `Never` check, did not come true until the lesson was passed.
    Met,
    /// Still open.
    #[default]
    NotYet,
    /// Cannot be met any more.
    Lost,
}

/// The verdict over a try.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum Verdict {
    /// The try continues.
    #[default]
    Open,
    /// All goals are met and no check is lost.
    Passed {
        /// When. *Units*: milliseconds since genesis.
        at_ms: u64,
    },
    /// A check is lost.
    Lost {
        /// When. *Units*: milliseconds since genesis.
        at_ms: u64,
        /// The check that was lost first.
        check: String,
    },
}

/// State of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckProgress {
    /// Name.
    pub id: String,
    /// Goal, or what must never be.
    pub role: Role,
    /// The check as written.
    pub check: String,
    /// State.
    pub state: State,
    /// Instant at which it was met or lost. *Units*: milliseconds since genesis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
    /// Why it was lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
}

/// The result of a try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// Commands that were not refused.
    pub commands: u64,
    /// Time until the last goal was met, or until now. *Units*: milliseconds.
    pub time_ms: u64,
    /// Time in which required instances were missing. *Units*: milliseconds.
    pub unavailable_ms: u64,
}

impl Score {
    /// Returns the stars: one for each measure not above par.
    pub fn stars(&self, par: &Self) -> u8 {
        u8::from(self.commands <= par.commands)
            + u8::from(self.time_ms <= par.time_ms)
            + u8::from(self.unavailable_ms <= par.unavailable_ms)
    }
}

/// Progress of a try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Current instant. *Units*: milliseconds since genesis.
    pub now_ms: u64,
    /// Verdict.
    pub verdict: Verdict,
    /// Goals first.
    pub checks: Vec<CheckProgress>,
    /// Score so far.
    pub score: Score,
}
