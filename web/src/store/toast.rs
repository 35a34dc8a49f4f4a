//! Temporary messages, where they are valid, and the undo that they offer.
//!
//! *Knows*: the content of a message. *Must not know*: when one is shown.

use super::action::Action;
use super::state::{Clock, ToastUndo};
use yew::AttrValue;

/// Kinds of toast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToastKind {
    /// Information.
    Info,
    /// Something was refused or failed; stays until closed.
    Alert,
}

/// The action of a message's button.
pub(crate) fn action_of(undo: ToastUndo) -> Action {
    match undo {
        ToastUndo::Last => Action::Undo,
        ToastUndo::Undone => Action::Redo,
        ToastUndo::Draft => Action::RestoreDraft,
    }
}

/// The words on it.
pub(crate) fn label_of(undo: ToastUndo) -> &'static str {
    match undo {
        ToastUndo::Last => "Undo",
        ToastUndo::Undone => "Redo",
        ToastUndo::Draft => "Bring them back",
    }
}

/// A message that passes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Toast {
    /// Number.
    pub(crate) id: u32,
    /// Words.
    pub(crate) text: AttrValue,
    /// Appearance.
    pub(crate) kind: ToastKind,
    /// A way back.
    pub(crate) undo: Option<ToastUndo>,
    /// Its place; everywhere when there is none.
    pub(crate) place: Option<Place>,
}

/// Place of a message: from an instant of a branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// World and branch.
    pub(crate) lineage: (u32, u32),
    /// The instant.
    pub(crate) at_ms: u64,
    /// It holds at that instant only.
    pub(crate) only: bool,
}

impl Place {
    /// Returns whether what holds there holds at a moment.
    pub(crate) fn holds(&self, lineage: (u32, u32), clock: &Clock) -> bool {
        let when =
            if self.only { clock.now_ms == self.at_ms && clock.idle } else { clock.now_ms >= self.at_ms };
        self.lineage == lineage && when
    }
}
