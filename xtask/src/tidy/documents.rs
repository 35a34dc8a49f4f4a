//! Checks that the usual documents exist, the change log is open, and the glossary defines each term once.

use super::Repository;
use std::collections::BTreeMap;

/// Documents that must exist.
const DOCUMENTS: [&str; 7] = [
    "LICENSE",
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/glossary.md",
    "docs/fidelity.md",
];

/// The file whose tables define the words of this repository.
const GLOSSARY: &str = "docs/glossary.md";

/// Documents that are missing or empty, a change log without a place for the next change, and terms that are defined twice.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut findings: Vec<String> = DOCUMENTS
        .iter()
        .filter(|path| repository.text(path).is_none_or(|text| text.trim().is_empty()))
        .map(|path| format!("{path} is missing or empty"))
        .collect();
    if let Some(log) = repository.text("CHANGELOG.md")
        && !log.lines().any(|line| line.starts_with('#') && line.contains("Unreleased"))
    {
        findings.push("CHANGELOG.md has no heading `Unreleased`".to_owned());
    }
    findings.extend(defined_twice(repository.text(GLOSSARY).unwrap_or_default()));
    findings
}

/// Terms that one table of the glossary defines in two rows. Tables of different systems may share a word.
fn defined_twice(glossary: &str) -> Vec<String> {
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    let mut findings = Vec::new();
    for (index, line) in glossary.lines().enumerate() {
        let Some(row) = line.strip_prefix('|') else {
            if line.starts_with('#') {
                rows.clear();
            }
            continue;
        };
        for term in terms(row.split('|').next().unwrap_or_default()) {
            let number = index + 1;
            match rows.get(&term) {
                Some(first) if *first != number => findings.push(format!(
                    "{GLOSSARY}:{number} defines `{term}` again, line {first} defines it, too"
                )),
                Some(_) => {}
                None => {
                    rows.insert(term, number);
                }
            }
        }
    }
    findings
}

/// The terms of a row's first cell in lower case: `Plan, Phase` are two terms.
fn terms(cell: &str) -> impl Iterator<Item = String> {
    let words = cell.split([',', ';', '/', ':']).map(|term| term.trim().trim_matches('`').to_lowercase());
    words.filter(|term| term.chars().any(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn missing_and_empty_documents_are_named() {
        let all: Vec<(&str, &str)> = DOCUMENTS
            .iter()
            .map(|path| (*path, if *path == "CHANGELOG.md" { "## Unreleased\n" } else { "text" }))
            .collect();
        assert_eq!(check(&fixture(&all)), Vec::<String>::new());
        assert_eq!(check(&fixture(&[])).len(), DOCUMENTS.len());
        let closed = check(&fixture(&[("CHANGELOG.md", "## 0.1.0"), ("LICENSE", " ")]));
        assert_eq!(closed.len(), DOCUMENTS.len());
    }

    #[test]
    fn a_term_is_defined_once_in_a_table() {
        let head = "| Word | Meaning |\n|---|---|\n";
        let once = format!("{head}| Plan, Phase | x |\n\n## Other\n\n{head}| plan | y |\n");
        assert_eq!(defined_twice(&once), Vec::<String>::new(), "each table is another vocabulary");
        let twice = format!("{head}| Process | x |\n| Scheduler, `process` | y |\n");
        let found = defined_twice(&twice);
        assert_eq!(found, ["docs/glossary.md:4 defines `process` again, line 3 defines it, too"]);
        assert_eq!(
            check(&fixture(&[(GLOSSARY, &twice)])).iter().filter(|one| one.contains("again")).count(),
            1
        );
    }
}
