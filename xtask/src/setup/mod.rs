//! What the other tasks need on a machine, and getting it.
//!
//! Every part looks first, says what is missing and why, installs it from a package registry with that registry's own
//! client, and costs a few milliseconds when nothing is missing. Nothing is downloaded from anywhere else.

pub(crate) mod browser;
mod debian;
pub(crate) mod firefox;
pub(crate) mod hosts;
pub(crate) mod kubectl;
pub(crate) mod npm;
pub(crate) mod python;
mod rust;
mod tools;

use std::path::Path;

use anyhow::Result;

use crate::files;
use crate::out;

pub(crate) use rust::WasmToolchain;

/// `cargo xtask setup`: everything, or the named parts.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    let root = files::root()?;
    for arg in args {
        anyhow::ensure!(
            ["wasm", "page", "browser", "clients", "hosts"].contains(&arg.as_str()),
            "there is no part `{arg}` to set up; the parts are wasm, page, browser, clients and hosts"
        );
    }
    let wanted = |part: &str| args.is_empty() || args.iter().any(|arg| arg == part);
    if wanted("wasm") {
        wasm(&root)?;
    }
    if wanted("page") {
        page(&root)?;
    }
    if wanted("browser") {
        npm::ensure(&files::browser_tests(&root), "the packages of the browser tests")?;
        browser::ensure()?;
        firefox::ensure()?;
    }
    if wanted("clients")
        && let Err(reason) = python::ensure(&root)
    {
        out::warn(format!("the tests of client libraries will be skipped: {reason:#}"));
    }
    if wanted("hosts")
        && let Err(reason) = hosts::ensure(&root)
    {
        out::warn(format!("builds of documents will be skipped: {reason:#}"));
    }
    out::say("set-up complete");
    Ok(true)
}

/// What compiling and testing for wasm takes: the target, the crates, wasm-bindgen.
pub(crate) fn wasm(root: &Path) -> Result<WasmToolchain> {
    npm::require_node()?;
    let toolchain = rust::ensure(root)?;
    rust::fetch(root)?;
    tools::wasm_bindgen(root)?;
    Ok(toolchain)
}

/// As [`page`]. Where programs are missing, the page's own crates are compiled side by side with them, so that a machine
/// with nothing on it shows a page sooner.
pub(crate) fn page_and_crates(root: &Path, release: bool) -> Result<WasmToolchain> {
    npm::require_node()?;
    let toolchain = rust::ensure(root)?;
    rust::fetch(root)?;
    if !tools::are_there(root)? {
        std::thread::scope(|scope| {
            // What does not compile is told by the build that comes after.
            scope.spawn(|| crate::page::crates(root, &toolchain, release).unwrap_or_default());
            tools::wasm_bindgen(root).and_then(|()| tools::trunk(root))
        })?;
    }
    page(root)
}

/// What building the page takes: [`wasm`], trunk, the front-end packages and the editor bundle.
pub(crate) fn page(root: &Path) -> Result<WasmToolchain> {
    let toolchain = wasm(root)?;
    tools::trunk(root)?;
    npm::ensure(&files::editor(root), "the front-end packages (CodeMirror, esbuild, binaryen)")?;
    npm::build_editor(root)?;
    Ok(toolchain)
}
