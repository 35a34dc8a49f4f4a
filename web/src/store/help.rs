//! What is stuck, what holds it up in the end, and the ways out that were tried.
//!
//! *Knows*: which elements are asked about. *Must not know*: how a trial is made.

use super::ptr::Ptr;
use planarium_protocol::Why;
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{Helps, ReasonKind, Way};

/// The element that holds one or several others up in the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    /// Its explanation.
    pub(crate) why: Ptr<Why>,
    /// What was found to help, the most useful first.
    pub(crate) ways: Vec<Way>,
    /// Trials are still to come.
    pub(crate) trying: bool,
}

impl Held {
    /// The way out that a single click takes.
    pub(crate) fn best(&self) -> Option<&Way> {
        let does =
            |way: &&Way| way.unblock.input.is_some() && matches!(way.helps, Helps::Moves | Helps::Then(_));
        self.ways.iter().find(does)
    }

    /// The cause in a few words: its first reason.
    pub(crate) fn cause(&self) -> &str {
        let reasons = &self.why.reasons;
        let telling = reasons.iter().find(|reason| !matches!(reason.kind, ReasonKind::NextCycle { .. }));
        telling.or(reasons.first()).map_or("", |reason| reason.text.as_str())
    }
}

/// What the page knows about stuck elements.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Help {
    /// Deepest blockers.
    pub(crate) held: Vec<Held>,
    /// That of the selected element.
    pub(crate) selected: Option<ElementPath>,
    /// That of what never finishes by itself.
    pub(crate) stuck: Option<ElementPath>,
    /// Counts questions and trials.
    pub(crate) round: u32,
    /// Nothing was tried yet at this moment.
    pub(crate) fresh: bool,
}

impl Help {
    fn of(&self, path: Option<&ElementPath>) -> Option<&Held> {
        self.held.iter().find(|held| Some(&held.why.path) == path)
    }

    /// What holds the selected element up.
    pub(crate) fn selected(&self) -> Option<&Held> {
        self.of(self.selected.as_ref())
    }

    /// What holds up the run.
    pub(crate) fn stuck(&self) -> Option<&Held> {
        self.of(self.stuck.as_ref())
    }

    /// Whether trials are still to come.
    pub(crate) fn trying(&self) -> bool {
        self.held.iter().any(|held| held.trying)
    }
}
