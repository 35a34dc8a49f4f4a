//! The clock of cycles.
//!
//! *Knows*: when the last cycle ran and when the next one does. *Must not know*: what one does.

use super::CYCLE_MS;
use planarium_kernel::{SimTime, TimerId};

/// When cycles run.
#[derive(Clone, Debug)]
pub(super) struct Cycles {
    timer: Option<(TimerId, SimTime)>,
    /// When the last one ran, or the process started.
    last: SimTime,
    /// Something has changed that a cycle could act on.
    needed: bool,
}

impl Cycles {
    /// The process starts; its first cycle is needed.
    pub(super) fn new(now: SimTime) -> Self {
        Self { timer: None, last: now, needed: true }
    }

    /// Tells if something has changed that a cycle could act on.
    pub(super) fn is_needed(&self) -> bool {
        self.needed
    }

    /// Notes that something has changed.
    pub(super) fn need(&mut self) {
        self.needed = true;
    }

    /// When the next one is armed for.
    pub(super) fn due(&self) -> Option<SimTime> {
        self.timer.map(|(_, at)| at)
    }

    /// Notes the timer of the next one.
    pub(super) fn armed(&mut self, id: TimerId, at: SimTime) {
        self.timer = Some((id, at));
    }

    /// Takes the timer of the next one out.
    pub(super) fn disarmed(&mut self) -> Option<TimerId> {
        self.timer.take().map(|(id, _)| id)
    }

    /// The timer has fired.
    pub(super) fn fired(&mut self) {
        self.timer = None;
    }

    /// Notes that one runs now.
    pub(super) fn runs(&mut self, now: SimTime) {
        self.last = now;
        self.needed = false;
    }

    /// Stops the cycles: nothing is left to do.
    pub(super) fn stop(&mut self) {
        self.timer = None;
        self.needed = false;
    }

    /// The next instant at which the loop wakes without offers: a whole number of waits after the last.
    pub(super) fn next_wake(&self, now: SimTime) -> SimTime {
        let waits = now.since(self.last).div_ceil(CYCLE_MS).max(1);
        self.last.saturating_add(waits.saturating_mul(CYCLE_MS))
    }
}
