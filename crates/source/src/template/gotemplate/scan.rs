//! Finds the names in a template without executing it.

use std::sync::Arc;

use super::node::{Piece, Pipe, Pos, WordKind, word_span};
use super::parse::Template;

/// A field that a template takes from its root: `.A.B` or `$.A.B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Its parts; never empty.
    pub path: Vec<Arc<str>>,
    /// First byte.
    pub start: Pos,
    /// One past the last byte.
    pub end: Pos,
}

impl Template {
    /// The fields that the package verifier of KUDO sees: in actions, `if`, `with` and `range`, not in the `else` of a
    /// `range`, nor in definitions; variables other than `$` are left out. As there, a command is left at its first
    /// field without a part below the root, and at its first `.` alone it goes on.
    ///
    /// **Source**: `kudobuilder/kudo: pkg/kudoctl/packages/verifier/template/parser.go`. Match.
    pub fn mentions(&self) -> Vec<Mention> {
        let mut found = Vec::new();
        walk(self.root(), &mut found);
        found
    }
}

fn walk(block: &[Piece], found: &mut Vec<Mention>) {
    for piece in block {
        match piece {
            Piece::Text { .. } | Piece::Call { .. } => {}
            Piece::Action { pipe, .. } => pipeline(pipe, found),
            Piece::If { pipe, then, otherwise, .. } => {
                walk(then, found);
                walk(otherwise.as_deref().unwrap_or_default(), found);
                pipeline(pipe, found);
            }
            Piece::Range { pipe, body, .. } => {
                walk(body, found);
                pipeline(pipe, found);
            }
        }
    }
}

fn pipeline(pipe: &Pipe, found: &mut Vec<Mention>) {
    for command in &pipe.commands {
        for word in &command.words {
            let path = match &word.kind {
                WordKind::Field(path) => path.as_slice(),
                WordKind::Variable(path) => match path.split_first() {
                    Some((name, fields)) if &**name == "$" && !fields.is_empty() => fields,
                    // The verifier gives up on the whole pipeline here.
                    _ => return,
                },
                WordKind::Pipe(pipe) => {
                    pipeline(pipe, found);
                    continue;
                }
                _ => continue,
            };
            let (start, end) = word_span(word);
            found.push(Mention { path: path.to_vec(), start, end });
            if path.len() == 1 {
                return;
            }
        }
    }
}
