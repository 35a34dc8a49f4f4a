//! YAML as a person would write a plan.
//!
//! *Knows*: indentation and quotation marks. *Must not know*: steps.

use planarium_source::yaml::{Kind, Node};
use serde_json::Value;
use std::fmt::Write as _;

/// A value to be written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Yaml {
    /// A text, quoted if necessary.
    Text(String),
    /// A number or a boolean.
    Plain(String),
    /// A mapping below its key.
    Map(Vec<(String, Yaml)>),
    /// A mapping or list on one line.
    Flow(Flow),
    /// Steps below their key.
    Steps(Vec<Yaml>),
}

/// Flow collections on one line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Flow {
    Text(String),
    Plain(String),
    Map(Vec<(String, Flow)>),
    List(Vec<Flow>),
}

pub(super) fn text(text: impl Into<String>) -> Yaml {
    Yaml::Text(text.into())
}

pub(super) fn map(fields: Vec<(&str, Yaml)>) -> Yaml {
    Yaml::Map(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A mapping of texts on one line.
pub(super) fn flow(fields: &[(&str, &str)]) -> Yaml {
    let field = |(key, value): &(&str, &str)| ((*key).to_owned(), Flow::Text((*value).to_owned()));
    Yaml::Flow(Flow::Map(fields.iter().map(field).collect()))
}

/// A value of a model on one line.
pub(super) fn of_node(node: &Node) -> Flow {
    match &node.kind {
        Kind::Sequence(items) => Flow::List(items.iter().map(of_node).collect()),
        Kind::Mapping(entries) => {
            let named = entries
                .iter()
                .filter_map(|entry| Some((entry.key.as_str()?.to_owned(), of_node(&entry.value))));
            Flow::Map(named.collect())
        }
        Kind::Scalar(scalar) => match node.to_json() {
            Value::String(text) => Flow::Text(text),
            Value::Null => Flow::Plain("null".to_owned()),
            _ => Flow::Plain(scalar.text.trim().to_owned()),
        },
    }
}

/// Steps as items of a list, indented by two.
pub(super) fn steps(steps: &[Yaml]) -> String {
    let mut out = String::new();
    items(steps, 2, &mut out);
    out
}

fn items(steps: &[Yaml], indent: usize, out: &mut String) {
    for (at, step) in steps.iter().enumerate() {
        if at > 0 && indent == 2 {
            out.push('\n');
        }
        let _ = writeln!(out, "{:indent$}-", "");
        if let Yaml::Map(fields) = step {
            block(fields, indent.saturating_add(2), out);
        }
    }
}

fn block(fields: &[(String, Yaml)], indent: usize, out: &mut String) {
    for (key, value) in fields {
        let _ = write!(out, "{:indent$}{}:", "", scalar(key));
        match value {
            Yaml::Text(text) => {
                let _ = writeln!(out, " {}", scalar(text));
            }
            Yaml::Plain(text) => {
                let _ = writeln!(out, " {text}");
            }
            Yaml::Flow(value) => {
                out.push(' ');
                one_line(value, out);
                out.push('\n');
            }
            Yaml::Map(fields) => {
                out.push('\n');
                block(fields, indent.saturating_add(2), out);
            }
            Yaml::Steps(steps) => {
                out.push('\n');
                items(steps, indent.saturating_add(2), out);
            }
        }
    }
}

fn one_line(value: &Flow, out: &mut String) {
    match value {
        Flow::Text(text) => out.push_str(&scalar(text)),
        Flow::Plain(text) => out.push_str(text),
        Flow::Map(fields) => {
            out.push('{');
            for (at, (key, value)) in fields.iter().enumerate() {
                out.push_str(if at == 0 { " " } else { ", " });
                out.push_str(&scalar(key));
                out.push_str(": ");
                one_line(value, out);
            }
            out.push_str(" }");
        }
        Flow::List(items) => {
            out.push('[');
            for (at, value) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                one_line(value, out);
            }
            out.push(']');
        }
    }
}

/// Writes a text, quoted unless it is unambiguous.
fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    if plain { text.to_owned() } else { Value::from(text).to_string() }
}
