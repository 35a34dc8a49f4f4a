//! The browser's memory: preferences, progress in lessons, and the journal of the run before each input.
//!
//! *Knows*: names of storage keys. *Must not know*: the content of a journal. Storage may be refused at any time
//! (private windows, embedded pages); then nothing is stored and nothing fails.

use super::progress::Progress;
use super::state::{Prefs, Sizes, State, Theme, Verbosity};
use super::tries::Tries;
use crate::browser;
use planarium_protocol::json::{self, Read};
use serde::Serialize;
use serde_json::Value;

const PREFS: &str = "planarium.prefs";
const LESSONS: &str = "planarium.lessons";
const TRIES: &str = "planarium.tries";
const JOURNAL: &str = "planarium.journal";
const REST: &str = "planarium.rest";
const PENDING: &str = "planarium.pending";
const DRAFT: &str = "planarium.draft";
const DRAFTS: &str = "planarium.drafts";
const TAB: &str = "planarium.tab";
const NAME: &str = "planarium.name";

/// Maximum number of tabs whose edits are stored.
const MOST_DRAFTS: usize = 6;

/// Remembers preferences and progress that changed.
pub(crate) fn save_changes(old: &State, new: &State) {
    if old.prefs != new.prefs && new.frame.is_none() {
        browser::store(PREFS, &write_prefs(&new.prefs));
    }
    if old.progress != new.progress {
        // Another tab may have passed something meanwhile.
        let mut all = (*new.progress).clone();
        all.merge(&load_progress());
        browser::store(LESSONS, &all.text());
    }
}

/// The lessons that were passed in this browser.
pub(crate) fn load_progress() -> Progress {
    browser::stored(LESSONS).and_then(|text| Progress::read(&text)).unwrap_or_default()
}

/// Keeps a try of a lesson beside those before it.
pub(crate) fn save_try(lesson: &str, link: &str) {
    let mut tries = load_tries();
    tries.record(lesson, link);
    browser::store(TRIES, &tries.text());
}

/// Tries of a lesson that this browser has kept, the last one last.
pub(crate) fn saved_tries(lesson: &str) -> Vec<String> {
    load_tries().of(lesson)
}

fn load_tries() -> Tries {
    browser::stored(TRIES).map(|text| Tries::read(&text)).unwrap_or_default()
}

/// The remembered preferences.
pub(crate) fn load_prefs() -> Prefs {
    browser::stored(PREFS).map(|text| read_prefs(&text)).unwrap_or_default()
}

/// Keeps the run as a share string, with nothing pending; for this tab.
pub(crate) fn save_run(share: &str) {
    browser::store_here(JOURNAL, share);
    browser::store_here(REST, "");
    browser::store_here(PENDING, "");
}

/// Stores an input of the run at its index, packed on its own.
pub(crate) fn save_input(place: usize, packed: &str) {
    browser::store_here(&input_key(place), packed);
}

/// Stores a run without its inputs (their number, the journal) before an input, and a description of that input.
pub(crate) fn save_rest(rest: &str, pending: &str) {
    browser::store_here(REST, rest);
    browser::store_here(PENDING, pending);
}

fn input_key(place: usize) -> String {
    format!("{JOURNAL}.{place}")
}

/// Returns the run before the last input: the journal without inputs, and the packed inputs.
pub(crate) fn saved_parts() -> Option<(String, Vec<String>)> {
    let rest = browser::stored_here(REST).filter(|text| !text.is_empty())?;
    let inputs = inputs_of(&rest, &browser::stored_here)?;
    Some((rest, inputs))
}

/// Returns the run last written into the address bar, as a share string.
pub(crate) fn saved_run() -> Option<String> {
    browser::stored_here(JOURNAL).filter(|text| !text.is_empty())
}

/// The packed inputs of a run that was kept in parts.
fn inputs_of(rest: &str, stored: &dyn Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let (inputs, _): (usize, Value) = json::read::text(rest.as_bytes()).ok()?;
    (0..inputs).map(|place| stored(&input_key(place))).collect()
}

/// All of a tab.
#[derive(Serialize, Read)]
struct Tab {
    /// The addresses before and after the run was written into the address bar. A browser that leaves the page may
    /// reload either.
    addresses: [String; 2],
    /// The host's state.
    host: String,
    looks: Value,
    /// The moment shown: instant and last event.
    #[serde(default)]
    at: Option<(u64, u64)>,
}

/// Keeps all of a tab for when it is loaded again.
pub(crate) fn save_tab(addresses: [&str; 2], tab: &str, looks: &Value, at: (u64, u64)) {
    let addresses = addresses.map(str::to_owned);
    let tab = Tab { addresses, host: tab.to_owned(), looks: looks.clone(), at: Some(at) };
    browser::store_here(TAB, &json::of(&tab).to_string());
}

/// Returns the tab's state at an address: the host's, the view state, and the moment shown.
pub(crate) fn saved_tab(address: &str) -> (Option<String>, Option<Value>, Option<(u64, u64)>) {
    let kept = browser::stored_here(TAB).and_then(|text| json::read::text::<Tab>(text.as_bytes()).ok());
    match kept.filter(|tab| tab.addresses.iter().any(|kept| kept == address)) {
        Some(tab) => (Some(tab.host), Some(tab.looks), tab.at),
        None => (None, None, None),
    }
}

