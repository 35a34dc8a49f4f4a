//! Step states, statuses, sets and tallies of statuses.
//!
//! *Knows*: the words and their order. *Must not know*: how a parent's status is derived; that is
//! [`crate::rollup`].
//!
//! **Source**: `mesosphere/dcos-commons: sdk/scheduler/…/scheduler/plan/Status.java` (the nine words).
//! Match.

use std::fmt;

/// Stored progress of a step. Aggregates have none: their status is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum StepState {
    /// Not started.
    Pending,
    /// Being looked at for a place to run.
    Prepared,
    /// Launch accepted, not yet running.
    Starting,
    /// Running, goal not reached.
    Started,
    /// Done.
    Complete,
    /// Delayed after a failure.
    Delayed,
    /// Cannot be done.
    Error,
}

impl StepState {
    /// Every step state.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Prepared,
        Self::Starting,
        Self::Started,
        Self::Complete,
        Self::Delayed,
        Self::Error,
    ];

    /// The status a step in this state shows.
    ///
    /// **Source**: `…/scheduler/plan/AbstractStep.java`: an interrupted step that is pending or
    /// prepared shows WAITING; in any other state the interruption does not show. Match.
    pub fn status(self, interrupted: bool) -> Status {
        const SHOWN: [Status; 16] = {
            use Status::{Complete, Delayed, Error, Pending, Prepared, Started, Starting, Waiting};
            [
                Pending, Waiting, Prepared, Waiting, Starting, Starting, Started, Started, Complete,
                Complete, Delayed, Delayed, Error, Error, Error, Error,
            ]
        };
        SHOWN.get(self.stored(interrupted)).copied().unwrap_or(Status::Error)
    }

    /// State and hold as one number below 16.
    pub(crate) const fn stored(self, interrupted: bool) -> usize {
        ((self as usize) << 1 | interrupted as usize) % 16
    }
}

/// The word derived for an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Status {
    /// An error in the element or below, or a mixture the roll-up has no word for.
    Error,
    /// Held by an operator or a canary gate.
    Waiting,
    /// Work not started.
    Pending,
    /// Being looked at for a place to run.
    Prepared,
    /// Launch accepted.
    Starting,
    /// Running, goal not reached.
    Started,
    /// Done.
    Complete,
    /// A mixture; aggregates only.
    InProgress,
    /// Delayed after a failure.
    Delayed,
}

impl Status {
    /// Every status, in declaration order.
    pub const ALL: [Self; 9] = [
        Self::Error,
        Self::Waiting,
        Self::Pending,
        Self::Prepared,
        Self::Starting,
        Self::Started,
        Self::Complete,
        Self::InProgress,
        Self::Delayed,
    ];

