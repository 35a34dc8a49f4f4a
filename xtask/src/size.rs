//! `cargo xtask size`: compressed sizes against the budgets.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;
use crate::out;
use crate::page;
use crate::proc::{Cmd, search_path};
use crate::setup::{self, WasmToolchain, npm};

/// Compresses each file named in the list on standard input and prints the sizes, one per line.
const BROTLI: &str = "\
const { brotliCompressSync, constants: c } = require('node:zlib');
const { readFileSync } = require('node:fs');
for (const file of JSON.parse(readFileSync(0, 'utf8'))) {
  const text = readFileSync(file);
  const params = { [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 24, [c.BROTLI_PARAM_SIZE_HINT]: text.length };
  console.log(brotliCompressSync(text, { params }).length);
}";

/// One line of the table: files whose compressed sizes add up, and what they may come to.
struct Item {
    name: String,
    budget: u64,
    paths: Vec<PathBuf>,
}

/// A measured item.
struct Measured {
    name: String,
    budget: u64,
    bytes: u64,
}

impl Measured {
    fn fits(&self) -> bool {
        self.bytes <= self.budget
    }

    fn row(&self) -> String {
        format!(
            "{:<52} {:>9} {:>9}  {}",
            self.name,
            self.bytes,
            self.budget,
            if self.fits() { "ok" } else { "TOO BIG" }
        )
    }
}

/// Measures every item that this repository ships.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    let build = match args {
        [] => true,
        [only] if only == "--no-build" => false,
        _ => anyhow::bail!("size knows only --no-build; see cargo xtask size --help"),
    };
    let root = files::root()?;
    if build {
        let toolchain = setup::page(&root)?;
        page::build_release(&root, &toolchain)?;
        build_headless(&root, &toolchain)?;
    }
    let items = items(&root)?;
    let paths: Vec<PathBuf> = items.iter().flat_map(|item| item.paths.iter().cloned()).collect();
    let mut sizes = compressed(&paths)?.into_iter();
    let measured: Vec<Measured> = items
        .into_iter()
        .map(|item| Measured {
            bytes: sizes.by_ref().take(item.paths.len()).sum(),
            name: item.name,
            budget: item.budget,
        })
        .collect();
    out::say(format!("{:<52} {:>9} {:>9}", "item (bytes, brotli 11)", "size", "budget"));
    for item in &measured {
        out::say(item.row());
    }
    Ok(measured.iter().all(Measured::fits))
}

/// The brotli-11 size of each file, in order.
pub(crate) fn compressed(paths: &[PathBuf]) -> Result<Vec<u64>> {
    let list: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let answer = Cmd::new("node").args(["-e", BROTLI]).pipe(serde_json::to_string(&list)?.as_bytes())?;
    let sizes: Vec<u64> = answer.lines().map(str::parse).collect::<Result<_, _>>()?;
    anyhow::ensure!(sizes.len() == paths.len(), "node measured {} of {} files", sizes.len(), paths.len());
    Ok(sizes)
}

fn items(root: &Path) -> Result<Vec<Item>> {
    let dist = files::dist(root);
    let on_page = |extension: &str| -> Vec<PathBuf> {
        files::with_extension(&dist, extension)
            .into_iter()
            .filter(|path| !path.starts_with(dist.join("editor")) && !is_embed(path))
            .collect()
    };
    let item = |name: &str, kilobytes: u64, paths: Vec<PathBuf>| Item {
        name: name.to_owned(),
        budget: kilobytes * 1000,
        paths,
    };
    let page = on_page("wasm");
    anyhow::ensure!(!page.is_empty(), "dist/ holds no page: run `cargo xtask size` without --no-build");
    let mut glue = on_page("js");
    glue.extend(on_page("css"));
    let mut items = vec![
        item("engine + page wasm", 300, page),
        item("glue script and styles", 20, glue),
        item("editor chunk", 115, files::with_extension(&dist.join("editor"), "js")),
    ];
    let embed: Vec<PathBuf> = files::walk(&dist).into_iter().filter(|path| is_embed(path)).collect();
    if !embed.is_empty() {
        items.push(item("embed loader", 12, embed));
    }
    let headless = headless_wasm(root);
    if headless.is_file() {
        items.push(item("headless engine wasm", 230, vec![headless]));
    }
    for folder in files::subfolders(&root.join("examples")) {
        let name = format!("example {}", folder.file_name().unwrap_or_default().to_string_lossy());
        items.push(item(&name, 4, vec![packed_example(root, &folder)?]));
    }
    Ok(items)
}

fn is_embed(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("embed"))
}

/// What the gallery ships of an example: all of it but the golden transcript, one file after the other.
fn packed_example(root: &Path, folder: &Path) -> Result<PathBuf> {
    let mut packed = String::new();
    for path in files::walk(folder) {
        let name = files::shown(folder, &path);
        if !name.contains("transcript") {
            packed.push_str(&name);
            packed.push('\n');
            packed.push_str(&files::read(&path)?);
        }
    }
    let folder_name = folder.file_name().unwrap_or_default();
    let target = files::web_target(root).join("examples");
    fs::create_dir_all(&target)?;
    let path = target.join(folder_name);
    fs::write(&path, packed).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

fn headless_wasm(root: &Path) -> PathBuf {
    files::web_target(root).join("headless").join("planarium_bg.wasm")
}

/// Builds the engine without a page, as the npm package ships it.
fn build_headless(root: &Path, toolchain: &WasmToolchain) -> Result<()> {
    out::step("building the headless engine");
    let target = files::web_target(root);
    Cmd::new("cargo")
        .dir(root)
        .envs(toolchain.env())
        .env("CARGO_TARGET_DIR", &target)
        .args(["build", "--locked", "--package", "planarium-wasm", "--lib", "--profile", "wasm-release"])
        .args(["--target", "wasm32-unknown-unknown"])
        .run()?;
    let built = target.join("wasm32-unknown-unknown").join("wasm-release").join("planarium_wasm.wasm");
    let folder = target.join("headless");
    Cmd::new("wasm-bindgen")
        .dir(root)
        .args(["--target", "web", "--out-name", "planarium", "--out-dir"])
        .arg(&folder)
        .arg(&built)
        .run()?;
    let wasm = headless_wasm(root);
    Cmd::new(&npm::bin(root).join("wasm-opt").to_string_lossy())
        .env("PATH", search_path(&[]))
        .args(["-Oz", "--strip-debug", "-o"])
        .arg(&wasm)
        .arg(&wasm)
        .run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_at_its_budget_fits_and_one_byte_more_does_not() {
        let at = |bytes| Measured { name: "x".to_owned(), budget: 4096, bytes };
        assert!(at(4096).fits());
        assert!(!at(4097).fits());
        assert!(at(4097).row().ends_with("TOO BIG"));
    }

    #[test]
    fn the_embed_loader_is_no_glue() {
        assert!(is_embed(Path::new("dist/embed-12.js")));
        assert!(!is_embed(Path::new("dist/boot.js")));
    }
}
