//! Tests of one system, in a build without the others.

use std::path::Path;

use anyhow::Result;

use super::count::{Count, counted};
use crate::files;
use crate::out;
use crate::proc::Cmd;

/// Folder of the systems' crates.
const SYSTEMS: &str = "crates/systems";

/// Runs the tests of the system's crate, its suites at the boundary, its examples with their transcripts and their digests. A suite
/// belongs to a system by `required-features` in `tests/Cargo.toml`; suites without features apply to every system.
pub(crate) fn run(root: &Path, system: &str, filter: Option<&str>) -> Result<Count> {
    known(root, system)?;
    out::step(format!("`{system}` in a build without the other systems"));
    let tests = Cmd::new("cargo")
        .dir(root)
        .args(["test", "--locked", "--no-default-features", "--no-fail-fast", "--lib", "--bins", "--tests"])
        .args(["--package", &format!("planarium-{system}"), "--package", "planarium-tests"])
        .args(["--features", &format!("planarium-tests/{system}"), "--"])
        .args(filter);
    counted(tests)
}

/// Names the systems when there is none of this name.
fn known(root: &Path, system: &str) -> Result<()> {
    let folders = files::subfolders(&root.join(SYSTEMS));
    let names: Vec<_> =
        folders.iter().filter_map(|folder| folder.file_name()).map(|name| name.to_string_lossy()).collect();
    anyhow::ensure!(
        names.iter().any(|name| name == system),
        "there is no system `{system}`; the systems are {}",
        names.join(", ")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_a_folder() {
        let root = files::root().unwrap();
        assert!(known(&root, "skopos").is_ok());
        let wrong = known(&root, "unheard-of").unwrap_err().to_string();
        assert!(wrong.contains("`unheard-of`") && wrong.contains("kudo"), "{wrong}");
    }
}
