//! A map by ids that a counter gives.
//!
//! *Invariant*: the entry of an id is at the position of its number; no chunk is empty, and the first one exists.

use super::{CHUNK, CHUNK_BYTES, bytes_of};
use crate::{
    id::Id,
    weight::{Flat, Weight},
};
use std::{collections::VecDeque, sync::Arc};

/// Entries whose ids have consecutive numbers.
#[derive(Clone)]
struct Chunk<K, V, const N: usize> {
    len: u32,
    rows: [Option<(K, V)>; N],
}

/// Entries in order of their ids, which come from a counter, so that the remaining ids lie close together. *Cost*: reading an entry
/// O(1); a change copies its chunk when a copy of the map shares it; beside the entries, a pointer for every `N` ids from
/// the first one that has an entry to the last.
#[derive(Clone)]
pub struct IdMap<K, V, const N: usize = CHUNK> {
    /// Number of the first chunk.
    first: usize,
    chunks: VecDeque<Option<Arc<Chunk<K, V, N>>>>,
    len: u32,
}

impl<K, V, const N: usize> Default for IdMap<K, V, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V, const N: usize> IdMap<K, V, N> {
    /// No entries.
    pub const fn new() -> Self {
        Self { first: 0, chunks: VecDeque::new(), len: 0 }
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
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.chunks.iter().flatten().flat_map(|chunk| &chunk.rows).flatten().map(|(key, value)| (key, value))
    }

    /// All ids in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// All values in order of their ids.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    fn row(&self, number: usize) -> Option<&V> {
        let chunk = self.chunks.get((number / N).checked_sub(self.first)?)?.as_ref()?;
        chunk.rows.get(number % N)?.as_ref().map(|(_, value)| value)
    }
}

impl<K: Id, V, const N: usize> IdMap<K, V, N> {
    /// The value of an id.
    pub fn get(&self, id: &K) -> Option<&V> {
        self.row(id.number())
    }

    /// Returns whether there is such an id.
    pub fn contains_key(&self, id: &K) -> bool {
        self.get(id).is_some()
    }
}

impl<K: Id, V: Clone, const N: usize> IdMap<K, V, N> {
    fn chunk_mut(&mut self, number: usize) -> Option<&mut Chunk<K, V, N>> {
        let at = (number / N).checked_sub(self.first)?;
        self.chunks.get_mut(at)?.as_mut().map(Arc::make_mut)
    }

    /// The value of an id, to change.
    pub fn get_mut(&mut self, id: &K) -> Option<&mut V> {
        let number = id.number();
        self.chunk_mut(number)?.rows.get_mut(number % N)?.as_mut().map(|(_, value)| value)
    }

    /// Sets the value of an id; returns the previous one.
    pub fn insert(&mut self, id: K, value: V) -> Option<V> {
        let number = id.number();
        let wanted = number / N;
        if self.chunks.is_empty() {
            self.first = wanted;
        }
        while wanted < self.first {
            self.chunks.push_front(None);
            self.first -= 1;
        }
        let at = wanted - self.first;
        while self.chunks.len() <= at {
            self.chunks.push_back(None);
        }
        let chunk = self.chunks.get_mut(at)?;
        let chunk = chunk.get_or_insert_with(|| Arc::new(Chunk { len: 0, rows: [const { None }; N] }));
        let chunk = Arc::make_mut(chunk);
        let old = chunk.rows.get_mut(number % N)?.replace((id, value));
        if old.is_none() {
            chunk.len += 1;
            self.len += 1;
        }
        old.map(|(_, value)| value)
    }

    /// Removes an entry and returns it.
    pub fn remove(&mut self, id: &K) -> Option<V> {
        let number = id.number();
        self.row(number)?;
        let chunk = self.chunk_mut(number)?;
        let (_, value) = chunk.rows.get_mut(number % N)?.take()?;
        chunk.len -= 1;
        let emptied = chunk.len == 0;
        self.len -= 1;
        if emptied && let Some(chunk) = self.chunks.get_mut(number / N - self.first) {
            *chunk = None;
            while self.chunks.front().is_some_and(Option::is_none) {
                self.chunks.pop_front();
                self.first += 1;
            }
        }
        Some(value)
    }

    /// Bytes that this map holds and `before` does not; `inside` tells what a value has behind pointers, given the value that
    /// its id had.
    pub fn beyond_with(&self, before: Option<&Self>, inside: impl Fn(&V, Option<&V>) -> u64) -> u64 {
        let row = |(id, value): &(K, V)| inside(value, before.and_then(|before| before.get(id)));
        let rows = self.unshared(before).flat_map(|chunk| &chunk.rows).flatten().map(row).sum::<u64>();
        self.beyond_flat(before) + rows
    }