    /// The word people and programs read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "ERROR",
            Self::Waiting => "WAITING",
            Self::Pending => "PENDING",
            Self::Prepared => "PREPARED",
            Self::Starting => "STARTING",
            Self::Started => "STARTED",
            Self::Complete => "COMPLETE",
            Self::InProgress => "IN_PROGRESS",
            Self::Delayed => "DELAYED",
        }
    }

    /// The status with this number in declaration order; ERROR beyond the last.
    pub(crate) fn nth(number: u8) -> Self {
        const BY_NUMBER: [Status; 16] = {
            let [a, b, c, d, e, f, g, h, i] = Status::ALL;
            let none = Status::Error;
            [a, b, c, d, e, f, g, h, i, none, none, none, none, none, none, none]
        };
        BY_NUMBER.get(number as usize % 16).copied().unwrap_or(Self::Error)
    }

    /// Returns whether work is under way: PREPARED, STARTING, STARTED or IN_PROGRESS.
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Prepared | Self::Starting | Self::Started | Self::InProgress)
    }

    /// Returns whether the element is done.
    pub const fn is_complete(self) -> bool {
        matches!(self, Self::Complete)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A set of statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatusSet(u16);

impl StatusSet {
    /// No status.
    pub const EMPTY: Self = Self(0);
    /// Every status.
    pub const ALL: Self = Self(0x1FF);

    /// Only the given status.
    pub const fn only(status: Status) -> Self {
        Self(1 << status as u8)
    }

    /// This set and one more status.
    pub const fn with(self, status: Status) -> Self {
        Self(self.0 | Self::only(status).0)
    }

    /// This set but one status.
    pub const fn without(self, status: Status) -> Self {
        Self(self.0 & !Self::only(status).0)
    }

    /// Returns whether the status is in the set.
    pub const fn contains(self, status: Status) -> bool {
        self.0 & Self::only(status).0 != 0
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set as bits, bit n for the n-th status.
    pub const fn bits(self) -> u16 {
        self.0
    }
}

impl FromIterator<Status> for StatusSet {
    fn from_iter<I: IntoIterator<Item = Status>>(statuses: I) -> Self {
        statuses.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// Number of children of one parent by status, and the number of candidates among them.
///
/// Both counts of a status share a word, children below and candidates above, so that a change of one
/// child costs one addition and one subtraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// By status; more places than statuses, so that a status masked to its bits is always one.
    counts: [u64; 16],
    /// Which statuses occur: among the children, and [`Tally::CANDIDATES_AT`] bits higher among the
    /// candidates.
    bits: u32,
}

impl Tally {
    /// Offset of the candidates' statuses in [`Tally::bits`].
    pub(crate) const CANDIDATES_AT: u32 = 9;
    /// The children's statuses in [`Tally::bits`].
    pub(crate) const CHILDREN: u32 = StatusSet::ALL.0 as u32;

    /// Returns the number of children with this status.
    pub fn count(&self, status: Status) -> u32 {
        u32::try_from(self.word(status) & u64::from(u32::MAX)).unwrap_or(u32::MAX)
    }

    /// Returns the number of candidates with this status.
    pub fn candidates(&self, status: Status) -> u32 {
        (self.word(status) >> 32) as u32
    }

    /// Returns the number of children.
    pub fn total(&self) -> u32 {
        Status::ALL.into_iter().map(|status| self.count(status)).sum()
    }

    /// The statuses that occur among the children.
    pub const fn set(&self) -> StatusSet {
        StatusSet((self.bits & Self::CHILDREN) as u16)
    }

    /// The statuses that occur among the candidates.
    pub const fn candidate_set(&self) -> StatusSet {
        StatusSet((self.bits >> Self::CANDIDATES_AT & Self::CHILDREN) as u16)
    }

    /// Both sets in one word.
    pub(crate) const fn bits(&self) -> u32 {
        self.bits
    }

    fn word(&self, status: Status) -> u64 {
        self.counts.get(status as usize % 16).copied().unwrap_or(0)
    }

    /// Counts one more child.
    #[inline]
    pub(crate) fn add(&mut self, status: Status, candidate: bool) {
        let Some(word) = self.counts.get_mut(status as usize % 16) else { return };
        *word = word.wrapping_add(1 | u64::from(candidate) << 32);
        self.bits |= (1 | u32::from(candidate) << Self::CANDIDATES_AT) << status as u8;
    }

    /// Counts one child less.
    pub(crate) fn sub(&mut self, status: Status, candidate: bool) {
        let Some(word) = self.counts.get_mut(status as usize % 16) else { return };
        *word = word.wrapping_sub(1 | u64::from(candidate) << 32);
        self.bits &= !(Self::gone(*word) << status as u8);
    }

    /// Counts one child less with one status, and one more with another; statuses by their numbers.
    #[inline]
    pub(crate) fn exchange(&mut self, from: u8, was_candidate: bool, to: u8, is_candidate: bool) {
        let Some(word) = self.counts.get_mut(from as usize % 16) else { return };
        *word = word.wrapping_sub(1 | u64::from(was_candidate) << 32);
        self.bits &= !(Self::gone(*word) << from);
        let Some(word) = self.counts.get_mut(to as usize % 16) else { return };
        *word = word.wrapping_add(1 | u64::from(is_candidate) << 32);
        self.bits |= (1 | u32::from(is_candidate) << Self::CANDIDATES_AT) << to;
    }

    /// Counts one more candidate among the children, or one less.
    pub(crate) fn set_candidate(&mut self, status: Status, candidate: bool) {
        let Some(word) = self.counts.get_mut(status as usize % 16) else { return };
        *word = if candidate { word.wrapping_add(1 << 32) } else { word.wrapping_sub(1 << 32) };
        let (gone, both) = (Self::gone(*word), 1 | 1 << Self::CANDIDATES_AT);
        self.bits = self.bits & !(both << status as u8) | (both & !gone) << status as u8;
    }

    /// Bits of the statuses that do not occur in a count.
    const fn gone(word: u64) -> u32 {
        (word & u32::MAX as u64 == 0) as u32 | ((word >> 32 == 0) as u32) << Self::CANDIDATES_AT
    }
}

impl FromIterator<Status> for Tally {
    /// Counts children that are not candidates.
    fn from_iter<I: IntoIterator<Item = Status>>(statuses: I) -> Self {
        let mut tally = Self::default();
        statuses.into_iter().for_each(|status| tally.add(status, false));
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_its_word() {
        let words = StepState::ALL.map(|state| state.status(false).as_str());
        assert_eq!(words, ["PENDING", "PREPARED", "STARTING", "STARTED", "COMPLETE", "DELAYED", "ERROR"]);
    }

    #[test]
    fn interruption_shows_only_before_the_start() {
        for state in StepState::ALL {
            let hidden = !matches!(state, StepState::Pending | StepState::Prepared);
            assert_eq!(state.status(true) == state.status(false), hidden, "{state:?}");
            assert!(hidden || state.status(true) == Status::Waiting);
        }
    }

    #[test]
    fn tallies_know_which_statuses_occur() {
        let mut tally = Tally::default();
        for (status, candidate) in [(Status::Pending, true), (Status::Pending, false), (Status::Error, false)]
        {
            tally.add(status, candidate);
        }
        let pending = StatusSet::only(Status::Pending);
        assert_eq!((tally.set(), tally.candidate_set()), (pending.with(Status::Error), pending));
        assert_eq!(
            (tally.count(Status::Pending), tally.candidates(Status::Pending), tally.total()),
            (2, 1, 3)
        );
        tally.exchange(Status::Pending as u8, true, Status::Started as u8, true);
        tally.exchange(Status::Error as u8, false, Status::Started as u8, false);
        let started = StatusSet::only(Status::Started);
        assert_eq!((tally.set(), tally.candidate_set()), (pending.with(Status::Started), started));
        assert_eq!((tally.count(Status::Started), tally.candidates(Status::Started)), (2, 1));
        tally.exchange(Status::Started as u8, false, Status::Pending as u8, false);
        tally.exchange(Status::Started as u8, true, Status::Pending as u8, false);
        assert_eq!((tally.set(), tally.candidate_set(), tally.total()), (pending, StatusSet::EMPTY, 3));
        tally.set_candidate(Status::Pending, true);
        assert_eq!(tally.candidate_set(), pending);
        tally.set_candidate(Status::Pending, false);
        assert_eq!(tally.candidate_set(), StatusSet::EMPTY);
        for (bit, status) in Status::ALL.into_iter().enumerate() {
            assert_eq!(StatusSet::only(status).bits(), 1 << bit);
        }
        assert_eq!(Status::ALL.into_iter().collect::<StatusSet>(), StatusSet::ALL);
    }
}
