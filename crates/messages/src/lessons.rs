//! Lessons as a page shows them: the task, a try of it, what a teacher makes of a run, results that were handed in.
//!
//! *Knows*: what is told and asked. *Must not know*: when a check is met.

use crate::facts::Dare;
use planarium_protocol::Text;
use serde::{Deserialize, Serialize};

/// The role of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Has to come true.
    Goal,
    /// Must not come true before all goals are met.
    Never,
}

/// A check of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckCard {
    /// Name.
    pub id: Text,
    /// Role.
    pub role: Role,
    /// The check in a sentence.
    pub text: Text,
}

/// A question that is asked before time runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionCard {
    /// The question.
    pub ask: Text,
    /// Its answers to choose from.
    pub options: Vec<Text>,
}

/// The next lesson of the course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextLesson {
    /// Id.
    pub id: Text,
    /// Title.
    pub title: Text,
}

/// A lesson that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Id.
    pub id: Text,
    /// Title.
    pub title: Text,
    /// The task.
    pub story: Text,
    /// Words of the commands that may be used.
    pub allowed: Vec<Text>,
    /// Checks, goals first.
    pub checks: Vec<CheckCard>,
    /// Questions before time runs.
    pub questions: Vec<QuestionCard>,
    /// Number of hints.
    pub hints: usize,
    /// The score of the solution with the same luck.
    pub par: Option<Score>,
    /// Instant at which the lesson ends. *Units*: milliseconds since genesis.
    pub limit_ms: u64,
    /// The lesson in hindsight.
    pub done: Text,
    /// The next lesson of the course.
    pub next: Option<NextLesson>,
    /// Place in the course from 1 on, and the number of its lessons. None for a lesson from a link.
    pub place: Option<(usize, usize)>,
    /// The part of a link to it after `#`.
    pub link: Text,
}

/// State of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckState {
    /// Came true; of what must never be, it did not until the lesson was passed.
    Met,
    /// Still open.
    NotYet,
    /// Cannot be met any more.
    Lost,
}

/// A cause of a loss: when, which event, its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseLine {
    /// *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// The event; none for an input.
    pub event: Option<u64>,
    /// Its text.
    pub text: Text,
}

/// The account of a loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Everything in one sentence.
    pub sentence: Text,
    /// The events that led to it, the first one first.
    pub chain: Vec<CauseLine>,
    /// Instant to go back to. *Units*: milliseconds since genesis.
    pub back_ms: u64,
}

/// A check in a try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckLine {
    /// State.
    pub state: CheckState,
    /// When it was met or lost. *Units*: milliseconds since genesis.
    pub at_ms: Option<u64>,
    /// Why it was lost.
    pub account: Option<Account>,
}

/// The verdict over a try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The try goes on.
    #[default]
    Open,
    /// All goals are met and nothing is lost.
    Passed {
        /// *Units*: milliseconds since genesis.
        at_ms: u64,
    },
    /// A check is lost.
    Lost {
        /// *Units*: milliseconds since genesis.
        at_ms: u64,
        /// Place of the check that was lost first.
        check: usize,
    },
}

/// The result of a try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Commands that were not refused.
    pub commands: u64,
    /// Time until the last goal was met, or so far. *Units*: milliseconds.
    pub time_ms: u64,
    /// Time in which instances that should be available were missing. *Units*: milliseconds.
    pub unavailable_ms: u64,
}

impl Score {
    /// Stars against the par: one for each measure that is not above it.
    pub fn stars(&self, par: &Self) -> u8 {
        u8::from(self.commands <= par.commands)
            + u8::from(self.time_ms <= par.time_ms)
            + u8::from(self.unavailable_ms <= par.unavailable_ms)
    }
}

/// A question that was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// Place of the option that was chosen.
    pub option: usize,
    /// The right answer, once the run has given it.
    pub outcome: Option<Outcome>,
}

/// The run's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Place of the right option.
    pub right: usize,
    /// Why it is right.
    pub because: Text,
    /// Why the chosen one is wrong.
    pub not: Option<Text>,
}

/// A command of the solution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolutionLine {
    /// *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// The command in words.
    pub text: Text,
}

