//! Lessons and results in links: `l1:` for a user's own lesson with its texts, `h1:` for a try that a learner hands in.
//!
//! *Order*: JSON, deflate, base64url, as in share links. Decoding is bounded in size and runs nothing.

use super::attempt::Attempt;
use super::model::Lesson;
use super::progress::{Score, Verdict};
use planarium_kernel::base64::Base64;
use planarium_protocol::Input;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Prefix of a lesson in a link.
pub const LESSON_PREFIX: &str = "l1:";
/// Prefix of a try that is handed in.
pub const HAND_IN_PREFIX: &str = "h1:";
/// Maximum size of a link's decoded content. *Units*: bytes.
const MOST_BYTES: usize = 512 * 1024;
/// Maximum number of inputs in a handed-in try.
const MOST_MOVES: usize = 1000;

/// A user's own lesson: the scenario with its `lesson:` block, and its texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnLesson {
    /// Text of `ID.planarium.yaml`.
    pub lesson: String,
    /// Text of `ID.LANG.yaml`.
    pub texts: String,
}

/// A try that a learner hands in. The recipient replays it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandIn {
    /// Name of the learner, as entered.
    pub name: String,
    /// Id of the lesson.
    pub lesson: String,
    /// The luck.
    pub seed: u64,
    /// Inputs with their instants.
    pub moves: Vec<(u64, Input)>,
    /// Hints that were asked for.
    pub hints: u64,
    /// The learner looked at the solution before.
    pub solution: bool,
}

impl OwnLesson {
    /// The part of a link after `#`.
    pub fn link(&self) -> String {
        pack(LESSON_PREFIX, self)
    }

    /// Reads the part of a link after `#`. `None` if it is damaged.
    pub fn read(link: &str) -> Option<Self> {
        unpack(LESSON_PREFIX, link)
    }
}

impl HandIn {
    /// The part of a link after `#`.
    pub fn link(&self) -> String {
        pack(HAND_IN_PREFIX, self)
    }

    /// Reads the part of a link after `#`. `None` if it is damaged.
    pub fn read(link: &str) -> Option<Self> {
        unpack(HAND_IN_PREFIX, link).filter(|hand_in: &Self| hand_in.moves.len() <= MOST_MOVES)
    }

    /// A try for a link.
    pub fn of(attempt: &Attempt, name: String, hints: u64, solution: bool) -> Self {
        Self {
            name,
            lesson: attempt.lesson().id.clone(),
            seed: attempt.seed(),
            moves: attempt.moves().iter().map(|made| (made.at_ms, made.input.clone())).collect(),
            hints,
            solution,
        }
    }

    /// Plays the try of a lesson again and returns its verdict and score.
    ///
    /// *Errors*: it contains a command that the lesson does not allow.
    pub fn judge(&self, lesson: &Arc<Lesson>) -> Result<(Verdict, Score), String> {
        let attempt = self.played(lesson)?;
        Ok((attempt.verdict().clone(), attempt.score()))
    }

    /// Plays the try of a lesson again, to its verdict.
    ///
    /// *Errors*: it holds a command that the lesson does not allow.
    pub fn played(&self, lesson: &Arc<Lesson>) -> Result<Attempt, String> {
        let mut attempt = Attempt::start(lesson, Some(self.seed));
        for (at_ms, input) in &self.moves {
            attempt.advance_to_verdict(*at_ms);
            if *attempt.verdict() != Verdict::Open {
                break;
            }
            attempt.command(input.clone()).map_err(|error| error.to_string())?;
        }
        attempt.advance_to_verdict(attempt.limit_ms());
        Ok(attempt)
    }
}

fn pack<T: Serialize>(prefix: &str, value: &T) -> String {
    let packed = miniz_oxide::deflate::compress_to_vec(&planarium_protocol::json::text(value), 9);
    format!("{prefix}{}", Base64::Url.encode(&packed))
}

fn unpack<T: DeserializeOwned>(prefix: &str, link: &str) -> Option<T> {
    let coded = link.rsplit('#').next()?.trim().strip_prefix(prefix)?;
    let packed = Base64::Url.decode(coded.trim_end_matches('=').as_bytes())?;
    let json = miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, MOST_BYTES).ok()?;
    planarium_protocol::json::read(&json).ok()
}
