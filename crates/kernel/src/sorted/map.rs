//! A sorted map.
//!
//! *Invariant*: keys ascend.

use super::{places, sort_by};
use std::{
    borrow::Borrow,
    cmp::Ordering,
    fmt,
    ops::{Index, RangeBounds},
};

/// Entries in order of their keys.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedMap<K, V> {
    rows: Vec<(K, V)>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> SortedMap<K, V> {
    /// No entries.
    pub const fn new() -> Self {
        Self { rows: Vec::new() }
    }

    /// No entries yet, with room for that many.
    pub fn with_capacity(entries: usize) -> Self {
        Self { rows: Vec::with_capacity(entries) }
    }

    /// Returns the number of entries.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether it is empty.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// All entries in order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { rows: self.rows.iter() }
    }

    /// All entries in order, values to change.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&K, &mut V)> + ExactSizeIterator {
        self.rows.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// All keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.rows.iter().map(|(key, _)| key)
    }

    /// All values in order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.rows.iter().map(|(_, value)| value)
    }

    /// All values in order of their keys, to change.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.rows.iter_mut().map(|(_, value)| value)
    }

    /// Returns the keys by value.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.rows.into_iter().map(|(key, _)| key)
    }

    /// Returns the values by key order.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.rows.into_iter().map(|(_, value)| value)
    }

    /// The entry with the least key.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.rows.first().map(|(key, value)| (key, value))
    }

    /// The entry with the greatest key.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.rows.last().map(|(key, value)| (key, value))
    }

    /// Removes the entry with the least key and returns it.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        if self.rows.is_empty() { None } else { Some(self.rows.remove(0)) }
    }

    /// Keeps the entries for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.rows.retain_mut(|(key, value)| keep(key, value));
    }

    /// Returns the position of a key, or the position to insert it at.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        // Most new keys come after all others.
        match self.rows.last().map(|(last, _)| last.borrow().cmp(key)) {
            None | Some(Ordering::Less) => Err(self.rows.len()),
            Some(Ordering::Equal) => Ok(self.rows.len() - 1),
            Some(Ordering::Greater) => self.rows.binary_search_by(|(mine, _)| mine.borrow().cmp(key)),
        }
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        self.rows.get(at).map(|(_, value)| value)
    }

    /// The value of a key, to change.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        self.rows.get_mut(at).map(|(_, value)| value)
    }

    /// Returns whether there is such a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// The entries whose keys lie in a range, in order.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let places = places(self.rows.len(), &range, |is_before| {
            self.rows.partition_point(|(key, _)| is_before(key.borrow()))
        });
        Iter { rows: self.rows.get(places).unwrap_or_default().iter() }
    }

    /// Sets the value of a key; returns the previous one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V>
    where
        K: Ord,
    {
        match self.find(&key) {
            Ok(at) => self.rows.get_mut(at).map(|(_, old)| std::mem::replace(old, value)),
            Err(at) => {
                self.rows.insert(at, (key, value));
                None
            }
        }
    }

    /// Removes an entry and returns it.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        Some(self.rows.remove(at).1)
    }

    /// Returns the entry of a key, which may be vacant.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V>
    where
        K: Ord,
    {
        let at = self.find(&key);
        Entry { rows: &mut self.rows, at, key }
    }
}

/// The place of a key in a [`SortedMap`].
#[derive(Debug)]
pub struct Entry<'a, K, V> {
    rows: &'a mut Vec<(K, V)>,
    at: Result<usize, usize>,
    key: K,
}

impl<'a, K, V> Entry<'a, K, V> {
    /// Returns the value, inserted if absent.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        let at = match self.at {
            Ok(at) => at,
            Err(at) => {
                self.rows.insert(at, (self.key, make()));
                at
            }
        };
        #[expect(clippy::indexing_slicing, reason = "found there or put there just now")]
        &mut self.rows[at].1
    }

    /// Returns the value, inserted if absent.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// Returns the value, created if absent.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    #[expect(clippy::expect_used, reason = "an index panics where there is nothing, as of every table")]
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("there is no such key")
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries = entries.into_iter();
        let mut rows = Vec::with_capacity(entries.size_hint().0);
        for entry in entries {
            rows.push(entry);
        }
        Self::of(rows)
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Returns the map of rows in any order; of rows with the same key the last one is kept.
    fn of(mut rows: Vec<(K, V)>) -> Self {
        if !rows.is_sorted_by(|(a, _), (b, _)| a < b) {
            sort_by(&mut rows, |(a, _), (b, _)| a.cmp(b));
            rows.dedup_by(|later, earlier| {
                let is_same = later.0 == earlier.0;
                if is_same {
                    std::mem::swap(later, earlier);
                }
                is_same
            });
        }
        Self { rows }
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;
    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut SortedMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = std::iter::Map<std::slice::IterMut<'a, (K, V)>, fn(&'a mut (K, V)) -> (&'a K, &'a mut V)>;
    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter_mut().map(|(key, value)| (&*key, value))
    }
}

/// Entries of a [`SortedMap`] in order.
#[derive(Debug)]
pub struct Iter<'a, K, V> {
    rows: std::slice::Iter<'a, (K, V)>,
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self { rows: self.rows.clone() }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next().map(|(key, value)| (key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.rows.next_back().map(|(key, value)| (key, value))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::mix64;
    use std::{collections::BTreeMap, ops::Bound};

    #[test]
    fn agrees_with_an_ordered_map() {
        for seed in 0..8_u64 {
            let mut map: SortedMap<u64, u64> = SortedMap::new();
            let mut model: BTreeMap<u64, u64> = BTreeMap::new();
            for n in 0..1_500_u64 {
                let word = mix64(seed << 32 | n);
                let key = if seed % 3 == 0 { n } else { word >> 8 & 0x7f };
                match word % 8 {
                    0..=2 => assert_eq!(map.insert(key, n), model.insert(key, n)),
                    3 => assert_eq!(map.remove(&key), model.remove(&key)),
                    4 => {
                        *map.entry(key).or_default() += 1;
                        *model.entry(key).or_default() += 1;
                    }
                    5 if word % 64 == 5 => {
                        map.retain(|key, value| key % 5 != 0 && *value != 3);
                        model.retain(|key, value| key % 5 != 0 && *value != 3);
                    }
                    6 if word % 16 == 6 => assert_eq!(map.pop_first(), model.pop_first()),
                    _ => assert_eq!(map.get(&key), model.get(&key)),
                }
                assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
                if n % 37 == 0 {
                    assert!(map.iter().eq(model.iter()), "seed {seed}, change {n}");
                    assert!(map.iter().rev().eq(model.iter().rev()));
                    assert_eq!(map.last_key_value(), model.last_key_value());
                    assert_eq!(map.first_key_value(), model.first_key_value());
                    assert!(map.range(key..key + 9).eq(model.range(key..key + 9)));
                    assert!(map.range(..=key).eq(model.range(..=key)));
                    let after = (Bound::Excluded(key), Bound::Unbounded);
                    assert!(map.range(after).eq(model.range(after)));
                }
            }
        }
    }

    #[test]
    fn a_later_entry_of_the_same_key_wins() {
        let map = SortedMap::from([(2, 'a'), (1, 'b'), (2, 'c')]);
        assert_eq!(map.into_iter().collect::<Vec<_>>(), [(1, 'b'), (2, 'c')]);
    }

    #[test]
    fn a_range_that_ends_before_it_begins_is_empty() {
        let map = SortedMap::from([(1, ()), (2, ()), (3, ())]);
        assert_eq!(map.range((Bound::Included(3), Bound::Excluded(1))).count(), 0);
    }
}
