//! Converts between byte, character and UTF-16 offsets of a text.
//!
//! Knows UTF-8 and UTF-16; must not know lines or files.

use std::sync::Arc;

use crate::span::{narrow, wide};

/// Bytes between two checkpoints.
const STRIDE: usize = 256;

/// Counts up to a checkpoint.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    byte: u32,
    chars: u32,
    utf16: u32,
}

/// Byte, character and UTF-16 offsets of one text, convertible into each other.
///
/// ASCII text needs no table at all.
#[derive(Clone, Debug)]
pub(crate) struct TextIndex {
    len: usize,
    marks: Arc<[Mark]>,
}

impl TextIndex {
    /// Counts the text once.
    pub(crate) fn new(text: &str) -> Self {
        let mut marks = Vec::new();
        if !text.is_ascii() {
            let (mut chars, mut utf16, mut due) = (0_u32, 0_u32, 0_usize);
            for (byte, c) in text.char_indices() {
                if byte >= due {
                    marks.push(Mark { byte: narrow(byte), chars, utf16 });
                    due = byte.saturating_add(STRIDE);
                }
                chars = chars.saturating_add(1);
                utf16 = utf16.saturating_add(utf16_len(c));
            }
        }
        Self { len: text.len(), marks: marks.into() }
    }

    /// Characters before a byte offset.
    pub(crate) fn chars(&self, text: &str, byte: usize) -> u32 {
        self.count(text, byte).0
    }

    /// UTF-16 units before a byte offset.
    pub(crate) fn utf16(&self, text: &str, byte: usize) -> u32 {
        self.count(text, byte).1
    }

    /// The byte offset of the n-th character; the text's end when there are fewer.
    pub(crate) fn byte_of_char(&self, text: &str, chars: usize) -> usize {
        if self.marks.is_empty() {
            return chars.min(self.len);
        }
        let chars = narrow(chars);
        let at = self.marks.partition_point(|mark| mark.chars <= chars).saturating_sub(1);
        let mark = self.marks.get(at).copied().unwrap_or_default();
        let rest = text.get(wide(mark.byte)..).unwrap_or_default();
        let ahead = wide(chars.saturating_sub(mark.chars));
        match rest.char_indices().nth(ahead) {
            Some((offset, _)) => wide(mark.byte).saturating_add(offset),
            None => self.len,
        }
    }

    fn count(&self, text: &str, byte: usize) -> (u32, u32) {
        let byte = floor(text, byte.min(self.len));
        if self.marks.is_empty() {
            return (narrow(byte), narrow(byte));
        }
        let at = self.marks.partition_point(|mark| wide(mark.byte) <= byte).saturating_sub(1);
        let mark = self.marks.get(at).copied().unwrap_or_default();
        let between = text.get(wide(mark.byte)..byte).unwrap_or_default();
        between.chars().fold((mark.chars, mark.utf16), |(chars, utf16), c| {
            (chars.saturating_add(1), utf16.saturating_add(utf16_len(c)))
        })
    }
}

/// The nearest character boundary at or before an offset.
pub(crate) fn floor(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while byte > 0 && !text.is_char_boundary(byte) {
        byte = byte.saturating_sub(1);
    }
    byte
}

fn utf16_len(c: char) -> u32 {
    narrow(c.len_utf16())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_agree_with_plain_counting() {
        let plain = "abc\n".repeat(200);
        let mixed = "a\u{e9}\u{4f60}\u{1f600}\n".repeat(300);
        for text in ["", "x", plain.as_str(), mixed.as_str()] {
            let index = TextIndex::new(text);
            for (n, (byte, _)) in text.char_indices().enumerate() {
                assert_eq!(index.chars(text, byte), narrow(n));
                assert_eq!(wide(index.utf16(text, byte)), text.get(..byte).unwrap().encode_utf16().count());
                assert_eq!(index.byte_of_char(text, n), byte);
            }
            assert_eq!(index.byte_of_char(text, usize::MAX), text.len());
            assert_eq!(wide(index.chars(text, usize::MAX)), text.chars().count());
        }
    }
}
