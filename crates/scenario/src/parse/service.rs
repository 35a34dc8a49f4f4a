//! The services of a scenario.

use super::Context;
use super::fields::{self, Fields};
use crate::codes;
use planarium_protocol::input::LoadService;
use planarium_source::Diagnostic;
use planarium_source::yaml::{Entry, Node};
use std::collections::BTreeMap;

const KEYS: &[&str] = &["dialect", "name", "framework", "files", "env", "options", "params"];

/// Reads one service. `files` is a list of paths, or a mapping of path to text.
pub(crate) fn read(node: &Node, cx: &mut Context<'_>) -> Option<LoadService> {
    let mut service = Fields::open(node, "a service", KEYS, cx)?;
    let load = part(&mut service, cx);
    if load.files.is_empty() && !cx.found.has_errors() {
        cx.found.push(
            Diagnostic::error(codes::SHAPE, service.node().span, "the service has no files")
                .with_help("give `files: [svc.yml]`, or the text itself: `files: {svc.yml: ...}`"),
        );
    }
    Some(load)
}

/// Reads the given parts of a service; used for edits, too.
pub(crate) fn part(service: &mut Fields<'_>, cx: &mut Context<'_>) -> LoadService {
    LoadService {
        dialect: service.text("dialect", cx).unwrap_or_else(|| "auto".to_owned()),
        name: service.text("name", cx).unwrap_or_default(),
        framework: service.text("framework", cx).unwrap_or_default(),
        files: service.take("files").map(|node| files(node, cx)).unwrap_or_default(),
        env: service.take("env").map(|node| env(node, cx)).unwrap_or_default(),
        options: service.take("options").map(Node::to_json).unwrap_or_default(),
        params: service
            .take("params")
            .and_then(|node| fields::typed(node, "parameters", cx))
            .unwrap_or_default(),
    }
}

fn files(node: &Node, cx: &mut Context<'_>) -> BTreeMap<String, String> {
    if let Some(entries) = node.as_mapping() {
        return texts(entries);
    }
    let Some(items) = node.as_sequence() else {
        fields::wrong(node, "`files` must be a list of paths or a mapping of path to text", cx);
        return BTreeMap::new();
    };
    let mut all = BTreeMap::new();
    for item in items {
        let Some(path) = item.as_str() else {
            fields::wrong(item, "a path must be a text", cx);
            continue;
        };
        match (cx.files)(path) {
            Some(text) => {
                all.insert(path.to_owned(), text);
            }
            None => cx.found.push(
                Diagnostic::error(
                    codes::FILE,
                    item.span,
                    format!("there is no file `{path}` beside the scenario"),
                )
                .with_help("paths are relative to the scenario file; the text may also be given inline"),
            ),
        }
    }
    all
}

fn env(node: &Node, cx: &mut Context<'_>) -> BTreeMap<String, String> {
    let Some(entries) = node.as_mapping() else {
        fields::wrong(node, "`env` must be a mapping", cx);
        return BTreeMap::new();
    };
    texts(entries)
}

fn texts(entries: &[Entry]) -> BTreeMap<String, String> {
    let text = |entry: &Entry| Some((entry.key.as_str()?.to_owned(), entry.value.as_str()?.to_owned()));
    planarium_kernel::sorted::tree(entries.iter().filter_map(text))
}
