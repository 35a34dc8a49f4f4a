//! The position of the last look-up.
//!
//! *Knows*: one number. *Must not know*: what is found there. It is a first guess for the next search. No result depends on
//! it, so threads may overwrite each other's guess.

use std::sync::atomic::{AtomicU32, Ordering};

/// The place of the last find.
#[derive(Debug, Default)]
pub(super) struct Last(AtomicU32);

impl Last {
    pub(super) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed) as usize
    }

    pub(super) fn set(&self, place: usize) {
        self.0.store(u32::try_from(place).unwrap_or(0), Ordering::Relaxed);
    }
}

impl Clone for Last {
    fn clone(&self) -> Self {
        Self(AtomicU32::new(self.0.load(Ordering::Relaxed)))
    }
}