/// An earlier try that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// Number, from 1 on.
    pub number: usize,
    /// It passed.
    pub passed: bool,
    /// Its end in a sentence.
    pub text: Text,
    /// Its score.
    pub score: Score,
}

/// A try of the lesson that is open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Try {
    /// Verdict of the branch shown.
    pub verdict: Verdict,
    /// Checks in the order of the card.
    pub checks: Vec<CheckLine>,
    /// Score so far, to whole seconds while the try goes on.
    pub score: Score,
    /// Stars of a try that is passed.
    pub stars: Option<u8>,
    /// Answers to the questions, in their order.
    pub answers: Vec<Option<Answered>>,
    /// Hints that were asked for.
    pub hints: Vec<Text>,
    /// Commands that can be given now, in words.
    pub moves: Vec<Text>,
    /// The solution, once it may be seen.
    pub solution: Option<Vec<SolutionLine>>,
    /// The solution was asked for before the lesson was passed.
    pub gave_up: bool,
    /// Earlier tries.
    pub earlier: Vec<Earlier>,
    /// The checks cannot follow this run.
    pub off_track: bool,
    /// Failures that one may dare once the lesson is passed.
    pub dares: Vec<Dare>,
}

impl Try {
    /// Returns whether a question waits for its answer.
    pub fn asks(&self) -> bool {
        self.answers.iter().any(Option::is_none)
    }
}

/// A check in a lesson that is being made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftCheck {
    /// Name.
    pub id: String,
    /// Role.
    pub role: Role,
    /// The check as lessons write it.
    pub check: String,
    /// The check in a sentence.
    pub text: String,
    /// Doing nothing loses it.
    pub takes_a_command: bool,
}

/// Material for a lesson from the run shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Material {
    /// Commands that were given by hand: when, and in words.
    pub moves: Vec<SolutionLine>,
    /// Words of these commands.
    pub words: Vec<String>,
    /// Instant at which the lesson would end. *Units*: milliseconds since genesis.
    pub limit_ms: u64,
    /// Checks that hold for this run.
    pub checks: Vec<DraftCheck>,
}

/// A lesson that is being made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonDraft {
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// The task.
    pub story: String,
    /// The lesson in hindsight.
    pub done: String,
    /// Hints, the smallest first.
    pub hints: Vec<String>,
    /// Words of the commands that a learner may use.
    pub allowed: Vec<String>,
    /// The chosen checks.
    pub checks: Vec<DraftCheck>,
}

/// A lesson that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeLesson {
    /// Files: name, text.
    pub files: Vec<(String, String)>,
    /// The part of a link to it after `#`.
    pub link: String,
    /// Runs that the proof took.
    pub runs: u32,
}

/// A try that was handed in, played again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultRow {
    /// Line of the text, from 1 on.
    pub line: usize,
    /// Name of the learner.
    pub name: String,
    /// Title of the lesson, or its id.
    pub lesson: String,
    /// The verdict and the score of the try, or why it cannot be judged.
    pub result: Result<JudgedTry, String>,
}

/// A try as it was played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedTry {
    /// It passed.
    pub passed: bool,
    /// Its score.
    pub score: Score,
    /// Stars, where it passed.
    pub stars: Option<u8>,
    /// Hints that were asked for.
    pub hints: u64,
    /// The solution was looked at before.
    pub gave_up: bool,
}

/// Questions about lessons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonAsk {
    /// Open a lesson of the course.
    Open(Text),
    /// Answer a question: its place, the place of the option.
    Answer(usize, usize),
    /// Show the next hint.
    Hint,
    /// Give a command that was listed.
    Give(Text),
    /// Go back to before the step that lost, on a branch.
    GoBack,
    /// Show the solution.
    Solution,
    /// Tries of the open lesson that the browser has kept, each as [`Keep::Try`](crate::facts::Keep::Try) gave it.
    Earlier(Vec<String>),
    /// Leave the lesson; its world stays as a sandbox.
    Leave,
    /// Suggest a lesson from the run shown.
    Suggest,
    /// Write the lesson.
    Make(Box<LessonDraft>),
    /// A link that hands in this try, in this name.
    HandIn(String),
    /// Play tries again that were handed in, a link to a line.
    Results(String),
}
