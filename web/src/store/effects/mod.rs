//! The only place that talks to the engine: turns actions into engine calls and reports facts.
//!
//! *Knows*: the engine's handle, scenarios, share links, the gallery. *Must not know*: how anything is drawn.

mod address;
mod check;
mod compare;
mod console;
mod help;
mod inputs;
mod keep;
mod open;
mod own;
mod rebuild;
mod saved;
mod snapshot;
mod story;
mod suggest;
mod taken;
mod travel;
mod undo;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_long;
#[cfg(test)]
mod tests_moment;

use super::action::{Action, Fact, Format};
use super::console::ConsoleAct;
use super::draft::Draft;
use super::events::EventLog;
use super::persist;
use super::ptr::Ptr;
use super::selectors::export;
use super::state::{ExampleCard, PresetCard, State, ToastUndo};
use crate::browser;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Input, json};
use planarium_scenario::{Player, Scenario};
use planarium_world::{Engine, Genesis};
use snapshot::Seen;
use std::sync::Arc;
use story::Narration;

/// A world with everything that belongs to it.
struct Shown {
    engine: Engine,
    /// The script, until a fork or its end; plays on the branch of this id only.
    player: Option<(Player, u32)>,
    /// How to build this world anew.
    scenario: Scenario,
    narration: Narration,
    /// Somebody did something by hand, so the script alone no longer leads here.
    by_hand: bool,
    /// What the editor held when this world was left.
    drafts: Vec<Draft>,
    /// The address that it was left at.
    address: String,
    /// Branches that others stand in for, so that they have no tab.
    hidden: Vec<u32>,
    /// Branches that stand in for others since something was undone.
    stand_ins: Vec<u32>,
}

impl Shown {
    fn new(engine: Engine, player: Option<(Player, u32)>, scenario: Scenario, narration: Narration) -> Self {
        Self {
            engine,
            player,
            scenario,
            narration,
            by_hand: false,
            drafts: Vec::new(),
            address: String::new(),
            hidden: Vec::new(),
            stand_ins: Vec::new(),
        }
    }
}

/// The engine side of the page.
pub(crate) struct Session {
    shown: Shown,
    /// What can be undone and redone.
    trail: undo::Trail,
    /// A second run on the same clock.
    beside: Option<compare::Beside>,
    seen: Seen,
    /// The world has moved on, and the page does not show it yet.
    unseen: bool,
    /// What `why` was last asked about.
    asked: Option<(ElementPath, (u32, u32), u64, u64)>,
    /// Trials of what gets stuck elements moving.
    helping: help::Helping,
    /// The run as it was before the last input.
    saved: saved::Saved,
    /// The address bar as last written.
    written: String,
    /// The address that was written over last, and when. A page that is loaded again at that moment may still come back there.
    left: (String, f64),
}

impl Session {
    /// A session over an empty world, with the gallery's cards and the presets.
    pub(crate) fn new() -> (Self, State) {
        let scenario = Scenario::of_definition(
            planarium_protocol::input::LoadService::default(),
            Vec::new(),
            Genesis::default(),
        );
        let engine = Engine::new(Genesis::default());
        let shown = Shown::new(engine, None, scenario, Narration::default());
        let session = Self {
            shown,
            trail: undo::Trail::default(),
            beside: None,
            seen: Seen::default(),
            unseen: false,
            asked: None,
            helping: help::Helping::default(),
            saved: saved::Saved::default(),
            written: String::new(),
            left: (String::new(), 0.0),
        };
        let examples = planarium_gallery::examples().iter().map(|example| ExampleCard {
            id: example.id.into(),
            title: example.title.into(),
            dialect: example.dialect.into(),
            // Plain text on the card: the quotes of code words are left out.
            teaches: example.teaches.replace('`', "").into(),
            difficulty: example.difficulty.into(),
        });
        let presets = planarium_world::presets::PRESETS
            .iter()
            .map(|preset| PresetCard { name: preset.name.into(), text: preset.title.into() });
        let state = State {
            examples: Ptr::new(examples.collect()),
            presets: Ptr::new(presets.collect()),
            prefs: persist::load_prefs(),
            ..State::default()
        };
        (session, state)
    }

    /// What to show first: the link in the address bar, or the first example.
    pub(crate) fn start(&mut self, hash: &str, example: Option<&str>) -> Vec<Fact> {
        if let Some(facts) = self.resume(&browser::address()) {
            hash.clone_into(&mut self.written);
            return facts;
        }
        let mut facts = self.first_world(hash, example);
        if persist::saved_draft().is_some() {
            let text = "Edits of an earlier visit or another tab that were never applied are kept.";
            facts.push(Fact::Told(text.into(), Some(ToastUndo::Draft)));
        }
        facts
    }

