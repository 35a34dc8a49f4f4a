//! What operators who subscribed are told, in the order in which it happened.
//!
//! *Invariant*: nothing depends on it. It is kept while somebody listens, and is no part of the state that a digest covers.

#![expect(
    clippy::type_complexity,
    reason = "written as the real program has it, which is easier to hold against it"
)]

use planarium_kernel::{Map, SimTime};
use serde_json::Value;
use std::sync::Arc;

/// So many events wait for a listener that is slow; older ones are dropped.
const MAX_EVENTS: usize = 10_000;

/// Events for operators, by running number.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperatorEvents {
    /// Calendar time of genesis, while somebody listens. *Units*: milliseconds since 1970.
    epoch_ms: Option<u64>,
    /// With the instant of each.
    events: Map<u64, (SimTime, Arc<Value>)>,
    next: u64,
}

impl OperatorEvents {
    /// Somebody listens from now on.
    pub(crate) fn listen(&mut self, epoch_ms: u64) {
        self.epoch_ms = Some(epoch_ms);
    }

    /// The number of the next event, while somebody listens.
    pub(crate) fn next_number(&self) -> Option<u64> {
        self.epoch_ms.map(|_| self.next)
    }

    /// Calendar time of genesis, while somebody listens.
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

    /// The master is another one: nobody listens to it yet.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The events from this number on, and the number of the next one; none when nobody listens, or some of them were
    /// dropped.
    pub(crate) fn since(&self, number: u64) -> Option<(Vec<(SimTime, Arc<Value>)>, u64)> {
        self.epoch_ms?;
        let first = self.events.keys().next().copied().unwrap_or(self.next);
        if number < first || number > self.next {
            return None;
        }
        let events = self.events.range(number..).map(|(_, event)| event.clone()).collect();
        Some((events, self.next))
    }
}
