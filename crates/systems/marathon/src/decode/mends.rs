//! Fixes for texts that the real system refuses, if there is one correct way to write them.
//!
//! *Knows*: rules by their messages. *Must not know*: the display of findings.

use crate::definition::OPERATORS;
use crate::definition::Violation;
use planarium_source::yaml::Node;
use planarium_source::{Span, suggest};

/// A fix: its description, the replaced span, the new text.
pub(super) type Mend = (String, Span, String);

/// The mend of a violation at a value.
pub(super) fn mend(node: &Node, violation: &Violation) -> Option<Mend> {
    let said: &str = &violation.message;
    let write = |node: &Node, text: &str| {
        // The results of templates and anchors cannot be edited in place.
        node.literal.then(|| (format!("Write {text}"), node.span, text.to_owned()))
    };
    let is_about = |field: &str| violation.path.ends_with(field);
    if let Some((_, expected)) = said.split_once("expected one of: [").filter(|_| is_about("/role")) {
        let first = expected.split([',', ']']).next().map(str::trim).filter(|role| !role.is_empty())?;
        return write(node, &quoted(first));
    }
    if said.contains("must have `acceptedResourceRoles = [\"*\"]`") && is_about("acceptedResourceRoles") {
        return write(node, "[\"*\"]");
    }
    if said.contains("unreachableStrategy must be disabled") {
        // It is also reported for the whole app.
        let field =
            if is_about("unreachableStrategy") { Some(node) } else { node.get("unreachableStrategy") };
        return write(field?, "\"disabled\"");
    }
    if said.contains("expected 0.0") && is_about("maximumOverCapacity") {
        return write(node, "0");
    }
    constraint(node, said)
}

/// Returns the fix of a constraint, by its message.
fn constraint(node: &Node, said: &str) -> Option<Mend> {
    let parts = node.literal.then(|| node.as_sequence()).flatten()?;
    let text = |at: usize| Some(&*parts.get(at)?.as_scalar()?.text);
    let (field, operator) = (text(0)?, text(1)?);
    let whole = |parts: &[&str]| {
        let words: Vec<String> = parts.iter().map(|part| quoted(part)).collect();
        let written = format!("[{}]", words.join(", "));
        Some((format!("Write {written}"), node.span, written))
    };
    match () {
        () if said.starts_with("operator must be one of") => {
            let meant = suggest(&operator.to_ascii_uppercase(), OPERATORS)?;
            Some((format!("Write '{meant}'"), parts.get(1)?.span, quoted(meant)))
        }
        () if said.starts_with("UNIQUE does not accept") => whole(&[field, "UNIQUE"]),
        () if said.starts_with("GROUP BY must define") => whole(&[field, "GROUP_BY"]),
        () if said.starts_with("MAX_PER requires") => whole(&[field, "MAX_PER", "1"]),
        () => None,
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
