//! Places of entries and items in the lines of a text.
//!
//! *Knows*: columns, braces, comments. *Must not know*: what changes.

use super::node::{Entry, Node};
use crate::span::{Span, narrow, wide};

/// Returns whether a node is written in braces, as JSON is.
pub(super) fn is_flow(node: &Node, text: &str) -> bool {
    text.get(wide(node.span.start)..).is_some_and(|rest| rest.starts_with(['{', '[']))
}

/// Returns the start of the line of a place.
pub(super) fn line_start(text: &str, at: u32) -> u32 {
    let before = text.get(..wide(at)).unwrap_or_default();
    narrow(before.rfind('\n').map_or(0, |line| line + 1))
}

/// Returns the column of a place, in bytes.
pub(super) fn column(text: &str, at: u32) -> usize {
    wide(at).saturating_sub(wide(line_start(text, at)))
}

/// Returns the span from an entry's key to the end of its last line: deeper lines, and a list at the key's own column.
pub(super) fn lines_of(entry: &Entry, text: &str) -> Span {
    let start = entry.key.span.start;
    Span::new(entry.key.span.file, start, lines_from(text, start, column(text, start), true))
}

/// Returns the end of the line of `start` and of the following lines that are deeper than `column`. With `lists`, items of a
/// list at that column belong to them, too.
pub(super) fn lines_from(text: &str, start: u32, column: usize, lists: bool) -> u32 {
    let rest = text.get(wide(start)..).unwrap_or_default();
    let (mut end, mut seen) = (0, 0);
    for (at, line) in rest.split_inclusive('\n').enumerate() {
        let trimmed = line.trim_start_matches(' ');
        let indent = line.len() - trimmed.len();
        let is_blank = trimmed.trim().is_empty() || trimmed.starts_with('#') && indent <= column;
        let is_item = lists && indent == column && (trimmed.starts_with("- ") || trimmed.trim_end() == "-");
        seen += line.len();
        if at == 0 || !is_blank && (indent > column || is_item) {
            end = seen;
        } else if !is_blank {
            break;
        }
    }
    start + narrow(end)
}
