//! Inputs by hand: stored before they are applied, reported with their outcome.
//!
//! *Knows*: that an input in the past opens a branch. *Must not know*: what an input does.

use super::lesson;
use super::{Host, undo};
use planarium_messages::facts::Fact;
use planarium_messages::facts::ToastUndo;
use planarium_protocol::Input;
use planarium_world::Written;

impl Host {
    pub(crate) fn put_in(&mut self, input: &Input) -> Vec<Fact> {
        let (mut facts, done) = self.try_input(input);
        facts.extend(done);
        facts
    }

    /// Applies an input; also returns the message for an accepted one.
    pub(crate) fn try_input(&mut self, input: &Input) -> (Vec<Fact>, Option<Fact>) {
        if let Some(refused) = lesson::not_allowed(self, input) {
            return (vec![refused], None);
        }
        let told = input;
        let input = Written::of(told.clone());
        self.save_before(&input);
        let words = undo::words(&input);
        let (before, by_hand) = (self.stand(), self.shown.by_hand);
        let past = (!self.shown.engine.at_head()).then(|| self.shown.engine.now_ms());
        let mut facts = lesson::whole_instant(self);
        let applied = self.shown.engine.put_in(input);
        self.shown.by_hand = true;
        lesson::rest_of_instant(self);
        facts.push(self.moved());
        let accepted = applied.outcome.is_ok();
        if accepted {
            super::story::leave(self, told);
        }
        let mut done = None;
        if accepted || past.is_some() {
            done = Some(self.did(words, before, by_hand));
        }
        if let Some(at_ms) = past {
            facts.push(forked(at_ms));
            // Report the new branch and its way back instead.
            done = None;
        }
        if let Err(refusal) = &applied.outcome {
            facts.push(Fact::Refused(refusal.message.clone().into()));
        }
        (facts, done)
    }

    /// Stores the run before an input: if the input crashes the engine, this run is offered again.
    pub(crate) fn save_before(&mut self, input: &Written) {
        let text = String::from_utf8_lossy(input.text());
        self.saved.keep(&self.shown.engine, &text, &mut *self.keeper);
    }
}

/// A command in the past opened a branch.
pub(crate) fn forked(at_ms: u64) -> Fact {
    let at = planarium_messages::clock::clock(at_ms);
    let text = format!("New branch from {at}; the original is kept.");
    Fact::Told(text.into(), Some(ToastUndo::Last))
}
