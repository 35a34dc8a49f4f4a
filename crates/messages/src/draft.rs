//! Drafts in the editor: files, environment, and their difference from the running definition.
//!
//! *Knows*: texts. *Must not know*: dialects.

use crate::ptr::Ptr;
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use planarium_protocol::json::Read;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Name of the file with the package options, which is not part of the definition.
pub const OPTIONS_FILE: &str = "options.json";

/// The definition being edited.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct Draft {
    /// Path to text; `options.json` holds the package options.
    pub files: Ptr<BTreeMap<String, String>>,
    /// Environment of the scheduler.
    pub env: Ptr<BTreeMap<String, String>>,
    /// Dialect as loaded.
    pub dialect: String,
    /// Parts that the editor does not show, as loaded.
    pub rest: Ptr<LoadService>,
    /// Display name: the service's name when it was last read.
    pub label: Text,
    /// Number of errors when it was last read.
    pub errors: usize,
    /// The file shown; empty if none was chosen yet.
    pub file: String,
    /// Counts edits; equal numbers mean equal texts.
    pub revision: u32,
    /// The revision that runs.
    pub applied: u32,
    /// Counts texts that did not come from the keyboard, so that the editor loads them.
    pub loaded: u32,
    /// The user wrote this text here, so it is kept when another text replaces it.
    pub typed: bool,
    /// Texts written here that are not shown, oldest first.
    pub kept: Ptr<Vec<Kept>>,
    /// The definition running under this name at the moment shown; not sent in messages.
    #[serde(skip)]
    pub base: Option<Ptr<LoadService>>,
    /// The name it runs under.
    pub runs_as: Text,
}

/// A text that is put aside.
#[derive(Clone, Debug, PartialEq, Serialize, Read)]
pub struct Kept {
    /// Path to text.
    pub files: Ptr<BTreeMap<String, String>>,
    /// Environment.
    pub env: Ptr<BTreeMap<String, String>>,
}

impl Draft {
    /// Returns the draft of a loaded service.
    pub fn of(load: &LoadService) -> Self {
        let mut files = load.files.clone();
        if !load.options.is_null()
            && let Ok(text) = serde_json::to_string_pretty(&load.options)
        {
            files.insert(OPTIONS_FILE.to_owned(), text);
        }
        Self {
            files: Ptr::new(files),
            env: Ptr::new(load.env.clone()),
            dialect: load.dialect.clone(),
            rest: Ptr::new(LoadService {
                files: BTreeMap::new(),
                env: BTreeMap::new(),
                options: serde_json::Value::Null,
                ..load.clone()
            }),
            label: load.name.clone().into(),
            ..Self::default()
        }
    }

    /// Returns the service as the engine takes it. A broken options file is ignored and reported.
    pub fn load(&self) -> (LoadService, Option<String>) {
        let mut files = (*self.files).clone();
        let (mut options, mut problem) = (serde_json::Value::Null, None);
        if let Some(text) = files.remove(OPTIONS_FILE) {
            match planarium_protocol::json::value(text.as_bytes()) {
                Ok(value) => options = value,
                Err(error) => problem = Some(error.to_string()),
            }
        }
        let load = LoadService {
            dialect: if self.dialect.is_empty() { "auto".to_owned() } else { self.dialect.clone() },
            files,
            env: (*self.env).clone(),
            options,
            ..(*self.rest).clone()
        };
        (load, problem)
    }

    /// Returns the service with its options as the file's text, even if that is broken.
    pub fn load_with_options_file(&self) -> LoadService {
        LoadService {
            dialect: self.dialect.clone(),
            files: (*self.files).clone(),
            env: (*self.env).clone(),
            ..(*self.rest).clone()
        }
    }

    /// Returns whether this is the definition of that name. A draft without a dialect matches any.
    pub fn is_of(&self, dialect: &str, name: &str) -> bool {
        let open = |word: &str| matches!(word, "" | "auto");
        *self.label == *name && (open(&self.dialect) || open(dialect) || self.dialect == dialect)
    }

    /// Returns whether the text differs from what runs.
    pub fn dirty(&self) -> bool {
        self.revision != self.applied
    }

    /// Compares the draft with the running services.
    pub fn compare(&mut self, running: &[LoadService]) {
        let runs = running.iter().any(|load| self.is_text_of(load));
        self.applied = if runs { self.revision } else { self.revision.wrapping_sub(1) };
    }

    /// Returns whether a service loaded with `load` has this text.
    pub fn is_text_of(&self, load: &LoadService) -> bool {
        let (own, problem) = self.load();
        // The draft may leave the dialect to be detected.
        problem.is_none() && LoadService { dialect: own.dialect.clone(), ..load.clone() } == own
    }

    /// The text shown.
    pub fn text(&self) -> &str {
        self.files.get(&self.file).map_or("", String::as_str)
    }

