//! Passed, failed and skipped tests, read from the test programs' output.

use std::collections::BTreeMap;
use std::fmt;
use std::process::ExitStatus;

use anyhow::Result;

use crate::proc::Cmd;

/// Passed, failed and skipped tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    /// Tests that could not run because something is missing, such as real definitions.
    pub(crate) skipped: u32,
    /// Reasons for skipped tests, with their numbers.
    pub(crate) reasons: BTreeMap<String, u32>,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

impl Count {
    /// A suite that could not even start is one failure.
    pub(crate) fn could_not_run() -> Self {
        Self { failed: 1, ..Self::default() }
    }

    /// Counts tests that could not run, all for one reason.
    pub(crate) fn skipped_for(reason: String, skipped: u32) -> Self {
        Self { skipped, reasons: BTreeMap::from([(reason, skipped)]), ..Self::default() }
    }

    /// Both together.
    pub(crate) fn plus(mut self, other: Self) -> Self {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        for (reason, times) in other.reasons {
            *self.reasons.entry(reason).or_default() += times;
        }
        self
    }

    /// A line for each reason why tests were skipped, and one for those that gave none.
    pub(crate) fn why_skipped(&self) -> Vec<String> {
        let told: u32 = self.reasons.values().sum();
        let silent = self.skipped.checked_sub(told).filter(|silent| *silent > 0);
        let reasons = self.reasons.iter().map(|(reason, times)| (reason.as_str(), *times));
        let rows = reasons.chain(silent.map(|silent| ("no reason given", silent)));
        rows.map(|(reason, times)| format!("skipped  {times}: {reason}")).collect()
    }

    /// Returns whether nothing ran.
    pub(crate) fn is_empty(&self) -> bool {
        self.passed == 0 && self.failed == 0
    }

    /// A program that says no although it counted no failed test broke elsewhere: while building, or by a crash.
    fn checked(self, status: ExitStatus) -> Self {
        if status.success() || self.failed > 0 { self } else { self.plus(Self::could_not_run()) }
    }
}

/// Runs a test program, shows its output but for the tests that passed, and counts.
pub(crate) fn counted(cmd: Cmd) -> Result<Count> {
    let mut count = Count::default();
    let status = cmd.watch(|line| {
        if let Some(more) = read_line(line) {
            count = std::mem::take(&mut count).plus(more);
        }
        if let Some(reason) = reason(line) {
            *count.reasons.entry(reason).or_default() += 1;
        }
        !(line.starts_with("test ") && line.ends_with(" ... ok"))
    })?;
    Ok(count.checked(status))
}

/// The reason in a line about a skipped test: `test NAME ... ignored, REASON`, and of Node's runner `﹣ NAME (TIME) # REASON`.
fn reason(line: &str) -> Option<String> {
    let line = plain(line);
    let rust = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ignored, "));
    let node = || line.trim_start().strip_prefix("﹣ ")?.rsplit_once(" # ");
    let (_, reason) = rust.or_else(node)?;
    Some(reason.trim().to_owned())
}

/// Returns the counts in a summary line of one of the test programs.
fn read_line(line: &str) -> Option<Count> {
    let line = plain(line);
    // The output of a failed test is indented, and may end like a program's own summary.
    if let Some(rest) = line.strip_prefix("test result:") {
        return Some(Count {
            passed: before(rest, "passed"),
            failed: before(rest, "failed"),
            skipped: before(rest, "ignored"),
            ..Count::default()
        });
    }
    let rest = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# "))?;
    let (word, number) = rest.split_once(' ')?;
    let number = number.trim_end().parse().ok()?;
    match word {
        "pass" => Some(Count { passed: number, ..Count::default() }),
        "fail" | "cancelled" => Some(Count { failed: number, ..Count::default() }),
        "skipped" | "todo" => Some(Count { skipped: number, ..Count::default() }),
        _ => None,
    }
}

/// Returns the number directly before a word.
fn before(text: &str, word: &str) -> u32 {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || ",;().".contains(c)).filter(|w| !w.is_empty()).collect();
    words
        .windows(2)
        .find_map(|pair| match pair {
            [number, found] if *found == word => number.parse().ok(),
            _ => None,
        })
        .unwrap_or(0)
}

/// A line without terminal colours.
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            for c in chars.by_ref() {
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_lines_of_every_test_program_are_read() {
        let cases = [
            (
                "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
                (12, 0, 1),
            ),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 filtered out", (3, 2, 0)),
            ("ℹ pass 7", (7, 0, 0)),
            ("ℹ fail 2", (0, 2, 0)),
            ("# pass 5", (5, 0, 0)),
            ("# cancelled 1", (0, 1, 0)),
            ("ℹ skipped 3", (0, 0, 3)),
        ];
        for (line, (passed, failed, skipped)) in cases {
            let want = Count { passed, failed, skipped, ..Count::default() };
            assert_eq!(read_line(line), Some(want), "{line}");
        }
    }

    #[test]
    fn skipped_tests_are_listed_with_their_reasons() {
        for (line, want) in [
            ("test real::all ... ignored, no packages", Some("no packages")),
            ("test real::all ... ignored", None),
            ("test real::all ... ok", None),
            ("﹣ shares it (1.5ms) # Firefox is not installed", Some("Firefox is not installed")),
            ("✔ shares it (1.5ms)", None),
        ] {
            assert_eq!(reason(line).as_deref(), want, "{line}");
        }
        let count = Count { skipped: 1, ..Count::default() };
        let count = count.plus(Count::skipped_for("b".into(), 2)).plus(Count::skipped_for("b".into(), 3));
        assert_eq!(count.why_skipped(), ["skipped  5: b", "skipped  1: no reason given"]);
        assert_eq!(Count::default().why_skipped(), Vec::<String>::new());
    }

    #[test]
    fn other_lines_are_ignored() {
        for line in [
            "test a::b ... ok",
            "ℹ tests 7",
            "ℹ duration_ms 12.5",
            "# Subtest: pass 3",
            "running 3 tests",
            "    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 18 filtered out",
            "    # fail 1",
            "",
        ] {
            assert_eq!(read_line(line), None, "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_breaks_without_a_failed_test_is_a_failure() {
        use std::os::unix::process::ExitStatusExt;
        let broken = ExitStatus::from_raw(256);
        assert_eq!(Count::default().checked(broken), Count::could_not_run());
        let counted = Count { passed: 1, failed: 2, ..Count::default() };
        assert_eq!(counted.clone().checked(broken), counted);
        assert_eq!(Count::default().checked(ExitStatus::from_raw(0)), Count::default());
    }
}
