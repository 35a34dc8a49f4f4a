//! `mdbook-planarium install`: script, styles, and their places in `book.toml`.
//!
//! Knows: `book.toml`. Must not know: chapters.

use crate::program;
use anyhow::{Context as _, Result};
use std::fs;
use std::path::Path;
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// Sets a book up; a second time brings script and styles up to date and leaves the rest.
pub(crate) fn run(folder: &Path) -> Result<()> {
    let path = folder.join("book.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let named = named(&text, &path)?;
    let program = program::find(named.as_deref(), folder);
    let folder_text = folder.display().to_string();
    let output = program::piped(&program, &["embed", "--assets", &folder_text], "")?;
    anyhow::ensure!(
        output.status.success(),
        "planarium could not write script and styles: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    print!("{}", String::from_utf8_lossy(&output.stdout));
    let with = configured(&text).with_context(|| path.display().to_string())?;
    if with != text {
        fs::write(&path, with).with_context(|| format!("writing {}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// The program that the book names.
fn named(text: &str, path: &Path) -> Result<Option<String>> {
    let document: DocumentMut = text.parse().with_context(|| path.display().to_string())?;
    let item = document.get("preprocessor").and_then(|all| all.get("planarium")?.get("program"));
    Ok(item.and_then(Item::as_str).map(str::to_owned))
}

/// Returns a `book.toml` with the preprocessor, the script and the styles; everything else stays as written.
fn configured(text: &str) -> Result<String> {
    let mut document: DocumentMut = text.parse()?;
    let preprocessor = table(document.as_table_mut(), "preprocessor")?;
    let ours = table(preprocessor, "planarium")?;
    if !ours.contains_key("command") {
        ours.insert("command", value("mdbook-planarium"));
    }
    if !ours.contains_key("before") && !ours.contains_key("after") {
        // Included files move lines, and findings name those of the chapter.
        ours.insert("before", value(Array::from_iter(["links"])));
    }
    let output = table(document.as_table_mut(), "output")?;
    let html = table(output, "html")?;
    for (key, file) in [("additional-css", "planarium-embed.css"), ("additional-js", "planarium-embed.js")] {
        let list = html.entry(key).or_insert_with(|| value(Array::new()));
        let list = list.as_array_mut().with_context(|| format!("output.html.{key} is no list"))?;
        if !list.iter().filter_map(|path| path.as_str()).any(|path| path.trim_start_matches("./") == file) {
            list.push(file);
        }
    }
    Ok(document.to_string())
}

/// Returns the table of this name, created if it is missing.
fn table<'t>(parent: &'t mut Table, name: &str) -> Result<&'t mut Table> {
    let new = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    parent.entry(name).or_insert_with(new).as_table_mut().with_context(|| format!("`{name}` is no table"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_is_set_up_once_and_keeps_its_settings() {
        let text = "[book]\ntitle = \"T\" # mine\n";
        let with = configured(text).expect("a book");
        assert!(with.starts_with(text), "{with}");
        assert!(
            with.contains("[preprocessor.planarium]\ncommand = \"mdbook-planarium\"\nbefore = [\"links\"]\n"),
            "{with}"
        );
        assert!(with.contains("[output.html]\nadditional-css = [\"planarium-embed.css\"]\nadditional-js = [\"planarium-embed.js\"]\n"));
        assert_eq!(configured(&with).expect("a book"), with);
    }

    #[test]
    fn other_scripts_and_settings_stay() {
        let text = "[output.html]\nadditional-js = [\"x.js\", \"./planarium-embed.js\"]\nsearch = false\n\n\
                    [preprocessor.planarium]\ncommand = \"cargo run\"\nafter = [\"links\"]\n";
        let with = configured(text).expect("a book");
        assert!(
            with.contains("additional-js = [\"x.js\", \"./planarium-embed.js\"]\nsearch = false"),
            "{with}"
        );
        assert!(with.contains("command = \"cargo run\"\nafter = [\"links\"]\n") && !with.contains("before"));
        assert!(configured("output = 3\n").is_err());
        assert!(configured("[").is_err());
    }
}
