//! Texts and tables that a build holds once, as read back from JSON.
//!
//! The engine has them as constants. A reader of JSON views keeps each of them once while the program runs: their
//! number is limited by the systems' words.

use crate::view::StatusWord;
use serde::{Deserialize, Deserializer};
use std::sync::Mutex;

/// A text that a build holds once.
pub(crate) type Word = &'static str;

static TEXTS: Mutex<Vec<Word>> = Mutex::new(Vec::new());
static TABLES: Mutex<Vec<&'static [StatusWord]>> = Mutex::new(Vec::new());

/// The one copy of a text.
pub(crate) fn word(text: &str) -> Word {
    let Ok(mut known) = TEXTS.lock() else { return "" };
    if let Some(found) = known.iter().find(|known| **known == text) {
        return found;
    }
    let new: Word = Box::leak(text.to_owned().into_boxed_str());
    known.push(new);
    new
}

/// The one copy of a table of status words.
pub fn table(words: Vec<StatusWord>) -> &'static [StatusWord] {
    let Ok(mut known) = TABLES.lock() else { return &[] };
    if let Some(found) = known.iter().find(|known| ***known == *words) {
        return found;
    }
    let new: &'static [StatusWord] = Box::leak(words.into_boxed_slice());
    known.push(new);
    new
}

/// Reads a text.
pub(crate) fn read_word<'de, D: Deserializer<'de>>(from: D) -> Result<Word, D::Error> {
    String::deserialize(from).map(|text| word(&text))
}

/// Reads a table.
pub(crate) fn read_table<'de, D: Deserializer<'de>>(from: D) -> Result<&'static [StatusWord], D::Error> {
    Vec::deserialize(from).map(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_one_copy() {
        let (one, two) = (word("interned once"), word(&format!("interned {}", "once")));
        assert!(std::ptr::eq(one, two) && one == "interned once");
    }
}
