//! The recorder, through which every part of the engine reports facts.
//!
//! *Knows*: the current instant, the seed, the current cause and the next event number.
//! *Must not know*: the contents of the events.
//!
//! *Invariant*: event numbers start at 1, have no gaps and follow the order of emission.

use serde::{Deserialize, Serialize};

use crate::{cause::Cause, time::SimTime};

/// One reported fact with its number, instant and cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded<E> {
    /// Number of the event, from 1, without gaps.
    pub seq: u64,
    /// When it happened.
    #[serde(rename = "at_ms")]
    pub at: SimTime,
    /// The event or input that caused it.
    pub cause: Cause,
    /// The fact reported.
    #[serde(flatten)]
    pub body: E,
}

/// Collects events as they happen.
#[derive(Debug, Clone)]
pub struct Recorder<E> {
    seed: u64,
    now: SimTime,
    cause: Cause,
    last_seq: u64,
    out: Vec<Recorded<E>>,
}

impl<E> Recorder<E> {
    /// A recorder at genesis.
    pub const fn new(seed: u64) -> Self {
        Self { seed, now: SimTime::ZERO, cause: Cause::Genesis, last_seq: 0, out: Vec::new() }
    }

    /// The current instant.
    pub const fn now(&self) -> SimTime {
        self.now
    }

    /// Moves to an instant.
    pub const fn set_now(&mut self, now: SimTime) {
        self.now = now;
    }

    /// The seed behind all draws.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The cause of the events that are emitted now.
    pub const fn cause(&self) -> Cause {
        self.cause
    }

    /// Sets the cause of the events that follow.
    pub const fn set_cause(&mut self, cause: Cause) {
        self.cause = cause;
    }

    /// The number that the next event will get.
    pub const fn next_seq(&self) -> u64 {
        self.last_seq + 1
    }

    /// Reports a fact under the current cause; returns its number.
    pub fn emit(&mut self, body: E) -> u64 {
        self.emit_caused(body, self.cause)
    }

    /// Reports a fact under the given cause; returns its number.
    pub fn emit_caused(&mut self, body: E, cause: Cause) -> u64 {
        self.last_seq += 1;
        self.out.push(Recorded { seq: self.last_seq, at: self.now, cause, body });
        self.last_seq
    }

    /// Runs `work` under another cause and restores the present one.
    pub fn scoped<R>(&mut self, cause: Cause, work: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.cause, cause);
        let result = work(self);
        self.cause = before;
        result
    }

    /// Reports a fact and runs `work` with that fact as the cause.
    pub fn following<R>(&mut self, body: E, work: impl FnOnce(&mut Self) -> R) -> R {
        let seq = self.emit(body);
        self.scoped(Cause::Event(seq), work)
    }

    /// Events reported since the last drain, oldest first.
    pub fn pending(&self) -> &[Recorded<E>] {
        &self.out
    }

    /// Hands over the events reported since the last drain, oldest first, and keeps their memory for the next events.
    pub fn hand_over(&mut self) -> std::vec::Drain<'_, Recorded<E>> {
        self.out.drain(..)
    }

    /// Takes the events reported since the last drain, oldest first.
    pub fn drain(&mut self) -> Vec<Recorded<E>> {
        std::mem::take(&mut self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_number_instant_and_cause() {
        let mut recorder = Recorder::new(7);
        recorder.emit("start");
        recorder.set_now(SimTime(5));
        recorder.set_cause(Cause::Input(3));
        recorder.following("kill", |r| r.emit("killed"));
        recorder.emit_caused("other", Cause::Event(1));
        assert_eq!((recorder.cause(), recorder.next_seq(), recorder.seed()), (Cause::Input(3), 5, 7));
        let got: Vec<_> = recorder.drain().into_iter().map(|e| (e.seq, e.at.ms(), e.cause, e.body)).collect();
        assert_eq!(
            got,
            [
                (1, 0, Cause::Genesis, "start"),
                (2, 5, Cause::Input(3), "kill"),
                (3, 5, Cause::Event(2), "killed"),
                (4, 5, Cause::Event(1), "other"),
            ]
        );
        assert!(recorder.drain().is_empty());
        assert_eq!(recorder.emit("next"), 5);
        assert_eq!(recorder.hand_over().map(|event| event.seq).collect::<Vec<_>>(), [5]);
        assert!(recorder.pending().is_empty());
    }
}
