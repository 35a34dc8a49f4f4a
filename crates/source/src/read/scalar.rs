//! Single values with a finding when they are of the wrong type.
//!
//! Each function gives nothing for a null value, without a finding: an absent value is for
//! [`MapReader`](crate::read::MapReader)'s `required` to complain about.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::read::ReadCodes;
use crate::span::Spanned;
use crate::yaml::{Coerced, Entry, Node};

/// Characters of a wrong value repeated in a message at most.
const SHOWN: usize = 40;

/// Reads any scalar as text; `what` is how messages call the value, such as `'count'`.
pub fn text(node: &Node, what: &str, codes: &ReadCodes, found: &mut Diagnostics) -> Option<Spanned<String>> {
    if node.is_null() {
        return None;
    }
    let Some(text) = node.as_str() else {
        wrong_type(node, what, "a text", codes, found);
        return None;
    };
    Some(Spanned { value: text.to_owned(), span: node.span })
}

/// Reads a whole number.
pub fn int(node: &Node, what: &str, codes: &ReadCodes, found: &mut Diagnostics) -> Option<Spanned<i64>> {
    coerced(node, node.int(), what, "a whole number", codes, found)
}

/// Reads a decimal number in thousandths.
pub fn thousandths(
    node: &Node,
    what: &str,
    codes: &ReadCodes,
    found: &mut Diagnostics,
) -> Option<Spanned<i64>> {
    coerced(node, node.thousandths(), what, "a number", codes, found)
}

/// Reads a boolean.
pub fn boolean(node: &Node, what: &str, codes: &ReadCodes, found: &mut Diagnostics) -> Option<Spanned<bool>> {
    coerced(node, node.boolean(), what, "true or false", codes, found)
}

/// Reads a list.
pub fn sequence<'n>(
    node: &'n Node,
    what: &str,
    codes: &ReadCodes,
    found: &mut Diagnostics,
) -> Option<&'n [Node]> {
    if !node.is_null() && node.as_sequence().is_none() {
        wrong_type(node, what, "a list", codes, found);
    }
    node.as_sequence()
}

/// Reads a mapping's entries.
pub fn mapping<'n>(
    node: &'n Node,
    what: &str,
    codes: &ReadCodes,
    found: &mut Diagnostics,
) -> Option<&'n [Entry]> {
    if !node.is_null() && node.as_mapping().is_none() {
        wrong_type(node, what, "a mapping", codes, found);
    }
    node.as_mapping()
}

/// Reports that a value is not what it should be: `'count' must be a whole number, but is a list`.
pub fn wrong_type(node: &Node, what: &str, expected: &str, codes: &ReadCodes, found: &mut Diagnostics) {
    if found.is_full() {
        return;
    }
    let shown = match node.as_str().filter(|_| !node.is_null()) {
        Some(text) if text.chars().count() > SHOWN => {
            format!("'{}…'", text.chars().take(SHOWN).collect::<String>())
        }
        Some(text) => format!("'{text}'"),
        None => node.describe().to_owned(),
    };
    let message = format!("{what} must be {expected}, but is {shown}");
    let mut finding =
        Diagnostic::error(codes.wrong_type, node.span, message).with_help(format!("write {expected}"));
    if node.as_mapping().is_some_and(|entries| {
        // `x: {{Y}}` that went through no template reads as a mapping within a mapping.
        matches!(entries, [only] if only.key.as_mapping().is_some() && only.value.is_null())
    }) {
        finding.help =
            Some("this looks like a template variable; render the file with its values".to_owned());
    }
    found.push(finding);
}

fn coerced<T>(
    node: &Node,
    value: Coerced<T>,
    what: &str,
    expected: &str,
    codes: &ReadCodes,
    found: &mut Diagnostics,
) -> Option<Spanned<T>> {
    match value {
        Coerced::Null => None,
        Coerced::Value(value) => Some(Spanned { value, span: node.span }),
        Coerced::Wrong => {
            wrong_type(node, what, expected, codes, found);
            None
        }
    }
}
