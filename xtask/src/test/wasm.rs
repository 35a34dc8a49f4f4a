//! The tests that run as WebAssembly, in Node: the engine's JavaScript face and the cross-target suite.
//!
//! The cross-target suite is every test target of the package `planarium-tests` whose name starts with `cross`.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::count::{Count, counted};
use crate::files;
use crate::out;
use crate::proc::Cmd;
use crate::setup::{self, WasmToolchain};
use crate::tidy;

/// Runs them with the runner that comes with wasm-bindgen.
pub(crate) fn run(root: &Path, filter: Option<&str>) -> Result<Count> {
    let toolchain = setup::wasm_tests(root)?;
    out::step("wasm tests");
    let mut count =
        counted(cargo(root, &toolchain, &["--package", "planarium-wasm", "--lib", "--tests"], filter))?;
    let suites = cross_suites(&tidy::metadata(root)?);
    if !suites.is_empty() {
        out::step("cross-target suite in wasm");
        let mut args = vec!["--package".to_owned(), "planarium-tests".to_owned()];
        for suite in suites {
            args.extend(["--test".to_owned(), suite]);
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        count = count.plus(counted(cargo(root, &toolchain, &args, filter))?);
    }
    Ok(count)
}

fn cargo(root: &Path, toolchain: &WasmToolchain, args: &[&str], filter: Option<&str>) -> Cmd {
    Cmd::new("cargo")
        .dir(root)
        .envs(toolchain.env())
        .env("CARGO_TARGET_DIR", files::web_target(root))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
        .args(["test", "--locked", "--target", "wasm32-unknown-unknown", "--no-fail-fast"])
        .args(args)
        .args(filter)
}

fn cross_suites(metadata: &Value) -> Vec<String> {
    let empty = Vec::new();
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).unwrap_or(&empty).clone();
    list(metadata, "packages")
        .iter()
        .filter(|package| package.get("name").and_then(Value::as_str) == Some("planarium-tests"))
        .flat_map(|package| list(package, "targets"))
        .filter(|target| list(target, "kind").iter().any(|kind| kind == "test"))
        .filter_map(|target| target.get("name")?.as_str().map(str::to_owned))
        .filter(|name| name.starts_with("cross"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cross_target_suite_is_found_by_its_name() {
        let metadata = serde_json::json!({"packages": [
            {"name": "planarium-tests", "targets": [
                {"name": "cross_target", "kind": ["test"]},
                {"name": "cross_lib", "kind": ["lib"]},
                {"name": "scenarios", "kind": ["test"]},
            ]},
            {"name": "other", "targets": [{"name": "cross", "kind": ["test"]}]},
        ]});
        assert_eq!(cross_suites(&metadata), ["cross_target"]);
    }
}
