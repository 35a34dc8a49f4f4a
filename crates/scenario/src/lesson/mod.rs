//! Lessons: a scenario with a task for a learner, checks over the whole run, and an account of every lost check.
//!
//! Knows: the format of a lesson, when its checks are met or lost, why, and how a try is played. Must not know: how any of it is
//! shown.
//!
//! Entry points: [`Attempt`] is one try, with its [`Progress`]; [`prove`] plays a lesson's own routes and random players;
//! [`Recording`] and [`make()`] turn a run into a lesson.

mod account;
mod attempt;
mod candidates;
mod check;
mod commands;
mod follow;
mod link;
mod losses;
mod make;
mod model;
mod observed;
mod places;
mod progress;
mod proof;
mod read;
mod recording;
mod states;
mod texts;
mod watch;

pub use account::{Account, Link, Place};
pub use attempt::{Attempt, Move, NotAllowed, RouteError};
pub use candidates::candidates;
pub use check::Check;
pub use commands::{covers, word};
pub use link::{HAND_IN_PREFIX, HandIn, LESSON_PREFIX, OwnLesson};
pub use make::{Made, Outline, make};
pub use model::{Lesson, Naive, NamedCheck, Prediction, PredictionOption, Role, Route, Serving};
pub use places::Places;
pub use progress::{CheckProgress, Progress, Score, State, Verdict};
pub use proof::{Finding, Other, Proof, prove};
pub use recording::{Recording, Suggested};
pub use states::{Bound, States, Term};
pub use texts::{OptionText, ParsedTexts, QuestionText, Texts, parse_texts};
pub use watch::Watch;

pub(crate) use read::{all_inputs, read};

/// The JSON Schema of the `lesson:` block and of the texts beside it.
pub const SCHEMA: &str = include_str!("schema.json");

#[cfg(test)]
mod tests;
