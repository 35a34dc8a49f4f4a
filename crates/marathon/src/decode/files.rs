//! Which files are definitions, and of what.
//!
//! *Knows*: outermost keys and file names. *Must not know*: rules.

use super::What;
use crate::codes;
use planarium_protocol::Text;
use planarium_source::detect::{has_key, is_named};
use planarium_source::yaml::{Limits, Node, Reader, report_duplicates_everywhere};
use planarium_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, Span, json};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A definition in a file.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) path: Text,
    pub(super) what: What,
    pub(super) json: Value,
    pub(super) node: Node,
}

/// Fields that tell an app or a group from other JSON with an id.
const KEYS: [&str; 9] = [
    "apps",
    "groups",
    "cmd",
    "args",
    "container",
    "containers",
    "instances",
    "dependencies",
    "portDefinitions",
];

fn counts(path: &str) -> bool {
    let is_part = ["config.json", "package.json", "resource.json"].iter().any(|name| is_named(path, name));
    !is_part && !path.ends_with(".mustache")
}

fn has_ending(path: &str) -> bool {
    // What was pasted has no name.
    path.is_empty() || [".json", ".yaml", ".yml"].iter().any(|ending| path.ends_with(ending))
}

/// Whether the outermost keys of a text are those of an app, a group or a pod.
fn looks_right(text: &str) -> bool {
    let wrapped = || has_key(text, "app") || has_key(text, "apps");
    is_definition(text) || (wrapped() && !has_key(text, "name"))
}

fn is_definition(text: &str) -> bool {
    has_key(text, "id") && KEYS.iter().any(|key| has_key(text, key))
}

/// How sure it is.
pub(super) fn detect(files: &BTreeMap<String, String>) -> u8 {
    let fits = |(path, text): (&String, &String)| {
        counts(path)
            && (is_definition(text)
                || text.trim_start().starts_with('{') && has_ending(path) && looks_right(text))
    };
    u8::from(files.iter().any(fits))
}

