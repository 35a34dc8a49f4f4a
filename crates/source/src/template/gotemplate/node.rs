//! The tree of a template, and how Go writes its parts in error texts.

use std::fmt;
use std::sync::Arc;

use super::format::go_quote;

/// A byte offset in the template's text.
pub(super) type Pos = u32;

/// A list of pieces.
pub(super) type Block = Vec<Piece>;

/// A piece of a template.
#[derive(Debug)]
pub(super) enum Piece {
    /// Text between actions, after trimming.
    Text { start: Pos, end: Pos },
    /// `{{pipeline}}`.
    Action { pipe: Pipe, tag: (Pos, Pos) },
    /// `{{if}}` or `{{with}}`.
    If { with: bool, pipe: Pipe, then: Block, otherwise: Option<Block> },
    /// `{{range}}`.
    Range { pipe: Pipe, body: Block, otherwise: Option<Block> },
    /// `{{template}}`, also what `{{block}}` leaves behind.
    Call { name: Arc<str>, pipe: Option<Pipe>, at: Pos },
}

/// A pipeline with its declarations.
#[derive(Debug)]
pub(super) struct Pipe {
    pub(super) at: Pos,
    pub(super) end: Pos,
    pub(super) assign: bool,
    pub(super) variables: Vec<Arc<str>>,
    pub(super) commands: Vec<Command>,
}

/// A command: its first word and its arguments.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) at: Pos,
    pub(super) words: Vec<Word>,
}

/// An operand with its place.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) at: Pos,
    pub(super) kind: WordKind,
}

/// Kinds of operand.
#[derive(Debug)]
pub(super) enum WordKind {
    /// `.`
    Dot,
    /// `nil`
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// A number constant.
    Number(Number),
    /// A text constant, with how it is written.
    Str { written: Arc<str>, text: Arc<str> },
    /// `.A.B`
    Field(Vec<Arc<str>>),
    /// `$x.A.B`, the name first.
    Variable(Vec<Arc<str>>),
    /// A function.
    Identifier(Arc<str>),
    /// `(pipeline)`
    Pipe(Box<Pipe>),
    /// `(pipeline).A.B` and `f.A`.
    Chain { base: Box<Word>, fields: Vec<Arc<str>> },
}

/// A number constant and what it may be used as.
#[derive(Debug)]
pub(super) struct Number {
    pub(super) written: Arc<str>,
    pub(super) int: Option<i64>,
    pub(super) uint: Option<u64>,
    pub(super) float: Option<f64>,
}

impl Word {
    /// True for nodes that are not allowed after `|`.
    pub(super) fn is_constant(&self) -> bool {
        matches!(
            self.kind,
            WordKind::Bool(_) | WordKind::Dot | WordKind::Nil | WordKind::Number(_) | WordKind::Str { .. }
        )
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            WordKind::Dot => f.write_str("."),
            WordKind::Nil => f.write_str("nil"),
            WordKind::Bool(flag) => write!(f, "{flag}"),
            WordKind::Number(number) => f.write_str(&number.written),
            WordKind::Str { written, .. } => f.write_str(written),
            WordKind::Field(fields) => fields.iter().try_for_each(|field| write!(f, ".{field}")),
            WordKind::Variable(parts) => f.write_str(&parts.join(".")),
            WordKind::Identifier(name) => f.write_str(name),
            WordKind::Pipe(pipe) => write!(f, "({pipe})"),
            WordKind::Chain { base, fields } => {
                write!(f, "{base}")?;
                fields.iter().try_for_each(|field| write!(f, ".{field}"))
            }
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, word) in self.words.iter().enumerate() {
            let blank = if n > 0 { " " } else { "" };
            write!(f, "{blank}{word}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, variable) in self.variables.iter().enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            write!(f, "{comma}{variable}")?;
        }
        if !self.variables.is_empty() {
            f.write_str(if self.assign { " = " } else { " := " })?;
        }
        for (n, command) in self.commands.iter().enumerate() {
            let bar = if n > 0 { " | " } else { "" };
            write!(f, "{bar}{command}")?;
        }
        Ok(())
    }
}

/// Words a call of another template as Go does.
pub(super) fn call_text(name: &str, pipe: Option<&Pipe>) -> String {
    let argument = pipe.map(|pipe| format!(" {pipe}")).unwrap_or_default();
    format!("{{{{template {}{argument}}}}}", go_quote(name))
}

/// The bytes of an operand. Go's place of one with several parts is that of its second part.
pub(super) fn word_span(word: &Word) -> (Pos, Pos) {
    let length = |parts: &[Arc<str>], dots: usize| {
        let text: usize = parts.iter().map(|part| part.len()).sum();
        crate::span::narrow(text.saturating_add(dots))
    };
    match &word.kind {
        WordKind::Pipe(pipe) => (pipe.at, pipe.end),
        WordKind::Chain { base, fields } => {
            (word_span(base).0.min(word.at), word.at.saturating_add(length(fields, fields.len())))
        }
        WordKind::Field(parts) | WordKind::Variable(parts) if parts.len() > 1 => {
            let (first, rest) = parts.split_at_checked(1).unwrap_or((parts, &[]));
            let dot = usize::from(matches!(word.kind, WordKind::Field(_)));
            let start = word.at.saturating_sub(length(first, dot));
            (start, word.at.saturating_add(length(rest, rest.len())))
        }
        _ => (word.at, word.at.saturating_add(crate::span::narrow(word.to_string().len()))),
    }
}
