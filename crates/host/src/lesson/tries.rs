//! Tries of a lesson that have ended: those of this visit, and those that the browser has kept from earlier ones.
//!
//! *Knows*: how many are kept, and how one is played again. *Must not know*: where a browser keeps them.

use super::{Ended, Teaching, score};
use planarium_protocol::Text;
use planarium_scenario::lesson::{Attempt, HandIn, Verdict};

/// Tries that are kept for a comparison.
const MOST_TRIES: usize = 6;

impl Teaching {
    /// Takes a try in that came to its verdict. Returns it as the end of a link, unless it is known already.
    pub(super) fn has_ended(&mut self) -> Option<String> {
        let ended = ended(&self.attempt)?;
        if self.knows(&ended) {
            return None;
        }
        self.ended.push(ended);
        if self.ended.len() > MOST_TRIES {
            self.ended.remove(0);
        }
        Some(HandIn::of(&self.attempt, String::new(), self.hints as u64, self.gave_up).link())
    }

    /// Takes tries in that the browser has kept, before those of this visit. Each is played again with the luck of this one; a
    /// link that is damaged, of another lesson or of another luck is left out.
    pub(super) fn remember(&mut self, links: &[String]) {
        let room = MOST_TRIES.saturating_sub(self.ended.len());
        let mut place = 0;
        for link in links.iter().skip(links.len().saturating_sub(MOST_TRIES)) {
            let found = HandIn::read(link).and_then(|kept| {
                let same = kept.lesson == self.lesson.id && kept.seed == self.attempt.seed();
                same.then(|| kept.played(&self.lesson).ok())?
            });
            let Some(ended) = found.and_then(|attempt| ended(&attempt)) else { continue };
            if place < room && !self.knows(&ended) {
                self.ended.insert(place, ended);
                place += 1;
            }
        }
    }

    fn knows(&self, ended: &Ended) -> bool {
        self.ended.iter().any(|known| known.journal.entries == ended.journal.entries)
    }
}

/// A try that came to its verdict, with its end in a sentence.
fn ended(attempt: &Attempt) -> Option<Ended> {
    let (passed, text) = match attempt.verdict() {
        Verdict::Open => return None,
        Verdict::Passed { .. } => (true, Text::from("Passed.")),
        Verdict::Lost { check, .. } => (false, sentence_of(attempt, check).unwrap_or_default().into()),
    };
    Some(Ended { journal: attempt.engine().journal(), passed, text, score: score(attempt.score()) })
}

fn sentence_of(attempt: &Attempt, check: &str) -> Option<String> {
    let progress = attempt.progress();
    let lost = progress.checks.into_iter().find(|one| one.id == *check)?;
    Some(lost.account?.sentence)
}
