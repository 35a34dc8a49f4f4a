//! Lessons as a page shows them: the task, the try, lessons made from a run, and tries handed in.
//!
//! *Knows*: the data reported and asked. *Must not know*: when a check is met.

use crate::facts::Dare;
use planarium_protocol::Text;
use planarium_protocol::json::Read;
use serde::Serialize;

/// The role of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Read)]
pub enum Role {
    /// Must come true.
    Goal,
    /// Must not come true before all goals are met.
    Never,
}

/// A check of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct CheckCard {
    /// Name.
    pub id: Text,
    /// Role.
    pub role: Role,
    /// The check in a sentence.
    pub text: Text,
}

/// A question to answer before time runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct QuestionCard {
    /// The question.
    pub ask: Text,
    /// Its answers to choose from.
    pub options: Vec<Text>,
}

/// The next lesson of the course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct NextLesson {
    /// Id.
    pub id: Text,
    /// Title.
    pub title: Text,
}

/// A lesson that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct Card {
    /// Id.
    pub id: Text,
    /// Title.
    pub title: Text,
    /// The task.
    pub story: Text,
    /// Words of the allowed commands.
    pub allowed: Vec<Text>,
    /// Checks, goals first.
    pub checks: Vec<CheckCard>,
    /// Questions before time runs.
    pub questions: Vec<QuestionCard>,
    /// Number of hints.
    pub hints: usize,
    /// The score of the solution with the same seed.
    pub par: Option<Score>,
    /// Instant at which the lesson ends. *Units*: milliseconds since genesis.
    pub limit_ms: u64,
    /// The lesson in hindsight.
    pub done: Text,
    /// The next lesson of the course.
    pub next: Option<NextLesson>,
    /// Position in the course, from 1, and the number of its lessons. `None` for a lesson from a link.
    pub place: Option<(usize, usize)>,
    /// The part of a link to it after `#`.
    pub link: Text,
}

/// State of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Read)]
pub enum CheckState {
    /// Came true; for a `Never` check, did not come true until the lesson was passed.
    Met,
    /// Still open.
    NotYet,
    /// Cannot be met any more.
    Lost,
}

/// A cause of a loss: instant, event, text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct CauseLine {
    /// *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// The event; none for an input.
    pub event: Option<u64>,
    /// Its text.
    pub text: Text,
}

/// The account of a loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct Account {
    /// Everything in one sentence.
    pub sentence: Text,
    /// The events that led to it, in order.
    pub chain: Vec<CauseLine>,
    /// Instant to go back to. *Units*: milliseconds since genesis.
    pub back_ms: u64,
}

/// A check in a try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct CheckLine {
    /// State.
    pub state: CheckState,
    /// Instant at which it was met or lost. *Units*: milliseconds since genesis.
    pub at_ms: Option<u64>,
    /// Why it was lost.
    pub account: Option<Account>,
}

/// The verdict over a try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub enum Verdict {
    /// The try continues.
    #[default]
    Open,
    /// All goals are met and no check is lost.
    Passed {
        /// *Units*: milliseconds since genesis.
        at_ms: u64,
    },
    /// A check is lost.
    Lost {
        /// *Units*: milliseconds since genesis.
        at_ms: u64,
        /// Index of the check that was lost first.
        check: usize,
    },
}

/// The result of a try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub struct Score {
    /// Commands that were not refused.
    pub commands: u64,
    /// Time until the last goal was met, or until now. *Units*: milliseconds.
    pub time_ms: u64,
    /// Time in which required instances were missing. *Units*: milliseconds.
    pub unavailable_ms: u64,
}

impl Score {
    /// Returns the stars: one for each measure not above par.
    pub fn stars(&self, par: &Self) -> u8 {
        u8::from(self.commands <= par.commands)
            + u8::from(self.time_ms <= par.time_ms)
            + u8::from(self.unavailable_ms <= par.unavailable_ms)
    }
}

/// A question that was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct Answered {
    /// Index of the chosen option.
    pub option: usize,
    /// The right answer, once the run has revealed it.
    pub outcome: Option<Outcome>,
}

/// The run's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct Outcome {
    /// Place of the right option.
    pub right: usize,
    /// Why it is right.
    pub because: Text,
    /// Why the chosen one is wrong.
    pub not: Option<Text>,
}

/// A command of the solution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct SolutionLine {
    /// *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// The command in words.
    pub text: Text,
}

/// An earlier try that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct Try {
    /// Verdict of the branch shown.
    pub verdict: Verdict,
    /// Checks in the order of the card.
    pub checks: Vec<CheckLine>,
    /// Score so far, rounded to seconds while the try continues.
    pub score: Score,
    /// Stars of a try that is passed.
    pub stars: Option<u8>,
    /// Answers to the questions, in order.
    pub answers: Vec<Option<Answered>>,
    /// Hints that were asked for.
    pub hints: Vec<Text>,
    /// Commands that can be given now, in words.
    pub moves: Vec<Text>,
    /// The solution, once it may be shown.
    pub solution: Option<Vec<SolutionLine>>,
    /// The learner asked for the solution before passing.
    pub gave_up: bool,
    /// Earlier tries.
    pub earlier: Vec<Earlier>,
    /// The checks cannot evaluate this run.
    pub off_track: bool,
    /// Failures worth trying after the lesson.
    pub dares: Vec<Dare>,
}

impl Try {
    /// Returns whether a question waits for its answer.
    pub fn asks(&self) -> bool {
        self.answers.iter().any(Option::is_none)
    }
}

/// A check in a lesson draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
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

/// Material from the run shown, for a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Read)]
pub struct Material {
    /// Commands given by hand: instant and description.
    pub moves: Vec<SolutionLine>,
    /// Words of these commands.
    pub words: Vec<String>,
    /// Instant at which the lesson would end. *Units*: milliseconds since genesis.
    pub limit_ms: u64,
    /// Checks that hold for this run.
    pub checks: Vec<DraftCheck>,
}

/// A lesson that is being made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Read)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub struct MadeLesson {
    /// Files: name, text.
    pub files: Vec<(String, String)>,
    /// The part of a link to it after `#`.
    pub link: String,
    /// Runs that the proof took.
    pub runs: u32,
}

/// A handed-in try, replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
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

/// A replayed try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Read)]
pub struct JudgedTry {
    /// It passed.
    pub passed: bool,
    /// Its score.
    pub score: Score,
    /// Stars, if it passed.
    pub stars: Option<u8>,
    /// Hints that were asked for.
    pub hints: u64,
    /// The learner looked at the solution before.
    pub gave_up: bool,
}

/// Questions about lessons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Read)]
pub enum LessonAsk {
    /// Open a lesson of the course.
    Open(Text),
    /// Answer a question: its index, and the index of the option.
    Answer(usize, usize),
    /// Show the next hint.
    Hint,
    /// Give a command that was listed.
    Give(Text),
    /// Go back to the moment before the step that lost, on a branch.
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
    /// Make a link that hands in this try under this name.
    HandIn(String),
    /// Replay tries that were handed in, one link per line.
    Results(String),
}
