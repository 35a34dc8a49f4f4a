//! Building the page: cargo compiles, wasm-bindgen's library writes the glue, `web/hooks/build.mjs` puts the files together.

mod picture;
mod piece;
mod progress;
mod splits;
mod texts;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::clock::Stopwatch;
use crate::files;
use crate::out;
use crate::proc::Cmd;
use crate::setup::{self, WasmToolchain, npm};

pub(crate) use piece::{Kind, Piece, bindgen, shrink};
pub(crate) use progress::Said;
pub(crate) use splits::list as splits;

/// The release page into `dist/`.
pub(crate) fn build_release(root: &Path, toolchain: &WasmToolchain) -> Result<()> {
    out::step("building the release page into dist/");
    build(root, toolchain, Kind::Release, &files::dist(root)).context("the page did not build")
}

/// Builds the page into `folder`, which holds the old page until the new one is complete.
pub(crate) fn build(root: &Path, toolchain: &WasmToolchain, kind: Kind, folder: &Path) -> Result<()> {
    let watch = Stopwatch::start();
    let pieces = Piece::all(root);
    let parts = 2 + pieces.len() + usize::from(kind == Kind::Release);
    // The packages come over the network while the machine compiles.
    let packages = std::thread::scope(|scope| {
        let packages = scope.spawn(|| npm::editor(root));
        let compiled = compile(root, toolchain, kind, &pieces, parts);
        let packages =
            packages.join().unwrap_or_else(|_| anyhow::bail!("installing the packages ended early"));
        compiled.and(packages)
    });
    packages?;
    out::say(format!("   {parts} of {parts}: putting the page together"));
    for piece in &pieces {
        piece.glue(root, kind)?;
    }
    texts::write(root, &texts::folder(root))?;
    assemble(root, kind, &pieces, folder)?;
    out::say(format!("   the page is in {} ({})", files::shown(root, folder), watch.text()));
    Ok(())
}

/// Compiles wasm-bindgen's library and each piece, with a line that says what remains.
fn compile(root: &Path, toolchain: &WasmToolchain, kind: Kind, pieces: &[Piece], parts: usize) -> Result<()> {
    bindgen::compile(root, &format!("1 of {parts}: wasm-bindgen"))?;
    for (index, piece) in pieces.iter().enumerate() {
        let label = format!("{} of {parts}: {}", index + 2, piece.title());
        piece.compile(root, toolchain, kind, &label)?;
    }
    if kind == Kind::Release {
        picture::draw(root, &format!("{} of {parts}: the page's picture", parts - 1))?;
    }
    Ok(())
}

/// Lets node put the files together in a folder of their own, and puts that in the place of `folder`.
fn assemble(root: &Path, kind: Kind, pieces: &[Piece], folder: &Path) -> Result<()> {
    let staging = files::web_target(root).join("page").join("staging");
    clear(&staging)?;
    let told = serde_json::json!({
        "source": root,
        "target": staging,
        "release": kind == Kind::Release,
        "texts": texts::folder(root),
        "pieces": pieces.iter().map(|piece| piece.told(root, kind)).collect::<Vec<_>>(),
        "picture": (kind == Kind::Release).then(|| picture::file(root)),
    });
    Cmd::new("node").dir(root).arg("web/hooks/build.mjs").arg(told.to_string()).run()?;
    clear(folder)?;
    fs::rename(&staging, folder)
        .with_context(|| format!("cannot move {} to {}", staging.display(), folder.display()))
}

/// Creates `folder` and its parents, empty.
fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// `cargo xtask piece NAME FOLDER [--release]`: one piece with its glue, for a page that trunk puts together.
pub(crate) fn run_piece(args: &[String]) -> Result<bool> {
    let (name, folder, kind) = match args {
        [name, folder] => (name, folder, Kind::Everyday),
        [name, folder, flag] if flag == "--release" => (name, folder, Kind::Release),
        _ => anyhow::bail!("piece takes a name and a folder; see cargo xtask piece --help"),
    };
    let root = files::root()?;
    if name == "picture" {
        picture::draw(&root, "the page's picture")?;
        let folder = PathBuf::from(folder);
        clear(&folder)?;
        fs::copy(picture::file(&root), folder.join("picture.html"))?;
        return Ok(true);
    }
    if name == "texts" {
        texts::write(&root, Path::new(folder))?;
        return Ok(true);
    }
    let piece = Piece::all(&root)
        .into_iter()
        .find(|piece| piece.name() == name)
        .with_context(|| format!("the page has no piece `{name}`"))?;
    let toolchain = setup::wasm(&root)?;
    bindgen::compile(&root, "wasm-bindgen")?;
    piece.compile(&root, &toolchain, kind, piece.title())?;
    piece.glue(&root, kind)?;
    let folder = PathBuf::from(folder);
    clear(&folder)?;
    for path in files::walk(&piece.folder(&root, kind)) {
        let target = folder.join(files::shown(&piece.folder(&root, kind), &path));
        fs::create_dir_all(target.parent().unwrap_or(&folder))?;
        fs::copy(&path, target)?;
    }
    Ok(true)
}
