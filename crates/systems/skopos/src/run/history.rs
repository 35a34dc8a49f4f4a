//! History of a run: it only grows, and copies share the old part.
//!
//! *Knows*: blocks and the entries behind them. *Must not know*: what happened.

use planarium_kernel::{Table, Weight};
use std::sync::Arc;

/// Entries of a block.
const BLOCK: usize = 64;

/// Entries in order. Cheap to clone also when it is long: a copy takes the last entries and a few pointers.
///
/// *Invariant*: every block is full, and no entry behind a block's end ever changes.
#[derive(Clone, Debug, Weight)]
#[weight(own size_of_val(&*self.last) as u64, blocks)]
pub(crate) struct History<T> {
    blocks: Table<Arc<[T]>, BLOCK>,
    last: Vec<T>,
}

impl<T: Clone> History<T> {
    /// Nothing has happened.
    pub(crate) const fn new() -> Self {
        Self { blocks: Table::new(), last: Vec::new() }
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len().saturating_mul(BLOCK).saturating_add(self.last.len())
    }

    /// Adds an entry.
    pub(crate) fn push(&mut self, entry: T) {
        self.last.push(entry);
        if self.last.len() == BLOCK {
            self.blocks.push(self.last.drain(..).collect());
        }
    }

    /// All entries in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flat_map(|block| block.iter()).chain(&self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_and_old_entries_are_shared() {
        let mut history = History::new();
        for n in 0..1_000_u64 {
            assert_eq!(history.len() as u64, n);
            history.push(n);
        }
        let before = history.clone();
        for n in 1_000..1_100 {
            history.push(n);
        }
        assert!(history.iter().copied().eq(0..1_100) && before.iter().copied().eq(0..1_000));
        assert!(history.beyond(None) >= 8 * 1_100, "{}", history.beyond(None));
        assert!(history.beyond(Some(&before)) < 8 * 300, "{}", history.beyond(Some(&before)));
    }
}
