//! Hash index from texts to rows.
//!
//! *Knows*: fingerprints of texts, and numbers. *Must not know*: the meaning of the numbers.

use super::{CHUNK, Map};
use crate::{
    fingerprint::of as print,
    weight::{Flat, Weight},
};

/// Numbers by text, without the texts themselves. Two texts may rarely have the same fingerprint, so the caller compares the
/// texts of the numbers found. A chunk is copied without following pointers.
#[derive(Clone, Debug)]
pub struct Finder<const N: usize = CHUNK> {
    /// Fingerprint and number in one word, so that two are compared without a branch.
    rows: Map<u128, (), N>,
}

/// The row of a fingerprint and a number.
const fn row(print: u64, number: u32) -> u128 {
    (print as u128) << 32 | number as u128
}

impl<const N: usize> Default for Finder<N> {
    fn default() -> Self {
        Self { rows: Map::new() }
    }
}

impl<const N: usize> Finder<N> {
    /// Returns the number of entries.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether it is empty.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a number under a text, unless it is there already.
    pub fn insert(&mut self, text: &str, number: u32) {
        self.rows.insert_new(row(print(text), number), ());
    }

    /// Removes a number from under a text.
    pub fn remove(&mut self, text: &str, number: u32) {
        self.rows.remove(&row(print(text), number));
    }

    /// Returns the numbers under a text, and perhaps some of other texts with the same fingerprint.
    pub fn find(&self, text: &str) -> impl Iterator<Item = u32> {
        let print = print(text);
        let rows = self.rows.range(row(print, 0)..=row(print, u32::MAX));
        #[expect(clippy::cast_possible_truncation, reason = "the low 32 bits are the number")]
        rows.map(|(row, ())| *row as u32)
    }
}

impl<const N: usize> Weight for Finder<N> {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        self.rows.beyond_flat(before.map(|before| &before.rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_text() {
        let mut finder: Finder<4> = Finder::default();
        let texts: Vec<String> = (0..500).map(|n| format!("app-{n}-server")).collect();
        for (text, number) in texts.iter().zip(0..) {
            finder.insert(text, number);
            finder.insert(text, number);
        }
        finder.insert(&texts[7], 1_000);
        assert_eq!(finder.len(), 501);
        for (text, number) in texts.iter().zip(0..) {
            let expected = if number == 7 { vec![7, 1_000] } else { vec![number] };
            assert_eq!(finder.find(text).collect::<Vec<u32>>(), expected);
        }
        assert_eq!(finder.find("app").count(), 0);
        finder.remove(&texts[7], 7);
        finder.remove("app", 8);
        assert_eq!(finder.find(&texts[7]).collect::<Vec<u32>>(), [1_000]);
        texts.iter().zip(0..).for_each(|(text, number)| finder.remove(text, number));
        assert_eq!((finder.len(), finder.is_empty()), (1, false));
    }
}
