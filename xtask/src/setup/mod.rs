//! Requirements of the other tasks, and their installation.
//!
//! Every part checks first, says what is missing and why, installs it from a package registry with that registry's
//! own client, and takes a few milliseconds if nothing is missing. Nothing is downloaded from anywhere else.

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
        wasm_tests(&root)?;
    }
    if wanted("page") {
        page(&root)?;
        npm::editor(&root)?;
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
    if wanted("hosts") {
        documents(&root);
    }
    out::say("set-up complete");
    Ok(true)
}

/// The hosts of documents; a host that cannot be had is told of, and its builds are skipped.
fn documents(root: &Path) {
    if let Err(reason) = hosts::ensure(root) {
        out::warn(format!("builds of documents will be skipped: {reason:#}"));
    }
    for host in hosts::optional(root) {
        if let Err(reason) = host.found {
            out::warn(format!("builds with {} will be skipped: {reason:#}", host.variable));
        }
    }
}

/// Compiling for wasm takes the target and the crates.
pub(crate) fn wasm(root: &Path) -> Result<WasmToolchain> {
    let toolchain = rust::ensure(root)?;
    rust::fetch(root)?;
    Ok(toolchain)
}

/// Testing in wasm takes [`wasm`] and the runner that comes with wasm-bindgen's commands.
pub(crate) fn wasm_tests(root: &Path) -> Result<WasmToolchain> {
    npm::require_node()?;
    let toolchain = wasm(root)?;
    tools::wasm_bindgen(root)?;
    Ok(toolchain)
}

/// Building the page takes [`wasm`] and Node. The build itself gets the front-end packages, while it compiles.
pub(crate) fn page(root: &Path) -> Result<WasmToolchain> {
    npm::require_node()?;
    wasm(root)
}
