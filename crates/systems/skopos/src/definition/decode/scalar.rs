//! Single values of steps.
//!
//! *Knows*: how YAML 1.1 writes booleans and numbers. *Must not know*: which attribute is read.

use super::Cx;
use crate::codes;
use planarium_protocol::Text;
use planarium_source::yaml::{Coerced, Node, Style, decimal_to_thousandths};

/// Returns the source text of a scalar, of any YAML type; `None` for null and collections.
pub(crate) fn word(node: &Node) -> Option<Text> {
    node.as_str().filter(|_| !node.is_null()).map(Into::into)
}

/// Describes a value for messages.
pub(super) fn shown(node: &Node) -> String {
    const MOST: usize = 40;
    match node.as_str().filter(|_| !node.is_null()) {
        Some(text) if text.chars().count() > MOST => {
            format!("'{}…'", text.chars().take(MOST).collect::<String>())
        }
        Some(text) if is_plain(node) => format!("'{text}'"),
        Some(text) => format!("the text '{text}'"),
        None => node.describe().to_owned(),
    }
}

pub(super) fn is_plain(node: &Node) -> bool {
    node.as_scalar().is_some_and(|scalar| scalar.style == Style::Plain)
}

/// A boolean as YAML 1.1 writes it without quotes; an absent or empty one is false.
pub(super) fn flag(cx: &mut Cx<'_>, node: &Node, what: &str, step: &str) -> bool {
    if node.is_null() {
        return false;
    }
    let text = node.as_str().filter(|_| is_plain(node)).unwrap_or_default();
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => true,
        "false" | "no" | "off" => false,
        _ => {
            let message = format!("'{what}' of step '{step}' must be true or false, but is {}", shown(node));
            cx.error(codes::WRONG_TYPE, node.span, message, "write true or false without quotes");
            false
        }
    }
}

/// A whole number that is not below zero.
pub(super) fn count(cx: &mut Cx<'_>, node: &Node, what: &str, step: &str) -> Option<u64> {
    let text = node.as_str().filter(|_| is_plain(node)).unwrap_or_default();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '_');
    let hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    if !(hexadecimal || is_whole && digits.starts_with(|c: char| c.is_ascii_digit())) {
        return wrong_number(cx, node, what, step, "a whole number");
    }
    match node.int() {
        Coerced::Value(value) => match u64::try_from(value) {
            Ok(value) => Some(value),
            Err(_) => below_zero(cx, node, what, step),
        },
        Coerced::Null | Coerced::Wrong if hexadecimal => wrong_number(cx, node, what, step, "a whole number"),
        Coerced::Null | Coerced::Wrong if text.starts_with('-') => below_zero(cx, node, what, step),
        Coerced::Null | Coerced::Wrong => too_large(cx, node, what, step),
    }
}

/// Seconds that are not below zero. *Units*: milliseconds.
pub(super) fn seconds(cx: &mut Cx<'_>, node: &Node, what: &str, step: &str) -> Option<u64> {
    if node.as_str().is_some_and(|text| text.starts_with("0x") || text.starts_with("0X"))
        && is_plain(node)
        && let Coerced::Value(whole) = node.int()
        && let Ok(whole) = u64::try_from(whole)
    {
        let ms = whole.checked_mul(1000).filter(|ms| i64::try_from(*ms).is_ok());
        return ms.or_else(|| too_large(cx, node, what, step));
    }
    let text = node.as_str().filter(|_| is_plain(node)).unwrap_or_default().replace('_', "");
    let Some(ms) = decimal_to_thousandths(&text) else {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
        let numeric = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
        return if numeric && digits.matches('.').count() <= 1 && digits != "." {
            too_large(cx, node, what, step)
        } else {
            wrong_number(cx, node, what, step, "a number of seconds")
        };
    };
    match u64::try_from(ms) {
        Ok(ms) => Some(ms),
        Err(_) => below_zero(cx, node, what, step),
    }
}

fn wrong_number(cx: &mut Cx<'_>, node: &Node, what: &str, step: &str, expected: &str) -> Option<u64> {
    let template = node.as_str().is_some_and(|text| text.contains("{{"))
        || node.as_mapping().is_some_and(
            |entries| matches!(entries, [only] if only.key.as_mapping().is_some() && only.value.is_null()),
        );
    let help = if template {
        "variables are interpolated in 'arguments' and 'exec' only: write the number itself".to_owned()
    } else {
        format!("write {expected} without quotes")
    };
    let message = format!("'{what}' of step '{step}' must be {expected}, but is {}", shown(node));
    cx.error(codes::WRONG_TYPE, node.span, message, help);
    None
}

fn below_zero(cx: &mut Cx<'_>, node: &Node, what: &str, step: &str) -> Option<u64> {
    let message = format!("'{what}' of step '{step}' is below zero");
    cx.error(codes::RANGE, node.span, message, "write zero or more");
    None
}

fn too_large(cx: &mut Cx<'_>, node: &Node, what: &str, step: &str) -> Option<u64> {
    let message = format!("'{what}' of step '{step}' is too large");
    cx.error(codes::RANGE, node.span, message, "write a smaller number");
    None
}
