//! Every golden file belongs to an example, an input file or a test that names it.

use super::Repository;

/// Folder of golden files.
const FOLDER: &str = "tests/golden";

/// Golden files that nothing produces any more.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    repository
        .below(FOLDER)
        .filter(|golden| !golden.path.ends_with("README.md"))
        .filter(|golden| !is_used(repository, stem(&golden.path)))
        .map(|golden| {
            format!("{}: no example, input or test is called or names `{}`", golden.path, stem(&golden.path))
        })
        .collect()
}

fn is_used(repository: &Repository, stem: &str) -> bool {
    let inputs = ["examples", "tests"].iter().flat_map(|folder| repository.below(folder));
    inputs.filter(|source| !source.path.starts_with(FOLDER)).any(|source| {
        source.path.split('/').any(|part| part == stem || self::stem(part) == stem)
            || source.is(&["rs"]) && mentions(&source.text, stem)
    })
}

/// The file name up to its first dot.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns whether a text holds the name as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.split(|c: char| !is_part(c)).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn orphans_are_found() {
        let found = check(&fixture(&[
            ("tests/golden/hello.txt", ""),
            ("tests/golden/rollup-table.txt", ""),
            ("tests/golden/wire/plans.json", ""),
            ("tests/golden/left-over.txt", ""),
            ("examples/hello/svc.yml", ""),
            ("tests/suite/rollup.rs", "check(\"rollup-table\");"),
            ("tests/input/plans.json", ""),
        ]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found.iter().all(|finding| finding.contains("left-over")));
    }
}
