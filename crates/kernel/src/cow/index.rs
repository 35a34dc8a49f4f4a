//! An unordered map with texts as keys.
//!
//! *Knows*: fingerprints of texts. *Must not know*: the meaning of the texts.

use super::{CHUNK_BYTES, bytes_of};
use crate::{
    fingerprint::of as print,
    weight::{Flat, Weight},
};
use std::{fmt, sync::Arc};

/// An entry beside the fingerprint of its text.
#[derive(Clone)]
struct Row<V> {
    print: u64,
    text: Arc<str>,
    value: V,
}

/// Entries whose fingerprints begin with the same bits, by fingerprint; most often some `N / 2` of them.
type Bucket<V> = Arc<Vec<Row<V>>>;

/// Values by text, in buckets that copies share. *Order*: by fingerprint, the same in every run and build, and of no
/// meaning. *Cost*: a look-up reads one bucket and, as a rule, one text, however many there are; a change copies a bucket
/// that a copy of the index shares. Entries that come together lie far apart, so buckets are small.
#[derive(Clone)]
pub struct Index<V, const N: usize = 8> {
    /// Empty at first, then a power of two; that many upper bits of a fingerprint are the number of its bucket.
    buckets: Vec<Bucket<V>>,
    len: u32,
}

impl<V, const N: usize> Default for Index<V, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V, const N: usize> Index<V, N> {
    /// No entries.
    pub const fn new() -> Self {
        Self { buckets: Vec::new(), len: 0 }
    }

    /// Returns the number of entries.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns whether it is empty.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn rows(&self) -> impl Iterator<Item = &Row<V>> {
        self.buckets.iter().flat_map(|bucket| bucket.iter())
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &V)> {
        self.rows().map(|row| (&row.text, &row.value))
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.rows().map(|row| &row.value)
    }

    /// The value of a text.
    pub fn get(&self, text: &str) -> Option<&V> {
        let (bucket, place) = self.find(print(text), text)?;
        self.buckets.get(bucket)?.get(place).map(|row| &row.value)
    }

    /// Returns whether there is such a text.
    pub fn contains_key(&self, text: &str) -> bool {
        self.get(text).is_some()
    }

    /// The bucket of a fingerprint.
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer buckets than a usize counts")]
    fn bucket_of(&self, print: u64) -> usize {
        let bits = self.buckets.len().checked_ilog2().unwrap_or(0);
        print.checked_shr(u64::BITS - bits).unwrap_or(0) as usize
    }

    /// Returns the position of an entry: its bucket, and its place there.
    fn find(&self, print: u64, text: &str) -> Option<(usize, usize)> {
        let at = self.bucket_of(print);
        let is_it = |row: &Row<V>| row.print == print && *row.text == *text;
        Some((at, self.buckets.get(at)?.iter().position(is_it)?))
    }
}

impl<V: Clone, const N: usize> Index<V, N> {
    /// The value of a text, to change.
    pub fn get_mut(&mut self, text: &str) -> Option<&mut V> {
        self.get_mut_as(print(text), text)
    }

    fn get_mut_as(&mut self, print: u64, text: &str) -> Option<&mut V> {
        let (bucket, place) = self.find(print, text)?;
        Arc::make_mut(self.buckets.get_mut(bucket)?).get_mut(place).map(|row| &mut row.value)
    }

    /// Sets the value of a text; returns the previous one.
    pub fn insert(&mut self, text: Arc<str>, value: V) -> Option<V> {
        self.insert_as(print(&text), text, value)
    }

    fn insert_as(&mut self, print: u64, text: Arc<str>, value: V) -> Option<V> {
        if let Some(place) = self.get_mut_as(print, &text) {
            return Some(std::mem::replace(place, value));
        }
        if self.len() >= self.buckets.len() * (N / 2 + N / 4).max(1) {
            self.split();
        }
        let at = self.bucket_of(print);
        if let Some(bucket) = self.buckets.get_mut(at) {
            let rows = Arc::make_mut(bucket);
            let place = rows.partition_point(|row| row.print <= print);
            rows.insert(place, Row { print, text, value });
            self.len += 1;
        }
        None
    }

    /// Changes the value of a text, which is created if absent.
    pub fn upsert<R>(
        &mut self,
        text: Arc<str>,
        make: impl FnOnce() -> V,
        change: impl FnOnce(&mut V) -> R,
    ) -> R {
        let print = print(&text);
        if let Some(value) = self.get_mut_as(print, &text) {
            return change(value);
        }
        let mut value = make();
        let result = change(&mut value);
        self.insert_as(print, text, value);
        result
    }

    /// Removes an entry and returns it.
    pub fn remove(&mut self, text: &str) -> Option<V> {
        self.remove_as(print(text), text)
    }

    fn remove_as(&mut self, print: u64, text: &str) -> Option<V> {
        let (bucket, place) = self.find(print, text)?;
        let row = Arc::make_mut(self.buckets.get_mut(bucket)?).remove(place);
        self.len -= 1;
        if self.buckets.len() > 1 && self.len() < self.buckets.len() * N / 16 {
            self.join();
        }
        Some(row.value)
    }

    /// Doubles the number of buckets.
    fn split(&mut self) {
        if self.buckets.is_empty() {
            self.buckets.push(Arc::default());
            return;
        }
        let half = 1_u64.rotate_right(self.buckets.len().ilog2() + 1);
        let mut buckets = Vec::with_capacity(2 * self.buckets.len());
        for bucket in self.buckets.drain(..) {
            let mut lower = Arc::unwrap_or_clone(bucket);
            let upper = lower.split_off(lower.partition_point(|row| row.print & half == 0));
            buckets.extend([Arc::new(lower), Arc::new(upper)]);
        }
        self.buckets = buckets;
    }

