//! A set of small numbers with quick first and next: a tree of 64-bit words, each word above telling
//! which words below are not empty.
//!
//! *Knows*: bits. *Must not know*: the meaning of the numbers.
//!
//! *Cost*: insert, remove, contains O(1) unless a word fills or empties, then O(log64 n); first and
//! next O(log64 n). *Order*: iteration is ascending.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BitTree {
    /// One bit per number.
    words: Vec<u64>,
    /// Level by level upwards, one bit per word below; the topmost level is a single word.
    upper: Vec<Vec<u64>>,
}

const WORD: usize = 64;

impl BitTree {
    /// An empty set able to hold the numbers below `len`.
    pub(crate) fn with_len(len: usize) -> Self {
        let mut bits = Self::default();
        bits.grow(len);
        bits
    }

    /// Makes room for the numbers below `len`.
    pub(crate) fn grow(&mut self, len: usize) {
        let words = len.div_ceil(WORD);
        if words <= self.words.len() {
            return;
        }
        self.words.resize(words, 0);
        self.summarise();
    }

    /// Makes the words above the lowest level anew.
    fn summarise(&mut self) {
        self.upper.clear();
        let mut below = &self.words;
        while below.len() > 1 {
            let level = below.chunks(WORD).map(summary).collect();
            self.upper.push(level);
            let Some(level) = self.upper.last() else { break };
            below = level;
        }
    }

    /// Adds a number; numbers beyond the capacity are ignored.
    #[inline]
    pub(crate) fn insert(&mut self, number: usize) {
        let mut at = number / WORD;
        let Some(word) = self.words.get_mut(at) else { return };
        let was_empty = *word == 0;
        *word |= 1 << (number % WORD);
        if !was_empty {
            return;
        }
        for level in &mut self.upper {
            let Some(word) = level.get_mut(at / WORD) else { return };
            let was_empty = *word == 0;
            *word |= 1 << (at % WORD);
            if !was_empty {
                return;
            }
            at /= WORD;
        }
    }

    /// Takes a number out.
    #[inline]
    pub(crate) fn remove(&mut self, number: usize) {
        let mut at = number / WORD;
        let Some(word) = self.words.get_mut(at) else { return };
        if *word == 0 {
            return;
        }
        *word &= !(1 << (number % WORD));
        if *word != 0 {
            return;
        }
        for level in &mut self.upper {
            let Some(word) = level.get_mut(at / WORD) else { return };
            *word &= !(1 << (at % WORD));
            if *word != 0 {
                return;
            }
            at /= WORD;
        }
    }

    /// Takes a number out and makes all greater ones smaller by one. *Cost*: by the words from there on.
    pub(crate) fn close_gap(&mut self, number: usize) {
        let at = number / WORD;
        for place in at..self.words.len() {
            let next = self.words.get(place + 1).copied().unwrap_or(0);
            let Some(word) = self.words.get_mut(place) else { break };
            let below = if place == at { (1 << (number % WORD)) - 1 } else { 0 };
            *word = *word & below | *word >> 1 & !below | next << (WORD - 1);
        }
        self.summarise();
    }

    /// Returns whether the number is in the set.
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words.get(number / WORD).is_some_and(|word| word >> (number % WORD) & 1 == 1)
    }

    /// The smallest number.
    pub(crate) fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// The numbers in ascending order.
    pub(crate) fn iter(&self) -> Iter<'_> {
        Iter { bits: self, word: self.words.first().copied().unwrap_or(0), at: 0 }
    }

    /// The first non-empty word at or after word `from`.
    fn next_word(&self, from: usize) -> Option<usize> {
        if self.words.get(from).is_some_and(|word| *word != 0) {
            return Some(from);
        }
        // Climb until a summary word shows something at or after the wanted place, then descend.
        let mut at = from;
        let mut found = None;
        for (height, level) in self.upper.iter().enumerate() {
            let word = level.get(at / WORD).copied().unwrap_or(0) & (u64::MAX << (at % WORD));
            if word != 0 {
                found = Some((height, at / WORD * WORD + word.trailing_zeros() as usize));
                break;
            }
            at = at / WORD + 1;
        }
        let (height, mut at) = found?;
        for level in self.upper.iter().take(height).rev() {
            let word = level.get(at)?;
            at = at * WORD + word.trailing_zeros() as usize;
        }
        Some(at)
    }
}

/// Returns a word that marks which of up to 64 words are not empty.
fn summary(words: &[u64]) -> u64 {
    words.iter().enumerate().fold(0, |bits, (at, word)| if *word == 0 { bits } else { bits | 1 << at })
}

/// Numbers of a [`BitTree`] in ascending order.
pub(crate) struct Iter<'a> {
    bits: &'a BitTree,
    word: u64,
    at: usize,
}

impl Iterator for Iter<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.word == 0 {
            self.at = self.bits.next_word(self.at + 1)?;
            self.word = self.bits.words.get(self.at).copied()?;
        }
        let offset = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.at * WORD + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::draw::mix64;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_an_ordered_set() {
        for (seed, len) in [0_usize, 1, 63, 64, 65, 4096, 4097, 300_000].into_iter().enumerate() {
            let mut bits = BitTree::with_len(len / 2);
            bits.grow(len);
            let mut model = BTreeSet::new();
            for n in 0..4000_u64 {
                let word = mix64((seed as u64) << 32 | n);
                let number = usize::try_from(word >> 8).expect("64-bit tests") % len.max(1);
                if word.is_multiple_of(4) || n > 2000 && word % 4 != 1 {
                    bits.remove(number);
                    model.remove(&number);
                } else {
                    bits.insert(number);
                    if number < len {
                        model.insert(number);
                    }
                }
                assert_eq!(bits.contains(number), model.contains(&number));
                assert_eq!(bits.first(), model.first().copied());
                if n % 400 == 0 {
                    assert!(bits.iter().eq(model.iter().copied()));
                }
            }
            assert!(!bits.contains(len) && !bits.contains(usize::MAX));
        }
    }
}
