//! Noticing that sources changed, by their lengths and ages.

#![expect(
    clippy::disallowed_methods,
    reason = "the engine reads no clock; files are looked at again after a while"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::files;

/// Interval between two scans of the sources. *Order*: a change counts once two scans in a row agree, so that a checkout or a
/// save of many files is one change.
const INTERVAL: Duration = Duration::from_millis(400);

/// Files and folders that the page is made of.
const SOURCES: [&str; 7] = ["index.html", "web", "crates", "examples", "lessons", "Cargo.toml", "Cargo.lock"];

/// The sources as they were.
#[derive(PartialEq, Eq)]
pub(crate) struct Watched {
    /// The length of each, and its age as the system writes it.
    files: BTreeMap<PathBuf, (u64, String)>,
}

impl Watched {
    /// Scans the sources.
    pub(crate) fn now(root: &Path) -> Self {
        let mut found = BTreeMap::new();
        for source in SOURCES {
            let path = root.join(source);
            let paths = if path.is_dir() { files::walk(&path) } else { vec![path] };
            for path in paths {
                if let Ok(meta) = path.metadata()
                    && let Ok(modified) = meta.modified()
                {
                    found.insert(path, (meta.len(), format!("{modified:?}")));
                }
            }
        }
        Self { files: found }
    }

    /// Waits until the sources differ from these and have stopped changing; returns one of the changed files.
    pub(crate) fn wait(&mut self, root: &Path) -> PathBuf {
        loop {
            std::thread::sleep(INTERVAL);
            let mut now = Self::now(root);
            let Some(path) = self.difference(&now) else { continue };
            loop {
                std::thread::sleep(INTERVAL);
                let then = Self::now(root);
                if then == now {
                    break;
                }
                now = then;
            }
            *self = now;
            return path;
        }
    }

    /// Returns a file that is new, removed or changed.
    fn difference(&self, now: &Self) -> Option<PathBuf> {
        let changed = now.files.iter().find(|(path, state)| self.files.get(*path) != Some(*state));
        let gone = || self.files.keys().find(|path| !now.files.contains_key(*path));
        changed.map(|(path, _)| path).or_else(gone).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_changed_and_removed_files_are_noticed() {
        let root = std::env::temp_dir().join(format!("planarium-watch-{}", std::process::id()));
        std::fs::create_dir_all(root.join("web")).unwrap();
        let file = root.join("web").join("a.css");
        let empty = Watched::now(&root);
        std::fs::write(&file, "a").unwrap();
        let one = Watched::now(&root);
        assert_eq!(empty.difference(&one), Some(file.clone()));
        assert_eq!(one.difference(&Watched::now(&root)), None);
        std::fs::write(&file, "ab").unwrap();
        let changed = Watched::now(&root);
        assert_eq!(one.difference(&changed), Some(file.clone()));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(changed.difference(&Watched::now(&root)), Some(file));
        std::fs::remove_dir_all(root).unwrap();
    }
}
