//! Replaces the world shown: edited definition, other seed, other machines, start over.

use super::lesson;
use super::story::Narration;
use super::{Host, Shown, own_definition};
use planarium_messages::draft::Draft;
use planarium_messages::facts::Fact;
use planarium_messages::facts::ToastUndo;
use planarium_protocol::Input;
use planarium_protocol::input::LoadService;
use planarium_scenario::{NoteKind, Player, Scenario};
use planarium_world::presets;

/// Message for a definition that cannot be used.
const BROKEN: &str =
    "The definition has errors; the last valid version stays. See the list under the editor.";

impl Host {
    /// Shows another world; the previous one can be restored if `words` describe the change.
    pub(crate) fn show(
        &mut self,
        mut scenario: Scenario,
        narration: Narration,
        words: Option<&str>,
    ) -> Result<(), String> {
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
        let shown = Shown::new(engine, player, scenario, narration);
        match words {
            Some(words) => self.leave_for(shown, words),
            None => self.replace_by(shown),
        }
        Ok(())
    }

    /// Rebuilds the world from a changed scenario.
    pub(crate) fn rebuild(&mut self, scenario: Scenario, text: &str) -> Vec<Fact> {
        let told = &self.shown.narration;
        let narration = Narration::of(&scenario, told.example(), told.about());
        self.rebuild_with(scenario, narration, text)
    }

    /// Builds a world of the user's own definition, without anything of the example.
    fn rebuild_own(&mut self, scenario: Scenario) -> Vec<Fact> {
        let narration = Narration::of(&scenario, None, "");
        self.rebuild_with(scenario, narration, "A new world with the edited definition.")
    }

    fn rebuild_with(&mut self, scenario: Scenario, narration: Narration, text: &str) -> Vec<Fact> {
        if !self.touched && scenario == self.shown.scenario {
            // Same world as shown, for instance on the second of two clicks: the previous world stays the way back.
            return vec![Fact::Rebuilt(scenario.services)];
        }
        let touched = self.touched;
        // Before anything has run, an edit takes effect immediately, and there is no other world to restore.
        let words = (touched || self.keeps(&scenario)).then(|| text.trim_end_matches('.'));
        let told = words.is_some();
        match self.show(scenario, narration, words) {
            Ok(()) => {
                let mut facts = vec![self.moved(), Fact::Story(self.shown.narration.told())];
                self.shown.narration.tell_again();
                facts.push(Fact::Rebuilt(self.shown.scenario.services.clone()));
                if told {
                    facts.push(Fact::Told(text.to_owned().into(), Some(ToastUndo::Last)));
                }
                facts
            }
            Err(reason) => vec![Fact::Refused(reason.into())],
        }
    }

    /// Returns whether this scenario differs from the world shown in more than texts.
    fn keeps(&self, scenario: &Scenario) -> bool {
        let now = &self.shown.scenario;
        scenario.services.len() != now.services.len()
            || scenario.genesis != now.genesis
            || scenario.cluster != now.cluster
    }

    /// Builds a new world with the edited definition.
    pub(crate) fn apply(&mut self) -> Vec<Fact> {
        let mut facts = self.check_now();
        let broken = facts.iter().any(|fact| matches!(fact, Fact::Checked(checked) if checked.errors() > 0));
        if broken {
            facts.push(Fact::Refused(BROKEN.into()));
            return facts;
        }
        let elsewhere = self
            .editor
            .drafts
            .iter()
            .enumerate()
            .filter(|(at, draft)| *at != self.editor.at && draft.dirty());
        for (_, draft) in elsewhere {
            if planarium_world::check(&draft.load().0).has_errors() {
                let text =
                    format!("The definition of {} has errors: choose it above the editor.", draft.label);
                facts.push(Fact::Refused(text.into()));
                return facts;
            }
        }
        facts.extend(self.apply_quietly());
        facts
    }

    /// Updates the running service to the edited definition at the moment shown, as an operator would.
    pub(crate) fn roll_out(&mut self) -> Vec<Fact> {
        let mut facts = self.check_now();
        let Some((dialect, name)) = facts.iter().find_map(|fact| match fact {
            Fact::Checked(checked) if checked.errors() == 0 => {
                Some((checked.dialect.clone(), checked.name.to_string()))
            }
            _ => None,
        }) else {
            facts.push(Fact::Refused(BROKEN.into()));
            return facts;
        };
        let load = self.editor.draft.load().0;
        let runs = self.shown.engine.definition(&dialect, &name).is_some();
        let input = if runs { Input::UpdateService(load) } else { Input::LoadService(load) };
        let inputs = self.shown.engine.inputs();
        let (more, _) = self.try_input(&input);
        let refused = more.iter().any(|fact| matches!(fact, Fact::Refused(_)));
        facts.extend(more);
        if !refused && self.shown.engine.inputs() != inputs {
            let what = if runs { "updated" } else { "installed" };
            let text = format!("{name} is {what}; its plan shows what changes.");
            facts.push(Fact::RolledOut);
            facts.push(Fact::Told(text.into(), Some(ToastUndo::Last)));
        }
        facts
    }

    /// Builds a new world without one of the services.
    pub(crate) fn drop_service(&mut self, at: usize) -> Vec<Fact> {
        let mut drafts = self.editor.all();
        if at >= drafts.len() || drafts.len() < 2 {
            return Vec::new();
        }
        let gone = drafts.remove(at);
        let mut scenario = self.shown.scenario.clone();
        scenario.services = loads(&drafts);
        self.shown.narration.edited();
        let text = format!("A new world without {}.", gone.label);
        let mut facts = vec![Fact::Drafts(drafts)];
        facts.extend(self.rebuild(scenario, &text));
        facts
    }

    /// Like [`Host::apply`], for a definition known to be valid.
    pub(crate) fn apply_quietly(&mut self) -> Vec<Fact> {
        let mut scenario = self.shown.scenario.clone();
        self.save_before(&planarium_world::Written::of(Input::LoadService(self.editor.draft.load().0)));
        scenario.services = loads(&self.editor.all());
        if own_definition::is_own(&self.shown.scenario.services, &scenario.services) {
            return self.rebuild_own(own_definition::of(scenario));
        }
        if self.editor.dirty() {
            self.shown.narration.edited();
        }
        self.rebuild(scenario, "A new world with the edited definition.")
    }

    pub(crate) fn reset(&mut self) -> Vec<Fact> {
        if let Some(facts) = lesson::restart_lesson(self) {
            return facts;
        }
        self.rebuild(self.shown.scenario.clone(), "Started over.")
    }

    pub(crate) fn set_seed(&mut self, seed: u64) -> Vec<Fact> {
        let mut scenario = self.shown.scenario.clone();
        if scenario.genesis.seed == seed {
            return Vec::new();
        }
        scenario.genesis.seed = seed;
        self.rebuild(scenario, &format!("Started over with seed {seed}."))
    }

    pub(crate) fn set_preset(&mut self, name: &str) -> Vec<Fact> {
        let Some(cluster) = presets::cluster(name) else { return Vec::new() };
        let mut scenario = self.shown.scenario.clone();
        scenario.cluster = cluster;
        let mut facts = self.rebuild(scenario, "Started over on other machines.");
        facts.push(Fact::Preset(Some(name.to_owned().into())));
        facts
    }
}

/// Returns the services of these definitions; skips definitions without text.
pub(crate) fn loads(drafts: &[Draft]) -> Vec<LoadService> {
    drafts.iter().filter(|draft| !draft.files.is_empty()).map(|draft| draft.load().0).collect()
}
