//! Launch delays that grow with each failure.
//!
//! *Knows*: the delay of each task instance, its length and its start. *Must not know*: steps; they ask whether a
//! task may be launched.
//!
//! One table serves the whole scheduler process. An expired delay keeps its length, so that the next failure
//! continues from it.
//!
//! **Source**: `dcos-commons: …/scheduler/plan/backoff/ExponentialBackoff.java`. Match: a delay grows in nanoseconds and
//! counts in whole milliseconds.

use planarium_kernel::SortedMap;
use planarium_kernel::{Digestible, Milli, SimTime};
use planarium_protocol::Text;
use std::collections::BTreeMap;

/// Settings of delays in the scheduler's environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BackoffConfig {
    /// Delays are enabled (`ENABLE_BACKOFF`).
    pub(crate) enabled: bool,
    /// First delay. *Units*: milliseconds.
    pub(crate) initial_ms: u64,
    /// Factor from one delay to the next, in thousandths.
    pub(crate) factor: Milli,
    /// Longest delay. *Units*: milliseconds.
    pub(crate) max_ms: u64,
}

impl BackoffConfig {
    /// Reads the scheduler's environment; absent and unreadable values get the real defaults.
    pub(crate) fn from_env(env: &BTreeMap<String, String>) -> Self {
        let seconds = |key: &str, default: i64| {
            let value = env.get(key).and_then(|text| Milli::parse(text).ok()).filter(|v| v.is_positive());
            u64::try_from(value.unwrap_or(Milli::from_int(default)).thousandths()).unwrap_or(0)
        };
        Self {
            enabled: env.get("ENABLE_BACKOFF").is_some_and(|v| v.trim().eq_ignore_ascii_case("true")),
            initial_ms: seconds("FRAMEWORK_INITIAL_BACKOFF", 60),
            factor: env
                .get("FRAMEWORK_BACKOFF_FACTOR")
                .and_then(|text| Milli::parse(text).ok())
                .filter(|v| v.is_positive())
                .unwrap_or(Milli(1150)),
            max_ms: seconds("FRAMEWORK_MAX_LAUNCH_DELAY", 300),
        }
    }
}

/// Nanoseconds of a millisecond.
const NANOS: u64 = 1_000_000;

/// The delay of one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Digestible)]
#[digest(size_ns, since)]
pub(crate) struct Delay {
    /// Its size. *Units*: nanoseconds.
    size_ns: u64,
    /// Since when it counts.
    pub(crate) since: SimTime,
    /// The event it goes back to.
    pub(crate) event: u64,
}

impl Delay {
    /// Its size. *Units*: milliseconds.
    pub(crate) fn size_ms(self) -> u64 {
        self.size_ns / NANOS
    }

    /// When it is over.
    pub(crate) fn until(self) -> SimTime {
        self.since.saturating_add(self.size_ms())
    }
}

/// All delays, by task instance name.
#[derive(Clone, Debug, Digestible)]
#[digest(all delays)]
pub(crate) struct Backoff {
    config: BackoffConfig,
    delays: SortedMap<Text, Delay>,
}

impl Backoff {
    /// No delays yet.
    pub(crate) fn new(config: BackoffConfig) -> Self {
        Self { config, delays: SortedMap::new() }
    }

    /// A launch of the task failed. Answers the new delay, if delays are enabled.
    pub(crate) fn add(&mut self, task: &Text, now: SimTime, event: u64) -> Option<Delay> {
        if !self.config.enabled {
            return None;
        }
        let size_ns = match self.delays.get(task) {
            None => self.config.initial_ms.saturating_mul(NANOS),
            Some(delay) => {
                let factor = u128::try_from(self.config.factor.thousandths()).unwrap_or(1000);
                let next = u128::from(delay.size_ns).saturating_mul(factor) / 1000;
                u64::try_from(next).unwrap_or(u64::MAX).min(self.config.max_ms.saturating_mul(NANOS))
            }
        };
        let delay = Delay { size_ns, since: now, event };
        self.delays.insert(task.clone(), delay);
        Some(delay)
    }

    /// Forgets a task's delay; true when there was one.
    pub(crate) fn clear(&mut self, task: &str) -> bool {
        self.delays.remove(task).is_some()
    }

    /// When the next running delay ends.
    pub(crate) fn next_end(&self, now: SimTime) -> Option<SimTime> {
        self.delays.values().map(|delay| delay.until()).filter(|until| *until > now).min()
    }

    /// Tells if no launch has failed that counts: then no task has a delay.
    pub(crate) fn is_empty(&self) -> bool {
        self.delays.is_empty()
    }

    /// The delay that still runs for a task.
    pub(crate) fn running(&self, task: &str, now: SimTime) -> Option<Delay> {
        self.delays.get(task).copied().filter(|delay| delay.until() > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn grows_by_the_factor_up_to_the_cap() {
        let mut backoff = Backoff::new(BackoffConfig::from_env(&env(&[("ENABLE_BACKOFF", "true")])));
        let task: Text = "hello-0-server".into();
        let sizes: Vec<u64> = (0..15)
            .map(|n| backoff.add(&task, SimTime::from_secs(n * 1000), n).expect("enabled").size_ms())
            .collect();
        let expected = [
            60_000, 69_000, 79_350, 91_252, 104_940, 120_681, 138_783, 159_601, 183_541, 211_072, 242_733,
            279_143, 300_000, 300_000, 300_000,
        ];
        assert_eq!(sizes, expected);
    }

    #[test]
    fn an_expired_delay_keeps_its_length_until_cleared() {
        let mut backoff = Backoff::new(BackoffConfig::from_env(&env(&[("ENABLE_BACKOFF", "TRUE")])));
        let task: Text = "t".into();
        backoff.add(&task, SimTime::ZERO, 1);
        assert!(backoff.running("t", SimTime(59_999)).is_some());
        assert!(backoff.running("t", SimTime(60_000)).is_none());
        assert_eq!(backoff.add(&task, SimTime::from_secs(600), 2).map(Delay::size_ms), Some(69_000));
        assert!(backoff.clear("t") && !backoff.clear("t"));
        assert_eq!(backoff.add(&task, SimTime::from_secs(900), 3).map(Delay::size_ms), Some(60_000));
    }

    #[test]
    fn off_unless_enabled_in_the_environment() {
        for (pairs, enabled) in [
            (&[][..], false),
            (&[("ENABLE_BACKOFF", "false")][..], false),
            (&[("ENABLE_BACKOFF", "true"), ("FRAMEWORK_INITIAL_BACKOFF", "nonsense")][..], true),
        ] {
            let config = BackoffConfig::from_env(&env(pairs));
            assert_eq!((config.enabled, config.initial_ms), (enabled, 60_000));
        }
        let mut off = Backoff::new(BackoffConfig::from_env(&env(&[])));
        assert_eq!(off.add(&"t".into(), SimTime::ZERO, 1), None);
    }
}
