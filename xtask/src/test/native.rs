//! The tests of the whole workspace on this machine, and the examples in its documentation.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::count::{Count, counted};
use crate::out;
use crate::proc::Cmd;
use crate::setup::kubectl;

/// Runs them with cargo's own runner, which says why a test is skipped.
pub(crate) fn run(root: &Path, filter: Option<&str>) -> Result<Count> {
    let kubectl = kubectl::ensure();
    out::step("native tests");
    let tests = counted(told(cargo_test(root, filter), kubectl))?;
    let tests = match filter {
        None => tests.plus(systems_alone(root)?).plus(in_pieces(root)?),
        Some(_) => tests,
    };
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

/// Tells builds of tests that `kubectl` is available now.
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
        ]);
        count = count.plus(counted(tests)?);
    }
    Ok(count)
}

/// Runs the tests of code that is fetched as in the page.
fn in_pieces(root: &Path) -> Result<Count> {
    out::step("worlds whose systems are fetched when they are needed");
    counted(Cmd::new("cargo").dir(root).args([
        "test",
        "--locked",
        "--package",
        "planarium-tests",
        "--package",
        "planarium-worker",
        "--features",
        "planarium-tests/split,planarium-worker/split",
        "--no-fail-fast",
        "--lib",
        "--test",
        "pieces",
    ]))
}

fn cargo_test(root: &Path, filter: Option<&str>) -> Cmd {
    Cmd::new("cargo")
        .dir(root)
        .args(["test", "--locked", "--workspace", "--features", "xtask/bench", "--no-fail-fast"])
        .args(["--lib", "--bins", "--tests", "--"])
        .args(filter)
}
