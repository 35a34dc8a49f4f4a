//! State of a browser tab that survives a reload: all branches, edits, the script, undo, the page's view state.
//!
//! *Knows*: the contents of a tab's state, and how to restore it, also for a world that was left. *Must not know*: where it is stored.

use super::lesson;
use super::names::Names;
use super::story::Narration;
use super::undo::{self, Trail};
use super::wants::Wanted;
use super::{Host, Shown};
use planarium_messages::draft::{Draft, Kept};
use planarium_messages::facts::{Fact, Keep};
use planarium_messages::ptr::Ptr;
use planarium_messages::questions::Resume;
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_scenario::{Player, Scenario};
use planarium_world::{Engine, Journal, Tree};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Saved state of a tab.
#[derive(Serialize, Deserialize)]
struct Tab {
    /// The gallery's example, unless it was edited.
    example: Option<String>,
    title: String,
    about: String,
    /// All branches.
    tree: Tree,
    hidden: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    undone: Vec<u32>,
    stand_ins: Vec<u32>,
    by_hand: bool,
    /// Moments at which the run left the script: branch, instant, event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<(u32, u64, u64)>,
    /// The branch that the script plays on.
    script_on: Option<u32>,
    edits: Vec<Edit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lesson: Option<super::lesson::Kept>,
    /// Undoable and redoable operations; `None` for a world that was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trail: Option<Trail>,
}

/// A world that was left, and that undo or redo shows again.
///
/// *Cost*: the state of a living world is written once, when its tab is stored first; a stored world is replayed when it is
/// shown again.
#[derive(Serialize, Deserialize)]
pub(crate) struct Left {
    /// The address when it was left.
    address: String,
    /// Its state as JSON; empty until the tab is stored.
    state: String,
    /// `None` after a reload.
    #[serde(skip)]
    shown: Option<Box<Shown>>,
}

impl Left {
    /// A world that is left now.
    pub(crate) fn of(shown: Shown) -> Self {
        Self { address: shown.address.clone(), state: String::new(), shown: Some(Box::new(shown)) }
    }

    /// The address when it was left.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns whether anything was ever done in it.
    pub(crate) fn has_entries(&self) -> bool {
        self.shown.as_ref().is_none_or(|shown| !shown.engine.entries().is_empty())
    }

    /// Returns the world, unless it waits for [`Left::restore`].
    pub(crate) fn shown(&self) -> Option<&Shown> {
        self.shown.as_deref()
    }

    /// Returns it as it is stored.
    pub(crate) fn stored(&mut self) -> Self {
        if let Some(shown) = self.shown.as_mut().filter(|_| self.state.is_empty()) {
            let drafts = shown.drafts.clone();
            self.state = json::of(&tab_of(shown, &drafts)).to_string();
        }
        Self { address: self.address.clone(), state: self.state.clone(), shown: None }
    }

    /// Size of its stored state. *Units*: bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.state.len()
    }

    /// Returns its state if it has to be replayed to be shown.
    pub(crate) fn state(&self) -> Option<&str> {
        self.shown.is_none().then_some(&*self.state)
    }

    /// Replays a stored world.
    pub(crate) fn restore(&mut self, host: &mut Host) {
        if self.shown.is_some() {
            return;
        }
        let Ok(tab) = json::read::<Tab>(self.state.as_bytes()) else { return };
        self.shown = world_of(host, &tab).map(|mut shown| {
            shown.drafts = tab.edits.into_iter().map(draft).collect();
            shown.address.clone_from(&self.address);
            Box::new(shown)
        });
    }

    /// Returns the world; `None` if it cannot be replayed.
    pub(crate) fn into_shown(mut self, host: &mut Host) -> Option<Shown> {
        self.restore(host);
        self.shown.map(|shown| *shown)
    }
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

impl Host {
    /// Stores everything for a reload of the page, with the editor state after these facts.
    pub(crate) fn keep(&mut self, facts: &[Fact]) {
        if self.broken || self.shown.engine.entries().is_empty() {
            return;
        }
        let engine = &self.shown.engine;
        self.kept = Some((self.seen.generation, engine.place().branch, engine.inputs()));
        let tab = self.tab(facts);
        (self.keeper)(Keep::Tab(json::of(&tab).to_string()));
    }

    fn tab(&mut self, facts: &[Fact]) -> Tab {
        let drafts = facts.iter().fold(self.editor.all(), |mut drafts, fact| match fact {
            Fact::Opened { drafts, .. } | Fact::Drafts(drafts) => drafts.clone(),
            Fact::Beside(draft) => {
                drafts.push((**draft).clone());
                drafts
            }
            _ => drafts,
        });
        let trail = Some(self.trail.stored());
        Tab { trail, ..tab_of(&mut self.shown, &drafts) }
    }

    /// Restores a tab's state, at the moment last shown if that is known.
    pub(crate) fn bring_back(
        &mut self,
        tab: &str,
        looks: Value,
        at: Option<(u64, u64)>,
    ) -> Option<Vec<Fact>> {
        let mut tab: Tab = json::read(tab.as_bytes()).ok()?;
        self.show_again(&mut tab)?;
        if let Some(at) = at {
            self.go_back_to(at.0, at.1);
        }
        let drafts = tab.edits.into_iter().map(draft).collect();
        let preset = super::open::preset_of(&self.shown.scenario);
        let mut facts = self.opened(drafts, preset);
        facts.extend(self.story());
        facts.push(Fact::Looks(Box::new(looks)));
        Some(facts)
    }

