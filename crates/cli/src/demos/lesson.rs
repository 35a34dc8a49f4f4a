//! Fences with a lesson: of the course by its id, of a file beside the document, or written in the fence.
//!
//! Knows: where a lesson and its texts come from, and that one that is not of the course is proved. Must not know: when a check is met.

use super::{Document, Drawn, Finding, Grade, placed};
use crate::files::read;
use crate::lesson::{Course, FEW_PLAYERS, Loaded, texts_beside};
use planarium_embed::LessonPicture;
use planarium_embed::fence::{self, Body, Options, claims};
use planarium_scenario::lesson::{Lesson, OwnLesson, Texts, parse_texts};
use planarium_scenario::parse;
use planarium_source::suggest;
use planarium_source::suggest::did_you_mean_in_ticks;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Language of texts that name none.
const LANGUAGE: &str = "en";

/// A lesson as it is written.
struct Written {
    /// Text of the scenario with the lesson.
    lesson: String,
    /// Texts by language.
    texts: Vec<(String, String)>,
    origin: Origin,
}

/// The place that a lesson comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    /// The course, which Planarium's own tests prove.
    Course,
    /// A file, and its name as the fence has it.
    File(PathBuf, String),
    /// The fence's body.
    Body,
}

/// A fence that is being drawn.
pub(super) struct Fence<'f> {
    pub(super) options: &'f Options,
    pub(super) body: &'f Body,
    /// Name under which the body is read.
    pub(super) name: &'f str,
    /// Line of the document on which the fence begins.
    pub(super) line: usize,
    pub(super) document: &'f Document,
}

/// Returns whether a fence holds a lesson rather than a run.
pub(super) fn is_lesson(options: &Options, body: &Body) -> bool {
    options.lesson.is_some() || planarium_source::detect::has_key(&body.text, "lesson")
}

/// Checks and draws a lesson. Returns the findings about the claims; those about the lesson go to `drawn`.
pub(super) fn draw(fence: &Fence<'_>, drawn: &mut Drawn) -> Vec<fence::Finding> {
    let written = match written(fence) {
        Ok(written) => written,
        Err(message) => {
            drawn.findings.push(bad(fence.line, message));
            return Vec::new();
        }
    };
    let Some(loaded) = loaded(&written, fence, drawn) else { return Vec::new() };
    if written.origin != Origin::Course {
        prove(&loaded, &written.origin, fence, drawn);
    }
    let Some((language, texts)) = loaded.in_language(fence.options.lang.as_deref().unwrap_or(LANGUAGE))
    else {
        return Vec::new();
    };
    let own = (written.origin != Origin::Course).then(|| {
        let texts = written.texts.iter().find(|(word, _)| word == language);
        let texts = texts.map(|(_, text)| text.clone()).unwrap_or_default();
        OwnLesson { lesson: written.lesson.clone(), texts }.link()
    });
    let titled = Texts { title: fence.options.title.clone().unwrap_or_default(), ..texts.clone() };
    let picture = LessonPicture {
        lesson: &loaded.lesson,
        texts: if titled.title.is_empty() { texts } else { &titled },
        language: Some(language),
        own: own.as_deref(),
        plan: fence.options.plan.as_deref(),
        link: fence.options.link.as_deref(),
        engine: fence.options.engine.as_deref().or(fence.document.engine.as_deref()),
        attributes: &fence.options.attributes,
    };
    drawn.html = picture.html();
    drawn.text = picture.text();
    claims(&loaded.lesson, fence.body)
}

fn bad(line: usize, message: String) -> Finding {
    Finding { line, column: None, grade: Grade::BadInput, message }
}

/// Finds the lesson of a fence.
///
/// *Errors*: why there is none.
fn written(fence: &Fence<'_>) -> Result<Written, String> {
    let Some(wanted) = &fence.options.lesson else {
        let Some((lesson, texts)) = fence.body.lesson_and_texts() else {
            return Err("the lesson has no texts: write them below it, after a line `---`, as in ID.en.yaml"
                .to_owned());
        };
        let language = fence.options.lang.clone().unwrap_or_else(|| LANGUAGE.to_owned());
        return Ok(Written { lesson, texts: vec![(language, texts)], origin: Origin::Body });
    };
    if !fence.body.is_empty() {
        return Err("the fence has `lesson` and a body: one of them is the lesson".to_owned());
    }
    if let Some(embedded) = planarium_gallery::lesson(wanted) {
        let owned = |(language, text): &(&str, &str)| ((*language).to_owned(), (*text).to_owned());
        let texts = embedded.texts.iter().map(owned).collect();
        return Ok(Written { lesson: embedded.text.to_owned(), texts, origin: Origin::Course });
    }
    let path = fence.document.folder.join(wanted);
    if !path.is_file() {
        return Err(unknown(wanted));
    }
    let wrong = |error: anyhow::Error| format!("lesson=\"{wanted}\": {error:#}");
    let lesson = read(&path).map_err(wrong)?;
    let texts = texts_beside(&path).map_err(wrong)?;
    Ok(Written { lesson, texts, origin: Origin::File(path, wanted.clone()) })
}

