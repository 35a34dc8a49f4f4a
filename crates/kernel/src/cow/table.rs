//! A growing table of rows.

use super::{CHUNK, CHUNK_BYTES, bytes_of};
use crate::weight::{Flat, Weight};
use std::{ops::Range, sync::Arc};

/// Rows by number, `N` to a chunk. *Cost*: reading a row O(1); changing one copies its chunk when a copy of the
/// table shares it.
#[derive(Debug, Clone)]
pub struct Table<T, const N: usize = CHUNK> {
    /// All chunks but the last are full.
    chunks: Vec<Arc<Vec<T>>>,
    /// A chunk of retired rows, shared by all such chunks.
    retired: Option<Arc<Vec<T>>>,
}

impl<T, const N: usize> Default for Table<T, N> {
    fn default() -> Self {
        Self { chunks: Vec::new(), retired: None }
    }
}

impl<T: Clone, const N: usize> Table<T, N> {
    /// No rows.
    pub const fn new() -> Self {
        Self { chunks: Vec::new(), retired: None }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * N + last.len())
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// A row.
    pub fn get(&self, row: usize) -> Option<&T> {
        self.chunks.get(row / N)?.get(row % N)
    }

    /// Returns a row to change.
    pub fn get_mut(&mut self, row: usize) -> Option<&mut T> {
        Arc::make_mut(self.chunks.get_mut(row / N)?).get_mut(row % N)
    }

    /// Adds a row.
    pub fn push(&mut self, row: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < N => Arc::make_mut(last).push(row),
            _ => self.chunks.push(Arc::new(vec![row])),
        }
    }

    /// Adds rows, each chunk in one piece of memory.
    pub fn append(&mut self, mut rows: impl ExactSizeIterator<Item = T>) {
        if let Some(last) = self.chunks.last_mut().filter(|last| last.len() < N && rows.len() > 0) {
            let last = Arc::make_mut(last);
            last.extend(rows.by_ref().take(N - last.len()));
        }
        while rows.len() > 0 {
            self.chunks.push(Arc::new(rows.by_ref().take(N).collect()));
        }
    }

    /// Replaces a row that is no longer read. Full chunks of such rows share one chunk, so that all of them have the same value
    /// from then on.
    pub fn retire(&mut self, row: usize, with: T, is_retired: impl Fn(&T) -> bool) {
        let Some(chunk) = self.chunks.get_mut(row / N) else { return };
        if let Some(slot) = Arc::make_mut(chunk).get_mut(row % N) {
            *slot = with;
        }
        if chunk.len() == N && chunk.iter().all(is_retired) {
            *chunk = Arc::clone(self.retired.get_or_insert_with(|| Arc::clone(chunk)));
        }
    }

    /// Returns all rows of the chunks that contain a wanted row, in order, to change. *Cost*: one copy per such chunk that is
    /// shared.
    pub fn for_each_mut(&mut self, wanted: impl Fn(&T) -> bool, mut change: impl FnMut(usize, &mut T)) {
        for (at, chunk) in self.chunks.iter_mut().enumerate() {
            if chunk.iter().any(&wanted) {
                let rows = Arc::make_mut(chunk).iter_mut().enumerate();
                rows.for_each(|(n, row)| change(at * N + n, row));
            }
        }
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// The rows of a range of numbers, slice by slice, each with the number of its first row.
    pub fn slices(&self, range: Range<usize>) -> impl Iterator<Item = (usize, &[T])> {
        let chunks = (range.start / N..).zip(self.chunks.get(range.start / N..).unwrap_or_default());
        chunks.map_while(move |(at, chunk)| {
            let (from, to) = (range.start.max(at * N), range.end.min(at * N + chunk.len()));
            chunk
                .get(from - at * N..to.checked_sub(at * N)?)
                .filter(|rows| !rows.is_empty())
                .map(|rows| (from, rows))
        })
    }

    /// Bytes that this table holds and `before` does not; `inside` tells what a row has behind pointers, given
    /// the row that was in its place.
    pub fn beyond_with(&self, before: Option<&Self>, inside: impl Fn(&T, Option<&T>) -> u64) -> u64 {
        let mut bytes = bytes_of::<usize>(self.chunks.len());
        for (at, chunk) in self.chunks.iter().enumerate() {
            let old = before.and_then(|before| before.chunks.get(at));
            let retired = self.retired.as_ref().is_some_and(|retired| Arc::ptr_eq(retired, chunk));
            if retired || old.is_some_and(|old| Arc::ptr_eq(old, chunk)) {
                continue;
            }
            bytes += CHUNK_BYTES + bytes_of::<T>(chunk.len());
            let rows = chunk.iter().enumerate();
            bytes += rows.map(|(n, row)| inside(row, old.and_then(|old| old.get(n)))).sum::<u64>();
        }
        bytes
    }
}

