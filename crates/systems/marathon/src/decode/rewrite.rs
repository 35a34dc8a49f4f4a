//! Rewrites the text of a definition after calls have changed it: scaled, given another command, rolled back.
//!
//! *Knows*: positions of fields in the text. *Must not know*: the calls. Fields missing in the text stay missing, unless they have
//! changed.

use super::Loaded;
use crate::definition::RunSpec;
use crate::definition::write::{Dates, spec};
use crate::id::PathId;
use planarium_part::Definition as _;
use planarium_protocol::input::LoadService;
use planarium_source::yaml::Node;
use planarium_source::{FileId, Span};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fields that every call changes.
const ALWAYS: [&str; 2] = ["version", "versionInfo"];

/// The request as it would be written now; none where nothing has changed. `before` are the apps and pods as they were read.
pub(crate) fn rewritten(
    loaded: &Loaded,
    load: &LoadService,
    before: &[Arc<RunSpec>],
    now: &dyn Fn(&PathId) -> Option<Arc<RunSpec>>,
    dates: &dyn Dates,
) -> Option<LoadService> {
    let mut edits: Vec<(Span, String)> = Vec::new();
    for old in before {
        let Some(new) = now(&old.id) else { continue };
        let (old, new) = (spec(old, dates), spec(&new, dates));
        let Some(node) = loaded.0.pieces.iter().find_map(|piece| find(piece.node(), "", &new)) else {
            continue;
        };
        let flow = is_flow(loaded, node);
        let keys = old.as_object().into_iter().chain(new.as_object()).flat_map(|all| all.keys());
        let mut seen: Vec<&String> = Vec::new();
        for key in keys.filter(|key| !ALWAYS.contains(&key.as_str())) {
            if old.get(key) != new.get(key) && !seen.contains(&key) {
                seen.push(key);
                edits.extend(edit(node, flow, key, new.get(key).unwrap_or(&Value::Null)));
            }
        }
    }
    if edits.is_empty() {
        return None;
    }
    let mut files = load.files.clone();
    for (file, edits) in by_file(edits) {
        let name = loaded.sources().get(file)?.name().to_owned();
        let text = files.get_mut(&name)?;
        for (span, written) in edits {
            let (from, to) = (usize::try_from(span.start).ok()?, usize::try_from(span.end).ok()?);
            text.get(from..to)?;
            text.replace_range(from..to, &written);
        }
    }
    Some(LoadService { files, ..load.clone() })
}

/// The edits of each file, the last place first, so that the places before it stay where they are.
fn by_file(edits: Vec<(Span, String)>) -> BTreeMap<FileId, Vec<(Span, String)>> {
    let mut all: BTreeMap<FileId, Vec<(Span, String)>> = BTreeMap::new();
    for edit in edits {
        all.entry(edit.0.file).or_default().push(edit);
    }
    for edits in all.values_mut() {
        planarium_kernel::sorted::sort_by_key(edits, |(span, _)| std::cmp::Reverse(span.start));
    }
    all
}

/// The node of an app or pod, by its whole id.
fn find<'n>(node: &'n Node, base: &str, wanted: &Value) -> Option<&'n Node> {
    let written = node.get("id").and_then(Node::as_scalar).map_or("", |id| &*id.text);
    let own = if written.starts_with('/') { written.to_owned() } else { format!("{base}/{written}") };
    let own = own.trim_end_matches('/');
    let holds = |key: &str| node.get(key).and_then(Node::as_sequence).unwrap_or_default();
    let inside = ["apps", "pods", "groups"].into_iter().flat_map(holds);
    let is_group = node.get("apps").is_some() || node.get("groups").is_some() || node.get("pods").is_some();
    if !is_group && wanted.get("id").and_then(Value::as_str) == Some(own) {
        return Some(node);
    }
    inside.into_iter().find_map(|node| find(node, own, wanted))
}

/// Returns whether a node is written in braces, as JSON is.
fn is_flow(loaded: &Loaded, node: &Node) -> bool {
    let text = loaded.sources().get(node.span.file).map(planarium_source::SourceFile::text);
    let start = usize::try_from(node.span.start).ok();
    text.zip(start).and_then(|(text, start)| text.get(start..)).is_some_and(|rest| rest.starts_with('{'))
}

/// Returns the edit that sets a field. A text that cannot be edited in place stays unchanged.
fn edit(node: &Node, flow: bool, key: &str, value: &Value) -> Option<(Span, String)> {
    if let Some(entry) = node.entry(key) {
        return entry.value.literal.then(|| (entry.value.span, value.to_string()));
    }
    if value.is_null() || !flow {
        return None;
    }
    // A field that was not written comes after the id.
    let id = node.entry("id").filter(|id| id.value.literal)?;
    let end = Span::at(id.value.span.file, id.value.span.end);
    Some((end, format!(", {}: {value}", Value::from(key))))
}
