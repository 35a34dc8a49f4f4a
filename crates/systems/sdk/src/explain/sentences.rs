//! Names and sentences.
//!
//! *Knows*: how elements are called in a sentence. *Must not know*: reasons' contents beyond their text.

use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{ElementRef, Reason};

/// Name of an element in a sentence.
pub(super) fn called(path: &ElementPath) -> String {
    match (&path.phase, &path.step) {
        (_, Some(step)) => step.to_string(),
        (Some(phase), None) => format!("phase {phase}"),
        (None, None) => format!("plan {}", path.plan),
    }
}

/// Several elements, with their statuses; some only when there are many.
pub(super) fn list(elements: &[ElementRef]) -> String {
    const SHOWN: usize = 3;
    let mut parts: Vec<String> = elements
        .iter()
        .take(SHOWN)
        .map(|element| format!("{} ({})", called(&element.path), element.status))
        .collect();
    if elements.len() > SHOWN {
        parts.push(format!("{} more", elements.len() - SHOWN));
    }
    match parts.pop() {
        None => String::new(),
        Some(last) if parts.is_empty() => last,
        Some(last) => format!("{} and {last}", parts.join(", ")),
    }
}

/// One sentence from the first reason.
pub(super) fn sentence(path: &ElementPath, status: &str, reasons: &[Reason]) -> String {
    let first = reasons.first().map_or("", |reason| reason.text.as_str());
    let name = called(path);
    let mut chars = name.chars();
    let name: String = chars
        .next()
        .map(|c| std::iter::once(c.to_ascii_uppercase()).chain(chars).collect())
        .unwrap_or_default();
    // Names of steps and pods keep their case: they are names.
    let name = if path.step.is_some() { called(path) } else { name };
    if status == "COMPLETE" {
        format!("{name} is COMPLETE.")
    } else {
        format!("{name} is {status}: {}.", lower(first))
    }
}

/// The text with a small first letter, unless it starts with a name.
fn lower(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    let is_word = word.chars().skip(1).all(|c| c.is_ascii_lowercase());
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if is_word => std::iter::once(first.to_ascii_lowercase()).chain(chars).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_start_in_lower_case_and_keep_names() {
        for (text, expected) in [
            ("The task runs", "the task runs"),
            ("A gate", "a gate"),
            ("agent-2 is full", "agent-2 is full"),
            ("", ""),
        ] {
            assert_eq!(lower(text), expected);
        }
    }
}
