//! Rust programs that tests need: wasm-bindgen's runner, and the older mdBook.
//!
//! They are installed with cargo from crates.io and compiled for a short installation, not for speed. Building the page takes
//! wasm-bindgen's library alone, see `xtask/bindgen`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;
use crate::out;
use crate::proc::{Cmd, find};

/// Build settings of a tool that is installed once and hardly ever runs.
const CHEAP: [(&str, &str); 6] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
    ("CARGO_PROFILE_RELEASE_STRIP", "symbols"),
    // Without the tool's own lock file: take releases that this compiler can build.
    ("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback"),
];

/// Makes sure of the wasm-bindgen programs that fit the `wasm-bindgen` crate in `Cargo.lock`.
pub(crate) fn wasm_bindgen(root: &Path) -> Result<()> {
    let wanted = locked_version(root, "wasm-bindgen")?;
    let fits = |program: &str| version_of(program).as_deref() == Some(wanted.as_str());
    if fits("wasm-bindgen") && fits("wasm-bindgen-test-runner") {
        return Ok(());
    }
    out::step(format!("wasm-bindgen {wanted} is missing: its runner runs the tests in wasm"));
    if prebuilt(root, "wasm-bindgen-cli", &wanted) && fits("wasm-bindgen") && fits("wasm-bindgen-test-runner")
    {
        return Ok(());
    }
    // Its own lock file names releases that do not compile any more.
    install(root, "wasm-bindgen", &["install", "wasm-bindgen-cli", "--version", &wanted, "--force"])?;
    check("wasm-bindgen", &wanted)
}

/// The release of mdBook 0.4 whose builds are tested. mdBook 0.5 comes from PyPI, where 0.4 is not to be had.
const MDBOOK_04: &str = "0.4.52";

/// Makes sure of mdBook 0.4, compiled into `target/mdbook-0.4`; gives the program.
///
/// *Errors*: why it cannot be installed on this machine.
pub(super) fn mdbook_04(root: &Path) -> Result<PathBuf> {
    let home = root.join("target").join("mdbook-0.4");
    let program = home.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    let name = program.to_string_lossy().into_owned();
    let wanted = format!("v{MDBOOK_04}");
    if version_of(&name).as_deref() != Some(wanted.as_str()) {
        out::step(format!("mdBook {MDBOOK_04} is missing: books of that release are built in the tests"));
        let home = home.to_string_lossy();
        let source = ["install", "mdbook", "--version", MDBOOK_04, "--locked", "--no-default-features"];
        install(root, "mdBook 0.4", &[&source[..], &["--debug", "--force", "--root", &home]].concat())?;
        check(&name, &wanted)?;
    }
    Ok(program)
}

/// The version of a package in `Cargo.lock`.
fn locked_version(root: &Path, package: &str) -> Result<String> {
    let lock = files::read(&root.join("Cargo.lock"))?;
    version_in_lock(&lock, package).with_context(|| format!("Cargo.lock names no package {package}"))
}

fn version_in_lock(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines();
    lines.find(|line| *line == name)?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned)
}

/// Installs a prebuilt program if `cargo binstall` is available. If that fails, the program is compiled here.
fn prebuilt(root: &Path, package: &str, version: &str) -> bool {
    if find("cargo-binstall").is_none() {
        return false;
    }
    let args = [
        "binstall",
        "--no-confirm",
        "--force",
        "--disable-strategies",
        "compile",
        "--version",
        version,
        package,
    ];
    let got = Cmd::new("cargo").dir(root).args(args).condensed(&format!("getting {package}"));
    if let Err(reason) = &got {
        out::say(format!("   no prebuilt {package}: {reason:#}"));
    }
    got.is_ok()
}

fn install(root: &Path, label: &str, args: &[&str]) -> Result<()> {
    // A folder that survives an interrupted installation, so that the next run continues it.
    let build = root.join("target-tools");
    let mut cargo = Cmd::new("cargo").dir(root).args(args).env("CARGO_TARGET_DIR", &build);
    out::say(format!("   {} (a few minutes, once)", cargo.text()));
    for (key, value) in CHEAP {
        cargo = cargo.env(key, value);
    }
    let text = cargo.text();
    cargo
        .condensed(&format!("installing {label}"))
        .with_context(|| format!("could not install {label}; the command to try by hand is: {text}"))?;
    if let Err(error) = std::fs::remove_dir_all(&build) {
        out::warn(format!("{} could not be removed: {error}", build.display()));
    }
    Ok(())
}

fn check(program: &str, wanted: &str) -> Result<()> {
    let found = version_of(program);
    anyhow::ensure!(
        found.as_deref() == Some(wanted),
        "{program} {wanted} was installed, but `{program} --version` says {}: another program of this name comes first on \
         the search path",
        found.as_deref().unwrap_or("nothing")
    );
    Ok(())
}

/// The second word of `PROGRAM --version`.
fn version_of(program: &str) -> Option<String> {
    let text = Cmd::new(program).arg("--version").answer()?;
    text.split_whitespace().nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_names_versions() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"9.9.9\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in_lock(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version_in_lock(lock, "wasm"), None);
    }
}
