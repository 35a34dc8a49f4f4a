//! The picture as plain text, for documents without HTML.
//!
//! *Knows*: rows of a recording. *Must not know*: engines.

use crate::html::clock;
use crate::recording::Recording;
use std::fmt::Write as _;

/// Writes the rows as they stand at an instant: a line each, indented by level, with status and since when.
pub fn tree(recording: &Recording, at_ms: u64) -> String {
    let now = recording.at(at_ms);
    let rows: Vec<(String, &str, u64)> = recording
        .rows
        .iter()
        .zip(now)
        .filter_map(|(row, (word, since))| {
            Some((format!("{}{}", "  ".repeat(row.depth.into()), row.name), word?.word.as_str(), since))
        })
        .collect();
    let wide = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    let status = rows.iter().map(|(_, word, _)| word.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (name, word, since) in rows {
        if word.is_empty() {
            let _ = writeln!(out, "{name}");
        } else {
            let _ = writeln!(out, "{name:wide$}  {word:status$}  {}", clock(since));
        }
    }
    let _ = writeln!(out, "at {} of {}", clock(at_ms), clock(recording.end_ms));
    out
}
