//! Texts of examples and lessons: built in, or fetched when they are needed.
//!
//! *Knows*: which texts are there. *Must not know*: how a file is fetched.
//!
//! A host takes texts from its [`Library`] only. Which examples and lessons exist is always known, see `planarium_gallery`.

use planarium_gallery::TextFile;
use planarium_protocol::json::{self, Value};
use serde::Deserialize;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The texts of an example.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct ExampleTexts {
    /// The one idea that it teaches.
    pub teaches: String,
    /// Its scenario file.
    pub scenario: String,
    /// Its definition files: path within its folder, text.
    pub files: BTreeMap<String, String>,
}

/// The texts of a lesson in one language.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct LessonTexts {
    /// The scenario with the lesson in it.
    pub lesson: String,
    /// The texts.
    pub texts: String,
}

/// A place that texts are taken from.
pub trait Texts {
    /// The texts of an example; `None` while they are not there.
    fn example(&self, id: &str) -> Option<Rc<ExampleTexts>>;

    /// The texts of a lesson in one of its languages; `None` while they are not there.
    fn lesson(&self, id: &str, language: &str) -> Option<Rc<LessonTexts>>;

    /// Returns whether the texts of everything are there.
    fn has_all(&self) -> bool;
}

/// The texts that the program has in it.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn;

impl Texts for BuiltIn {
    fn example(&self, id: &str) -> Option<Rc<ExampleTexts>> {
        let example = planarium_gallery::find(id)?;
        let files = example.files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Some(Rc::new(ExampleTexts {
            teaches: example.teaches.to_owned(),
            scenario: example.scenario.to_owned(),
            files: files.collect(),
        }))
    }

    fn lesson(&self, id: &str, language: &str) -> Option<Rc<LessonTexts>> {
        let lesson = planarium_gallery::lesson(id)?;
        let (_, texts) = lesson.texts.iter().find(|(word, _)| *word == language)?;
        Some(Rc::new(LessonTexts { lesson: lesson.text.to_owned(), texts: (*texts).to_owned() }))
    }

    fn has_all(&self) -> bool {
        true
    }
}

/// Texts that were fetched. A file stays there once it has come.
#[derive(Debug, Default)]
pub struct Fetched {
    examples: RefCell<BTreeMap<String, Rc<ExampleTexts>>>,
    lessons: RefCell<BTreeMap<String, Rc<LessonTexts>>>,
    all: Cell<bool>,
}

/// A file of texts has another content than it should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

impl Fetched {
    /// Takes a file that has come. The file of everything is an object with each file under its name.
    ///
    /// *Errors*: the file is damaged; what could be read of it is there.
    pub fn take(&self, file: TextFile<'_>, text: &str) -> Result<(), Damaged> {
        let content = json::value(text.as_bytes()).map_err(|_| Damaged)?;
        if file != TextFile::All {
            return self.keep(file.to_string(), content);
        }
        let Value::Object(files) = content else { return Err(Damaged) };
        files.into_iter().try_for_each(|(name, content)| self.keep(name, content))?;
        self.all.set(true);
        Ok(())
    }

    fn keep(&self, name: String, content: Value) -> Result<(), Damaged> {
        if name.starts_with("lesson-") {
            let texts = json::from(content).map_err(|_| Damaged)?;
            self.lessons.borrow_mut().insert(name, Rc::new(texts));
        } else {
            let texts = json::from(content).map_err(|_| Damaged)?;
            self.examples.borrow_mut().insert(name, Rc::new(texts));
        }
        Ok(())
    }
}

impl Texts for Fetched {
    fn example(&self, id: &str) -> Option<Rc<ExampleTexts>> {
        self.examples.borrow().get(&TextFile::Example(id).to_string()).cloned()
    }

    fn lesson(&self, id: &str, language: &str) -> Option<Rc<LessonTexts>> {
        self.lessons.borrow().get(&TextFile::Lesson(id, language).to_string()).cloned()
    }

