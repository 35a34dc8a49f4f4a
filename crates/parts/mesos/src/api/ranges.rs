//! Sets of whole numbers as inclusive ranges.

use planarium_kernel::sorted;
use std::fmt;

/// Up to this many ranges are added or removed one by one: usually it is a port or two.
const FEW: usize = 4;

/// Inclusive ranges, ascending, never touching or overlapping.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// The empty set.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Ranges from pairs in any order; those that touch or overlap are merged, reversed pairs dropped.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut all: Vec<(u64, u64)> = pairs.into_iter().filter(|(begin, end)| begin <= end).collect();
        sorted::sort(&mut all);
        let mut merged: Vec<(u64, u64)> = Vec::with_capacity(all.len());
        for (begin, end) in all {
            match merged.last_mut() {
                Some(last) if begin <= last.1.saturating_add(1) => last.1 = last.1.max(end),
                _ => merged.push((begin, end)),
            }
        }
        Self(merged)
    }

    /// A single number.
    pub fn one(number: u64) -> Self {
        Self(vec![(number, number)])
    }

    /// The pairs, ascending.
    pub fn pairs(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of ports in the set, saturating.
    pub fn count(&self) -> u64 {
        self.0.iter().fold(0, |sum: u64, (begin, end)| sum.saturating_add((end - begin).saturating_add(1)))
    }

    /// The place of the range that holds this number, or of the first one behind it.
    fn place(&self, number: u64) -> usize {
        self.0.partition_point(|(_, end)| *end < number)
    }

    /// Returns whether one range holds all of this one.
    fn spans(&self, first: u64, last: u64) -> bool {
        self.0.get(self.place(first)).is_some_and(|(begin, end)| *begin <= first && last <= *end)
    }

    /// Returns whether the set holds this number.
    pub fn has(&self, number: u64) -> bool {
        self.spans(number, number)
    }

    /// Returns whether the set holds every number of `other`.
    pub fn contains(&self, other: &Self) -> bool {
        other.0.iter().all(|&(first, last)| self.spans(first, last))
    }

    /// Adds the numbers of `other`.
    pub(crate) fn add(&mut self, other: &Self) {
        if other.0.len() > FEW {
            *self = self.union(other);
            return;
        }
        for &(first, last) in &other.0 {
            // The first range that overlaps or touches, and the first one behind.
            let from = self.0.partition_point(|(_, end)| end.saturating_add(1) < first);
            let is_touched = |(begin, _): &&(u64, u64)| *begin <= last.saturating_add(1);
            let count = self.0.iter().skip(from).take_while(is_touched).count();
            let end = self.0.get((from + count).wrapping_sub(1)).map_or(last, |(_, end)| *end);
            match self.0.get_mut(from) {
                Some(range) if count > 0 => {
                    *range = (range.0.min(first), end.max(last));
                    self.0.drain(from + 1..from + count);
                }
                _ => self.0.insert(from, (first, last)),
            }
        }
    }

    /// Takes the numbers of `other` away.
    pub(crate) fn subtract(&mut self, other: &Self) {
        if other.0.len() > FEW {
            *self = self.minus(other);
            return;
        }
        for &(first, last) in &other.0 {
            let at = self.place(first);
            let Some((begin, end)) = self.0.get_mut(at) else { continue };
            if *end < last || first < *begin {
                // More than a part of one range, or nothing.
                *self = self.minus(&Self(vec![(first, last)]));
                continue;
            }
            // The rest lies below, above, or on both sides.
            match (*begin < first, last < *end) {
                (false, false) => _ = self.0.remove(at),
                (false, true) => *begin = last + 1,
                (true, false) => *end = first - 1,
                (true, true) => {
                    let above = (last + 1, std::mem::replace(end, first - 1));
                    self.0.insert(at + 1, above);
                }
            }
        }
    }

    /// The union with `other`.
    pub fn union(&self, other: &Self) -> Self {
        Self::from_pairs(self.0.iter().chain(&other.0).copied())
    }

    /// The numbers that `other` does not hold.
    pub fn minus(&self, other: &Self) -> Self {
        let mut left = Vec::with_capacity(self.0.len());
        for &(begin, end) in &self.0 {
            let mut from = Some(begin);
            for &(b, e) in other.0.iter().filter(|(b, e)| *b <= end && *e >= begin) {
                let Some(start) = from else { break };
                if b > start {
                    left.push((start, b - 1));
                }
                from = e.checked_add(1).filter(|next| *next <= end);
            }
            if let Some(start) = from {
                left.push((start, end));
            }
        }
        Self(left)
    }
}

impl fmt::Display for Ranges {
    /// `[31000-31010, 32000-32000]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (n, (begin, end)) in self.0.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}{begin}-{end}")?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic() {
        let r = |pairs: &[(u64, u64)]| Ranges::from_pairs(pairs.iter().copied());
        assert_eq!(r(&[(5, 9), (1, 4)]).pairs(), [(1, 9)], "adjacent ranges merge");
        assert_eq!(r(&[(1, 3), (2, 8), (10, 12), (9, 5)]).pairs(), [(1, 8), (10, 12)]);
        for (a, b, left) in [
            (&[(1, 10)][..], &[(3, 4)][..], &[(1, 2), (5, 10)][..]),
            (&[(1, 10)], &[(1, 10)], &[]),
            (&[(1, 10)], &[(0, 1), (10, 20)], &[(2, 9)]),
            (&[(1, 3), (7, 9)], &[(2, 8)], &[(1, 1), (9, 9)]),
            (&[(1, 3)], &[], &[(1, 3)]),
            (&[(5, u64::MAX)], &[(6, u64::MAX)], &[(5, 5)]),
        ] {
            assert_eq!(r(a).minus(&r(b)).pairs(), left, "{a:?} - {b:?}");
            let mut all = r(a);
            all.subtract(&r(b));
            assert_eq!(all.pairs(), left, "{a:?} - {b:?} in place");
        }
        assert!(r(&[(1, 10)]).contains(&r(&[(1, 2), (9, 10)])) && !r(&[(1, 10)]).contains(&r(&[(9, 11)])));
        assert_eq!((r(&[(1, 10), (20, 20)]).count(), r(&[(0, u64::MAX)]).count()), (11, u64::MAX));
        assert_eq!(r(&[(1, 10), (20, 20)]).to_string(), "[1-10, 20-20]");
    }

    #[test]
    fn one_by_one_equals_all_at_once() {
        let sets: Vec<Ranges> = (0..1_u64 << 8)
            .map(|bits| Ranges::from_pairs((0..8).filter(|n| bits >> n & 1 == 1).map(|n| (n, n))))
            .collect();
        for (one, other) in sets.iter().flat_map(|one| sets.iter().map(move |other| (one, other))) {
            let (mut more, mut less) = (one.clone(), one.clone());
            more.add(other);
            less.subtract(other);
            assert_eq!((&more, &less), (&one.union(other), &one.minus(other)), "{one} and {other}");
            assert_eq!(one.contains(other), other.minus(one).is_empty(), "{one} and {other}");
        }
        let mut most = Ranges::one(u64::MAX);
        most.add(&Ranges::one(u64::MAX - 1));
        assert_eq!(most.pairs(), [(u64::MAX - 1, u64::MAX)]);
        most.subtract(&Ranges::one(u64::MAX));
        assert_eq!(most.pairs(), [(u64::MAX - 1, u64::MAX - 1)]);
    }
}
