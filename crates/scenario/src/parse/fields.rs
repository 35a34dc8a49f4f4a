//! Reads keys from a mapping, and reports unknown ones.

use super::Context;
use crate::codes;
use planarium_source::suggest::did_you_mean_in_ticks;
use planarium_source::yaml::{Node, report_duplicates};
use planarium_source::{Diagnostic, Fix, Severity, suggest};
use planarium_world::parse_duration_ms;
use serde::de::DeserializeOwned;

/// A mapping whose keys were checked. Not [`planarium_source::read::MapReader`]: a scenario's messages come first, name keys in
/// backticks and suggest keys that are there already.
pub(crate) struct Fields<'n> {
    node: &'n Node,
}

impl<'n> Fields<'n> {
    /// Checks that `node` is a mapping with known keys only; `what` names it in findings.
    pub(crate) fn open(node: &'n Node, what: &str, known: &[&str], cx: &mut Context<'_>) -> Option<Self> {
        let Some(entries) = node.as_mapping() else {
            cx.found.push(
                Diagnostic::error(
                    codes::SHAPE,
                    node.span,
                    format!("{what} must be a mapping, but this is {}", node.describe()),
                )
                .with_help(super::SHAPE_HELP),
            );
            return None;
        };
        report_duplicates(node, Severity::Error, None, cx.found);
        for entry in entries {
            let key = entry.key.as_str().unwrap_or_default();
            if known.contains(&key) {
                continue;
            }
            let near = suggest(key, known.iter().copied());
            let help = did_you_mean_in_ticks(near, || format!("known keys: {}", known.join(", ")));
            let mut finding =
                Diagnostic::error(codes::UNKNOWN_KEY, entry.key.span, format!("{what} has no key `{key}`"))
                    .with_help(help);
            finding.fix = near.map(|near| Fix::new(format!("Write `{near}`"), entry.key.span, near));
            cx.found.push(finding);
        }
        Some(Self { node })
    }

    /// Returns the value of a key, unless it is missing or null.
    pub(crate) fn take(&mut self, key: &str) -> Option<&'n Node> {
        self.node.get(key).filter(|node| !node.is_null())
    }

    /// A text.
    pub(crate) fn text(&mut self, key: &str, cx: &mut Context<'_>) -> Option<String> {
        let node = self.take(key)?;
        let text = node.as_str().map(ToOwned::to_owned);
        if text.is_none() {
            wrong(node, &format!("`{key}` must be a text"), cx);
        }
        text
    }

    /// A whole number from 0 on.
    pub(crate) fn whole(&mut self, key: &str, cx: &mut Context<'_>) -> Option<u64> {
        let node = self.take(key)?;
        let number = node.as_i64().and_then(|n| u64::try_from(n).ok());
        if number.is_none() {
            wrong(node, &format!("`{key}` must be a whole number, 0 or more"), cx);
        }
        number
    }

    /// Returns a list; a missing key is an empty list.
    pub(crate) fn list(&mut self, key: &str, cx: &mut Context<'_>) -> &'n [Node] {
        let Some(node) = self.take(key) else { return &[] };
        match node.as_sequence() {
            Some(items) => items,
            None => {
                wrong(node, &format!("`{key}` must be a list"), cx);
                &[]
            }
        }
    }

    /// The place of the whole mapping.
    pub(crate) fn node(&self) -> &'n Node {
        self.node
    }
}

/// Reports a wrong value.
pub(crate) fn wrong(node: &Node, should: &str, cx: &mut Context<'_>) {
    cx.found.push(Diagnostic::error(
        codes::VALUE,
        node.span,
        format!("{should}, but this is {}", node.describe()),
    ));
}

/// A span of time in milliseconds.
pub(crate) fn time(node: &Node, cx: &mut Context<'_>) -> Option<u64> {
    let text = node.as_str().unwrap_or_default();
    let ms = text.parse().ok().or_else(|| parse_duration_ms(text));
    if ms.is_none() {
        cx.found.push(
            Diagnostic::error(codes::VALUE, node.span, "this is not a time")
                .with_help("write `500ms`, `10s`, `1m30s` or `2h`; a bare number is milliseconds"),
        );
    }
    ms
}

/// A value of one of the plain data types, read through JSON.
pub(crate) fn typed<T: DeserializeOwned>(node: &Node, what: &str, cx: &mut Context<'_>) -> Option<T> {
    match planarium_protocol::json::from(node.to_json()) {
        Ok(value) => Some(value),
        Err(error) => {
            cx.found.push(
                Diagnostic::error(codes::INPUT, node.span, format!("{what} cannot be read: {error}"))
                    .with_help("the keys are those of the journal's inputs"),
            );
            None
        }
    }
}
