//! Plays a scenario's script on an engine as its clock advances.
//!
//! Knows: triggers, actions, the order of the script. Must not know: how anything is shown.
//!
//! *Order*: entries run one after the other; the trigger of an entry is evaluated once the previous entry is done. An entry says,
//! does, expects and shows in that order, at one instant. Its inputs come after the work of that instant, except those that a
//! system processes before the ends of that instant.

use crate::model::{Action, Scenario, Show, Trigger};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{Applied, View};
use planarium_protocol::{Input, Why};
use planarium_world::{Condition, Engine};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

/// Something that the script did, in order.
#[derive(Clone, Debug)]
pub struct Note {
    /// When. *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// The last event before it.
    pub seq: u64,
    /// The kind.
    pub kind: NoteKind,
}

/// The kinds of note.
#[derive(Clone, Debug)]
pub enum NoteKind {
    /// Narration.
    Said(String),
    /// An input went in.
    Did(Box<Input>, Box<Applied>),
    /// Outcome of an expectation, and its text.
    Expected(bool, String),
    /// Something to show.
    Shown(Show, Arc<View>),
    /// An explanation to show; `None` if the element does not exist.
    Explained(String, Option<Box<Why>>),
    /// The trigger of the entry at this line never came true: the world was idle, or time ran out.
    Stuck(u32),
}

/// A scenario's script and its progress.
#[derive(Clone, Debug)]
pub struct Player {
    scenario: Scenario,
    next: usize,
    /// When the entry before was done.
    previous_ms: u64,
    notes: VecDeque<Note>,
    failed: usize,
    /// The work of the present instant waits for the inputs of the entry.
    first: bool,
    /// The advance to the next entry was cut off.
    cut_off: bool,
}

/// Progress of a script, as data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    /// Entries played.
    played: usize,
    /// Instant of the last one. *Units*: milliseconds since genesis.
    previous_ms: u64,
    /// Failed expectations and unexpected refusals.
    failed: usize,
}

impl Player {
    /// Sets up an engine for the scenario; returns it with the player of its script.
    pub fn start(scenario: Scenario) -> (Engine, Self) {
        let mut engine = Engine::new(scenario.genesis);
        let mut player = Self {
            next: 0,
            previous_ms: 0,
            notes: VecDeque::new(),
            failed: 0,
            first: false,
            cut_off: false,
            scenario,
        };
        for input in player.scenario.set_up() {
            player.put_in(&mut engine, input);
        }
        (engine, player)
    }

    /// Returns the progress of the script.
    pub fn bookmark(&self) -> Bookmark {
        Bookmark { played: self.next, previous_ms: self.previous_ms, failed: self.failed }
    }

    /// Continues a script after a bookmark, without notes of what was played before.
    pub fn at(scenario: Scenario, bookmark: Bookmark) -> Self {
        Self {
            next: bookmark.played.min(scenario.script.len()),
            previous_ms: bookmark.previous_ms,
            notes: VecDeque::new(),
            failed: bookmark.failed,
            first: false,
            cut_off: false,
            scenario,
        }
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns whether all entries of the script were played.
    pub fn done(&self) -> bool {
        self.next >= self.scenario.script.len()
    }

    /// Returns the number of entries played.
    pub fn played(&self) -> usize {
        self.next
    }

    /// Returns the instant of the next entry; `None` if it waits for a condition, or at the end. *Units*: milliseconds since
    /// genesis.
    pub fn next_due_ms(&self) -> Option<u64> {
        match self.scenario.script.get(self.next)?.trigger {
            Trigger::At(ms) => Some(ms),
            Trigger::Then(ms) => Some(self.previous_ms.saturating_add(ms)),
            Trigger::When(_) => None,
        }
    }

    /// Instant of the last entry played. *Units*: milliseconds since genesis.
    pub fn previous_ms(&self) -> u64 {
        self.previous_ms
    }

    /// Returns the number of failed expectations and unexpected refusals.
    pub fn failed(&self) -> usize {
        self.failed
    }

    /// Lists what the script did since notes were last taken.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter()
    }

    /// Takes what the script did since the last call.
    pub fn take_notes(&mut self) -> Vec<Note> {
        self.notes.drain(..).collect()
    }

    /// Advances the clock to `to_ms`, playing entries on the way. In the past nothing is played: the engine replays the
    /// recorded inputs. An engine whose advance was cut off ([`Engine::was_cut_off`]) stops where it is; another call
    /// continues.
    pub fn advance_to(&mut self, engine: &mut Engine, to_ms: u64) {
        self.cut_off = false;
        if !engine.at_head() {
            engine.advance_to(to_ms.min(engine.head_ms()));
            if engine.was_cut_off() {
                return;
            }
        }
        while engine.at_head() && self.wait(engine, to_ms) {
            self.play_entry(engine);
            if engine.was_cut_off() {
                return;
            }
        }
        if !self.cut_off {
            engine.advance_to(to_ms);
        }
    }

    /// Plays the whole script and continues to the scenario's end. Returns whether the end was reached.
    pub fn run_to_end(&mut self, engine: &mut Engine) -> bool {
        self.run_until(engine, self.scenario.until.clone().as_ref())
    }

    /// Plays the script until `until` holds (checked after the script); without it, until idle.
    pub fn run_until(&mut self, engine: &mut Engine, until: Option<&Condition>) -> bool {
        let limit = self.scenario.limit_ms;
        while let Some(entry) = self.scenario.script.get(self.next) {
            let line = entry.line;
            if !self.wait(engine, limit) {
                self.failed += 1;
                self.note(engine, NoteKind::Stuck(line));
                return false;
            }
            self.play_entry(engine);
        }
        let left = limit.saturating_sub(engine.now_ms());
        match until {
            Some(condition) => engine.run_until(condition, left).met,
            None => engine.advance_until_idle(left).idle,
        }
    }

