//! Launch delays after failures.
//!
//! *Knows*: delays by configuration. *Must not know*: instances.
//!
//! **Source**: `marathon: core/launchqueue/impl/RateLimiter.scala`. Match.

use crate::definition::double::Double;
use crate::definition::spec::{BackoffDef, RunSpec, Stamp};
use planarium_kernel::{SimTime, SortedMap};

/// A delay of one configuration of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delay {
    /// Counted from here.
    pub(crate) from: SimTime,
    /// Duration. *Units*: nanoseconds.
    nanos: u64,
    /// The most it can be. *Units*: milliseconds.
    max_ms: u64,
    /// Number of failures.
    pub(crate) failures: u32,
    /// The event that reported it.
    pub(crate) event: u64,
}

const NANOS: u64 = 1_000_000;

impl Delay {
    /// Returns the duration. *Units*: milliseconds.
    pub(crate) fn ms(&self) -> u64 {
        self.nanos / NANOS
    }

    /// When it ends.
    pub(crate) fn until(&self) -> SimTime {
        self.from.saturating_add(self.ms())
    }

    /// When it is forgotten.
    pub(crate) fn forgotten(&self) -> SimTime {
        self.from.saturating_add(self.max_ms)
    }

    fn first(now: SimTime, def: &BackoffDef) -> Self {
        let nanos = def.first_ms.min(def.max_ms).saturating_mul(NANOS);
        Self { from: now, nanos, max_ms: def.max_ms, failures: 1, event: 0 }
    }

    fn next(&self, now: SimTime, def: &BackoffDef) -> Self {
        let grown = Double::whole(self.nanos).times(def.factor).floor();
        let nanos = grown.min(def.max_ms.saturating_mul(NANOS));
        Self { from: now, nanos, max_ms: def.max_ms, failures: self.failures.saturating_add(1), event: 0 }
    }
}

/// The delays of one spec, by configuration: the version of its last change but for scaling.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backoff {
    delays: SortedMap<Stamp, Delay>,
}

impl Backoff {
    /// The delay of a configuration.
    pub(crate) fn get(&self, spec: &RunSpec) -> Option<&Delay> {
        self.delays.get(&spec.version.changed)
    }

    /// Returns whether a configuration may be launched.
    pub(crate) fn allows(&self, spec: &RunSpec, now: SimTime) -> bool {
        self.get(spec).is_none_or(|delay| delay.until() <= now)
    }

    /// A failure: the delay begins or grows.
    pub(crate) fn failed(&mut self, spec: &RunSpec, now: SimTime) -> Delay {
        let def = &spec.def.backoff;
        let next = match self.get(spec) {
            Some(delay) => delay.next(now, def),
            None => Delay::first(now, def),
        };
        self.delays.insert(spec.version.changed, next);
        next
    }

    /// Records the event that reported the delay.
    pub(crate) fn told(&mut self, spec: &RunSpec, event: u64) {
        if let Some(delay) = self.delays.get_mut(&spec.version.changed) {
            delay.event = event;
        }
    }

    /// Progress: the delay, if there is one, counts from now.
    pub(crate) fn advance(&mut self, spec: &RunSpec, now: SimTime) {
        if let Some(delay) = self.delays.get_mut(&spec.version.changed) {
            delay.from = now;
        }
    }

    /// Forgets the delay of a configuration; false when there was none.
    pub(crate) fn reset(&mut self, spec: &RunSpec) -> bool {
        self.delays.remove(&spec.version.changed).is_some()
    }

    /// Removes delays that ended long before that instant.
    pub(crate) fn sweep(&mut self, at: SimTime) {
        self.delays.retain(|_, delay| at <= delay.forgotten());
    }

    /// The delay of a configuration, if it was not long over at that instant.
    pub(crate) fn swept(&self, spec: &RunSpec, at: SimTime) -> Option<&Delay> {
        self.get(spec).filter(|delay| at <= delay.forgotten())
    }

    /// When the next delay ends.
    pub(crate) fn next_end(&self, now: SimTime) -> Option<SimTime> {
        self.delays.values().map(Delay::until).filter(|until| *until > now).min()
    }

    /// Returns whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.delays.is_empty()
    }
}
