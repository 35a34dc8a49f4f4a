//! Random: one eligible child at a time, drawn at random.
//!
//! *Knows*: the drawn child, and those drawn since the last change. *Must not know*: why a child is eligible; it gets
//! the eligible ones.
//!
//! **Source**: `…/plan/strategy/RandomStrategy.java`: every query shuffles the eligible children and takes the first.
//! Differs: a draw is kept until the next one is requested or the child is no longer eligible, so that reading changes
//! nothing; and no child is drawn twice while another has not been drawn since the last change. The draw is keyed: the
//! same key and number give the same child.

use planarium_kernel::draw;

use crate::bits::BitTree;

/// Purpose of the draws.
const LOT: u32 = 0x51A7;

/// State of a random strategy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Random {
    key: u64,
    /// Number of draws.
    draws: u64,
    pick: Option<u32>,
    /// Children drawn since anything last changed.
    drawn: BitTree,
}

impl Random {
    pub(crate) fn new(key: u64, children: usize) -> Self {
        Self { key, draws: 0, pick: None, drawn: BitTree::with_len(children) }
    }

    /// The child that may run.
    pub(crate) fn pick(&self) -> Option<usize> {
        self.pick.map(|child| child as usize)
    }

    /// Number of draws.
    pub(crate) const fn draws(&self) -> u64 {
        self.draws
    }

    /// Makes room for one more child.
    pub(crate) fn grow(&mut self, children: usize) {
        self.drawn.grow(children);
    }

    /// A child has changed: every child but the current one may be drawn again.
    pub(crate) fn changed(&mut self, children: usize) {
        self.drawn = BitTree::with_len(children);
        if let Some(pick) = self.pick() {
            self.drawn.insert(pick);
        }
    }

    /// Draws among the eligible children: those not drawn yet, or all once each has been; true for one not drawn yet.
    /// *Cost*: by their number.
    pub(crate) fn draw(&mut self, eligible: &[usize]) -> bool {
        let fresh: Vec<usize> =
            eligible.iter().copied().filter(|child| !self.drawn.contains(*child)).collect();
        let urn = if fresh.is_empty() { eligible } else { &fresh };
        self.draws += 1;
        let last = (urn.len() as u64).saturating_sub(1);
        let at = draw::between(self.key, 0, LOT, self.draws, 0, last);
        let drawn = usize::try_from(at).ok().and_then(|at| urn.get(at)).copied();
        self.pick = drawn.and_then(|child| u32::try_from(child).ok());
        if let Some(pick) = drawn {
            self.drawn.insert(pick);
        }
        !fresh.is_empty()
    }
}
