//! Turns the folders `examples` and `lessons` into tables of embedded texts. Adding a folder is all that adding an example takes, adding
//! files all that adding a lesson takes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

#[path = "src/front_matter.rs"]
#[expect(unreachable_pub, reason = "shared with the library, which hands it out")]
mod front_matter;

use front_matter::front_matter;

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

/// The lessons: `ID.planarium.yaml` with its texts `ID.LANG.yaml` beside it, by the number that follows `order:`.
fn lessons() -> Result<String, Box<dyn std::error::Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../lessons").canonicalize()?;
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    files_below(&root, &mut files)?;
    let named = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut rows: Vec<(u32, String)> = Vec::new();
    for path in &files {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = named(path);
        let Some(id) = name.strip_suffix(".planarium.yaml") else { continue };
        let text = fs::read_to_string(path)?;
        let order = text.lines().find_map(|line| line.trim().strip_prefix("order:"));
        let order = order.and_then(|number| number.trim().parse().ok()).unwrap_or(1000);
        let mut texts = String::new();
        for beside in &files {
            let name = named(beside);
            let language =
                name.strip_prefix(id).and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".yaml"));
            if let Some(language) =
                language.filter(|language| !language.contains('.') && *language != "planarium")
            {
                write!(texts, "({language:?}, include_str!({:?})), ", beside.display().to_string())?;
            }
        }
        let path = path.display().to_string();
        rows.push((
            order,
            format!("    Lesson {{ id: {id:?}, text: include_str!({path:?}), texts: &[{texts}] }},\n"),
        ));
    }
    rows.sort();
    let rows: String = rows.into_iter().map(|(_, row)| row).collect();
    Ok(format!("&[\n{rows}]\n"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("lessons.rs"), lessons()?)?;
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../examples").canonicalize()?;
    println!("cargo:rerun-if-changed={}", root.display());
    let mut folders = fs::read_dir(&root)?.collect::<Result<Vec<_>, _>>()?;
    folders.retain(|entry| entry.path().is_dir());
    folders.sort_by_key(fs::DirEntry::path);
    let mut rows: Vec<(u32, String)> = Vec::new();
    for folder in folders {
        let id = folder.file_name().to_string_lossy().into_owned();
        let mut files = Vec::new();
        files_below(&folder.path(), &mut files)?;
        let readme = fs::read_to_string(folder.path().join("README.md"))?;
        let scenario = files
            .iter()
            .find(|path| path.to_string_lossy().ends_with(".planarium.yaml"))
            .ok_or_else(|| format!("examples/{id} has no *.planarium.yaml"))?;
        let mut texts = String::new();
        for path in &files {
            let name = path.strip_prefix(folder.path())?.to_string_lossy().replace('\\', "/");
            println!("cargo:rerun-if-changed={}", path.display());
            if name == "README.md" || name.ends_with(".planarium.yaml") || name.ends_with(".transcript.txt") {
                continue;
            }
            write!(texts, "({name:?}, include_str!({:?})), ", path.display().to_string())?;
        }
        let (header, body) = front_matter(&readme);
        let value = |wanted| header.iter().find(|(key, _)| *key == wanted).map_or("", |(_, value)| *value);
        let order = value("order").parse().unwrap_or(1000);
        rows.push((
            order,
            format!(
                "    Example {{ id: {id:?}, title: {:?}, dialect: {:?}, beside: {:?}, teaches: {:?}, difficulty: {:?}, picture: {:?}, files: &[{texts}], scenario: include_str!({:?}), readme: {:?} }},\n",
                value("title"),
                value("dialect"),
                value("beside"),
                value("teaches"),
                value("difficulty"),
                value("picture"),
                scenario.display().to_string(),
                body,
            ),
        ));
    }
    rows.sort();
    let mut table = String::from("&[\n");
    for (_, row) in rows {
        table.push_str(&row);
    }
    table.push_str("]\n");
    fs::write(out.join("examples.rs"), table)?;
    Ok(())
}
