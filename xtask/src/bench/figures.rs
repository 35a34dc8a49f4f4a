//! The table: each figure with its budget beside it, and whether anything must fail the task.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::out;

/// A budget and its stretch, with the direction that is good.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Budget {
    /// Nothing is asked of this figure.
    None,
    /// At most this; stretch at most that.
    AtMost(f64, f64),
    /// At least this; stretch at least that.
    AtLeast(f64, f64),
}

/// Figures so far.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    failures: Vec<String>,
    missed: Vec<String>,
    /// Absolute times in nanoseconds by workload, for comparison with peers.
    times: BTreeMap<&'static str, f64>,
}

impl Figures {
    /// Prints one figure with its budget.
    pub(crate) fn row(&mut self, what: &str, value: f64, unit: &str, budget: Budget) {
        let (verdict, budget) = match budget {
            Budget::None => ("", String::new()),
            Budget::AtMost(limit, stretch) => {
                (verdict(value <= limit, value <= stretch), format!("budget <= {limit}, stretch {stretch}"))
            }
            Budget::AtLeast(limit, stretch) => {
                (verdict(value >= limit, value >= stretch), format!("budget >= {limit}, stretch {stretch}"))
            }
        };
        if verdict == MISSED {
            self.missed.push(what.to_owned());
        }
        let value = format!("{}{unit}", shown(value));
        out::say(format!("  {what:<58} {value:>16}  {budget:<34} {verdict}").trim_end());
    }

    /// Records a failure, independent of the times.
    pub(crate) fn fail(&mut self, what: String) {
        out::warn(&what);
        self.failures.push(what);
    }

    /// Keeps a time for comparison with peers. *Units*: nanoseconds for the whole workload.
    pub(crate) fn keep(&mut self, workload: &'static str, ns: f64) {
        self.times.insert(workload, ns);
    }

    /// A time kept earlier.
    pub(crate) fn kept(&self, workload: &str) -> Option<f64> {
        self.times.get(workload).copied()
    }

    /// Prints the conclusion; an error when something is wrong.
    pub(crate) fn finish(self) -> Result<()> {
        if self.missed.is_empty() {
            out::say("every figure with a budget is within it");
        } else {
            out::say(format!("over budget: {}", self.missed.join("; ")));
        }
        if self.failures.is_empty() {
            return Ok(());
        }
        bail!("{}", self.failures.join("\n"))
    }
}

const MISSED: &str = "over budget";

const fn verdict(met: bool, stretch: bool) -> &'static str {
    match (met, stretch) {
        (_, true) => "met, stretch too",
        (true, false) => "met",
        (false, false) => MISSED,
    }
}

/// Three significant digits, thousands grouped.
fn shown(value: f64) -> String {
    if value >= 1000.0 {
        let digits = format!("{value:.0}");
        let groups: Vec<&str> =
            digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
        return groups.join(",");
    }
    let decimals = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.061, "0.06"),
            (1.384, "1.38"),
            (31.26, "31.3"),
            (444.4, "444"),
            (35_123.4, "35,123"),
            (999_999.6, "1,000,000"),
        ] {
            assert_eq!(super::shown(value), text);
        }
    }
}
