//! Slots of a loop.
//!
//! *Knows*: ranges and lists. *Must not know*: the instances in the slots.

use std::sync::Arc;

/// The slots of a loop in order; fixed when the loop is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Indices {
    /// This number of values from one on.
    Range { from: u64, count: u64 },
    /// These.
    List(Arc<[u64]>),
}

impl Indices {
    /// Returns the number of slots.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Range { count, .. } => *count,
            Self::List(list) => list.len() as u64,
        }
    }

    /// The slot of an iteration.
    pub(crate) fn at(&self, k: u64) -> u64 {
        match self {
            Self::Range { from, .. } => from.saturating_add(k),
            Self::List(list) => {
                let at = usize::try_from(k).unwrap_or(usize::MAX);
                list.get(at).copied().unwrap_or(u64::MAX)
            }
        }
    }
}
