//! Turns the folders `examples` and `lessons` into tables: of embedded texts, and of ids alone. Adding a folder is all that adding an
//! example takes, adding files all that adding a lesson takes.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

mod folders;
#[path = "src/front_matter.rs"]
#[expect(unreachable_pub, reason = "shared with the library, which hands it out")]
mod front_matter;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    for folder in ["examples", "lessons"] {
        println!("cargo:rerun-if-changed={}", root.join(folder).display());
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=folders.rs");
    let (mut examples, mut heads) = (String::new(), String::new());
    for example in folders::examples(&root)? {
        let value = |key| example.value(key);
        let (id, dialect, beside) = (&example.id, value("dialect"), value("beside"));
        writeln!(heads, "    ExampleHead {{ id: {id:?}, dialect: {dialect:?}, beside: {beside:?} }},")?;
        writeln!(
            examples,
            "    Example {{ id: {id:?}, title: {:?}, dialect: {dialect:?}, beside: {beside:?}, teaches: {:?}, difficulty: {:?}, picture: {:?}, files: &{:?}, scenario: {:?}, readme: {:?} }},",
            value("title"),
            value("teaches"),
            value("difficulty"),
            value("picture"),
            example.files,
            example.scenario,
            example.readme,
        )?;
    }
    fs::write(out.join("examples.rs"), format!("&[\n{examples}]\n"))?;
    fs::write(out.join("example_heads.rs"), format!("&[\n{heads}]\n"))?;
    let (mut lessons, mut heads) = (String::new(), String::new());
    for lesson in folders::lessons(&root)? {
        let title = |text: &str| {
            let title = text.lines().find_map(|line| line.strip_prefix("title:"));
            title.unwrap_or_default().trim().to_owned()
        };
        let titles: Vec<_> = lesson.texts.iter().map(|(language, text)| (language, title(text))).collect();
        let id = &lesson.id;
        writeln!(heads, "    LessonHead {{ id: {id:?}, titles: &{titles:?} }},")?;
        writeln!(
            lessons,
            "    Lesson {{ id: {id:?}, text: {:?}, texts: &{:?} }},",
            lesson.text, lesson.texts
        )?;
    }
    fs::write(out.join("lessons.rs"), format!("&[\n{lessons}]\n"))?;
    fs::write(out.join("lesson_heads.rs"), format!("&[\n{heads}]\n"))?;
    Ok(())
}
