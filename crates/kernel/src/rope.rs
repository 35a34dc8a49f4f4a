//! A list that grows at its end and never moves its entries.
//!
//! *Knows*: positions. *Must not know*: what the entries are.
//!
//! *Invariant*: every chunk but the last is full, and none is empty; the first `skipped` entries of the first chunk count as removed.

use std::{fmt, iter::FusedIterator, slice};

use serde::{Serialize, Serializer};

/// Entries of a chunk.
const CHUNK: usize = 512;

/// Entries in order, in chunks. *Cost*: adding one moves no other, so a long list takes the memory of its entries and no time to grow.
#[derive(Clone, Debug)]
pub struct Rope<T> {
    chunks: Vec<Vec<T>>,
    skipped: usize,
}

impl<T> Default for Rope<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), skipped: 0 }
    }
}

impl<T> Rope<T> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        let last = self.chunks.last().map_or(0, Vec::len);
        (self.chunks.len().saturating_sub(1) * CHUNK + last).saturating_sub(self.skipped)
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(entry),
            None => self.chunks.push(vec![entry]),
            Some(_) => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(entry);
                self.chunks.push(chunk);
            }
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Removes the first entries.
    pub fn remove_first(&mut self, count: usize) {
        if count >= self.len() {
            return self.clear();
        }
        self.skipped += count;
        self.chunks.drain(..self.skipped / CHUNK);
        self.skipped %= CHUNK;
    }

    /// Removes the entries from a position on and returns them.
    pub fn split_off(&mut self, at: usize) -> Vec<T> {
        let (chunk, place) = position(at + self.skipped);
        let mut rest = self.chunks.get_mut(chunk).map(|chunk| chunk.split_off(place)).unwrap_or_default();
        rest.extend(self.chunks.drain((chunk + 1).min(self.chunks.len())..).flatten());
        self.chunks.pop_if(|last| last.is_empty());
        if self.is_empty() {
            self.clear();
        }
        rest
    }

    /// All entries.
    pub fn all(&self) -> Stretch<'_, T> {
        self.between(0, self.len())
    }

    /// Entries from one position up to another one; none if these are not in order.
    pub fn between(&self, from: usize, to: usize) -> Stretch<'_, T> {
        let to = to.min(self.len());
        if from >= to {
            return Stretch::default();
        }
        let ((first, start), (last, end)) = (position(from + self.skipped), position(to - 1 + self.skipped));
        let chunk = |at: usize| self.chunks.get(at).map(Vec::as_slice).unwrap_or_default();
        if first == last {
            return Stretch { head: chunk(first).get(start..=end).unwrap_or_default(), ..Stretch::default() };
        }
        Stretch {
            head: chunk(first).get(start..).unwrap_or_default(),
            full: self.chunks.get(first + 1..last).unwrap_or_default(),
            tail: chunk(last).get(..=end).unwrap_or_default(),
        }
    }
}

impl<T> Extend<T> for Rope<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }
}

/// The chunk of a position, and the position in it.
const fn position(at: usize) -> (usize, usize) {
    (at / CHUNK, at % CHUNK)
}

/// Consecutive entries of a [`Rope`], or a slice.
pub struct Stretch<'a, T> {
    head: &'a [T],
    /// Full chunks.
    full: &'a [Vec<T>],
    tail: &'a [T],
}

impl<T> Clone for Stretch<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Stretch<'_, T> {}

impl<T> Default for Stretch<'_, T> {
    fn default() -> Self {
        Self { head: &[], full: &[], tail: &[] }
    }
}

impl<'a, T> From<&'a [T]> for Stretch<'a, T> {
    fn from(head: &'a [T]) -> Self {
        Self { head, ..Self::default() }
    }
}

impl<'a, T> Stretch<'a, T> {
    /// Returns the number of entries.
    pub const fn len(&self) -> usize {
        self.head.len() + self.full.len() * CHUNK + self.tail.len()
    }

    /// Returns whether there are no entries.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at a position.
    pub fn get(&self, at: usize) -> Option<&'a T> {
        let Some(at) = at.checked_sub(self.head.len()) else { return self.head.get(at) };
        let (chunk, place) = position(at);
        match self.full.get(chunk) {
            Some(chunk) => chunk.get(place),
            None => self.tail.get(at - self.full.len() * CHUNK),
        }
    }

    /// The first entry.
    pub fn first(&self) -> Option<&'a T> {
        self.get(0)
    }

    /// The last entry.
    pub fn last(&self) -> Option<&'a T> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The first entries, at most so many.
    #[must_use]
    pub fn take(&self, count: usize) -> Self {
        let head = self.head.get(..count).unwrap_or(self.head);
        let (chunks, place) = position(count.saturating_sub(head.len()));
        let Some(full) = self.full.get(..chunks) else {
            let tail = count.saturating_sub(head.len() + self.full.len() * CHUNK);
            return Self { head, full: self.full, tail: self.tail.get(..tail).unwrap_or(self.tail) };
        };
        let next = self.full.get(chunks).map_or(self.tail, Vec::as_slice);
        Self { head, full, tail: next.get(..place).unwrap_or(next) }
    }

    /// All entries in order.
    pub fn iter(&self) -> Iter<'a, T> {
        Iter { head: self.head.iter(), full: self.full.iter(), tail: self.tail.iter() }
    }

    /// Copies the entries.
    pub fn to_vec(&self) -> Vec<T>
    where
        T: Clone,
    {
        self.iter().cloned().collect()
    }
}

