//! The last evaluation of offers for a step.

use super::evaluate::outcome::{Check, Outcome};
use planarium_kernel::cow::{behind, bytes_of};
use planarium_kernel::{SimTime, SortedMap};
use planarium_protocol::Text;
use std::sync::Arc;

/// The last evaluation of offers for a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// When.
    pub(crate) at: SimTime,
    /// Number of offers.
    pub(crate) offers: u32,
    /// The machine that the pod's reservations tied it to.
    pub(crate) home: Option<Text>,
    /// Machines looked at, with that home, that cannot hold the pod's reservations.
    pub(crate) foreign: u32,
    /// The last outcome of each machine.
    pub(crate) outcomes: SortedMap<Text, Arc<Outcome>>,
}

/// A row of an ordered map of texts. *Units*: bytes, by estimate.
const ROW: u64 = 64;

impl Look {
    /// Estimates the bytes that this evaluation does not share with `before`.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let mut old = before.into_iter().flat_map(|before| before.outcomes.iter()).peekable();
        let outcome = |(agent, outcome): (&Text, &Arc<Outcome>)| {
            while old.next_if(|(other, _)| *other < agent).is_some() {}
            let old = old.next_if(|(other, _)| *other == agent).map(|(_, old)| old);
            ROW + behind(outcome, old, |outcome| bytes_of::<Check>(outcome.checks.len()) + ROW)
        };
        self.outcomes.iter().map(outcome).sum()
    }
}
