//! `planarium lesson` and `planarium schema`.
//!
//! Knows: where lessons and their texts lie. Must not know: when a check is met.

mod check;
mod new;
mod play;
mod update;

pub(crate) use check::{Course, report};

use crate::End;
use crate::args::{LessonArgs, LessonCommand, SchemaArgs, SchemaOf};
use crate::files::{read, sorted_entries};
use anyhow::{Result, bail};
use planarium_scenario::lesson::{Lesson, Other, Texts, parse_texts};
use planarium_source::render;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Random players of a lesson in a test or a document; `planarium lesson check` takes more.
pub(crate) const FEW_PLAYERS: u64 = 10;

/// A lesson with its texts by language.
pub(crate) struct Loaded {
    pub(crate) lesson: Arc<Lesson>,
    pub(crate) texts: Vec<(String, Texts)>,
}

impl Loaded {
    /// The texts in a language, or near it, with its word.
    pub(crate) fn in_language(&self, language: &str) -> Option<(&str, &Texts)> {
        let found = planarium_gallery::in_language(&self.texts, language);
        found.map(|(word, texts)| (word.as_str(), texts))
    }

    /// The same, empty where there are none.
    fn texts(&self, language: &str) -> Texts {
        self.in_language(language).map(|(_, texts)| texts.clone()).unwrap_or_default()
    }
}

/// Runs a command about lessons.
pub(crate) fn run(args: &LessonArgs) -> Result<End> {
    match &args.command {
        LessonCommand::List => list(),
        LessonCommand::Check(args) => check::run(args),
        LessonCommand::Play(args) => play::run(args),
        LessonCommand::New(args) => new::run(args),
    }
}

/// Prints a schema.
pub(crate) fn schema(args: &SchemaArgs) -> End {
    match args.of {
        SchemaOf::Lesson => print!("{}", planarium_scenario::lesson::SCHEMA),
    }
    End::Good
}

fn list() -> Result<End> {
    for embedded in planarium_gallery::lessons() {
        let loaded = embedded_lesson(embedded)?;
        println!("{:<28} {}", embedded.id, loaded.texts("en").title);
    }
    Ok(End::Good)
}

/// A lesson of the course.
fn embedded_lesson(embedded: &planarium_gallery::Lesson) -> Result<Loaded> {
    let texts = embedded.texts.iter().map(|(language, text)| ((*language).to_owned(), (*text).to_owned()));
    read_lesson(embedded.text, embedded.id, &|_| None, texts.collect())
}

/// A lesson in a file, with the texts beside it.
pub(crate) fn file(path: &Path) -> Result<Loaded> {
    let text = read(path)?;
    let dir = folder(path);
    read_lesson(&text, &path.display().to_string(), &|name| read(&dir.join(name)).ok(), texts_beside(path)?)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the name of a lesson's file without its endings.
pub(crate) fn stem(name: &str) -> &str {
    name.trim_end_matches(".yaml").trim_end_matches(".planarium")
}

/// Reads the files of texts beside a lesson's file, by language.
pub(crate) fn texts_beside(path: &Path) -> Result<Vec<(String, String)>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = stem(&name);
    let mut texts = Vec::new();
    for beside in sorted_entries(folder(path))? {
        let name = beside.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let language = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".yaml"));
        if let Some(language) =
            language.filter(|language| !language.contains('.') && *language != "planarium")
        {
            texts.push((language.to_owned(), read(&beside)?));
        }
    }
    Ok(texts)
}

fn read_lesson(
    text: &str,
    name: &str,
    files: &planarium_scenario::Files<'_>,
    texts: Vec<(String, String)>,
) -> Result<Loaded> {
    let parsed = planarium_scenario::parse(text, name, files);
    let Some(lesson) = parsed.lesson else {
        let found = render::text::render(&parsed.diagnostics, &parsed.sources);
        if found.is_empty() {
            bail!("{name}: there is no `lesson:` in this scenario");
        }
        bail!("{name}: the lesson has errors\n{}", found.trim_end());
    };
    let mut read = Vec::new();
    for (language, text) in texts {
        let parsed = parse_texts(&text, &format!("{}.{language}.yaml", lesson.id));
        let Some(texts) = parsed.texts else {
            bail!("{name}: {}", render::text::render(&parsed.diagnostics, &parsed.sources).trim_end());
        };
        read.push((language, texts));
    }
    Ok(Loaded { lesson: Arc::new(*lesson), texts: read })
}

/// A lesson by id or path.
fn find(text: &str) -> Result<Loaded> {
    if let Some(embedded) = planarium_gallery::lesson(text) {
        return embedded_lesson(embedded);
    }
    let path = PathBuf::from(text);
    if !path.is_file() {
        bail!(
            "`{text}` is neither a lesson of the course nor a file; `planarium lesson list` lists the course"
        );
    }
    file(&path)
}

/// Parts of a lesson that others build on.
fn other(lesson: &Lesson) -> Other {
    Other { id: lesson.id.clone(), teaches: lesson.teaches.clone(), needs: lesson.needs.clone() }
}
