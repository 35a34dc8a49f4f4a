//! The page's catalogue of systems, machines, examples and lessons before any engine answers: `catalogue.json`, which the suite
//! `catalogue` of the tests compares with the engine and `cargo xtask bless catalogue` writes.

use super::selectors::status::Words;
use super::state::{ExampleCard, LessonCard, PresetCard};
use planarium_protocol::Text;
use planarium_protocol::json::{self, Read};
use planarium_protocol::view::{StatusWord, table};
use std::sync::LazyLock;

/// A dialect.
#[derive(Debug, Read)]
pub(crate) struct Dialect {
    /// Its word.
    pub(crate) word: Text,
    /// Its name as people write it.
    pub(crate) title: Text,
    /// The first word of lines of its command line.
    pub(crate) program: Option<Text>,
    statuses: Vec<StatusWord>,
}

impl Dialect {
    /// Its status words.
    pub(crate) fn statuses(&self) -> Words {
        table(self.statuses.clone())
    }
}

#[derive(Debug, Read)]
struct Example {
    id: Text,
    title: Text,
    dialect: Text,
    teaches: Text,
    difficulty: Text,
    #[serde(default)]
    picture: Text,
}

#[derive(Debug, Read)]
struct Lesson {
    id: Text,
    title: Text,
    order: u32,
    systems: Vec<Text>,
}

#[derive(Debug, Read)]
struct Preset {
    name: Text,
    title: Text,
}

#[derive(Debug, Default, Read)]
struct Catalogue {
    dialects: Vec<Dialect>,
    states: Vec<StatusWord>,
    presets: Vec<Preset>,
    examples: Vec<Example>,
    lessons: Vec<Lesson>,
}

static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| json::read::text(include_bytes!("../catalogue.json")).unwrap_or_default());

/// All dialects, with their tables of status words.
pub(crate) fn dialects() -> &'static [Dialect] {
    &CATALOGUE.dialects
}

/// The words for states of tasks and machines.
pub(crate) fn states() -> Words {
    static STATES: LazyLock<Words> = LazyLock::new(|| table(CATALOGUE.states.clone()));
    *STATES
}

/// Returns the status words of a dialect; none for an unknown one.
pub(crate) fn words(dialect: &str) -> Words {
    static WORDS: LazyLock<Vec<(&'static str, Words)>> =
        LazyLock::new(|| dialects().iter().map(|known| (&*known.word, known.statuses())).collect());
    WORDS.iter().find(|(word, _)| *word == dialect).map_or(&[], |(_, words)| words)
}

/// The cards of the gallery.
pub(crate) fn examples() -> Vec<ExampleCard> {
    let attr = crate::ui::attr;
    let card = |example: &Example| ExampleCard {
        id: attr(&example.id),
        title: attr(&example.title),
        dialect: attr(&example.dialect),
        // Plain text on the card: the quotes of code words are left out.
        teaches: example.teaches.replace('`', "").into(),
        difficulty: attr(&example.difficulty),
        picture: attr(&example.picture),
    };
    CATALOGUE.examples.iter().map(card).collect()
}

/// The lessons of the course, in its order.
pub(crate) fn lessons() -> Vec<LessonCard> {
    let attr = crate::ui::attr;
    let card = |lesson: &Lesson| LessonCard {
        id: attr(&lesson.id),
        title: attr(&lesson.title),
        part: lesson.order / 100,
        systems: lesson.systems.iter().map(|word| attr(word)).collect(),
    };
    CATALOGUE.lessons.iter().map(card).collect()
}

/// The sets of machines.
pub(crate) fn presets() -> Vec<PresetCard> {
    let attr = crate::ui::attr;
    let card = |preset: &Preset| PresetCard { name: attr(&preset.name), text: attr(&preset.title) };
    CATALOGUE.presets.iter().map(card).collect()
}
