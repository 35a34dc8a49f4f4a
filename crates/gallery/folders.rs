//! Reads the folders `examples` and `lessons`, for the build script and for the build of the page.
//!
//! *Knows*: how their files are called. *Must not know*: what is made of the texts.

use super::front_matter::front_matter;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A folder or a file without a number in its `order` comes last.
const LAST: u32 = 1000;

/// An example: a folder with a README, a scenario and definitions.
pub(crate) struct Example {
    pub(crate) id: String,
    order: u32,
    /// Keys and values of the README's header.
    header: Vec<(String, String)>,
    /// Path within the folder and text of each definition file.
    pub(crate) files: Vec<(String, String)>,
    pub(crate) scenario: String,
    /// The README without its header.
    pub(crate) readme: String,
}

impl Example {
    /// Returns a value of the README's header; empty if it is not there.
    pub(crate) fn value(&self, key: &str) -> &str {
        self.header.iter().find(|(own, _)| own == key).map_or("", |(_, value)| value)
    }
}

/// A lesson: a scenario file with its texts beside it.
pub(crate) struct Lesson {
    pub(crate) id: String,
    order: u32,
    pub(crate) text: String,
    /// Texts by language.
    pub(crate) texts: Vec<(String, String)>,
}

/// Reads all examples of a repository, in menu order.
pub(crate) fn examples(root: &Path) -> io::Result<Vec<Example>> {
    let mut folders = fs::read_dir(root.join("examples"))?.collect::<Result<Vec<_>, _>>()?;
    folders.retain(|entry| entry.path().is_dir());
    let mut found = folders.iter().map(|folder| example(&folder.path())).collect::<Result<Vec<_>, _>>()?;
    found.sort_by(|a, b| (a.order, &a.id).cmp(&(b.order, &b.id)));
    Ok(found)
}

fn example(folder: &Path) -> io::Result<Example> {
    let mut paths = Vec::new();
    files_below(folder, &mut paths)?;
    let (mut files, mut scenario, mut readme) = (Vec::new(), None, String::new());
    for path in paths {
        let within = path.strip_prefix(folder).unwrap_or(&path);
        let name = within.to_string_lossy().replace('\\', "/");
        if name.ends_with(".transcript.txt") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        if name == "README.md" {
            readme = text;
        } else if name.ends_with(".planarium.yaml") {
            scenario.get_or_insert(text);
        } else {
            files.push((name, text));
        }
    }
    let id = name_of(folder);
    let scenario =
        scenario.ok_or_else(|| io::Error::other(format!("examples/{id} has no *.planarium.yaml")))?;
    let (header, body) = front_matter(&readme);
    let order = header.iter().find(|(key, _)| *key == "order").and_then(|(_, order)| order.parse().ok());
    Ok(Example {
        id,
        order: order.unwrap_or(LAST),
        header: header.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        files,
        scenario,
        readme: body.to_owned(),
    })
}

/// Reads all lessons of a repository, in the order of the course: `ID.planarium.yaml` with its texts `ID.LANGUAGE.yaml` beside it.
pub(crate) fn lessons(root: &Path) -> io::Result<Vec<Lesson>> {
    let mut paths = Vec::new();
    files_below(&root.join("lessons"), &mut paths)?;
    let mut found = Vec::new();
    for path in &paths {
        let name = name_of(path);
        let Some(id) = name.strip_suffix(".planarium.yaml") else { continue };
        let text = fs::read_to_string(path)?;
        let order = text.lines().find_map(|line| line.trim().strip_prefix("order:"));
        let order = order.and_then(|number| number.trim().parse().ok()).unwrap_or(LAST);
        let mut texts = Vec::new();
        for beside in &paths {
            let name = name_of(beside);
            let rest = name.strip_prefix(id).and_then(|rest| rest.strip_prefix('.'));
            let language = rest.and_then(|rest| rest.strip_suffix(".yaml"));
            if let Some(language) = language.filter(|word| !word.contains('.') && *word != "planarium") {
                texts.push((language.to_owned(), fs::read_to_string(beside)?));
            }
        }
        found.push(Lesson { id: id.to_owned(), order, text, texts });
    }
    found.sort_by(|a, b| (a.order, &a.id).cmp(&(b.order, &b.id)));
    Ok(found)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn files_below(dir: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, out)?;
        } else {
            out.push(path);
        }
    }
    Ok(())
}
