//! The last evaluation of offers for a step.

use super::evaluate::outcome::Outcome;
use crate::scheduler::ROW;
use planarium_kernel::{SimTime, SortedMap, Weight};
use planarium_protocol::Text;
use std::sync::Arc;

/// The last evaluation of offers for a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Weight)]
#[weight(outcomes, own ROW * self.outcomes.len() as u64)]
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
