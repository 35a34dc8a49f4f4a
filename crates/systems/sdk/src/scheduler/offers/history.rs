//! The last evaluations of offers, as shown by the debug route.
//!
//! *Knows*: counters and a bounded list. *Must not know*: the content of an evaluation.
//!
//! **Source**: `dcos-commons: …/debug/OfferOutcomeTrackerV2.java`. Match.

use super::evaluate::outcome::Outcome;
use planarium_kernel::{Index, SortedMap};
use planarium_mesos::api::Offer;
use planarium_protocol::Text;
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum of evaluations that are kept.
const KEPT: usize = 100;

/// One evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation {
    /// Pod instance.
    pub(crate) pod: Text,
    /// Its outcome.
    pub(crate) outcome: Arc<Outcome>,
    /// The offer.
    pub(crate) offer: Arc<Offer>,
}

/// The last evaluations.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// Oldest first.
    pub(crate) last: VecDeque<Evaluation>,
    /// Offers used.
    pub(crate) accepted: u64,
    /// Offers that did not fit.
    pub(crate) rejected: u64,
    /// Failures by requirement.
    pub(crate) failures: SortedMap<&'static str, u64>,
    /// Failures by machine.
    pub(crate) agents: Index<u64>,
}

impl History {
    /// Notes one more.
    pub(crate) fn add(&mut self, evaluation: Evaluation) {
        let outcome = &evaluation.outcome;
        if outcome.passed {
            self.accepted += 1;
        } else {
            self.rejected += 1;
            match self.agents.get_mut(&outcome.agent) {
                Some(count) => *count += 1,
                None => _ = self.agents.insert(outcome.agent.clone(), 1),
            }
            for check in outcome.checks.iter().filter(|check| !check.passed) {
                *self.failures.entry(check.requirement).or_default() += 1;
            }
        }
        if self.last.len() >= KEPT {
            self.last.pop_front();
        }
        self.last.push_back(evaluation);
    }
}
