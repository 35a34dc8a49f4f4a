//! Bounds that keep every step finite, whatever the input.
//!
//! *Knows*: numbers with names. *Must not know*: the code that applies them. That code reports a reached bound as an event;
//! it neither hangs nor panics.

/// Named bounds of one world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Events of one instant; beyond, the rest waits for the next millisecond.
    pub events_per_instant: u32,
    /// Rounds of messages in one instant; beyond, the rest waits for the next millisecond.
    pub rounds_per_instant: u32,
    /// Timers fired within one input before the rest is left to the next input.
    pub timers_per_input: u32,
    /// Longest time that one input may advance. *Units*: milliseconds.
    pub advance_ms: u64,
    /// Machines in one world.
    pub machines: u32,
    /// Definitions running in one world.
    pub services: u32,
    /// Instances of one definition, of all kinds together; for Marathon, of the whole tree of apps.
    pub instances: u32,
    /// Processes on the machines of one world; a world with more is paused.
    pub processes: u32,
    /// API objects of one world.
    pub objects: u32,
    /// Elements in one tree of work.
    pub elements: u32,
    /// Bytes of one input's text.
    pub text_bytes: u32,
    /// Past events kept for display; older ones are computed again by replay.
    pub events_kept: u32,
}

impl Limits {
    /// The bounds of a world.
    pub const DEFAULT: Self = Self {
        events_per_instant: 1_000_000,
        rounds_per_instant: 1_000,
        timers_per_input: 50_000_000,
        advance_ms: 100 * 365 * 24 * 3_600_000,
        machines: 10_000,
        services: 1_000,
        instances: 100_000,
        processes: 200_000,
        objects: 200_000,
        elements: 1_000_000,
        text_bytes: 8 * 1024 * 1024,
        events_kept: 100_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
