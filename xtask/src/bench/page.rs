//! The page under crash loops: a browser's measurements, with their budgets.
//!
//! *Knows*: the measure `tests/browser/bench.mjs` and the limits of its figures. *Must not know*: how the page is built;
//! it measures the one in `dist/`, or the one that `PLANARIUM_DIST` names.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::figures::{Budget, Figures};
use crate::setup::{browser, npm};
use crate::{files, out};

/// Measures and prints.
pub(crate) fn run(seconds: Option<&str>, figures: &mut Figures) -> Result<()> {
    let folder = files::browser_tests(&files::root()?);
    npm::ensure(&folder, "the packages of the browser tests (playwright-core, axe-core, pngjs, typescript)")?;
    let chromium = browser::ensure()?;
    out::step("the page under crash loops");
    let mut command = Command::new("node");
    command.current_dir(&folder).arg("bench.mjs").args(seconds).env("PLANARIUM_CHROMIUM", chromium);
    let output = command.output().context("node does not start")?;
    if !output.status.success() {
        bail!("the measure failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut parts = line.split('\t');
        let (Some(case), Some(figure), Some(value)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let value = value.parse().with_context(|| format!("no number in `{line}`"))?;
        let budget = match figure {
            _ if figure.contains("median") => Budget::AtLeast(50.0, 60.0),
            _ if figure.contains("between frames") => Budget::AtMost(17.0, 17.0),
            _ if figure.contains("longest task") => Budget::AtMost(50.0, 0.0),
            _ if figure.contains("processor") => Budget::AtMost(20.0, 10.0),
            _ if figure.contains("kilobytes") && case.starts_with("10,000 steps") => {
                Budget::AtMost(10.0, 3.0)
            }
            _ if figure.contains("nodes") => Budget::AtMost(1.0, 0.5),
            _ if figure.contains("gained") => Budget::AtMost(64.0, 16.0),
            _ => Budget::None,
        };
        figures.row(&format!("{case}: {figure}"), value, "", budget);
    }
    Ok(())
}