/// Keeps edits of this tab that are not applied; an empty text forgets them, and leaves alone those of other tabs.
pub(crate) fn save_draft(text: &str) {
    let own = own_name();
    let mut all = drafts();
    let known = all.iter().any(|(name, _)| *name == own);
    if text.is_empty() && !known {
        return;
    }
    all.retain(|(name, _)| *name != own);
    if !text.is_empty() {
        all.push((own, text.to_owned()));
    }
    keep_drafts(all);
}

/// Edits that were never applied, of another tab or an earlier visit: the last ones.
pub(crate) fn saved_draft() -> Option<String> {
    let own = own_name();
    drafts().into_iter().rev().find(|(name, _)| *name != own).map(|(_, text)| text)
}

/// The edits that [`saved_draft`] names are in an editor again.
pub(crate) fn took_draft(text: &str) {
    let mut all = drafts();
    all.retain(|(_, kept)| kept != text);
    keep_drafts(all);
}

fn keep_drafts(mut all: Vec<(String, String)>) {
    let surplus = all.len().saturating_sub(MOST_DRAFTS);
    all.drain(..surplus);
    browser::store(DRAFTS, &json::of(&all).to_string());
}

/// Edits by the name of their tab, the last ones last.
fn drafts() -> Vec<(String, String)> {
    let kept = browser::stored(DRAFTS).unwrap_or_default();
    let mut all: Vec<(String, String)> = json::read::text(kept.as_bytes()).unwrap_or_default();
    // Earlier versions kept those of one tab only.
    if let Some(text) = browser::stored(DRAFT).filter(|text| !text.is_empty()) {
        all.insert(0, (String::new(), text));
        browser::store(DRAFT, "");
    }
    all
}

/// The name of this tab among others.
fn own_name() -> String {
    if let Some(name) = browser::stored_here(NAME).filter(|name| !name.is_empty()) {
        return name;
    }
    let name = browser::any_name();
    browser::store_here(NAME, &name);
    name
}

/// Returns the last input.
pub(crate) fn saved_pending() -> Option<String> {
    browser::stored_here(PENDING).filter(|text| !text.is_empty())
}

fn write_prefs(prefs: &Prefs) -> String {
    let verbosity = match prefs.verbosity {
        Verbosity::All => "all",
        Verbosity::Milestones => "milestones",
        Verbosity::Off => "off",
    };
    let Sizes { editor, inspector, dock } = prefs.sizes;
    format!(
        "theme={};keys={};speech={verbosity};hint={};idle={};editor={editor};inspector={inspector};dock={dock}",
        prefs.theme.word(),
        if prefs.keys_off { "off" } else { "on" },
        if prefs.hint_seen { "seen" } else { "new" },
        if prefs.full_idle { "full" } else { "short" },
    )
}

fn read_prefs(text: &str) -> Prefs {
    let mut prefs = Prefs::default();
    for (key, value) in text.split(';').filter_map(|pair| pair.split_once('=')) {
        let size = |otherwise| value.parse().unwrap_or(otherwise);
        match (key, value) {
            ("theme", "light") => prefs.theme = Theme::Light,
            ("theme", "dark") => prefs.theme = Theme::Dark,
            ("keys", "off") => prefs.keys_off = true,
            ("speech", "milestones") => prefs.verbosity = Verbosity::Milestones,
            ("speech", "off") => prefs.verbosity = Verbosity::Off,
            ("idle", "full") => prefs.full_idle = true,
            ("hint", "seen") => prefs.hint_seen = true,
            ("editor", _) => prefs.sizes.editor = size(prefs.sizes.editor).clamp(150, 500),
            ("inspector", _) => prefs.sizes.inspector = size(prefs.sizes.inspector).clamp(180, 500),
            ("dock", _) => prefs.sizes.dock = size(prefs.sizes.dock).clamp(96, 420),
            _ => {}
        }
    }
    prefs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_stored_in_parts_is_complete_or_ignored() {
        let parts = [(input_key(0), "a"), (input_key(1), "b")];
        let stored =
            |key: &str| parts.iter().find(|(name, _)| name == key).map(|(_, text)| (*text).to_owned());
        assert_eq!(inputs_of("[2,{}]", &stored), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(inputs_of("[3,{}]", &stored), None, "there was no room for an input");
    }

    #[test]
    fn preferences_survive_and_invalid_ones_are_ignored() {
        let prefs = Prefs {
            theme: Theme::Dark,
            keys_off: true,
            verbosity: Verbosity::Milestones,
            hint_seen: true,
            full_idle: true,
            sizes: Sizes { editor: 300, inspector: 333, dock: 200 },
        };
        assert_eq!(read_prefs(&write_prefs(&prefs)), prefs);
        assert_eq!(read_prefs(&write_prefs(&Prefs::default())), Prefs::default());
        for text in ["", "=;;=", "theme=pink;dock=lots;editor=99999999999", "unknown=1"] {
            assert_eq!(read_prefs(text), Prefs::default(), "{text}");
        }
        assert_eq!(read_prefs("dock=4").sizes.dock, 96, "too small a pane cannot be grabbed again");
    }
}
