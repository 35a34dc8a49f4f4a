//! No file names a folder of the machine it was written on.

use super::Repository;

/// Folders that exist only on a single machine. Written in halves, so that this file does not contain them.
const FOLDERS: [(&str, &str); 6] =
    [("/wo", "rk/"), ("/tm", "p/"), ("/ro", "ot/"), ("/ho", "me/"), ("/fa", "rm/"), ("/Us", "ers/")];

/// Reports lines with such a folder.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let folders: Vec<String> = FOLDERS.iter().map(|(start, end)| format!("{start}{end}")).collect();
    let mut findings = Vec::new();
    for source in &repository.sources {
        for (number, line) in (1..).zip(source.text.lines()) {
            for folder in folders.iter().filter(|folder| holds(line, folder)) {
                findings.push(format!("{}:{number}: names the machine path {folder}", source.path));
            }
        }
    }
    findings
}

/// Returns whether a line holds the folder as the start of an absolute path, not inside another path or address.
fn holds(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        before.is_none_or(|c| !(c.is_alphanumeric() || "._-}/".contains(c)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    #[test]
    fn only_the_start_of_a_path_counts() {
        let path = format!("{}{}", "/ho", "me/");
        for (line, found) in [
            (format!("see {path}x"), true),
            (format!("\"{path}x\""), true),
            (path.clone(), true),
            (format!("https://example.com{path}x"), false),
            (format!("v1{path}"), false),
        ] {
            let repository = fixture(&[("a.txt", &line)]);
            assert_eq!(!check(&repository).is_empty(), found, "{line}");
        }
    }
}
