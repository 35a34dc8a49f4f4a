//! Reads files and folders: completely, as text, in the order of their names.
//!
//! Knows: the file system. Must not know: the content of files.

use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Longest file that is read. *Units*: bytes. The engine's own limits are lower and give a diagnostic.
pub(crate) const MAX_FILE: u64 = 16 * 1024 * 1024;

/// Returns the entries of a folder, sorted by name.
pub(crate) fn sorted_entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
    let mut paths = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

/// Reads a file that is UTF-8 and not too long.
pub(crate) fn read(path: &Path) -> Result<String> {
    let size = fs::metadata(path).with_context(|| format!("reading {}", path.display()))?.len();
    if size > MAX_FILE {
        bail!("{}: {size} bytes are more than the {MAX_FILE} that are read", path.display());
    }
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    String::from_utf8(bytes).map_err(|error| {
        anyhow::anyhow!("{}: not UTF-8 (byte {} onwards)", path.display(), error.utf8_error().valid_up_to())
    })
}
