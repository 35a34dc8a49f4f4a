//! Doc lines that open as riddles ("What ...", "Whether ...") instead of a verb or a name.

use std::collections::BTreeMap;

use super::Repository;

/// Openings that make a reader guess.
const RIDDLES: [&str; 7] = ["What", "Whether", "How", "Where", "Who", "Whose", "So many"];

/// Share of a folder's doc lines that may open so. *Units*: percent.
const LIMIT_PERCENT: usize = 3;

/// Riddles shown for each folder that has too many.
const SHOWN: usize = 5;

/// Doc lines of one folder.
#[derive(Default)]
struct Lines {
    all: usize,
    riddles: Vec<String>,
}

/// Folders with too many doc lines that open as riddles, with the first of them.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut folders: BTreeMap<&str, Lines> = BTreeMap::new();
    for source in repository.sources.iter().filter(|source| source.is(&["rs"])) {
        let lines = folders.entry(folder_of(&source.path)).or_default();
        for (at, doc) in source.text.lines().enumerate().filter_map(|(at, line)| Some((at, doc_text(line)?)))
        {
            lines.all += 1;
            if RIDDLES.iter().any(|word| opens_with(doc, word)) {
                lines.riddles.push(format!("{}:{}: {doc}", source.path, at + 1));
            }
        }
    }
    let over = folders.into_iter().filter(|(_, lines)| lines.riddles.len() * 100 > lines.all * LIMIT_PERCENT);
    over.map(|(folder, lines)| {
        let first: Vec<&str> = lines.riddles.iter().take(SHOWN).map(String::as_str).collect();
        let first = first.join("\n  ");
        format!(
            "{folder}: {} of {} doc lines open with {}; say what it does, returns or is\n  {first}",
            lines.riddles.len(),
            lines.all,
            RIDDLES.join(", ")
        )
    })
    .collect()
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
}
