//! Weights: the memory of a state that an earlier copy does not share.
//!
//! *Knows*: pointers, lists and how much of each is shared. *Must not know*: the purpose of an estimate.

use crate::{
    cow::{behind, bytes_of},
    sorted::{SortedMap, SortedSet},
};
use std::sync::Arc;

/// A value whose unshared memory can be estimated. Derive it with a list of what counts: see [`macro@crate::Weight`].
pub trait Weight {
    /// Estimates the bytes that this value holds behind pointers and `before` does not. *Cost*: by the number of chunks.
    fn beyond(&self, before: Option<&Self>) -> u64;
}

/// A value whose unshared memory can be estimated without following the pointers of its entries.
pub trait Flat {
    /// Returns [`Weight::beyond`] for entries without data behind pointers. *Cost*: by the number of chunks.
    fn beyond_flat(&self, before: Option<&Self>) -> u64;
}

impl<T> Flat for Arc<T> {
    fn beyond_flat(&self, before: Option<&Self>) -> u64 {
        behind(self, before, |_| 0)
    }
}

impl<K: Ord, V: Flat> Flat for SortedMap<K, V> {
    /// The table itself is small and does not count.
    fn beyond_flat(&self, before: Option<&Self>) -> u64 {
        self.iter().map(|(key, value)| value.beyond_flat(before.and_then(|before| before.get(key)))).sum()
    }
}

impl<T: Weight> Weight for Arc<T> {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        behind(self, before, |now| now.beyond(before.map(|before| &**before)))
    }
}

impl<T: Weight> Weight for Option<T> {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        self.as_ref().map_or(0, |now| now.beyond(before.and_then(Self::as_ref)))
    }
}

impl<T: Weight> Weight for Vec<T> {
    /// Rows are compared by their place.
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let row = |(at, row): (usize, &T)| row.beyond(before.and_then(|before| before.get(at)));
        bytes_of::<T>(self.len()) + self.iter().enumerate().map(row).sum::<u64>()
    }
}

impl<T> Weight for Arc<[T]> {
    /// Entries have no data behind pointers.
    fn beyond(&self, before: Option<&Self>) -> u64 {
        if before.is_some_and(|before| Self::ptr_eq(before, self)) { 0 } else { bytes_of::<T>(self.len()) }
    }
}

impl<K: Ord, V: Weight> Weight for SortedMap<K, V> {
    /// The table itself is small and does not count.
    fn beyond(&self, before: Option<&Self>) -> u64 {
        self.iter().map(|(key, value)| value.beyond(before.and_then(|before| before.get(key)))).sum()
    }
}

impl<T> Weight for SortedSet<T> {
    /// Copies share nothing, and entries have no data behind pointers.
    fn beyond(&self, _: Option<&Self>) -> u64 {
        bytes_of::<T>(self.len())
    }
}
