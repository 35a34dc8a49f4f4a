//! Stuck elements, their root causes, and the ways out found for them.
//!
//! *Knows*: which elements are stuck or selected. *Must not know*: how a trial is made.

use crate::ptr::Ptr;
use planarium_protocol::Why;
use planarium_protocol::event::ElementPath;
use planarium_protocol::json::Read;
use planarium_protocol::why::{Helps, ReasonKind, Way};
use serde::Serialize;

/// An element that holds others up, with the ways out found for it.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct Blocker {
    /// Its explanation.
    #[serde(with = "crate::wire::why::one")]
    pub why: Ptr<Why>,
    /// Ways that work, the most useful first.
    pub ways: Vec<Way>,
    /// More trials follow.
    pub trying: bool,
}

impl Blocker {
    /// Returns the way out that a single click takes.
    pub fn best(&self) -> Option<&Way> {
        let does =
            |way: &&Way| way.unblock.input.is_some() && !matches!(way.helps, Helps::Ends | Helps::Advice);
        self.ways.iter().find(does)
    }

    /// Returns the cause in a few words: the first reason.
    pub fn cause(&self) -> &str {
        let reasons = &self.why.reasons;
        let telling = reasons.iter().find(|reason| !matches!(reason.kind, ReasonKind::NextCycle { .. }));
        telling.or(reasons.first()).map_or("", |reason| reason.text.as_str())
    }
}

/// Maximum number of stuck elements reported.
pub const MOST_STUCK: usize = 8;

/// Stuck elements and the ways out found so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct WaysOut {
    /// Deepest blockers.
    pub held: Vec<Blocker>,
    /// That of the selected element.
    pub selected: Option<ElementPath>,
    /// Stuck elements whose plans never finish without an input, the most relevant first; at most [`MOST_STUCK`].
    pub stuck: Vec<ElementPath>,
    /// Counts questions and trials.
    pub round: u32,
    /// Nothing was tried at this moment yet.
    pub fresh: bool,
}

impl WaysOut {
    fn of(&self, path: Option<&ElementPath>) -> Option<&Blocker> {
        self.held.iter().find(|held| Some(&held.why.path) == path)
    }

    /// Returns the root cause of the selected element's wait.
    pub fn selected(&self) -> Option<&Blocker> {
        self.of(self.selected.as_ref())
    }

    /// Returns the root cause of the run's wait.
    pub fn stuck(&self) -> Option<&Blocker> {
        self.of(self.stuck.first())
    }

    /// Returns the root causes of all plans' waits.
    pub fn all_stuck(&self) -> impl Iterator<Item = &Blocker> {
        self.stuck.iter().filter_map(|path| self.of(Some(path)))
    }

    /// Returns whether more trials follow.
    pub fn trying(&self) -> bool {
        self.held.iter().any(|held| held.trying)
    }
}
