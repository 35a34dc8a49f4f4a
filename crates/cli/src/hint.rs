//! Suggests the package next to a definition that lacks most of its values.
//!
//! Knows: where packages are in relation to definitions in source trees. Must not know: the content of packages.

use std::path::{Path, PathBuf};

/// From this number of variables without a value on, the package is taken to be missing.
const MANY: usize = 3;
/// Folders above a definition that are looked into: `frameworks/NAME/src/main/dist/svc.yml` beside `frameworks/NAME/universe`.
const LEVELS: usize = 4;
/// Folders looked at in one folder, at most.
const MOST: usize = 200;

/// Returns a sentence about the package beside a definition with many variables without a value.
pub(crate) fn package(command: &str, path: &Path, missing: usize) -> Option<String> {
    if missing < MANY || !path.is_file() {
        return None;
    }
    let folder = beside(path)?;
    let (path, folder) = (path.display(), folder.display());
    Some(format!(
        "{path}: {missing} variables have no value. There is a package beside it that gives them values:\n  planarium \
         {command} {path} --package {folder}\n"
    ))
}

/// Returns the error for an `--env` without `=`; it names the option for files.
pub(crate) fn not_a_pair(given: &str) -> String {
    let ending = Path::new(given).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let help = match ending {
        "yaml" | "yml" | "ted" => {
            ": an environment file is read from the folder of the definition, so name the folder (planarium run DIR)"
        }
        _ if Path::new(given).is_file() => ": a file of K=V lines is read with --env-file",
        _ => "",
    };
    format!("--env `{given}` is not K=V{help}")
}

/// The nearest package folder about a file.
fn beside(path: &Path) -> Option<PathBuf> {
    let mut folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    for _ in 0..LEVELS {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        if is_package(here) {
            return Some(here.to_path_buf());
        }
        let entries = std::fs::read_dir(here).ok()?;
        let mut below: Vec<PathBuf> =
            entries.take(MOST).filter_map(|entry| Some(entry.ok()?.file_name().into())).collect();
        below.sort();
        if let Some(found) = below.iter().map(|name| folder.join(name)).find(|path| is_package(path)) {
            return Some(found);
        }
        folder = above(&folder);
    }
    None
}

fn is_package(folder: &Path) -> bool {
    folder.join("config.json").is_file() && folder.join("marathon.json.mustache").is_file()
}

/// The folder above, as one would type it.
fn above(folder: &Path) -> PathBuf {
    if folder.as_os_str().is_empty() || folder.ends_with("..") {
        return folder.join("..");
    }
    folder.parent().map(Path::to_path_buf).unwrap_or_default()
}
