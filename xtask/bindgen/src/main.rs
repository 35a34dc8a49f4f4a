//! Writes the JavaScript side of a compiled WebAssembly module: `planarium-bindgen INPUT FOLDER NAME [--types | --split]`.
//!
//! *Knows*: the library behind the `wasm-bindgen` command, in the version that the crates are compiled with; the splitter, which moves what
//! only a function marked `wasm_split` reaches into a file of its own. *Must not know*: which modules the page consists of; `xtask` names
//! them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::{Options, transform};

/// The script that the main part imports its loaders from. `web/hooks/assemble.mjs` writes it.
const LOADERS: &str = "./__wasm_split.js";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (input, folder, name, flag) = match args.as_slice() {
        [input, folder, name] => (input, folder, name, ""),
        [input, folder, name, flag] if ["--types", "--split"].contains(&flag.as_str()) => {
            (input, folder, name, flag.as_str())
        }
        _ => bail!("usage: planarium-bindgen INPUT FOLDER NAME [--types | --split]"),
    };
    let (input, folder) = (Path::new(input), Path::new(folder));
    let main = match flag {
        "--split" => Some(split(input, folder, name)?),
        _ => None,
    };
    Bindgen::new()
        .web(true)?
        .input_path(main.as_deref().unwrap_or(input))
        .out_name(name)
        .typescript(flag == "--types")
        // Packages locate their file themselves; the page names it.
        .omit_default_module_path(flag != "--types")
        // Parts use the stack, the memory and the table of the main part.
        .keep_lld_exports(main.is_some())
        .generate(folder)
        .with_context(|| format!("no JavaScript could be written for {}", input.display()))?;
    if let Some(main) = main {
        fs::remove_file(&main).with_context(|| format!("cannot remove {}", main.display()))?;
    }
    Ok(())
}

/// Splits `input`, which was linked with `--emit-relocs`: its parts and `splits.json` go into `folder`. Returns the file of the main part.
///
/// `splits.json` names the files of each split function, without their endings: `{ "sdk": ["chunk_1", "split_sdk"] }`. A chunk holds what
/// several of them reach.
fn split(input: &Path, folder: &Path, name: &str) -> Result<PathBuf> {
    let wasm = fs::read(input).with_context(|| format!("cannot read {}", input.display()))?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let main = folder.join("main.wasm");
    let script = format!("./{name}.js");
    let mut options = Options::new(&wasm);
    options.output_dir = folder;
    options.main_out_path = &main;
    options.link_name = LOADERS;
    options.main_module = &script;
    let made = transform(options)
        .map_err(|error| anyhow!("{error:#}"))
        .with_context(|| format!("{} could not be split", input.display()))?;
    // It names the parts by addresses of its own.
    fs::remove_file(folder.join(LOADERS)).context("the splitter wrote no loaders")?;
    let parts: BTreeMap<String, Vec<String>> = made.prefetch_map.into_iter().collect();
    fs::write(folder.join("splits.json"), serde_json::to_string(&parts)?)
        .context("cannot write splits.json")?;
    Ok(main)
}
