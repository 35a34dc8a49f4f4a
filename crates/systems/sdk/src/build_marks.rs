//! Placeholders that build tools fill in and that a source file still contains.
//!
//! *Knows*: the forms of placeholders. *Must not know*: the meaning of a definition's texts.
//!
//! `{{artifact-dir}}` looks like a template variable, but names in the environment of a process have no dashes or
//! colons. `@VERSION@` (autoconf, Maven resources) and `${project.version}` (Maven) are plain text to the
//! definition's parser, so only a search of the text finds them. `%(artifact-dir)s` (Python) can neither begin a YAML
//! text nor be part of a URI, so its name replaces it before the text is read.

use crate::codes;
use planarium_kernel::SortedMap;
use planarium_source::template::mustache::Rendered;
use planarium_source::{Diagnostic, Diagnostics, FileId, Span};

/// Longest mark. *Units*: bytes.
const LONGEST: usize = 64;
/// Places of one mark that are shown at most.
const SHOWN: usize = 5;

/// Returns whether a template variable can only be a mark of a packaging tool.
pub(crate) fn is_mark(variable: &str) -> bool {
    variable.contains(['-', ':'])
}

/// A mark with its places.
struct Found {
    message: String,
    places: Vec<Span>,
}

/// Reports marks in the text of a definition and in the values that were inserted into it, each mark once. Comments are
/// left alone.
pub(crate) fn report(text: &str, rendered: &Rendered, file: FileId, found: &mut Diagnostics) {
    let mut all: SortedMap<String, Found> = SortedMap::new();
    let mut add = |mark: &str, place: Span, message: String| {
        let known = all.entry(mark.to_owned()).or_insert_with(|| Found { message, places: Vec::new() });
        known.places.push(place);
    };
    for (at, mark) in in_lines(text, marks) {
        let message = format!("'{mark}' looks like a placeholder of a package build; it is used as it is");
        add(mark, span(file, at, mark.len()), message);
    }
    for (at, mark) in in_lines(&rendered.text, percent) {
        let place = rendered.map.map_span(span(file, at, mark.len()));
        let tag = text.get(place.range()).unwrap_or_default();
        let origin = match variable(tag) {
            Some(name) => format!(" in the value of '{name}'"),
            None => String::new(),
        };
        let message =
            format!("'{mark}'{origin} is a placeholder of a package build; its name is used as its value");
        add(mark, place, message);
    }
    for Found { message, places } in all.into_values() {
        let mut rest = places.into_iter();
        let Some(first) = rest.next() else { continue };
        let mut finding = Diagnostic::warning(codes::BUILD_MARK, first, message)
            .with_help("write what the build would put there");
        let mut more = 0_usize;
        for (n, place) in rest.enumerate() {
            if n < SHOWN {
                finding = finding.with_label(place, "here too");
            } else {
                more = more.saturating_add(1);
            }
        }
        if more > 0 {
            finding = finding.with_note(format!("and {more} times more"));
        }
        found.push(finding);
    }
}

/// The text with names in place of Python's marks, of the same length, so that places stay what they are.
pub(crate) fn named(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0_usize;
    for (at, mark) in percent(text) {
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push_str("__");
        out.push_str(name_of(mark));
        out.push_str("__");
        from = at.saturating_add(mark.len());
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// `%(name)s`: places and marks.
pub(crate) fn percent(text: &str) -> Vec<(usize, &str)> {
    let mut marks = Vec::new();
    let mut from = 0_usize;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("%(")) {
        let at = from.saturating_add(at);
        let inside = text.get(at.saturating_add(2)..).unwrap_or_default();
        let length = inside.find(")s").filter(|length| (1..=LONGEST).contains(length));
        let name = length.and_then(|length| inside.get(..length)).filter(|name| name.chars().all(plain));
        let end = name.map(|name| at.saturating_add(name.len()).saturating_add(4));
        marks.extend(end.and_then(|end| Some((at, text.get(at..end)?))));
        from = end.unwrap_or(at.saturating_add(2));
    }
    marks
}

fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// The name inside of `%(name)s`.
pub(crate) fn name_of(mark: &str) -> &str {
    mark.trim_start_matches("%(").trim_end_matches(")s")
}

/// The variable of a template's tag.
fn variable(tag: &str) -> Option<&str> {
    let name = tag.strip_prefix("{{")?.strip_suffix("}}")?;
    Some(name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '&')))
}

