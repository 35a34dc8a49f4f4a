//! No source file over 800 lines without a reason in its opening comment.

use super::Repository;

/// The length from which on a reason is asked for.
const LIMIT: usize = 800;

/// Lines at the start of a file in which its opening comment is looked for.
const OPENING: usize = 60;

/// Files that are too long.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    repository
        .sources
        .iter()
        .filter(|source| source.is(&["rs", "js", "mjs", "css"]))
        .filter_map(|source| {
            let lines = source.text.lines().count();
            let justified = source.text.lines().take(OPENING).any(|line| is_reason(line.trim()));
            (lines > LIMIT && !justified).then(|| {
                format!(
                    "{}: {lines} lines; find a seam, or say why in a line `Length:` of its opening comment",
                    source.path
                )
            })
        })
        .collect()
}

fn is_reason(line: &str) -> bool {
    ["//! Length: ", "* Length: ", "// Length: "].iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn long_files_need_a_reason() {
        let long = "x\n".repeat(LIMIT + 1);
        let reasoned = format!("//! Table.\n//! Length: one table.\n{long}");
        let edge = "x\n".repeat(LIMIT);
        let found =
            check(&fixture(&[("a.rs", &long), ("b.rs", &reasoned), ("c.rs", &edge), ("d.md", &long)]));
        assert_eq!(found.len(), 1);
        assert!(found.iter().all(|finding| finding.starts_with("a.rs: 801 lines")));
    }
}
