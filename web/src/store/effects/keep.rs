//! What a tab of the browser keeps while its page is loaded again: all branches, edits, the script, the looks.
//!
//! *Knows*: what belongs to a tab, and how it is brought back. *Must not know*: where it is kept.

use super::story::Narration;
use super::{Session, Shown};
use crate::browser;
use crate::store::action::Fact;
use crate::store::draft::{Draft, Kept};
use crate::store::ptr::Ptr;
use crate::store::state::State;
use crate::store::{looks, persist};
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_scenario::{Player, Scenario};
use planarium_world::{Engine, Journal, Tree};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a tab keeps.
#[derive(Serialize, Deserialize)]
struct Tab {
    /// The address that it was kept at.
    address: String,
    /// The gallery's example, while it is one.
    example: Option<String>,
    title: String,
    about: String,
    /// All branches.
    tree: Tree,
    hidden: Vec<u32>,
    stand_ins: Vec<u32>,
    by_hand: bool,
    /// The branch that the script plays on.
    script_on: Option<u32>,
    edits: Vec<Edit>,
    looks: Value,
}

/// A definition in the editor.
#[derive(Serialize, Deserialize)]
struct Edit {
    label: String,
    load: LoadService,
    dirty: bool,
    typed: bool,
    kept: Vec<(BTreeMap<String, String>, BTreeMap<String, String>)>,
}

impl Session {
    /// Keeps everything for a page that is loaded again.
    pub(super) fn keep(&mut self, state: &State) {
        if state.broken.is_some() || self.shown.engine.entries().is_empty() {
            return;
        }
        let narration = &self.shown.narration;
        let tab = Tab {
            address: browser::address(),
            example: narration.example().map(str::to_owned),
            title: narration.title().to_owned(),
            about: narration.about().to_owned(),
            hidden: self.shown.hidden.clone(),
            stand_ins: self.shown.stand_ins.clone(),
            by_hand: self.shown.by_hand,
            script_on: self.shown.player.as_ref().map(|(_, on)| *on),
            edits: state.all_drafts().iter().map(edit).collect(),
            looks: looks::of(state),
            tree: self.shown.engine.tree(),
        };
        persist::save_tab(&json::of(&tab).to_string());
    }

    /// What this tab has kept at this address, if it was loaded again.
    pub(super) fn resume(&mut self, address: &str) -> Option<Vec<Fact>> {
        let tab: Tab = json::read(persist::saved_tab()?.as_bytes()).ok()?;
        (tab.address == address).then(|| self.bring_back(tab)).flatten()
    }

    fn bring_back(&mut self, tab: Tab) -> Option<Vec<Fact>> {
        let first = &tab.tree.branches.first()?.journal;
        let script = tab.example.as_deref().and_then(super::open::scenario_of_example);
        let scripted = script.and_then(|scenario| with_script(&scenario, first, tab.script_on));
        let mut narration = None;
        let (engine, player, scenario) = match scripted {
            Some((mut engine, mut player, scenario)) => {
                let mut told = Narration::of(&scenario, tab.example.as_deref(), &tab.about);
                told.take(&mut player, 1);
                engine.grow(&tab.tree).ok()?;
                narration = Some(told);
                let player = tab.script_on.map(|on| (player, on)).filter(|(player, _)| !player.done());
                (engine, player, scenario)
            }
            None => {
                let scenario = Scenario { title: tab.title.clone(), ..super::open::scenario_of(first) };
                (Engine::of_tree(&tab.tree).ok()?, None, scenario)
            }
        };
        let narration = narration.unwrap_or_else(|| Narration::of(&scenario, None, &tab.about));
        let preset = super::open::preset_of(&scenario);
        let mut shown = Shown::new(engine, player, scenario, narration);
        shown.by_hand = tab.by_hand;
        shown.hidden = tab.hidden;
        shown.stand_ins = tab.stand_ins;
        self.replace_by(shown);
        let drafts = tab.edits.into_iter().map(draft).collect();
        let mut facts = self.opened(drafts, preset);
        facts.extend(self.story());
        facts.push(Fact::Looks(Box::new(tab.looks)));
        Some(facts)
    }
}

/// An example's run with its script, as far as a journal tells it: what the script does not do was done by hand.
fn with_script(
    scenario: &Scenario,
    journal: &Journal,
    on: Option<u32>,
) -> Option<(Engine, Player, Scenario)> {
    // A script that goes on on another branch cannot be told from a journal.
    if on.is_some_and(|on| on != 1) {
        return None;
    }
    let (mut engine, mut player) = Player::start(scenario.clone());
    for (at, entry) in journal.entries.iter().enumerate() {
        if engine.entries().len() <= at {
            player.advance_to(&mut engine, entry.at_ms);
        }
        if engine.entries().len() <= at {
            engine.apply(entry.input.clone());
        }
        let made = engine.entries().get(at)?;
        if made.input != entry.input || made.at_ms != entry.at_ms || made.digest != entry.digest {
            return None;
        }
    }
    player.advance_to(&mut engine, journal.end_ms);
    (engine.journal() == *journal).then(|| (engine, player, scenario.clone()))
}

fn edit(draft: &Draft) -> Edit {
    Edit {
        label: draft.label.to_string(),
        load: draft.load_with_options_file(),
        dirty: draft.dirty(),
        typed: draft.typed,
        kept: draft.kept.iter().map(|kept| ((*kept.files).clone(), (*kept.env).clone())).collect(),
    }
}

fn draft(edit: Edit) -> Draft {
    let kept = edit.kept.into_iter().map(|(files, env)| Kept { files: Ptr::new(files), env: Ptr::new(env) });
    Draft {
        label: edit.label.into(),
        revision: u32::from(edit.dirty),
        typed: edit.typed,
        kept: Ptr::new(kept.collect()),
        ..Draft::of(&edit.load)
    }
}