impl<T: Clone, const N: usize> Flat for Table<T, N> {
    fn beyond_flat(&self, before: Option<&Self>) -> u64 {
        self.beyond_with(before, |_, _| 0)
    }
}

impl<T: Clone + Weight, const N: usize> Weight for Table<T, N> {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        self.beyond_with(before, T::beyond)
    }
}

impl<T: Clone, const N: usize> FromIterator<T> for Table<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut table = Self::new();
        rows.into_iter().for_each(|row| table.push(row));
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_where_they_are() {
        let mut table: Table<u32, 4> = (0..10).collect();
        assert_eq!((table.len(), table.get(9), table.get(10)), (10, Some(&9), None));
        *table.get_mut(5).expect("a row") = 50;
        table.push(10);
        assert_eq!(table.iter().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 50, 6, 7, 8, 9, 10]);
        for range in (0..13).flat_map(|from| (from..15).map(move |to| from..to)) {
            let rows: Vec<(usize, u32)> = table
                .slices(range.clone())
                .flat_map(|(first, rows)| (first..).zip(rows.iter().copied()))
                .collect();
            let all = table.iter().copied().enumerate();
            assert_eq!(rows, all.filter(|(row, _)| range.contains(row)).collect::<Vec<_>>(), "{range:?}");
        }
        assert!(Table::<u32, 4>::new().is_empty() && !table.is_empty());
        let mut appended: Table<u32, 4> = Table::new();
        for rows in [0..0, 0..2, 2..3, 3..12, 12..12, 12..13] {
            appended.append(rows.clone());
            assert_eq!(appended.len(), rows.end as usize);
        }
        assert!(appended.iter().copied().eq(0..13) && appended.chunks.len() == 4);
    }

    #[test]
    fn retired_rows_take_no_room() {
        let mut table: Table<u64, 4> = (1..=40).collect();
        for row in (0..40).filter(|row| *row != 6) {
            table.retire(row, 0, |row| *row == 0);
        }
        let left: Vec<_> = table.iter().copied().filter(|row| *row > 0).collect();
        assert_eq!((left, table.get(6), table.get(39), table.len()), (vec![7], Some(&7), Some(&0), 40));
        let mut chunks: Vec<_> = table.chunks.iter().map(Arc::as_ptr).collect();
        chunks.sort();
        chunks.dedup();
        assert_eq!(chunks.len(), 2, "one for the row that is left, one for all others");
        table.retire(99, 0, |_| true);
        assert_eq!(table.beyond_with(None, |_, _| 0), 80 + CHUNK_BYTES + 32, "one chunk weighs something");
    }

    #[test]
    fn chunks_without_a_wanted_row_stay_shared() {
        let before: Table<u32, 4> = (0..10).collect();
        let mut after = before.clone();
        let mut seen = Vec::new();
        after.for_each_mut(
            |row| *row == 5,
            |at, row| {
                seen.push((at, *row));
                *row += 100;
            },
        );
        assert_eq!(seen, [(4, 4), (5, 5), (6, 6), (7, 7)]);
        assert_eq!(after.iter().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 104, 105, 106, 107, 8, 9]);
        assert_eq!(before.get(5), Some(&5));
        let shared = after.chunks.iter().zip(&before.chunks).map(|(now, then)| Arc::ptr_eq(now, then));
        assert_eq!(shared.collect::<Vec<_>>(), [true, false, true]);
    }

    #[test]
    fn copies_share_what_did_not_change() {
        let before: Table<u64, 4> = (0..40).collect();
        let mut after = before.clone();
        let pointers = 80;
        assert_eq!(after.beyond_with(Some(&before), |_, _| 0), pointers);
        *after.get_mut(7).expect("a row") += 1;
        *after.get_mut(6).expect("a row") += 1;
        assert_eq!(before.get(7), Some(&7));
        assert_eq!(
            after.beyond_with(Some(&before), |_, _| 0),
            pointers + CHUNK_BYTES + 32,
            "one chunk of four"
        );
        let changed = |now: &u64, old: Option<&u64>| u64::from(old != Some(now));
        assert_eq!(after.beyond_with(Some(&before), changed), pointers + CHUNK_BYTES + 32 + 2);
        assert_eq!(after.beyond_with(None, |_, _| 0), pointers + 10 * CHUNK_BYTES + 320);
    }
}
