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

/// How long a page that is loaded again may come back at the address before the one that was written last. *Units*: milliseconds.
const LEFT_MS: f64 = 2_000.0;

/// What a tab keeps.
#[derive(Serialize, Deserialize)]
struct Tab {
    /// The addresses that it was kept at: before and after the run was written there. Which of the two a browser
    /// loads again that is leaving the page is its own affair.
    addresses: [String; 2],
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
        let now = browser::address();
        let (left, at_ms) = &self.left;
        let is_fresh = browser::now_ms() - at_ms < LEFT_MS;
        let before = if is_fresh { left.clone() } else { now.clone() };
        let tab = self.tab(state, [before, now]);
        persist::save_tab(&json::of(&tab).to_string());
    }

    fn tab(&mut self, state: &State, addresses: [String; 2]) -> Tab {
        let narration = &self.shown.narration;
        Tab {
            addresses,
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
        }
    }

    /// What this tab has kept at this address, if it was loaded again.
    pub(super) fn resume(&mut self, address: &str) -> Option<Vec<Fact>> {
        let tab: Tab = json::read(persist::saved_tab()?.as_bytes()).ok()?;
        tab.addresses.iter().any(|kept| kept == address).then(|| self.bring_back(tab)).flatten()
    }

    fn bring_back(&mut self, tab: Tab) -> Option<Vec<Fact>> {
        let first = &tab.tree.branches.first()?.journal;
        let engine = Engine::of_tree(&tab.tree).ok()?;
        let example = tab.example.as_deref().and_then(super::open::scenario_of_example);
        let on = tab.script_on.unwrap_or(1);
        let played = example.and_then(|scenario| with_script(scenario, &tab.tree.whole(on)?));
        let (player, scenario, narration) = match played {
            Some(mut player) => {
                let scenario = player.scenario().clone();
                let mut narration = Narration::of(&scenario, tab.example.as_deref(), &tab.about);
                narration.take(&mut player, on);
                let player = Some((player, on)).filter(|(player, _)| !player.done());
                (player, scenario, narration)
            }
            None => {
                let scenario = Scenario { title: tab.title, ..super::open::scenario_of(first) };
                let narration = Narration::of(&scenario, None, &tab.about);
                (None, scenario, narration)
            }
        };
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

/// A script as far as a journal tells that it was played: what it does not do was done by hand.
fn with_script(scenario: Scenario, journal: &Journal) -> Option<Player> {
    let (mut engine, mut player) = Player::start(scenario);
    for (at, entry) in journal.entries.iter().enumerate() {
        if engine.entries().len() <= at {
            player.advance_to(&mut engine, entry.at_ms);
        }
        if engine.entries().len() <= at {
            engine.apply(entry.input.clone());
        }
        let made = engine.entries().get(at)?;
        if *made.input != entry.input || made.at_ms != entry.at_ms || made.digest != entry.digest {
            return None;
        }
    }
    player.advance_to(&mut engine, journal.end_ms);
    (engine.journal() == *journal).then_some(player)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::action::Action;
    use crate::store::reduce;
    use crate::store::selectors::tree;
    use crate::store::state::Tab as Shows;
    use planarium_protocol::Input;
    use planarium_protocol::input::AddAgent;

    fn take(state: &mut State, facts: Vec<Fact>) {
        for fact in facts {
            reduce::fact(state, fact);
        }
    }

    fn send(session: &mut Session, state: &mut State, action: &Action) {
        reduce::action(state, action);
        let facts = session.run(state, action);
        take(state, facts);
    }

    #[test]
    fn a_tab_that_is_loaded_again_has_its_branches_edits_script_and_looks() {
        let add = || Action::Do(Box::new(Input::AddAgent(AddAgent::default())));
        let past = vec![Action::SeekMs(20_000), Action::SeekMs(3000), add(), Action::SeekMs(5000)];
        let undone = vec![Action::SeekMs(3000), add(), Action::Undo, Action::SeekMs(9000)];
        for (deeds, branches) in
            [(vec![Action::SeekMs(7000)], 1), (vec![Action::SeekMs(7000), add()], 1), (past, 2), (undone, 1)]
        {
            let (mut session, mut state) = Session::new();
            let facts = session.start("", None);
            take(&mut state, facts);
            for action in &deeds {
                send(&mut session, &mut state, action);
            }
            let text = format!("{}# mine\n", state.draft.text());
            let file = state.draft.file.clone();
            send(&mut session, &mut state, &Action::Edit(file, text.clone()));
            send(&mut session, &mut state, &Action::ShowTab(Shows::Log));
            let kept = json::of(&session.tab(&state, [String::new(), String::new()])).to_string();

            let (mut again, mut there) = Session::new();
            let tab = json::read(kept.as_bytes()).expect("it can be read");
            let facts = again.bring_back(tab).expect("it comes back");
            take(&mut there, facts);
            assert_eq!(there.world.view.clock.digest, state.world.view.clock.digest, "{deeds:?}");
            assert_eq!(there.world.clock, state.world.clock, "{deeds:?}");
            assert_eq!(
                (there.world.branches.len(), state.world.branches.len()),
                (branches, branches),
                "{deeds:?}"
            );
            assert_eq!((there.draft.text(), there.draft.dirty()), (text.as_str(), true));
            assert_eq!(looks::of(&there), looks::of(&state));
            assert_eq!(tree::first_plan(&there.world.view), tree::first_plan(&state.world.view));
            assert_eq!(there.story.title, state.story.title);
            assert_eq!(
                (there.story.lines.len(), there.story.said.len()),
                (state.story.lines.len(), state.story.said.len()),
                "{deeds:?}"
            );
        }
    }
}
