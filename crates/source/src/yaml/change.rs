//! Edits a text so that it holds another value; comments, order and everything else stay as written.
//!
//! *Knows*: places of values in the text, and the two values. *Must not know*: which fields a dialect has; the caller says which
//! fields may be added. An alias, a merged key or a value with an anchor cannot be edited in its place and stays as it is.

use serde_json::{Map, Value};

use super::layout::{column, is_flow, lines_of};
use super::node::{Entry, Node};
use super::removal::entries_removed;
use super::to_go_yaml;
use crate::span::{Span, wide};

/// Fields that may be added although nobody wrote them, by their path from the root of the value.
pub type Addable<'p> = &'p dyn Fn(&[&str]) -> bool;

/// Collects the edits of one text.
struct Changes<'t> {
    text: &'t str,
    may_add: Addable<'t>,
    edits: Vec<(Span, String)>,
}

/// Returns the edits that turn a node from one value into another. `before` is what the node means, with fields that it leaves
/// out; a field that nobody wrote and that has changed is added if `may_add` permits its path.
pub fn changes(
    node: &Node,
    text: &str,
    before: &Value,
    now: &Value,
    may_add: Addable<'_>,
) -> Vec<(Span, String)> {
    let mut changes = Changes { text, may_add, edits: Vec::new() };
    changes.of_mapping(node, before, now, &mut Vec::new());
    changes.edits
}

/// Applies edits to one text.
pub fn apply_changes(text: &str, mut edits: Vec<(Span, String)>) -> String {
    planarium_kernel::sorted::sort_by_key(&mut edits, |(span, _)| std::cmp::Reverse((span.start, span.end)));
    let mut whole = text.to_owned();
    for (span, written) in edits {
        let (from, to) = (wide(span.start), wide(span.end));
        if whole.get(from..to).is_some() {
            whole.replace_range(from..to, &written);
        }
    }
    whole
}

