//! Folders and archives that a definition refers to and that lie beside its own folder.
//!
//! Knows: how paths are joined, and that files are named from one top. Must not know: why a definition refers to a folder.

use crate::archive;
use crate::load::{Loaded, collect};
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Rounds of looking for further folders: each may refer to others.
const ROUNDS: usize = 16;

/// A definition with the folders that it refers to. `top` is the folder that its files are named from; where a folder lies above it,
/// all files are named from there.
pub(crate) fn completed(loaded: Loaded, top: &Path) -> Result<Loaded> {
    let Loaded::Definition(mut load) = loaded else { return Ok(loaded) };
    let mut top = plain(&top.canonicalize().unwrap_or_else(|_| top.to_owned()));
    for _ in 0..ROUNDS {
        let mut added = false;
        for folder in planarium_world::check(&load).folders {
            let whole = plain(&top.join(&folder));
            let mut files = BTreeMap::new();
            if whole.is_dir() {
                collect(&whole, &whole, &mut files, 0)?;
            } else if archive::is_one(&whole) {
                files = archive::texts(&whole)?;
            }
            if files.is_empty() {
                continue;
            }
            let mut prefix = PathBuf::new();
            while !whole.starts_with(&top) {
                let Some(name) = top.file_name() else { break };
                prefix = Path::new(name).join(&prefix);
                top.pop();
            }
            if !prefix.as_os_str().is_empty() {
                let named = |name: &str| prefix.join(name.trim_start_matches("./")).display().to_string();
                load.files = load.files.iter().map(|(name, text)| (named(name), text.clone())).collect();
            }
            let inside = whole.strip_prefix(&top).unwrap_or(&whole);
            for (name, text) in files {
                let name = inside.join(name).display().to_string();
                added |= load.files.insert(name, text).is_none();
            }
            eprintln!("also read: {}", inside.display());
            if !prefix.as_os_str().is_empty() {
                // The paths of the other folders were from the former top.
                break;
            }
        }
        if !added {
            break;
        }
    }
    Ok(Loaded::Definition(load))
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
