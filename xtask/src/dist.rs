//! `cargo xtask dist`: the release page.

use anyhow::Result;

use crate::files;
use crate::out;
use crate::page;
use crate::setup;
use crate::size;

/// Builds the page and prints the size of each file; the texts of examples and lessons are one line.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    anyhow::ensure!(args.is_empty(), "dist takes no arguments; see cargo xtask dist --help");
    let root = files::root()?;
    let toolchain = setup::page(&root)?;
    page::build_release(&root, &toolchain)?;
    let dist = files::dist(&root);
    let mut names = files::walk(&dist);
    // Compressed copies are next to their files.
    names.retain(|path| path.extension().is_none_or(|extension| extension != "br" && extension != "gz"));
    let sizes = size::compressed(&names)?;
    out::say(format!("{:<48} {:>10} {:>10}", "dist/", "bytes", "brotli"));
    let (mut total, mut texts) = ((0, 0), (0, 0));
    for (path, brotli) in names.iter().zip(&sizes) {
        let bytes = path.metadata().map_or(0, |meta| meta.len());
        total = (total.0 + bytes, total.1 + brotli);
        if path.starts_with(dist.join("texts")) {
            texts = (texts.0 + bytes, texts.1 + brotli);
        } else {
            out::say(format!("{:<48} {bytes:>10} {brotli:>10}", files::shown(&dist, path)));
        }
    }
    out::say(format!("{:<48} {:>10} {:>10}", "texts/", texts.0, texts.1));
    out::say(format!("{:<48} {:>10} {:>10}", "in all", total.0, total.1));
    Ok(true)
}