    fn has_all(&self) -> bool {
        self.all.get()
    }
}

/// The examples and lessons of a host.
pub(crate) struct Library {
    texts: Rc<dyn Texts>,
    was_absent: Cell<bool>,
}

impl Library {
    pub(crate) fn new(texts: Rc<dyn Texts>) -> Self {
        Self { texts, was_absent: Cell::new(false) }
    }

    /// Returns the texts of an example; `None` if there is no such example.
    pub(crate) fn example(&self, id: &str) -> Option<Rc<ExampleTexts>> {
        let head = planarium_gallery::example_head(id)?;
        self.noted(self.texts.example(head.id))
    }

    /// Returns the texts of a lesson in a language, or near it; `None` if there is no such lesson.
    pub(crate) fn lesson(&self, id: &str, language: &str) -> Option<Rc<LessonTexts>> {
        let head = planarium_gallery::lesson_head(id)?;
        let (language, _) = head.title_in(language)?;
        self.noted(self.texts.lesson(head.id, language))
    }

    /// Returns the file to be fetched before [`Library::example`] is called with this id, if there is one.
    pub(crate) fn absent_example(&self, id: &str) -> Option<TextFile<'static>> {
        let head = planarium_gallery::example_head(id)?;
        self.texts.example(head.id).is_none().then_some(TextFile::Example(head.id))
    }

    /// Returns the file to be fetched before [`Library::lesson`] is called with this id and language, if there is one.
    pub(crate) fn absent_lesson(&self, id: &str, language: &str) -> Option<TextFile<'static>> {
        let head = planarium_gallery::lesson_head(id)?;
        let (language, _) = head.title_in(language)?;
        self.texts.lesson(head.id, language).is_none().then_some(TextFile::Lesson(head.id, language))
    }

    /// Returns whether the texts of everything are there.
    pub(crate) fn has_all(&self) -> bool {
        self.texts.has_all()
    }

    /// Returns whether texts were absent when they were needed.
    pub(crate) fn was_absent(&self) -> bool {
        self.was_absent.get()
    }

    fn noted<T>(&self, texts: Option<T>) -> Option<T> {
        self.was_absent.set(self.was_absent.get() || texts.is_none());
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_texts_stays_and_a_damaged_one_is_refused() {
        let fetched = Fetched::default();
        let file = TextFile::Example("canary");
        assert_eq!(fetched.take(file, "<!doctype html>"), Err(Damaged));
        assert_eq!(fetched.take(file, r#"{"teaches": "x"}"#), Err(Damaged));
        assert!(fetched.example("canary").is_none());
        let text = r#"{"systems": ["sdk"], "teaches": "t", "scenario": "s", "files": {"svc.yml": "f"}}"#;
        assert_eq!(fetched.take(file, text), Ok(()));
        assert_eq!(fetched.example("canary").map(|texts| texts.teaches.clone()).as_deref(), Some("t"));
        assert!(fetched.lesson("canary", "en").is_none() && !fetched.has_all());
        let all = format!(r#"{{"example-b": {text}, "lesson-canary-en": {{"lesson": "l", "texts": "w"}}}}"#);
        assert_eq!(fetched.take(TextFile::All, &all), Ok(()));
        assert!(
            fetched.example("b").is_some() && fetched.lesson("canary", "en").is_some() && fetched.has_all()
        );
    }

    #[test]
    fn texts_that_were_absent_are_noted_and_unknown_ones_are_not() {
        let library = Library::new(Rc::new(Fetched::default()));
        assert!(library.example("no-such-example").is_none() && library.lesson("no-such", "en").is_none());
        assert!(!library.was_absent());
        assert_eq!(library.absent_example("canary"), Some(TextFile::Example("canary")));
        assert_eq!(library.absent_lesson("canary", "de-AT"), Some(TextFile::Lesson("canary", "en")));
        assert!(!library.was_absent());
        assert!(library.example("canary").is_none() && library.was_absent());
    }
}
