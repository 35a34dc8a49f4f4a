//! A compiler with a wasm target from Debian's packages, for machines on which rustup cannot get the target.
//!
//! Debian's `rustc-web` has the compiler and `rust-web-src` the sources of its standard library. The library is built
//! once for wasm by building an empty crate, and put into the compiler's search path.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::rust::{TARGET, WasmToolchain, has_target, target_libdir};
use crate::files;
use crate::out;
use crate::proc::{Cmd, find};

/// Command to type when it is not run for you.
pub(crate) const INSTALL: &str = "apt-get install rustc-web cargo-web rust-web-src lld-22";

/// The name under which rustup knows the linked toolchain.
const NAME: &str = "planarium-web";

/// The linked toolchain, when an earlier run made it.
pub(crate) fn linked(root: &Path) -> Option<WasmToolchain> {
    let known = Cmd::new("rustup").args(["toolchain", "list"]).answer()?;
    let known = known.lines().any(|line| line.split_whitespace().next() == Some(NAME));
    (known && has_target(root, Some(NAME))).then(|| Some(WasmToolchain::linked(NAME, &linker()?)))?
}

/// Installs the packages, links the toolchain and builds the standard library into it.
pub(crate) fn install(root: &Path) -> Result<WasmToolchain> {
    anyhow::ensure!(find("apt-get").is_some(), "this machine has no apt-get");
    anyhow::ensure!(super::browser::is_root(), "installing packages takes root");
    out::say(format!("   {INSTALL}"));
    super::browser::apt(&["rustc-web", "cargo-web", "rust-web-src", "lld-22"], "Debian's Rust")?;
    let prefix = prefix()?;
    Cmd::new("rustup").args(["toolchain", "link", NAME]).arg(&prefix).run()?;
    build_std(root)?;
    let linker = linker().context("lld-22 brought no wasm-ld")?;
    anyhow::ensure!(
        has_target(root, Some(NAME)),
        "the standard library was built but is not where rustc looks"
    );
    Ok(WasmToolchain::linked(NAME, &linker))
}

/// The folder above `bin/rustc` of the package.
fn prefix() -> Result<PathBuf> {
    let listing =
        Cmd::new("dpkg").args(["--listfiles", "rustc-web"]).answer().context("dpkg knows no rustc-web")?;
    prefix_in(&listing).context("the package rustc-web holds no bin/rustc")
}

fn prefix_in(listing: &str) -> Option<PathBuf> {
    listing
        .lines()
        .find(|line| line.ends_with("/bin/rustc"))
        .and_then(|line| Path::new(line).parent()?.parent())
        .map(Path::to_path_buf)
}

fn linker() -> Option<PathBuf> {
    find("wasm-ld-22").or_else(|| find("wasm-ld"))
}

/// Builds an empty crate together with the standard library and copies the libraries, not the crate.
fn build_std(root: &Path) -> Result<()> {
    let folder = files::web_target(root).join("build-std");
    fs::create_dir_all(folder.join("src"))?;
    fs::write(
        folder.join("Cargo.toml"),
        "[package]\nname = \"nothing\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n",
    )?;
    fs::write(folder.join("src").join("lib.rs"), "")?;
    let linker = linker().context("lld-22 brought no wasm-ld")?;
    Cmd::new("cargo")
        .dir(&folder)
        .env("RUSTUP_TOOLCHAIN", NAME)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", &linker)
        // The page is linked with fat LTO, which needs the libraries' bitcode.
        .env("RUSTFLAGS", "-C embed-bitcode=yes")
        .args(["build", "--release", "-Zbuild-std=std,panic_abort", "--target", TARGET])
        .condensed("standard library for wasm")?;
    let built = folder.join("target").join(TARGET).join("release").join("deps");
    let libdir = target_libdir(root, Some(NAME)).context("the linked rustc does not answer")?;
    fs::create_dir_all(&libdir).with_context(|| format!("cannot create {}", libdir.display()))?;
    for library in files::with_extension(&built, "rlib") {
        let Some(name) = library.file_name() else { continue };
        if is_of_std(&name.to_string_lossy()) {
            fs::copy(&library, libdir.join(name))
                .with_context(|| format!("cannot write to {}", libdir.display()))?;
        }
    }
    Ok(())
}

/// Returns whether a library belongs to the standard library and not to the empty crate.
fn is_of_std(name: &str) -> bool {
    !name.starts_with("libnothing-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_is_the_folder_above_bin() {
        assert_eq!(prefix_in("/.\n/usr\n/usr/bin/rustc\n"), Some(PathBuf::from("/usr")));
        assert_eq!(prefix_in("/usr/share/doc\n"), None);
    }

    #[test]
    fn the_empty_crate_stays_behind() {
        assert!(is_of_std("libstd-0123.rlib"));
        assert!(!is_of_std("libnothing-0123.rlib"));
    }
}
