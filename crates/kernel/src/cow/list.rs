//! A list with insertion and removal at any position.
//!
//! *Invariant*: no chunk is empty; the last piece is not shared with copies.

use super::{CHUNK, CHUNK_BYTES, bytes_of};
use crate::weight::Flat;
use std::sync::Arc;

/// Entries in order, the most recent ones in one piece, older ones in chunks of `N` that copies share. *Cost*: a
/// change moves at most a chunk and copies it where it is shared; short lists are one piece.
#[derive(Debug, Clone)]
pub struct List<T, const N: usize = CHUNK> {
    chunks: Vec<Arc<Vec<T>>>,
    last: Vec<T>,
}

impl<T, const N: usize> Default for List<T, N> {
    fn default() -> Self {
        Self { chunks: Vec::new(), last: Vec::new() }
    }
}

impl<T, const N: usize> List<T, N> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum::<usize>() + self.last.len()
    }

    /// Returns whether it is empty.
    pub const fn is_empty(&self) -> bool {
        self.chunks.is_empty() && self.last.is_empty()
    }

    /// All entries in order.
    pub fn iter(&self) -> Entries<'_, T> {
        Entries { chunks: self.chunks.iter(), now: [].iter(), last: self.last.iter() }
    }
}

impl<T, const N: usize> Flat for List<T, N> {
    fn beyond_flat(&self, before: Option<&Self>) -> u64 {
        let mut old = before.map_or(&[][..], |before| &before.chunks).iter();
        let mut bytes = bytes_of::<usize>(self.chunks.len()) + bytes_of::<T>(self.last.len());
        for chunk in &self.chunks {
            let mut rest = old.clone();
            if rest.any(|other| Arc::ptr_eq(other, chunk)) {
                old = rest;
            } else {
                bytes += CHUNK_BYTES + bytes_of::<T>(chunk.len());
            }
        }
        bytes
    }
}

impl<T: Clone, const N: usize> List<T, N> {
    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) {
        if self.last.len() >= 2 * N {
            let rest = self.last.split_off(N);
            self.chunks.push(Arc::new(std::mem::replace(&mut self.last, rest)));
        }
        self.last.push(entry);
    }

    /// Returns a list with room for this many entries in one piece.
    pub fn with_room(entries: usize) -> Self {
        Self { chunks: Vec::new(), last: Vec::with_capacity(entries.min(2 * N)) }
    }

    /// Frees memory that was reserved for more entries.
    pub fn shrink_to_fit(&mut self) {
        self.last.shrink_to_fit();
    }

    /// Returns an entry to change.
    pub fn get_mut(&mut self, mut at: usize) -> Option<&mut T> {
        for chunk in &mut self.chunks {
            if at < chunk.len() {
                return Arc::make_mut(chunk).get_mut(at);
            }
            at -= chunk.len();
        }
        self.last.get_mut(at)
    }

    /// Removes an entry and returns it.
    pub fn remove(&mut self, mut at: usize) -> Option<T> {
        for (n, chunk) in self.chunks.iter_mut().enumerate() {
            if at < chunk.len() {
                let entries = Arc::make_mut(chunk);
                let entry = entries.remove(at);
                if entries.is_empty() {
                    self.chunks.remove(n);
                }
                return Some(entry);
            }
            at -= chunk.len();
        }
        (at < self.last.len()).then(|| self.last.remove(at))
    }
}

impl<T: Clone, const N: usize> List<T, N> {
    /// Keeps the entries for which `keep` returns true. *Cost*: copies nothing if everything is kept.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        for chunk in &mut self.chunks {
            if !chunk.iter().all(&keep) {
                Arc::make_mut(chunk).retain(&keep);
            }
        }
        self.chunks.retain(|chunk| !chunk.is_empty());
        self.last.retain(keep);
    }
}

impl<T: Clone, const N: usize> FromIterator<T> for List<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut last: Vec<T> = entries.into_iter().collect();
        if last.len() <= 2 * N {
            last.shrink_to_fit();
            return Self { chunks: Vec::new(), last };
        }
        let mut list = Self::default();
        for entry in last {
            list.push(entry);
        }
        list
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a List<T, N> {
    type Item = &'a T;
    type IntoIter = Entries<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The entries of a [`List`] in order.
#[derive(Debug, Clone)]
pub struct Entries<'a, T> {
    chunks: std::slice::Iter<'a, Arc<Vec<T>>>,
    now: std::slice::Iter<'a, T>,
    last: std::slice::Iter<'a, T>,
}

impl<T> Entries<'_, T> {
    /// Nothing.
    pub fn none() -> Self {
        Self { chunks: [].iter(), now: [].iter(), last: [].iter() }
    }
}

impl<'a, T> Iterator for Entries<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some(entry) = self.now.next() {
                return Some(entry);
            }
            match self.chunks.next() {
                Some(chunk) => self.now = chunk.iter(),
                None => return self.last.next(),
            }
        }
    }

    /// Exact for a list of one piece.
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let sure = self.now.len() + self.last.len();
        (sure, self.chunks.as_slice().is_empty().then_some(sure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::mix64;

    /// Random changes against a plain list; copies made on the way must not change with it.
    #[test]
    fn agrees_with_a_plain_list() {
        let mut list: List<u64, 4> = List::default();
        let mut model = Vec::new();
        let mut kept = Vec::new();
        for n in 0..3_000_u64 {
            let word = mix64(n);
            let at = usize::try_from(word >> 8).expect("64 bits") % (model.len() + 1);
            match word % 8 {
                0..=3 if n / 300 % 2 == 0 => {
                    list.push(n);
                    model.push(n);
                }
                0..=4 => assert_eq!(list.remove(at), (at < model.len()).then(|| model.remove(at))),
                5 if word % 64 == 5 => {
                    list.retain(|entry| entry % 7 != 0);
                    model.retain(|entry| entry % 7 != 0);
                }
                5 => {
                    list.get_mut(at).into_iter().for_each(|entry| *entry += 1);
                    model.get_mut(at).into_iter().for_each(|entry| *entry += 1);
                }
                _ => {}
            }
            assert_eq!((list.len(), list.is_empty()), (model.len(), model.is_empty()));
            if n % 61 == 0 {
                assert!(list.iter().eq(&model));
                assert!(model.iter().copied().collect::<List<u64, 4>>().iter().eq(&model));
                kept.push((list.clone(), model.clone()));
            }
        }
        for (list, model) in kept {
            assert!(list.iter().eq(&model), "a copy has changed with the list");
        }
    }

    #[test]
    fn copies_share_what_did_not_change() {
        let before: List<u64, 4> = (0..38).collect();
        let mut after = before.clone();
        let own = 8 * (before.chunks.len() + before.last.len()) as u64;
        assert_eq!(after.beyond_flat(Some(&before)), own);
        after.push(38);
        assert_eq!(after.remove(3), Some(3));
        assert_eq!(
            after.beyond_flat(Some(&before)),
            own + 8 + CHUNK_BYTES + 3 * 8,
            "one chunk that lacks an entry"
        );
        assert!(after.beyond_flat(None) > 8 * 38);
        let none: List<u64, 4> = List::default();
        assert!(none.iter().next().is_none() && Entries::<u64>::none().next().is_none());
    }
}
