//! Every bound of a world and of its timeline, in one place.
//!
//! Knows: numbers with reasons. Must not know: how the bounded things work.
//!
//! Reaching a bound never hangs or panics: an input beyond one is refused with `limit-reached`; a step beyond one
//! stops and reports an event; an advance beyond one stops and answers `limit_reached`.

use serde::Serialize;

/// Bounds on one input and on the work of one instant, as named by the kernel.
pub use planarium_kernel::limits::Limits;

/// The bounds in force.
pub const LIMITS: Limits = Limits::DEFAULT;

/// Longest span of time that an input or an advance may name, and the latest instant of a world: a hundred years.
/// *Units*: milliseconds.
pub const TIME_MS: u64 = LIMITS.advance_ms;

/// Maximum steps of one advance before it returns, unless the driver sets fewer
/// ([`crate::Engine::set_steps_per_advance`]).
pub const STEPS_PER_ADVANCE: u64 = 5_000_000;

/// Maximum number of events of one branch; the timeline stops there.
pub const EVENTS: u64 = 3_000_000;

/// Maximum events passed in a search for the next status change, so that a page answers quickly: frameworks without
/// plans have none. The next search continues from there.
pub const EVENTS_WITHOUT_CHANGE: u64 = 20_000;

/// Maximum number of files of one definition.
pub const FILES: usize = 2_000;

/// Names in an input (hostnames, services, tasks, patterns). *Units*: bytes.
pub const NAME_BYTES: usize = 1_024;

/// Maximum number of entries of other lists in an input (agents of a round, exit codes, attributes).
pub const LIST: usize = 10_000;

/// Memory for checkpoints, estimated. *Units*: bytes.
pub const CHECKPOINT_BYTES: u64 = 32 * 1024 * 1024;

/// Initial number of events between two checkpoints; grows when their weight exceeds the budget.
pub const CHECKPOINT_EVENTS: u64 = 100;

/// Events before the cursor whose worlds a step back keeps, so that further steps back replay nothing.
pub const TRAIL_EVENTS: u64 = 32;

/// Memory for these worlds, estimated. *Units*: bytes.
pub const TRAIL_BYTES: u64 = 4 * 1024 * 1024;

/// Largest amount of one resource on one machine, in whole units; sums over all machines then fit.
pub const AMOUNT: i64 = 1_000_000_000;

/// Worlds up to this weight are checked after every input; larger ones in debug builds only, since a check walks
/// everything. *Units*: bytes.
pub const CHECKED_BYTES: u64 = 1024 * 1024;

/// The bound that stopped an advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The span that the caller gave.
    Span,
    /// The latest instant of a world: [`TIME_MS`].
    Time,
    /// [`STEPS_PER_ADVANCE`], or the smaller number set by the driver. Another call continues.
    Steps,
    /// [`EVENTS`] of one branch.
    Events,
    /// [`EVENTS_WITHOUT_CHANGE`].
    Unchanged,
    /// [`Limits::processes`]: the world has too many processes.
    Processes,
    /// The time limit of one answer, by the driver's clock. Another call continues.
    AnswerTime,
}

impl Bound {
    /// Describes the reason for a pause.
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