    fn first_world(&mut self, hash: &str, example: Option<&str>) -> Vec<Fact> {
        if hash.len() > 1 {
            let resumed = example.and_then(|id| self.resume_example(id, hash));
            return resumed.unwrap_or_else(|| self.open_hash(hash));
        }
        let first = planarium_gallery::examples().first().map(|example| example.id);
        let unknown = example.filter(|id| planarium_gallery::find(id).is_none());
        let mut facts = match example.filter(|_| unknown.is_none()).or(first) {
            Some(id) => self.open_example(id),
            None => Vec::new(),
        };
        if let Some(id) = unknown {
            let id: String = id.chars().take(60).collect();
            facts.push(Fact::Refused(
                format!("There is no example named {id}; this is the first one.").into(),
            ));
        }
        facts
    }

    /// Carries out an action; the reducer has already seen it.
    pub(crate) fn run(&mut self, state: &State, action: &Action) -> Vec<Fact> {
        let opens = matches!(action, Action::OpenExample(_) | Action::OpenFiles(_) | Action::OpenText(_))
            && !state.ui.beside;
        if opens {
            // Back leads to what is left here.
            self.write_address(state);
        }
        if replaces(action) {
            self.shown.drafts = state.all_drafts();
            self.shown.address.clone_from(&self.written);
        }
        let mut facts = match action {
            Action::Frame(_) => Vec::new(),
            Action::Ahead(_) => return self.play_ahead(state),
            // What is done is done where the world stands, and the page shows it there.
            _ => self.unseen(),
        };
        facts.extend(self.effects_of(state, action));
        if opens && facts.iter().any(|fact| matches!(fact, Fact::Opened { .. })) {
            self.push_address();
        }
        facts.extend(self.story());
        facts.extend(self.ways());
        facts
    }

    fn effects_of(&mut self, state: &State, action: &Action) -> Vec<Fact> {
        match action {
            Action::Frame(_) => self.play(state),
            Action::StepEvent(toward) => self.step_event(*toward),
            Action::StepStatus(toward) => self.step_status(*toward),
            Action::StepMark(toward) => self.step_mark(*toward, state),
            Action::SeekMs(ms) => self.seek_ms(*ms),
            Action::SeekSeq(seq) => self.seek_seq(*seq),
            Action::SeekTenth(tenth) => self.seek_ms(self.shown.engine.head_ms() * tenth.min(&10) / 10),
            Action::Compare(against) => self.compare(state, against.as_ref()),
            Action::Branch(id) => self.switch_branch(*id),
            Action::Do(input) => self.put_in(input),
            Action::Console(ConsoleAct::Run) => self.run_line(state),
            Action::Check => self.check(state),
            Action::Apply => self.apply(state),
            Action::RollOut => self.roll_out(state),
            Action::DropService(at) => self.drop_service(state, *at),
            Action::SeekMachines => self.seek_machines(),
            Action::TryHelp => self.try_help(state),
            Action::Reset => self.reset(state),
            Action::SetSeed(seed) => self.set_seed(state, *seed),
            Action::SetPreset(name) => self.set_preset(state, name),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::DropFile(path) => match &state.removed {
                Some((at, removed, text)) if removed == path => vec![self.removed(*at, path, text)],
                _ => Vec::new(),
            },
            Action::RestoreDraft => restored_draft(),
            Action::OpenExample(id) => returnable(state, self.open_example(id), false),
            Action::OpenFiles(files) if state.ui.beside => self.open_beside(state, files),
            Action::OpenText(text) if state.ui.beside => self.text_beside(state, text),
            Action::OpenFiles(files) => returnable(state, self.open_files(files), true),
            Action::OpenText(text) => returnable(state, self.open_text(text), true),
            Action::OpenHash(hash) => {
                if *hash == self.written || hash.len() < 2 {
                    Vec::new()
                } else {
                    self.open_hash(hash)
                }
            }
            Action::OpenDialog(super::state::Dialog::Share) => {
                vec![Fact::Link(Box::new(self.link(state)))]
            }
            Action::OpenPlace(example, hash) => self.open_place(state, example.as_deref(), hash),
            Action::WriteAddress | Action::Leave => {
                let before = browser::address();
                self.write_address(state);
                if browser::address() != before {
                    self.left = (before, browser::now_ms());
                }
                self.keep(state);
                Vec::new()
            }
            Action::SaveAs(format) => {
                self.save_as(state, *format);
                Vec::new()
            }
            Action::TogglePlay if state.play.playing => self.begin_play(),
            _ => Vec::new(),
        }
    }

    /// Why the selected element is not moving, when the answer may be another one than before.
    pub(crate) fn why(&mut self, state: &State) -> Option<Fact> {
        let Some(path) = state.ui.selected.as_ref().filter(|path| !path.plan.is_empty()) else {
            self.asked = None;
            return state.why.is_some().then_some(Fact::Why(None));
        };
        let engine = &self.shown.engine;
        let key = (path.clone(), state.world.log.lineage, engine.seq(), engine.inputs());
        if self.asked.as_ref() == Some(&key) && state.why.is_some() {
            return None;
        }
        self.asked = Some(key);
        Some(Fact::Why(engine.why(path).map(Ptr::new)))
    }

