//! The files of the drafts in the editor.
//!
//! *Knows*: the service and the file that are shown, and their texts. *Must not know*: what runs.

use super::draft::{self, Draft};
use super::ptr::Ptr;
use super::state::State;

/// Adds an empty file, or shows the one of that path.
pub(super) fn add(state: &mut State, path: &str) {
    if path.is_empty() {
        return;
    }
    if !state.draft.files.contains_key(path) {
        state.draft.edit(path, String::new());
    }
    path.clone_into(&mut state.draft.file);
    state.draft.loaded += 1;
}

/// Removes a file and keeps it for Undo.
pub(super) fn drop(state: &mut State, path: &str) {
    let mut files = (*state.draft.files).clone();
    state.removed = files.remove(path).map(|text| (state.at, path.to_owned(), text.into()));
    if state.removed.is_none() {
        return;
    }
    if state.draft.file == path {
        state.draft.file = files.keys().next().cloned().unwrap_or_default();
    }
    state.draft.files = Ptr::new(files);
    state.draft.typed = true;
    state.draft.revision += 1;
    state.draft.loaded += 1;
}

/// A file keeps its text under another path. Nothing becomes of a path that is taken.
pub(super) fn rename(state: &mut State, from: &str, to: &str) {
    if to.is_empty() || state.draft.files.contains_key(to) {
        return;
    }
    let mut files = (*state.draft.files).clone();
    let Some(text) = files.remove(from) else { return };
    files.insert(to.to_owned(), text);
    if state.draft.file == from {
        to.clone_into(&mut state.draft.file);
    }
    state.draft.files = Ptr::new(files);
    state.draft.revision += 1;
    state.draft.loaded += 1;
}

/// Restores or removes a file.
pub(super) fn bring(state: &mut State, at: usize, path: &str, text: Option<&str>) {
    if at != state.at {
        let drafts = state.all_drafts();
        hold(state, drafts, at);
    }
    match text {
        Some(text) => {
            state.draft.edit(path, text.to_owned());
            path.clone_into(&mut state.draft.file);
            state.draft.loaded += 1;
        }
        None => drop(state, path),
    }
    if let Some(base) = state.draft.base.clone() {
        state.draft.compare(std::slice::from_ref(&*base));
    }
}

/// Changes a text of the service at a place, edited or not.
pub(super) fn edit_at(state: &mut State, at: usize, path: &str, text: &str) {
    if at == state.at {
        state.draft.edit(path, text.to_owned());
        return;
    }
    let mut drafts = state.drafts.to_vec();
    if let Some(draft) = drafts.get_mut(at) {
        draft.edit(path, text.to_owned());
        state.drafts = Ptr::new(drafts);
    }
}

/// Shows the definition at a place, and one of its files.
pub(super) fn pick(state: &mut State, at: usize, file: Option<&str>) {
    if at != state.at && at < state.drafts.len() {
        let drafts = state.all_drafts();
        hold(state, drafts, at);
    }
    if let Some(file) = file.filter(|file| state.draft.files.contains_key(*file)) {
        file.clone_into(&mut state.draft.file);
    }
}

/// Puts these definitions into the editor and shows one of them.
pub(super) fn hold(state: &mut State, drafts: Vec<Draft>, at: usize) {
    let at = at.min(drafts.len().saturating_sub(1));
    let loaded = state.draft.loaded + 1;
    let drafts: Vec<Draft> = drafts.into_iter().map(draft::shown).collect();
    let shown = drafts.get(at).cloned().unwrap_or_default();
    let before = std::mem::replace(&mut state.draft, Draft { loaded, ..shown });
    if before.files != state.draft.files {
        state.checked = Ptr::default();
    }
    state.drafts = Ptr::new(drafts);
    state.at = at;
}
