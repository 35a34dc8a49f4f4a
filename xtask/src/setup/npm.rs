//! Node, the front-end packages, and the editor bundle built from them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;
use crate::out;
use crate::proc::{Cmd, find};

/// The oldest Node whose test runner and compression the tasks rely on.
const NODE: u32 = 20;

/// Advice for getting Node.
const NODE_HINT: &str = "install Node 20 or later with npm (on Debian, as root: apt-get install nodejs npm; elsewhere \
                         from nodejs.org)";

/// Reports a missing or old Node clearly.
pub(crate) fn require_node() -> Result<()> {
    let version = Cmd::new("node")
        .arg("--version")
        .answer()
        .with_context(|| format!("node is missing: {NODE_HINT}"))?;
    let major = major_of(&version).with_context(|| format!("`node --version` says {version}"))?;
    anyhow::ensure!(major >= NODE, "node {version} is too old: {NODE_HINT}");
    anyhow::ensure!(find("npm").is_some(), "npm is missing: {NODE_HINT}");
    Ok(())
}

fn major_of(version: &str) -> Option<u32> {
    version.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

/// Installs the packages of `folder` as its lock file names them, when they are not there or not the same any more.
pub(crate) fn ensure(folder: &Path, what: &str) -> Result<()> {
    require_node()?;
    let lock = files::read(&folder.join("package-lock.json"))?;
    let stamp = folder.join("node_modules").join(".planarium-lock");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    out::step(format!("installing {what} from npm"));
    let npm = Cmd::new("npm").dir(folder).args([
        "ci",
        "--ignore-scripts",
        "--prefer-offline",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]);
    let text = npm.text();
    npm.condensed("npm ci").with_context(|| {
        format!("could not install {what}; the command to try by hand is: {text}, in {}", folder.display())
    })?;
    fs::write(&stamp, lock).with_context(|| format!("cannot write {}", stamp.display()))
}

/// The editor bundle, with the packages that it and the page's build take.
pub(crate) fn editor(root: &Path) -> Result<()> {
    ensure(&files::editor(root), "the front-end packages (CodeMirror, esbuild, binaryen)")?;
    build_editor(root)
}

/// The folder with `wasm-opt` and `esbuild`.
pub(crate) fn bin(root: &Path) -> PathBuf {
    files::editor(root).join("node_modules").join(".bin")
}

/// Bundles the editor; takes a fraction of a second and leaves the file alone when nothing changed.
fn build_editor(root: &Path) -> Result<()> {
    let folder = files::editor(root);
    Cmd::new("node").dir(&folder).arg("build.mjs").run().context("the editor bundle did not build")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_parsed() {
        for (text, major) in [("v20.20.2", Some(20)), ("v9.0.0\n", Some(9)), ("node", None)] {
            assert_eq!(major_of(text), major);
        }
    }
}
