//! Nothing unfinished and nothing for debugging.

use super::Repository;

/// Macros that have no place here. Written in halves, so that this file does not hold them.
const MACROS: [(&str, &str); 3] = [("todo", "!("), ("unimplemented", "!("), ("dbg", "!(")];

/// Words that promise a later change.
const WORDS: [(&str, &str); 3] = [("TO", "DO"), ("FIX", "ME"), ("XX", "X")];

/// Reports lines with one of them.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let joined = |pairs: &[(&str, &str)]| -> Vec<String> {
        pairs.iter().map(|(start, end)| format!("{start}{end}")).collect()
    };
    let (macros, words) = (joined(&MACROS), joined(&WORDS));
    let mut findings = Vec::new();
    for source in repository.sources.iter().filter(|source| source.is(&["rs", "js", "mjs", "css", "toml"])) {
        for (number, line) in (1..).zip(source.text.lines()) {
            for name in macros.iter().filter(|name| line.contains(name.as_str())) {
                findings.push(format!("{}:{number}: {name})", source.path));
            }
            for word in words.iter().filter(|word| has_word(line, word)) {
                findings.push(format!("{}:{number}: {word}", source.path));
            }
        }
    }
    findings
}

fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|found| found == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn unfinished_code_is_found() {
        for (start, end) in MACROS.iter().chain(&WORDS) {
            let line = format!("    {start}{end});");
            assert_eq!(check(&fixture(&[("a.rs", &line)])).len(), 1, "{line}");
        }
        assert!(check(&fixture(&[("a.rs", "let todos = 1; mastodon!(); // TODOS")])).is_empty());
    }
}
