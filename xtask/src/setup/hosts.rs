//! Programs that make documents, with which the demos in documents are tested.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{npm, tools};
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

/// A host whose absence skips its own builds alone.
pub(crate) struct Optional {
    /// The variable that names it to the tests. With `_MISSING` behind it, the variable with the reason for its absence.
    pub(crate) variable: &'static str,
    /// Its program or folder, or why it cannot be had.
    pub(crate) found: Result<PathBuf>,
}

impl Optional {
    /// The variable for the tests, and its value.
    pub(crate) fn env(&self) -> (String, String) {
        match &self.found {
            Ok(path) => (self.variable.to_owned(), path.to_string_lossy().into_owned()),
            Err(reason) => (format!("{}_MISSING", self.variable), format!("{reason:#}")),
        }
    }
}

/// Makes sure of mdBook 0.4 and Docusaurus, each by itself.
pub(crate) fn optional(root: &Path) -> [Optional; 2] {
    let site = files::host_tests(root).join("docusaurus");
    let docusaurus = npm::ensure(&site, "Docusaurus (some 300 MB)").map(|()| site);
    [
        Optional { variable: "PLANARIUM_MDBOOK_04", found: tools::mdbook_04(root) },
        Optional { variable: "PLANARIUM_DOCUSAURUS", found: docusaurus },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_where_a_host_is_or_why_it_is_not() {
        let found = Optional { variable: "A_HOST", found: Ok(PathBuf::from("here")) };
        assert_eq!(found.env(), ("A_HOST".to_owned(), "here".to_owned()));
        let absent = Optional { variable: "A_HOST", found: Err(anyhow::anyhow!("no network")) };
        assert_eq!(absent.env(), ("A_HOST_MISSING".to_owned(), "no network".to_owned()));
    }
}