impl Changes<'_> {
    fn of_mapping<'v>(&mut self, node: &Node, before: &'v Value, now: &'v Value, path: &mut Vec<&'v str>) {
        let Some(entries) = node.as_mapping().filter(|entries| !entries.is_empty()) else { return };
        let (Some(old), Some(new)) = (before.as_object(), now.as_object()) else { return };
        let mut gone = Vec::new();
        for (key, value) in old.iter().chain(new.iter().filter(|(key, _)| !old.contains_key(*key))) {
            let after = new.get(key);
            if Some(value) == after && old.contains_key(key) {
                continue;
            }
            path.push(key);
            let written = entries.iter().rposition(|entry| entry.key.as_str() == Some(key));
            match (written.and_then(|at| Some((at, entries.get(at)?))), after) {
                (Some((_, entry)), _) if entry.merged => {}
                (Some((_, entry)), Some(after)) => self.of_entry(node, entry, value, after, path),
                (Some((at, _)), None) => gone.push(at),
                (None, Some(after)) if (self.may_add)(path) => {
                    let kept = entries.iter().find(|entry| {
                        !entry.merged && entry.key.as_str().is_some_and(|key| new.contains_key(key))
                    });
                    if let Some(kept) = kept {
                        self.add(node, kept, key, after);
                    }
                }
                (None, _) => {}
            }
            path.pop();
        }
        self.edits.extend(entries_removed(node, self.text, &gone));
    }

    fn of_entry<'v>(
        &mut self,
        node: &Node,
        entry: &Entry,
        before: &'v Value,
        now: &'v Value,
        path: &mut Vec<&'v str>,
    ) {
        let value = &entry.value;
        match (before, now) {
            (Value::Object(_), Value::Object(new)) if !new.is_empty() && is_filled(value) => {
                self.of_mapping(value, before, now, path);
            }
            (Value::Array(old), Value::Array(new)) if same_items(value, old, new) => {
                let items = value.as_sequence().unwrap_or_default();
                for ((item, old), new) in items.iter().zip(old).zip(new).filter(|((_, old), new)| old != new)
                {
                    if item.as_mapping().is_some() {
                        self.of_mapping(item, old, new, path);
                    } else if item.literal {
                        self.edits.push((item.span, self.scalar(item, new)));
                    }
                }
            }
            _ => self.replace(node, entry, now),
        }
    }

    /// Replaces an entry's value.
    fn replace(&mut self, node: &Node, entry: &Entry, now: &Value) {
        let is_plain = !matches!(now, Value::Array(_) | Value::Object(_));
        if is_plain
            && entry.value.literal
            && entry.value.as_scalar().is_some()
            && !entry.value.span.is_empty()
        {
            self.edits.push((entry.value.span, self.scalar(&entry.value, now)));
        } else if is_flow(node, self.text) {
            if entry.value.literal {
                self.edits.push((entry.value.span, now.to_string()));
            }
        } else if let Some(key) = entry.key.as_str() {
            let span = lines_of(entry, self.text);
            self.edits.push((span, Self::block(key, now, column(self.text, entry.key.span.start))));
        }
    }

    /// Adds an entry after an unchanged one.
    fn add(&mut self, node: &Node, first: &Entry, key: &str, now: &Value) {
        let file = first.key.span.file;
        if is_flow(node, self.text) {
            if first.value.literal {
                let text = format!(", {}: {now}", Value::from(key));
                self.edits.push((Span::at(file, first.value.span.end), text));
            }
            return;
        }
        let column = column(self.text, first.key.span.start);
        let end = lines_of(first, self.text).end;
        let line =
            if self.text.get(..wide(end)).is_some_and(|before| before.ends_with('\n')) { "" } else { "\n" };
        let text = format!("{line}{}{}", " ".repeat(column), Self::block(key, now, column));
        self.edits.push((Span::at(file, end), text));
    }

    /// Returns the text of a scalar in the style of a node.
    fn scalar(&self, node: &Node, value: &Value) -> String {
        let is_json = self.text.get(wide(node.span.start)..).is_some_and(|rest| rest.starts_with('"'));
        let is_long = value.as_str().is_some_and(|text| text.contains('\n'));
        if is_json || is_long { value.to_string() } else { to_go_yaml(value).trim_end().to_owned() }
    }

    /// Returns the lines of an entry; the first one starts at the column of the key.
    fn block(key: &str, value: &Value, column: usize) -> String {
        let mut fields = Map::new();
        fields.insert(key.to_owned(), value.clone());
        let text = to_go_yaml(&Value::Object(fields));
        let indent = " ".repeat(column);
        let mut out = String::new();
        for (at, line) in text.lines().enumerate() {
            if at > 0 && !line.is_empty() {
                out.push_str(&indent);
            }
            out.push_str(line);
            out.push('\n');
        }
        out
    }
}

fn is_filled(node: &Node) -> bool {
    node.as_mapping().is_some_and(|entries| !entries.is_empty())
}