    /// Takes over from a host that ended, at the last moment that it showed. The page still has its editor. It drops what only
    /// that host knew: the compared run, ways out.
    pub(crate) fn resume(&mut self, resume: Resume) -> Vec<Fact> {
        self.names = Names(resume.names);
        self.wishes = resume.wishes;
        let shown = json::read::<Tab>(resume.tab.as_bytes()).ok().and_then(|mut tab| {
            // State that belongs to the world shown, such as messages at one moment, stays valid.
            self.seen.generation = resume.lineage.0.wrapping_sub(1);
            self.show_again(&mut tab)
        });
        if shown.is_none() {
            let text = "The run could not be brought back; its journal is still kept.";
            let mut facts = self.first_world(&resume.hash, None);
            facts.push(Fact::Refused(text.into()));
            return facts;
        }
        self.go_back_to(resume.at.0, resume.at.1);
        self.written = resume.hash;
        self.shown.narration.tell_again();
        vec![
            self.moved(),
            Fact::Preset(super::open::preset_of(&self.shown.scenario)),
            undo::all_ways(self),
            Fact::Compared(None),
            Fact::Help(Ptr::default()),
        ]
    }

    /// Goes to a moment of the branch shown, also one beyond the stored run.
    fn go_back_to(&mut self, at_ms: u64, seq: u64) {
        let engine = &mut self.shown.engine;
        let head_ms = engine.head_ms();
        engine.seek_ms(at_ms.min(head_ms));
        if at_ms > head_ms {
            self.seen.branch = engine.place().branch;
            self.move_to(at_ms);
        }
        let engine = &mut self.shown.engine;
        if engine.seq() != seq {
            engine.seek_seq(seq);
        }
    }

    /// Replaces the world shown, and what can be undone, with those of a tab's state. `None` if the world cannot be replayed.
    fn show_again(&mut self, tab: &mut Tab) -> Option<()> {
        let shown = world_of(self, tab)?;
        self.replace_by(shown);
        self.trail = tab.trail.take().unwrap_or_default();
        Some(())
    }
}

/// Adds what a tab's state needs. Returns whether it can be read.
pub(crate) fn add_needs(state: &str, needs: &mut Wanted<'_>) -> bool {
    let Ok(tab) = json::read::<Tab>(state.as_bytes()) else { return false };
    for branch in &tab.tree.branches {
        needs.journal(&branch.journal);
    }
    if let Some(id) = &tab.example {
        needs.example(id);
    }
    if let Some(named) = tab.lesson.as_ref().and_then(lesson::lesson_kept) {
        needs.named(&named);
    }
    tab.edits.iter().for_each(|edit| needs.code.definition(&edit.load));
    true
}

/// Replays the world of a tab's state.
fn world_of(host: &mut Host, tab: &Tab) -> Option<Shown> {
    let first = &tab.tree.branches.first()?.journal;
    let engine = Engine::of_tree(&tab.tree).ok()?;
    let scenario_of = |id: &str| super::open::scenario_of_example(&host.library, id);
    let example = tab.example.as_deref().and_then(scenario_of);
    let on = tab.script_on.unwrap_or(1);
    let played = example.and_then(|scenario| {
        let whole = tab.tree.whole(on)?;
        // The seed and the machines may have been changed.
        let scenario = Scenario { genesis: first.genesis, ..scenario };
        let machines = super::open::scenario_of(first).cluster;
        with_script(scenario.clone(), &whole)
            .or_else(|| with_script(Scenario { cluster: machines, ..scenario }, &whole))
    });
    let teaching = tab.lesson.clone().and_then(|kept| lesson::kept_teaching(host, kept));
    let (player, scenario, narration) = match (played, &teaching) {
        (Some(mut player), _) => {
            let scenario = player.scenario().clone();
            let mut narration = Narration::of(&scenario, tab.example.as_deref(), &tab.about);
            narration.take(&mut player, on);
            let player = Some((player, on)).filter(|(player, _)| !player.done());
            (player, scenario, narration)
        }
        // The try replays the script as far as the branch has come.
        (None, Some(teaching)) => (None, teaching.scenario().clone(), teaching.narration()),
        (None, None) => {
            let scenario = Scenario { title: tab.title.clone(), ..super::open::scenario_of(first) };
            let narration = Narration::of(&scenario, None, &tab.about);
            (None, scenario, narration)
        }
    };
    let mut shown = Shown::new(engine, player, scenario, narration);
    shown.by_hand = tab.by_hand;
    shown.narration.leave_again(&tab.left);
    shown.hidden.clone_from(&tab.hidden);
    shown.undone.clone_from(&tab.undone);
    shown.stand_ins.clone_from(&tab.stand_ins);
    shown.lesson = teaching.map(Box::new);
    Some(shown)
}

/// Returns the state of a world with these definitions in its editor.
fn tab_of(shown: &mut Shown, drafts: &[Draft]) -> Tab {
    let narration = &shown.narration;
    Tab {
        example: narration.example().map(str::to_owned),
        title: narration.title().to_owned(),
        about: narration.about().to_owned(),
        hidden: shown.hidden.clone(),
        undone: shown.undone.clone(),
        stand_ins: shown.stand_ins.clone(),
        by_hand: shown.by_hand,
        left: narration.left(),
        script_on: shown.player.as_ref().map(|(_, on)| *on),
        edits: drafts.iter().map(edit).collect(),
        lesson: shown.lesson.as_deref().map(lesson::kept_lesson),
        tree: shown.engine.tree(),
        trail: None,
    }
}

/// Returns the script as far as the journal shows that it was played; inputs outside the script were done by hand.
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
    // The script's entries of this instant were not played, or the journal would contain them.
    if engine.now_ms() < journal.end_ms {
        player.advance_to(&mut engine, journal.end_ms);
    }
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
