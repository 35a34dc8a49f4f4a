//! Journals: the only durable form of a world.
//!
//! Knows: the format and the comparison of digests. Must not know: what an input means.

use super::Engine;
use super::advance::Next;
use crate::genesis::Genesis;
use crate::input::Written;
use planarium_kernel::digest::hex;
use planarium_kernel::journal::Entry;
use planarium_protocol::Input;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The journal version that this crate writes and reads.
pub const JOURNAL_VERSION: u32 = 1;

/// Version of the rules for digests.
///
/// Raised when equal runs get new digests: 1 covers events with their sentences, 2 covers typed facts only, 3 names the
/// instance that a check, a strike of a fault or a wait for an offer is about.
pub const SEMANTICS: u32 = 3;

/// Starting parameters, inputs with their times, and the end of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// Format version.
    #[serde(default = "current_version")]
    pub version: u32,
    /// The version of its digests; the oldest if absent.
    #[serde(default = "oldest_semantics")]
    pub semantics: u32,
    /// Starting parameters.
    #[serde(default = "crate::genesis::unsaid", deserialize_with = "crate::genesis::recorded")]
    pub genesis: Genesis,
    /// Inputs, oldest first.
    #[serde(default)]
    pub entries: Vec<Entry<Input>>,
    /// End of time. *Units*: milliseconds since genesis.
    #[serde(default)]
    pub end_ms: u64,
    /// Last event of the final instant, if that instant is not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_seq: Option<u64>,
    /// Number of steps of that instant after this event, all without events.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub end_quiet: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde calls")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

fn current_version() -> u32 {
    JOURNAL_VERSION
}

fn oldest_semantics() -> u32 {
    1
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            version: JOURNAL_VERSION,
            semantics: SEMANTICS,
            genesis: Genesis::default(),
            entries: Vec::new(),
            end_ms: 0,
            end_seq: None,
            end_quiet: 0,
        }
    }
}

