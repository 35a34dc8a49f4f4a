//! Evictions that a disruption budget refused: the last one of each pod.
//!
//! *Knows*: the instant and the budget. *Must not know*: what a budget allows.

use crate::object::ObjectNo;
use planarium_kernel::{Digestible, Map, SimTime};

/// A refused eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Digestible)]
#[digest(at, budget)]
pub(crate) struct Refused {
    pub(crate) at: SimTime,
    /// The budget that refused it.
    pub(crate) budget: ObjectNo,
    /// The event behind it.
    pub(crate) event: Option<u64>,
}

/// The last refused eviction of each pod that is there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evictions(Map<ObjectNo, Refused>);

impl Evictions {
    pub(crate) fn get(&self, pod: ObjectNo) -> Option<Refused> {
        self.0.get(&pod).copied()
    }

    pub(crate) fn note(&mut self, pod: ObjectNo, refused: Refused) {
        self.0.insert(pod, refused);
    }

    pub(crate) fn forget(&mut self, pod: ObjectNo) {
        self.0.remove(&pod);
    }

    /// All refused evictions, by pod.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectNo, Refused)> {
        self.0.iter().map(|(pod, refused)| (*pod, *refused))
    }
}
