//! Edits that add items to lists of a text.
//!
//! *Knows*: places of items, the style of a list. *Must not know*: why something is added. Items come after those that are there.

use serde_json::{Map, Value};

use super::layout::{column, is_flow, line_start, lines_from, lines_of};
use super::node::Node;
use super::removal::items_removed;
use super::to_go_yaml;
use crate::span::{Span, wide};

/// Returns the edits that take items out of a list and add others. `key` is the key of the list in a mapping; the field `first` comes
/// first in each item that is added.
pub fn items_changed(
    list: &Node,
    key: Option<&Node>,
    text: &str,
    gone: &[usize],
    added: &[Value],
    first: &str,
) -> Vec<(Span, String)> {
    if added.is_empty() {
        return items_removed(list, key, text, gone);
    }
    let added: Vec<Value> = added.iter().map(|item| ordered(item, first)).collect();
    let items = list.as_sequence().unwrap_or_default();
    let (flow, file) = (is_flow(list, text), list.span.file);
    let left = (0..items.len()).any(|at| !gone.contains(&at));
    let Some(last) = items.last().filter(|_| left) else {
        let edit = match key {
            _ if flow => (list.span, Value::from(added).to_string()),
            Some(key) => {
                let indent = column(text, key.span.start);
                let end = lines_from(text, key.span.start, indent, true);
                (Span::new(file, key.span.end, end), format!(":\n{}", block(&added, indent + 2)))
            }
            None => return Vec::new(),
        };
        return vec![edit];
    };
    let mut edits = items_removed(list, key, text, gone);
    let start = line_start(text, last.span.start);
    let before = text.get(wide(start)..wide(last.span.start)).unwrap_or_default();
    let indent = before.len() - before.trim_start_matches(' ').len();
    if flow {
        let own_line = before.trim().is_empty();
        let all: String = added.iter().map(|item| next_in_flow(item, own_line.then_some(indent))).collect();
        edits.push((Span::at(file, last.span.end), all));
    } else if before.trim() == "-" {
        let end = lines_from(text, start, indent, false);
        edits.push((Span::at(file, end), lines(text, end, &block(&added, indent))));
    }
    edits
}

/// Returns the edits that add a list to a mapping, after its last entry.
pub fn list_added(node: &Node, key: &str, text: &str, added: &[Value], first: &str) -> Vec<(Span, String)> {
    let added: Vec<Value> = added.iter().map(|item| ordered(item, first)).collect();
    let entries = node.as_mapping().unwrap_or_default();
    let Some(last) = entries.iter().rev().find(|entry| !entry.merged) else { return Vec::new() };
    let (file, start) = (last.key.span.file, last.key.span.start);
    let indent = column(text, start);
    if is_flow(node, text) {
        if !last.value.literal {
            return Vec::new();
        }
        let before = text.get(wide(line_start(text, start))..wide(start)).unwrap_or_default();
        let gap = if before.trim().is_empty() { format!("\n{before}") } else { " ".to_owned() };
        let written = format!(",{gap}{}: {}", Value::from(key), Value::from(added));
        return vec![(Span::at(file, last.value.span.end), written)];
    }
    let end = lines_of(last, text).end;
    let written = format!("{}{key}:\n{}", " ".repeat(indent), block(&added, indent + 2));
    vec![(Span::at(file, end), lines(text, end, &written))]
}

/// Returns lines for a place, which may be at the end of a text without a line end.
fn lines(text: &str, at: u32, written: &str) -> String {
    let ends = text.get(..wide(at)).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
    format!("{}{written}", if ends { "" } else { "\n" })
}

/// Returns a mapping with one of its fields first.
fn ordered(item: &Value, first: &str) -> Value {
    let Value::Object(fields) = item else { return item.clone() };
    let mut all = Map::new();
    for (key, value) in fields.iter().filter(|(key, _)| *key == first).chain(fields) {
        all.entry(key.clone()).or_insert_with(|| value.clone());
    }
    Value::Object(all)
}

