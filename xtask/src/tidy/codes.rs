//! Every diagnostic code in the crates has a page, and every page a code.

use std::collections::BTreeMap;

use super::Repository;

/// Folder of the pages.
const PAGES: &str = "docs/diagnostics";

/// Names that look like codes but are not.
const OTHER: [&str; 6] = ["SHA256", "SHA384", "SHA512", "AES128", "AES256", "UTF016"];

/// Codes without a page, pages without a code, pages that do not name their code.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut codes: BTreeMap<String, String> = BTreeMap::new();
    for source in repository.below("crates").filter(|source| source.is(&["rs"]) && is_code_path(&source.path))
    {
        for code in codes_in(shipped(&source.text)) {
            codes.entry(code).or_insert_with(|| source.path.clone());
        }
    }
    let mut findings = Vec::new();
    for (code, path) in &codes {
        match repository.text(&format!("{PAGES}/{code}.md")) {
            None => findings.push(format!("{path}: {code} has no page {PAGES}/{code}.md")),
            Some(text) if !text.contains(code.as_str()) => {
                findings.push(format!("{PAGES}/{code}.md does not name its code"));
            }
            Some(_) => {}
        }
    }
    for page in repository.below(PAGES) {
        let stem = page.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
        if is_code(stem) && !codes.contains_key(stem) {
            findings.push(format!("{}: no crate has the code {stem}", page.path));
        }
    }
    findings
}

/// Returns whether a path is that of code that is shipped; tests make up codes of their own.
fn is_code_path(path: &str) -> bool {
    path.contains("/src/") && !path.contains("/tests/") && !path.ends_with("tests.rs")
}

/// A file without the tests at its end.
fn shipped(text: &str) -> &str {
    text.split_once("#[cfg(test)]").map_or(text, |(before, _)| before)
}

/// String literals of a text that are codes.
fn codes_in(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split('"').skip(1).step_by(2))
        .filter(|literal| is_code(literal))
        .map(str::to_owned)
        .collect()
}

/// Two to eight capitals and three digits.
fn is_code(text: &str) -> bool {
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
    (2..=8).contains(&letters.len())
        && letters.chars().all(|c| c.is_ascii_uppercase())
        && text.len() == letters.len() + 3
        && !OTHER.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn codes_are_distinguished_from_other_names() {
        for (text, code) in [
            ("SDK012", true),
            ("YAML001", true),
            ("SDK12", false),
            ("SDK0123", false),
            ("sdk012", false),
            ("SHA256", false),
        ] {
            assert_eq!(is_code(text), code, "{text}");
        }
    }

    #[test]
    fn codes_and_pages_belong_together() {
        let found = check(&fixture(&[
            (
                "crates/systems/sdk/src/codes.rs",
                "const A: &str = \"SDK001\";\n// \"SDK777\"\nconst B: &str = \"SDK002\";\n#[cfg(test)]\n\"SDK778\"",
            ),
            ("crates/systems/sdk/src/decode/tests.rs", "\"SDK779\""),
            ("docs/diagnostics/SDK001.md", "# SDK001"),
            ("docs/diagnostics/SDK003.md", "# SDK003"),
            ("docs/diagnostics/README.md", "All of them."),
        ]));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|finding| finding.contains("SDK002 has no page")));
        assert!(found.iter().any(|finding| finding.contains("no crate has the code SDK003")));
    }
}
