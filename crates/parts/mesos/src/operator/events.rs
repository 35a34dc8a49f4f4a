//! Events for subscribed operators, in the order in which they happened.
//!
//! *Invariant*: nothing depends on them. They are kept while anybody is subscribed, and are not part of the digest.

use planarium_kernel::{Map, SimTime};
use serde_json::Value;
use std::sync::Arc;

/// Largest number of events kept for a slow subscriber; older ones are dropped.
const MAX_EVENTS: usize = 10_000;

/// Operators that are subscribed, and what they have set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operators {
    /// Events for subscribed operators.
    pub(crate) events: OperatorEvents,
    /// The logging level that an operator has set, and until when; nothing is logged here.
    pub(crate) logging: Option<(u32, SimTime)>,
}

impl Operators {
    /// The logging level: 0 unless an operator has temporarily set another one.
    pub(crate) fn logging_level(&self, now: SimTime) -> u32 {
        self.logging.filter(|(_, until)| now < *until).map_or(0, |(level, _)| level)
    }
}

/// An event with its instant.
pub type TimedEvent = (SimTime, Arc<Value>);

/// Events for subscribed operators, by running number.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperatorEvents {
    /// Calendar time of genesis, while events are kept. *Units*: milliseconds since 1970.
    epoch_ms: Option<u64>,
    /// The events, with the instant of each.
    events: Map<u64, TimedEvent>,
    next: u64,
}

impl OperatorEvents {
    /// Keeps events from now on.
    pub(crate) fn listen(&mut self, epoch_ms: u64) {
        self.epoch_ms = Some(epoch_ms);
    }

    /// The number of the next event, while events are kept.
    pub(crate) fn next_number(&self) -> Option<u64> {
        self.epoch_ms.map(|_| self.next)
    }

    /// Calendar time of genesis, while events are kept.
    pub(crate) const fn listening(&self) -> Option<u64> {
        self.epoch_ms
    }

    /// Adds an event.
    pub(crate) fn push(&mut self, at: SimTime, event: Value) {
        self.events.insert(self.next, (at, Arc::new(event)));
        self.next += 1;
        if self.events.len() > MAX_EVENTS {
            let oldest = self.events.keys().next().copied();
            oldest.map(|number| self.events.remove(&number));
        }
    }

    /// A new master has no subscribers yet.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the events from this number on, and the number of the next one; `None` if no events are kept, or some
    /// were dropped.
    pub(crate) fn since(&self, number: u64) -> Option<(Vec<TimedEvent>, u64)> {
        self.epoch_ms?;
        let first = self.events.keys().next().copied().unwrap_or(self.next);
        if number < first || number > self.next {
            return None;
        }
        let events = self.events.range(number..).map(|(_, event)| event.clone()).collect();
        Some((events, self.next))
    }
}
