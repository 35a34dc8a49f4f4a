//! Launch tokens: the number of instances that may be launched per interval.
//!
//! **Source**: `marathon: core/flow/impl/OfferMatcherLaunchTokensActor.scala`. Match; tokens are updated when read.

use crate::setup::Setup;
use crate::timers::{Rhythm, tick_from};
use planarium_kernel::SimTime;

/// Launch tokens left, as of the last refreshing.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    left: u64,
    at: SimTime,
}

impl Default for Tokens {
    fn default() -> Self {
        Self { left: 0, at: SimTime::MAX }
    }
}

impl Tokens {
    /// Updates the tokens; returns the number of instances that may be launched now.
    pub(crate) fn refreshed(&mut self, setup: &Setup, now: SimTime) -> u64 {
        let every = setup.settings.tokens_ms;
        let rhythm = Rhythm { first_ms: 0, every_ms: every };
        let last = tick_from(now.saturating_add(1), setup.born, rhythm);
        let last = last.saturating_sub(every).max(setup.born);
        if last > self.at || self.at == SimTime::MAX {
            self.left = setup.settings.tokens;
            self.at = last;
        }
        self.left
    }

    /// Returns the number of tokens at the last update.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// An instance is launched.
    pub(crate) fn take(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// A healthy instance gives one back.
    pub(crate) fn give_back(&mut self, setup: &Setup, now: SimTime) {
        self.refreshed(setup, now);
        self.left = self.left.saturating_add(1);
    }

    /// Resets the interval after a restart of the process: the next read updates the tokens.
    pub(crate) fn forget_refreshing(&mut self) {
        self.at = SimTime::MAX;
    }
}
