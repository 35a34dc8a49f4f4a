//! Every bound of a world and of its timeline, in one place.
//!
//! Knows: numbers with reasons. Must not know: what it bounds does.
//!
//! Reaching a bound is never a hang and never a panic: an input beyond one is refused with
//! `limit-reached`, a step beyond one stops and says so in an event, an advance beyond one stops and
//! answers `limit_reached`.

/// Bounds on what one input may ask for and on what one instant may do, as the kernel names them.
pub use planarium_kernel::limits::Limits;

/// The bounds in force.
pub const LIMITS: Limits = Limits::DEFAULT;

/// Longest span of time that an input or an advance may name, and the latest instant a world reaches:
/// a hundred years. *Units*: milliseconds.
pub const TIME_MS: u64 = LIMITS.advance_ms;

/// Steps that one advance takes before it hands control back.
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
