//! The page in a real browser, and the parts of the front end that are JavaScript.

use std::path::Path;

use anyhow::Result;

use super::clients;
use super::count::{Count, counted};
use crate::files;
use crate::out;
use crate::page;
use crate::proc::Cmd;
use crate::setup::{self, WasmToolchain, browser, firefox, hosts, npm};
use crate::site;

/// Builds the release page and drives it with headless Chromium, and on some journeys with Firefox.
pub(crate) fn run(root: &Path, filter: Option<&str>) -> Result<Count> {
    let folder = files::browser_tests(root);
    let toolchain = setup::page(root)?;
    npm::ensure(&folder, "the packages of the browser tests (playwright-core, axe-core, pngjs, typescript)")?;
    let chromium = browser::ensure()?;
    let firefox = firefox::ensure()?;
    page::build_release(root, &toolchain)?;
    build_types(root, &toolchain)?;
    out::step("the command that makes pictures for documents");
    let demos = ["build", "--locked", "--package", "planarium-cli", "--package", "planarium-mdbook"];
    Cmd::new("cargo").dir(root).args(demos).run()?;
    let package = crate::npm::build(root, &toolchain, false)?;
    out::step("tests of the npm package");
    npm::ensure(&files::npm_tests(root), "the packages of the npm tests (vite, webpack, react, typescript)")?;
    let installed = node_test(&files::npm_tests(root), filter)
        .env("PLANARIUM_NPM", package)
        .env("PLANARIUM_BIN", clients::program(root));
    let installed = counted(installed)?;
    out::step("tests of the editor bundle");
    let editor = counted(node_test(&files::editor(root), filter))?;
    out::step("browser tests");
    let mut tests = node_test(&folder, filter)
        .env("PLANARIUM_CHROMIUM", chromium)
        .env("PLANARIUM_DIST", files::dist(root))
        .env("PLANARIUM_BIN", clients::program(root));
    // Without them, the builds of documents skip themselves and are counted so.
    tests = match hosts::ensure(root) {
        Ok(programs) => {
            // The build itself reports a false demo or a dead link, and fails here.
            let site = site::run(&[])?;
            anyhow::ensure!(site, "the documentation's book was not built");
            tests.env("PLANARIUM_HOSTS", programs).env("PLANARIUM_SITE", root.join("target").join("site"))
        }
        Err(reason) => tests.env("PLANARIUM_HOSTS_MISSING", format!("{reason:#}")),
    };
    for host in hosts::optional(root) {
        let (name, value) = host.env();
        tests = tests.env(&name, value);
    }
    // Without them, the journeys of other people's clients beside the page skip themselves and are counted so.
    match setup::python::ensure(root) {
        Ok(python) => tests = tests.env("PLANARIUM_CLIENTS", python),
        Err(reason) => out::warn(format!("journeys with client libraries are skipped: {reason:#}")),
    }
    // Without it, the journeys in Firefox skip themselves and are counted so.
    if let Some(program) = firefox {
        tests = tests.env("PLANARIUM_FIREFOX", program);
    }
    Ok(installed.plus(editor).plus(counted(tests)?))
}

/// The wasm package as it comes out of an everyday build, for its TypeScript declarations.
fn build_types(root: &Path, toolchain: &WasmToolchain) -> Result<()> {
    out::step("the TypeScript declarations of the wasm package");
    let target = files::web_target(root);
    Cmd::new("cargo")
        .dir(root)
        .envs(toolchain.env())
        .env("CARGO_TARGET_DIR", &target)
        .args(["build", "--locked", "--package", "planarium-wasm", "--lib"])
        .args(["--target", "wasm32-unknown-unknown"])
        .run()?;
    let built = target.join("wasm32-unknown-unknown").join("debug").join("planarium_wasm.wasm");
    page::bindgen::run(root, &built, &target.join("types"), "planarium_wasm", &["--types"])
}

/// Node's own test runner over a folder; one file at a time, since each starts a browser.
fn node_test(folder: &Path, filter: Option<&str>) -> Cmd {
    let mut node =
        Cmd::new("node").dir(folder).args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    if let Some(text) = filter {
        node = node.arg(format!("--test-name-pattern={}", escaped(text)));
    }
    node
}

/// A text as a pattern that matches exactly it.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if "\\^$.|?*+()[]{}/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    #[test]
    fn filters_are_plain_text() {
        assert_eq!(super::escaped("a.b (c)"), "a\\.b \\(c\\)");
    }
}
