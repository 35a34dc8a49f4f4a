//! Texts of a lesson in one language, from `ID.LANG.yaml`.
//!
//! Knows: the keys of the file. Must not know: any language.

use super::model::Lesson;
use super::places::Places;
use crate::codes;
use crate::parse::Context;
use crate::parse::fields::{self, Fields};
use planarium_source::yaml::{Entry, Node, Reader};
use planarium_source::{Diagnostic, Diagnostics, Position, SourceMap, Span};
use serde::Serialize;
use std::collections::BTreeMap;

pub(super) const KEYS: &[&str] = &["title", "story", "checks", "predict", "hints", "done"];
pub(super) const QUESTION_KEYS: &[&str] = &["ask", "options"];
pub(super) const OPTION_KEYS: &[&str] = &["text", "because"];

/// The texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Texts {
    /// Title.
    pub title: String,
    /// The task, understandable without playing.
    pub story: String,
    /// Sentences of the checks, by name: `Two instances stay available.`
    pub checks: BTreeMap<String, String>,
    /// Predictions by name.
    pub predict: BTreeMap<String, QuestionText>,
    /// Hints, the smallest first.
    pub hints: Vec<String>,
    /// The summary shown after the lesson is passed.
    pub done: String,
    /// Places of the texts in their file.
    #[serde(skip)]
    pub places: Places,
}

/// The text of a prediction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QuestionText {
    /// The question.
    pub ask: String,
    /// Options by name.
    pub options: BTreeMap<String, OptionText>,
}

/// The text of an option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OptionText {
    /// The answer.
    pub text: String,
    /// Why it is right or wrong.
    pub because: String,
}

/// Result of reading a text file.
#[derive(Clone, Debug)]
pub struct ParsedTexts {
    /// The texts; `None` if there are errors.
    pub texts: Option<Texts>,
    /// All findings, in order of position.
    pub diagnostics: Vec<Diagnostic>,
    /// The source text of the findings.
    pub sources: SourceMap,
}

/// Reads a text file. `name` is the file's name in findings.
pub fn parse_texts(text: &str, name: &str) -> ParsedTexts {
    let mut sources = SourceMap::new();
    let file = sources.add(name.to_owned(), text.to_owned());
    let mut found = Diagnostics::new();
    let root = Reader::new(text, file).one(&mut found).root;
    let nothing = |_: &str| None;
    let texts = match root {
        Some(root) => read(&root, &mut Context { found: &mut found, files: &nothing, sources: &sources }),
        None => {
            let start = Span { file, start: 0, end: 0 };
            found.push(Diagnostic::error(codes::SHAPE, start, "the file of texts is empty"));
            None
        }
    };
    let texts = texts.filter(|_| !found.has_errors());
    ParsedTexts { texts, diagnostics: found.into_sorted(), sources }
}

fn read(root: &Node, cx: &mut Context<'_>) -> Option<Texts> {
    let mut fields = Fields::open(root, "a file of texts", KEYS, cx)?;
    let mut text =
        |key: &str, cx: &mut Context<'_>| fields.text(key, cx).unwrap_or_default().trim().to_owned();
    let (title, story, done) = (text("title", cx), text("story", cx), text("done", cx));
    let checks = entries(&mut fields, "checks", cx).iter().filter_map(|entry| named(entry, cx)).collect();
    let mut predict = BTreeMap::new();
    for entry in entries(&mut fields, "predict", cx) {
        if let (Some(id), Some(question)) = (entry.key.as_str(), question(&entry.value, cx)) {
            predict.insert(id.to_owned(), question);
        }
    }
    let mut hints = Vec::new();
    for node in fields.list("hints", cx) {
        match node.as_str() {
            Some(hint) => hints.push(hint.trim().to_owned()),
            None => fields::wrong(node, "a hint is a text", cx),
        }
    }
    Some(Texts { title, story, checks, predict, hints, done, places: places(root, cx) })
}

