//! An ordered map.
//!
//! *Invariant*: keys ascend within a chunk and from chunk to chunk; no chunk is empty or holds more than `N`; beside
//! each chunk is a copy of its first key, so that finding a chunk does not read the chunks.

use super::{CHUNK, CHUNK_BYTES, bytes_of, last::Last};
use crate::weight::{Flat, Weight};
use std::{
    borrow::Borrow,
    cmp::Ordering,
    fmt,
    ops::{Bound, RangeBounds},
    sync::Arc,
};

type Rows<K, V> = Arc<Vec<(K, V)>>;

/// A chunk beside its first key.
#[derive(Clone, Debug)]
struct Chunk<K, V> {
    head: K,
    rows: Rows<K, V>,
}

impl<K: Clone, V> Chunk<K, V> {
    /// Returns a chunk of these rows, or nothing without rows.
    fn of(rows: Vec<(K, V)>) -> Option<Self> {
        let head = rows.first()?.0.clone();
        Some(Self { head, rows: Arc::new(rows) })
    }

    /// Updates the copy of the first key.
    fn mend(&mut self) {
        if let Some((first, _)) = self.rows.first() {
            self.head = first.clone();
        }
    }
}

/// Entries in order of their keys, at most `N` to a chunk. *Cost*: a look-up O(log n); a change O(log n) and the
/// copy of a chunk when a copy of the map shares it.
#[derive(Clone)]
pub struct Map<K, V, const N: usize = CHUNK> {
    chunks: Vec<Chunk<K, V>>,
    len: u32,
    /// Position of the last look-up: the next one is mostly for the same key or the one after it.
    last: Last,
}

impl<K, V, const N: usize> Default for Map<K, V, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V, const N: usize> Map<K, V, N> {
    /// No entries.
    pub const fn new() -> Self {
        Self { chunks: Vec::new(), len: 0, last: Last::new() }
    }

    /// Returns the number of entries.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns whether it is empty.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All entries in order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { chunks: self.chunks.iter(), now: [].iter(), left: self.len() }
    }

    /// All keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// All values in order of their keys.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The entry with the greatest key.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.chunks.last()?.rows.last().map(|(key, value)| (key, value))
    }

    /// Returns the chunk that contains the key, if there is one.
    fn chunk_of<Q: Ord + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.chunks.partition_point(|chunk| chunk.head.borrow() <= key).saturating_sub(1)
    }

    /// Number of positions of a chunk, including the one after its last entry. The spot of an entry is its position in its
    /// chunk plus this number for each chunk before.
    const SPAN: usize = 2 * N;

    /// The entry at a spot.
    fn row(&self, spot: usize) -> Option<&(K, V)> {
        self.chunks.get(spot / Self::SPAN)?.rows.get(spot % Self::SPAN)
    }

    fn has<Q: Ord + ?Sized>(&self, spot: usize, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.row(spot).is_some_and(|(mine, _)| mine.borrow() == key)
    }

    /// Returns the spot of the key, or the spot to insert it at.
    #[inline]
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        let last = self.last.get();
        if self.has(last, key) { Ok(last) } else { self.search(last, key) }
    }

    /// Finds a key that is not at the last spot; see [`Map::find`].
    #[inline(never)]
    fn search<Q: Ord + ?Sized>(&self, last: usize, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        if self.has(last + 1, key) {
            self.last.set(last + 1);
            return Ok(last + 1);
        }
        let at = self.chunk_of(key);
        let from = at * Self::SPAN;
        let Some(chunk) = self.chunks.get(at) else { return Err(from) };
        let rows = &chunk.rows;
        // Most new keys are greater than all others.
        let place = match rows.last().map(|(last, _)| last.borrow().cmp(key)) {
            Some(Ordering::Less) => return Err(from + rows.len()),
            Some(Ordering::Equal) => rows.len() - 1,
            _ => match rows.binary_search_by(|(mine, _)| mine.borrow().cmp(key)) {
                Ok(place) => place,
                Err(place) => return Err(from + place),
            },
        };
        self.last.set(from + place);
        Ok(from + place)
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.row(self.find(key).ok()?).map(|(_, value)| value)
    }

    /// Returns whether there is such a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// The entries whose keys lie in a range, in order.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> impl Iterator<Item = (&K, &V)>
    where
        K: Borrow<Q>,
    {
        let at = match range.start_bound() {
            Bound::Unbounded => 0,
            Bound::Included(key) | Bound::Excluded(key) => self.chunk_of(key),
        };
        let early = match range.start_bound() {
            Bound::Unbounded => 0,
            Bound::Included(from) => self.before(at, |key| key < from),
            Bound::Excluded(from) => self.before(at, |key| key <= from),
        };
        let mut chunks = self.chunks.get(at..).unwrap_or_default().iter();
        let first = chunks.next().and_then(|chunk| chunk.rows.get(early..)).unwrap_or_default();
        first
            .iter()
            .chain(chunks.flat_map(|chunk| chunk.rows.iter()))
            .take_while(move |(key, _)| match range.end_bound() {
                Bound::Unbounded => true,
                Bound::Included(to) => key.borrow() <= to,
                Bound::Excluded(to) => key.borrow() < to,
            })
            .map(|(key, value)| (key, value))
    }

    /// Returns how many entries of a chunk come before a range.
    fn before<Q: Ord + ?Sized>(&self, at: usize, is_early: impl Fn(&Q) -> bool) -> usize
    where
        K: Borrow<Q>,
    {
        self.chunks.get(at).map_or(0, |chunk| chunk.rows.partition_point(|(key, _)| is_early(key.borrow())))
    }
}

