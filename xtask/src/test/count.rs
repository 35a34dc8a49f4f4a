//! Passed, failed and skipped tests, read from what the test programs print.

use std::fmt;
use std::process::ExitStatus;

use anyhow::Result;

use crate::proc::Cmd;

/// Passed, failed and skipped tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    /// Those that could not run for want of something: real definitions that are not at hand.
    pub(crate) skipped: u32,
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

    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }

    /// Whether nothing ran.
    pub(crate) fn is_empty(self) -> bool {
        self.passed == 0 && self.failed == 0
    }

    /// A program that says no although it counted no failed test broke elsewhere: while building, or by a crash.
    fn checked(self, status: ExitStatus) -> Self {
        if status.success() || self.failed > 0 { self } else { self.plus(Self::could_not_run()) }
    }
}

/// Runs a test program, shows its output and counts.
pub(crate) fn counted(cmd: Cmd) -> Result<Count> {
    let mut count = Count::default();
    let status = cmd.watch(|line| {
        if let Some(more) = read_line(line) {
            count = count.plus(more);
        }
    })?;
    Ok(count.checked(status))
}

/// What a line adds to the count, when it is a summary line of one of the test programs.
fn read_line(line: &str) -> Option<Count> {
    let line = plain(line);
    // What a failed test said is shown further in, and it may end like a program's own summary.
    if let Some(rest) = line.strip_prefix("test result:") {
        return Some(Count {
            passed: before(rest, "passed"),
            failed: before(rest, "failed"),
            skipped: before(rest, "ignored"),
        });
    }
    if let Some(rest) = line.trim_start().strip_prefix("Summary [") {
        let failed = ["failed", "timed", "exec"].iter().map(|word| before(rest, word)).sum();
        return Some(Count { passed: before(rest, "passed"), failed, skipped: before(rest, "skipped") });
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

/// The number that stands right before a word.
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
            ("     Summary [   0.512s] 10 tests run: 10 passed (1 slow), 2 skipped", (10, 0, 2)),
            (
                "     Summary [   0.512s] 9/10 tests run: 6 passed, 2 failed, 1 timed out, 0 skipped",
                (6, 3, 0),
            ),
            (
                "\u{1b}[32;1m     Summary\u{1b}[0m [   0.0s] 4 tests run: 4 \u{1b}[32mpassed\u{1b}[0m, 0 skipped",
                (4, 0, 0),
            ),
            ("ℹ pass 7", (7, 0, 0)),
            ("ℹ fail 2", (0, 2, 0)),
            ("# pass 5", (5, 0, 0)),
            ("# cancelled 1", (0, 1, 0)),
            ("ℹ skipped 3", (0, 0, 3)),
        ];
        for (line, (passed, failed, skipped)) in cases {
            assert_eq!(read_line(line), Some(Count { passed, failed, skipped }), "{line}");
        }
    }

    #[test]
    fn other_lines_count_for_nothing() {
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
        let counted = Count { passed: 1, failed: 2, skipped: 0 };
        assert_eq!(counted.checked(broken), counted);
        assert_eq!(Count::default().checked(ExitStatus::from_raw(0)), Count::default());
    }
}
