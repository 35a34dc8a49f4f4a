//! One habit for modules: what has parts is a folder with a `mod.rs`.

use std::collections::BTreeSet;

use super::Repository;

/// Reports files next to a folder with their name. The suites in a crate's `tests/` are targets of cargo, not modules.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let modules = || {
        let sources = repository.sources.iter().filter(|source| source.is(&["rs"]));
        sources.filter_map(|source| source.path.strip_suffix(".rs"))
    };
    let folders: BTreeSet<&str> = modules().flat_map(above).collect();
    modules()
        .filter(|module| module.contains("src/") && folders.contains(module))
        .map(|module| format!("{module}.rs: it has a folder of its name; move it there as mod.rs"))
        .collect()
}

/// The parent folders of a file.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(..at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn a_module_with_parts_is_a_folder() {
        for (files, want) in [
            (["crates/a/src/b.rs", "crates/a/src/b/c.rs"], 1),
            (["crates/a/src/b/mod.rs", "crates/a/src/b/c.rs"], 0),
            (["crates/a/src/b.rs", "crates/a/src/bc/d.rs"], 0),
            (["crates/a/tests/b.rs", "crates/a/tests/b/c.rs"], 0),
        ] {
            assert_eq!(check(&fixture(&files.map(|path| (path, "")))).len(), want, "{files:?}");
        }
    }
}
