//! The second browser for the browser tests: Debian's firefox-esr, or an installed one.

use std::path::PathBuf;

use anyhow::Result;

use crate::out;
use crate::proc::find;

/// The variable that names another Firefox.
const VARIABLE: &str = "PLANARIUM_FIREFOX";

/// Debian's program and package. A program called `firefox` may be a stub that installs one, so it must be set
/// explicitly.
const NAME: &str = "firefox-esr";

/// Makes sure of Firefox; installs Debian's where that is possible. Without one, its journeys are skipped.
///
/// *Errors*: the variable names no file.
pub(crate) fn ensure() -> Result<Option<PathBuf>> {
    if let Some(path) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        anyhow::ensure!(path.is_file(), "{VARIABLE} names {}, which is no file", path.display());
        return Ok(Some(path));
    }
    if let Some(program) = find(NAME) {
        return Ok(Some(program));
    }
    let skipped = format!(
        "{NAME} is missing: the journeys in Firefox are skipped (on Debian, as root: apt-get install {NAME}; elsewhere set \
         {VARIABLE} to the program of a Firefox)"
    );
    if find("apt-get").is_none() || !super::browser::is_root() {
        out::warn(skipped);
        return Ok(None);
    }
    out::step(format!("{NAME} is missing: the browser tests run in it, too (apt-get install {NAME})"));
    if let Err(error) = super::browser::apt(&[NAME], NAME) {
        out::warn(format!("{error:#}"));
    }
    let program = find(NAME);
    if program.is_none() {
        out::warn(skipped);
    }
    Ok(program)
}
