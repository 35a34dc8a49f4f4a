//! From a rendered text to objects.
//!
//! **Source**: `kudobuilder/kudo: pkg/engine/renderer/parser.go`. Match; the words of YAML errors are this reader's.

use planarium_source::template::gotemplate::go_quote;
use planarium_source::yaml::{Limits, Reader};
use planarium_source::{Diagnostics, FileId};
use serde_json::Value;

/// One object of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The object.
    pub value: Value,
    /// Its offset in the text.
    pub offset: u32,
}

/// A part of a text that is not an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// The real words.
    pub message: String,
    /// Offset in the text.
    pub offset: u32,
}

/// Splits a text at lines that begin with `---`. Skips blank parts and parts of comments only.
///
/// *Errors*: the first part that is not YAML or has no kind.
pub fn split(text: &str) -> Result<Vec<Manifest>, ManifestError> {
    let mut found = Vec::new();
    let mut start = 0_usize;
    for chunk in text.split("\n---") {
        let offset = start;
        start = start.saturating_add(chunk.len()).saturating_add(4);
        if chunk.trim().is_empty() {
            continue;
        }
        let at = |place: usize| u32::try_from(offset.saturating_add(place)).unwrap_or(u32::MAX);
        let failed = |problem: String, place: usize| ManifestError {
            message: format!("decoding chunk {} failed: {problem}", go_quote(&shortened(chunk))),
            offset: at(place),
        };
        let mut problems = Diagnostics::new();
        let limits = Limits { bytes: 8 * 1024 * 1024, ..Limits::default() };
        let parsed = Reader::new(chunk, FileId(0)).with_limits(limits).with_go_rules().one(&mut problems);
        if let Some(problem) = problems.iter().find(|problem| problem.is_error()) {
            let place = usize::try_from(problem.span.start).unwrap_or(0);
            let line = chunk.get(..place).unwrap_or_default().matches('\n').count().saturating_add(1);
            let text = format!("error converting YAML to JSON: yaml: line {line}: {}", problem.message);
            return Err(failed(text, place));
        }
        let Some(root) = parsed.root.filter(|root| !root.is_null()) else { continue };
        let value = root.to_go_json();
        let place = usize::try_from(root.span.start).unwrap_or(0);
        if value.get("kind").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(failed(
                format!("Object 'Kind' is missing in '{}'", shortened(&value.to_string())),
                place,
            ));
        }
        found.push(Manifest { value, offset: at(place) });
    }
    Ok(found)
}

/// A text that is long enough for a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 2000;
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LONGEST).collect();
    format!("{cut}…")
}
