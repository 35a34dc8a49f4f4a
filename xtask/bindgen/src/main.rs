//! Writes the JavaScript side of a compiled WebAssembly module: `planarium-bindgen INPUT FOLDER NAME [--types]`.
//!
//! *Knows*: the library behind the `wasm-bindgen` command, in the version that the crates are compiled with. *Must not
//! know*: which modules the page consists of; `xtask` names them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (input, folder, name, types) = match args.as_slice() {
        [input, folder, name] => (input, folder, name, false),
        [input, folder, name, flag] if flag == "--types" => (input, folder, name, true),
        _ => bail!("usage: planarium-bindgen INPUT FOLDER NAME [--types]"),
    };
    Bindgen::new()
        .web(true)?
        .input_path(Path::new(input))
        .out_name(name)
        .typescript(types)
        // Packages locate their file themselves; the page names it.
        .omit_default_module_path(!types)
        .generate(folder)
        .with_context(|| format!("no JavaScript could be written for {input}"))
}
