//! The one place that reads a clock, to say how long an installation has been running.

#![expect(clippy::disallowed_types, reason = "the engine reads no clock; a long installation shows one")]

use std::time::Instant;

/// A moment to count from.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts counting.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Whole seconds since the start.
    pub(crate) fn seconds(&self) -> u64 {
        self.0.elapsed().as_secs()
    }

    /// Whole nanoseconds since the start.
    #[cfg(feature = "bench")]
    pub(crate) fn nanos(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Time since the start as `m:ss`.
    pub(crate) fn text(&self) -> String {
        minutes(self.seconds())
    }
}

/// Time that the calling thread has spent computing. Other programs that keep the machine busy hardly count, so
/// figures taken one after the other can be compared.
#[cfg(feature = "bench")]
pub(crate) struct CpuWatch(u64);

#[cfg(feature = "bench")]
impl CpuWatch {
    /// Starts counting.
    pub(crate) fn start() -> Self {
        Self(Self::now())
    }

    /// Nanoseconds of computing since the start.
    pub(crate) fn nanos(&self) -> u64 {
        Self::now().saturating_sub(self.0)
    }

    fn now() -> u64 {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let whole = u64::try_from(time.tv_sec).unwrap_or_default().saturating_mul(1_000_000_000);
        whole.saturating_add(u64::try_from(time.tv_nsec).unwrap_or_default())
    }
}

/// Seconds as `m:ss`.
pub(crate) fn minutes(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn seconds_are_padded() {
        for (seconds, text) in [(0, "0:00"), (59, "0:59"), (61, "1:01"), (3_605, "60:05")] {
            assert_eq!(super::minutes(seconds), text);
        }
    }
}
