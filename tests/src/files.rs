//! Paths of the repository and the real definitions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The top folder of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The folder of real definitions: what `PLANARIUM_REAL` names, or `../shared/real` beside the repository.
pub fn real() -> Option<PathBuf> {
    let named = std::env::var_os("PLANARIUM_REAL").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared/real"));
    folder.is_dir().then_some(folder)
}

/// The text of a file below the repository; a file that is not there is a defect of the suite.
///
/// # Panics
/// When the file cannot be read.
#[expect(clippy::panic, reason = "helper of tests")]
pub fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder with one of these endings, by name, sorted.
///
/// # Panics
/// When the folder cannot be read.
#[expect(clippy::panic, reason = "helper of tests")]
pub fn below(folder: &Path, endings: &[&str]) -> BTreeMap<String, PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .filter_map(Result::ok)
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .filter(|(name, path)| path.is_file() && endings.iter().any(|ending| name.ends_with(ending)))
        .collect()
}
