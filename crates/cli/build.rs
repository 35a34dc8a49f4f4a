//! Embeds the built page, if it exists, for `planarium serve`, and tells the tests whether `kubectl` is available, so that tests
//! that need it are skipped and counted as such without it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn files_below(dir: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            files_below(&path, out)?;
        } else {
            out.push(path);
        }
    }
    Ok(())
}

/// The first `kubectl` that leaves the check of fields to the server, and knows `create token`: 1.25.
const RECENT_KUBECTL: u32 = 25;

/// Sets `cfg(kubectl)` if that program is on the path, and `cfg(recent_kubectl)` if it is [`RECENT_KUBECTL`] or later. A caller
/// that has just installed one sets `PLANARIUM_KUBECTL`.
fn kubectl() {
    println!("cargo:rustc-check-cfg=cfg(kubectl)");
    println!("cargo:rustc-check-cfg=cfg(recent_kubectl)");
    println!("cargo:rerun-if-env-changed=PLANARIUM_KUBECTL");
    println!("cargo:rerun-if-env-changed=PATH");
    let path = env::var_os("PATH").unwrap_or_default();
    let name = format!("kubectl{}", env::consts::EXE_SUFFIX);
    let Some(program) = env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| file.is_file())
    else {
        return;
    };
    println!("cargo:rustc-cfg=kubectl");
    if minor_version(&program).is_some_and(|minor| minor >= RECENT_KUBECTL) {
        println!("cargo:rustc-cfg=recent_kubectl");
    }
}

/// Returns 32 for a `kubectl` of version 1.32.
fn minor_version(program: &Path) -> Option<u32> {
    let output = Command::new(program).args(["version", "--client", "--output=json"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, after) = text.split_once("\"minor\": \"")?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dist = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../dist");
    println!("cargo:rerun-if-changed={}", dist.display());
    println!("cargo:rerun-if-env-changed=PLANARIUM_WITH_PAGE");
    kubectl();
    let mut files = Vec::new();
    if env::var_os("PLANARIUM_WITH_PAGE").is_some() && dist.join("index.html").is_file() {
        files_below(&dist, &mut files)?;
        files.sort();
    }
    let mut arms = String::new();
    for path in &files {
        let name = format!("/{}", path.strip_prefix(&dist)?.to_string_lossy().replace('\\', "/"));
        let text = path.display().to_string();
        writeln!(arms, "        {name:?} => Some(include_bytes!({text:?})),")?;
    }
    let body = if arms.is_empty() {
        "    let _ = path;\n    None\n".to_owned()
    } else {
        format!("    match path {{\n{arms}        _ => None,\n    }}\n")
    };
    let code = format!(
        "/// Returns the file at a path.\npub(crate) fn file(path: &str) -> Option<&'static [u8]> {{\n{body}}}\n"
    );
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("page.rs"), code)?;
    Ok(())
}
