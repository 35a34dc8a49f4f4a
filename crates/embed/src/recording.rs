//! A recorded run: rows of plan trees and the changes of their statuses over time.
//!
//! *Knows*: the recording's JSON. *Must not know*: engines; [`crate::record`] makes one from a run.
//!
//! The JSON is read by the loader, so keys are only added, and `v` grows if a reader must know:
//!
//! ```json
//! {"v":1,"by":"0.1.0","end":87000,"digest":"0123456789abcdef","seed":1,
//!  "words":["PENDING",0,"○","COMPLETE",2,"●"],
//!  "first":[0,0,0],
//!  "changes":[5000,2,1,0,1,1],
//!  "marks":[12000,"agent-2 is lost"]}
//! ```
//!
//! `by` is the version of the engine, and `digest` that of the run at its end: an engine that continues the run compares it with its own.
//! `words` are triples of word, number of its [`Family`] and glyph; `first` is the word of each row at the start (-1: the row does not
//! exist yet); `changes` are triples of milliseconds since the previous change, row and word; `marks` pairs of an instant and a text.
//! Names and depths of the rows are in the picture's table, next to the recording.

use planarium_protocol::json;
use planarium_protocol::view::{StatusClass, StatusWord};
use serde_json::Value;

/// A colour family of statuses, as the page has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Nothing is done, or nothing will be.
    Neutral,
    /// Work continues.
    Active,
    /// Done, or running as it should.
    Complete,
    /// Waits for a person or for time to pass.
    Waiting,
    /// Failed.
    Error,
}

impl Family {
    /// Every family, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Neutral, Self::Active, Self::Complete, Self::Waiting, Self::Error];

    /// Returns the word that markup and style sheets use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Active => "active",
            Self::Complete => "complete",
            Self::Waiting => "waiting",
            Self::Error => "error",
        }
    }

    /// Returns the family of a class of statuses.
    pub const fn of(class: StatusClass) -> Self {
        match class {
            StatusClass::Pending | StatusClass::Stopped | StatusClass::Unused => Self::Neutral,
            StatusClass::Preparing | StatusClass::Starting | StatusClass::Working | StatusClass::Started => {
                Self::Active
            }
            StatusClass::Running | StatusClass::Done => Self::Complete,
            StatusClass::Held | StatusClass::Delayed | StatusClass::Stopping => Self::Waiting,
            StatusClass::Failed => Self::Error,
        }
    }
}

/// A status word of the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word as the real system writes it.
    pub word: String,
    /// Its colours.
    pub family: Family,
    /// One character for it.
    pub glyph: String,
}

impl Word {
    /// Looks up a word among those of its system; an unknown word is neutral.
    pub fn of(statuses: &'static [StatusWord], word: &str) -> Self {
        let known = StatusWord::find(statuses, word);
        Self {
            word: word.to_owned(),
            family: known.map_or(Family::Neutral, |known| Family::of(known.class)),
            glyph: if word.is_empty() { "" } else { known.map_or("·", |known| known.glyph) }.to_owned(),
        }
    }
}

/// A row: a service (where there are several), a plan, a phase or a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Levels above it.
    pub depth: u8,
    /// Name.
    pub name: String,
}

/// A status of a row from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When. *Units*: milliseconds since the start of the recording.
    pub at_ms: u64,
    /// Number of the row.
    pub row: u32,
    /// Number of the word; none takes the row away.
    pub word: Option<u32>,
}

/// A moment worth a stop: narration, a command, a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When. *Units*: milliseconds since the start of the recording.
    pub at_ms: u64,
    /// Description of the event.
    pub text: String,
}

/// A recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Title for people.
    pub title: String,
    /// Length. *Units*: milliseconds.
    pub end_ms: u64,
    /// Digest of the run at its end, with which an engine compares its own.
    pub digest: String,
    /// Seed of the run.
    pub seed: u64,
    /// Status words.
    pub words: Vec<Word>,
    /// Rows from top to bottom.
    pub rows: Vec<Row>,
    /// The word of each row at the start; none where the row comes later.
    pub first: Vec<Option<u32>>,
    /// Changes in order of time.
    pub changes: Vec<Change>,
    /// Marks in order of time.
    pub marks: Vec<Mark>,
}

