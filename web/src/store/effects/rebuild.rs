//! A new world in place of the one shown: edited definition, other seed, other machines, start over.

use super::{Session, Shown};
use crate::store::action::Fact;
use crate::store::state::{State, ToastUndo};
use planarium_protocol::input::LoadService;
use planarium_scenario::{NoteKind, Player, Scenario};
use planarium_world::presets;

impl Session {
    /// Shows another world; the one before can be brought back.
    pub(super) fn show(&mut self, mut scenario: Scenario, tale: super::Tale) -> Result<(), String> {
        if scenario.cluster.is_empty() {
            scenario.cluster = presets::cluster("default").unwrap_or_default();
        }
        let (engine, mut player) = Player::start(scenario.clone());
        for note in player.take_notes() {
            if let NoteKind::Did(input, applied) = note.kind
                && let Err(refusal) = applied.outcome
            {
                return Err(format!("{}: {}", input.kind(), refusal.message));
            }
        }
        let branch = engine.branches().iter().find(|branch| branch.current).map_or(0, |branch| branch.id);
        let player = (!player.done()).then_some((player, branch));
        let before =
            std::mem::replace(&mut self.shown, Shown { engine, player, scenario, tale, by_hand: false });
        self.previous = Some(Box::new(before));
        self.another_world();
        Ok(())
    }

    /// Builds the world anew from a changed scenario.
    fn rebuild(&mut self, state: &State, scenario: Scenario, text: &str) -> Vec<Fact> {
        let about = state.story.about.to_string();
        let tale = super::Tale::of(&scenario, state.story.example.as_deref(), &about);
        let touched = state.world.touched;
        match self.show(scenario, tale) {
            Ok(()) => {
                let mut facts = vec![self.moved(), Fact::Story(self.shown.tale.told())];
                facts.push(Fact::Rebuilt(state.draft.revision));
                if touched {
                    facts.push(Fact::Told(text.to_owned().into(), Some(ToastUndo::World)));
                }
                facts
            }
            Err(reason) => vec![Fact::Refused(reason.into())],
        }
    }

    /// A new world with the edited definition.
    pub(super) fn apply(&mut self, state: &State) -> Vec<Fact> {
        let mut facts = self.check_now(state);
        let broken = facts.iter().any(|fact| matches!(fact, Fact::Checked(checked) if checked.errors() > 0));
        if broken {
            let text =
                "The definition has errors; the last valid version stays. See the list under the editor.";
            facts.push(Fact::Refused(text.into()));
            return facts;
        }
        facts.extend(self.apply_quietly(state));
        facts
    }

    /// As [`Session::apply`], for a definition known to be good.
    pub(super) fn apply_quietly(&mut self, state: &State) -> Vec<Fact> {
        let mut scenario = self.shown.scenario.clone();
        let load = state.draft.load().0;
        self.save_before(&planarium_protocol::Input::LoadService(load.clone()));
        put_service(&mut scenario, load);
        if state.draft.dirty() {
            self.shown.tale.edited();
        }
        self.rebuild(state, scenario, "A new world with the edited definition.")
    }

    pub(super) fn reset(&mut self, state: &State) -> Vec<Fact> {
        let scenario = self.shown.scenario.clone();
        let dirty = state.draft.dirty();
        let mut facts = self.rebuild(state, scenario, "Started over.");
        if dirty {
            // What is in the editor is still not what runs.
            facts.retain(|fact| !matches!(fact, Fact::Rebuilt(_)));
        }
        facts
    }

    pub(super) fn set_seed(&mut self, state: &State, seed: u64) -> Vec<Fact> {
        let mut scenario = self.shown.scenario.clone();
        if scenario.genesis.seed == seed {
            return Vec::new();
        }
        scenario.genesis.seed = seed;
        self.rebuild(state, scenario, &format!("Started over with seed {seed}."))
    }

    pub(super) fn set_preset(&mut self, state: &State, name: &str) -> Vec<Fact> {
        let Some(cluster) = presets::cluster(name) else { return Vec::new() };
        let mut scenario = self.shown.scenario.clone();
        scenario.cluster = cluster;
        let mut facts = self.rebuild(state, scenario, "Started over on other machines.");
        facts.push(Fact::Preset(name.to_owned().into()));
        facts
    }

    pub(super) fn undo_world(&mut self) -> Vec<Fact> {
        let Some(before) = self.previous.take() else { return Vec::new() };
        let left = std::mem::replace(&mut self.shown, *before);
        self.previous = Some(Box::new(left));
        self.another_world();
        vec![self.moved(), Fact::Story(self.shown.tale.told())]
    }
}

/// Puts a definition in the place of the first one.
fn put_service(scenario: &mut Scenario, load: LoadService) {
    match scenario.services.first_mut() {
        Some(first) => *first = load,
        None => scenario.services.push(load),
    }
}