/// Returns the text of a further item in brackets: on lines of its own from a column on, or on the same line.
fn next_in_flow(item: &Value, column: Option<usize>) -> String {
    let Some(column) = column else { return format!(", {item}") };
    let pad = format!("\n{}", " ".repeat(column));
    let pretty = serde_json::to_string_pretty(item).unwrap_or_else(|_| item.to_string());
    format!(",{pad}{}", pretty.replace('\n', &pad))
}

/// Returns the lines of items of a list at a column.
fn block(items: &[Value], column: usize) -> String {
    let mut out = String::new();
    for item in items {
        let texts: Vec<String> = match item {
            Value::Object(fields) if !fields.is_empty() => {
                fields.iter().map(|(key, value)| entry(key, value)).collect()
            }
            other => vec![to_go_yaml(other)],
        };
        for (at, line) in texts.iter().flat_map(|text| text.lines()).enumerate() {
            if !line.is_empty() {
                out.push_str(&" ".repeat(column));
                out.push_str(if at == 0 { "- " } else { "  " });
            }
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

fn entry(key: &str, value: &Value) -> String {
    to_go_yaml(&Value::Object([(key.to_owned(), value.clone())].into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{Reader, apply_changes};
    use crate::{Diagnostics, FileId};

    fn read(text: &str) -> Node {
        let mut found = Diagnostics::new();
        let root = Reader::new(text, FileId::default()).one(&mut found).root;
        assert!(!found.has_errors(), "{text}");
        root.expect("a document")
    }

    /// Changes the list `apps` of a text, and compares what the result means.
    fn changed(text: &str, gone: &[usize], added: &[Value]) -> String {
        let root = read(text);
        let mut all: Vec<Value> = Vec::new();
        let edits = match root.entry("apps") {
            Some(entry) => {
                let old = entry.value.to_json();
                let items = old.as_array().into_iter().flatten().enumerate();
                all.extend(items.filter(|(at, _)| !gone.contains(at)).map(|(_, item)| item.clone()));
                items_changed(&entry.value, Some(&entry.key), text, gone, added, "id")
            }
            None => list_added(&root, "apps", text, added, "id"),
        };
        all.extend(added.iter().cloned());
        let written = apply_changes(text, edits);
        assert_eq!(read(&written).get("apps").map(Node::to_json), Some(Value::Array(all)), "{written}");
        written
    }

    fn app(id: &str) -> Value {
        serde_json::json!({"cmd": "run\nit", "env": {"A": "1"}, "id": id})
    }

    #[test]
    fn items_come_after_those_that_stay_and_keep_the_style_of_their_list() {
        let texts = [
            "id: /shop\napps:\n  - id: a   # first\n    cmd: x\n  # last\n  - {id: b, cmd: y}\nlast: 1\n",
            "id: /shop\napps:\n- id: a\n- id: b",
            "id: /shop\napps: [{id: a}, {id: b}]\n",
            "{\"id\": \"/shop\", \"apps\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}",
            "{\n  \"id\": \"/shop\",\n  \"apps\": [\n    {\"id\": \"a\"},\n    {\n      \"id\": \"b\"\n    }\n  ]\n}\n",
        ];
        for text in texts {
            for gone in [&[][..], &[0], &[1], &[0, 1]] {
                let written = changed(text, gone, &[app("c"), app("d")]);
                assert_eq!(
                    written.contains("first"),
                    text.contains("first") && !gone.contains(&0),
                    "{written}"
                );
            }
        }
        let block = changed(texts[0], &[], &[app("c")]);
        assert!(block.contains("  - {id: b, cmd: y}\n  - id: c\n    cmd: "), "{block}");
        let pretty = changed(texts[4], &[], &[app("c")]);
        assert!(pretty.contains("    },\n    {\n      \"id\": \"c\",\n"), "{pretty}");
    }

    #[test]
    fn a_list_that_was_empty_or_missing_is_written() {
        for text in [
            "id: /shop\napps: []\nlast: 1\n",
            "id: /shop\napps: [] # none\n",
            "{\"id\": \"/shop\", \"apps\": []}",
            "id: /shop\nlast:\n  - a\n",
            "id: /shop",
            "{\"id\": \"/shop\"}",
            "{\n  \"id\": \"/shop\"\n}\n",
        ] {
            changed(text, &[], &[app("a")]);
        }
    }
}
