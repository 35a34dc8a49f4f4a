//! Turns the `examples` folder into a table of embedded texts. Adding a folder is all that adding an example takes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

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

fn front_matter(text: &str, key: &str) -> String {
    text.split("---")
        .nth(1)
        .and_then(|block| block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')))
        .map(|value| value.trim().trim_matches('"').to_owned())
        .unwrap_or_default()
}

fn body(text: &str) -> &str {
    text.splitn(3, "---").nth(2).unwrap_or(text).trim_start()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
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
        let order = front_matter(&readme, "order").parse().unwrap_or(1000);
        rows.push((
            order,
            format!(
                "    Example {{ id: {id:?}, title: {:?}, dialect: {:?}, teaches: {:?}, difficulty: {:?}, files: &[{texts}], scenario: include_str!({:?}), readme: {:?} }},\n",
                front_matter(&readme, "title"),
                front_matter(&readme, "dialect"),
                front_matter(&readme, "teaches"),
                front_matter(&readme, "difficulty"),
                scenario.display().to_string(),
                body(&readme),
            ),
        ));
    }
    rows.sort();
    let mut table = String::from("&[\n");
    for (_, row) in rows {
        table.push_str(&row);
    }
    table.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("examples.rs"), table)?;
    Ok(())
}
