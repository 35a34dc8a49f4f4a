//! `cargo xtask loader`: the loader of pictures with its styles, minified into `embed/planarium-embed.js`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;
use crate::proc::Cmd;
use crate::setup::npm;

/// Writes the file that the command line embeds and the npm package ships.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    anyhow::ensure!(args.is_empty(), "loader takes no options; see cargo xtask loader --help");
    write(&files::root()?)?;
    Ok(true)
}

/// Minifies the loader; leaves the file alone when nothing changed.
pub(crate) fn write(root: &Path) -> Result<()> {
    npm::ensure(&files::editor(root), "the front-end packages (CodeMirror, esbuild, binaryen)")?;
    Cmd::new("node").dir(root).arg("embed/build.mjs").run().context("the loader of pictures did not build")
}

/// The minified loader.
pub(crate) fn file(root: &Path) -> PathBuf {
    root.join("embed").join("planarium-embed.js")
}
