//! Statistics of offers that an app or pod was matched with.
//!
//! *Knows*: counts, and the last offer of each agent that did not suit. *Must not know*: how offers are matched.
//!
//! **Source**: `marathon: core/launchqueue/impl/OfferMatchStatistics.scala`. Match.

use crate::definition::RunSpec;
use crate::offers::matching::{Mismatch, Reject};
use planarium_kernel::{SimTime, SortedMap};
use planarium_mesos::api::{AgentId, Offer, Resources};
use std::sync::Arc;

/// An offer that did not suit.
#[derive(Clone, Debug)]
pub(crate) struct Unused {
    pub(crate) at: SimTime,
    pub(crate) offer: Arc<Offer>,
    /// Resources left by earlier matches.
    pub(crate) left: Resources,
    pub(crate) why: Mismatch,
    /// The spec it was matched with.
    pub(crate) spec: Arc<RunSpec>,
    /// The event that brought it.
    pub(crate) event: u64,
}

/// Counts since the process started.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfferStats {
    pub(crate) processed: u64,
    pub(crate) unused: u64,
    /// By reason.
    pub(crate) rejects: SortedMap<Reject, u64>,
    pub(crate) last_used: Option<SimTime>,
    pub(crate) last_unused: Option<SimTime>,
    /// By agent.
    pub(crate) last: SortedMap<AgentId, Arc<Unused>>,
}

impl OfferStats {
    /// An offer was used.
    pub(crate) fn used(&mut self, now: SimTime) {
        self.processed += 1;
        self.last_used = Some(now);
    }

    /// An offer did not suit.
    pub(crate) fn unused(&mut self, unused: Unused) {
        self.processed += 1;
        self.unused += 1;
        self.last_unused = Some(unused.at);
        if let Some(first) = unused.why.first() {
            *self.rejects.entry(first).or_default() += 1;
        }
        self.last.insert(unused.offer.agent, Arc::new(unused));
    }

    /// Why the last offers of all agents were not used: counts by reason.
    pub(crate) fn last_rejects(&self) -> SortedMap<Reject, u64> {
        let mut counts: SortedMap<Reject, u64> = SortedMap::new();
        for first in self.last.values().filter_map(|unused| unused.why.first()) {
            *counts.entry(first).or_default() += 1;
        }
        counts
    }
}
