//! Finds definitions among files, and their kinds.
//!
//! *Knows*: outermost keys and file names. *Must not know*: rules.

use super::What;
use crate::codes;
use planarium_protocol::Text;
use planarium_source::detect::{familiar_keys, has_key, is_named};
use planarium_source::yaml::{Limits, Node, Reader, report_duplicates_everywhere};
use planarium_source::{Diagnostic, Diagnostics, FileId, Severity, SourceFile, SourceMap, Span, json};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A definition in a file.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) path: Text,
    pub(super) what: What,
    pub(super) json: Arc<Value>,
    source: Arc<Source>,
    at: Within,
}

/// The place of a definition in its text; neither for the whole text.
#[derive(Clone, Copy, Debug, Default)]
struct Within {
    /// The key that contains it.
    key: Option<&'static str>,
    /// The place in a list.
    item: Option<usize>,
}

impl Piece {
    /// Returns the node that holds it.
    pub(super) fn node(&self) -> &Node {
        let root = self.source.root();
        let Within { key, item } = self.at;
        let node = key.map_or(Some(root), |key| root.get(key));
        let node = match item {
            None => node,
            Some(at) => node.and_then(Node::as_sequence).and_then(|items| items.get(at)),
        };
        node.unwrap_or(root)
    }

    /// Returns the text of its file.
    pub(super) fn text(&self) -> &str {
        &self.source.text
    }

    /// Returns the file that holds it.
    pub(super) fn file(&self) -> FileId {
        self.source.file
    }

    /// Returns its place in the list that holds it.
    pub(super) fn item(&self) -> Option<usize> {
        self.at.item
    }

    /// Returns the list that holds it, with the list's key.
    pub(super) fn list(&self) -> Option<(&Node, Option<&Node>)> {
        _ = self.at.item?;
        let root = self.source.root();
        match self.at.key {
            None => Some((root, None)),
            Some(key) => root.entry(key).map(|entry| (&entry.value, Some(&entry.key))),
        }
    }
}

/// A text with the positions of its content. Those of JSON are computed on demand.
#[derive(Debug)]
struct Source {
    text: Arc<str>,
    file: FileId,
    root: OnceLock<Node>,
}

impl Source {
    fn root(&self) -> &Node {
        self.root.get_or_init(|| {
            let parsed = Reader::new(&self.text, self.file).one(&mut Diagnostics::new());
            parsed.root.unwrap_or_else(|| Node::null(Span::at(self.file, 0)))
        })
    }
}

/// Fields that tell an app or a group from other JSON with an id.
const TELLING: [&str; 8] =
    ["apps", "groups", "cmd", "args", "container", "containers", "instances", "portDefinitions"];

/// Outermost keys of apps, groups and pods, with those that are often taken for one.
pub(crate) const KEYS: &[&str] = &[
    "id",
    "cmd",
    "command",
    "args",
    "instances",
    "cpus",
    "mem",
    "disk",
    "gpus",
    "constraints",
    "container",
    "containers",
    "env",
    "labels",
    "fetch",
    "uris",
    "ports",
    "portDefinitions",
    "networks",
    "healthChecks",
    "readinessChecks",
    "upgradeStrategy",
    "unreachableStrategy",
    "killSelection",
    "backoffSeconds",
    "acceptedResourceRoles",
    "apps",
    "groups",
    "dependencies",
    "enforceRole",
    "scaleBy",
    "scaling",
    "scheduling",
];

fn counts(path: &str) -> bool {
    let is_part = ["config.json", "package.json", "resource.json"].iter().any(|name| is_named(path, name));
    !is_part && !path.ends_with(".mustache")
}

fn has_ending(path: &str) -> bool {
    // A pasted text has no name.
    path.is_empty() || [".json", ".yaml", ".yml"].iter().any(|ending| path.ends_with(ending))
}

/// Returns whether the outermost keys of a text are those of an app, a group or a pod.
fn looks_right(text: &str) -> bool {
    let wrapped = || has_key(text, "app") || has_key(text, "apps");
    is_definition(text) || (wrapped() && !has_key(text, "name"))
}

fn is_definition(text: &str) -> bool {
    has_key(text, "id") && TELLING.iter().any(|key| has_key(text, key))
}

/// Tells how sure it is: 2 of a text with most of its keys in their place.
pub(super) fn detect(files: &BTreeMap<String, String>) -> u8 {
    let sure = |(path, text): (&String, &String)| {
        if !counts(path) {
            return 0;
        }
        if is_definition(text) {
            let (familiar, strange) = familiar_keys(text, KEYS);
            return 1 + u8::from(familiar >= strange);
        }
        u8::from(text.trim_start().starts_with('{') && has_ending(path) && looks_right(text))
    };
    files.iter().map(sure).max().unwrap_or_default()
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
        // A single text is always used, whatever it resembles.
        let mut rest = ids.iter().filter(|(path, ..)| counts(path) && (ids.len() == 1 || has_ending(path)));
        chosen.extend(rest.next());
        if rest.next().is_some() {
            chosen.clear();
        }
    }
    let mut pieces = Vec::new();
    for (path, text, file) in &chosen {
        let Some(shared) = sources.get(*file).map(SourceFile::shared_text) else { continue };
        let source = Source { text: shared, file: *file, root: OnceLock::new() };
        if let Some(json) = parse(text, &source, found) {
            pieces_of(path, &Arc::new(source), json, found, &mut pieces);
        }
    }
    if chosen.is_empty() {
        let help = "add a file with an app: {\"id\": \"/hello\", \"cmd\": \"sleep 1000\", \"instances\": 1}";
        let text = "There is no app, group or pod among the files";
        found.push(Diagnostic::error(codes::NO_DEFINITION, Span::default(), text).with_help(help));
    }
    pieces
}