/// Places of the texts that are compared with the lesson.
fn places(root: &Node, cx: &Context<'_>) -> Places {
    let mut places = Places::default();
    for key in KEYS {
        let Some(node) = root.get(key) else { continue };
        places.note(*key, node.span, cx.sources);
        for entry in node.as_mapping().unwrap_or_default() {
            let path = format!("{key}/{}", entry.key.as_str().unwrap_or_default());
            for option in entry.value.get("options").and_then(Node::as_mapping).unwrap_or_default() {
                let id = option.key.as_str().unwrap_or_default();
                places.note(format!("{path}/{id}"), option.key.span, cx.sources);
            }
            places.note(path, entry.key.span, cx.sources);
        }
    }
    places
}

fn question(node: &Node, cx: &mut Context<'_>) -> Option<QuestionText> {
    let mut parts = Fields::open(node, "the text of a prediction", QUESTION_KEYS, cx)?;
    let ask = parts.text("ask", cx).unwrap_or_default();
    let mut options = BTreeMap::new();
    for entry in entries(&mut parts, "options", cx) {
        let Some(mut option) = Fields::open(&entry.value, "the text of an option", OPTION_KEYS, cx) else {
            continue;
        };
        let text = option.text("text", cx).unwrap_or_default();
        let because = option.text("because", cx).unwrap_or_default();
        if let Some(id) = entry.key.as_str() {
            options.insert(id.to_owned(), OptionText { text, because });
        }
    }
    Some(QuestionText { ask, options })
}

fn entries<'n>(fields: &mut Fields<'n>, key: &str, cx: &mut Context<'_>) -> &'n [Entry] {
    let Some(node) = fields.take(key) else { return &[] };
    let entries = node.as_mapping();
    if entries.is_none() {
        fields::wrong(node, &format!("`{key}` is a mapping of names to texts"), cx);
    }
    entries.unwrap_or_default()
}

fn named(entry: &Entry, cx: &mut Context<'_>) -> Option<(String, String)> {
    let text = entry.value.as_str();
    if text.is_none() {
        fields::wrong(&entry.value, "this is a text", cx);
    }
    Some((entry.key.as_str()?.to_owned(), text?.trim().to_owned()))
}

impl Texts {
    /// Names of the lesson without a text, and texts without a name.
    pub fn findings(&self, lesson: &Lesson) -> Vec<(Position, String)> {
        let mut found = Found { places: &self.places, found: Vec::new() };
        for (key, text) in [("title", &self.title), ("story", &self.story), ("done", &self.done)] {
            if text.is_empty() {
                found.add(key, format!("there is no `{key}`"));
            }
        }
        let ids = |ids: &mut dyn Iterator<Item = &String>| ids.cloned().collect::<Vec<String>>();
        let wanted = ids(&mut lesson.checks.iter().map(|check| &check.id));
        found.compare("check", "checks", &wanted, &ids(&mut self.checks.keys()));
        let wanted = ids(&mut lesson.predict.iter().map(|question| &question.id));
        found.compare("prediction", "predict", &wanted, &ids(&mut self.predict.keys()));
        for question in &lesson.predict {
            let Some(text) = self.predict.get(&question.id) else { continue };
            let wanted = ids(&mut question.options.iter().map(|option| &option.id));
            let path = format!("predict/{}", question.id);
            found.compare("option", &path, &wanted, &ids(&mut text.options.keys()));
            let empty = |option: &OptionText| option.text.is_empty() || option.because.is_empty();
            if text.ask.is_empty() || text.options.values().any(empty) {
                let id = &question.id;
                found.add(&path, format!("prediction `{id}` needs `ask`, and options `text` and `because`"));
            }
        }
        if self.hints.len() as u64 != lesson.hints || self.hints.iter().any(String::is_empty) {
            found.add("hints", format!("{} hints, the lesson has {}", self.hints.len(), lesson.hints));
        }
        found.found
    }
}

/// Findings of a comparison, each at its place.
struct Found<'t> {
    places: &'t Places,
    found: Vec<(Position, String)>,
}

impl Found<'_> {
    fn add(&mut self, path: &str, text: String) {
        self.found.push((self.places.of(path), text));
    }

    fn compare(&mut self, what: &str, key: &str, wanted: &[String], there: &[String]) {
        for id in wanted.iter().filter(|id| !there.contains(id)) {
            self.add(key, format!("there is no text for {what} `{id}`"));
        }
        for id in there.iter().filter(|id| !wanted.contains(id)) {
            self.add(&format!("{key}/{id}"), format!("there is no {what} `{id}`"));
        }
    }
}
