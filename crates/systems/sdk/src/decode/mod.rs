//! Reads the tree of a rendered definition into the spec, with a finding for every violated rule.
//!
//! *Knows*: every field of a definition, its default and its rules. *Must not know*: templates, packages, how running
//! plans use the spec.
//!
//! All independent mistakes are found in one reading. Parts that cannot be understood are left out or replaced by a
//! harmless value, so that one mistake does not cause others.
//!
//! **Source**: `dcos-commons: sdk/scheduler/src/main/java/com/mesosphere/sdk/specification/yaml`
//! (raw fields, `YAMLToInternalMappers.java`) and the constraints of the `Default*Spec` classes. Match; the
//! real parser stops at the first mistake.

mod misplaced_fields;
mod network;
mod placement;
mod plan;
mod pod;
mod port;
mod resources;
mod route;
mod secret;
mod service;
mod task;
mod task_parts;
mod volume;

pub(crate) use route::reaches as is_routed_to;
pub(crate) use service::{role as framework_role, service};

use crate::codes;
use crate::programs::{Program, Variable};
use crate::spec::At;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_source::read::{self, MapReader};
use planarium_source::yaml::{Entry, Node};
use planarium_source::{Diagnostic, Diagnostics, Fix, Position, SourceMap, Span, suggest};
use std::collections::BTreeMap;

/// Context of decoding.
pub(crate) struct Cx<'a> {
    sources: &'a SourceMap,
    pub(crate) found: &'a mut Diagnostics,
    /// Environment of the scheduler.
    env: &'a BTreeMap<String, String>,
    /// The definition's path and the files that config templates are looked up in.
    pub(crate) files: Option<(&'a str, &'a BTreeMap<String, String>)>,
    /// A name given from outside, which wins over the definition's.
    pub(crate) name_override: Option<&'a str>,
    /// The program that runs the definition.
    pub(crate) program: Program,
    /// Variables that the program gives to tasks.
    variables: Vec<Variable>,
}

impl<'a> Cx<'a> {
    pub(crate) fn new(
        sources: &'a SourceMap,
        found: &'a mut Diagnostics,
        env: &'a BTreeMap<String, String>,
    ) -> Self {
        Self {
            sources,
            found,
            env,
            files: None,
            name_override: None,
            program: Program::default(),
            variables: Vec::new(),
        }
    }

    /// A place as the spec keeps it.
    fn at(&self, span: Span) -> At {
        let position = self.sources.position(span);
        let file = self.sources.get(span.file).map_or("", |file| file.name());
        At::new(file.into(), position.line, position.column)
    }

    /// A place that the spec kept, as a place to point at.
    fn span_of(&self, at: &At) -> Span {
        span_of(self.sources, at)
    }

    /// Reports an error.
    pub(crate) fn error(&mut self, code: &'static str, span: Span, message: &str, help: &str) {
        self.push(Diagnostic::error(code, span, message).with_help(help));
    }

    fn push(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    /// Reports a word that is none of those permitted, with the nearest one.
    fn not_one_of(&mut self, code: &'static str, word: &Word<'_>, message: &str, permitted: &[&'static str]) {
        let finding = Diagnostic::error(code, word.node.span, message);
        self.push(word.meant(finding, permitted, || format!("permitted: {}", permitted.join(", "))));
    }

    /// A mapping's fields; none, with a finding, when it is anything else.
    fn fields<'n>(&mut self, node: &'n Node, what: &str, head: Span) -> Option<MapReader<'n, '_>> {
        let reader = MapReader::new(node, what, codes::READ, self.found);
        reader.map(|reader| reader.with_head(head).with_home(misplaced_fields::home))
    }

    /// The entries of a mapping from names to things: name, key, value. Null is an empty mapping.
    fn named<'n>(&mut self, node: Option<&'n Node>, what: &str) -> Vec<Named<'n>> {
        let Some(node) = node else { return Vec::new() };
        let entries = read::mapping(node, what, &codes::READ, self.found).unwrap_or_default();
        let mut seen: SortedMap<&str, usize> = SortedMap::new();
        let mut named: Vec<Named<'n>> = Vec::new();
        for Entry { key, value, .. } in entries {
            let Some(name) = key.as_str() else {
                read::wrong_type(key, &format!("a name in {what}"), "a text", &codes::READ, self.found);
                continue;
            };
            let entry = Named { name, key, value };
            // A repeated name is reported for the whole tree at once; the last one is read.
            match seen.get(name).and_then(|at| named.get_mut(*at)) {
                Some(earlier) => *earlier = entry,
                None => {
                    seen.insert(name, named.len());
                    named.push(entry);
                }
            }
        }
        named
    }

    /// Reports a thing whose name is blank.
    fn check_name(&mut self, what: &str, named: &Named<'_>) {
        if named.name.trim().is_empty() {
            let message = format!("Missing required name of {what}");
            self.error(codes::READ.missing, named.key.span, &message, "write a name before the ':'");
        }
    }

    /// A list of texts; items that are none are reported and left out.
    fn texts<'n>(&mut self, node: Option<&'n Node>, what: &str) -> Vec<Word<'n>> {
        let Some(node) = node else { return Vec::new() };
        let items = read::sequence(node, what, &codes::READ, self.found).unwrap_or_default();
        let mut words = Vec::new();
        for item in items {
            if let Some(text) = item.as_str().filter(|_| !item.is_null()) {
                words.push(Word { text, node: item });
            } else {
                read::wrong_type(item, &format!("an item of {what}"), "a text", &codes::READ, self.found);
            }
        }
        words
    }
}

