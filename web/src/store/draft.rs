//! The editor's drafts as the page shows them: which file is shown first, and what people call each.
//!
//! *Knows*: names of files. *Must not know*: dialects.

use super::selectors::status::system;
use super::selectors::text::is_yaml;
use crate::systems;
pub(crate) use planarium_messages::draft::{Draft, Editor, Running};
use planarium_protocol::input::LoadService;
use std::collections::BTreeMap;

/// Returns the draft of a loaded service.
pub(crate) fn of(load: &LoadService) -> Draft {
    shown(Draft::of(load))
}

/// Returns a draft with a file to show, if none was chosen yet.
pub(crate) fn shown(draft: Draft) -> Draft {
    if draft.files.contains_key(&draft.file) {
        return draft;
    }
    let file = main_file(&draft.files);
    Draft { file, ..draft }
}

/// The file that is shown first.
fn main_file(files: &BTreeMap<String, String>) -> String {
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

/// Returns the display name of a definition among others; with its system where another one has its name.
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
    use planarium_messages::draft::OPTIONS_FILE;

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
            assert_eq!(of(&load(&files)).file, want, "{files:?}");
        }
    }

    #[test]
    fn options_are_sent_as_a_file_and_back() {
        let mut given = load(&[("svc.yml", "name: x")]);
        given.options = serde_json::json!({"service": {"name": "x"}});
        let mut draft = of(&given);
        assert!(draft.files.contains_key(OPTIONS_FILE));
        assert_eq!(draft.load(), (given, None));
        draft.edit(OPTIONS_FILE, "{".into());
        assert!(draft.load().1.is_some(), "a broken options file is reported");
    }

    #[test]
    fn detects_differences_from_what_runs() {
        let mut draft = of(&load(&[("svc.yml", "name: x")]));
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