    /// Replaces the text of a file.
    pub fn edit(&mut self, path: &str, text: String) {
        if self.files.get(path).is_some_and(|old| *old == text) {
            return;
        }
        let mut files = (*self.files).clone();
        if files.is_empty() {
            // Show the first file.
            path.clone_into(&mut self.file);
            self.loaded += 1;
        }
        files.insert(path.to_owned(), text);
        self.files = Ptr::new(files);
        self.revision += 1;
        self.typed = true;
    }

    /// Sets or removes a variable.
    pub fn set_env(&mut self, name: &str, value: Option<String>) {
        if self.env.get(name) == value.as_ref() {
            return;
        }
        let mut env = (*self.env).clone();
        match value {
            Some(value) => env.insert(name.to_owned(), value),
            None => env.remove(name),
        };
        self.env = Ptr::new(env);
        self.revision += 1;
        self.typed = true;
    }
}

/// A definition that runs at the moment shown.
#[derive(Clone, Debug, Serialize, Read)]
pub struct Running {
    /// Dialect of its service.
    pub dialect: Text,
    /// Its name.
    pub name: Text,
    /// The request that loaded or last updated it.
    pub load: Arc<LoadService>,
}

impl PartialEq for Running {
    fn eq(&self, other: &Self) -> bool {
        let same = Arc::ptr_eq(&self.load, &other.load) || self.load == other.load;
        same && self.name == other.name && self.dialect == other.dialect
    }
}

impl Draft {
    /// Follows the definition that runs under this name: replaces a text that was not typed, and keeps a typed one as
    /// a draft.
    pub fn follow(&mut self, found: Option<&Running>) {
        let Some(run) = found else {
            self.base = None;
            return;
        };
        self.base = Some(Ptr(Arc::clone(&run.load)));
        self.runs_as = run.name.to_string().into();
        if self.rest.params != run.load.params {
            // Parameter values are not edited here: use the running ones, including those set through the API.
            let params = run.load.params.clone();
            self.rest = Ptr::new(LoadService { params, ..(*self.rest).clone() });
        }
        if self.is_text_of(&run.load) {
            self.applied = self.revision;
        } else if self.typed && self.dirty() {
            self.applied = self.revision.wrapping_sub(1);
        } else {
            self.keep();
            self.show_base();
        }
    }

    /// Shows the running definition; keeps the draft.
    pub fn show_base(&mut self) {
        let Some(base) = self.base.clone() else { return };
        self.keep();
        let shown = Self::of(&base);
        if !shown.files.contains_key(&self.file) {
            self.file.clear();
        }
        self.files = shown.files;
        self.env = shown.env;
        self.errors = 0;
        self.typed = false;
        self.revision += 1;
        self.applied = self.revision;
    }

    /// Puts a typed text aside.
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

    /// Returns the last text that was put aside, unless it is the one shown.
    pub fn drawer(&self) -> Option<&Kept> {
        self.kept.iter().rev().find(|kept| *kept.files != *self.files || *kept.env != *self.env)
    }

    /// Shows the text that was put aside last.
    pub fn show_kept(&mut self) {
        let Some(kept) = self.drawer().cloned() else { return };
        self.keep();
        let mut others = self.kept.to_vec();
        others.retain(|old| *old.files != *kept.files || *old.env != *kept.env);
        self.kept = Ptr::new(others);
        if !kept.files.contains_key(&self.file) {
            self.file.clear();
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

/// Maximum number of texts put aside for one service.
const MOST_KEPT: usize = 8;

/// The editor as a page holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
pub struct Editor {
    /// The definition being edited.
    pub draft: Draft,
    /// The definitions of all services; `drafts[at]`, which is being edited, may be out of date.
    pub drafts: Ptr<Vec<Draft>>,
    /// Index of the definition that is being edited.
    pub at: usize,
}

impl Editor {
    /// Returns the definitions of all services, up to date.
    pub fn all(&self) -> Vec<Draft> {
        let mut all = self.drafts.to_vec();
        match all.get_mut(self.at) {
            Some(place) => place.clone_from(&self.draft),
            None if self.draft.files.is_empty() => {}
            None => all.push(self.draft.clone()),
        }
        all
    }

    /// Returns whether any definition differs from what runs.
    pub fn dirty(&self) -> bool {
        self.draft.dirty() || self.drafts.iter().enumerate().any(|(at, draft)| at != self.at && draft.dirty())
    }

    /// Returns the index of a service among the definitions.
    pub fn place_of(&self, dialect: &str, service: &str) -> Option<usize> {
        let all = self.all();
        let fits = all.iter().enumerate().filter(|(_, draft)| draft.is_of(dialect, service));
        // Prefer a draft that names its dialect, then the one shown.
        fits.min_by_key(|(at, draft)| (draft.dialect != dialect, *at != self.at)).map(|(at, _)| at)
    }
}
