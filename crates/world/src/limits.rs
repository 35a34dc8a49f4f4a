//! Every bound of a world and of its timeline, in one place.
//!
//! Knows: numbers with reasons. Must not know: what it bounds does.
//!
//! Reaching a bound is never a hang and never a panic: an input beyond one is refused with
//! `limit-reached`, a step beyond one stops and says so in an event, an advance beyond one stops and
//! answers `limit_reached`.

use serde::Serialize;

/// Bounds on what one input may ask for and on what one instant may do, as the kernel names them.
pub use planarium_kernel::limits::Limits;

/// The bounds in force.
pub const LIMITS: Limits = Limits::DEFAULT;

/// Longest span of time that an input or an advance may name, and the latest instant a world reaches:
/// a hundred years. *Units*: milliseconds.
pub const TIME_MS: u64 = LIMITS.advance_ms;

/// Steps that one advance takes before it hands control back, unless the driver asks for fewer
/// ([`crate::Engine::set_steps_per_advance`]).
pub const STEPS_PER_ADVANCE: u64 = 5_000_000;

/// Events one branch holds; a timeline does not go on beyond them.
pub const EVENTS: u64 = 3_000_000;

/// Events that looking for the next change of a status passes, so that a page answers soon: where tasks of a framework
/// without plans come and go, there is none. Asking again goes on from there.
pub const EVENTS_WITHOUT_CHANGE: u64 = 20_000;

/// Files that one definition may bring.
pub const FILES: usize = 2_000;

/// Names in an input (hostnames, services, tasks, patterns). *Units*: bytes.
pub const NAME_BYTES: usize = 1_024;

/// Entries in a list that an input brings beside files (agents of a round, exit codes, attributes).
pub const LIST: usize = 10_000;

/// Memory that checkpoints may take, by estimate. *Units*: bytes.
pub const CHECKPOINT_BYTES: u64 = 32 * 1024 * 1024;

/// Events between two checkpoints to begin with; grows when their weight exceeds the budget.
pub const CHECKPOINT_EVENTS: u64 = 100;

/// Events before the cursor whose worlds a step back leaves at hand, so that the next ones replay nothing.
pub const TRAIL_EVENTS: u64 = 32;

/// Memory that these worlds may take, by estimate. *Units*: bytes.
pub const TRAIL_BYTES: u64 = 4 * 1024 * 1024;

/// Largest amount of one resource on one machine, in whole units; sums over all machines then fit.
pub const AMOUNT: i64 = 1_000_000_000;

/// Worlds up to this weight are looked at after every input; looking at larger ones, which walks everything, is
/// for debug builds. *Units*: bytes.
pub const CHECKED_BYTES: u64 = 1024 * 1024;

/// The bound that an advance stopped at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The span that the caller gave.
    Span,
    /// The latest instant that a world reaches: [`TIME_MS`].
    Time,
    /// [`STEPS_PER_ADVANCE`], or the smaller number that the driver asked for. Asking again goes on.
    Steps,
    /// [`EVENTS`] of one branch.
    Events,
    /// [`EVENTS_WITHOUT_CHANGE`].
    Unchanged,
    /// [`Limits::processes`]: the world holds more processes than it may.
    Processes,
    /// The time that one answer may take, by the driver's clock. Asking again goes on.
    AnswerTime,
}

impl Bound {
    /// The reason for a pause, in words.
    pub fn text(self) -> String {
        match self {
            Self::Span => "the time given is over".to_owned(),
            Self::Time => "a world ends after a hundred years".to_owned(),
            Self::Steps => "one advance takes no more steps; ask again to go on".to_owned(),
            Self::Events => format!("a run holds at most {EVENTS} events"),
            Self::Unchanged => {
                format!(
                    "{EVENTS_WITHOUT_CHANGE} events passed without a change of a status; ask again to go on"
                )
            }
            Self::Processes => {
                format!(
                    "a world holds at most {} processes: step back, or start over with fewer instances",
                    LIMITS.processes
                )
            }
            Self::AnswerTime => "one answer takes no longer; ask again to go on".to_owned(),
        }
    }
}
