//! Findings as flat, self-contained data.

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::file::{Position, SourceMap};
use crate::span::Span;

/// A place with everything an editor or a program may ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlatSpan {
    /// The file's name.
    pub file: String,
    /// Line of the start, from 1.
    pub line: u32,
    /// Column of the start in Unicode scalar values, from 1.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column of the end.
    pub end_column: u32,
    /// Byte offset of the start.
    pub offset: u32,
    /// Byte offset of the end.
    pub end_offset: u32,
    /// UTF-16 offset of the start, as editors in a browser count.
    pub utf16_offset: u32,
    /// UTF-16 offset of the end.
    pub utf16_end_offset: u32,
}

/// A further place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlatLabel {
    /// The place.
    #[serde(flatten)]
    pub span: FlatSpan,
    /// The text replaced.
    pub text: String,
}

/// A mechanical mend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlatFix {
    /// The text to be replaced.
    #[serde(flatten)]
    pub span: FlatSpan,
    /// Description of the change.
    pub title: String,
    /// The new text.
    pub replacement: String,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlatDiagnostic {
    /// The place.
    #[serde(flatten)]
    pub span: FlatSpan,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// The code.
    pub code: String,
    /// The error.
    pub message: String,
    /// Advice for mending it.
    pub help: Option<String>,
    /// The mechanical mend.
    pub fix: Option<FlatFix>,
    /// Further places.
    pub labels: Vec<FlatLabel>,
    /// Further facts.
    pub notes: Vec<String>,
}

/// One place, flat. An unknown file has an empty name and position 1:1.
pub fn flat_span(span: Span, files: &SourceMap) -> FlatSpan {
    let file = files.get(span.file);
    let place = |offset| file.map_or(Position { line: 1, column: 1 }, |file| file.position(offset));
    let utf16 = |offset| file.map_or(0, |file| file.utf16_offset(offset));
    let (start, end) = (place(span.start), place(span.end));
    FlatSpan {
        file: file.map(|file| file.name().to_owned()).unwrap_or_default(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        offset: span.start,
        end_offset: span.end,
        utf16_offset: utf16(span.start),
        utf16_end_offset: utf16(span.end),
    }
}

/// One finding, flat.
pub fn flat(diagnostic: &Diagnostic, files: &SourceMap) -> FlatDiagnostic {
    FlatDiagnostic {
        span: flat_span(diagnostic.span, files),
        severity: diagnostic.severity.word().to_owned(),
        code: diagnostic.code.clone().into_owned(),
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        fix: diagnostic.fix.as_ref().map(|fix| FlatFix {
            span: flat_span(fix.span, files),
            title: fix.title.clone(),
            replacement: fix.replacement.clone(),
        }),
        labels: diagnostic
            .labels
            .iter()
            .map(|label| FlatLabel { span: flat_span(label.span, files), text: label.text.clone() })
            .collect(),
        notes: diagnostic.notes.clone(),
    }
}

/// All findings as one indented JSON array with a line break at the end.
pub fn render(diagnostics: &[Diagnostic], files: &SourceMap) -> String {
    let all: Vec<_> = diagnostics.iter().map(|diagnostic| flat(diagnostic, files)).collect();
    // Strings and numbers only: there is nothing here that could fail to serialise.
    let mut text = serde_json::to_string_pretty(&all).unwrap_or_else(|_| "[]".to_owned());
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::FileId;

    #[test]
    fn one_flat_object_per_finding() {
        let mut files = SourceMap::new();
        let file = files.add("svc.yml", "a: \u{1f600}\nbb: 2\n");
        let found = Diagnostic::error("X001", Span::new(file, 8, 10), "no")
            .with_label(Span::new(file, 3, 7), "here")
            .with_fix("do", Span::new(file, 8, 10), "cc");
        let value: serde_json::Value = serde_json::from_str(&render(&[found], &files)).expect("valid JSON");
        let one = &value[0];
        assert_eq!(one["file"], "svc.yml");
        assert_eq!((one["line"].as_u64(), one["column"].as_u64()), (Some(2), Some(1)));
        assert_eq!((one["end_line"].as_u64(), one["end_column"].as_u64()), (Some(2), Some(3)));
        assert_eq!((one["offset"].as_u64(), one["utf16_offset"].as_u64()), (Some(8), Some(6)));
        assert_eq!(one["labels"][0]["utf16_end_offset"], 5);
        assert_eq!(one["fix"]["replacement"], "cc");
        assert_eq!(one["severity"], "error");
        assert_eq!(flat_span(Span::at(FileId(9), 3), &files).line, 1);
    }
}
