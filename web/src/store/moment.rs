//! The editor belongs to the moment shown: it holds what runs there, or a draft that says that it does not run.
//!
//! *Knows*: the definitions that run at the cursor, and which text was typed. *Must not know*: how the engine keeps them.

use super::draft::{Draft, Kept};
use super::ptr::Ptr;
use super::state::{Checked, State};
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use std::sync::Arc;
use yew::AttrValue;

/// A definition that runs at the moment shown.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    /// Dialect of its service.
    pub(crate) dialect: Text,
    /// What it is called.
    pub(crate) name: Text,
    /// The request that it was loaded or last updated with.
    pub(crate) load: Arc<LoadService>,
}

impl PartialEq for Running {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.load, &other.load) && self.name == other.name && self.dialect == other.dialect
    }
}

/// How the text in the editor stands to the moment shown.
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

/// How the draft shown stands to the moment shown.
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

/// What runs at the moment shown, in place of the draft; the draft is kept.
pub(crate) fn show_running(state: &mut State) {
    let mut draft = state.draft.clone();
    draft.show_base();
    replace(state, draft);
}

/// The kept draft, in place of what runs.
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

/// What runs under the name of a definition.
fn of_draft<'r>(running: &'r [Running], draft: &Draft) -> Option<&'r Running> {
    let named = |name: &AttrValue| {
        running.iter().find(|run| {
            !name.is_empty()
                && *run.name == **name
                && (draft.dialect == *run.dialect || matches!(draft.dialect.as_str(), "" | "auto"))
        })
    };
    named(&draft.runs_as)
        .or_else(|| named(&draft.label))
        .or_else(|| running.iter().find(|run| draft.is_text_of(&run.load)))
}

impl Draft {
    /// Follows what runs under its name: a text that was not typed gives way, one that was typed stays as a draft.
    fn follow(&mut self, found: Option<&Running>) {
        let Some(run) = found else {
            self.base = None;
            return;
        };
        self.base = Some(Ptr(Arc::clone(&run.load)));
        self.runs_as = run.name.to_string().into();
        if self.is_text_of(&run.load) {
            self.applied = self.revision;
        } else if self.typed && self.dirty() {
            self.applied = self.revision.wrapping_sub(1);
        } else {
            self.keep();
            self.show_base();
        }
    }

    /// Shows what runs under its name; a draft is kept.
    fn show_base(&mut self) {
        let Some(base) = self.base.clone() else { return };
        self.keep();
        let shown = Self::of(&base);
        let file = if shown.files.contains_key(&self.file) { self.file.clone() } else { shown.file };
        self.files = shown.files;
        self.env = shown.env;
        self.file = file;
        self.errors = 0;
        self.typed = false;
        self.revision += 1;
        self.applied = self.revision;
    }

    /// Puts a text that was typed aside.
    fn keep(&mut self) {
        if !self.typed {
            return;
        }
        let mut kept = self.kept.to_vec();
        kept.retain(|old| *old.files != *self.files || *old.env != *self.env);
        kept.push(Kept { files: self.files.clone(), env: self.env.clone() });
        let surplus = kept.len().saturating_sub(MOST_KEPT);
        kept.drain(..surplus);
        self.kept = Ptr::new(kept);
    }

    /// The last text that was put aside and is not the one shown.
    pub(crate) fn drawer(&self) -> Option<&Kept> {
        self.kept.iter().rev().find(|kept| *kept.files != *self.files || *kept.env != *self.env)
    }

    /// Shows the text that was put aside last.
    fn show_kept(&mut self) {
        let Some(kept) = self.drawer().cloned() else { return };
        self.keep();
        let mut others = self.kept.to_vec();
        others.retain(|old| *old.files != *kept.files || *old.env != *kept.env);
        self.kept = Ptr::new(others);
        if !kept.files.contains_key(&self.file) {
            self.file = Self::main_file(&kept.files);
        }
        self.files = kept.files;
        self.env = kept.env;
        self.typed = true;
        self.revision += 1;
        if let Some(base) = self.base.clone() {
            self.compare(std::slice::from_ref(&*base));
        }
    }
}

/// How many texts are put aside for one service.
const MOST_KEPT: usize = 8;
