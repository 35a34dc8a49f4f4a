//! From the paths of error bodies to places in the text.
//!
//! *Knows*: `/container/docker`, `/healthChecks(0)/protocol`. *Must not know*: which fields there are.

use std::borrow::Cow;

use planarium_source::Span;
use planarium_source::yaml::Node;

/// Returns the index that a path begins with: `(3)/id` is in the fourth item.
pub(super) fn index(path: &str) -> Option<(usize, &str)> {
    let (number, rest) = path.strip_prefix('(')?.split_once(')')?;
    Some((number.parse().ok()?, rest))
}

/// Paths of pods that the real validator shortens, with what is missing in front of them.
const SHORTENED: [(&str, &str); 2] =
    [("/upgrade/", "/scheduling"), ("/acceptedResourceRoles", "/scheduling/placement")];

/// Returns the whole of a path that may be shortened.
fn unshortened<'p>(root: &Node, path: &'p str) -> Cow<'p, str> {
    let missing = SHORTENED.iter().find(|(short, _)| path.starts_with(short) && is_pod(root));
    missing.map_or(Cow::Borrowed(path), |(_, front)| Cow::Owned(format!("{front}{path}")))
}

fn is_pod(root: &Node) -> bool {
    root.get("containers").is_some()
}

/// The place that a path leads to; as far as it leads.
pub(super) fn find(root: &Node, path: &str) -> Span {
    let path = &*unshortened(root, path);
    let (mut node, mut span) = (root, beginning(root));
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let (name, mut indices) = part
            .split_once('(')
            .map_or((part, ""), |(name, _)| (name, part.get(name.len()..).unwrap_or_default()));
        let Some(entry) = node.entry(name) else { return span };
        span = if entry.value.is_null() { entry.key.span } else { entry.value.span };
        node = &entry.value;
        while let Some((at, rest)) = index(indices) {
            let Some(item) = node.as_sequence().and_then(|items| items.get(at)) else { return span };
            (node, span, indices) = (item, item.span, rest);
        }
        if node.as_mapping().is_some() || node.as_sequence().is_some() {
            // A whole block is too much to point at.
            span = if node.span == span && indices.is_empty() && !part.contains('(') {
                entry.key.span
            } else {
                beginning(node)
            };
        }
    }
    span
}

/// Returns the value at a path; `None` if it does not exist.
pub(super) fn value<'n>(root: &'n Node, path: &str) -> Option<&'n Node> {
    let path = &*unshortened(root, path);
    let mut node = root;
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let (name, mut indices) = part
            .split_once('(')
            .map_or((part, ""), |(name, _)| (name, part.get(name.len()..).unwrap_or_default()));
        node = &node.entry(name)?.value;
        while let Some((at, rest)) = index(indices) {
            (node, indices) = (node.as_sequence()?.get(at)?, rest);
        }
    }
    Some(node)
}

/// Returns the position of a whole definition: its id, else its beginning.
fn beginning(node: &Node) -> Span {
    match node.entry("id") {
        Some(entry) => entry.value.span,
        None => Span::at(node.span.file, node.span.start),
    }
}