/// A text as data.
fn parse(text: &str, source: &Source, found: &mut Diagnostics) -> Option<Value> {
    let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']);
    if is_json {
        let json = json::parse_strict(text, source.file, &Limits::default(), found)?;
        if fields_in(text) != fields_of(&json) {
            report_duplicates_everywhere(source.root(), Severity::Warning, None, found);
        }
        return Some(json);
    }
    let parsed = Reader::new(text, source.file).one_around_errors(found);
    let node = parsed.root.filter(|_| parsed.complete)?;
    report_duplicates_everywhere(&node, Severity::Warning, None, found);
    let json = node.to_json();
    _ = source.root.set(node);
    Some(json)
}

/// Returns the number of fields in a JSON text: each has one colon outside of strings.
fn fields_in(text: &str) -> usize {
    let (mut count, mut quoted, mut escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b':' if !quoted => count += 1,
            _ => {}
        }
    }
    count
}

/// Returns the number of fields after parsing: duplicates count once.
fn fields_of(json: &Value) -> usize {
    match json {
        Value::Object(fields) => fields.len() + fields.values().map(fields_of).sum::<usize>(),
        Value::Array(items) => items.iter().map(fields_of).sum(),
        _ => 0,
    }
}

/// Adds the definitions in one text: itself, or the ones that it contains.
fn pieces_of(
    path: &str,
    source: &Arc<Source>,
    json: Value,
    found: &mut Diagnostics,
    pieces: &mut Vec<Piece>,
) {
    let mut push = |at: Within, json: Value, found: &mut Diagnostics| {
        let what = what_of(&json);
        let mut piece = Piece { path: path.into(), what, json: Arc::default(), source: source.clone(), at };
        piece.json = Arc::new(if what == What::Group { without_output(json, &piece, found) } else { json });
        pieces.push(piece);
    };
    let answer = |key: &str, found: &mut Diagnostics| {
        let text = format!("This is an answer of GET: what stands under '{key}' is taken");
        let node = source.root();
        let span = node.entry(key).map_or(node.span, |entry| entry.key.span);
        let help = "the API does not take such a body: send what stands under the key";
        found.push(Diagnostic::info(codes::ANSWER, span, text).with_help(help));
    };
    match json {
        Value::Array(items) => {
            for (at, item) in items.into_iter().enumerate() {
                push(Within { item: Some(at), ..Within::default() }, item, found);
            }
            if pieces.is_empty() {
                not_an_object(source.root(), found);
            }
        }
        Value::Object(mut all) if all.len() == 1 && all.get("app").is_some_and(Value::is_object) => {
            answer("app", found);
            let inner = all.shift_remove("app").unwrap_or_default();
            push(Within { key: Some("app"), item: None }, inner, found);
        }
        Value::Object(mut all) if all.len() == 1 && all.get("apps").is_some_and(Value::is_array) => {
            answer("apps", found);
            if let Some(Value::Array(items)) = all.shift_remove("apps") {
                for (at, item) in items.into_iter().enumerate() {
                    push(Within { key: Some("apps"), item: Some(at) }, item, found);
                }
            }
            if pieces.is_empty() {
                not_an_object(source.root(), found);
            }
        }
        Value::Object(all) => push(Within::default(), Value::Object(all), found),
        _ => not_an_object(source.root(), found),
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
    if has("containers") {
        What::Pod
    } else if ["apps", "groups", "enforceRole", "scaleBy"].iter().any(|key| has(key)) {
        What::Group
    } else {
        What::App
    }
}

/// Leaves out of a group what only answers carry, where a request would be refused for it.
fn without_output(json: Value, piece: &Piece, found: &mut Diagnostics) -> Value {
    let Value::Object(mut all) = json else { return json };
    if (all.contains_key("apps") || all.contains_key("groups")) && has_versions(&all) {
        take_versions(&mut all, piece.node(), found);
    }
    Value::Object(all)
}

/// Returns whether a group has a version beside anything else, or one within it has.
fn has_versions(group: &Map<String, Value>) -> bool {
    let inner = |group: &Value| group.as_object().is_some_and(has_versions);
    group.len() > 1 && group.contains_key("version")
        || group.get("groups").and_then(Value::as_array).is_some_and(|groups| groups.iter().any(inner))
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

/// Returns the common kind of all pieces.
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
                    Diagnostic::error(codes::SEVERAL_DEFINITIONS, other.node().span, text).with_help(help),
                );
                return None;
            }
            Some(What::Apps)
        }
    }
}
