//! `cargo xtask bless`: accepts the present output of the golden suites.

use anyhow::Result;

use crate::files;
use crate::out;
use crate::proc::Cmd;

/// Reruns the golden suites so that they write their files, then lists what changed.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    let root = files::root()?;
    out::step("running the golden suites with PLANARIUM_BLESS=1");
    let passed = Cmd::new("cargo")
        .dir(&root)
        .env("PLANARIUM_BLESS", "1")
        .args(["test", "--quiet", "--package", "planarium-tests", "--"])
        .args(args)
        .status()?
        .success();
    let changed =
        Cmd::new("git").dir(&root).args(["status", "--short", "--", "tests", "examples", "docs"]).answer();
    match changed.as_deref() {
        None => out::warn("git does not answer, so what changed is not listed"),
        Some("") => out::say("no golden file changed"),
        Some(list) => {
            out::say(format!("changed files, to be read before they are committed (git diff):\n{list}"));
        }
    }
    Ok(passed)
}
