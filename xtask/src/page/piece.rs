//! The pieces of WebAssembly that a page consists of: compiled, given their glue, made small.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use super::{progress, splits};
use crate::files;
use crate::proc::{Cmd, search_path};
use crate::setup::{WasmToolchain, npm};

/// Profiles of a piece's build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Compiled quickly.
    Everyday,
    /// As shipped: small, and quick to start.
    Release,
}

impl Kind {
    /// The name of its folders.
    fn word(self) -> &'static str {
        match self {
            Self::Everyday => "debug",
            Self::Release => "wasm-release",
        }
    }
}

/// A package that is compiled to WebAssembly for the page.
pub(crate) struct Piece {
    /// The page names its files in `<meta name="planarium-NAME">`.
    name: &'static str,
    package: &'static str,
    /// The folder of the package in the repository.
    home: &'static str,
    title: &'static str,
    /// The cargo target: a program or a library.
    target: &'static [&'static str],
    /// A script of ours that belongs to it.
    script: Option<&'static str>,
}

/// Flags for the compiler of a release. It is compiled with the feature `split` and taken apart, so that it loads what is needed later when
/// that is needed; this takes names, and what refers to what.
const SPLITS: [&str; 2] = ["-Clink-args=--emit-relocs", "-Cstrip=none"];

/// Every piece that a page can have.
const PIECES: [Piece; 2] = [
    Piece {
        name: "engine",
        package: "planarium-web",
        home: "web",
        title: "the page",
        target: &["--bin", "planarium-web"],
        script: None,
    },
    Piece {
        name: "worker",
        package: "planarium-worker",
        home: "crates/worker",
        title: "the engine's worker",
        target: &["--lib"],
        script: Some("web/worker.js"),
    },
];

impl Piece {
    /// The pieces whose packages are in the repository.
    pub(crate) fn all(root: &Path) -> Vec<Self> {
        PIECES.into_iter().filter(|piece| root.join(piece.home).join("Cargo.toml").is_file()).collect()
    }

    /// Its name in the page.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Its name for a reader.
    pub(crate) fn title(&self) -> &'static str {
        self.title
    }

    /// Compiles it. The pieces are compiled one by one: together, each would get the features that another one needs.
    pub(crate) fn compile(
        &self,
        root: &Path,
        toolchain: &WasmToolchain,
        kind: Kind,
        label: &str,
    ) -> Result<()> {
        let cargo = Cmd::new("cargo")
            .dir(root)
            .env("CARGO_TARGET_DIR", files::web_target(root))
            .envs(toolchain.env())
            // Flags that are named at the end are for this package alone: others are compiled once for all pieces.
            .args(["rustc", "--locked", "--package", self.package])
            .args(self.target)
            .args(["--target", "wasm32-unknown-unknown"]);
        let cargo = if kind == Kind::Release { cargo.args(["--profile", "wasm-release"]) } else { cargo };
        let cargo =
            if is_split(kind) { cargo.args(["--features", "split", "--"]).args(SPLITS) } else { cargo };
        progress::cargo(cargo, label, progress::crates_of(root, self.package, Some("wasm32-unknown-unknown")))
    }

    /// Writes its glue and, for a release, makes it small.
    pub(crate) fn glue(&self, root: &Path, kind: Kind) -> Result<()> {
        let built = files::web_target(root)
            .join("wasm32-unknown-unknown")
            .join(kind.word())
            .join(format!("{}.wasm", self.file()));
        let folder = self.folder(root, kind);
        let stamp = folder.join("stamp");
        let now = stamp_of(&built);
        if now.is_some() && fs::read_to_string(&stamp).ok() == now {
            return Ok(());
        }
        super::clear(&folder)?;
        let how: &[&str] = if is_split(kind) { &["--split"] } else { &[] };
        bindgen::run(root, &built, &folder, self.package, how)?;
        if is_split(kind) {
            splits::fold(root, &folder, self.package)?;
        }
        if kind == Kind::Release {
            for wasm in files::with_extension(&folder, "wasm") {
                shrink(root, &wasm)?;
            }
        }
        if let Some(now) = now {
            fs::write(&stamp, now)?;
        }
        Ok(())
    }

    /// Returns the name of cargo's output file: that of a program unchanged, that of a library as an identifier.
    fn file(&self) -> String {
        if self.target.contains(&"--lib") { self.package.replace('-', "_") } else { self.package.to_owned() }
    }

    /// The folder of its glue.
    pub(crate) fn folder(&self, root: &Path, kind: Kind) -> PathBuf {
        files::web_target(root).join("page").join(kind.word()).join(self.package)
    }

    /// Itself as `web/hooks/build.mjs` takes it.
    pub(crate) fn told(&self, root: &Path, kind: Kind) -> Value {
        json!({
            "name": self.name,
            "package": self.package,
            "folder": self.folder(root, kind),
            "script": self.script,
        })
    }
}

