//! `cargo xtask npm`: the npm package `planarium` as a tarball, from `npm/`, the engine and the loader of pictures.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::files;
use crate::loader;
use crate::out;
use crate::page;
use crate::proc::Cmd;
use crate::setup::{self, WasmToolchain, npm};
use crate::size;

/// Builds the package and prints where its tarball is.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    let release = match args {
        [] => true,
        [only] if only == "--dev" => false,
        _ => anyhow::bail!("npm knows only --dev; see cargo xtask npm --help"),
    };
    let root = files::root()?;
    let toolchain = setup::page(&root)?;
    loader::write(&root)?;
    let tarball = build(&root, &toolchain, release)?;
    out::say(files::shown(&root, &tarball));
    Ok(true)
}

/// Puts the package together in `target-web/npm` and packs it.
pub(crate) fn build(root: &Path, toolchain: &WasmToolchain, release: bool) -> Result<PathBuf> {
    let target = files::web_target(root);
    let folder = target.join("npm");
    let package = folder.join("planarium");
    if package.exists() {
        fs::remove_dir_all(&package).with_context(|| format!("cannot empty {}", package.display()))?;
    }
    fs::create_dir_all(&package).with_context(|| format!("cannot make {}", package.display()))?;
    page::bindgen::compile(root, "wasm-bindgen")?;
    if release {
        npm::editor(root)?;
        size::headless_engine(root, toolchain, &package)?;
    } else {
        engine_for_tests(root, toolchain, &package)?;
    }
    for path in files::walk(&root.join("npm")) {
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, package.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
    }
    // The plugin that hosts install on their own is an export of the package, too.
    fs::copy(root.join("hosts/remark/index.mjs"), package.join("remark.js"))
        .context("cannot copy the remark plugin")?;
    let script = files::read(&loader::file(root))?;
    write(&package.join("style.css"), &files::read(&root.join("embed/planarium-embed.css"))?)?;
    write(&package.join("planarium-embed.js"), &script)?;
    write(&package.join("define.js"), &definition(&script))?;
    everyday_types(&package.join("planarium.d.ts"))?;
    version(root, &package.join("package.json"))?;
    out::step("packing the npm package");
    let name = Cmd::new("npm")
        .dir(&folder)
        .args(["pack", "--silent", "./planarium"])
        .answer()
        .context("npm did not pack the package")?;
    Ok(folder.join(name.lines().last().unwrap_or_default().trim()))
}

/// The engine as the tests take it: quick to build.
fn engine_for_tests(root: &Path, toolchain: &WasmToolchain, package: &Path) -> Result<()> {
    let target = files::web_target(root);
    Cmd::new("cargo")
        .dir(root)
        .envs(toolchain.env())
        .env("CARGO_TARGET_DIR", &target)
        .args([
            "build",
            "--locked",
            "--package",
            "planarium-wasm",
            "--lib",
            "--target",
            "wasm32-unknown-unknown",
        ])
        .run()?;
    let built = target.join("wasm32-unknown-unknown").join("debug").join("planarium_wasm.wasm");
    page::bindgen::run(root, &built, package, "planarium", &["--types"])
}

/// The loader as a module that does nothing until it is asked to.
fn definition(script: &str) -> String {
    format!(
        "// The loader of pictures, as `planarium embed --assets` writes it, in a function.\nlet isDefined = false;\n\n\
         /** Defines `<planarium-embed>` once; does nothing where there is no `customElements`, as in Node. */\n\
         export function define() {{\n  if (isDefined || typeof customElements === \"undefined\") return;\n  isDefined = true;\n{script}}}\n"
    )
}

/// Leaves out the declarations that want a newer library than projects name as a rule; `free` does the same.
fn everyday_types(path: &Path) -> Result<()> {
    let text = files::read(path)?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("Symbol.dispose")).collect();
    write(path, &format!("{}\n", lines.join("\n")))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Gives the package the version of the workspace.
fn version(root: &Path, path: &Path) -> Result<()> {
    let workspace = files::read(&root.join("Cargo.toml"))?;
    let section = workspace.split("[workspace.package]").nth(1).unwrap_or_default();
    let line = section.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    let mut package: Value = serde_json::from_str(&files::read(path)?)?;
    if let Some(field) = package.get_mut("version") {
        *field = Value::from(line.context("Cargo.toml names no version")?);
    }
    write(path, &format!("{}\n", serde_json::to_string_pretty(&package)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_waits_for_define() {
        let module = definition("// loader\n(()=>{customElements.define(NAME,X)})();\n");
        let (before, inside) = module.split_once("export function define() {").unwrap();
        assert!(!before.contains("customElements.define"));
        assert!(inside.ends_with("// loader\n(()=>{customElements.define(NAME,X)})();\n}\n"));
    }
}