/// Returns whether a list can be changed item by item: as many mappings and scalars as before, of the same names.
fn same_items(node: &Node, old: &[Value], new: &[Value]) -> bool {
    let items = node.as_sequence().unwrap_or_default();
    let name = |value: &Value| value.get("name").cloned();
    items.len() == old.len()
        && old.len() == new.len()
        && old.iter().zip(new).zip(items).all(|((old, new), item)| {
            name(old) == name(new)
                && old.is_object() == new.is_object()
                && old.is_object() == is_filled(item)
                && !old.is_array()
                && !new.is_array()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Reader;
    use crate::{Diagnostics, FileId};

    /// Returns the text after `change` has changed its value.
    fn changed(text: &str, change: impl Fn(&mut Value)) -> String {
        let node = |text: &str| {
            let mut found = Diagnostics::new();
            let root = Reader::new(text, FileId::default()).one(&mut found).root;
            assert!(!found.has_errors(), "{text}");
            root.expect("a document")
        };
        let read = node(text);
        let before = read.to_go_json();
        let mut now = before.clone();
        change(&mut now);
        let written = apply_changes(text, changes(&read, text, &before, &now, &|_| true));
        assert_eq!(node(&written).to_go_json(), now, "{written}");
        written
    }

    const TEXT: &str = "# the shop
kind: Deployment
spec:
  replicas: 2   # two are enough
  template:
    containers:
    - name: web
      image: \"shop:1\"
      args:
      - a
      - b
    - name: side
      image: side:1

  # the end
  last: {a: 1, b: [1, 2]}
";

    fn set(value: &mut Value, pointer: &str, to: Value) {
        *value.pointer_mut(pointer).expect("a place") = to;
    }

    #[test]
    fn scalars_are_replaced_where_they_stand() {
        let text = changed(TEXT, |value| {
            set(value, "/spec/replicas", 5.into());
            set(value, "/spec/template/containers/0/image", "shop:2".into());
            set(value, "/spec/template/containers/1/image", "5".into());
            set(value, "/spec/last/b/1", 7.into());
        });
        for line in
            ["replicas: 5   # two are enough", "image: \"shop:2\"", "image: \"5\"", "b: [1, 7]", "# the shop"]
        {
            assert!(text.contains(line), "{line} in\n{text}");
        }
    }

    #[test]
    fn entries_are_added_after_the_first_and_removed_with_their_lines() {
        let text = changed(TEXT, |value| {
            let containers = value.pointer_mut("/spec/template/containers").and_then(Value::as_array_mut);
            let first =
                containers.and_then(|all| all.first_mut()).and_then(Value::as_object_mut).expect("one");
            first.remove("args");
            first.insert("env".to_owned(), serde_json::json!([{"name": "A", "value": "1"}]));
            let spec = value.get_mut("spec").and_then(Value::as_object_mut).expect("spec");
            spec.insert("paused".to_owned(), true.into());
        });
        assert!(
            text.contains("    - name: web\n      env:\n      - name: A\n        value: \"1\"\n"),
            "{text}"
        );
        assert!(!text.contains("args"), "{text}");
    }

    #[test]
    fn lists_of_another_length_are_written_anew() {
        let text = changed(TEXT, |value| {
            set(value, "/spec/template/containers/0/args", serde_json::json!(["c"]));
            set(value, "/spec/last", serde_json::json!({"a": 1, "b": [], "c": {"d": "x: y"}}));
        });
        assert!(text.contains("      args:\n      - c\n    - name: side"), "{text}");
        let less = changed(TEXT, |value| {
            value
                .pointer_mut("/spec/template/containers")
                .and_then(Value::as_array_mut)
                .expect("a list")
                .pop();
        });
        assert!(!less.contains("side") && less.contains("# the end"), "{less}");
    }

    #[test]
    fn lists_in_lists_are_written_anew_in_their_style() {
        let text = changed("{\"constraints\": [[\"hostname\", \"UNIQUE\"]], \"id\": \"a\"}", |value| {
            set(value, "/constraints/0", serde_json::json!(["zone", "IS", "a"]));
        });
        assert_eq!(text, "{\"constraints\": [[\"zone\",\"IS\",\"a\"]], \"id\": \"a\"}");
    }

    #[test]
    fn json_stays_json() {
        let text =
            "{\"spec\": {\"replicas\": 1, \"items\": [{\"name\": \"a\", \"image\": \"x\"}], \"gone\": 1}}";
        let written = changed(text, |value| {
            set(value, "/spec/replicas", 3.into());
            set(value, "/spec/items/0/image", "y".into());
            let spec = value.get_mut("spec").and_then(Value::as_object_mut).expect("spec");
            spec.remove("gone");
            spec.insert("paused".to_owned(), true.into());
        });
        let read: Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(read.pointer("/spec/paused"), Some(&Value::Bool(true)), "{written}");
    }

    #[test]
    fn what_nobody_wrote_is_added_only_where_it_may() {
        let text = "a: 1\n";
        let mut found = Diagnostics::new();
        let node = Reader::new(text, FileId::default()).one(&mut found).root.expect("a document");
        let (before, now) =
            (serde_json::json!({"a": 1, "b": 1}), serde_json::json!({"a": 1, "b": 2, "c": 3}));
        let edits = changes(&node, text, &before, &now, &|path| path == ["b"]);
        assert_eq!(apply_changes(text, edits), "a: 1\nb: 2\n");
    }
}
