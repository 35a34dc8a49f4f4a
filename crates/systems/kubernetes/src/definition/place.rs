//! Positions of fields named by the API server.
//!
//! *Knows*: paths such as `spec.template.spec.containers[0].image`. *Must not know*: the meaning of fields.

use planarium_source::Span;
use planarium_source::yaml::Node;

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step<'p> {
    Key(&'p str),
    Index(&'p str),
}

/// Splits a path: keys between dots, and brackets (an index of a list, or a key that contains dots).
fn steps(path: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (index, after) = inner.split_once(']').unwrap_or((inner, ""));
            steps.push(Step::Index(index));
            rest = after;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (key, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            if !key.is_empty() {
                steps.push(Step::Key(key));
            }
            rest = after.strip_prefix('.').unwrap_or(after);
        }
    }
    steps
}

/// Returns the position of a field: of a plain value, otherwise of its key. A missing field has the position of the nearest parent.
pub(super) fn of_field(root: &Node, path: &str) -> Span {
    let mut here = Span::at(root.span.file, root.span.start);
    let mut node = root;
    for step in steps(path) {
        let next = match step {
            Step::Key(key) | Step::Index(key) if node.as_mapping().is_some() => {
                node.entry(key).map(|entry| {
                    let is_plain = entry.value.as_scalar().is_some() && !entry.value.is_null();
                    (&entry.value, if is_plain { entry.value.span } else { entry.key.span })
                })
            }
            Step::Index(index) => {
                let at = index.parse::<usize>().ok();
                let item = at.and_then(|at| node.as_sequence()?.get(at));
                item.map(|item| (item, if item.as_scalar().is_some() { item.span } else { first_key(item) }))
            }
            Step::Key(_) => None,
        };
        let Some((inner, span)) = next else { break };
        (node, here) = (inner, span);
    }
    here
}

/// The node at a path.
pub(super) fn node_at<'n>(root: &'n Node, path: &str) -> Option<&'n Node> {
    steps(path).into_iter().try_fold(root, |node, step| match step {
        Step::Key(key) => node.get(key),
        Step::Index(index) => match node.as_sequence() {
            Some(items) => items.get(index.parse::<usize>().ok()?),
            None => node.get(index),
        },
    })
}

/// The place of a mapping's first key.
fn first_key(node: &Node) -> Span {
    node.as_mapping().and_then(|entries| entries.first()).map_or(node.span, |entry| entry.key.span)
}

/// The place of the first value of a type that does not fit, by a path without places in lists (`spec.ports.port`).
pub(super) fn of_mismatch(root: &Node, path: &str, got: &str) -> Span {
    let steps: Vec<&str> = path.split('.').collect();
    search(root, &steps, got).unwrap_or_else(|| of_field(root, path))
}

fn search(node: &Node, steps: &[&str], got: &str) -> Option<Span> {
    if let Some(items) = node.as_sequence().filter(|_| !steps.is_empty() || got != "array") {
        return items.iter().find_map(|item| search(item, steps, got));
    }
    let [first, rest @ ..] = steps else {
        let value = node.to_go_json();
        let own = match value {
            serde_json::Value::Null => "null",
            serde_json::Value::Bool(_) => "bool",
            serde_json::Value::Number(_) => "number",
            serde_json::Value::String(_) => "string",
            serde_json::Value::Array(_) => "array",
            serde_json::Value::Object(_) => "object",
        };
        return (own == got).then_some(node.span);
    };
    let entry = node.entry(first)?;
    let found = search(&entry.value, rest, got)?;
    Some(if rest.is_empty() && entry.value.as_scalar().is_none() { entry.key.span } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_split() {
        let of = |path: &'static str| steps(path);
        assert_eq!(of("spec.replicas"), [Step::Key("spec"), Step::Key("replicas")]);
        assert_eq!(
            of("spec.containers[0].env[1].name"),
            [
                Step::Key("spec"),
                Step::Key("containers"),
                Step::Index("0"),
                Step::Key("env"),
                Step::Index("1"),
                Step::Key("name")
            ]
        );
        assert_eq!(of("data[a.b]"), [Step::Key("data"), Step::Index("a.b")]);
        assert_eq!(of("[]"), [Step::Index("")]);
        assert!(of("").is_empty() && of("...").is_empty());
    }
}
