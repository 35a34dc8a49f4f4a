//! What the editor holds: files, environment, and how they differ from what runs.
//!
//! *Knows*: texts. *Must not know*: dialects.

use super::ptr::Ptr;
use super::selectors::status::system;
use super::selectors::text::is_yaml;
use crate::systems;
use planarium_protocol::input::LoadService;
use std::collections::BTreeMap;
use yew::AttrValue;

/// A file of this name is not part of the definition: it holds the package options.
pub(crate) const OPTIONS_FILE: &str = "options.json";

/// The definition being edited.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Draft {
    /// Path to text; `options.json` holds the package options.
    pub(crate) files: Ptr<BTreeMap<String, String>>,
    /// Environment of the scheduler.
    pub(crate) env: Ptr<BTreeMap<String, String>>,
    /// Dialect as loaded.
    pub(crate) dialect: String,
    /// What nobody edits here, as loaded.
    pub(crate) rest: Ptr<LoadService>,
    /// What people call it: the service's name as last read.
    pub(crate) label: AttrValue,
    /// Errors found when it was last read.
    pub(crate) errors: usize,
    /// The file shown.
    pub(crate) file: String,
    /// Counts edits; the texts of equal numbers are equal.
    pub(crate) revision: u32,
    /// The revision that the running world was made from.
    pub(crate) applied: u32,
    /// Counts texts that came from elsewhere than the keyboard, so that the editor takes them over.
    pub(crate) loaded: u32,
    /// Somebody wrote this text here, so it gives way to another one only to be kept.
    pub(crate) typed: bool,
    /// Texts that were written here and are not shown, oldest first.
    pub(crate) kept: Ptr<Vec<Kept>>,
    /// What runs under its name at the moment shown.
    pub(crate) base: Option<Ptr<LoadService>>,
    /// The name it runs under.
    pub(crate) runs_as: AttrValue,
}

/// A text that is put aside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kept {
    /// Path to text.
    pub(crate) files: Ptr<BTreeMap<String, String>>,
    /// Environment.
    pub(crate) env: Ptr<BTreeMap<String, String>>,
}

