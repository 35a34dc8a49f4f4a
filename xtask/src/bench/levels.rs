//! R9: WebAssembly against native code, for levels of optimisation and allocators.
//!
//! Native programs use the system's allocator and the same level. Digests must agree before a time counts.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::figures::{Budget, Figures};
use crate::proc::Cmd;
use crate::{files, out, page, setup, size};

const PACKAGE: &str = "planarium-workloads";

/// Levels: name, and settings of cargo that make it.
const LEVELS: [(&str, &[&str]); 5] = [
    ("z", &["opt-level=\"z\""]),
    ("s", &["opt-level=\"s\""]),
    (
        "s, hot crates 3",
        &[
            "opt-level=\"s\"",
            "package.planarium-kernel.opt-level=3",
            "package.planarium-plan.opt-level=3",
            "package.planarium-ground.opt-level=3",
            "package.planarium-mesos.opt-level=3",
            "package.planarium-sdk.opt-level=3",
        ],
    ),
    ("2", &["opt-level=2"]),
    ("3", &["opt-level=3"]),
];

/// Allocators: name, and the feature of [`PACKAGE`].
const ALLOCATORS: [(&str, Option<&str>); 2] = [("dlmalloc", None), ("wasmalloc", Some("wasmalloc"))];

/// One program's times: workload, milliseconds, checksum.
type Times = Vec<(String, f64, String)>;

/// Builds and measures all of them, or only one level.
pub(crate) fn run(only: Option<&str>, figures: &mut Figures) -> Result<()> {
    let root = files::root()?;
    let toolchain = setup::page(&root)?;
    page::bindgen::compile(&root, "wasm-bindgen")?;
    for (level, settings) in LEVELS.into_iter().filter(|(level, _)| only.is_none_or(|only| only == *level)) {
        out::step(format!("level {level}"));
        let native = native(&root, level, settings)?;
        for (allocator, feature) in ALLOCATORS {
            let wasm = build(&root, &toolchain, level, settings, feature)?;
            let bytes = size::compressed(std::slice::from_ref(&wasm))?.first().copied().unwrap_or_default();
            let folder = wasm.parent().context("a file has a folder")?;
            let told = Cmd::new("node").arg(root.join("xtask/workloads/workloads.mjs")).arg(folder).answer();
            let times = read(&told.context("node does not run the workloads")?)?;
            for ((name, ms, checksum), (_, native_ms, wanted)) in times.iter().zip(&native) {
                ensure!(
                    checksum == wanted,
                    "{name} at {level} with {allocator}: another result than natively"
                );
                let budget = Budget::AtMost(1.3, 1.2);
                figures.row(
                    &format!("{level}, {allocator}: {name} over native"),
                    ms / native_ms,
                    "x",
                    budget,
                );
                figures.row(&format!("{level}, {allocator}: {name}"), *ms, " ms", Budget::None);
            }
            let memory =
                times.iter().find(|(name, ..)| name == "memory").map_or(0.0, |(_, memory, _)| *memory);
            figures.row(&format!("{level}, {allocator}: memory"), memory, " MB", Budget::None);
            let kilobytes = super::measure::float(bytes) / 1000.0;
            figures.row(&format!("{level}, {allocator}: brotli"), kilobytes, " KB", Budget::None);
        }
    }
    Ok(())
}

/// Builds the native program and runs it.
fn native(root: &Path, level: &str, settings: &[&str]) -> Result<Times> {
    let target = target(root, level);
    cargo(root, &target, settings).args(["--bin", PACKAGE]).run()?;
    let program = target.join("wasm-release").join(PACKAGE);
    read(&Cmd::new(&program.to_string_lossy()).answer().context("the native program does not run")?)
}

/// Builds the WebAssembly with its glue. Returns the file.
fn build(
    root: &Path,
    toolchain: &setup::WasmToolchain,
    level: &str,
    settings: &[&str],
    feature: Option<&str>,
) -> Result<PathBuf> {
    let target = target(root, level);
    cargo(root, &target, settings)
        .envs(toolchain.env())
        .args(["--lib", "--target", "wasm32-unknown-unknown"])
        .args(feature.iter().flat_map(|feature| ["--features", feature]))
        .run()?;
    let built = target.join("wasm32-unknown-unknown/wasm-release/planarium_workloads.wasm");
    let folder = target.join(feature.unwrap_or("plain"));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("package.json"), r#"{"type": "module"}"#)?;
    page::bindgen::run(root, &built, &folder, PACKAGE, &[])?;
    let file = folder.join(format!("{PACKAGE}_bg.wasm"));
    page::shrink(root, &file)?;
    Ok(file)
}

fn cargo(root: &Path, target: &Path, settings: &[&str]) -> Cmd {
    let settings = settings
        .iter()
        .flat_map(|setting| ["--config".to_owned(), format!("profile.wasm-release.{setting}")]);
    Cmd::new("cargo")
        .dir(root)
        .env("CARGO_TARGET_DIR", target)
        .args(["build", "--quiet", "--profile", "wasm-release", "--package", PACKAGE])
        .args(settings.collect::<Vec<_>>())
}

fn target(root: &Path, level: &str) -> PathBuf {
    let name: String = level.chars().filter(char::is_ascii_alphanumeric).collect();
    files::web_target(root).join("levels").join(name)
}

fn read(told: &str) -> Result<Times> {
    told.lines()
        .map(|line| {
            let mut parts = line.split('\t');
            let mut part =
                || parts.next().map(str::to_owned).with_context(|| format!("no figures in `{line}`"));
            Ok((part()?, part()?.parse()?, part()?))
        })
        .collect()
}
