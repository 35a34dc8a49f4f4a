//! Client libraries that other people wrote, against the built command.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::count::{Count, counted};
use crate::files;
use crate::out;
use crate::proc::Cmd;
use crate::setup;

/// Runs the tests in `tests/clients`. All of them are skipped if the libraries cannot be installed.
pub(crate) fn run(root: &Path, filter: Option<&str>) -> Result<Count> {
    let folder = files::client_tests(root);
    let python = match setup::python::ensure(root) {
        Ok(python) => python,
        Err(reason) => {
            let skipped = tests_in(&folder, filter)?;
            out::warn(format!("{skipped} tests of client libraries are skipped: {reason:#}"));
            return Ok(Count::skipped_for(format!("{reason:#}"), skipped));
        }
    };
    out::step("the command that the clients talk to");
    Cmd::new("cargo").dir(root).args(["build", "--locked", "--package", "planarium-cli"]).run()?;
    out::step("tests with client libraries");
    let tests = Cmd::new(&python.to_string_lossy())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(folder.join("run.py"))
        .arg(program(root))
        .args(filter);
    counted(tests)
}

/// The command as cargo builds it.
pub(crate) fn program(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("debug").join(format!("planarium{}", std::env::consts::EXE_SUFFIX))
}

/// Returns the number of tests in the Python files of a folder.
fn tests_in(folder: &Path, filter: Option<&str>) -> Result<u32> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut count = 0;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("test_") && path.extension().is_some_and(|ending| ending == "py") {
            count += named_in(&files::read(&path)?, filter);
        }
    }
    Ok(count)
}

fn named_in(text: &str, filter: Option<&str>) -> u32 {
    let tests = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("def "))
        .filter(|rest| rest.starts_with("test_") && filter.is_none_or(|filter| rest.contains(filter)));
    u32::try_from(tests.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_tests_are_counted() {
        let text = "class A:\n    def setUp(self):\n    def test_one(self):\n    def test_two(self):\n        test_one()\n";
        assert_eq!((named_in(text, None), named_in(text, Some("two"))), (2, 1));
        let folder = files::client_tests(&files::root().unwrap());
        assert!(tests_in(&folder, None).unwrap() > 5);
    }
}
