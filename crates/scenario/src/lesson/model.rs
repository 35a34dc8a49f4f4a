//! A lesson, decoded.

use super::check::Check;
use super::places::Places;
use crate::model::{Entry, Scenario};

/// A scenario with a task for a learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Permanent name; progress is stored under it.
    pub id: String,
    /// Position in the course, lowest first.
    pub order: u64,
    /// The world with its scripted events.
    pub scenario: Scenario,
    /// The file sets the seed: the lesson works with this seed only.
    pub pinned: bool,
    /// Command words introduced here.
    pub teaches: Vec<String>,
    /// Ids of the lessons to take before it.
    pub needs: Vec<String>,
    /// Words of the commands and faults that a learner may use.
    pub allowed: Vec<String>,
    /// Questions to answer before time runs.
    pub predict: Vec<Prediction>,
    /// All checks: goals first, then states that must never occur.
    pub checks: Vec<NamedCheck>,
    /// Instances whose unavailable time counts in the score.
    pub serving: Vec<Serving>,
    /// Number of hints; their texts are in the text files.
    pub hints: u64,
    /// The route that sets the par.
    pub solution: Route,
    /// Other routes that pass.
    pub also: Vec<Route>,
    /// Routes that look right and fail.
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
    /// Must come true.
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

/// A required number of instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
    /// Service, pod or task; see [`super::Term::Available`].
    pub of: String,
    /// Number of required instances.
    pub needed: u64,
}

/// A question about a run before it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Name within the lesson.
    pub id: String,
    /// Inputs assumed by the question; empty if it is about a run without a learner.
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

    /// All routes of the lesson: the solution, alternatives, and failing ones.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        let naive = self.naive.iter().map(|naive| &naive.play);
        std::iter::once(&self.solution).chain(&self.also).chain(naive)
    }
}
