//! `cargo xtask ci` and `cargo xtask lint`: what has to pass before a merge.

use std::path::Path;

use anyhow::Result;

use crate::files;
use crate::out;
use crate::proc::Cmd;
use crate::setup::{self, WasmToolchain};
use crate::{test, tidy};

/// The crates that are compiled for the browser.
const WASM_CRATES: [&str; 6] =
    ["--package", "planarium-web", "--package", "planarium-worker", "--package", "planarium-wasm"];

/// Format, lints, tidy, tests. Continues after a failure, so that one run shows all of them.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    anyhow::ensure!(args.is_empty(), "ci takes no arguments; see cargo xtask ci --help");
    let linted = lint(&[])?;
    out::step("tidy");
    let tidied = tidy::run(&[])?;
    let tested = test::run(&[])?;
    if !linted {
        out::warn("format or lints failed, see above");
    }
    if !tidied {
        out::warn("tidy failed, see above");
    }
    Ok(linted && tidied && tested)
}

/// Format check and clippy.
pub(crate) fn lint(args: &[String]) -> Result<bool> {
    anyhow::ensure!(args.is_empty(), "lint takes no arguments; see cargo xtask lint --help");
    let root = files::root()?;
    out::step("format");
    let formatted = Cmd::new("cargo").dir(&root).args(["fmt", "--all", "--check"]).status()?.success();
    out::step("clippy");
    let native =
        clippy(&root, &["--workspace", "--all-targets", "--all-features"], &WasmToolchain::pinned())?;
    let toolchain = setup::wasm(&root)?;
    if !toolchain.is_pinned() {
        out::warn(
            "clippy for wasm is skipped: the toolchain with that target has no clippy of the pinned version",
        );
        return Ok(formatted && native);
    }
    out::step("clippy for wasm");
    let mut wasm_args = WASM_CRATES.to_vec();
    wasm_args.extend(["--all-targets", "--target", "wasm32-unknown-unknown"]);
    let wasm = clippy(&root, &wasm_args, &toolchain)?;
    Ok(formatted && native && wasm)
}

fn clippy(root: &Path, args: &[&str], toolchain: &WasmToolchain) -> Result<bool> {
    let mut cargo = Cmd::new("cargo").dir(root).envs(toolchain.env()).args(["clippy", "--locked"]).args(args);
    if args.contains(&"--target") {
        cargo = cargo.env("CARGO_TARGET_DIR", files::web_target(root));
    }
    Ok(cargo.args(["--", "--deny", "warnings"]).status()?.success())
}
