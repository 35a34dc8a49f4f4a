//! `${name}` in models and environment files: replaced with the environment's variables before the text is parsed.
//!
//! *Knows*: the forms `${name}`, `${name-default}` and `${name:-default}`. *Must not know*: YAML, except comments.
//!
//! **Source**: models of `opsani/skopos-sample-gates`, `-dynamic` and `-on-change`, where all three forms occur. Match for
//! these; the behaviour of other shell forms is unknown, and they stay unchanged.

use planarium_source::FileId;
use planarium_source::Span;
use planarium_source::template::{OffsetMap, OffsetMapBuilder};

/// A text with its variables replaced.
#[derive(Clone, Debug)]
pub(crate) struct Replaced {
    pub(crate) text: String,
    /// Maps positions of the replaced text to the written one.
    pub(crate) map: OffsetMap,
    /// Variables without a value, in order, each with all its uses.
    pub(crate) missing: Vec<(String, Vec<Span>)>,
}

/// Replaces variables. Those in comments are left alone.
pub(crate) fn replace(text: &str, file: FileId, value_of: &dyn Fn(&str) -> Option<String>) -> Replaced {
    let mut out = String::with_capacity(text.len());
    let mut map = OffsetMapBuilder::new(file);
    let mut missing: Vec<(String, Vec<Span>)> = Vec::new();
    let mut done = 0_usize;
    while let Some((at, variable)) = next(text, done) {
        copy(text, done, at, &mut out, &mut map);
        done = variable.end;
        if in_comment(text, at) {
            copy(text, at, done, &mut out, &mut map);
            continue;
        }
        let value = value_of(variable.name).filter(|value| !(variable.colon && value.is_empty()));
        let value = match (value, variable.default) {
            (Some(value), _) => value,
            (None, Some(default)) => default.to_owned(),
            (None, None) => {
                let span = Span::new(file, number(at), number(done));
                match missing.iter_mut().find(|(name, _)| name == variable.name) {
                    Some((_, spans)) => spans.push(span),
                    None => missing.push((variable.name.to_owned(), vec![span])),
                }
                // It is replaced by its name, so that the text around it stays valid.
                variable.name.to_owned()
            }
        };
        out.push_str(&value);
        map.substituted(number(value.len()), number(at), number(done));
    }
    copy(text, done, text.len(), &mut out, &mut map);
    Replaced { text: out, map: map.finish(), missing }
}

fn copy(text: &str, from: usize, to: usize, out: &mut String, map: &mut OffsetMapBuilder) {
    out.push_str(text.get(from..to).unwrap_or_default());
    map.copied(number(from), number(to));
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

struct Variable<'t> {
    name: &'t str,
    default: Option<&'t str>,
    /// An empty value counts as none.
    colon: bool,
    end: usize,
}

/// The next variable at or behind a place.
fn next(text: &str, from: usize) -> Option<(usize, Variable<'_>)> {
    let mut at = from;
    loop {
        at = at.checked_add(text.get(at..)?.find("${")?)?;
        let inside = text.get(at.checked_add(2)?..)?;
        if let Some(variable) = variable(inside, at) {
            return Some((at, variable));
        }
        at = at.checked_add(2)?;
    }
}

fn variable(inside: &str, at: usize) -> Option<Variable<'_>> {
    let (body, _) = inside.split_once('}')?;
    if body.contains('\n') {
        return None;
    }
    let end = at.checked_add(body.len())?.checked_add(3)?;
    let length = body.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric())).unwrap_or(body.len());
    let (name, rest) = body.split_at_checked(length)?;
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (default, colon) = match (rest.strip_prefix(":-"), rest.strip_prefix('-')) {
        (Some(default), _) => (Some(default), true),
        (None, Some(default)) => (Some(default), false),
        (None, None) if rest.is_empty() => (None, false),
        (None, None) => return None,
    };
    Some(Variable { name, default, colon, end })
}

/// Returns whether a position is in a comment: behind a `#` on its line.
fn in_comment(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let mut quote: Option<char> = None;
    let mut last = ' ';
    for c in line.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if matches!(c, '"' | '\'') && matches!(last, ' ' | '\t' | '[' | '{' | ',' | ':') => {
                quote = Some(c);
            }
            None if c == '#' && matches!(last, ' ' | '\t') => return true,
            Some(_) | None => {}
        }
        last = c;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str) -> (String, Vec<String>) {
        let value_of = |name: &str| match name {
            "a" => Some("A".to_owned()),
            "empty" => Some(String::new()),
            _ => None,
        };
        let done = replace(text, FileId(0), &value_of);
        let missing = done.missing.iter().map(|(name, spans)| format!("{name}x{}", spans.len()));
        (done.text.clone(), missing.collect())
    }

    #[test]
    fn variables_and_defaults() {
        for (text, result, missing) in [
            ("x: ${a}", "x: A", &[][..]),
            ("x: ${b-1.0}", "x: 1.0", &[]),
            ("x: ${b:-1.0}", "x: 1.0", &[]),
            ("x: ${a:-1.0}", "x: A", &[]),
            ("x: ${empty-1}", "x: ", &[]),
            ("x: ${empty:-1}", "x: 1", &[]),
            ("x: ${b-}", "x: ", &[]),
            ("x: ${b}:${c}:${b}", "x: b:c:b", &["bx2", "cx1"]),
            ("x: 1 # ${b}", "x: 1 # ${b}", &[]),
            ("x: \"# ${b}\"", "x: \"# b\"", &["bx1"]),
            ("x: it's # ${b}", "x: it's # ${b}", &[]),
            ("{ image: ${a} }", "{ image: A }", &[]),
            ("x: ${b?err} ${1} ${} $a ${a", "x: ${b?err} ${1} ${} $a ${a", &[]),
            ("${a}${a}", "AA", &[]),
        ] {
            assert_eq!(
                replaced(text),
                (result.to_owned(), missing.iter().map(|m| (*m).to_owned()).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn places_lead_back() {
        let done = replace("ab: ${a}\ncd: x", FileId(0), &|_| Some("long value".to_owned()));
        let at = u32::try_from(done.text.find("cd").expect("there")).expect("small");
        assert_eq!(done.map.map(at, at + 2).span, Span::new(FileId(0), 9, 11));
    }
}
