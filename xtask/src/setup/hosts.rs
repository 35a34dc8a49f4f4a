//! Programs that make documents, with which the demos in documents are tested.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::npm;
use crate::files;
use crate::out;
use crate::proc::{Cmd, find};

/// Makes sure of mdBook, MkDocs Material, Sphinx (`tests/hosts/requirements.txt`) and the packages of remark; gives the programs' folder.
///
/// *Errors*: why they cannot be installed on this machine.
pub(crate) fn ensure(root: &Path) -> Result<PathBuf> {
    let tests = files::host_tests(root);
    npm::ensure(&tests, "the packages of remark and MDX")?;
    anyhow::ensure!(
        find("python3").is_some(),
        "python3 is missing (on Debian, as root: apt-get install python3 python3-venv)"
    );
    let home = root.join("target").join("hosts");
    if !home.join("installed").is_file() {
        out::step("installing mdBook, MkDocs and Sphinx from PyPI");
    }
    let output = Cmd::new("python3").arg(tests.join("install.py")).arg(&home).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().rfind(|line| !line.trim().is_empty()).context("no reason given")?;
        anyhow::bail!("the hosts of documents cannot be installed: {}", reason.trim());
    }
    Ok(home.join(if cfg!(windows) { "Scripts" } else { "bin" }))
}
