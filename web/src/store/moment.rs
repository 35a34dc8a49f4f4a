//! The editor belongs to the moment shown: it holds what runs there, or a draft that says that it does not run.
//!
//! *Knows*: the definitions that run at the cursor, and which text was typed. *Must not know*: how the engine keeps them.

use super::draft::{self, Draft, Running};
use super::ptr::Ptr;
use super::state::{Checked, State};
use planarium_protocol::Text;

/// Relation of the editor's text to the moment shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It runs there.
    Runs,
    /// It runs there, and another text that was typed is kept.
    RunsBesideDraft,
    /// It is a draft: another text runs there.
    Draft,
    /// Nothing of its name runs there.
    Absent,
}

/// Relation of the draft shown to the moment shown.
pub(crate) fn standing(draft: &Draft) -> Standing {
    match (&draft.base, draft.dirty(), draft.drawer().is_some()) {
        (None, ..) => Standing::Absent,
        (Some(_), true, _) => Standing::Draft,
        (Some(_), false, true) => Standing::RunsBesideDraft,
        (Some(_), false, false) => Standing::Runs,
    }
}

/// Brings the editor to the moment shown.
pub(crate) fn follow(state: &mut State) {
    let running = state.running.clone();
    let mut drafts = state.all_drafts();
    let alone = drafts.len() == 1 && running.len() == 1;
    for draft in &mut drafts {
        let found = of_draft(&running, draft).or_else(|| running.first().filter(|_| alone));
        draft.follow(found);
    }
    put_back(state, drafts);
}

/// Loads the running definition of the moment shown in place of the draft; the draft is kept.
pub(crate) fn show_running(state: &mut State) {
    let mut draft = state.draft.clone();
    draft.show_base();
    replace(state, draft);
}

/// Shows the kept draft instead of what runs.
pub(crate) fn show_draft(state: &mut State) {
    let mut draft = state.draft.clone();
    draft.show_kept();
    replace(state, draft);
}

fn replace(state: &mut State, draft: Draft) {
    let mut drafts = state.all_drafts();
    if let Some(place) = drafts.get_mut(state.at) {
        *place = draft;
    }
    put_back(state, drafts);
}

/// Holds the drafts; the editor takes over a text that is another one now.
fn put_back(state: &mut State, drafts: Vec<Draft>) {
    let drafts: Vec<Draft> = drafts.into_iter().map(draft::shown).collect();
    if let Some(shown) = drafts.get(state.at) {
        let another = shown.files != state.draft.files || shown.env != state.draft.env;
        let loaded = state.draft.loaded + u32::from(another);
        state.draft = Draft { loaded, ..shown.clone() };
        if another {
            state.checked = Ptr::new(Checked {
                dialect: state.checked.dialect.clone(),
                name: state.checked.name.clone(),
                ..Checked::default()
            });
        }
    }
    state.drafts = Ptr::new(drafts);
}

/// Returns the definition running under the name of a draft.
fn of_draft<'r>(running: &'r [Running], draft: &Draft) -> Option<&'r Running> {
    let named = |name: &Text| {
        running.iter().find(|run| {
            !name.is_empty()
                && run.name == *name
                && (draft.dialect == *run.dialect || matches!(draft.dialect.as_str(), "" | "auto"))
        })
    };
    named(&draft.runs_as)
        .or_else(|| named(&draft.label))
        .or_else(|| running.iter().find(|run| draft.is_text_of(&run.load)))
}
