//! Questions that a host has not answered yet.
//!
//! *Knows*: their order, and the definition that was being edited when each was asked. *Must not know*: how they travel.

use super::state::State;
use planarium_messages::questions::{Ask, Question};
use std::collections::BTreeMap;

/// Questions without an answer, in their order.
#[derive(Debug, Default)]
pub(crate) struct Pending(BTreeMap<u32, (Question, Asked)>);

/// State of the editor when a question was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Place of the definition that was being edited.
    pub(crate) at: usize,
    /// Its revision.
    pub(crate) revision: u32,
    /// The question gives that revision to the running service.
    pub(crate) rolls_out: bool,
}

impl Pending {
    /// A question is asked.
    pub(crate) fn add(&mut self, question: Question, state: &State) {
        let rolls_out = matches!(question.ask, Ask::RollOut);
        let asked = Asked { at: state.at, revision: state.draft.revision, rolls_out };
        self.0.insert(question.number, (question, asked));
    }

    /// A question is answered.
    pub(crate) fn answered(&mut self, number: u32) -> Option<Asked> {
        self.0.remove(&number).map(|(_, asked)| asked)
    }

    /// Takes all questions.
    pub(crate) fn take(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.0).into_values().map(|(question, _)| question).collect()
    }

    /// Returns the oldest question.
    pub(crate) fn oldest(&self) -> Option<&Question> {
        self.0.values().next().map(|(question, _)| question)
    }

    /// Returns whether a question of a kind is pending.
    pub(crate) fn any(&self, is: impl Fn(&Ask) -> bool) -> bool {
        self.0.values().any(|(question, _)| is(&question.ask))
    }

    /// Returns the instant that the last question leads to, if it names one.
    pub(crate) fn aim_ms(&self) -> Option<u64> {
        let mut asks = self.0.values().rev().map(|(question, _)| &question.ask);
        // Look questions lead nowhere.
        match asks.find(|ask| !matches!(ask, Ask::Look | Ask::Complete { .. })) {
            Some(Ask::SeekMs(ms)) => Some(*ms),
            _ => None,
        }
    }

    /// Returns whether all are answered.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