/// A place that a spec kept, as a place to point at.
pub(crate) fn span_of(sources: &SourceMap, at: &At) -> Span {
    let position = Position { line: at.0.line, column: at.0.column };
    let file = sources.iter().find(|(_, file)| *file.name() == *at.0.file);
    file.map_or(Span::default(), |(id, file)| Span::at(id, file.offset(position)))
}

/// One entry of a mapping from names to things.
#[derive(Clone, Copy)]
struct Named<'n> {
    name: &'n str,
    key: &'n Node,
    value: &'n Node,
}

/// A text with the node that holds it.
#[derive(Clone, Copy)]
struct Word<'n> {
    text: &'n str,
    node: &'n Node,
}

impl<'n> Word<'n> {
    /// The text of a node, unless it is null or no scalar.
    fn of(node: Option<&'n Node>) -> Option<Self> {
        let node = node?;
        if node.is_null() {
            return None;
        }
        node.as_str().map(|text| Self { text, node })
    }

    /// Asks whether the known word nearest to this one was meant, and offers it as a fix if the word is in the file
    /// literally.
    fn meant(&self, finding: Diagnostic, known: &[&str], otherwise: impl FnOnce() -> String) -> Diagnostic {
        let Span { start, end, .. } = self.node.span;
        let whole = self.node.literal && end.saturating_sub(start) as usize == self.text.len();
        let fix =
            |meant: &str| whole.then(|| Fix::new(format!("Replace it by '{meant}'"), self.node.span, meant));
        finding.with_meant(suggest(self.text, known.iter().copied()), fix, otherwise)
    }

    fn shared(&self) -> Text {
        self.text.into()
    }
}

/// Returns an optional text field of the tree, unchanged.
fn word<'n>(reader: &mut MapReader<'n, '_>, key: &'static str) -> Option<Word<'n>> {
    reader.text(key)?;
    Word::of(reader.optional(key))
}

/// An optional text field: a scalar that is not null.
fn text_field(reader: &mut MapReader<'_, '_>, key: &'static str) -> Option<Text> {
    reader.text(key).map(|text| text.value.into())
}

/// A text taken apart as Java does it: empty pieces at the end do not count, empty ones before them do.
fn pieces(text: &str, at: char) -> Vec<&str> {
    let mut pieces: Vec<&str> = text.split(at).collect();
    if pieces.len() > 1 {
        while pieces.last().is_some_and(|last| last.is_empty()) {
            pieces.pop();
        }
    }
    pieces
}

/// Key and value pairs written as `k:v,k2:v2`.
///
/// **Source**: `dcos-commons: …/yaml/YAMLToInternalMappers.java`, labels. Match.
fn labels(cx: &mut Cx<'_>, word: Option<Word<'_>>) -> Vec<(Text, Text)> {
    let mut labels: Vec<(Text, Text)> = Vec::new();
    let Some(word) = word.filter(|word| !word.text.is_empty()) else { return labels };
    for piece in pieces(word.text, ',') {
        let Some((key, value)) = piece.split_once(':') else {
            let message = format!(
                "Illegal label string, got {}, should be comma-separated key value pairs (separated by colons)",
                word.text
            );
            cx.error(codes::BAD_LABELS, word.node.span, &message, "write it as 'key1:value1,key2:value2'");
            return labels;
        };
        if labels.iter().any(|(known, _)| **known == *key) {
            let message = format!("The label '{key}' is given twice");
            cx.error(codes::BAD_LABELS, word.node.span, &message, "keep one of the two");
            continue;
        }
        labels.push((key.into(), value.into()));
    }
    labels
}
