//! Embeds the built page, if it exists, for `planarium serve`, and tells the tests whether `kubectl` is available, so that tests
//! that need it are skipped and counted as such without it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
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

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()) {
        Some("html") => "text/html;charset=utf-8",
        Some("js" | "mjs") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

/// Sets `cfg(kubectl)` if that program is on the path. A caller that has just installed one sets `PLANARIUM_KUBECTL`.
fn kubectl() {
    println!("cargo:rustc-check-cfg=cfg(kubectl)");
    println!("cargo:rerun-if-env-changed=PLANARIUM_KUBECTL");
    println!("cargo:rerun-if-env-changed=PATH");
    let path = env::var_os("PATH").unwrap_or_default();
    let name = format!("kubectl{}", env::consts::EXE_SUFFIX);
    if env::split_paths(&path).any(|folder| folder.join(&name).is_file()) {
        println!("cargo:rustc-cfg=kubectl");
    }
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
        let kind = content_type(path);
        let text = path.display().to_string();
        if name == "/index.html" {
            writeln!(arms, "        \"/\" => Some(({kind:?}, include_bytes!({text:?}))),")?;
        }
        writeln!(arms, "        {name:?} => Some(({kind:?}, include_bytes!({text:?}))),")?;
    }
    let body = if arms.is_empty() {
        "    let _ = path;\n    None\n".to_owned()
    } else {
        format!("    match path {{\n{arms}        _ => None,\n    }}\n")
    };
    let code = format!(
        "/// The file at a path with its content type.\npub(crate) fn file(path: &str) -> Option<(&'static str, &'static [u8])> {{\n{body}}}\n"
    );
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("page.rs"), code)?;
    Ok(())
}
