//! Doc lines that open as riddles ("What ...", "Whether ...") instead of a verb or a name, and comments with phrases that
//! read as if translated ("is no", "whoever").

use std::collections::BTreeMap;

use super::Repository;

/// Openings that make a reader guess.
const RIDDLES: [&str; 7] = ["What", "Whether", "How", "Where", "Who", "Whose", "So many"];

/// Share of a folder's doc lines that may open so. *Units*: percent.
const LIMIT_PERCENT: usize = 3;

/// Phrases in comments that a reader has to read twice.
const PHRASES: [&str; 8] =
    ["is no ", "are no ", "so many ", "whoever ", "for want of", "what there is", " anew", "is told "];

/// Share of a folder's comment lines that may have such a phrase. *Units*: percent.
const PHRASES_PERCENT: usize = 2;

/// Lines shown for each folder that has too many.
const SHOWN: usize = 5;

/// Lines of one folder: their number, and those that break a rule.
#[derive(Default)]
struct Lines {
    all: usize,
    found: Vec<String>,
}

impl Lines {
    fn exceed(&self, percent: usize) -> bool {
        self.found.len() * 100 > self.all * percent
    }

    /// The number of found lines, with the first of them after `rule`.
    fn report(&self, folder: &str, rule: &str) -> String {
        let first: Vec<&str> = self.found.iter().take(SHOWN).map(String::as_str).collect();
        format!("{folder}: {} of {} {rule}\n  {}", self.found.len(), self.all, first.join("\n  "))
    }
}

/// Folders with too many doc lines that open as riddles, or too many comments with such phrases.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut findings = riddles(repository);
    findings.extend(phrases(repository));
    findings
}

fn riddles(repository: &Repository) -> Vec<String> {
    let rule = format!("doc lines open with {}; say what it does, returns or is", RIDDLES.join(", "));
    let is_riddle = |doc: &str| RIDDLES.iter().any(|word| opens_with(doc, word));
    over(repository, LIMIT_PERCENT, &rule, &doc_text, &is_riddle)
}

fn phrases(repository: &Repository) -> Vec<String> {
    let list = PHRASES.map(str::trim).join("\", \"");
    let rule = format!("comment lines have one of \"{list}\"; say who does what, in the order it happens");
    let has_phrase = |comment: &str| {
        let comment = comment.to_ascii_lowercase();
        PHRASES.iter().any(|phrase| comment.contains(phrase))
    };
    over(repository, PHRASES_PERCENT, &rule, &comment_text, &has_phrase)
}

/// Folders in which more than `percent` of the lines that `text` accepts are `bad`.
fn over(
    repository: &Repository,
    percent: usize,
    rule: &str,
    text: &dyn Fn(&str) -> Option<&str>,
    bad: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let mut folders: BTreeMap<&str, Lines> = BTreeMap::new();
    for source in repository.sources.iter().filter(|source| source.is(&["rs"])) {
        let lines = folders.entry(folder_of(&source.path)).or_default();
        for (at, line) in source.text.lines().enumerate() {
            let Some(line) = text(line) else { continue };
            lines.all += 1;
            if bad(line) {
                lines.found.push(format!("{}:{}: {line}", source.path, at + 1));
            }
        }
    }
    let over = folders.into_iter().filter(|(_, lines)| lines.exceed(percent));
    over.map(|(folder, lines)| lines.report(folder, rule)).collect()
}

/// The part of a path above `src` or `tests`: the crate it belongs to.
fn folder_of(path: &str) -> &str {
    let end = ["/src/", "/tests/", "/suite/"].iter().filter_map(|part| path.find(part)).min();
    path.get(..end.unwrap_or(path.len())).unwrap_or(path)
}

/// The text of a doc line.
fn doc_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! "))
}

/// The text of a comment on a line of its own.
fn comment_text(line: &str) -> Option<&str> {
    doc_text(line).or_else(|| line.trim_start().strip_prefix("// "))
}

fn opens_with(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn a_folder_may_have_three_riddles_in_a_hundred_doc_lines() {
        let text = |riddles: usize| {
            let plain = "/// Returns the number of entries.\n".repeat(100 - riddles);
            format!(
                "{plain}{}// What a plain comment asks is not counted.\n",
                "    /// What it is.\n".repeat(riddles)
            )
        };
        for (riddles, want) in [(0, 0), (3, 0), (4, 1)] {
            assert_eq!(
                check(&fixture(&[("crates/a/src/b.rs", &text(riddles))])).len(),
                want,
                "{riddles} riddles"
            );
        }
        let found = check(&fixture(&[
            ("crates/a/src/b.rs", "/// Whatever.\n"),
            ("crates/c/tests/d.rs", "//! Who asks.\n"),
        ]));
        assert_eq!(found.len(), 1, "a word that only begins so is no riddle: {found:?}");
        assert!(
            found[0].starts_with("crates/c: 1 of 1 ")
                && found[0].contains("crates/c/tests/d.rs:1: Who asks.")
        );
    }

    #[test]
    fn a_folder_may_have_two_phrases_in_a_hundred_comment_lines() {
        let text = |phrases: usize| {
            let plain = "// Returns the number of entries.\n".repeat(100 - phrases);
            format!(
                "{plain}{}let text = \"This is no comment.\";\n",
                "    /// This is no list.\n".repeat(phrases)
            )
        };
        for (phrases, want) in [(0, 0), (2, 0), (3, 1)] {
            let found = check(&fixture(&[("crates/a/src/b.rs", &text(phrases))]));
            assert_eq!(found.len(), want, "{phrases} phrases: {found:?}");
        }
        let found = check(&fixture(&[
            ("crates/a/src/b.rs", "// There is nothing here.\n"),
            ("crates/c/src/d.rs", "// Whoever asks is answered.\n"),
        ]));
        assert_eq!(found.len(), 1, "a part of a word does not count: {found:?}");
        assert!(
            found[0].starts_with("crates/c: 1 of 1 ")
                && found[0].contains("crates/c/src/d.rs:1: Whoever asks")
        );
    }
}
