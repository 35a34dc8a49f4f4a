//! Files of a definition by folder.
//!
//! *Order*: folders first, then files, each by name.

use super::text::contains;
use std::collections::BTreeMap;

/// More files than this are shown by folder; fewer as tabs.
pub(crate) const TABS: usize = 8;

/// A folder with its content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Folder {
    /// Folders by name.
    pub(crate) folders: BTreeMap<String, Folder>,
    /// Files: name and whole path.
    pub(crate) files: Vec<(String, String)>,
}

impl Folder {
    /// Number of files in it and below.
    pub(crate) fn count(&self) -> usize {
        self.files.len() + self.folders.values().map(Self::count).sum::<usize>()
    }

    /// Returns whether a file is in it or below.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.files.iter().any(|(_, own)| own == path)
            || self.folders.values().any(|folder| folder.holds(path))
    }
}

/// The files whose paths contain a text, by folder.
pub(crate) fn by_folder<'p>(paths: impl Iterator<Item = &'p String>, filter: &str) -> Folder {
    let mut root = Folder::default();
    for path in paths.filter(|path| contains(path, filter)) {
        let mut folder = &mut root;
        let (parts, name) = path.rsplit_once('/').unwrap_or(("", path));
        for part in parts.split('/').filter(|part| !part.is_empty()) {
            folder = folder.folders.entry(part.to_owned()).or_default();
        }
        folder.files.push((name.to_owned(), path.clone()));
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_grouped_by_folder() {
        let paths =
            ["operator.yaml", "templates/a.yaml", "templates/deep/b.yaml", "/odd//c.yaml"].map(str::to_owned);
        let root = by_folder(paths.iter(), "");
        assert_eq!((root.count(), root.files.len()), (4, 1));
        assert_eq!(root.folders.keys().collect::<Vec<_>>(), ["odd", "templates"]);
        assert_eq!(
            root.folders["templates"].folders["deep"].files,
            [("b.yaml".into(), "templates/deep/b.yaml".into())]
        );
        assert!(
            root.folders["templates"].holds("templates/deep/b.yaml")
                && !root.folders["odd"].holds("operator.yaml")
        );
        assert_eq!(by_folder(paths.iter(), "B.YAML").count(), 1);
        assert_eq!(by_folder([].iter(), "").count(), 0);
    }
}
