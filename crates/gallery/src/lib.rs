//! The folders `examples` and `lessons`, embedded: one source for the page's menu, the command line, the tests and the docs.
//!
//! Knows: names and texts. Must not know: how anything is run. Holds no logic
//! but the reading of a README's header.
//!
//! A program that asks only for heads has no text in it: those are tables of their own.

mod front_matter;
mod text_file;

pub use front_matter::front_matter;
pub use text_file::TextFile;

/// One example: a folder below `examples/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Folder name.
    pub id: &'static str,
    /// Title.
    pub title: &'static str,
    /// Dialect of its definition.
    pub dialect: &'static str,
    /// Dialects of the other systems on the same machines, separated by commas; empty if it runs alone.
    pub beside: &'static str,
    /// The one idea it teaches.
    pub teaches: &'static str,
    /// Group in the menu, from `first steps` on.
    pub difficulty: &'static str,
    /// Its steps over time: a word for each lane with a number of columns after each letter, `n3a2c23`. `n` is pending, `a` active, `c` done,
    /// `w` held or late, `e` failed, `.` absent. After a bar, columns in which something breaks (`x7`) or somebody steps in (`o9`).
    pub picture: &'static str,
    /// Definition files: path within the folder, text.
    pub files: &'static [(&'static str, &'static str)],
    /// Text of its scenario file.
    pub scenario: &'static str,
    /// Text of its README, without the front matter.
    pub readme: &'static str,
}

impl Example {
    /// Dialects of all systems that run in it; `mesos` for the cluster alone.
    pub fn systems(&self) -> impl Iterator<Item = &'static str> {
        systems(self.dialect, self.beside)
    }
}

fn systems(dialect: &'static str, beside: &'static str) -> impl Iterator<Item = &'static str> {
    let beside = beside.split(',').map(str::trim).filter(|word| !word.is_empty());
    std::iter::once(dialect).chain(beside)
}

/// One example without its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExampleHead {
    /// Folder name.
    pub id: &'static str,
    /// Dialect of its definition.
    pub dialect: &'static str,
    /// Dialects of the other systems on the same machines, separated by commas; empty if it runs alone.
    pub beside: &'static str,
}

impl ExampleHead {
    /// Dialects of all systems that run in it; `mesos` for the cluster alone.
    pub fn systems(&self) -> impl Iterator<Item = &'static str> {
        systems(self.dialect, self.beside)
    }
}

/// One lesson: a file below `lessons/` with its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Id, which is the file's name.
    pub id: &'static str,
    /// Text of the scenario with the lesson in it.
    pub text: &'static str,
    /// Texts by language.
    pub texts: &'static [(&'static str, &'static str)],
}

impl Lesson {
    /// Returns the texts in a language, or near it, with the word of theirs; see [`in_language`].
    pub fn texts_in(&self, language: &str) -> Option<(&'static str, &'static str)> {
        in_language(self.texts, language).copied()
    }
}

/// One lesson without its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LessonHead {
    /// Id, which is the file's name.
    pub id: &'static str,
    /// Titles by language.
    pub titles: &'static [(&'static str, &'static str)],
}

impl LessonHead {
    /// Returns the title in a language, or near it, after the word of its language; see [`in_language`].
    pub fn title_in(&self, language: &str) -> Option<(&'static str, &'static str)> {
        in_language(self.titles, language).copied()
    }
}

/// Returns what is there in a language, with its word: `de-AT` takes `de` if need be, and every language that is not there English,
/// or else the first one.
pub fn in_language<'t, W: AsRef<str>, T>(texts: &'t [(W, T)], language: &str) -> Option<&'t (W, T)> {
    let broad = language.split('-').next().unwrap_or_default();
    let of = |wanted: &str| texts.iter().find(|(word, _)| word.as_ref().eq_ignore_ascii_case(wanted));
    of(language).or_else(|| of(broad)).or_else(|| of("en")).or(texts.first())
}

