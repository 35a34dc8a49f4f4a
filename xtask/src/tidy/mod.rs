//! `cargo xtask tidy`: rules of this repository that no compiler checks. One file per check.

mod codes;
mod css;
mod documents;
mod examples;
mod goldens;
mod layers;
mod length;
mod lints;
mod loader;
mod modules;
mod numbers;
mod paths;
mod systems;
mod tuples;
mod types;
mod unfinished;
mod wording;

pub(crate) use examples::front_matter;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::files;
use crate::out;
use crate::proc::Cmd;

/// A file of the repository, as every check sees it.
pub(crate) struct Source {
    /// Path from the repository's folder, with forward slashes.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

impl Source {
    fn is(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
    }
}

/// Everything that the checks read, loaded once.
pub(crate) struct Repository {
    /// Every text file that is tracked or about to be.
    pub(crate) sources: Vec<Source>,
    /// `cargo metadata` of the workspace.
    pub(crate) metadata: Value,
}

impl Repository {
    fn read(root: &Path) -> Result<Self> {
        let sources = tracked(root)
            .into_iter()
            .filter_map(|path| {
                let text = std::fs::read_to_string(&path).ok()?;
                Some(Source { path: files::shown(root, &path), text })
            })
            .collect();
        Ok(Self { sources, metadata: metadata(root)? })
    }

    /// Sources below a folder.
    pub(crate) fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a Source> {
        self.sources
            .iter()
            .filter(move |source| source.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.sources.iter().find(|source| source.path == path).map(|source| source.text.as_str())
    }
}

/// A check: its name, and a function that returns its findings.
type Check = (&'static str, fn(&Repository) -> Vec<String>);

/// Every check, in the order in which they report.
const CHECKS: [Check; 17] = [
    ("layers", layers::check),
    ("length", length::check),
    ("codes", codes::check),
    ("goldens", goldens::check),
    ("css", css::check),
    ("examples", examples::check),
    ("paths", paths::check),
    ("systems", systems::check),
    ("unfinished", unfinished::check),
    ("lints", lints::check),
    ("modules", modules::check),
    ("types", types::check),
    ("tuples", tuples::check),
    ("numbers", numbers::check),
    ("loader", loader::check),
    ("documents", documents::check),
    ("wording", wording::check),
];

/// Runs the checks, or the named ones.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    for arg in args {
        anyhow::ensure!(
            CHECKS.iter().any(|(name, _)| name == arg),
            "there is no check `{arg}`; the checks are {}",
            CHECKS.map(|(name, _)| name).join(", ")
        );
    }
    let root = files::root()?;
    let repository = Repository::read(&root)?;
    let mut findings = 0;
    for (name, check) in CHECKS {
        if !args.is_empty() && !args.iter().any(|arg| arg == name) {
            continue;
        }
        for finding in check(&repository) {
            findings += 1;
            out::say(format!("tidy[{name}]: {finding}"));
        }
    }
    if findings == 0 {
        out::say("tidy: nothing to find fault with");
    } else {
        out::say(format!("tidy: {findings} findings"));
    }
    Ok(findings == 0)
}

/// Files that git tracks or would add; all files where git does not answer.
fn tracked(root: &Path) -> Vec<PathBuf> {
    let listed = Cmd::new("git")
        .dir(root)
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .answer();
    let mut paths: Vec<PathBuf> = match listed {
        Some(list) if !list.is_empty() => {
            list.split('\0').filter(|name| !name.is_empty()).map(|name| root.join(name)).collect()
        }
        _ => files::walk(root),
    };
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.dedup();
    paths
}

/// `cargo metadata` of the workspace's own packages.
pub(crate) fn metadata(root: &Path) -> Result<Value> {
    let text = Cmd::new("cargo")
        .dir(root)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .answer()
        .context("`cargo metadata` failed; try it by hand")?;
    serde_json::from_str(&text).context("`cargo metadata` printed something that is no JSON")
}

/// For the checks' own tests: a repository of these files.
#[cfg(test)]
pub(crate) fn fixture(files: &[(&str, &str)]) -> Repository {
    Repository {
        sources: files
            .iter()
            .map(|(path, text)| Source { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect(),
        metadata: Value::Null,
    }
}