impl<K: Clone + Ord, V: Clone, const N: usize> Map<K, V, N> {
    /// The value of a key, to change.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let spot = self.find(key).ok()?;
        self.row_mut(spot).map(|(_, value)| value)
    }

    /// The entry at a spot, to change.
    fn row_mut(&mut self, spot: usize) -> Option<&mut (K, V)> {
        Arc::make_mut(&mut self.chunks.get_mut(spot / Self::SPAN)?.rows).get_mut(spot % Self::SPAN)
    }

    /// Sets the value of a key; returns the previous one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let newest = self.last_key_value().is_none_or(|(last, _)| *last < key);
        match if newest { Err(self.end()) } else { self.find(&key) } {
            Ok(spot) => Some(std::mem::replace(&mut self.row_mut(spot)?.1, value)),
            Err(spot) => {
                self.insert_at(spot, key, value);
                None
            }
        }
    }

    /// Sets the value of a key without a value; returns false if there was one.
    pub fn insert_new(&mut self, key: K, value: V) -> bool {
        let Err(spot) = self.find(&key) else { return false };
        self.insert_at(spot, key, value);
        true
    }

    /// Returns the spot after the last entry.
    fn end(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * Self::SPAN + last.rows.len())
    }

    /// Inserts an entry at its spot.
    fn insert_at(&mut self, spot: usize, key: K, value: V) {
        let (at, place) = (spot / Self::SPAN, spot % Self::SPAN);
        self.len += 1;
        let is_last = at + 1 >= self.chunks.len();
        let Some(chunk) = self.chunks.get_mut(at) else {
            self.chunks.extend(Chunk::of(vec![(key, value)]));
            return;
        };
        let rows = &mut chunk.rows;
        if rows.len() < N {
            Arc::make_mut(rows).insert(place, (key, value));
            if place == 0 {
                chunk.mend();
            }
            return;
        }
        if is_last && place == rows.len() {
            // Ascending keys fill one chunk after the other.
            let mut rows = Vec::with_capacity(N);
            rows.push((key, value));
            self.chunks.extend(Chunk::of(rows));
            return;
        }
        let lower = Arc::make_mut(rows);
        let half = lower.len() / 2;
        let mut upper = lower.split_off(half);
        if place <= half {
            lower.insert(place, (key, value));
        } else {
            upper.insert(place - half, (key, value));
        }
        chunk.mend();
        if let Some(upper) = Chunk::of(upper) {
            self.chunks.insert(at + 1, upper);
        }
    }

    /// Changes the value of a key, which is created if absent.
    pub fn upsert<R>(&mut self, key: K, make: impl FnOnce() -> V, change: impl FnOnce(&mut V) -> R) -> R {
        let found = self.find(&key);
        if let Some((_, value)) = found.ok().and_then(|spot| self.row_mut(spot)) {
            return change(value);
        }
        let mut value = make();
        let result = change(&mut value);
        self.insert_at(found.unwrap_or_else(|spot| spot), key, value);
        result
    }

    /// Removes an entry and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let spot = self.find(key).ok()?;
        self.remove_at(spot).map(|(_, value)| value)
    }

    /// Removes the entry with the least key and returns it.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        self.remove_at(0)
    }

    /// Removes the entry at a spot and returns it.
    fn remove_at(&mut self, spot: usize) -> Option<(K, V)> {
        let (at, place) = (spot / Self::SPAN, spot % Self::SPAN);
        let chunk = self.chunks.get_mut(at)?;
        let rows = Arc::make_mut(&mut chunk.rows);
        let entry = rows.remove(place);
        let left = rows.len();
        self.len -= 1;
        if left == 0 {
            self.chunks.remove(at);
            return Some(entry);
        }
        if place == 0 {
            chunk.mend();
        }
        if left < N / 4 {
            self.merge(at);
        }
        Some(entry)
    }

    /// Joins a small chunk with the next or the previous one if both fit into one.
    fn merge(&mut self, at: usize) {
        let fits = |left: usize| {
            let pair = self.chunks.get(left).zip(self.chunks.get(left + 1));
            pair.is_some_and(|(a, b)| a.rows.len() + b.rows.len() <= N)
        };
        let Some(left) = [Some(at), at.checked_sub(1)].into_iter().flatten().find(|left| fits(*left)) else {
            return;
        };
        let upper = self.chunks.remove(left + 1);
        if let Some(lower) = self.chunks.get_mut(left) {
            Arc::make_mut(&mut lower.rows).extend(upper.rows.iter().cloned());
        }
    }

    /// Keeps the entries for which `keep` returns true. *Cost*: copies nothing if everything is kept.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        let mut dropped = 0_u32;
        for chunk in &mut self.chunks {
            let gone: Vec<bool> = chunk.rows.iter().map(|(key, value)| !keep(key, value)).collect();
            let count = gone.iter().map(|gone| u32::from(*gone)).sum::<u32>();
            if count > 0 {
                let mut gone = gone.into_iter();
                Arc::make_mut(&mut chunk.rows).retain(|_| !gone.next().unwrap_or(false));
                chunk.mend();
                dropped += count;
            }
        }
        self.len -= dropped;
        if dropped > 0 {
            self.chunks.retain(|chunk| !chunk.rows.is_empty());
        }
    }

    /// Bytes that this map holds and `before` does not; `inside` tells what a value has behind pointers, given
    /// the value that its key had.
    pub fn beyond_with(&self, before: Option<&Self>, inside: impl Fn(&V, Option<&V>) -> u64) -> u64 {
        let mut bytes = bytes_of::<(K, usize)>(self.chunks.len());
        for chunk in self.unshared(before) {
            bytes += Self::weight(chunk);
            let old = before.and_then(|before| before.chunks.get(before.chunk_of(&chunk.head)..));
            let mut old = old.unwrap_or_default().iter().flat_map(|chunk| chunk.rows.iter()).peekable();
            for (key, value) in &*chunk.rows {
                while old.next_if(|(other, _)| other < key).is_some() {}
                bytes += inside(value, old.next_if(|(other, _)| other == key).map(|(_, value)| value));
            }
        }
        bytes
    }

    fn weight(chunk: &Chunk<K, V>) -> u64 {
        CHUNK_BYTES + bytes_of::<(K, V)>(chunk.rows.len())
    }

    /// Returns the chunks that are not shared with another map.
    fn unshared<'a>(&'a self, before: Option<&'a Self>) -> impl Iterator<Item = &'a Chunk<K, V>> {
        let mut old = before.map_or(&[][..], |before| &before.chunks).iter().peekable();
        self.chunks.iter().filter(move |chunk| {
            let is_same = |other: &Chunk<K, V>| Arc::ptr_eq(&other.rows, &chunk.rows);
            while old.next_if(|other| !is_same(other) && other.head < chunk.head).is_some() {}
            old.next_if(|other| is_same(other)).is_none()
        })
    }
}