fn unknown(wanted: &str) -> String {
    if wanted.contains(['.', '/']) {
        return format!("lesson=\"{wanted}\": there is no such file; paths begin at the document's folder");
    }
    let near = suggest(wanted, planarium_gallery::lessons().iter().map(|lesson| lesson.id));
    let help =
        did_you_mean_in_ticks(near, || "`planarium lesson list` lists them, and a file is named by its path");
    format!("there is no lesson `{wanted}`; {help}")
}

/// Reads a lesson and its texts. `None` after a finding.
fn loaded(written: &Written, fence: &Fence<'_>, drawn: &mut Drawn) -> Option<Loaded> {
    let is_body = written.origin == Origin::Body;
    let name = match &written.origin {
        Origin::File(_, name) => name.as_str(),
        Origin::Course | Origin::Body => fence.name,
    };
    // A link to the lesson holds one text, so a definition in a file of its own would be missing there.
    let parsed = parse(&written.lesson, name, &|_| None);
    placed(&parsed.diagnostics, &parsed.sources, name, fence.line, is_body, drawn);
    let Some(lesson) = parsed.lesson else {
        if drawn.is_good() {
            let message = format!("{name}: there is no `lesson:` in this scenario");
            drawn.findings.push(bad(fence.line, message));
        }
        return None;
    };
    let mut texts = Vec::new();
    for (language, text) in &written.texts {
        let name = match &written.origin {
            Origin::File(path, name) => texts_name(path, name, language),
            Origin::Course | Origin::Body => fence.name.to_owned(),
        };
        let parsed = parse_texts(text, &name);
        placed(&parsed.diagnostics, &parsed.sources, &name, fence.line, is_body, drawn);
        texts.extend(parsed.texts.map(|texts| (language.clone(), texts)));
    }
    drawn.is_good().then(|| Loaded { lesson: Arc::new(*lesson), texts })
}

/// Plays the lesson's own routes and some random players.
fn prove(loaded: &Loaded, origin: &Origin, fence: &Fence<'_>, drawn: &mut Drawn) {
    let mut proof = Course::with(std::iter::once(loaded)).prove(loaded, FEW_PLAYERS);
    if let Origin::File(path, _) = origin {
        proof.findings.splice(0..0, misnamed(path, &loaded.lesson));
    }
    for finding in proof.findings {
        drawn.findings.push(match origin {
            Origin::File(path, name) => {
                let file = finding
                    .language
                    .as_deref()
                    .map_or_else(|| name.clone(), |language| texts_name(path, name, language));
                let message = format!("{file}:{}:{}: {}", finding.line, finding.column, finding.text);
                Finding { line: fence.line, column: None, grade: Grade::FalseClaim, message }
            }
            Origin::Course | Origin::Body => Finding {
                line: fence.line + finding.line as usize,
                column: Some(finding.column),
                grade: Grade::FalseClaim,
                message: finding.text,
            },
        });
    }
}

/// Says that a file is not called like its lesson.
pub(crate) fn misnamed(path: &Path, lesson: &Lesson) -> Option<planarium_scenario::lesson::Finding> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let wanted = format!("{}.planarium.yaml", lesson.id);
    (name != wanted).then(|| {
        let text = format!("its id is `{}`, its file is called `{name}`", lesson.id);
        planarium_scenario::lesson::Finding::new(lesson.places.of("id"), text)
    })
}

/// Returns the name of the file of texts beside a lesson's file.
fn texts_name(path: &Path, name: &str, language: &str) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = crate::lesson::stem(&file);
    let folder = name.strip_suffix(&*file).unwrap_or_default();
    format!("{folder}{stem}.{language}.yaml")
}
