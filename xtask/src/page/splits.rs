//! Files that are split off a piece, to be loaded when they are needed.
//!
//! Each split has a file of what only it reaches. What several splits reach and the main part does not is in a chunk for each combination
//! of them, and most combinations have a few functions only: such chunks go back into the main part.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::piece::quietly;
use crate::files;
use crate::proc::{Cmd, search_path};
use crate::setup::npm;

/// A smaller chunk goes back into the main part. *Units*: bytes of a file with the names of its functions; after compression it is
/// about a sixth.
const SMALL: u64 = 64_000;

/// The files of each split, without their endings.
type Splits = BTreeMap<String, Vec<String>>;

/// The list of what each split of a package's release consists of; it may not be there.
pub(crate) fn list(root: &Path, package: &str) -> PathBuf {
    files::web_target(root).join("page").join("wasm-release").join(package).join("splits.json")
}

/// Moves the small chunks of a piece back into its main part, `PACKAGE_bg.wasm`.
pub(super) fn fold(root: &Path, folder: &Path, package: &str) -> Result<()> {
    let list = folder.join("splits.json");
    let mut splits: Splits = serde_json::from_str(&files::read(&list)?).context("splits.json is no list")?;
    let size = |chunk: &str| fs::metadata(folder.join(format!("{chunk}.wasm"))).map_or(0, |meta| meta.len());
    let small = small(&splits, size);
    if small.is_empty() {
        return Ok(());
    }
    let main = folder.join(format!("{package}_bg.wasm"));
    // What chunks import, the main part exports. Names are for the order of functions, see `shrink`. While the parts are being put
    // together each has a memory.
    let mut merge = Cmd::new(&npm::bin(root).join("wasm-merge").to_string_lossy())
        .env("PATH", search_path(&[]))
        .args(["-g", "--enable-multimemory"])
        .arg(&main)
        .arg("__wasm_split");
    for chunk in &small {
        merge = merge.arg(folder.join(format!("{chunk}.wasm"))).arg(chunk);
    }
    quietly(merge.arg("-o").arg(&main))?;
    for files in splits.values_mut() {
        files.retain(|file| !small.contains(file));
    }
    for chunk in &small {
        let file = folder.join(format!("{chunk}.wasm"));
        fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    fs::write(&list, serde_json::to_string(&splits)?)
        .with_context(|| format!("cannot write {}", list.display()))
}

/// The chunks that are not worth a file.
fn small(splits: &Splits, size: impl Fn(&str) -> u64) -> BTreeSet<String> {
    let chunks = splits.values().flatten().filter(|file| file.starts_with("chunk_"));
    chunks.filter(|chunk| size(chunk) < SMALL).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_chunks_are_not_worth_a_file_and_splits_always_are() {
        let of = |files: &[&str]| files.iter().map(ToString::to_string).collect::<Vec<_>>();
        let splits = Splits::from([
            ("kudo".to_owned(), of(&["chunk_1", "chunk_2", "split_kudo"])),
            ("sdk".to_owned(), of(&["chunk_1", "split_sdk"])),
        ]);
        let size = |file: &str| if file == "chunk_2" { SMALL } else { SMALL - 1 };
        assert_eq!(small(&splits, size), BTreeSet::from(["chunk_1".to_owned()]));
    }
}
