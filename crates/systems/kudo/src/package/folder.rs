//! Finds the files of each package.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/packages/reader/parser.go`. Match: files that do not belong to a package are
//! skipped, because they may belong to another one below.

use planarium_kernel::SortedMap;
use std::collections::BTreeMap;

/// The files of one package, by their paths below its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder<'f> {
    /// Path of the root among all files, without a slash at its end; empty for the top.
    pub root: String,
    /// `operator.yaml` as (whole path, text).
    pub operator: Option<(String, &'f str)>,
    /// `params.yaml` likewise.
    pub params: Option<(String, &'f str)>,
    /// Templates by the names that tasks use: path below `templates/`, then (whole path, text).
    pub templates: SortedMap<String, (String, &'f str)>,
}

/// Returns every package among some files, by its root. A root is a folder with an `operator.yaml`, or the top if no
/// folder has one. *Order*: the top first, then by path.
pub fn folders(files: &BTreeMap<String, String>) -> Vec<Folder<'_>> {
    let mut roots: Vec<String> = files
        .keys()
        .filter_map(|path| match clean(path).rsplit_once('/') {
            Some((root, "operator.yaml")) => Some(root.to_owned()),
            None if clean(path) == "operator.yaml" => Some(String::new()),
            _ => None,
        })
        // A template may be called so, too.
        .filter(|root| !root.split('/').any(|part| part == "templates"))
        .collect();
    if roots.is_empty() {
        roots.push(top_of(files));
    }
    planarium_kernel::sorted::sort_by(&mut roots, |a, b| (depth(a), a).cmp(&(depth(b), b)));
    roots.into_iter().map(|root| folder(files, root)).collect()
}

fn depth(root: &str) -> usize {
    if root.is_empty() { 0 } else { root.split('/').count() }
}

/// The folder that all files share, for a package without `operator.yaml`.
fn top_of(files: &BTreeMap<String, String>) -> String {
    let params = files.keys().find_map(|path| clean(path).strip_suffix("/params.yaml").map(str::to_owned));
    params.unwrap_or_default()
}

/// Cleans a path like `filepath.Clean`, and removes a leading `./`.
fn clean(path: &str) -> &str {
    path.trim_start_matches("./").trim_start_matches('/')
}

fn folder(files: &BTreeMap<String, String>, root: String) -> Folder<'_> {
    let mut found = Folder { root, ..Folder::default() };
    for (path, text) in files {
        let inside = if found.root.is_empty() {
            Some(clean(path))
        } else {
            clean(path).strip_prefix(&found.root).and_then(|rest| rest.strip_prefix('/'))
        };
        let Some(inside) = inside else { continue };
        let file = (path.clone(), text.as_str());
        match inside {
            "operator.yaml" => found.operator = Some(file),
            "params.yaml" => found.params = Some(file),
            _ => {
                let (folder, name) = inside.rsplit_once('/').unwrap_or(("", inside));
                if folder.starts_with("templates") && name.contains(".yaml") {
                    // The name is what follows the last `templates/`.
                    let name = inside.rsplit("templates/").next().unwrap_or(inside);
                    found.templates.insert(name.to_owned(), file);
                }
            }
        }
    }
    found
}
