//! Tries of lessons that came to a verdict, as the browser keeps them for a comparison in a later visit.
//!
//! *Knows*: how many are kept, and how they are written. *Must not know*: where they are kept, and what a try says.

use planarium_protocol::json;

/// Tries of a lesson that are kept.
const PER_LESSON: usize = 6;
/// Lessons whose tries are kept: those played last.
const LESSONS: usize = 40;
/// Longest try that is kept. *Units*: bytes.
const LONGEST: usize = 8 * 1024;

/// Tries by lesson, the lesson played last and the try made last at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tries(Vec<(String, Vec<String>)>);

impl Tries {
    /// Reads what [`Tries::text`] wrote; nonsense is nothing.
    pub(crate) fn read(text: &str) -> Self {
        Self(json::read::text(text.as_bytes()).unwrap_or_default())
    }

    /// All of them in a text.
    pub(crate) fn text(&self) -> String {
        json::of(&self.0).to_string()
    }

    /// Tries of a lesson.
    pub(crate) fn of(&self, lesson: &str) -> Vec<String> {
        self.0.iter().find(|(id, _)| id == lesson).map(|(_, tries)| tries.clone()).unwrap_or_default()
    }

    /// Takes a try in; the oldest ones make room for it.
    pub(crate) fn record(&mut self, lesson: &str, link: &str) {
        if link.len() > LONGEST {
            return;
        }
        let mut tries = self.of(lesson);
        tries.retain(|known| known != link);
        tries.push(link.to_owned());
        tries.drain(..tries.len().saturating_sub(PER_LESSON));
        self.0.retain(|(id, _)| id != lesson);
        self.0.push((lesson.to_owned(), tries));
        self.0.drain(..self.0.len().saturating_sub(LESSONS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tries_of_the_last_lessons_are_kept() {
        let mut tries = Tries::default();
        for number in 0..8 {
            tries.record("canary", &format!("h1:{number}"));
        }
        tries.record("canary", "h1:5");
        assert_eq!(tries.of("canary"), ["h1:2", "h1:3", "h1:4", "h1:6", "h1:7", "h1:5"]);
        tries.record("canary", &"h".repeat(LONGEST + 1));
        assert_eq!(tries.of("canary").len(), PER_LESSON, "too long a try is not kept");
        for number in 0..LESSONS {
            tries.record(&format!("lesson-{number}"), "h1:a");
        }
        assert!(tries.of("canary").is_empty(), "it was played longest ago");
        assert_eq!(Tries::read(&tries.text()), tries);
        for text in ["", "[]", "{}", "[1]", "[[\"a\"]]"] {
            assert_eq!(Tries::read(text), Tries::default(), "{text}");
        }
    }
}