    /// Waits for the next entry's trigger, not beyond `to_ms`. Returns whether it came true.
    fn wait(&mut self, engine: &mut Engine, to_ms: u64) -> bool {
        (self.first, self.cut_off) = (false, false);
        let Some(entry) = self.scenario.script.get(self.next) else { return false };
        let due = match &entry.trigger {
            Trigger::At(ms) => *ms,
            Trigger::Then(ms) => self.previous_ms.saturating_add(*ms),
            Trigger::When(condition) => {
                let left = to_ms.saturating_sub(engine.now_ms());
                let met = engine.run_until(condition, left).met;
                self.cut_off = engine.was_cut_off();
                return met;
            }
        };
        if due > to_ms {
            return false;
        }
        let input = entry.actions.iter().find_map(|action| match action {
            Action::Do(input) => Some(&**input),
            _ => None,
        });
        let tried = input.map(|input| engine.advance_to_before(due, input));
        self.first = tried == Some(true);
        // If the advance stopped before that instant, the input would come after the work of its instant.
        self.cut_off = tried.is_some() && engine.was_cut_off();
        if !self.first && !self.cut_off {
            engine.advance_to(due);
            self.cut_off = engine.was_cut_off();
        }
        !self.cut_off && engine.now_ms() >= due
    }

    fn play_entry(&mut self, engine: &mut Engine) {
        let Some(entry) = self.scenario.script.get(self.next).cloned() else { return };
        self.next += 1;
        for action in entry.actions {
            if self.first && matches!(action, Action::Expect(..) | Action::Show(_)) {
                engine.advance_to(engine.now_ms());
            }
            match action {
                Action::Say(text) => self.note(engine, NoteKind::Said(text)),
                Action::Do(input) => self.put_in_expecting(engine, *input, entry.refused),
                Action::Expect(condition, text) => {
                    let holds = engine.run_until(&condition, 0).met;
                    self.failed += usize::from(!holds);
                    self.note(engine, NoteKind::Expected(holds, text));
                }
                Action::Show(Show::Why(path)) => {
                    let why = find_element(&engine.view(), &path).and_then(|path| engine.why(&path));
                    self.failed += usize::from(why.is_none());
                    self.note(engine, NoteKind::Explained(path, why.map(Box::new)));
                }
                Action::Show(what) => {
                    let view = engine.view();
                    self.note(engine, NoteKind::Shown(what, view));
                }
            }
        }
        self.previous_ms = engine.now_ms();
    }

    fn put_in(&mut self, engine: &mut Engine, input: Input) {
        self.put_in_expecting(engine, input, None);
    }

    /// Applies an input and checks that it is accepted, or refused with this status.
    fn put_in_expecting(&mut self, engine: &mut Engine, input: Input, status: Option<u64>) {
        let applied = engine.apply(input.clone());
        let answered = applied.outcome.as_ref().err().map(|refusal| u64::from(refusal.status));
        self.failed += usize::from(answered != status);
        self.note(engine, NoteKind::Did(Box::new(input), Box::new(applied)));
        if let Some(status) = status.filter(|status| answered != Some(*status)) {
            self.note(engine, NoteKind::Expected(false, format!("refused ({status})")));
        }
    }

    fn note(&mut self, engine: &Engine, kind: NoteKind) {
        self.notes.push_back(Note { at_ms: engine.now_ms(), seq: engine.seq(), kind });
    }
}

/// Finds the element `PLAN[/PHASE[/STEP]]`, optionally with the service in front. Names are matched in that order; step names
/// may contain slashes.
pub fn find_element(view: &View, text: &str) -> Option<ElementPath> {
    let text = text.trim().trim_matches('/');
    let without = view.services.iter().find_map(|service| in_service(service, text));
    without.or_else(|| {
        view.services.iter().find_map(|service| {
            let rest = text.strip_prefix(service.name.trim_start_matches('/'))?.strip_prefix('/')?;
            in_service(service, rest)
        })
    })
}

fn in_service(service: &planarium_protocol::view::ServiceView, text: &str) -> Option<ElementPath> {
    let (plan_name, rest) = text.split_once('/').map_or((text, None), |(plan, rest)| (plan, Some(rest)));
    let plan = service.plans.iter().find(|plan| *plan.name == *plan_name)?;
    let path = ElementPath {
        dialect: service.dialect.clone(),
        service: service.name.clone(),
        plan: plan.name.clone(),
        phase: None,
        step: None,
    };
    let Some(rest) = rest else { return Some(path) };
    plan.phases
        .iter()
        .find_map(|phase| {
            let tail = rest.strip_prefix(phase.name.as_ref())?;
            let path = ElementPath { phase: Some(phase.name.clone()), ..path.clone() };
            if tail.is_empty() {
                return Some(path);
            }
            let wanted = tail.strip_prefix('/')?;
            let step = phase.steps.iter().find(|step| *step.name == *wanted || *step.id == *wanted)?;
            let key = if *step.id == *wanted { step.key() } else { &step.name };
            Some(ElementPath { step: Some(key.clone()), ..path })
        })
        .or_else(|| {
            step_anywhere(plan, rest).map(|(phase, step)| ElementPath {
                phase: Some(phase),
                step: Some(step),
                ..path
            })
        })
}

/// Finds `PLAN/STEP` if any phase has a step of that name (recovery phases are named like their step).
fn step_anywhere(
    plan: &planarium_protocol::view::PlanView,
    name: &str,
) -> Option<(planarium_protocol::Text, planarium_protocol::Text)> {
    plan.phases.iter().find_map(|phase| {
        let step = phase.steps.iter().find(|step| *step.name == *name)?;
        Some((phase.name.clone(), step.name.clone()))
    })
}
