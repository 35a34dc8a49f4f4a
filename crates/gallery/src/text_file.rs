//! Names of the files that a page fetches texts from: one for each example, one for each lesson in each language, one of all.
//!
//! *Knows*: names. *Must not know*: what is in the files. The build of the page writes them under these names.

use std::fmt;

/// A file of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextFile<'t> {
    /// The texts of everything, for visits without a network.
    All,
    /// An example by its id.
    Example(&'t str),
    /// A lesson by its id, in a language.
    Lesson(&'t str, &'t str),
}

impl fmt::Display for TextFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Example(id) => write!(f, "example-{id}"),
            Self::Lesson(id, language) => write!(f, "lesson-{id}-{language}"),
        }
    }
}
