//! Serial: one child after the other.
//!
//! **Source**: `…/plan/strategy/SerialStrategy.java`: the order is fixed once, on the first query, among the children
//! that are incomplete at that moment; each of them waits for all earlier ones of that subset. Children complete at
//! that moment wait for none and block none, so one that is restarted later runs at once beside the rest. Upstream
//! keeps all pairs; here the subset is a set of bits and the frontier its first unfinished member. Match, for O(log
//! n) per change.

use crate::bits::BitTree;

/// State of a serial strategy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Serial {
    /// Children that the order was fixed among.
    members: BitTree,
    /// Members not complete.
    unfinished: BitTree,
    /// The first unfinished member.
    frontier: Option<u32>,
    /// Set if the order has been fixed.
    frozen: bool,
}

/// Children whose gate opened or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shift {
    pub(crate) closed: Option<usize>,
    pub(crate) opened: Option<usize>,
}

impl Serial {
    pub(crate) fn new(children: usize) -> Self {
        Self {
            members: BitTree::with_len(children),
            unfinished: BitTree::with_len(children),
            frontier: None,
            frozen: false,
        }
    }

    pub(crate) const fn is_frozen(&self) -> bool {
        self.frozen
    }

    pub(crate) fn is_member(&self, child: usize) -> bool {
        self.members.contains(child)
    }

    pub(crate) fn frontier(&self) -> Option<usize> {
        self.frontier.map(|child| child as usize)
    }

    /// The first member that is not complete.
    fn first_unfinished(&self) -> Option<u32> {
        u32::try_from(self.unfinished.first()?).ok()
    }

    /// Fixes the order among the children that are not complete.
    pub(crate) fn freeze(&mut self, complete: impl Iterator<Item = bool>) {
        self.frozen = true;
        for (child, complete) in complete.enumerate() {
            if !complete {
                self.members.insert(child);
                self.unfinished.insert(child);
            }
        }
        self.frontier = self.first_unfinished();
    }

    /// Adds a child at the end. Upstream has no such case; the child follows all members, unless it is complete,
    /// which means that it blocks none.
    pub(crate) fn push(&mut self, child: usize, complete: bool) {
        self.members.grow(child + 1);
        self.unfinished.grow(child + 1);
        if self.frozen && !complete {
            self.members.insert(child);
            self.unfinished.insert(child);
            self.frontier = self.first_unfinished();
        }
    }

    /// Notes that a child became or ceased to be complete.
    pub(crate) fn complete_changed(&mut self, child: usize, complete: bool) -> Shift {
        if !self.members.contains(child) {
            return Shift { closed: None, opened: None };
        }
        if complete {
            self.unfinished.remove(child);
        } else {
            self.unfinished.insert(child);
        }
        let closed = self.frontier();
        self.frontier = self.first_unfinished();
        let opened = self.frontier();
        if closed == opened { Shift { closed: None, opened: None } } else { Shift { closed, opened } }
    }

    pub(crate) fn is_open(&self, child: usize) -> bool {
        self.frozen && (self.frontier() == Some(child) || !self.members.contains(child))
    }
}
