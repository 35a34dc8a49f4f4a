//! A sorted set.
//!
//! *Invariant*: members ascend.

use super::{places, sort};
use std::{borrow::Borrow, cmp::Ordering, fmt, ops::RangeBounds};

/// Members in order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedSet<T> {
    rows: Vec<T>,
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> SortedSet<T> {
    /// No members.
    pub const fn new() -> Self {
        Self { rows: Vec::new() }
    }

    /// Returns the number of members.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether it is empty.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// All members in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }

    /// The least member.
    pub fn first(&self) -> Option<&T> {
        self.rows.first()
    }

    /// The greatest member.
    pub fn last(&self) -> Option<&T> {
        self.rows.last()
    }

    /// Removes the least member and returns it.
    pub fn pop_first(&mut self) -> Option<T> {
        if self.rows.is_empty() { None } else { Some(self.rows.remove(0)) }
    }

    /// Keeps the members for which `keep` returns true.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.rows.retain(keep);
    }

    /// Returns the position of a member, or the position to insert it at.
    fn find<Q: Ord + ?Sized>(&self, member: &Q) -> Result<usize, usize>
    where
        T: Borrow<Q>,
    {
        // Most new members come after all others.
        match self.rows.last().map(|last| last.borrow().cmp(member)) {
            None | Some(Ordering::Less) => Err(self.rows.len()),
            Some(Ordering::Equal) => Ok(self.rows.len() - 1),
            Some(Ordering::Greater) => self.rows.binary_search_by(|mine| mine.borrow().cmp(member)),
        }
    }

    /// Returns whether it is a member.
    pub fn contains<Q: Ord + ?Sized>(&self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.find(member).is_ok()
    }

    /// The members that lie in a range, in order.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> std::slice::Iter<'_, T>
    where
        T: Borrow<Q>,
    {
        let places = places(self.rows.len(), &range, |is_before| {
            self.rows.partition_point(|member| is_before(member.borrow()))
        });
        self.rows.get(places).unwrap_or_default().iter()
    }

    /// Adds a member; returns whether it is new.
    pub fn insert(&mut self, member: T) -> bool
    where
        T: Ord,
    {
        let at = self.find(&member);
        if let Err(at) = at {
            self.rows.insert(at, member);
        }
        at.is_err()
    }

    /// Removes a member; returns whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        let at = self.find(member);
        if let Ok(at) = at {
            self.rows.remove(at);
        }
        at.is_ok()
    }

    /// Returns the members that are not in `other`.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T>
    where
        T: Ord,
    {
        self.rows.iter().filter(|member| !other.contains(*member))
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.rows).finish()
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Self {
        let members = members.into_iter();
        let mut rows = Vec::with_capacity(members.size_hint().0);
        for member in members {
            rows.push(member);
        }
        Self::of(rows)
    }
}

impl<T: Ord> SortedSet<T> {
    /// Returns the set of members in any order; of equal members the first is kept.
    fn of(mut rows: Vec<T>) -> Self {
        if !rows.is_sorted_by(|a, b| a < b) {
            sort(&mut rows);
            rows.dedup();
        }
        Self { rows }
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for SortedSet<T> {
    fn from(members: [T; N]) -> Self {
        members.into_iter().collect()
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, members: I) {
        for member in members {
            self.insert(member);
        }
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::mix64;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_an_ordered_set() {
        let mut set = SortedSet::new();
        let mut model = BTreeSet::new();
        for n in 0..3_000_u64 {
            let word = mix64(n);
            let member = word >> 8 & 0x7f;
            match word % 4 {
                0 | 1 => assert_eq!(set.insert(member), model.insert(member)),
                2 => assert_eq!(set.remove(&member), model.remove(&member)),
                _ if word % 64 == 3 => assert_eq!(set.pop_first(), model.pop_first()),
                _ => assert_eq!(set.contains(&member), model.contains(&member)),
            }
            assert_eq!((set.len(), set.first(), set.last()), (model.len(), model.first(), model.last()));
            if n % 31 == 0 {
                assert!(set.iter().eq(model.iter()));
                assert!(set.range(member..member + 20).eq(model.range(member..member + 20)));
                let odd: BTreeSet<u64> = model.iter().copied().filter(|n| n % 2 == 1).collect();
                assert!(set.difference(&odd.iter().copied().collect()).eq(model.difference(&odd)));
            }
        }
    }
}