static LESSONS: &[Lesson] = include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

/// All lessons in the order of the course.
pub fn lessons() -> &'static [Lesson] {
    LESSONS
}

/// The lesson with this id.
pub fn lesson(id: &str) -> Option<&'static Lesson> {
    LESSONS.iter().find(|lesson| lesson.id == id)
}

static LESSON_HEADS: &[LessonHead] = include!(concat!(env!("OUT_DIR"), "/lesson_heads.rs"));

/// The heads of all lessons in the order of the course.
pub fn lesson_heads() -> &'static [LessonHead] {
    LESSON_HEADS
}

/// The head of the lesson with this id.
pub fn lesson_head(id: &str) -> Option<&'static LessonHead> {
    LESSON_HEADS.iter().find(|lesson| lesson.id == id)
}

static EXAMPLES: &[Example] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// All examples in menu order.
pub fn examples() -> &'static [Example] {
    EXAMPLES
}

/// The example with this id.
pub fn find(id: &str) -> Option<&'static Example> {
    EXAMPLES.iter().find(|example| example.id == id)
}

static EXAMPLE_HEADS: &[ExampleHead] = include!(concat!(env!("OUT_DIR"), "/example_heads.rs"));

/// The heads of all examples in menu order.
pub fn example_heads() -> &'static [ExampleHead] {
    EXAMPLE_HEADS
}

/// The head of the example with this id.
pub fn example_head(id: &str) -> Option<&'static ExampleHead> {
    EXAMPLE_HEADS.iter().find(|example| example.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_without_texts_is_answered_in_a_near_one_or_in_english() {
        let lesson = Lesson { id: "a", text: "", texts: &[("de", "D"), ("en", "E"), ("pt-BR", "P")] };
        let found = |language| lesson.texts_in(language).map(|(word, _)| word);
        for (language, want) in
            [("de", "de"), ("de-AT", "de"), ("DE", "de"), ("pt-br", "pt-BR"), ("pt", "en"), ("", "en")]
        {
            assert_eq!(found(language), Some(want), "{language}");
        }
        assert_eq!(Lesson { texts: &[("fr", "F")], ..lesson }.texts_in("de"), Some(("fr", "F")));
        assert_eq!(Lesson { texts: &[], ..lesson }.texts_in("en"), None);
    }

    #[test]
    fn every_example_is_complete_and_the_first_one_is_in_plain_words() {
        assert!(examples().len() >= 8);
        assert_eq!(examples()[0].id, "web-shop");
        for example in examples() {
            for (what, text) in [
                ("title", example.title),
                ("dialect", example.dialect),
                ("teaches", example.teaches),
                ("difficulty", example.difficulty),
                ("scenario", example.scenario),
                ("readme", example.readme),
            ] {
                assert!(!text.is_empty(), "{}: no {what}", example.id);
            }
            assert!(!example.picture.is_empty(), "{}: no picture", example.id);
            // A scenario about the cluster alone needs none.
            assert!(!example.files.is_empty() || example.dialect == "mesos", "{}: no definition", example.id);
            assert_eq!(find(example.id), Some(example));
        }
    }

    #[test]
    fn heads_are_those_of_the_texts() {
        let heads = example_heads().iter().map(|head| (head.id, head.systems().collect::<Vec<_>>()));
        let whole = examples().iter().map(|example| (example.id, example.systems().collect()));
        assert!(heads.eq(whole));
        for (head, lesson) in lesson_heads().iter().zip(lessons()) {
            assert_eq!(lesson_head(lesson.id), Some(head));
            for ((language, title), (own, text)) in head.titles.iter().zip(lesson.texts) {
                assert!(
                    language == own && text.starts_with(&format!("title: {title}\n")),
                    "{}: {title}",
                    head.id
                );
            }
        }
        assert_eq!(lesson_heads().len(), lessons().len());
    }
}
