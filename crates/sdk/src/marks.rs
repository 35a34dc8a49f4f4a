//! Marks that build tools fill in and that a file from a source tree still holds.
//!
//! *Knows*: what marks look like. *Must not know*: what a definition means by its texts.
//!
//! `{{artifact-dir}}` looks like a template variable; since the environment of a process has no names with dashes or colons,
//! it is none. `@VERSION@` (autoconf, Maven resources) and `${project.version}` (Maven) are plain text to the definition's
//! parser, which is why nothing but a look at the text finds them.

use crate::codes;
use planarium_source::{Diagnostic, Diagnostics, FileId, Span};

/// Longest mark. *Units*: bytes.
const LONGEST: usize = 64;

/// Whether a template variable can only be a mark of a packaging tool.
pub(crate) fn is_mark(variable: &str) -> bool {
    variable.contains(['-', ':'])
}

/// Reports marks in the text of a definition. Comments are left alone.
pub(crate) fn report(text: &str, file: FileId, found: &mut Diagnostics) {
    let mut start = 0_usize;
    for line in text.split_inclusive('\n') {
        if !line.trim_start().starts_with('#') {
            for (at, mark) in marks(line) {
                let from = start.saturating_add(at);
                let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                let span = Span::new(file, place(from), place(from.saturating_add(mark.len())));
                let message =
                    format!("'{mark}' looks like a mark that a build fills in; it is taken as it stands");
                found.push(
                    Diagnostic::warning(codes::BUILD_MARK, span, message)
                        .with_help("write what the build would put there"),
                );
            }
        }
        start = start.saturating_add(line.len());
    }
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
    fn marks_and_what_only_looks_like_them() {
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
}
