//! A lesson, decoded.

use super::check::Check;
use super::places::Places;
use crate::model::{Entry, Scenario};

/// A scenario with a task for a learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Name that never changes: progress is kept by it.
    pub id: String,
    /// Place in the course, lowest first.
    pub order: u64,
    /// The world, and what happens in it by itself.
    pub scenario: Scenario,
    /// The seed is written in the file: the lesson is made for it alone.
    pub pinned: bool,
    /// Words of the commands that are introduced here.
    pub teaches: Vec<String>,
    /// Ids of the lessons that come before it.
    pub needs: Vec<String>,
    /// Words of the commands and faults that a learner may use.
    pub allowed: Vec<String>,
    /// Questions that are asked before time runs.
    pub predict: Vec<Prediction>,
    /// All of the checks: goals first, then what must never be.
    pub checks: Vec<NamedCheck>,
    /// Instances whose unavailable time counts in the score.
    pub serving: Vec<Serving>,
    /// Number of hints; their texts are in the files of texts.
    pub hints: u64,
    /// The route that the par is computed from.
    pub solution: Route,
    /// Other routes that pass.
    pub also: Vec<Route>,
    /// Routes that people try first and that fail.
    pub naive: Vec<Naive>,
    /// Places of its parts in its file.
    pub places: Places,
}

/// Inputs of a learner, each with its trigger.
pub type Route = Vec<Entry>;

/// Role of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Has to come true.
    Goal,
    /// Must not come true before all goals are met.
    Never,
}

/// A check with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCheck {
    /// Name within the lesson.
    pub id: String,
    /// Role.
    pub role: Role,
    /// The check.
    pub check: Check,
}

/// A number of instances that should be available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
    /// Service, pod or task; see [`super::Term::Available`].
    pub of: String,
    /// Instances that should be available.
    pub needed: u64,
}

/// A question about a run that has not begun.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Name within the lesson.
    pub id: String,
    /// Inputs that the question supposes; none when it is about a run without a learner.
    pub play: Route,
    /// The answers to choose from.
    pub options: Vec<PredictionOption>,
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionOption {
    /// Name within the question.
    pub id: String,
    /// The check that comes true in the run if the answer is right.
    pub when: Check,
    /// Marked as right.
    pub right: bool,
}

/// A route that fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Naive {
    /// Name of the check that is lost first.
    pub fails: String,
    /// The inputs.
    pub play: Route,
}

impl Lesson {
    /// The check of this name.
    pub fn check(&self, id: &str) -> Option<&NamedCheck> {
        self.checks.iter().find(|check| check.id == id)
    }

    /// Every route of the lesson: solution, others that pass, those that fail.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        let naive = self.naive.iter().map(|naive| &naive.play);
        std::iter::once(&self.solution).chain(&self.also).chain(naive)
    }
}
