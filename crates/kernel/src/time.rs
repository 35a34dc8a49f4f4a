//! Virtual time: whole milliseconds since genesis.
//!
//! *Knows*: how instants are counted, compared and shown as an offset from genesis.
//! *Must not know*: the calendar. An epoch is a genesis parameter applied when rendering.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An instant of virtual time. *Units*: milliseconds since genesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SimTime(pub u64);

impl SimTime {
    /// Genesis itself.
    pub const ZERO: Self = Self(0);
    /// The last instant; saturating additions stop here.
    pub const MAX: Self = Self(u64::MAX);

    /// The instant `ms` milliseconds after genesis.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms)
    }

    /// The instant `secs` seconds after genesis, saturating.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1000))
    }

    /// Milliseconds since genesis.
    pub const fn ms(self) -> u64 {
        self.0
    }

    /// The instant `ms` milliseconds later, saturating at [`SimTime::MAX`].
    pub const fn saturating_add(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// The instant `ms` milliseconds earlier, saturating at genesis.
    pub const fn saturating_sub(self, ms: u64) -> Self {
        Self(self.0.saturating_sub(ms))
    }

    /// Milliseconds from `earlier` to this instant; zero when `earlier` is not earlier.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for SimTime {
    /// `12.345s` below a minute, then `1:02.345`, then `1:02:03.004`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ms, secs) = (self.0 % 1000, self.0 / 1000);
        let text = match (secs / 3600, secs / 60 % 60, secs % 60) {
            (0, 0, s) => format!("{s}.{ms:03}s"),
            (0, m, s) => format!("{m}:{s:02}.{ms:03}"),
            (h, m, s) => format!("{h}:{m:02}:{s:02}.{ms:03}"),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_offset_from_genesis() {
        for (ms, text) in [
            (0, "0.000s"),
            (12_345, "12.345s"),
            (60_000, "1:00.000"),
            (62_500, "1:02.500"),
            (3_723_004, "1:02:03.004"),
            (360_000_000, "100:00:00.000"),
        ] {
            assert_eq!(SimTime(ms).to_string(), text);
        }
        assert_eq!(format!("[{:>9}]", SimTime(5)), "[   0.005s]");
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(SimTime::MAX.saturating_add(1), SimTime::MAX);
        assert_eq!(SimTime(5).saturating_sub(9), SimTime::ZERO);
        assert_eq!(SimTime(5).since(SimTime(9)), 0);
        assert_eq!(SimTime(9).since(SimTime(5)), 4);
        assert_eq!(SimTime::from_secs(2), SimTime::from_ms(2000));
    }
}