/// Why a journal could not be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// Written in a format this crate does not read.
    Version {
        /// The version found.
        found: u32,
    },
    /// Inputs are not ordered by number and time.
    OutOfOrder {
        /// Number of the first input out of order.
        seq: u64,
    },
    /// The run differs from the recording.
    Differs(Difference),
    /// The replay reached a bound of the simulator.
    LimitReached {
        /// Instant reached. *Units*: milliseconds since genesis.
        at_ms: u64,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version { found } => {
                write!(f, "journal version {found} is not known here (version {JOURNAL_VERSION} is)")
            }
            Self::OutOfOrder { seq } => write!(f, "input {seq} is out of order"),
            Self::Differs(difference) => difference.fmt(f),
            Self::LimitReached { at_ms } => {
                write!(f, "the journal goes beyond a bound of the simulator at {at_ms} ms")
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// First difference between a run and its journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "differs", rename_all = "kebab-case")]
pub enum Difference {
    /// The digests have another version and cannot be compared.
    Semantics {
        /// The version of the recording.
        recorded: u32,
        /// Those of today.
        found: u32,
    },
    /// The events after an input differ.
    Digest {
        /// Number of the input.
        input: u64,
        /// Its kind.
        kind: &'static str,
        /// Instant of the input. *Units*: milliseconds since genesis.
        at_ms: u64,
        /// Recorded digest.
        recorded: String,
        /// Digest found.
        found: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Semantics { recorded, found } => write!(
                f,
                "the run was recorded with digests of another kind (semantics {recorded}, now {found}), so whether it comes out as it did cannot be told"
            ),
            Self::Digest { input, kind, at_ms, recorded, found } => write!(
                f,
                "the run comes out differently than recorded, first at input {input} ({kind} at {at_ms} ms): recorded digest {recorded}, found {found}"
            ),
        }
    }
}

/// An entry as journals have it.
fn plain(entry: &Entry<Written>) -> Entry<Input> {
    let Entry { seq, at_ms, after_event, after_quiet, digest, .. } = *entry;
    Entry { seq, at_ms, after_event, after_quiet, input: entry.input.input().clone(), digest }
}

impl Engine {
    /// Returns the current branch up to its head as a journal.
    pub fn journal(&self) -> Journal {
        let entries = self.branch.entries().iter().map(|entry| plain(entry)).collect();
        Journal { entries, ..self.journal_without_inputs() }
    }

    /// Returns the journal without its inputs, which are in [`Engine::entries`].
    pub fn journal_without_inputs(&self) -> Journal {
        let (head, mid_instant) = (self.branch.head(), self.branch.mid_instant());
        Journal {
            version: JOURNAL_VERSION,
            semantics: SEMANTICS,
            genesis: self.genesis,
            entries: Vec::new(),
            end_ms: head.now_ms,
            end_seq: mid_instant.map(|_| head.seq),
            end_quiet: mid_instant.unwrap_or(0),
        }
    }

    /// Replays a journal that must match its recording; the cursor ends at its head.
    ///
    /// *Errors*: it cannot be replayed, or differs.
    pub fn from_journal(journal: &Journal) -> Result<Self, ReplayError> {
        match Self::open(journal)? {
            (engine, None) => Ok(engine),
            (_, Some(difference)) => Err(ReplayError::Differs(difference)),
        }
    }

    /// Replays a journal and returns the first difference from the recording, if any; applies all inputs anyway. The
    /// cursor ends at its head.
    ///
    /// *Errors*: it cannot be replayed at all.
    pub fn open(journal: &Journal) -> Result<(Self, Option<Difference>), ReplayError> {
        if journal.version != JOURNAL_VERSION {
            return Err(ReplayError::Version { found: journal.version });
        }
        let mut engine = Self::new(journal.genesis);
        let other =
            journal.semantics != SEMANTICS && journal.entries.iter().any(|entry| entry.digest.is_some());
        let semantics =
            other.then_some(Difference::Semantics { recorded: journal.semantics, found: SEMANTICS });
        let mut steps = u64::from(crate::limits::LIMITS.timers_per_input);
        let difference = engine.put_in_all(journal, 0, &mut steps)?;
        Ok((engine, semantics.or(difference)))
    }

    /// Applies the recorded inputs after the present ones, and advances to the journal's end. Returns the first
    /// difference.
    ///
    /// *Errors*: it cannot be replayed at all.
    pub(super) fn put_in_all(
        &mut self,
        journal: &Journal,
        before: u64,
        steps: &mut u64,
    ) -> Result<Option<Difference>, ReplayError> {
        let comparable = journal.semantics == SEMANTICS;
        let mut difference = None;
        for (entry, expected) in journal.entries.iter().zip(before.saturating_add(1)..) {
            if entry.seq != expected || entry.at_ms < self.now_ms() {
                return Err(ReplayError::OutOfOrder { seq: entry.seq });
            }
            match entry.after_event {
                None => self.replay_to(entry.at_ms, steps)?,
                Some(seq) => self.replay_into(entry.at_ms, seq, entry.after_quiet, steps)?,
            }
            self.apply(entry.input.clone());
            let found = self.world.digest();
            if comparable
                && difference.is_none()
                && let Some(recorded) = entry.digest
                && recorded != found
            {
                difference = Some(Difference::Digest {
                    input: entry.seq,
                    kind: entry.input.kind(),
                    at_ms: entry.at_ms,
                    recorded: hex(recorded),
                    found: hex(found),
                });
            }
        }
        let end_ms = journal.end_ms.max(self.now_ms());
        match journal.end_seq {
            None => self.replay_to(end_ms, steps)?,
            Some(seq) => self.replay_into(end_ms, seq, journal.end_quiet, steps)?,
        }
        Ok(difference)
    }

    /// Replays to the instant `ms` and finishes its work.
    fn replay_to(&mut self, ms: u64, steps: &mut u64) -> Result<(), ReplayError> {
        self.replay_while(ms, steps, |_| true)?;
        self.pass_to(ms);
        Ok(())
    }

    /// Replays into the instant `ms` until event `seq` has happened, and `quiet` steps without an event after it.
    fn replay_into(&mut self, ms: u64, seq: u64, quiet: u32, steps: &mut u64) -> Result<(), ReplayError> {
        // Work before the instant comes first, independent of the event's number.
        self.replay_while(ms, steps, |engine| {
            !engine.has_come_to(ms, seq, quiet) || engine.world.next_due_ms().is_some_and(|due| due < ms)
        })?;
        self.pass_to(ms);
        Ok(())
    }

    fn replay_while(
        &mut self,
        ms: u64,
        steps: &mut u64,
        go_on: impl Fn(&Self) -> bool,
    ) -> Result<(), ReplayError> {
        let beyond = |engine: &Self| Err(ReplayError::LimitReached { at_ms: engine.now_ms() });
        if ms > crate::limits::TIME_MS {
            return beyond(self);
        }
        while go_on(self) {
            let next = match self.next(ms) {
                // The replay may end within the instant.
                Next::Timer { due, pass_ms } => {
                    Next::Timer { due, pass_ms: pass_ms.min(ms.saturating_sub(1)) }
                }
                next => next,
            };
            match next {
                Next::Nothing => break,
                _ if *steps == 0 || self.full().is_some() => return beyond(self),
                next => self.take_step(next),
            }
            *steps -= 1;
        }
        Ok(())
    }
}
