//! Building the page with trunk.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};

use crate::files;
use crate::out;
use crate::proc::{Cmd, search_path};
use crate::setup::{WasmToolchain, npm};

/// A trunk command with everything it looks for on its path, and with a build folder of its own.
pub(crate) fn trunk(root: &Path, toolchain: &WasmToolchain) -> Cmd {
    let path: OsString = search_path(&[npm::bin(root)]);
    Cmd::new("trunk")
        .dir(root)
        .env("PATH", path)
        .env("CARGO_TARGET_DIR", files::web_target(root))
        .envs(toolchain.env())
        // Trunk takes this variable for its own option and refuses common values of it.
        .without_env("NO_COLOR")
}

/// Compiles what [`trunk`] puts together, as it does.
pub(crate) fn crates(root: &Path, toolchain: &WasmToolchain, release: bool) -> Result<()> {
    let cargo = Cmd::new("cargo")
        .dir(root)
        .env("CARGO_TARGET_DIR", files::web_target(root))
        .envs(toolchain.env())
        .args(["build", "--package", "planarium-web", "--bin", "planarium-web"])
        .args(["--target", "wasm32-unknown-unknown"]);
    let cargo = if release { cargo.args(["--profile", "wasm-release"]) } else { cargo };
    cargo.condensed("compiling the page")
}

/// Builds the release page into `dist/`.
pub(crate) fn build_release(root: &Path, toolchain: &WasmToolchain) -> Result<()> {
    out::step("building the release page into dist/");
    trunk(root, toolchain)
        .args(["build", "--release", "--dist"])
        .arg(files::dist(root))
        .run()
        .context("the page did not build")
}
