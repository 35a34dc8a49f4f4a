//! Strict JSON as plain data. For JSON with positions use [`crate::yaml::Reader`], which reads it too.

use serde_json::Value;

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::index::floor;
use crate::span::{FileId, Span, narrow};
use crate::yaml::Limits;

/// Reads a whole text as one JSON value; none, with one finding, when it is not valid JSON or too large.
///
/// The order of keys is kept, the last of repeated ones wins, nesting is bounded.
pub fn parse_strict(text: &str, file: FileId, limits: &Limits, found: &mut Diagnostics) -> Option<Value> {
    if text.len() > limits.bytes {
        let message = format!("The text has {} bytes; the limit is {}", text.len(), limits.bytes);
        found.push(
            Diagnostic::error(codes::TOO_LARGE, Span::at(file, 0), message)
                .with_help("split it into smaller files, or leave out what does not belong here"),
        );
        return None;
    }
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len().saturating_sub(body.len());
    match serde_json::from_slice(body.as_bytes()) {
        Ok(value) => Some(value),
        Err(error) => {
            let at = skipped.saturating_add(offset(body, error.line(), error.column()));
            found.push(explain(&error, text, at, file));
            None
        }
    }
}

fn explain(error: &serde_json::Error, text: &str, at: usize, file: FileId) -> Diagnostic {
    let said = error.to_string();
    let plain = said.split(" at line ").next().unwrap_or_default();
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.chars().next().filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8);
    let span = Span::new(file, narrow(at), narrow(at.saturating_add(length)));
    if plain.contains("recursion limit") {
        return Diagnostic::error(codes::TOO_DEEP, span, "The text is nested too deeply")
            .with_help("flatten the structure");
    }
    let help = match plain {
        "trailing comma" => "remove the comma before the closing bracket",
        "key must be a string" => "put the field's name in double quotes",
        "trailing characters" => "remove what comes after the value",
        _ if plain.starts_with("EOF") => "close every quote and bracket that was opened",
        _ => "check the quotes, commas and brackets here and just before",
    };
    Diagnostic::error(codes::JSON_SYNTAX, span, format!("Not valid JSON: {plain}")).with_help(help)
}

/// The byte offset of serde_json's line and column: lines by LF from 1, columns in bytes, counting the
/// byte that was read last.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let mut start = 0_usize;
    for _ in 1..line {
        let rest = text.get(start..).unwrap_or_default();
        match rest.find('\n') {
            Some(at) => start = start.saturating_add(at).saturating_add(1),
            None => break,
        }
    }
    floor(text, start.saturating_add(column.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_json_keeps_its_order() {
        let mut found = Diagnostics::new();
        let text = "\u{feff}{\"b\": 1, \"a\": [true, null]}";
        let value = parse_strict(text, FileId(0), &Limits::default(), &mut found).unwrap();
        assert_eq!(value.to_string(), "{\"b\":1,\"a\":[true,null]}");
        assert!(found.is_empty());
    }

    #[test]
    fn errors_point_at_the_byte() {
        let deep = "[".repeat(10_000);
        let cases = [
            ("{\"a\": 1,}", "JSON001", 8),
            ("{\n  \"a\": x\n}", "JSON001", 9),
            ("{\n  \"\u{e9}\": x\n}", "JSON001", 10),
            ("{a: 1}", "JSON001", 1),
            ("[1] 2", "JSON001", 4),
            ("", "JSON001", 0),
            ("[1, 2", "JSON001", 4),
            (deep.as_str(), "YAML003", 127),
        ];
        for (text, code, at) in cases {
            let mut found = Diagnostics::new();
            assert_eq!(parse_strict(text, FileId(0), &Limits::default(), &mut found), None);
            let one = found.into_sorted().remove(0);
            let shown: String = text.chars().take(20).collect();
            assert_eq!((one.code.as_ref(), one.span.start), (code, at), "{shown:?}: {}", one.message);
        }
        let mut found = Diagnostics::new();
        let small = Limits { bytes: 3, ..Limits::default() };
        assert_eq!(parse_strict("[1,2]", FileId(0), &small, &mut found), None);
        assert_eq!(found.into_sorted()[0].code, "YAML002");
    }
}
