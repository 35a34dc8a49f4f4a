//! Assets: the things a step works on.
//!
//! *Knows*: numbered groups with numbered parts. *Must not know*: that a group is a pod instance and a part one of
//! its tasks.

use std::sync::Arc;

/// The parts of one group that a step works on. *Invariant*: parts are sorted and distinct.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asset {
    group: u32,
    parts: Arc<[u32]>,
}

impl Asset {
    /// The given parts of a group; their order and repetitions do not matter.
    pub fn new(group: u32, parts: impl IntoIterator<Item = u32>) -> Self {
        let mut parts: Vec<u32> = parts.into_iter().collect();
        planarium_kernel::sorted::sort(&mut parts);
        parts.dedup();
        Self { group, parts: parts.into() }
    }

    /// The same parts of another group.
    #[must_use]
    pub fn in_group(&self, group: u32) -> Self {
        Self { group, parts: Arc::clone(&self.parts) }
    }

    /// The group.
    pub const fn group(&self) -> u32 {
        self.group
    }

    /// The parts, sorted.
    pub fn parts(&self) -> &[u32] {
        &self.parts
    }

    /// Returns whether two steps on these assets would get in each other's way: same group, shared part.
    ///
    /// **Source**: `…/scheduler/plan/PodInstanceRequirement.java`: same pod type and index, and the
    /// lists of tasks to launch intersect. Match.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        if self.group != other.group {
            return false;
        }
        let (mut mine, mut theirs) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => mine.next(),
                std::cmp::Ordering::Greater => theirs.next(),
                std::cmp::Ordering::Equal => return true,
            };
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflict_needs_the_group_and_a_shared_part() {
        for (a, b, expected) in [
            ((1, vec![1, 2]), (1, vec![2, 3]), true),
            ((1, vec![2, 1]), (1, vec![3, 4, 1]), true),
            ((1, vec![1]), (1, vec![2]), false),
            ((1, vec![1]), (2, vec![1]), false),
            ((1, vec![]), (1, vec![1]), false),
            ((1, vec![]), (1, vec![]), false),
        ] {
            let (a, b) = (Asset::new(a.0, a.1), Asset::new(b.0, b.1));
            assert_eq!((a.conflicts_with(&b), b.conflicts_with(&a)), (expected, expected), "{a:?} {b:?}");
        }
    }
}
