//! The browser for the browser tests: Debian's chromium with its driver, or an installed one.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::out;
use crate::proc::{Cmd, find};

/// Names under which a usable browser goes.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// The variable that names another browser.
const VARIABLE: &str = "PLANARIUM_CHROMIUM";

/// The browser, when there is one.
pub(crate) fn installed() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(path) => Some(PathBuf::from(path)).filter(|path| path.is_file()),
        None => NAMES.iter().find_map(|name| find(name)),
    }
}

/// Makes sure of a browser; installs Debian's where that is possible.
pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(path) = installed() {
        return Ok(path);
    }
    if let Some(path) = std::env::var_os(VARIABLE) {
        anyhow::bail!("{VARIABLE} names {}, which is no file", PathBuf::from(path).display());
    }
    let hint = format!(
        "the browser tests drive chromium, which is missing.\n\
         Install it: on Debian or Ubuntu, as root: apt-get install chromium chromium-driver\n\
         elsewhere: install Chromium or Chrome and set {VARIABLE} to its program"
    );
    anyhow::ensure!(find("apt-get").is_some() && is_root(), "{hint}");
    out::step("chromium is missing: the browser tests drive it (apt-get install chromium chromium-driver)");
    apt(&["chromium", "chromium-driver"], "chromium").with_context(|| hint.clone())?;
    installed().with_context(|| hint)
}

/// Installs Debian packages.
pub(crate) fn apt(packages: &[&str], label: &str) -> Result<()> {
    // Package lists may be absent or old on a new machine; if they cannot be renewed, the present ones may still do.
    if let Err(error) = Cmd::new("apt-get").arg("update").condensed("apt-get update") {
        out::warn(format!("{error}"));
    }
    Cmd::new("apt-get")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(["install", "--yes", "--no-install-recommends"])
        .args(packages)
        .condensed(&format!("installing {label}"))
}

/// Returns whether this runs as root, as apt requires.
pub(crate) fn is_root() -> bool {
    cfg!(unix) && Cmd::new("id").arg("-u").answer().as_deref() == Some("0")
}
