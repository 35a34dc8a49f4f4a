//! Passed lessons, by id: stored in the browser, exported as a line that works as a link's end and as a file.
//!
//! *Knows*: the format of progress. *Must not know*: where it is stored, and the existing lessons.

use super::lessons::{Score, Try, Verdict};
use std::collections::BTreeMap;

/// The beginning of exported progress, in a link after `#`.
pub(crate) const PREFIX: &str = "progress=";
/// Lessons that are read at most.
const MOST: usize = 2000;

/// A lesson that was passed: its best try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// Stars.
    pub(crate) stars: u8,
    /// Score.
    pub(crate) score: Score,
    /// Hints that were asked for.
    pub(crate) hints: u64,
    /// The solution was looked at before.
    pub(crate) gave_up: bool,
}

impl Done {
    /// Returns the entry of a passed try.
    pub(crate) fn of(attempt: &Try) -> Option<Self> {
        let passed = matches!(attempt.verdict, Verdict::Passed { .. });
        passed.then(|| Self {
            stars: attempt.stars.unwrap_or_default(),
            score: attempt.score,
            hints: attempt.hints.len() as u64,
            gave_up: attempt.gave_up,
        })
    }

    /// The better of two is the greater one.
    fn rank(&self) -> (bool, u8, [std::cmp::Reverse<u64>; 4]) {
        let Score { commands, time_ms, unavailable_ms } = self.score;
        let low = [self.hints, commands, unavailable_ms, time_ms].map(std::cmp::Reverse);
        (!self.gave_up, self.stars, low)
    }
}

/// All lessons that were passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress(BTreeMap<String, Done>);

impl Progress {
    /// The best try of a lesson.
    pub(crate) fn of(&self, id: &str) -> Option<&Done> {
        self.0.get(id)
    }

    /// Number of lessons.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether a try is better than the stored one.
    pub(crate) fn is_better(&self, id: &str, done: &Done) -> bool {
        self.of(id).is_none_or(|known| done.rank() > known.rank())
    }

    /// Takes a try in.
    pub(crate) fn record(&mut self, id: &str, done: Done) {
        self.0.insert(id.to_owned(), done);
    }

    /// Merges new and better entries. Returns their number.
    pub(crate) fn merge(&mut self, other: &Self) -> usize {
        let better: Vec<_> = other.0.iter().filter(|(id, done)| self.is_better(id, done)).collect();
        for (id, done) in &better {
            self.record(id, **done);
        }
        better.len()
    }

    /// Writes everything in one line.
    pub(crate) fn text(&self) -> String {
        let entry = |(id, done): (&String, &Done)| {
            let Score { commands, time_ms, unavailable_ms } = done.score;
            let (stars, hints, gave_up) = (done.stars, done.hints, u8::from(done.gave_up));
            format!("{id}.{stars}.{commands}.{time_ms}.{unavailable_ms}.{hints}.{gave_up}")
        };
        format!("{PREFIX}{}", self.0.iter().map(entry).collect::<Vec<_>>().join(","))
    }

    /// Reads such a line, or a link that ends with it. `None` for anything else.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (_, list) = text.trim().rsplit_once(PREFIX)?;
        let entries = list.split(',').filter(|entry| !entry.is_empty()).take(MOST);
        entries.map(entry).collect::<Option<BTreeMap<_, _>>>().map(Self)
    }
}

fn entry(text: &str) -> Option<(String, Done)> {
    let mut parts = text.split('.');
    let id = parts.next()?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if id.is_empty() || id.len() > 100 || !id.chars().all(fits) {
        return None;
    }
    let mut number = || parts.next()?.parse::<u64>().ok();
    let stars = u8::try_from(number()?).ok().filter(|stars| *stars <= 3)?;
    let score = Score { commands: number()?, time_ms: number()?, unavailable_ms: number()? };
    let done = Done { stars, score, hints: number()?, gave_up: number()? > 0 };
    parts.next().is_none().then(|| (id.to_owned(), done))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(stars: u8, commands: u64) -> Done {
        Done {
            stars,
            score: Score { commands, time_ms: 90_000, unavailable_ms: 500 },
            hints: 1,
            gave_up: false,
        }
    }

    #[test]
    fn progress_survives_a_link_and_other_texts_are_ignored() {
        let mut progress = Progress::default();
        progress.record("canary", done(3, 2));
        progress.record("two-schedulers", Done { gave_up: true, ..done(1, 9) });
        let link = format!("https://example.org/#{}", progress.text());
        assert_eq!(Progress::read(&link), Some(progress.clone()));
        assert_eq!(Progress::read(&Progress::default().text()), Some(Progress::default()));
        for text in [
            "",
            "canary.3.2.90000.500.1.0",
            "progress=canary",
            "progress=Canary.3.2.9.5.1.0",
            "progress=a.4.1.1.1.1.0",
            "progress=a.3.1.1.1.1.0.7",
            "progress=a.3.1.1.1.1.-1",
        ] {
            assert_eq!(Progress::read(text), None, "{text}");
        }
    }

    #[test]
    fn the_better_try_is_kept_in_any_order() {
        let mut here = Progress::default();
        here.record("canary", done(2, 2));
        here.record("status", done(3, 1));
        let mut there = Progress::default();
        there.record("canary", done(3, 4));
        there.record("status", Done { gave_up: true, ..done(3, 1) });
        there.record("gates", done(1, 1));
        assert_eq!(here.merge(&there), 2);
        assert_eq!((here.of("canary"), here.of("status")), (Some(&done(3, 4)), Some(&done(3, 1))));
        assert_eq!(here.merge(&there), 0, "nothing is new");
    }
}
