//! Trees of plans and pods as text.
//!
//! Knows: the connectors and the labels. Must not know: the source of the bodies.
//!
//! **Source**: dcos-commons `cli/queries/plan.go`, `cli/queries/pod.go`. Match.

use serde_json::Value;

/// Text for a value that the body lacks.
const UNKNOWN: &str = "<UNKNOWN>";

/// A line with what hangs below it. Three levels below the root at most.
struct Node {
    label: String,
    children: Vec<Node>,
}

/// Prints `plan status`: the typed name, the tree, the errors.
pub(super) fn plan(typed_name: &str, body: &Value) -> String {
    let root = Node {
        label: element_label(typed_name, body),
        children: list(body, "phases")
            .map(|phase| Node {
                label: element_label(&text(phase, "name"), phase),
                children: list(phase, "steps").map(leaf).collect(),
            })
            .collect(),
    };
    let mut out = draw(&root);
    let errors: Vec<&Value> = list(body, "errors").collect();
    if !errors.is_empty() {
        out.push_str("\n\nErrors:");
    }
    for error in errors {
        out.push_str("\n- ");
        out.push_str(&plain(error));
    }
    trimmed(out)
}

/// `pod status`: service, pod types, instances, tasks.
pub(super) fn service(body: &Value) -> String {
    let kind = |kind: &Value| Node {
        label: text(kind, "name"),
        children: list(kind, "instances").map(instance).collect(),
    };
    trimmed(draw(&Node { label: text(body, "service"), children: list(body, "pods").map(kind).collect() }))
}

/// `pod status POD`: the instance and its tasks.
pub(super) fn pod(body: &Value) -> String {
    trimmed(draw(&instance(body)))
}

fn instance(body: &Value) -> Node {
    Node { label: text(body, "name"), children: list(body, "tasks").map(leaf).collect() }
}

/// A step or a task.
fn leaf(body: &Value) -> Node {
    Node { label: format!("{} ({})", text(body, "name"), text(body, "status")), children: Vec::new() }
}

/// A plan or a phase.
fn element_label(name: &str, body: &Value) -> String {
    format!("{name} ({} strategy) ({})", text(body, "strategy"), text(body, "status"))
}

fn draw(root: &Node) -> String {
    let mut out = root.label.clone();
    draw_below(&mut out, "", &root.children);
    out
}

fn draw_below(out: &mut String, indent: &str, nodes: &[Node]) {
    for (index, node) in nodes.iter().enumerate() {
        let is_last = index + 1 == nodes.len();
        let (connector, continuation) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        for part in ["\n", indent, connector, &node.label] {
            out.push_str(part);
        }
        draw_below(out, &format!("{indent}{continuation}"), &node.children);
    }
}

fn list<'b>(body: &'b Value, key: &str) -> impl Iterator<Item = &'b Value> {
    body.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text(body: &Value, key: &str) -> String {
    body.get(key).map_or_else(|| UNKNOWN.to_owned(), plain)
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => UNKNOWN.to_owned(),
        Value::String(text) if text.is_empty() => UNKNOWN.to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn trimmed(mut text: String) -> String {
    text.truncate(text.trim_end_matches('\n').len());
    text
}