impl<K: Clone + Ord, V: Clone, const N: usize> Flat for Map<K, V, N> {
    fn beyond_flat(&self, before: Option<&Self>) -> u64 {
        let chunks = self.unshared(before).map(|chunk| Self::weight(chunk)).sum::<u64>();
        bytes_of::<(K, usize)>(self.chunks.len()) + chunks
    }
}

impl<K: Clone + Ord, V: Clone + Weight, const N: usize> Weight for Map<K, V, N> {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        self.beyond_with(before, V::beyond)
    }
}

impl<K: fmt::Debug, V: fmt::Debug, const N: usize> fmt::Debug for Map<K, V, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: PartialEq, V: PartialEq, const N: usize> PartialEq for Map<K, V, N> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq, const N: usize> Eq for Map<K, V, N> {}

impl<K: Clone + Ord, V: Clone, const N: usize> FromIterator<(K, V)> for Map<K, V, N> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Clone + Ord, V: Clone, const N: usize> Extend<(K, V)> for Map<K, V, N> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<'a, K, V, const N: usize> IntoIterator for &'a Map<K, V, N> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The entries of a [`Map`] in order.
#[derive(Debug)]
pub struct Iter<'a, K, V> {
    chunks: std::slice::Iter<'a, Chunk<K, V>>,
    now: std::slice::Iter<'a, (K, V)>,
    left: usize,
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, value)) = self.now.next() {
                self.left -= 1;
                return Some((key, value));
            }
            self.now = self.chunks.next()?.rows.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::mix64;
    use std::collections::BTreeMap;

    /// Random changes against an ordered map; copies made on the way must not change with it.
    #[test]
    fn agrees_with_an_ordered_map() {
        for seed in 0..12_u64 {
            let mut map: Map<u64, u64, 8> = Map::new();
            let mut model: BTreeMap<u64, u64> = BTreeMap::new();
            let mut kept = Vec::new();
            for n in 0..2_000_u64 {
                let word = mix64(seed << 32 | n);
                // Some keys ascend, others are random; the map grows and shrinks in turns.
                let key = if seed % 3 == 0 { n } else { word >> 8 & 0x1ff };
                let old = word >> 8 & 0x7ff;
                let growing = n / 400 % 2 == 0;
                match word % 8 {
                    0..=3 if growing => assert_eq!(map.insert(key, n), model.insert(key, n)),
                    0..=3 => assert_eq!(map.remove(&old), model.remove(&old)),
                    4 => {
                        if let Some(value) = map.get_mut(&old) {
                            *value += 1;
                        }
                        model.entry(old).and_modify(|value| *value += 1);
                    }
                    5 => {
                        map.upsert(key, || 0, |value| *value += 1);
                        *model.entry(key).or_default() += 1;
                    }
                    6 if word % 64 == 6 => {
                        map.retain(|key, _| key % 5 != 0);
                        model.retain(|key, _| key % 5 != 0);
                    }
                    _ => assert_eq!(map.get(&old), model.get(&old)),
                }
                assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
                if n % 97 == 0 {
                    assert!(map.iter().eq(model.iter()), "seed {seed}, change {n}");
                    assert_eq!(map.last_key_value(), model.last_key_value());
                    assert_eq!(map.pop_first(), model.pop_first());
                    assert!(map.range(old..old + 90).eq(model.range(old..old + 90)));
                    assert!(map.range(..=old).eq(model.range(..=old)));
                    let after = (Bound::Excluded(old), Bound::Unbounded);
                    assert!(map.range(after).eq(model.range(after)));
                    assert!(map.chunks.iter().all(|chunk| {
                        let first = chunk.rows.first().map(|(key, _)| *key);
                        first == Some(chunk.head) && chunk.rows.len() <= 8
                    }));
                    kept.push((map.clone(), model.clone()));
                }
            }
            for (map, model) in kept {
                assert!(map.iter().eq(model.iter()), "a copy has changed with the map");
                assert_eq!(map.beyond_with(Some(&map), |_, _| 1), bytes_of::<(u64, usize)>(map.chunks.len()));
            }
        }
    }

    #[test]
    fn only_what_differs_is_beyond() {
        let before: Map<u64, u64, 8> = (0..64).map(|n| (n * 2, n)).collect();
        let chunk = |len: u64| CHUNK_BYTES + len * 16;
        assert_eq!(before.beyond_with(None, |_, _| 1), 8 * 16 + 8 * chunk(8) + 64);
        let mut after = before.clone();
        after.insert(33, 0);
        // The chunk of the new key was full and has been split; the chunks after it have moved and are still shared.
        let new = |_: &u64, old: Option<&u64>| u64::from(old.is_none()) * 1_000;
        assert_eq!(after.beyond_with(Some(&before), new), 9 * 16 + chunk(4) + chunk(5) + 1_000);
        after.remove(&33);
        assert_eq!(after, before);
        assert!(after.beyond_with(Some(&before), new) < 1_000);
    }
}
