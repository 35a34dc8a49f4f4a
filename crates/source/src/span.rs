//! Spans: a file and a range of bytes in it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Number of a file in a [`SourceMap`](crate::SourceMap).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A range of bytes in one file.
///
/// *Invariant*: `start <= end` when built through [`Span::new`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range between two byte offsets, whichever is smaller.
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start: start.min(end), end: start.max(end) }
    }

    /// The empty range at one offset.
    pub fn at(file: FileId, offset: u32) -> Self {
        Self { file, start: offset, end: offset }
    }

    /// True when no byte is inside.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The smallest span holding both; the first one when they lie in different files.
    pub fn cover(self, other: Self) -> Self {
        if self.file != other.file {
            return self;
        }
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The bytes as a range for `str::get`.
    pub fn range(self) -> Range<usize> {
        wide(self.start)..wide(self.end)
    }
}

/// A value and where it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its position in the text.
    pub span: Span,
}

/// A byte offset as stored; text beyond 4 GiB never gets this far (see the readers' limits).
pub(crate) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A stored offset as an index.
pub(crate) fn wide(offset: u32) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
