//! Sets of whole numbers as inclusive ranges.

use planarium_kernel::sorted;
use std::fmt;

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

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many numbers the set holds, saturating.
    pub fn count(&self) -> u64 {
        self.0.iter().fold(0, |sum: u64, (begin, end)| sum.saturating_add((end - begin).saturating_add(1)))
    }

    /// Whether the set holds this number.
    pub fn has(&self, number: u64) -> bool {
        self.0.iter().any(|(begin, end)| (*begin..=*end).contains(&number))
    }

    /// Whether the set holds every number of `other`.
    pub fn contains(&self, other: &Self) -> bool {
        other.0.iter().all(|(b, e)| self.0.iter().any(|(begin, end)| begin <= b && e <= end))
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
        }
        assert!(r(&[(1, 10)]).contains(&r(&[(1, 2), (9, 10)])) && !r(&[(1, 10)]).contains(&r(&[(9, 11)])));
        assert_eq!((r(&[(1, 10), (20, 20)]).count(), r(&[(0, u64::MAX)]).count()), (11, u64::MAX));
        assert_eq!(r(&[(1, 10), (20, 20)]).to_string(), "[1-10, 20-20]");
    }
}