    /// Returns the chunks that are not shared with another map.
    fn unshared<'a>(&'a self, before: Option<&'a Self>) -> impl Iterator<Item = &'a Chunk<K, V, N>> {
        let mine = self.chunks.iter().enumerate();
        mine.filter_map(move |(at, chunk)| {
            let chunk = chunk.as_ref()?;
            let at = |before: &'a Self| before.chunks.get((self.first + at).checked_sub(before.first)?);
            let old = before.and_then(at).and_then(Option::as_ref);
            old.is_none_or(|old| !Arc::ptr_eq(old, chunk)).then_some(&**chunk)
        })
    }
}

impl<K: Id, V: Clone, const N: usize> Flat for IdMap<K, V, N> {
    fn beyond_flat(&self, before: Option<&Self>) -> u64 {
        let weight = CHUNK_BYTES + bytes_of::<Option<(K, V)>>(N);
        bytes_of::<usize>(self.chunks.len()) + self.unshared(before).map(|_| weight).sum::<u64>()
    }
}

impl<K: Id, V: Clone + Weight, const N: usize> Weight for IdMap<K, V, N> {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        self.beyond_with(before, V::beyond)
    }
}

impl<K: PartialEq, V: PartialEq, const N: usize> PartialEq for IdMap<K, V, N> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq, const N: usize> Eq for IdMap<K, V, N> {}

impl<K: std::fmt::Debug, V: std::fmt::Debug, const N: usize> std::fmt::Debug for IdMap<K, V, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    crate::id_types! {
        /// An id for the tests.
        ThingId;
    }

    fn agree(map: &IdMap<ThingId, usize, 4>, model: &BTreeMap<ThingId, usize>) {
        assert!(
            map.iter().eq(model.iter()) && map.keys().eq(model.keys()) && map.values().eq(model.values())
        );
        assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
        assert!(map.chunks.front().is_none_or(Option::is_some), "the first chunk is there");
        let chunks = map.chunks.iter().flatten();
        let counted =
            |chunk: &Arc<Chunk<ThingId, usize, 4>>| (chunk.len as usize, chunk.rows.iter().flatten().count());
        assert!(chunks.map(counted).all(|(len, rows)| len == rows && len > 0));
    }

    #[test]
    fn agrees_with_an_ordered_map() {
        let (mut map, mut model) = (IdMap::<ThingId, usize, 4>::new(), BTreeMap::new());
        let mut kept = Vec::new();
        for n in 0..2_000_usize {
            let id = ThingId::at(n * 7 % 61 + n / 20);
            match n * n % 5 {
                0 => assert_eq!(map.insert(id, n), model.insert(id, n)),
                1 => assert_eq!(map.remove(&id), model.remove(&id)),
                _ => assert_eq!(map.get_mut(&id), model.get_mut(&id)),
            }
            assert_eq!(map.get(&id), model.get(&id));
            assert_eq!(map.contains_key(&id), model.contains_key(&id));
            agree(&map, &model);
            if n % 300 == 0 {
                kept.push((map.clone(), model.clone()));
            }
        }
        assert!(kept.iter().any(|(map, _)| map.len() > 20));
        for (map, model) in &kept {
            agree(map, model);
        }
        for id in model.keys() {
            assert!(map.remove(id).is_some());
        }
        assert!(map.is_empty() && map.chunks.is_empty());
        assert_eq!((map.insert(ThingId(3), 1), map.insert(ThingId(1), 2), map.len()), (None, None, 2));
    }

    #[test]
    fn copies_share_what_does_not_change() {
        let mut map = IdMap::<ThingId, usize, 4>::new();
        (0..400).for_each(|n| _ = map.insert(ThingId::at(n), n));
        let before = map.clone();
        let alone = map.beyond_flat(None);
        assert_eq!(map.beyond_flat(Some(&before)), bytes_of::<usize>(100));
        map.remove(&ThingId(9));
        let told = map.beyond_with(Some(&before), |value, old| u64::from(Some(value) == old));
        let chunk = CHUNK_BYTES + bytes_of::<Option<(ThingId, usize)>>(4);
        assert_eq!((told, alone), (bytes_of::<usize>(100) + chunk + 3, bytes_of::<usize>(100) + 100 * chunk));
        assert_eq!((map.get(&ThingId(9)), before.get(&ThingId(9))), (None, Some(&9)));
    }
}
