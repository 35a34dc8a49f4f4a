//! Small ordered tables in one piece of memory.
//!
//! They iterate like the standard library's ordered map and set, with a tenth of their code for each type of entry, which keeps
//! the WebAssembly module small. *Cost*: a look-up O(log n); an insertion or
//! removal moves what comes after it, so for tables of many thousand entries that change in the middle there is
//! [`Map`](crate::Map).

mod map;
mod serde;
mod set;

pub use map::{Entry, Iter, SortedMap};
pub use set::SortedSet;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::{Bound, Range, RangeBounds};

/// The places of a slice of `len` ascending keys that lie in a range; `count` says how many at the front fulfil a
/// condition on the key.
fn places<Q: Ord + ?Sized>(
    len: usize,
    range: &impl RangeBounds<Q>,
    count: impl Fn(&dyn Fn(&Q) -> bool) -> usize,
) -> Range<usize> {
    let from = match range.start_bound() {
        Bound::Unbounded => 0,
        Bound::Included(from) => count(&|key| key < from),
        Bound::Excluded(from) => count(&|key| key <= from),
    };
    let to = match range.end_bound() {
        Bound::Unbounded => len,
        Bound::Included(to) => count(&|key| key <= to),
        Bound::Excluded(to) => count(&|key| key < to),
    };
    from..to.max(from)
}

/// Sorts rows; equal rows keep their order. All types of row share one sort, which moves the rows once more but saves the code
/// of the standard library's sort for each type.
pub fn sort_by<T>(rows: &mut Vec<T>, mut compare: impl FnMut(&T, &T) -> Ordering) {
    // Many lists are short or in order already.
    if rows.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return;
    }
    let order = order(rows.len(), &mut |a, b| match (rows.get(a), rows.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    let mut old: Vec<Option<T>> = std::mem::take(rows).into_iter().map(Some).collect();
    rows.extend(order.into_iter().filter_map(|at| old.get_mut(at)?.take()));
}

/// Sorts rows by a key; equal rows keep their order; see [`sort_by`].
pub fn sort_by_key<T, K: Ord>(rows: &mut Vec<T>, mut key: impl FnMut(&T) -> K) {
    sort_by(rows, |a, b| key(a).cmp(&key(b)));
}

/// Sorts rows; see [`sort_by`].
pub fn sort<T: Ord>(rows: &mut Vec<T>) {
    sort_by(rows, T::cmp);
}

/// Returns the standard library's map of entries in any order. Its own `collect` would add the code of one more sort for each
/// kind of iterator.
pub fn tree<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map
}

/// The places `0..len` in order.
fn order(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_keep_their_order() {
        let mut rows = vec![(2, 'a'), (1, 'b'), (2, 'c'), (0, 'd'), (1, 'e')];
        sort_by_key(&mut rows, |row| row.0);
        assert_eq!(rows, [(0, 'd'), (1, 'b'), (1, 'e'), (2, 'a'), (2, 'c')]);
        sort(&mut rows);
        assert_eq!(rows, [(0, 'd'), (1, 'b'), (1, 'e'), (2, 'a'), (2, 'c')]);
        sort_by(&mut rows, |a, b| b.1.cmp(&a.1));
        assert_eq!(rows, [(1, 'e'), (0, 'd'), (2, 'c'), (1, 'b'), (2, 'a')]);
    }
}