impl Draft {
    /// What a loaded service looks like in the editor.
    pub(crate) fn of(load: &LoadService) -> Self {
        let mut files = load.files.clone();
        if !load.options.is_null()
            && let Ok(text) = serde_json::to_string_pretty(&load.options)
        {
            files.insert(OPTIONS_FILE.to_owned(), text);
        }
        let file = Self::main_file(&files);
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
            file,
            ..Self::default()
        }
    }

    /// The service as the engine takes it. A broken options file counts as no options and is reported.
    pub(crate) fn load(&self) -> (LoadService, Option<String>) {
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

    /// The service with the options still a file, as broken as it may be.
    pub(crate) fn load_with_options_file(&self) -> LoadService {
        LoadService {
            dialect: self.dialect.clone(),
            files: (*self.files).clone(),
            env: (*self.env).clone(),
            ..(*self.rest).clone()
        }
    }

    /// Whether it is the definition of this name. A dialect that was left to be found out fits any.
    pub(crate) fn is_of(&self, dialect: &str, name: &str) -> bool {
        let open = |word: &str| matches!(word, "" | "auto");
        self.label == name && (open(&self.dialect) || open(dialect) || self.dialect == dialect)
    }

    /// Whether the text differs from what runs.
    pub(crate) fn dirty(&self) -> bool {
        self.revision != self.applied
    }

    /// Takes note of what runs: whether one of these services is this text.
    pub(crate) fn compare(&mut self, running: &[LoadService]) {
        let runs = running.iter().any(|load| self.is_text_of(load));
        self.applied = if runs { self.revision } else { self.revision.wrapping_sub(1) };
    }

    /// Whether a service that was loaded like this has this text.
    pub(crate) fn is_text_of(&self, load: &LoadService) -> bool {
        let (own, problem) = self.load();
        // The dialect may have been left to be found out.
        problem.is_none() && LoadService { dialect: own.dialect.clone(), ..load.clone() } == own
    }

    /// The text shown.
    pub(crate) fn text(&self) -> &str {
        self.files.get(&self.file).map_or("", String::as_str)
    }

    /// Replaces the text of a file.
    pub(crate) fn edit(&mut self, path: &str, text: String) {
        if self.files.get(path).is_some_and(|old| *old == text) {
            return;
        }
        let mut files = (*self.files).clone();
        if files.is_empty() {
            // The first file of all is the one shown.
            path.clone_into(&mut self.file);
            self.loaded += 1;
        }
        files.insert(path.to_owned(), text);
        self.files = Ptr::new(files);
        self.revision += 1;
        self.typed = true;
    }

    /// Sets or removes a variable.
    pub(crate) fn set_env(&mut self, name: &str, value: Option<String>) {
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

    /// The file that is shown first.
    pub(crate) fn main_file(files: &BTreeMap<String, String>) -> String {
        let rank = |path: &str| {
            let base = path.rsplit('/').next().unwrap_or(path);
            let plain = match is_yaml(base) {
                true if path.contains('/') => 1,
                true => 0,
                false => 2,
            };
            let place = systems::main_place(base);
            (place.is_none(), place, plain)
        };
        files.keys().min_by_key(|path| rank(path)).cloned().unwrap_or_default()
    }
}

/// What people call a definition among others; with its system where another one has its name.
pub(crate) fn labelled(all: &[Draft], draft: &Draft) -> String {
    let namesakes = all.iter().filter(|other| other.label == draft.label).count();
    match namesakes {
        0 | 1 => draft.label.to_string(),
        _ => format!("{} ({})", draft.label, system(&draft.dialect)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(files: &[(&str, &str)]) -> LoadService {
        LoadService {
            dialect: planarium_world::dialects()[0].word.into(),
            files: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
            ..LoadService::default()
        }
    }

    #[test]
    fn shows_the_service_file_first() {
        for (files, want) in [
            (vec![("config.json", ""), ("svc.yml", "")], "svc.yml"),
            (vec![("a/x.yml", ""), ("z.yaml", "")], "z.yaml"),
            (vec![("app.json", "")], "app.json"),
            (vec![("env.yaml", ""), ("model.yaml", ""), ("plan.yaml", "")], "plan.yaml"),
            (vec![], ""),
        ] {
            assert_eq!(Draft::of(&load(&files)).file, want, "{files:?}");
        }
    }

    #[test]
    fn options_travel_as_a_file_and_back() {
        let mut given = load(&[("svc.yml", "name: x")]);
        given.options = serde_json::json!({"service": {"name": "x"}});
        let mut draft = Draft::of(&given);
        assert!(draft.files.contains_key(OPTIONS_FILE));
        assert_eq!(draft.load(), (given, None));
        draft.edit(OPTIONS_FILE, "{".into());
        assert!(draft.load().1.is_some(), "a broken options file is reported");
    }

    #[test]
    fn knows_when_it_differs_from_what_runs() {
        let mut draft = Draft::of(&load(&[("svc.yml", "name: x")]));
        assert!(!draft.dirty());
        draft.edit("svc.yml", "name: x".into());
        assert!(!draft.dirty(), "the same text is no edit");
        draft.edit("svc.yml", "name: y".into());
        assert!(draft.dirty());
        draft.applied = draft.revision;
        draft.set_env("PORT", Some("80".into()));
        assert!(draft.dirty());
        draft.set_env("PORT", None);
        draft.compare(&[load(&[("svc.yml", "name: x")]), load(&[("svc.yml", "name: y")])]);
        assert!(!draft.dirty(), "one of the two that run is this text");
        draft.compare(&[load(&[("svc.yml", "name: x")])]);
        assert!(draft.dirty());
    }
}