impl Recording {
    /// Returns the word of each row at an instant, `None` if the row does not exist, and since when it is shown.
    pub fn at(&self, ms: u64) -> Vec<(Option<&Word>, u64)> {
        let mut now: Vec<(Option<u32>, u64)> = self.first.iter().map(|word| (*word, 0)).collect();
        for change in self.changes.iter().take_while(|change| change.at_ms <= ms) {
            if let Some(row) = now.get_mut(change.row as usize) {
                *row = (change.word, change.at_ms);
            }
        }
        now.into_iter().map(|(word, since)| (word.and_then(|word| self.word(word)), since)).collect()
    }

    /// Returns the rows that are there at the start, without anything of what comes.
    pub(crate) fn at_start(mut self) -> Self {
        let mut is_there = self.first.iter().map(Option::is_some).collect::<Vec<_>>().into_iter();
        self.rows.retain(|_| is_there.next().unwrap_or(false));
        self.first.retain(Option::is_some);
        self.changes.clear();
        self.marks.clear();
        self.end_ms = 0;
        self
    }

    fn word(&self, number: u32) -> Option<&Word> {
        self.words.get(number as usize)
    }

    /// Returns the recording as compact JSON, safe to stand in a `<script>` element.
    pub fn json(&self) -> String {
        let number = |word: Option<u32>| word.map_or(-1, i64::from);
        let mut last_ms = 0;
        let mut changes: Vec<Value> = Vec::with_capacity(self.changes.len() * 3);
        for change in &self.changes {
            changes.push(change.at_ms.saturating_sub(last_ms).into());
            changes.push(change.row.into());
            changes.push(number(change.word).into());
            last_ms = change.at_ms;
        }
        let words = self.words.iter().flat_map(|word| {
            let family = Family::ALL.iter().position(|family| *family == word.family).unwrap_or(0);
            [Value::from(word.word.as_str()), family.into(), word.glyph.as_str().into()]
        });
        let first = self.first.iter().map(|word| Value::from(number(*word)));
        let mut all = json!({ "v": 1, "by": env!("CARGO_PKG_VERSION"), "end": self.end_ms, "digest": self.digest, "seed": self.seed });
        if let Some(map) = all.as_object_mut() {
            map.insert("words".to_owned(), Value::Array(words.collect()));
            map.insert("first".to_owned(), Value::Array(first.collect()));
            map.insert("changes".to_owned(), Value::Array(changes));
            if !self.marks.is_empty() {
                let marks =
                    self.marks.iter().flat_map(|mark| [mark.at_ms.into(), Value::from(mark.text.as_str())]);
                map.insert("marks".to_owned(), Value::Array(marks.collect()));
            }
        }
        // No markup can end or begin inside a script element.
        all.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
    }

    /// Drops changes that a reader cannot see when the recording is longer than `most`: of changes of one row that follow each
    /// other closely the last one stays. The last status of every row is kept.
    pub fn thin(&mut self, most: usize) {
        let mut gap_ms = self.end_ms / 2000;
        while self.changes.len() > most && gap_ms < self.end_ms {
            gap_ms = (gap_ms * 2).max(1);
            let mut next_of: Vec<Option<u64>> = vec![None; self.rows.len()];
            let mut kept: Vec<Change> = Vec::new();
            for change in self.changes.iter().rev() {
                let Some(next) = next_of.get_mut(change.row as usize) else { continue };
                if next.is_none_or(|next| next.saturating_sub(change.at_ms) >= gap_ms) {
                    kept.push(*change);
                    *next = Some(change.at_ms);
                }
            }
            kept.reverse();
            self.changes = kept;
        }
    }
}
