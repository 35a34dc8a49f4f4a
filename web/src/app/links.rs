//! Links that are for the page alone: progress that was exported, results that a learner hands in, and files at an address.

use crate::browser;
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

/// Asks about the file that the query names (`?src=`). None in a frame, and where the link contains a run.
pub(super) fn named(hash: &str) -> Option<Action> {
    if browser::framed() || hash.len() > 1 {
        return None;
    }
    let address = browser::query("src").filter(|address| !address.trim().is_empty())?;
    Some(Action::OpenDialog(Dialog::Source(address.into())))
}
