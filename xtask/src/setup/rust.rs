//! The compiler's wasm target, and the crates.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::debian;
use crate::out;
use crate::proc::Cmd;

/// The target that the page is compiled for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// A toolchain that can compile for the browser: the pinned one, or a linked one where rustup cannot get the target.
#[derive(Debug, Clone, Default)]
pub(crate) struct WasmToolchain {
    env: Vec<(String, OsString)>,
}

impl WasmToolchain {
    /// The pinned toolchain as rustup gives it.
    pub(crate) fn pinned() -> Self {
        Self::default()
    }

    /// A toolchain linked under `name`, with its own linker.
    pub(crate) fn linked(name: &str, linker: &Path) -> Self {
        Self {
            env: vec![
                ("RUSTUP_TOOLCHAIN".to_owned(), OsString::from(name)),
                ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER".to_owned(), linker.as_os_str().to_owned()),
            ],
        }
    }

    /// Variables under which cargo uses it.
    pub(crate) fn env(&self) -> &[(String, OsString)] {
        &self.env
    }

    /// Returns whether it is the pinned toolchain, which also has clippy.
    pub(crate) fn is_pinned(&self) -> bool {
        self.env.is_empty()
    }
}

/// Makes sure that some toolchain here has the wasm target.
pub(crate) fn ensure(root: &Path) -> Result<WasmToolchain> {
    if has_target(root, None) {
        return Ok(WasmToolchain::pinned());
    }
    if let Some(toolchain) = debian::linked(root) {
        return Ok(toolchain);
    }
    out::step(
        "the compiler's wasm target is missing: the engine and the page run as WebAssembly in the browser",
    );
    let add = Cmd::new("rustup").dir(root).args(["target", "add", TARGET]);
    let text = add.text();
    let added = add.condensed("rustup target add");
    if added.is_ok() && has_target(root, None) {
        return Ok(WasmToolchain::pinned());
    }
    out::warn(format!(
        "`{text}` did not work here; looking for a compiler with that target among Debian's packages"
    ));
    match debian::install(root) {
        Ok(toolchain) => Ok(toolchain),
        Err(error) => Err(error.context(format!(
            "no compiler for {TARGET}.\nInstall it with: {text}\nor on Debian, as root: {}",
            debian::INSTALL
        ))),
    }
}

/// Returns whether a toolchain (the pinned one without a name) has the standard library for the target.
pub(crate) fn has_target(root: &Path, toolchain: Option<&str>) -> bool {
    target_libdir(root, toolchain).is_some_and(|folder| has_std(&folder))
}

/// The folder in which a toolchain keeps the target's libraries, whether it is there or not.
pub(crate) fn target_libdir(root: &Path, toolchain: Option<&str>) -> Option<PathBuf> {
    let mut rustc = Cmd::new("rustc").dir(root);
    if let Some(name) = toolchain {
        rustc = rustc.env("RUSTUP_TOOLCHAIN", name);
    }
    rustc.args(["--print", "target-libdir", "--target", TARGET]).answer().map(PathBuf::from)
}

fn has_std(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libstd-") && name.ends_with(".rlib")
        })
    })
}

/// Fetches the crates named in `Cargo.lock`, so that every later step works without a network. Silent, and without
/// network access, if all are present.
pub(crate) fn fetch(root: &Path) -> Result<()> {
    let here = Cmd::new("cargo").dir(root).args(["fetch", "--quiet", "--locked", "--offline"]).output()?;
    if here.status.success() {
        return Ok(());
    }
    out::step("fetching the crates that Cargo.lock names");
    Cmd::new("cargo")
        .dir(root)
        .args(["fetch", "--locked"])
        .condensed("cargo fetch")
        .context("could not fetch the crates; is crates.io reachable?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pinned_toolchain_leaves_the_environment_alone() {
        assert!(WasmToolchain::pinned().is_pinned());
        let linked = WasmToolchain::linked("other", Path::new("ld"));
        assert!(!linked.is_pinned());
        assert_eq!(linked.env().len(), 2);
    }

    #[test]
    fn an_empty_folder_has_no_standard_library() {
        assert!(!has_std(Path::new("no-such-folder")));
    }
}