fn span(file: FileId, at: usize, length: usize) -> Span {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(file, place(at), place(at.saturating_add(length)))
}

/// Returns the matches of a search in lines that are not comments, with their positions in the text.
fn in_lines<'t>(text: &'t str, search: fn(&'t str) -> Vec<(usize, &'t str)>) -> Vec<(usize, &'t str)> {
    let mut all = Vec::new();
    let mut start = 0_usize;
    for line in text.split_inclusive('\n') {
        if !line.trim_start().starts_with('#') {
            all.extend(search(line).into_iter().map(|(at, mark)| (start.saturating_add(at), mark)));
        }
        start = start.saturating_add(line.len());
    }
    all
}

/// The marks of a line with their places.
fn marks(line: &str) -> Vec<(usize, &str)> {
    let mut marks = Vec::new();
    let mut from = 0_usize;
    while let Some(at) = line.get(from..).and_then(|rest| rest.find(['@', '$'])) {
        let at = from.saturating_add(at);
        let mark = if line.get(at..).is_some_and(|rest| rest.starts_with('@')) {
            between_ats(line, at)
        } else {
            property(line, at)
        };
        from = at.saturating_add(mark.map_or(1, str::len));
        marks.extend(mark.map(|mark| (at, mark)));
    }
    marks
}

/// `@NAME@` on its own: not the middle of `a@b.c@d`.
fn between_ats(line: &str, at: usize) -> Option<&str> {
    let rest = line.get(at.saturating_add(1)..)?;
    let length = rest.find('@').filter(|length| (1..=LONGEST).contains(length))?;
    let name = rest.get(..length)?;
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let shouted = !name.contains(|c: char| c.is_ascii_lowercase());
    let end = at.saturating_add(length).saturating_add(2);
    let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let alone = !joined(line.get(..at)?.chars().next_back()) && !joined(line.get(end..)?.chars().next());
    (named && (alone || shouted)).then(|| line.get(at..end)).flatten()
}

/// `${project.version}`: a shell has no names with dots.
fn property(line: &str, at: usize) -> Option<&str> {
    let rest = line.get(at..)?.strip_prefix("${")?;
    let length = rest.find('}').filter(|length| (1..=LONGEST).contains(length))?;
    let parts = rest.get(..length)?.split('.');
    let plain = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    let dotted = parts.clone().count() > 1 && parts.clone().all(plain);
    let end = at.saturating_add(length).saturating_add(3);
    dotted.then(|| line.get(at..end)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_similar_texts() {
        for (line, want) in [
            ("https://x/@PACKAGE_VERSION@/y.zip @a@", &["@PACKAGE_VERSION@", "@a@"][..]),
            ("x@VERSION@y v@2@3 @@ @ @", &["@VERSION@"]),
            ("mail a@b.c,d@e.f or git@host:a@b ok@b@c", &[]),
            ("[[\"@zone\", \"UNIQUE\"], [\"@region\", \"IS\", \"a\"]]", &[]),
            ("@zone:UNIQUE,@hostname:MAX_PER:1", &[]),
            ("${project.version} ${A} ${A:-b.c} $A.b ${a.b-c.d}", &["${project.version}", "${a.b-c.d}"]),
            ("${", &[]),
        ] {
            let got: Vec<&str> = marks(line).into_iter().map(|(_, mark)| mark).collect();
            assert_eq!(got, want, "{line}");
        }
    }

    #[test]
    fn pythons_placeholders_are_replaced_by_their_names() {
        for (text, want, named_text) in [
            ("%(a-b.c)s/x", &["%(a-b.c)s"][..], "__a-b.c__/x"),
            ("a %(b)s %(c)s", &["%(b)s", "%(c)s"], "a __b__ __c__"),
            ("100% (of)s %()s %(a b)s %(a", &[], "100% (of)s %()s %(a b)s %(a"),
        ] {
            let got: Vec<&str> = percent(text).into_iter().map(|(_, mark)| mark).collect();
            assert_eq!(got, want, "{text}");
            assert_eq!(named(text), named_text);
        }
    }
}
