//! Tables and ordered maps in chunks that copies share: a copy costs a pointer per chunk, and changing one
//! entry afterwards copies that entry's chunk alone.
//!
//! *Knows*: chunks and how much of one copy another does not share. *Must not know*: what the entries are.
//!
//! Copy-on-write collections: kept states share their chunks; [`Weight`](crate::Weight) is what a state holds that an
//! earlier one does not.

mod by_id;
mod finder;
mod index;
mod last;
mod list;
mod map;
mod table;

use std::sync::Arc;

pub use by_id::IdMap;
pub use finder::Finder;
pub use index::Index;
pub use list::{Entries, List};
pub use map::{Iter, Map};
pub use table::Table;

/// Entries of a chunk unless told otherwise: copying one is cheap, pointers to all of them are few.
pub const CHUNK: usize = 32;

/// Memory of a chunk beside its entries: two counts, a vector, a pointer to it.
const CHUNK_BYTES: u64 = 48;

/// Bytes behind a shared pointer: none when `before` points to the same; `inside` tells what is behind further ones.
pub fn behind<T>(now: &Arc<T>, before: Option<&Arc<T>>, inside: impl FnOnce(&T) -> u64) -> u64 {
    if before.is_some_and(|before| Arc::ptr_eq(before, now)) {
        return 0;
    }
    2 * bytes_of::<usize>(1) + bytes_of::<T>(1) + inside(now)
}

/// The size of some entries.
pub fn bytes_of<T>(count: usize) -> u64 {
    (count as u64).saturating_mul(size_of::<T>() as u64)
}
