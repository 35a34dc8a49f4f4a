//! Files, and the conversion of byte offsets to lines and columns.
//!
//! A line ends at LF, CR LF or a lone CR. Lines and columns count from 1; columns count Unicode
//! scalar values, a tab is one column, a byte order mark at the start of the file is none.

use std::sync::Arc;

use crate::index::{TextIndex, floor};
use crate::span::{FileId, Span, narrow, wide};

/// A place as people name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in Unicode scalar values, from 1.
    pub column: u32,
}

/// One text with its name. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
    lines: Arc<[u32]>,
    index: TextIndex,
}

impl SourceFile {
    /// Takes a text and finds its lines.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let lines = line_starts(&text).into();
        let index = TextIndex::new(&text);
        Self { name: name.into(), text, lines, index }
    }

    /// The name shown in diagnostics, usually a relative path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, a byte order mark included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as a shared value.
    pub fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// Returns the number of lines; an empty text has one.
    pub fn line_count(&self) -> u32 {
        narrow(self.lines.len())
    }

    /// Line and column of a byte offset; offsets past the end mean the end.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let mut chars = self
            .index
            .chars(&self.text, wide(offset))
            .saturating_sub(self.index.chars(&self.text, wide(start)));
        if line == 1 && self.text.starts_with('\u{feff}') {
            chars = chars.saturating_sub(1);
        }
        Position { line: narrow(line), column: chars.saturating_add(1) }
    }

    /// UTF-16 code units before a byte offset, as browsers and editors count.
    pub fn utf16_offset(&self, offset: u32) -> u32 {
        self.index.utf16(&self.text, wide(offset))
    }

    /// The byte offset of a line and column; the nearest existing place when there is none.
    pub fn offset(&self, position: Position) -> u32 {
        let line = position.line.clamp(1, self.line_count());
        let start = self.line_start(line);
        let text = self.line_text(line);
        let skip = wide(position.column.saturating_sub(1));
        let within = text.char_indices().nth(skip).map_or(text.len(), |(at, _)| at);
        start.saturating_add(narrow(within))
    }

    /// Byte offset of the first character of a line (from 1), after a byte order mark.
    pub fn line_start(&self, line: u32) -> u32 {
        let start = self.lines.get(wide(line.saturating_sub(1))).copied().unwrap_or(narrow(self.text.len()));
        if start == 0 && self.text.starts_with('\u{feff}') { 3 } else { start }
    }

    /// A line (from 1) without its line break and without a byte order mark.
    pub fn line_text(&self, line: u32) -> &str {
        let start = wide(self.line_start(line));
        let end = self.lines.get(wide(line)).map_or(self.text.len(), |next| wide(*next));
        self.text.get(start..end).unwrap_or_default().trim_end_matches(['\r', '\n'])
    }

    /// Returns the text inside a span, limited to the file.
    pub fn slice(&self, span: Span) -> &str {
        let start = floor(&self.text, wide(span.start));
        let end = floor(&self.text, wide(span.end)).max(start);
        self.text.get(start..end).unwrap_or_default()
    }
}

/// The files of one reading, by number.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text and numbers it.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        self.add_file(SourceFile::new(name, text))
    }

    /// Adds a file and numbers it.
    pub fn add_file(&mut self, file: SourceFile) -> FileId {
        let id = FileId(narrow(self.files.len()));
        self.files.push(file);
        id
    }

    /// The file of a number.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(wide(id.0))
    }

    /// Every file with its number, in the order of adding.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(at, file)| (FileId(narrow(at)), file))
    }

    /// Returns the start of a span; line 1, column 1 for an unknown file.
    pub fn position(&self, span: Span) -> Position {
        self.get(span.file).map_or(Position { line: 1, column: 1 }, |file| file.position(span.start))
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let mut starts = vec![0];
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let next = match byte {
            b'\r' if bytes.next_if(|(_, next)| *next == b'\n').is_some() => at.saturating_add(2),
            b'\n' | b'\r' => at.saturating_add(1),
            _ => continue,
        };
        starts.push(narrow(next));
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        // text, byte offset, line, column, UTF-16 offset
        let cases: &[(&str, u32, u32, u32, u32)] = &[
            ("", 0, 1, 1, 0),
            ("ab", 1, 1, 2, 1),
            ("ab", 99, 1, 3, 2),
            ("a\nb", 2, 2, 1, 2),
            ("a\r\nb", 3, 2, 1, 3),
            ("a\rb", 2, 2, 1, 2),
            ("a\n", 2, 2, 1, 2),
            ("\tx", 1, 1, 2, 1),
            ("\u{feff}ab", 3, 1, 1, 1),
            ("\u{feff}ab", 4, 1, 2, 2),
            ("\u{feff}a\nb", 5, 2, 1, 3),
            ("\u{4f60}\u{1f600}x", 7, 1, 3, 3),
            ("\u{4f60}\u{1f600}x", 5, 1, 2, 1),
        ];
        for (text, offset, line, column, utf16) in cases {
            let file = SourceFile::new("f", *text);
            let got = file.position(*offset);
            assert_eq!((got.line, got.column), (*line, *column), "{text:?} at {offset}");
            assert_eq!(file.utf16_offset(*offset), *utf16, "{text:?} at {offset}");
        }
    }

    #[test]
    fn line_texts_and_the_way_back() {
        let file = SourceFile::new("f", "\u{feff}one\r\n\tzw\u{f6}i\r\n\r\nend");
        let lines: Vec<_> = (1..=file.line_count()).map(|line| file.line_text(line)).collect();
        assert_eq!(lines, ["one", "\tzw\u{f6}i", "", "end"]);
        for line in 1..=4 {
            for column in 1..=3 {
                let asked = Position { line, column };
                if u32::try_from(file.line_text(line).chars().count()).unwrap() >= column {
                    assert_eq!(file.position(file.offset(asked)), asked);
                }
            }
        }
        assert_eq!(file.line_text(9), "");
    }
}
