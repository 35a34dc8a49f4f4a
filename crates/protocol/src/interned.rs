//! Texts and tables that a build holds once, as read back from JSON.
//!
//! The engine has them as constants. A reader of JSON views keeps each of them once while the program runs: their
//! number is limited by the systems' words.

use crate::Text;
use crate::view::StatusWord;
use planarium_kernel::SortedMap;
use serde::{Deserialize, Deserializer};
use std::cell::RefCell;
use std::sync::Mutex;

/// A text that a build holds once.
pub(crate) type Word = &'static str;

static TEXTS: Mutex<Vec<Word>> = Mutex::new(Vec::new());
static TABLES: Mutex<Vec<&'static [StatusWord]>> = Mutex::new(Vec::new());

thread_local! {
    /// Shared texts of words, by the place and the length of the word.
    static SHARED: RefCell<SortedMap<(usize, usize), Text>> = const { RefCell::new(SortedMap::new()) };
}

/// The shared text of a word that the build holds. Every call for one word returns the same text, so that events that
/// name it need no memory for it.
pub fn shared(word: &'static str) -> Text {
    if word.is_empty() {
        return Text::default();
    }
    SHARED.with_borrow_mut(|known| {
        known.entry((word.as_ptr().addr(), word.len())).or_insert_with(|| word.into()).clone()
    })
}

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
    fn a_word_has_one_shared_text() {
        let words = ["Ready", "Pending", "Ready"];
        let texts = words.map(shared);
        assert_eq!(texts.each_ref().map(|text| &**text), words);
        assert!(std::sync::Arc::ptr_eq(&texts[0], &shared(words[0])));
        assert_eq!(&*shared(""), "");
    }

    #[test]
    fn equal_texts_share_one_copy() {
        let (one, two) = (word("interned once"), word(&format!("interned {}", "once")));
        assert!(std::ptr::eq(one, two) && one == "interned once");
    }
}
