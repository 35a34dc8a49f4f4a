//! Messages that pass, where they hold, and the ways back that they offer.
//!
//! *Knows*: what a message says and offers. *Must not know*: when one is told.

use super::action::Action;
use super::state::{Clock, ToastUndo};
use yew::AttrValue;

/// How a toast looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToastKind {
    /// News.
    Info,
    /// Something was refused or failed; stays until closed.
    Alert,
}

/// What the button of a message does.
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
    /// Looks.
    pub(crate) kind: ToastKind,
    /// A way back.
    pub(crate) undo: Option<ToastUndo>,
    /// Where it holds; everywhere when there is none.
    pub(crate) place: Option<Place>,
}

/// Where a message holds: from an instant of a branch on.
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
    /// Whether what holds there holds at a moment.
    pub(crate) fn holds(&self, lineage: (u32, u32), clock: &Clock) -> bool {
        let when =
            if self.only { clock.now_ms == self.at_ms && clock.idle } else { clock.now_ms >= self.at_ms };
        self.lineage == lineage && when
    }
}
