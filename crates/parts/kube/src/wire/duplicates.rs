//! Duplicate fields in a body.
//!
//! *Knows*: the text of a body, JSON or YAML, and the positions of its keys. *Must not know*: the consequences.
//!
//! Source: `kubernetes-sigs/json: internal/golang/encoding/json/{decode,kubernetes_patch}.go` (`duplicate field "..."`), `kubernetes-sigs/yaml`
//! (`line N: key "..." already set in map`), `test/integration/apiserver/field_validation_test.go`; match. The last one of them counts.

use crate::schema::{Shape, Struct};
use planarium_kernel::SortedSet;
use planarium_protocol::Text;
use planarium_source::{
    Diagnostics, FileId, SourceFile,
    yaml::{Kind, Node, Reader},
};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt::{self, Write as _};

/// Maximum number of duplicates reported for one body.
const MOST: usize = 50;

/// A body with its keys as written.
enum Tree {
    Fields(Vec<(Text, Tree)>),
    Items(Vec<Tree>),
    Leaf,
}

/// Returns whether an object in a JSON body has a key twice; `false` for invalid JSON.
pub(crate) fn repeats(body: &[u8]) -> bool {
    fn any(tree: &Tree) -> bool {
        match tree {
            Tree::Leaf => false,
            Tree::Items(items) => items.iter().any(any),
            Tree::Fields(fields) => {
                let mut seen: SortedSet<&Text> = SortedSet::new();
                fields.iter().any(|(key, tree)| !seen.insert(key) || any(tree))
            }
        }
    }
    serde_json::from_slice::<Tree>(body).is_ok_and(|tree| any(&tree))
}

/// Returns the duplicate and unknown fields of a JSON text, in order, in the server's words; a field that is both counts as unknown. `None`
/// for invalid JSON.
pub(super) fn of_json(text: &str, shape: &Shape) -> Option<Vec<String>> {
    let tree: Tree = serde_json::from_str(text).ok()?;
    let mut found = Vec::new();
    visit(Some(shape), &tree, &mut String::new(), &mut found);
    Some(found)
}

/// Line and key of every field that a YAML text has twice, in their order.
pub(super) fn of_yaml(text: &str) -> Vec<(u32, String)> {
    let mut ignored = Diagnostics::default();
    let read = Reader::new(text, FileId::default()).with_go_rules().one(&mut ignored);
    let source = SourceFile::new("body", text);
    let mut found = Vec::new();
    if let Some(root) = &read.root {
        repeated_keys(root, &mut found);
    }
    planarium_kernel::sorted::sort_by_key(&mut found, |(offset, _)| *offset);
    found.into_iter().map(|(offset, key)| (source.position(offset).line, key)).collect()
}

fn repeated_keys(node: &Node, found: &mut Vec<(u32, String)>) {
    match &node.kind {
        Kind::Scalar(_) => {}
        Kind::Sequence(items) => items.iter().for_each(|item| repeated_keys(item, found)),
        Kind::Mapping(entries) => {
            let mut seen: SortedSet<&str> = SortedSet::new();
            for entry in entries.iter() {
                if let Some(key) = entry.key.as_str().filter(|_| !entry.merged)
                    && !seen.insert(key)
                    && found.len() < MOST
                {
                    found.push((entry.key.span.start, key.to_owned()));
                }
                repeated_keys(&entry.value, found);
            }
        }
    }
}

fn visit(shape: Option<&Shape>, tree: &Tree, path: &mut String, found: &mut Vec<String>) {
    match tree {
        Tree::Leaf => {}
        Tree::Items(items) => {
            for (at, item) in items.iter().enumerate() {
                let length = path.len();
                let _ = write!(path, "[{at}]");
                match shape {
                    Some(Shape::Keyed(of, _) | Shape::KeyedRetain(of, _)) => {
                        fields_of(Some(of), item, path, found);
                    }
                    Some(Shape::List(inner)) => visit(Some(inner), item, path, found),
                    _ => visit(None, item, path, found),
                }
                path.truncate(length);
            }
        }
        Tree::Fields(fields) => match shape {
            Some(Shape::Of(of) | Shape::Retain(of)) => fields_of(Some(of), tree, path, found),
            Some(Shape::Map(inner)) => {
                let mut seen: SortedSet<&Text> = SortedSet::new();
                for (key, field) in fields {
                    let length = step(path, key);
                    if !seen.insert(key) {
                        note("duplicate", path, found);
                    }
                    visit(Some(inner), field, path, found);
                    path.truncate(length);
                }
            }
            _ => fields_of(None, tree, path, found),
        },
    }
}

/// Fields of an object whose fields are known, or may be any.
fn fields_of(of: Option<&'static Struct>, tree: &Tree, path: &mut String, found: &mut Vec<String>) {
    let Tree::Fields(fields) = tree else { return visit(None, tree, path, found) };
    let mut seen: SortedSet<&Text> = SortedSet::new();
    for (key, field) in fields {
        let length = step(path, key);
        let shape = match of.map(|of| of.field(key)) {
            Some(None) => {
                // The content of an unknown field is ignored.
                note("unknown", path, found);
                path.truncate(length);
                continue;
            }
            Some(Some((_, shape, _))) => Some(shape),
            None => None,
        };
        if !seen.insert(key) {
            note("duplicate", path, found);
        }
        visit(shape, field, path, found);
        path.truncate(length);
    }
}

/// Goes down to a field; returns the length of the path before.
fn step(path: &mut String, key: &str) -> usize {
    let length = path.len();
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key);
    length
}

fn note(word: &str, path: &str, found: &mut Vec<String>) {
    let text = format!("{word} field {path:?}");
    if found.len() < MOST && !found.contains(&text) {
        found.push(text);
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TreeVisitor)
    }
}

/// Keeps keys and passes over values.
struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_str<E>(self, _: &str) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Leaf)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element()? {
            items.push(item);
        }
        Ok(Tree::Items(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Tree, A::Error> {
        let mut fields = Vec::new();
        while let Some((key, field)) = from.next_entry::<String, Tree>()? {
            fields.push((key.into(), field));
        }
        Ok(Tree::Fields(fields))
    }
}
