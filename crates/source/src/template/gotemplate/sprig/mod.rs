//! The functions of sprig, as KUDO offers them: without those that look at the controller's own environment.
//!
//! **Source**: `Masterminds/sprig` v2.22.0 and `kudobuilder/kudo: pkg/engine/renderer/functions.go`. Matched; functions that
//! make keys and certificates give placeholders.

mod cases;
mod collections;
mod crypto;
pub(super) mod date;
mod encoding;
mod numbers;
mod random;
mod strings;
mod url;
pub(super) mod version;

use super::call::Function;
use super::value::Value;
pub(crate) use encoding::base64;

pub(super) use numbers::to_int;

/// Every function of sprig.
pub(super) fn tables() -> impl Iterator<Item = &'static Function> {
    [
        strings::TABLE,
        collections::TABLE,
        numbers::TABLE,
        encoding::TABLE,
        date::TABLE,
        version::TABLE,
        random::TABLE,
        crypto::TABLE,
        url::TABLE,
    ]
    .into_iter()
    .flatten()
}

/// `strconv.ParseBool`.
pub fn parse_go_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Returns whether a value is empty in sprig's sense.
fn is_empty(value: &Value) -> bool {
    !value.is_true()
}

/// `strval`: a text as it is, anything else as `%v`.
fn text_of(value: &Value) -> String {
    super::format::show(value)
}

/// `strslice`: the items of a list as texts, without nothings; anything else as a list of one.
fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::List(list) => list.items.iter().filter(|item| !item.is_nil()).map(text_of).collect(),
        value if value.is_nil() => Vec::new(),
        other => vec![text_of(other)],
    }
}