    /// Halves the number of buckets.
    fn join(&mut self) {
        let mut buckets = Vec::with_capacity(self.buckets.len() / 2);
        for pair in self.buckets.chunks(2) {
            let rows: Vec<Row<V>> = pair.iter().flat_map(|bucket| bucket.iter().cloned()).collect();
            buckets.push(Arc::new(rows));
        }
        self.buckets = buckets;
    }

    /// [`super::Map::beyond_with`].
    pub fn beyond_with(&self, before: Option<&Self>, inside: impl Fn(&V, Option<&V>) -> u64) -> u64 {
        let entry = |row: &Row<V>| inside(&row.value, before.and_then(|before| before.get(&row.text)));
        let entries = self.unshared(before).flat_map(|bucket| bucket.iter()).map(entry).sum::<u64>();
        self.beyond_flat(before) + entries
    }

    /// Returns the buckets that are not shared with another index.
    fn unshared<'a>(&'a self, before: Option<&'a Self>) -> impl Iterator<Item = &'a Bucket<V>> {
        let before = before.filter(|before| before.buckets.len() == self.buckets.len());
        self.buckets.iter().enumerate().filter_map(move |(at, bucket)| {
            let old = before.and_then(|before| before.buckets.get(at));
            old.is_none_or(|old| !Arc::ptr_eq(old, bucket)).then_some(bucket)
        })
    }
}

impl<V: Clone, const N: usize> Flat for Index<V, N> {
    fn beyond_flat(&self, before: Option<&Self>) -> u64 {
        let weight = |bucket: &Bucket<V>| CHUNK_BYTES + bytes_of::<Row<V>>(bucket.len());
        bytes_of::<usize>(self.buckets.len()) + self.unshared(before).map(weight).sum::<u64>()
    }
}

impl<V: Clone + Weight, const N: usize> Weight for Index<V, N> {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        self.beyond_with(before, V::beyond)
    }
}

impl<V: fmt::Debug, const N: usize> fmt::Debug for Index<V, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn agrees_with_an_ordered_map() {
        let mut index: Index<usize, 8> = Index::new();
        let mut model: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for n in 0..3_000_usize {
            let text: Arc<str> = format!("hello-{}-server__{:x}", n * 7 % 400, n % 3).into();
            match n % 5 {
                0 | 1 => assert_eq!(index.insert(text.clone(), n), model.insert(text, n)),
                2 => assert_eq!(index.remove(&text), model.remove(&text)),
                3 => {
                    index.upsert(text.clone(), || 0, |value| *value += 1);
                    *model.entry(text).or_default() += 1;
                }
                _ => assert_eq!(index.get_mut(&text), model.get_mut(&text)),
            }
            assert_eq!((index.len(), index.is_empty()), (model.len(), model.is_empty()));
        }
        let sorted: BTreeMap<Arc<str>, usize> = index.iter().map(|(text, n)| (text.clone(), *n)).collect();
        assert_eq!(sorted, model);
        assert!(model.keys().all(|text| index.contains_key(text)) && !index.contains_key("hello"));
    }

    #[test]
    fn texts_of_equal_fingerprint_are_told_apart() {
        let mut index: Index<u32, 4> = Index::new();
        for (n, text) in (0..).zip(["b", "a", "c"]) {
            assert_eq!(index.insert_as(7, text.into(), n), None);
        }
        assert_eq!(index.insert_as(7, "a".into(), 9), Some(1));
        let found = |index: &Index<u32, 4>, text: &str| {
            let (bucket, place) = index.find(7, text)?;
            Some(index.buckets[bucket][place].value)
        };
        let all = |index: &Index<u32, 4>| ["a", "b", "c", "d"].map(|text| found(index, text));
        assert_eq!((all(&index), index.len()), ([Some(9), Some(0), Some(2), None], 3));
        assert_eq!(index.values().copied().collect::<Vec<_>>(), [0, 9, 2]);
        assert_eq!((index.remove_as(7, "b"), index.remove_as(7, "d")), (Some(0), None));
        assert_eq!((all(&index), index.len()), ([Some(9), None, Some(2), None], 2));
        assert_eq!((index.remove_as(7, "c"), index.remove_as(7, "a")), (Some(2), Some(9)));
        assert!(index.is_empty() && index.rows().next().is_none());
    }

    #[test]
    fn entries_stand_in_the_order_of_their_fingerprints_while_buckets_come_and_go() {
        let texts: Vec<Arc<str>> = (0..2_000).map(|n| format!("app-{n}-server").into()).collect();
        let mut index: Index<usize> = Index::new();
        let check = |index: &Index<usize>, buckets: usize| {
            let prints: Vec<u64> = index.rows().map(|row| row.print).collect();
            assert!(prints.is_sorted() && prints.len() == index.len());
            assert_eq!(index.buckets.len(), buckets);
        };
        for (n, text) in texts.iter().enumerate() {
            index.insert(text.clone(), n);
        }
        check(&index, 512);
        let fullest = index.buckets.iter().map(|bucket| bucket.len()).max();
        assert!(fullest < Some(20), "{fullest:?}");
        let before = index.clone();
        assert_eq!(index.remove(&texts[7]), Some(7));
        assert_eq!((before.get(&texts[7]), index.get(&texts[7])), (Some(&7), None));
        let apart = index.unshared(Some(&before)).count();
        assert_eq!((apart, index.unshared(None).count()), (1, 512));
        for text in &texts[8..] {
            index.remove(text);
        }
        check(&index, 8);
        assert_eq!((index.len(), before.len()), (7, 2_000));
        for text in &texts[..7] {
            index.remove(text);
        }
        check(&index, 1);
    }
}
