//! The tree.

use std::sync::Arc;

use crate::span::Span;

/// A value and where it was written. Cloning is cheap: collections and texts are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its position; for a `|` or `>` block, its lines of text. For an alias, the alias; for what
    /// is inside, the place of the anchor.
    pub span: Span,
    /// True when the text at the span is exactly this node and may be edited in place; false for
    /// aliases, text blocks, nodes with a tag or an anchor, and what a template inserted.
    pub literal: bool,
    /// The tag, in its full form (`tag:yaml.org,2002:str`) where the short one was written.
    pub tag: Option<Arc<str>>,
    /// Description.
    pub kind: Kind,
}

/// Kinds of node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text, number, boolean or nothing; see [`Node::is_null`].
    Scalar(Scalar),
    /// A list.
    Sequence(Arc<[Node]>),
    /// A mapping, with repeated keys and in the order of the text.
    Mapping(Arc<[Entry]>),
}

/// A scalar as written, without a decision about its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The text, escapes and folding resolved.
    pub text: Arc<str>,
    /// Its style.
    pub style: Style,
}

/// Styles of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In `'`.
    SingleQuoted,
    /// In `"`.
    DoubleQuoted,
    /// As a `|` block.
    Literal,
    /// As a `>` block.
    Folded,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Node,
    /// The value; an empty scalar when none was written.
    pub value: Node,
    /// True when a merge key brought it here.
    pub merged: bool,
}

impl Node {
    /// A node for nothing, as an absent value is written.
    pub fn null(span: Span) -> Self {
        let scalar = Scalar { text: Arc::from(""), style: Style::Plain };
        Self { span, literal: false, tag: None, kind: Kind::Scalar(scalar) }
    }

    /// The scalar, if it is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            Kind::Sequence(_) | Kind::Mapping(_) => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_sequence(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Sequence(items) => Some(items),
            Kind::Scalar(_) | Kind::Mapping(_) => None,
        }
    }

    /// The entries, if it is a mapping.
    pub fn as_mapping(&self) -> Option<&[Entry]> {
        match &self.kind {
            Kind::Mapping(entries) => Some(entries),
            Kind::Scalar(_) | Kind::Sequence(_) => None,
        }
    }

    /// The value of a key; the last one when the key is repeated.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of a key; the last one when the key is repeated.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.as_mapping()?.iter().rev().find(|entry| entry.key.as_str() == Some(key))
    }

    /// The node under a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Returns its type for messages: `nothing`, `a text`, `a number`, `a boolean`, `a list`, `a mapping`.
    pub fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Sequence(_) => "a list",
            Kind::Mapping(_) => "a mapping",
            Kind::Scalar(_) if self.is_null() => "nothing",
            Kind::Scalar(scalar) if scalar.style == Style::Plain => scalar.describe_plain(),
            Kind::Scalar(_) => "a text",
        }
    }
}
