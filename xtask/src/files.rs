//! Paths in this repository, and walks over them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The repository's folder.
pub(crate) fn root() -> Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = manifest.parent().context("xtask lies in no folder")?;
    anyhow::ensure!(
        root.join("Cargo.toml").is_file(),
        "no Cargo.toml in {}: run this as `cargo xtask` inside the repository",
        root.display()
    );
    Ok(root.to_path_buf())
}

/// Build folder of everything that is compiled for the browser; apart from `target`, so that the two never wait for
/// each other and never throw each other's work away.
pub(crate) fn web_target(root: &Path) -> PathBuf {
    root.join("target-web")
}

/// The release page.
pub(crate) fn dist(root: &Path) -> PathBuf {
    root.join("dist")
}

/// Folder of the editor bundle's sources and packages.
pub(crate) fn editor(root: &Path) -> PathBuf {
    root.join("web").join("editor")
}

/// Folder of the browser tests.
pub(crate) fn browser_tests(root: &Path) -> PathBuf {
    root.join("tests").join("browser")
}

/// Folder of the tests of the npm package.
pub(crate) fn npm_tests(root: &Path) -> PathBuf {
    root.join("tests").join("npm")
}

/// Folder of the tests with client libraries.
pub(crate) fn client_tests(root: &Path) -> PathBuf {
    root.join("tests").join("clients")
}

/// Folder of the documents that are built with other people's programs.
pub(crate) fn host_tests(root: &Path) -> PathBuf {
    root.join("tests").join("hosts")
}

/// Folders that hold nothing of ours.
const FOREIGN: [&str; 5] = ["target", "node_modules", "dist", ".git", "shots"];

/// Returns all files below `folder`, in order of their paths, without build output and packages. Empty if the folder
/// does not exist.
pub(crate) fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if !FOREIGN.contains(&name.as_ref()) && !name.starts_with("target-") {
                    open.push(entry.path());
                }
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Files below `folder` whose name ends in `.EXTENSION`.
pub(crate) fn with_extension(folder: &Path, extension: &str) -> Vec<PathBuf> {
    walk(folder).into_iter().filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

/// Direct subfolders, in order of their names.
pub(crate) fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// The text of a file, with its path in the error.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// `path` as shown to a reader: relative to the repository, with forward slashes.
pub(crate) fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}