/// Returns whether pieces are taken apart.
fn is_split(kind: Kind) -> bool {
    kind == Kind::Release
}

/// The length and age of a file, which tell one build from another.
fn stamp_of(path: &Path) -> Option<String> {
    let meta = path.metadata().ok()?;
    Some(format!("{} {:?}", meta.len(), meta.modified().ok()?))
}

/// Makes a piece small and quick to start. `-Oz` gives fewer bytes before compression and more after it. A function that is
/// moved into its only caller is no longer like others, and costs a tenth of the engine after compression. Functions with like
/// names are like each other, and compress better side by side.
pub(crate) fn shrink(root: &Path, wasm: &Path) -> Result<()> {
    let shrink = Cmd::new(&npm::bin(root).join("wasm-opt").to_string_lossy())
        .env("PATH", search_path(&[]))
        .args(["-O2", "--shrink-level=1", "--one-caller-inline-max-function-size=0"])
        .arg("--reorder-functions-by-name")
        .args(["--strip-debug", "--strip-producers", "-o"])
        .arg(wasm)
        .arg(wasm);
    quietly(shrink)
}

/// Runs one of binaryen's programs. They do not know every list of names that the splitter writes, and say so each time.
pub(super) fn quietly(command: Cmd) -> Result<()> {
    let text = command.text();
    let status = command.watch(|line| !line.contains("unknown name subsection"))?;
    anyhow::ensure!(status.success(), "`{text}` failed ({status})");
    Ok(())
}

/// The program around wasm-bindgen's library, `xtask/bindgen`.
pub(crate) mod bindgen {
    use super::{Cmd, Path, Result, progress};

    const PACKAGE: &str = "planarium-bindgen";

    /// Compiles it.
    pub(crate) fn compile(root: &Path, label: &str) -> Result<()> {
        let cargo = Cmd::new("cargo").dir(root).args(["build", "--locked", "--package", PACKAGE]);
        progress::cargo(cargo, label, progress::crates_of(root, PACKAGE, None))
    }

    /// Writes `NAME.js` and `NAME_bg.wasm` for `built` into `folder`; with `--split`, also files of what is loaded later, and `splits.json`,
    /// which names them.
    pub(crate) fn run(root: &Path, built: &Path, folder: &Path, name: &str, more: &[&str]) -> Result<()> {
        Cmd::new("cargo")
            .dir(root)
            .args(["run", "--quiet", "--locked", "--package", PACKAGE, "--"])
            .arg(built)
            .arg(folder)
            .arg(name)
            .args(more)
            .run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_like_cargo_names_them() {
        let [page, worker] = PIECES;
        assert_eq!(page.file(), "planarium-web");
        assert_eq!(worker.file(), "planarium_worker");
    }

    #[test]
    fn only_a_release_is_taken_apart() {
        assert_eq!([Kind::Everyday, Kind::Release].map(is_split), [false, true]);
    }

    #[test]
    fn a_piece_needs_a_package() {
        assert!(Piece::all(Path::new("no-such-repository")).is_empty());
    }
}
