//! The files of the playground page: built in, or from a folder.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

mod page {
    //! The built page, embedded when `dist/` existed at build time.
    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}

/// Where the page's files are.
#[derive(Debug)]
pub(super) struct Site(Option<PathBuf>);

impl Site {
    /// The page in a folder, or the one that is built in.
    pub(super) fn new(folder: Option<&Path>) -> Self {
        Self(folder.map(Path::to_owned))
    }

    /// Returns whether there is a page.
    pub(super) fn is_there(&self) -> bool {
        self.file("/index.html").is_some()
    }

    /// The file at a path with its content type.
    pub(super) fn file(&self, path: &str) -> Option<(&'static str, Cow<'static, [u8]>)> {
        let path = if path == "/" { "/index.html" } else { path };
        let name = Path::new(path.strip_prefix('/')?);
        let Some(folder) = &self.0 else {
            return page::file(path).map(|bytes| (content_type(name), Cow::Borrowed(bytes)));
        };
        let is_inside = name.components().all(|part| matches!(part, Component::Normal(_)));
        let bytes = is_inside.then(|| std::fs::read(folder.join(name)).ok()).flatten()?;
        Some((content_type(name), Cow::Owned(bytes)))
    }
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html;charset=utf-8",
        Some("js" | "mjs") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_folder_are_served() {
        let site = Site::new(Some(Path::new(env!("CARGO_MANIFEST_DIR"))));
        assert!(site.file("/src/main.rs").is_some());
        for path in
            ["/../cli/Cargo.toml", "/src/../Cargo.toml", "//etc/hostname", "/src", "/none", "Cargo.toml"]
        {
            assert!(site.file(path).is_none(), "{path}");
        }
        assert!(!site.is_there());
    }
}
