//! Golden texts: the reviewed output, and the present one. `PLANARIUM_BLESS=1` writes instead of comparing.

use crate::files;
use std::fmt::Write as _;
use std::path::Path;

/// Returns whether goldens are written.
pub fn blessing() -> bool {
    std::env::var_os("PLANARIUM_BLESS").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Compares a text with the golden file at `path` (relative to the repository), or writes it. Answers what differs.
pub fn compare(path: &str, got: &str) -> Result<(), String> {
    let file = files::root().join(path);
    if blessing() {
        return std::fs::write(&file, got).map_err(|error| format!("{path}: {error}"));
    }
    let Ok(expected) = std::fs::read_to_string(&file) else {
        return Err(format!("{path} is missing: write it with `cargo xtask bless`, and read it"));
    };
    if expected == got { Ok(()) } else { Err(format!("{path}: {}", difference(&expected, got))) }
}

/// Returns whether the golden file exists.
pub fn exists(path: &str) -> bool {
    Path::new(&files::root()).join(path).is_file()
}

/// Returns the first difference of two texts.
pub fn difference(expected: &str, got: &str) -> String {
    let same = expected.lines().zip(got.lines()).take_while(|(a, b)| a == b).count();
    let mut out = format!("the texts part at line {}\n", same + 1);
    for line in expected.lines().skip(same.saturating_sub(2)).take(same.min(2)) {
        let _ = writeln!(out, "    {line}");
    }
    for line in expected.lines().skip(same).take(5) {
        let _ = writeln!(out, "  - {line}");
    }
    for line in got.lines().skip(same).take(5) {
        let _ = writeln!(out, "  + {line}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_show_the_position() {
        let text = difference("a\nb\nc\nd\n", "a\nb\nx\nd\n");
        assert_eq!(text, "the texts part at line 3\n    a\n    b\n  - c\n  - d\n  + x\n  + d\n");
    }

    #[test]
    fn a_missing_golden_is_a_difference() {
        if !blessing() {
            assert!(
                compare("tests/golden/never-written.txt", "").is_err_and(|why| why.contains("is missing"))
            );
        }
    }
}
