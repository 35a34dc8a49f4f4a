//! A Python with the client libraries that the tests drive.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;
use crate::out;
use crate::proc::{Cmd, find};

/// Makes sure of the libraries in `tests/clients/requirements.txt`; gives the Python that has them.
///
/// *Errors*: why they cannot be installed on this machine.
pub(crate) fn ensure(root: &Path) -> Result<PathBuf> {
    anyhow::ensure!(
        find("python3").is_some(),
        "python3 is missing (on Debian, as root: apt-get install python3 python3-venv)"
    );
    let home = root.join("target").join("clients");
    if !home.join("installed").is_file() {
        out::step("installing client libraries from PyPI");
    }
    let install = files::client_tests(root).join("install.py");
    let output = Cmd::new("python3").arg(install).arg(&home).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().rfind(|line| !line.trim().is_empty()).context("no reason given")?;
        anyhow::bail!("the client libraries cannot be installed: {}", reason.trim());
    }
    let (folder, python) = if cfg!(windows) { ("Scripts", "python.exe") } else { ("bin", "python") };
    Ok(home.join(folder).join(python))
}