    /// The view of a service as it would be right after an input, which is not carried out.
    ///
    /// *Errors*: why the input would be refused.
    pub(crate) fn outcome_of(
        &self,
        input: &Input,
        path: &ElementPath,
    ) -> Result<Option<Arc<ServiceView>>, String> {
        let world = self.shown.engine.outcome_of(input).map_err(|refusal| refusal.message)?;
        Ok(world.service_views().into_iter().find(|service| service.holds(path)))
    }

    /// A file that was rendered for a task of a service; without a task, the template itself.
    pub(crate) fn rendered_file(&self, path: &ElementPath, task: &str, file: &str) -> Option<String> {
        match self.shown.engine.world().rendered_file(&path.service, task, file)? {
            Ok((_, body)) => body.as_str().map(str::to_owned),
            Err(refusal) => Some(refusal.message),
        }
    }

    fn save_as(&mut self, state: &State, format: Format) {
        let title =
            if state.story.title.is_empty() { "A run in Planarium" } else { state.story.title.as_str() };
        let world = &state.world;
        let (name, text) = match format {
            Format::Journal => {
                ("run.json", serde_json::to_string(&self.shown.engine.journal()).unwrap_or_default())
            }
            Format::Csv => ("events.csv", export::csv(&self.whole_log())),
            Format::Transcript => ("transcript.txt", export::transcript(title, &self.whole_log())),
            Format::Tree => ("plans.txt", tree_text(&world.view.services)),
            Format::Mermaid => ("timeline.mmd", export::mermaid(title, &world.gantt, world.clock.head_ms)),
        };
        browser::save_text(&format!("planarium-{name}"), &text);
    }

    /// All events up to the head.
    fn whole_log(&mut self) -> EventLog {
        let mut log = EventLog::default();
        self.shown.engine.recall_each(0, u64::MAX, &mut |event| log.extend([event.clone()]));
        log
    }

    fn switch_branch(&mut self, id: u32) -> Vec<Fact> {
        if self.shown.engine.switch_branch(id) {
            vec![self.moved()]
        } else {
            vec![Fact::Refused("That branch is gone.".into())]
        }
    }

    /// Back or forward in the browser: to the world that was left there, or to what its address says.
    fn open_place(&mut self, state: &State, example: Option<&str>, hash: &str) -> Vec<Fact> {
        if hash == self.written {
            return Vec::new();
        }
        let mut facts = match self.world_at(hash) {
            Some(true) => self.undo_world(),
            Some(false) => self.redo_world(),
            None => returnable(state, self.first_world(hash, example), false),
        };
        // The browser has moved already, so there is nothing to bring back with a message.
        facts.retain(|fact| !matches!(fact, Fact::Told(_, Some(ToastUndo::Undone))));
        hash.clone_into(&mut self.written);
        facts
    }
}

/// Edits that were never applied, from the last visit.
fn restored_draft() -> Vec<Fact> {
    let text = persist::saved_draft().unwrap_or_default();
    // Earlier versions kept one definition only, and no name with it.
    let kept = json::read::<Vec<(String, LoadService)>>(text.as_bytes())
        .or_else(|_| json::read(text.as_bytes()).map(|load| vec![(String::new(), load)]));
    match kept {
        Ok(kept) => {
            persist::took_draft(&text);
            vec![drafted(kept)]
        }
        Err(_) => vec![Fact::Refused("The kept edits cannot be read any more.".into())],
    }
}

/// Kept definitions with the names of their services.
fn drafted(kept: Vec<(String, LoadService)>) -> Fact {
    let named = |(label, load): (String, LoadService)| Draft { label: label.into(), ..Draft::of(&load) };
    Fact::Drafted(kept.into_iter().map(named).collect())
}

/// What was left for something that was opened can be gone back to. That is said where something was done, and for files
/// and texts of one's own, which may have been let go by mistake.
fn returnable(state: &State, mut facts: Vec<Fact>, own: bool) -> Vec<Fact> {
    let opened = facts.iter().any(|fact| matches!(fact, Fact::Opened { .. }));
    if opened && (own || state.world.touched || state.dirty()) {
        facts.push(Fact::Told("Opened; what was here before is kept.".into(), Some(ToastUndo::Last)));
    }
    facts
}

/// Whether an action may show another world in place of this one.
fn replaces(action: &Action) -> bool {
    matches!(
        action,
        Action::Check
            | Action::Apply
            | Action::Reset
            | Action::SetSeed(_)
            | Action::SetPreset(_)
            | Action::Undo
            | Action::Redo
            | Action::OpenExample(_)
            | Action::OpenFiles(_)
            | Action::OpenText(_)
            | Action::OpenHash(_)
            | Action::OpenPlace(..)
            | Action::DropService(_)
    )
}

/// The plans of services as aligned text.
pub(crate) fn tree_text(services: &[std::sync::Arc<planarium_protocol::view::ServiceView>]) -> String {
    let plans = services.iter().flat_map(|service| &service.plans);
    plans.map(|plan| planarium_scenario::text::plan_tree(plan)).collect::<Vec<_>>().join("\n")
}
