//! No lint is silenced without a reason.

use super::Repository;

/// `allow` attributes that give no reason.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for source in repository.sources.iter().filter(|source| source.is(&["rs"])) {
        for (at, start) in attributes(&source.text) {
            let rest = source.text.get(at..).unwrap_or_default();
            let attribute = rest.split_once(']').map_or(rest, |(attribute, _)| attribute);
            if !attribute.contains("reason") {
                let line = source.text.get(..at).unwrap_or_default().lines().count().max(1);
                findings.push(format!(
                    "{}:{line}: {start}...)] without a reason; write #[expect(LINT, reason = \"...\")]",
                    source.path
                ));
            }
        }
    }
    findings
}

/// Returns the lines that begin with an `allow` attribute.
fn attributes(text: &str) -> Vec<(usize, &'static str)> {
    let outer = concat!("#[", "allow(");
    let inner = concat!("#![", "allow(");
    let mut found = Vec::new();
    for start in [outer, inner] {
        for (at, _) in text.match_indices(start) {
            let line = text.get(..at).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
            if line.trim().is_empty() {
                found.push((at, start));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn a_reason_is_required() {
        let allow = concat!("#[", "allow(");
        for (text, fine) in [
            (format!("{allow}dead_code)]\nfn a() {{}}"), false),
            (format!("fn b() {{}}\n    {allow}dead_code, reason = \"kept for the wire\")]"), true),
            (format!("//! do not write {allow}...)]"), true),
            ("#[expect(dead_code, reason = \"x\")]".to_owned(), true),
        ] {
            assert_eq!(check(&fixture(&[("a.rs", &text)])).is_empty(), fine, "{text}");
        }
    }
}
