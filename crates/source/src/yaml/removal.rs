//! Edits that take entries, items of lists and whole documents out of a text.
//!
//! *Knows*: places of nodes. *Must not know*: why something is taken out. Neighbours that go together are one edit, so that edits
//! never overlap.

use super::layout::{column, is_flow, line_start, lines_from, lines_of};
use super::node::{Entry, Node};
use crate::span::{FileId, Span, narrow, wide};

/// Result of taking documents out of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentRemoval {
    /// Edits that leave the other documents.
    Edits(Vec<(Span, String)>),
    /// No document would be left.
    Everything,
}

/// Returns the edits that take entries out of a mapping. Entries that a merge key brought, and all entries of a mapping in braces,
/// stay.
pub(super) fn entries_removed(node: &Node, text: &str, gone: &[usize]) -> Vec<(Span, String)> {
    let all = node.as_mapping().unwrap_or_default();
    let written: Vec<(usize, &Entry)> = all.iter().enumerate().filter(|(_, entry)| !entry.merged).collect();
    let is_gone: Vec<bool> = written.iter().map(|(at, _)| gone.contains(at)).collect();
    let entry = |at: usize| written.get(at).map(|(_, entry)| *entry);
    let flow = is_flow(node, text);
    let mut edits = Vec::new();
    for (from, to) in runs(&is_gone) {
        let (Some(first), Some(last)) = (entry(from), entry(to)) else { continue };
        let (file, start) = (first.key.span.file, first.key.span.start);
        let span = match (entry(to + 1), from.checked_sub(1).and_then(entry)) {
            (Some(next), _) => Span::new(file, start, next.key.span.start),
            (None, Some(before)) if flow && before.value.literal && last.value.literal => {
                Span::new(file, before.value.span.end, last.value.span.end)
            }
            (None, Some(_)) if !flow => {
                Span::new(file, start - narrow(column(text, start)), lines_of(last, text).end)
            }
            _ => continue,
        };
        edits.push((span, String::new()));
    }
    edits
}

/// Returns the edits that take items out of a list; `key` is the key of the list in a mapping. A list that has lost all its items is
/// written as `[]`.
pub fn items_removed(list: &Node, key: Option<&Node>, text: &str, gone: &[usize]) -> Vec<(Span, String)> {
    let items = list.as_sequence().unwrap_or_default();
    let is_gone: Vec<bool> = (0..items.len()).map(|at| gone.contains(&at)).collect();
    if is_gone.is_empty() {
        return Vec::new();
    }
    let (flow, file) = (is_flow(list, text), list.span.file);
    if is_gone.iter().all(|gone| *gone) {
        let edit = match key {
            _ if flow => (list.span, "[]".to_owned()),
            Some(key) => {
                let end = lines_from(text, key.span.start, column(text, key.span.start), true);
                (Span::new(file, key.span.end, end), ": []\n".to_owned())
            }
            None => return Vec::new(),
        };
        return vec![edit];
    }
    let mut edits = Vec::new();
    for (from, to) in runs(&is_gone) {
        let (Some(first), Some(last)) = (items.get(from), items.get(to)) else { continue };
        let span = match (items.get(to + 1), from.checked_sub(1).and_then(|at| items.get(at))) {
            _ if !flow => lines_of_items(text, first, last),
            (Some(next), _) => Some(Span::new(file, first.span.start, next.span.start)),
            (None, Some(before)) => Some(Span::new(file, before.span.end, last.span.end)),
            (None, None) => None,
        };
        edits.extend(span.map(|span| (span, String::new())));
    }
    edits
}

/// Returns the lines of neighbouring items of a block list; `None` if the first one shares its line with something else.
fn lines_of_items(text: &str, first: &Node, last: &Node) -> Option<Span> {
    let start_of = |item: &Node| {
        let start = line_start(text, item.span.start);
        let before = text.get(wide(start)..wide(item.span.start))?;
        let indent = before.len() - before.trim_start_matches(' ').len();
        (before.trim() == "-").then_some((start, indent))
    };
    let ((start, _), (last_start, indent)) = (start_of(first)?, start_of(last)?);
    Some(Span::new(first.span.file, start, lines_from(text, last_start, indent, false)))
}

/// Returns the edits that take documents out of a text with several; `roots` are all its documents that say something, `gone` the
/// numbers of those that go. Comments above the first document stay.
pub fn documents_removed(file: FileId, text: &str, roots: &[Node], gone: &[usize]) -> DocumentRemoval {
    if (0..roots.len()).all(|at| gone.contains(&at)) {
        return DocumentRemoval::Everything;
    }
    let marks = marks_of(text);
    let mut edits = Vec::new();
    for root in gone.iter().filter_map(|at| roots.get(*at)) {
        let start = root.span.start;
        let mark = marks.iter().rev().find(|mark| **mark <= start);
        let next = marks.iter().find(|mark| **mark > start);
        let after = |mark: u32| lines_from(text, mark, usize::MAX, false);
        let end = match (mark, next) {
            // The first document has no mark of its own: the next one takes its place.
            (None, Some(next)) => after(*next),
            (_, Some(next)) => *next,
            (_, None) => narrow(text.len()),
        };
        edits.push((Span::new(file, mark.copied().unwrap_or(start), end), String::new()));
    }
    DocumentRemoval::Edits(edits)
}

