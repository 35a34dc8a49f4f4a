//! The documents that every reader looks for are there, and the change log is open.

use super::Repository;

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

/// Documents that are missing or empty, and a change log without a place for the next change.
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
    findings
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
}