impl<'a, T> IntoIterator for Stretch<'a, T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &Stretch<'a, T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Stretch<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<T: PartialEq> PartialEq for Stretch<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T: Serialize> Serialize for Stretch<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(*self)
    }
}

/// Entries of a [`Stretch`].
pub struct Iter<'a, T> {
    head: slice::Iter<'a, T>,
    full: slice::Iter<'a, Vec<T>>,
    tail: slice::Iter<'a, T>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self { head: self.head.clone(), full: self.full.clone(), tail: self.tail.clone() }
    }
}

impl<T> fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").field("left", &self.len()).finish()
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some(entry) = self.head.next() {
                return Some(entry);
            }
            match self.full.next() {
                Some(chunk) => self.head = chunk.iter(),
                None => return self.tail.next(),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.head.len() + self.full.len() * CHUNK + self.tail.len();
        (left, Some(left))
    }
}

impl<'a, T> DoubleEndedIterator for Iter<'a, T> {
    fn next_back(&mut self) -> Option<&'a T> {
        loop {
            if let Some(entry) = self.tail.next_back() {
                return Some(entry);
            }
            match self.full.next_back() {
                Some(chunk) => self.tail = chunk.iter(),
                None => return self.head.next_back(),
            }
        }
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<T> FusedIterator for Iter<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    /// A whole number below `bound`.
    fn any(seed: u64, n: u64, bound: usize) -> usize {
        let last = bound.saturating_sub(1) as u64;
        usize::try_from(draw::between(seed, 1, 1, n, 0, last)).expect("small")
    }

    fn agree(stretch: Stretch<'_, usize>, model: &[usize], n: u64) {
        assert_eq!(stretch, Stretch::from(model));
        assert_eq!(stretch.to_vec(), model);
        assert_eq!(stretch.iter().len(), model.len());
        assert!(stretch.iter().rev().eq(model.iter().rev()));
        assert_eq!((stretch.first(), stretch.last()), (model.first(), model.last()));
        let at = any(5, n, model.len() + 2);
        assert_eq!(stretch.get(at), model.get(at));
        assert_eq!(stretch.take(at).to_vec(), model[..at.min(model.len())]);
        // From both ends in turns.
        let (mut mine, mut theirs) = (stretch.iter(), model.iter());
        for turn in 0..at {
            let pair = if turn % 3 == 0 {
                (mine.next(), theirs.next())
            } else {
                (mine.next_back(), theirs.next_back())
            };
            assert_eq!(pair.0, pair.1);
        }
        assert!(mine.eq(theirs));
    }

    #[test]
    fn agrees_with_a_vector() {
        for seed in 0..4 {
            let (mut rope, mut model) = (Rope::default(), Vec::new());
            for n in 0..60 {
                match any(seed, n, 8) {
                    0 => {
                        let count = any(seed, 100 + n, 700);
                        rope.remove_first(count);
                        model.drain(..count.min(model.len()));
                    }
                    1 => {
                        let at = any(seed, 200 + n, model.len() + 3);
                        assert_eq!(rope.split_off(at), model.split_off(at.min(model.len())));
                    }
                    2 if n % 5 == 0 => {
                        rope.clear();
                        model.clear();
                    }
                    _ => {
                        let more = (0..any(seed, 300 + n, 900))
                            .map(|m| m + 1_000 * usize::try_from(n).expect("small"));
                        rope.extend(more.clone());
                        model.extend(more);
                    }
                }
                assert_eq!((rope.len(), rope.is_empty()), (model.len(), model.is_empty()));
                agree(rope.all(), &model, n);
                let (from, to) = (any(seed, 400 + n, model.len() + 1), any(seed, 500 + n, model.len() + 5));
                agree(rope.between(from, to), model.get(from..to.min(model.len())).unwrap_or_default(), n);
            }
        }
    }

    #[test]
    fn is_written_as_a_list() {
        let mut rope = Rope::default();
        rope.extend(0..600);
        let json = serde_json::to_string(&rope.between(510, 514)).expect("plain data");
        assert_eq!(json, "[510,511,512,513]");
    }
}