/// Returns the places of the lines that begin a document.
fn marks_of(text: &str) -> Vec<u32> {
    let mut at = 0;
    let mut marks = Vec::new();
    for line in text.split_inclusive('\n') {
        if line
            .strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
        {
            marks.push(narrow(at));
        }
        at += line.len();
    }
    marks
}

/// Returns the first and the last place of each run of neighbours that go.
fn runs(gone: &[bool]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in gone.iter().enumerate().filter(|(_, gone)| **gone) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == at => *last = at,
            _ => runs.push((at, at)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnostics;
    use crate::yaml::{Reader, apply_changes};
    use serde_json::{Value, json};

    fn roots(text: &str) -> Vec<Node> {
        let mut found = Diagnostics::new();
        let all = Reader::new(text, FileId::default()).all(&mut found);
        assert!(!found.has_errors(), "{text}");
        all.into_iter().filter_map(|parsed| parsed.root).filter(|root| !root.is_null()).collect()
    }

    /// Takes every set of items out of the list `items` of a text, and reads the text again.
    fn every_set_of_items(text: &str, len: usize) {
        for set in 0..1_usize << len {
            let gone: Vec<usize> = (0..len).filter(|at| set >> at & 1 == 1).collect();
            let all = roots(text);
            let entry = all[0].entry("items").expect("the list");
            let edits = items_removed(&entry.value, Some(&entry.key), text, &gone);
            let left = apply_changes(text, edits);
            let names: Vec<String> = roots(&left)[0].to_json()["items"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|item| item["name"].as_str().expect("a name").to_owned())
                .collect();
            let wanted: Vec<String> =
                (0..len).filter(|at| !gone.contains(at)).map(|at| format!("n{at}")).collect();
            assert_eq!(names, wanted, "{gone:?}\n{left}");
            assert_eq!(roots(&left)[0].to_json()["last"], json!("end"), "{left}");
        }
    }

    #[test]
    fn any_set_of_items_can_be_taken_out() {
        every_set_of_items(
            "items:\n- name: n0\n  a: [1]\n# of n1\n- name: n1\n-   name: n2\n    b:\n    - c\nlast: end\n",
            3,
        );
        every_set_of_items("items:\n  - name: n0\n\n  - name: n1\n  - name: n2\n  - name: n3\nlast: end", 4);
        every_set_of_items(
            "{\"items\": [{\"name\": \"n0\"},\n {\"name\": \"n1\"}, {\"name\": \"n2\"}], \"last\": \"end\"}",
            3,
        );
        every_set_of_items("items: [{name: n0}, {name: n1}]\nlast: end\n", 2);
    }

    #[test]
    fn any_set_of_entries_can_be_taken_out() {
        let texts = [
            "{\"a\": 1, \"b\": {\"x\": []}, \"c\": \"t\", \"d\": [1]}",
            "a: 1\nb:\n  x: []\nc: t # why\nd:\n- 1\n",
            "# head\na: 1\nb: {x: []}\n\nc: t\nd: [1]",
        ];
        for text in texts {
            for set in 0..15_usize {
                let gone: Vec<usize> = (0..4).filter(|at| set >> at & 1 == 1).collect();
                let all = roots(text);
                let left = apply_changes(text, entries_removed(&all[0], text, &gone));
                let mut wanted = all[0].to_json();
                for at in &gone {
                    wanted.as_object_mut().expect("an object").shift_remove(["a", "b", "c", "d"][*at]);
                }
                assert_eq!(roots(&left)[0].to_json(), wanted, "{gone:?}\n{left}");
            }
        }
    }

    #[test]
    fn any_set_of_documents_can_be_taken_out() {
        let texts = [
            "# the shop\na: 0\n---\na: 1\n--- # two\na: 2\n",
            "---\na: 0\n---\n---\na: 1\n---\n{\"a\": 2}",
            "a: 0\n---\n# only words\n---\na: 1\nb: |\n  --- no mark\n---\na: 2\n---\n",
        ];
        for text in texts {
            let all = roots(text);
            assert_eq!(
                documents_removed(FileId::default(), text, &all, &[0, 1, 2]),
                DocumentRemoval::Everything
            );
            for set in 0..7_usize {
                let gone: Vec<usize> = (0..3).filter(|at| set >> at & 1 == 1).collect();
                let DocumentRemoval::Edits(edits) = documents_removed(FileId::default(), text, &all, &gone)
                else {
                    panic!("something is left of {gone:?}");
                };
                let left = apply_changes(text, edits);
                let names: Vec<Value> = roots(&left).iter().map(|root| root.to_json()["a"].clone()).collect();
                let wanted: Vec<Value> = (0..3).filter(|at| !gone.contains(at)).map(Value::from).collect();
                assert_eq!(names, wanted, "{gone:?}\n{left}");
                assert!(!text.starts_with('#') || left.starts_with("# the shop"), "{left}");
            }
        }
    }
}
