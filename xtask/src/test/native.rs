//! The tests of the whole workspace on this machine, and the examples in its documentation.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::count::{Count, counted};
use crate::out;
use crate::proc::{Cmd, find};
use crate::setup::kubectl;

/// Runs them, with cargo-nextest where it is installed.
pub(crate) fn run(root: &Path, filter: Option<&str>) -> Result<Count> {
    let kubectl = kubectl::ensure();
    out::step("native tests");
    let tests = if find("cargo-nextest").is_some() {
        let tests = counted(told(nextest(root, filter), kubectl))?;
        // It counts what the filter leaves out as skipped.
        Count { skipped: if filter.is_some() { 0 } else { tests.skipped }, ..tests }
    } else {
        counted(told(cargo_test(root, filter), kubectl))?
    };
    let tests = if filter.is_none() { tests.plus(systems_alone(root)?) } else { tests };
    out::step("examples in the documentation");
    let doc = Cmd::new("cargo").dir(root).args([
        "test",
        "--locked",
        "--workspace",
        "--doc",
        "--no-fail-fast",
        "--",
    ]);
    Ok(tests.plus(counted(doc.args(filter))?))
}

/// Builds of tests learn from it that there is a `kubectl` by now.
fn told(command: Cmd, kubectl: Option<PathBuf>) -> Cmd {
    match kubectl {
        Some(program) => command.env("PLANARIUM_KUBECTL", program),
        None => command,
    }
}

/// The gallery of each system in a build without the others: the same transcripts, the same digests.
fn systems_alone(root: &Path) -> Result<Count> {
    let mut count = Count::default();
    for features in crate::size::systems_alone() {
        out::step(format!("the gallery with nothing but `{features}`"));
        let tests = Cmd::new("cargo").dir(root).args([
            "test",
            "--locked",
            "--package",
            "planarium-tests",
            "--no-default-features",
            "--features",
            features,
            "--no-fail-fast",
            "--test",
            "scenarios",
            "--test",
            "cross_digest",
            "--",
            "--quiet",
        ]);
        count = count.plus(counted(tests)?);
    }
    Ok(count)
}

fn nextest(root: &Path, filter: Option<&str>) -> Cmd {
    Cmd::new("cargo")
        .dir(root)
        .args(["nextest", "run", "--locked", "--workspace", "--features", "xtask/bench", "--no-fail-fast"])
        .args(["--no-tests", "pass", "--status-level", "fail", "--hide-progress-bar"])
        .args(filter)
}

fn cargo_test(root: &Path, filter: Option<&str>) -> Cmd {
    Cmd::new("cargo")
        .dir(root)
        .args(["test", "--locked", "--workspace", "--features", "xtask/bench", "--no-fail-fast"])
        .args(["--lib", "--bins", "--tests", "--", "--quiet"])
        .args(filter)
}
