//! The texts of examples and lessons as a page fetches them: a file for each, and one of all.
//!
//! *Knows*: what is in a file, see `crates/host/src/texts.rs`. *Must not know*: how a text is read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::files;
use crate::size;
// The folders are read with it.
use crate::tidy::front_matter;

#[path = "../../../crates/gallery/folders.rs"]
#[expect(dead_code, reason = "shared with the build script of the gallery")]
mod folders;
#[path = "../../../crates/gallery/src/text_file.rs"]
#[expect(unreachable_pub, reason = "shared with the gallery, which hands it out")]
mod text_file;

use text_file::TextFile;

/// The folder that the build of a page takes the files from.
pub(crate) fn folder(root: &Path) -> PathBuf {
    files::web_target(root).join("page").join("texts")
}

/// Writes all files into a folder, and `known.json`, which tells what the first world of a page needs: the name of the first example, the
/// pieces of each system, the systems by the name of each text.
pub(crate) fn write(root: &Path, folder: &Path) -> Result<()> {
    super::clear(folder)?;
    let (mut all, mut systems, mut first) = (Map::new(), Map::new(), None);
    let examples = folders::examples(root).context("the examples cannot be read")?;
    for example in &examples {
        let name = TextFile::Example(&example.id).to_string();
        first.get_or_insert_with(|| name.clone());
        let beside = example.value("beside").split(',').map(str::trim).filter(|word| !word.is_empty());
        let words: Vec<&str> = [example.value("dialect")].into_iter().chain(beside).collect();
        systems.insert(name.clone(), json!(words));
        let files: Map<String, Value> =
            example.files.iter().map(|(path, text)| (path.clone(), json!(text))).collect();
        let texts =
            json!({"teaches": example.value("teaches"), "scenario": example.scenario, "files": files});
        all.insert(name, texts);
    }
    let lessons = folders::lessons(root).context("the lessons cannot be read")?;
    for lesson in &lessons {
        for (language, texts) in &lesson.texts {
            let name = TextFile::Lesson(&lesson.id, language).to_string();
            systems.insert(name.clone(), json!(dialects(&lesson.text)));
            all.insert(name, json!({"lesson": lesson.text, "texts": texts}));
        }
    }
    for (name, texts) in &all {
        save(folder, name, texts)?;
    }
    save(folder, &TextFile::All.to_string(), &Value::Object(all))?;
    let pieces: Map<String, Value> =
        size::pieces().map(|(word, pieces)| (word.to_owned(), json!(pieces))).collect();
    save(folder, "known", &json!({"first": first, "systems": pieces, "texts": systems}))
}

fn save(folder: &Path, name: &str, content: &Value) -> Result<()> {
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, content.to_string()).with_context(|| format!("cannot write {}", file.display()))
}

/// The dialects that a scenario file names.
fn dialects(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().map(|line| line.trim_start_matches([' ', '-']));
    lines.filter_map(|line| line.strip_prefix("dialect:")).map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialects_of_a_scenario_are_found_line_by_line() {
        let text =
            "services:\n  - dialect: sdk\n    name: a\n  - name: b\n    dialect: kudo\n# a dialect: x\n";
        assert_eq!(dialects(text), BTreeSet::from(["kudo", "sdk"]));
    }
}
