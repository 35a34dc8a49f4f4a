//! Places of a lesson's parts in its file, for what a proof finds.
//!
//! Knows: parts by path, such as `also/0` or `predict/q/a`. Must not know: what is found there.

use planarium_source::{Position, SourceMap, Span};
use std::collections::BTreeMap;

/// Places by path. Two files with the same parts at other places count as equal lessons.
#[derive(Clone, Debug, Default)]
pub struct Places(BTreeMap<String, Position>);

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Places {}

impl Places {
    /// Notes the place of a part.
    pub(super) fn note(&mut self, path: impl Into<String>, span: Span, sources: &SourceMap) {
        self.0.insert(path.into(), sources.position(span));
    }

    /// The place of a part, or of the nearest part around it; the beginning where nothing is known.
    pub fn of(&self, path: &str) -> Position {
        let mut path = path;
        loop {
            if let Some(position) = self.0.get(path) {
                return *position;
            }
            match path.rsplit_once('/') {
                Some((around, _)) => path = around,
                None => break,
            }
        }
        self.0.get("").copied().unwrap_or(Position { line: 1, column: 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_is_at_the_nearest_one_around_it() {
        let at = |line| Position { line, column: 3 };
        let places =
            Places([(String::new(), at(2)), ("also".to_owned(), at(5)), ("also/0".to_owned(), at(6))].into());
        for (path, line) in [("also/0", 6), ("also/1", 5), ("also/1/x", 5), ("naive/0", 2), ("", 2)] {
            assert_eq!(places.of(path).line, line, "{path}");
        }
        assert_eq!(Places::default().of("also"), Position { line: 1, column: 1 });
    }
}