/// Reads those files that are definitions.
pub(super) fn read(
    files: &BTreeMap<String, String>,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Vec<Piece> {
    let mut ids = Vec::new();
    for (path, text) in files {
        ids.push((path, text, sources.add(path.as_str(), text.as_str())));
    }
    let right =
        |(path, text, _): &&(&String, &String, FileId)| counts(path) && has_ending(path) && looks_right(text);
    let mut chosen: Vec<&(&String, &String, FileId)> = ids.iter().filter(right).collect();
    if chosen.is_empty() {
        // A text that is alone is meant, whatever it looks like.
        let mut rest = ids.iter().filter(|(path, ..)| counts(path) && (ids.len() == 1 || has_ending(path)));
        chosen.extend(rest.next());
        if rest.next().is_some() {
            chosen.clear();
        }
    }
    let mut pieces = Vec::new();
    for (path, text, file) in &chosen {
        if let Some((node, json)) = parse(text, *file, found) {
            pieces_of(path, &node, json, found, &mut pieces);
        }
    }
    if chosen.is_empty() {
        let help = "add a file with an app: {\"id\": \"/hello\", \"cmd\": \"sleep 1000\", \"instances\": 1}";
        let text = "There is no app, group or pod among the files";
        found.push(Diagnostic::error(codes::NO_DEFINITION, Span::default(), text).with_help(help));
    }
    pieces
}

/// A text as a tree with places, and as data.
fn parse(text: &str, file: FileId, found: &mut Diagnostics) -> Option<(Node, Value)> {
    let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']);
    let (node, json) = if is_json {
        let json = json::parse_strict(text, file, &Limits::default(), found)?;
        let mut unsaid = Diagnostics::new();
        let node =
            Reader::new(text, file).one(&mut unsaid).root.unwrap_or_else(|| Node::null(Span::at(file, 0)));
        (node, json)
    } else {
        let parsed = Reader::new(text, file).one_around_errors(found);
        let node = parsed.root.filter(|_| parsed.complete)?;
        let json = node.to_json();
        (node, json)
    };
    report_duplicates_everywhere(&node, Severity::Warning, None, found);
    Some((node, json))
}

/// The definitions in one text: itself, or what it wraps.
fn pieces_of(path: &str, node: &Node, json: Value, found: &mut Diagnostics, pieces: &mut Vec<Piece>) {
    let mut push = |node: &Node, json: Value, found: &mut Diagnostics| {
        let what = what_of(&json);
        let json = without_output(json, what, node, found);
        pieces.push(Piece { path: path.into(), what, json, node: node.clone() });
    };
    let answer = |key: &str, found: &mut Diagnostics| {
        let text = format!("This is an answer of GET: what stands under '{key}' is taken");
        let span = node.entry(key).map_or(node.span, |entry| entry.key.span);
        let help = "the API does not take such a body: send what stands under the key";
        found.push(Diagnostic::info(codes::ANSWER, span, text).with_help(help));
    };
    match json {
        Value::Array(items) => {
            let nodes = node.as_sequence().unwrap_or_default();
            for (at, item) in items.into_iter().enumerate() {
                push(nodes.get(at).unwrap_or(node), item, found);
            }
            if pieces.is_empty() {
                not_an_object(node, found);
            }
        }
        Value::Object(mut all) if all.len() == 1 && all.get("app").is_some_and(Value::is_object) => {
            answer("app", found);
            let inner = all.shift_remove("app").unwrap_or_default();
            push(node.get("app").unwrap_or(node), inner, found);
        }
        Value::Object(mut all) if all.len() == 1 && all.get("apps").is_some_and(Value::is_array) => {
            answer("apps", found);
            let inner = node.get("apps").and_then(Node::as_sequence).unwrap_or_default();
            if let Some(Value::Array(items)) = all.shift_remove("apps") {
                for (at, item) in items.into_iter().enumerate() {
                    push(inner.get(at).unwrap_or(node), item, found);
                }
            }
            if pieces.is_empty() {
                not_an_object(node, found);
            }
        }
        Value::Object(all) => push(node, Value::Object(all), found),
        _ => not_an_object(node, found),
    }
}

fn not_an_object(node: &Node, found: &mut Diagnostics) {
    let text = format!("A definition is an object; this is {}", node.describe());
    let help = "write an object with an 'id' and a 'cmd', or one with 'apps' and 'groups'";
    found.push(Diagnostic::error(codes::NOT_AN_OBJECT, node.span, text).with_help(help));
}

/// Fields that only groups have, or only apps.
fn what_of(json: &Value) -> What {
    let has = |key: &str| json.get(key).is_some();
    let is_app =
        ["cmd", "args", "container", "instances", "cpus", "mem", "constraints", "env", "healthChecks"];
    if has("containers") {
        What::Pod
    } else if has("apps") || has("groups") || (!is_app.iter().any(|key| has(key)) && has("dependencies")) {
        What::Group
    } else {
        What::App
    }
}

/// Leaves out what only answers carry, where a request would be refused for it.
fn without_output(json: Value, what: What, node: &Node, found: &mut Diagnostics) -> Value {
    let Value::Object(mut all) = json else { return json };
    let structure = all.contains_key("apps") || all.contains_key("groups");
    if what == What::Group && structure {
        take_versions(&mut all, node, found);
    }
    Value::Object(all)
}

/// The version of a group in an answer: beside anything else it is refused.
fn take_versions(group: &mut Map<String, Value>, node: &Node, found: &mut Diagnostics) {
    let alone = group.len() == 1;
    if !alone && group.shift_remove("version").is_some() {
        let span = node.entry("version").map_or(node.span, |entry| entry.key.span);
        let text = "'version' of a group comes from an answer and is left out";
        let help = "a body with only a 'version' means: back to that version";
        found.push(Diagnostic::info(codes::OUTPUT_FIELD, span, text).with_help(help));
    }
    let nodes = node.get("groups").and_then(Node::as_sequence).unwrap_or_default();
    if let Some(Value::Array(groups)) = group.get_mut("groups") {
        for (at, inner) in groups.iter_mut().enumerate() {
            if let Value::Object(inner) = inner {
                take_versions(inner, nodes.get(at).unwrap_or(node), found);
            }
        }
    }
}

/// What all of it together is.
pub(super) fn what(pieces: &[Piece], found: &mut Diagnostics) -> Option<What> {
    match pieces {
        [] => None,
        [one] => Some(one.what),
        all => {
            let other = all.iter().find(|piece| piece.what != What::App);
            if let Some(other) = other {
                let text = "Several files are taken for apps that belong together; this is none";
                let help = "load groups and pods one by one";
                found.push(
                    Diagnostic::error(codes::SEVERAL_DEFINITIONS, other.node.span, text).with_help(help),
                );
                return None;
            }
            Some(What::Apps)
        }
    }
}
