//! YAML that readers written in Go refuse and others take, and words that they take for true or false.
//!
//! *Knows*: values and keys. *Must not know*: which field they are in.
//!
//! **Source**: `go-yaml/yaml: decode.go` of v2.3.0 and `kubernetes-sigs/yaml: yaml.go` of v1.2.0. Match.

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::yaml::go::Meaning;
use crate::yaml::node::{Kind, Node, Style};

/// Reports values that are refused, and words that are read otherwise than they look.
pub(super) fn check(node: &Node, found: &mut Diagnostics) {
    match &node.kind {
        Kind::Scalar(_) => value(node, found),
        Kind::Sequence(items) => items.iter().for_each(|item| check(item, found)),
        Kind::Mapping(entries) => {
            for entry in entries.iter().filter(|entry| !entry.merged) {
                key(&entry.key, found);
                check(&entry.value, found);
            }
        }
    }
}

fn refused(found: &mut Diagnostics, node: &Node, message: String, help: &str) {
    found.push(Diagnostic::error(codes::NOT_OF_GO, node.span, message).with_help(help));
}

fn value(node: &Node, found: &mut Diagnostics) {
    match node.tagged() {
        Err(problem) => refused(found, node, problem, "correct the value, or leave its tag out"),
        Ok(Meaning::Float(number)) if !number.is_finite() => {
            let word = if number.is_nan() {
                "NaN"
            } else if number > 0.0 {
                "+Inf"
            } else {
                "-Inf"
            };
            let message = format!("unsupported value: {word}");
            refused(found, node, message, "write a number, or put the text in quotes");
        }
        Ok(Meaning::Bool(flag)) => {
            if let Some(word) = plain(node).filter(|word| word.len() == 1) {
                boolean(found, node, word, flag);
            }
        }
        Ok(_) => {}
    }
}

fn key(node: &Node, found: &mut Diagnostics) {
    if node.as_scalar().is_none() {
        let message = format!("invalid map key: {} cannot be a key", node.describe());
        return refused(found, node, message, "write a text in place of the key");
    }
    match node.tagged() {
        Err(problem) => refused(found, node, problem, "correct the key, or leave its tag out"),
        Ok(Meaning::Null) => {
            let message = "Unsupported map key: nothing cannot be a key".to_owned();
            refused(found, node, message, "write a text, or put 'null' in quotes");
        }
        Ok(Meaning::Large(_)) => {
            let message = "Unsupported map key: the number is too large".to_owned();
            refused(found, node, message, "put the number in quotes");
        }
        Ok(Meaning::Bool(flag)) => {
            if let Some(word) = plain(node).filter(|word| !word.eq_ignore_ascii_case(&flag.to_string())) {
                boolean(found, node, word, flag);
            }
        }
        Ok(_) => {}
    }
}

fn boolean(found: &mut Diagnostics, node: &Node, word: &str, flag: bool) {
    let message = format!("'{word}' is read as {flag} here");
    let help = format!("write \"{word}\" for the text, or {flag}");
    found.push(Diagnostic::warning(codes::WORD_AS_BOOLEAN, node.span, message).with_help(help));
}

/// The text of a plain scalar without a tag.
fn plain(node: &Node) -> Option<&str> {
    let scalar = node.as_scalar().filter(|scalar| scalar.style == Style::Plain && node.tag.is_none())?;
    Some(&scalar.text)
}
