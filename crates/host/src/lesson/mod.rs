//! Lessons: the open task, the learner's try, and lessons that a teacher makes from a run.
//!
//! *Knows*: which questions a lesson answers differently from a sandbox. *Must not know*: when a check is met;
//! `planarium_scenario::lesson` decides that.
//!
//! The try follows the branch shown: it plays the same inputs on its own engine and checks every instant. Inputs are applied after
//! the work of their instant, so that both runs are equal.

mod acts;
mod demo;
mod made;
mod open;
mod report;
mod rules;
mod tries;

use planarium_messages::lessons::{Score, SolutionLine, Try};
use planarium_protocol::Text;
use planarium_scenario::describe;
use planarium_scenario::lesson::{Attempt, Lesson, OwnLesson, Texts, Verdict};
use planarium_world::Journal;
use std::sync::Arc;

pub(crate) use acts::{earlier_engine, lesson_ask, solution_engine};
pub(crate) use demo::lesson_demo;
pub(crate) use made::handed_in;
pub(crate) use open::{
    Kept, LANGUAGE, Named, kept_lesson, kept_teaching, lesson_kept, lesson_link, lesson_of_link, of_course,
    open_lesson_link, restart_lesson, try_link,
};
pub(crate) use report::{follow_run, lesson_report, verdict_waits};
pub(crate) use rules::{
    is_open, lesson_refuses, line_not_allowed, line_puts_in, not_allowed, rest_of_instant, until_verdict,
    whole_instant,
};

/// An open lesson with its try.
pub(crate) struct Teaching {
    /// Distinguishes lessons that were opened one after the other.
    number: u32,
    lesson: Arc<Lesson>,
    texts: Texts,
    /// The lesson from a link; `None` for a lesson of the course.
    own: Option<OwnLesson>,
    attempt: Attempt,
    off_track: bool,
    /// Hints that were asked for.
    hints: usize,
    /// Answers to the questions, in order.
    answers: Vec<Option<Answer>>,
    par: Option<Score>,
    /// The learner asked for the solution before passing.
    gave_up: bool,
    /// The solution, once it may be shown.
    solution: Option<Vec<SolutionLine>>,
    /// Tries that have ended.
    ended: Vec<Ended>,
    /// Commands that can be given, and the moment at which they were listed.
    moves: (Option<(u32, u64, u64)>, Vec<Text>),
}

/// An answer to a question.
#[derive(Clone, Copy, Debug)]
struct Answer {
    option: usize,
    right: usize,
    /// Instant at which the run reveals the right answer. *Units*: milliseconds since genesis.
    at_ms: u64,
}

/// A try that has ended.
#[derive(Clone)]
struct Ended {
    journal: Journal,
    passed: bool,
    text: Text,
    score: Score,
}

/// The lesson and the try as last reported.
#[derive(Default)]
pub(crate) struct Told {
    lesson: Option<u32>,
    shown: Option<Arc<Try>>,
    /// Number of lessons opened so far.
    opened: u32,
}

impl Teaching {
    /// The part of a link to the lesson after `#`.
    fn link(&self) -> String {
        match &self.own {
            Some(own) => own.link(),
            None => format!("lesson={}", self.lesson.id),
        }
    }

    /// Returns whether a question waits for its answer.
    fn asks(&self) -> bool {
        self.answers.iter().any(Option::is_none)
    }

    /// Returns whether the solution may be shown.
    fn is_open(&self) -> bool {
        self.gave_up || self.ended.iter().any(|ended| ended.passed)
    }

    /// The solution, played with the same seed.
    fn solved(&self) -> Option<Attempt> {
        let mut attempt = Attempt::start(&self.lesson, Some(self.attempt.seed()));
        attempt.play(&self.lesson.solution).ok()?;
        matches!(attempt.verdict(), Verdict::Passed { .. }).then_some(attempt)
    }

    /// Sets the solution's text, once it may be shown.
    fn reveal(&mut self) {
        if self.solution.is_none() && self.is_open() {
            let line = |made: &planarium_scenario::lesson::Move| SolutionLine {
                at_ms: made.at_ms,
                text: describe::input(&made.input).into(),
            };
            self.solution = self.solved().map(|solved| solved.moves().iter().map(line).collect());
        }
    }

    /// Returns the same lesson at its beginning. Hints, answers and earlier tries stay.
    fn anew(&self) -> Self {
        Self {
            number: self.number,
            lesson: Arc::clone(&self.lesson),
            texts: self.texts.clone(),
            own: self.own.clone(),
            attempt: Attempt::start(&self.lesson, Some(self.attempt.seed())),
            off_track: false,
            hints: self.hints,
            answers: self.answers.clone(),
            par: self.par,
            gave_up: self.gave_up,
            solution: self.solution.clone(),
            ended: self.ended.clone(),
            moves: (None, Vec::new()),
        }
    }
}

/// A score as a page shows it.
fn score(score: planarium_scenario::lesson::Score) -> Score {
    let planarium_scenario::lesson::Score { commands, time_ms, unavailable_ms } = score;
    Score { commands, time_ms, unavailable_ms }
}
