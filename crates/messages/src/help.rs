//! Stuck elements, their root causes, and the ways out that were tried.
//!
//! *Knows*: which elements are asked about. *Must not know*: how a trial is made.

use crate::ptr::Ptr;
use planarium_protocol::Why;
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{Helps, ReasonKind, Way};
use serde::{Deserialize, Serialize};

/// The element that holds one or several others up in the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Its explanation.
    #[serde(with = "crate::wire::why::one")]
    pub why: Ptr<Why>,
    /// Ways that help, the most useful first.
    pub ways: Vec<Way>,
    /// Trials are still to come.
    pub trying: bool,
}

impl Held {
    /// The way out that a single click takes.
    pub fn best(&self) -> Option<&Way> {
        let does =
            |way: &&Way| way.unblock.input.is_some() && matches!(way.helps, Helps::Moves | Helps::Then(_));
        self.ways.iter().find(does)
    }

    /// The cause in a few words: its first reason.
    pub fn cause(&self) -> &str {
        let reasons = &self.why.reasons;
        let telling = reasons.iter().find(|reason| !matches!(reason.kind, ReasonKind::NextCycle { .. }));
        telling.or(reasons.first()).map_or("", |reason| reason.text.as_str())
    }
}

/// Most stuck elements that are reported at once.
pub const MOST_STUCK: usize = 8;

/// Known facts about stuck elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Help {
    /// Deepest blockers.
    pub held: Vec<Held>,
    /// That of the selected element.
    pub selected: Option<ElementPath>,
    /// Those of plans that never finish by themselves, the one to look at first in front; at most [`MOST_STUCK`].
    pub stuck: Vec<ElementPath>,
    /// Counts questions and trials.
    pub round: u32,
    /// Nothing was tried yet at this moment.
    pub fresh: bool,
}

impl Help {
    fn of(&self, path: Option<&ElementPath>) -> Option<&Held> {
        self.held.iter().find(|held| Some(&held.why.path) == path)
    }

    /// Returns the root cause of the selected element's wait.
    pub fn selected(&self) -> Option<&Held> {
        self.of(self.selected.as_ref())
    }

    /// Returns the root cause of the run's wait.
    pub fn stuck(&self) -> Option<&Held> {
        self.of(self.stuck.first())
    }

    /// Returns the root causes of all plans' waits.
    pub fn all_stuck(&self) -> impl Iterator<Item = &Held> {
        self.stuck.iter().filter_map(|path| self.of(Some(path)))
    }

    /// Returns whether trials are still to come.
    pub fn trying(&self) -> bool {
        self.held.iter().any(|held| held.trying)
    }
}
