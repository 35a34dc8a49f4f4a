//! Fixes for texts that the real system refuses, if there is one correct way to write them.
//!
//! *Knows*: rules by their messages. *Must not know*: the display of findings.

use crate::definition::OPERATORS;
use crate::definition::Violation;
use crate::schema::Fault;
use planarium_source::yaml::{Node, apply_changes, changes};
use planarium_source::{Span, suggest};
use serde_json::Value;

/// A fix: its description, the replaced span, the new text.
pub(super) type Mend = (String, Span, String);

/// The mend of a violation at a value in a text.
pub(super) fn mend(node: &Node, text: &str, violation: &Violation) -> Option<Mend> {
    let said: &str = &violation.message;
    let write = |node: &Node, text: &str| {
        // The results of templates and anchors cannot be edited in place.
        node.literal.then(|| (format!("Write {text}"), node.span, text.to_owned()))
    };
    let is_about = |field: &str| violation.path.ends_with(field);
    // In a group a rule is reported for the whole app.
    let field = |name: &str| if is_about(name) { Some(node) } else { node.get(name) };
    if let Some((_, expected)) = said.split_once("expected one of: [").filter(|_| said.starts_with("got ")) {
        let first = expected.split([',', ']']).next().map(str::trim).filter(|role| !role.is_empty())?;
        return write(field("role")?, &quoted(first));
    }
    if let Some((_, previous)) = said.split_once("continue to run under the previous role, ") {
        let previous = previous.split_once(". Only new instances").map(|(role, _)| role)?;
        return write(field("role")?, &quoted(previous));
    }
    if said.contains("must have `acceptedResourceRoles = [\"*\"]`")
        || said == "must not be empty" && is_about("acceptedResourceRoles")
    {
        return write(field("acceptedResourceRoles")?, "[\"*\"]");
    }
    if said.contains("unreachableStrategy must be disabled") {
        let of_pod = || node.at(&["scheduling", "unreachableStrategy"]);
        return write(field("unreachableStrategy").or_else(of_pod)?, "\"disabled\"");
    }
    if said.contains("expected 0.0") && is_about("maximumOverCapacity") {
        return write(node, "0");
    }
    if let Some((_, usable)) = said.split_once("acceptedResourceRoles can only contain ") {
        let usable: Vec<&str> = usable.split(" and ").collect();
        let node = field("acceptedResourceRoles")?;
        let written = node.as_sequence()?.iter().filter_map(|role| Some(&*role.as_scalar()?.text));
        let written: Vec<&str> = written.collect();
        let mut kept: Vec<&str> = usable.iter().copied().filter(|role| written.contains(role)).collect();
        if kept.is_empty() {
            kept = usable;
        }
        return write(node, &list(&kept));
    }
    if said.contains("expected 0.0") && is_about("minimumHealthCapacity") {
        return write(node, "0");
    }
    if said == "Single instance app may only have one instance" {
        return write(node.get("instances")?, "1");
    }
    constraint(node, said).or_else(|| constraint_of_pod(node, text, said))
}

/// The mend of a value that is none of the permitted words.
pub(super) fn mend_fault(node: &Node, fault: &Fault) -> Option<Mend> {
    let is_operator = fault.path.contains("constraints(") && fault.path.ends_with("/operator");
    let written = node.as_scalar().filter(|_| is_operator && node.literal)?;
    let meant = suggest(&written.text.to_ascii_uppercase(), OPERATORS)?;
    Some((format!("Write '{meant}'"), node.span, quoted(meant)))
}

/// One mend of several edits of a text.
pub(super) fn whole(title: String, text: &str, edits: Vec<(Span, String)>) -> Option<Mend> {
    let file = edits.first()?.0.file;
    let start = edits.iter().map(|(span, _)| span.start).min()?;
    let end = edits.iter().map(|(span, _)| span.end).max()?;
    let after = text.len().checked_sub(usize::try_from(end).ok()?)?;
    let changed = apply_changes(text, edits);
    let replacement = changed.get(usize::try_from(start).ok()?..changed.len().checked_sub(after)?)?;
    Some((title, Span::new(file, start, end), replacement.to_owned()))
}

/// A list of texts.
fn list(texts: &[&str]) -> String {
    let words: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", words.join(", "))
}

/// Returns the fix of a constraint, by its message.
fn constraint(node: &Node, said: &str) -> Option<Mend> {
    let parts = node.literal.then(|| node.as_sequence()).flatten()?;
    let text = |at: usize| Some(&*parts.get(at)?.as_scalar()?.text);
    let (field, operator) = (text(0)?, text(1)?);
    let all = |parts: &[&str]| {
        let written = list(parts);
        Some((format!("Write {written}"), node.span, written))
    };
    match () {
        () if said.starts_with("operator must be one of") => {
            let meant = suggest(&operator.to_ascii_uppercase(), OPERATORS)?;
            Some((format!("Write '{meant}'"), parts.get(1)?.span, quoted(meant)))
        }
        () if said.starts_with("UNIQUE does not accept") => all(&[field, "UNIQUE"]),
        () if said.starts_with("GROUP BY must define") => all(&[field, "GROUP_BY"]),
        () if said.starts_with("MAX_PER requires") => all(&[field, "MAX_PER", "1"]),
        () => None,
    }
}

/// The same of a pod, whose constraints have named fields.
fn constraint_of_pod(node: &Node, text: &str, said: &str) -> Option<Mend> {
    let value = node.entry("value").filter(|entry| !entry.merged)?;
    if said.starts_with("MAX_PER requires") && value.value.literal {
        return Some(("Write \"1\"".to_owned(), value.value.span, "\"1\"".to_owned()));
    }
    if !said.starts_with("UNIQUE does not accept") && !said.starts_with("GROUP BY must define") {
        return None;
    }
    let before = node.to_json();
    let mut now = before.clone();
    now.as_object_mut()?.shift_remove("value");
    whole("Take the value out".to_owned(), text, changes(node, text, &before, &now, &|_| false))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
