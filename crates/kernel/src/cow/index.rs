//! A map by text for looking up, not for order.
//!
//! *Knows*: fingerprints of texts. *Must not know*: what the texts name.

use super::{Map, bytes_of};
use crate::fingerprint::of as print;
use std::{fmt, sync::Arc};

/// The entries of one fingerprint: hardly ever more than one.
#[derive(Clone)]
enum Row<V> {
    One(Arc<str>, V),
    More(Vec<(Arc<str>, V)>),
}

impl<V> Row<V> {
    fn get(&self, wanted: &str) -> Option<&V> {
        match self {
            Self::One(text, value) => (**text == *wanted).then_some(value),
            Self::More(rows) => rows.iter().find(|(text, _)| **text == *wanted).map(|(_, value)| value),
        }
    }

    fn get_mut(&mut self, wanted: &str) -> Option<&mut V> {
        match self {
            Self::One(text, value) => (**text == *wanted).then_some(value),
            Self::More(rows) => rows.iter_mut().find(|(text, _)| **text == *wanted).map(|(_, value)| value),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &V)> {
        let (one, more) = match self {
            Self::One(text, value) => (Some((text, value)), &[][..]),
            Self::More(rows) => (None, rows.as_slice()),
        };
        one.into_iter().chain(more.iter().map(|(text, value)| (text, value)))
    }
}

/// Values by text, in chunks that copies share. *Order*: by fingerprint, the same in every run and build, and of no
/// meaning. *Cost*: a look-up O(log n) numbers and, as a rule, one text, where a map in the order of its texts reads
/// many that are far apart. Entries that come together lie far apart, so chunks are small.
#[derive(Clone)]
pub struct Index<V, const N: usize = 8> {
    rows: Map<u64, Row<V>, N>,
    len: usize,
}

impl<V, const N: usize> Default for Index<V, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V, const N: usize> Index<V, N> {
    /// No entries.
    pub const fn new() -> Self {
        Self { rows: Map::new(), len: 0 }
    }

    /// How many entries there are.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All entries.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &V)> {
        self.rows.values().flat_map(Row::iter)
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The value of a text.
    pub fn get(&self, text: &str) -> Option<&V> {
        self.rows.get(&print(text))?.get(text)
    }

    /// Whether there is such a text.
    pub fn contains_key(&self, text: &str) -> bool {
        self.get(text).is_some()
    }
}

impl<V: Clone, const N: usize> Index<V, N> {
    /// The value of a text, to change.
    pub fn get_mut(&mut self, text: &str) -> Option<&mut V> {
        self.rows.get_mut(&print(text))?.get_mut(text)
    }

    /// Puts a value under a text; answers the one that was there.
    pub fn insert(&mut self, text: Arc<str>, value: V) -> Option<V> {
        self.insert_as(print(&text), text, value)
    }

    fn insert_as(&mut self, print: u64, text: Arc<str>, value: V) -> Option<V> {
        let old = self.rows.get_mut(&print);
        match old {
            None => _ = self.rows.insert(print, Row::One(text, value)),
            Some(row) => match row.get_mut(&text) {
                Some(place) => return Some(std::mem::replace(place, value)),
                None => match row {
                    Row::More(rows) => rows.push((text, value)),
                    Row::One(other, its) => {
                        *row = Row::More(vec![(other.clone(), its.clone()), (text, value)]);
                    }
                },
            },
        }
        self.len += 1;
        None
    }

    /// Changes the value of a text, made first when there is none.
    pub fn upsert<R>(
        &mut self,
        text: Arc<str>,
        make: impl FnOnce() -> V,
        change: impl FnOnce(&mut V) -> R,
    ) -> R {
        let print = print(&text);
        if let Some(value) = self.rows.get_mut(&print).and_then(|row| row.get_mut(&text)) {
            return change(value);
        }
        let mut value = make();
        let result = change(&mut value);
        self.insert_as(print, text, value);
        result
    }

    /// Takes an entry out.
    pub fn remove(&mut self, text: &str) -> Option<V> {
        self.remove_as(print(text), text)
    }

    fn remove_as(&mut self, print: u64, text: &str) -> Option<V> {
        let gone = match self.rows.get_mut(&print)? {
            Row::More(rows) => {
                let at = rows.iter().position(|(mine, _)| **mine == *text)?;
                let (_, value) = rows.remove(at);
                if rows.is_empty() {
                    self.rows.remove(&print);
                }
                value
            }
            Row::One(mine, value) if **mine == *text => {
                let value = value.clone();
                self.rows.remove(&print);
                value
            }
            Row::One(..) => return None,
        };
        self.len -= 1;
        Some(gone)
    }

    /// [`Map::beyond`].
    pub fn beyond(&self, before: Option<&Self>, inside: impl Fn(&V, Option<&V>) -> u64) -> u64 {
        self.rows.beyond(before.map(|before| &before.rows), |row, old| {
            let entry = |(text, value): (&Arc<str>, &V)| inside(value, old.and_then(|old| old.get(text)));
            row.iter().map(entry).sum::<u64>() + row.more()
        })
    }

    /// [`Map::beyond_flat`].
    pub fn beyond_flat(&self, before: Option<&Self>) -> u64 {
        self.rows.beyond_flat(before.map(|before| &before.rows))
    }
}

impl<V> Row<V> {
    /// Bytes beside the row itself.
    fn more(&self) -> u64 {
        match self {
            Self::One(..) => 0,
            Self::More(rows) => bytes_of::<(Arc<str>, V)>(rows.len()),
        }
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
        let found =
            |index: &Index<u32, 4>, text: &str| index.rows.get(&7).and_then(|row| row.get(text)).copied();
        let all = |index: &Index<u32, 4>| ["a", "b", "c", "d"].map(|text| found(index, text));
        assert_eq!((all(&index), index.len()), ([Some(9), Some(0), Some(2), None], 3));
        assert_eq!(index.values().copied().collect::<Vec<_>>(), [0, 9, 2]);
        assert_eq!((index.remove_as(7, "b"), index.remove_as(7, "d")), (Some(0), None));
        assert_eq!((all(&index), index.len()), ([Some(9), None, Some(2), None], 2));
        assert_eq!((index.remove_as(7, "c"), index.remove_as(7, "a")), (Some(2), Some(9)));
        assert!(index.is_empty() && index.rows.is_empty());
    }
}
