//! The page's first picture: its own components, drawn natively, as markup for `index.html`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::progress;
use crate::files;
use crate::proc::Cmd;

/// The program that draws it, see `web/src/bin/picture.rs`.
const PROGRAM: [&str; 6] =
    ["--package", "planarium-web", "--bin", "planarium-picture", "--features", "picture"];

/// The file that holds the markup.
pub(crate) fn file(root: &Path) -> PathBuf {
    files::web_target(root).join("page").join("picture.html")
}

/// Draws it.
pub(crate) fn draw(root: &Path, label: &str) -> Result<()> {
    let cargo = Cmd::new("cargo").dir(root).args(["build", "--locked"]).args(PROGRAM);
    progress::cargo(cargo, label, progress::crates_of(root, "planarium-web", None))?;
    let markup = Cmd::new("cargo")
        .dir(root)
        .args(["run", "--quiet", "--locked"])
        .args(PROGRAM)
        .answer()
        .context("the page's picture was not drawn: run the program planarium-picture to see why")?;
    let file = file(root);
    fs::create_dir_all(file.parent().unwrap_or(root))?;
    fs::write(&file, markup).with_context(|| format!("cannot write {}", file.display()))
}
