//! Links that are for the page alone: progress that was exported, and results that a learner hands in.

use crate::store::Action;
use crate::store::progress::PREFIX;
use crate::store::state::Dialog;

/// Returns the action of an opened link; `None` if the host handles it.
pub(super) fn arrived(hash: &str) -> Option<Action> {
    let inner = hash.strip_prefix('#')?;
    if inner.starts_with(PREFIX) {
        return Some(Action::TakeProgress(inner.to_owned()));
    }
    inner.starts_with("h1:").then(|| Action::OpenDialog(Dialog::Results(hash.to_owned().into())))
}
