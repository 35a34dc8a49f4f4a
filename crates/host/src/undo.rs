//! Undo and redo of everything that a user did.
//!
//! *Knows*: positions in branches, worlds that were left, removed files. *Must not know*: what a command means.
//!
//! Nothing is overwritten. Undoing a command opens another branch at the position before it. The new branch takes
//! over the tab; the old one stays in the list, marked as undone.

use super::tab::Left;
use super::{Host, Shown};
use planarium_messages::facts::Fact;
use planarium_messages::facts::{ToastUndo, Ways};
use planarium_protocol::Input;
use planarium_protocol::Text;
use planarium_protocol::input::{PlanOp, PodOp};
use planarium_scenario::{Bookmark, Player, Scenario};
use planarium_world::Place;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Maximum number of worlds kept after leaving them.
const MOST_WORLDS: usize = 3;
/// Message for a run that cannot be shown again.
const GONE: &str = "That run is gone.";
/// Maximum of undoable operations.
const MOST_STEPS: usize = 60;

/// Maximum size of the stored worlds that were left; larger ones cannot be restored after a reload. *Units*: bytes.
const MOST_STORED: usize = 512 * 1024;

/// The operation log: undoable and redoable operations.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Trail {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// Previous worlds, oldest first.
    past: Vec<Left>,
    /// Worlds that were left by undo.
    later: Vec<Left>,
    #[serde(skip)]
    told: Ways,
}

/// Something that was done.
#[derive(Clone, Serialize, Deserialize)]
struct Step {
    words: String,
    what: What,
}

/// Kinds of undo and redo.
#[derive(Clone, Serialize, Deserialize)]
enum What {
    /// A command on branch `after`; the position before it, and the script at that moment.
    Command { before: Stand, after: u32 },
    /// The same, undone: the position to return to, and the branch that was left before the command.
    Undone { after: Stand, step: Box<(Stand, u32)> },
    /// Another world replaced one.
    World,
    /// A file of the definition at index `at` was removed.
    File { at: usize, path: String, text: String },
}

/// State of a world without its engine.
#[derive(Clone, Serialize, Deserialize)]
struct Stand {
    place: Place,
    script: Option<Script>,
    by_hand: bool,
}

/// The script at a position, and the branch that it plays on.
#[derive(Clone, Serialize, Deserialize)]
struct Script {
    branch: u32,
    bookmark: Bookmark,
    /// `None` after a reload.
    #[serde(skip)]
    player: Option<Arc<Player>>,
}

impl Script {
    fn of(player: &(Player, u32)) -> Self {
        let (player, branch) = player;
        Self { branch: *branch, bookmark: player.bookmark(), player: Some(Arc::new(player.clone())) }
    }

    /// Returns the player of this position; `scenario` is that of its world.
    fn player(self, scenario: &Scenario) -> (Player, u32) {
        let player = match self.player {
            Some(player) => Arc::unwrap_or_clone(player),
            None => Player::at(scenario.clone(), self.bookmark),
        };
        (player, self.branch)
    }
}

impl Trail {
    /// Returns whether there is a previous world with something to show.
    pub(crate) fn has_before(&self) -> bool {
        self.past.last().or_else(|| self.later.last()).is_some_and(Left::has_entries)
    }

    /// Returns what is stored for a reload. Leaves out the worlds that are too large, and the operations before them.
    /// States of the worlds that undo and redo replay.
    pub(crate) fn states(&self) -> impl Iterator<Item = &str> {
        self.past.iter().chain(&self.later).filter_map(Left::state)
    }

    pub(crate) fn stored(&mut self) -> Self {
        let (done, past) = within(&self.done, &mut self.past);
        let (undone, later) = within(&self.undone, &mut self.later);
        Self { done, undone, past, later, told: Ways::default() }
    }
}

/// Returns the last worlds that may be stored, and the operations after the world before them.
fn within(steps: &[Step], worlds: &mut [Left]) -> (Vec<Step>, Vec<Left>) {
    let mut left = MOST_STORED;
    let mut stored: Vec<Left> = Vec::new();
    for world in worlds.iter_mut().rev() {
        let world = world.stored();
        let Some(rest) = left.checked_sub(world.bytes()) else { break };
        left = rest;
        stored.push(world);
    }
    stored.reverse();
    let dropped = worlds.len() - stored.len();
    let mut markers = steps.iter().enumerate().filter(|(_, step)| matches!(step.what, What::World));
    let from = dropped.checked_sub(1).and_then(|nth| markers.nth(nth)).map_or(0, |(at, _)| at + 1);
    (steps.get(from..).unwrap_or_default().to_vec(), stored)
}

impl Host {
    /// Returns the state of the world before an operation.
    pub(crate) fn stand(&self) -> Place {
        self.shown.engine.place()
    }

    /// Records a command that was carried out; `before` is the position before it.
    pub(crate) fn did(&mut self, words: String, before: Place, by_hand: bool) -> Fact {
        let script = self.shown.player.as_ref().filter(|(_, on)| *on == before.branch).map(Script::of);
        let before = Stand { place: before, script, by_hand };
        let after = self.shown.engine.place().branch;
        self.push(Step { words, what: What::Command { before, after } })
    }

    /// Records that a file of a definition was removed.
    pub(crate) fn removed(&mut self, at: usize, path: &str, text: &str) -> Fact {
        let (path, text) = (path.to_owned(), text.to_owned());
        self.push(Step { words: format!("Removed {path}"), what: What::File { at, path, text } })
    }

    /// Shows another world; the previous one can be restored if it had something to show.
    pub(crate) fn leave_for(&mut self, next: Shown, words: &str) {
        let left = std::mem::replace(&mut self.shown, next);
        if !left.engine.entries().is_empty() {
            self.trail.past.push(Left::of(left));
            if self.trail.past.len() > MOST_WORLDS {
                self.trail.past.remove(0);
                // Operations before that world was left can no longer be undone.
                let oldest = self.trail.done.iter().position(|step| matches!(step.what, What::World));
                if let Some(oldest) = oldest {
                    self.trail.done.drain(..=oldest);
                }
            }
            let _ = self.push(Step { words: words.to_owned(), what: What::World });
        }
        self.another_world();
    }

    /// Like [`Host::leave_for`], for a previous world not worth restoring.
    pub(crate) fn replace_by(&mut self, next: Shown) {
        self.shown = next;
        self.another_world();
    }

    fn push(&mut self, step: Step) -> Fact {
        let text = format!("{}.", step.words);
        if self.served.is_some() {
            return Fact::Told(text.into(), None);
        }
        let trail = &mut self.trail;
        trail.undone.clear();
        trail.later.clear();
        trail.done.push(step);
        if trail.done.len() > MOST_STEPS {
            let oldest = trail.done.remove(0);
            if matches!(oldest.what, What::World) && !trail.past.is_empty() {
                trail.past.remove(0);
            }
        }
        Fact::Told(text.into(), Some(ToastUndo::Last))
    }

    /// Returns the previous world.
    pub(crate) fn before(&mut self) -> Option<&Shown> {
        let mut trail = std::mem::take(&mut self.trail);
        if let Some(left) = trail.past.last_mut().or(trail.later.last_mut()) {
            left.restore(self);
        }
        self.trail = trail;
        self.trail.past.last().or_else(|| self.trail.later.last())?.shown()
    }

    /// Undoes the last operation.
    pub(crate) fn undo(&mut self) -> Vec<Fact> {
        let Some(step) = self.trail.done.pop() else { return Vec::new() };
        let words = step.words;
        let (what, mut facts) = match step.what {
            What::Command { before, after } => match self.undo_command(before, after) {
                Ok(what) => (what, vec![self.moved()]),
                Err(refused) => return vec![self.moved(), *refused],
            },
            What::World => match self.trail.past.pop() {
                Some(world) => match world.into_shown(self) {
                    Some(world) => {
                        let left = self.swap(world);
                        self.trail.later.push(Left::of(left));
                        (What::World, self.swapped())
                    }
                    None => {
                        // What is left belongs to worlds behind the one that is gone.
                        self.trail.done.clear();
                        self.trail.past.clear();
                        return vec![self.moved(), Fact::Refused(GONE.into())];
                    }
                },
                None => return Vec::new(),
            },
            What::File { at, path, text } => {
                let fact = Fact::File(at, path.clone(), Some(text.clone()));
                (What::File { at, path, text }, vec![fact])
            }
            What::Undone { .. } => return Vec::new(),
        };
        facts.push(Fact::Told(format!("Undone: {}.", small(&words)).into(), Some(ToastUndo::Undone)));
        self.trail.undone.push(Step { words, what });
        facts
    }

    /// Redoes the operation that was undone last.
    pub(crate) fn redo(&mut self) -> Vec<Fact> {
        let Some(step) = self.trail.undone.pop() else { return Vec::new() };
        let words = step.words;
        let (what, mut facts) = match step.what {
            What::Undone { after, step } => {
                self.hide(true);
                if !self.shown.engine.go_to_place(after.place) {
                    return vec![self.moved(), Fact::Refused(GONE.into())];
                }
                self.hide(false);
                self.shown.player = after.script.map(|script| script.player(&self.shown.scenario));
                self.shown.by_hand = after.by_hand;
                self.shown.narration.resume(self.shown.player.as_ref().map(|(player, _)| player));
                let (before, after) = *step;
                (What::Command { before, after }, vec![self.moved()])
            }
            What::World => match self.trail.later.pop() {
                Some(world) => match world.into_shown(self) {
                    Some(world) => {
                        let left = self.swap(world);
                        self.trail.past.push(Left::of(left));
                        (What::World, self.swapped())
                    }
                    None => {
                        // What is left belongs to worlds behind the one that is gone.
                        self.trail.undone.clear();
                        self.trail.later.clear();
                        return vec![self.moved(), Fact::Refused(GONE.into())];
                    }
                },
                None => return Vec::new(),
            },
            What::File { at, path, text } => {
                (What::File { at, path: path.clone(), text }, vec![Fact::File(at, path, None)])
            }
            What::Command { .. } => return Vec::new(),
        };
        facts.push(Fact::Told(format!("Done again: {}.", small(&words)).into(), Some(ToastUndo::Last)));
        self.trail.done.push(Step { words, what });
        facts
    }

    /// Undoes operations until the previous world is shown.
    pub(crate) fn undo_world(&mut self) -> Vec<Fact> {
        let mut facts = Vec::new();
        while let Some(step) = self.trail.done.last() {
            let world = matches!(step.what, What::World);
            facts.extend(self.undo());
            if world {
                break;
            }
        }
        facts
    }

    /// Redoes operations until another world is shown.
    pub(crate) fn redo_world(&mut self) -> Vec<Fact> {
        let mut facts = Vec::new();
        while let Some(step) = self.trail.undone.last() {
            let world = matches!(step.what, What::World);
            facts.extend(self.redo());
            if world {
                break;
            }
        }
        facts
    }

    /// Returns whether the world left at an address is the previous one (true) or the next one (false).
    pub(crate) fn world_at(&self, address: &str) -> Option<bool> {
        let at = |world: Option<&Left>| world.is_some_and(|world| world.address() == address);
        match () {
            () if at(self.trail.past.last()) => Some(true),
            () if at(self.trail.later.last()) => Some(false),
            () => None,
        }
    }

    /// Reports the next operations of undo and redo, if they changed.
    pub(crate) fn ways(&mut self) -> Option<Fact> {
        let words = |steps: &[Step]| steps.last().map(|step| Text::from(step.words.clone()));
        let ways = Ways { undo: words(&self.trail.done), redo: words(&self.trail.undone) };
        (ways != self.trail.told).then(|| {
            self.trail.told = ways.clone();
            Fact::Ways(ways)
        })
    }

    fn undo_command(&mut self, before: Stand, after: u32) -> Result<What, Box<Fact>> {
        let left = Stand {
            place: self.shown.engine.place(),
            script: self.shown.player.as_ref().map(Script::of),
            by_hand: self.shown.by_hand,
        };
        let forked = before.place.branch != after;
        let engine = &mut self.shown.engine;
        // If the command opened a branch, the original branch does not contain it.
        let found = if forked { engine.go_to_place(before.place) } else { engine.branch_from(before.place) };
        if !found {
            let _ = self.shown.engine.go_to_place(left.place);
            return Err(Box::new(Fact::Refused("The moment before it is gone.".into())));
        }
        let here = self.shown.engine.place().branch;
        let shown = &mut self.shown;
        if left.place.branch == after || shown.stand_ins.contains(&left.place.branch) {
            shown.hidden.push(left.place.branch);
        }
        // Inputs of a replacement branch are on the branch that it replaced.
        if left.place.branch == after && !shown.undone.contains(&after) {
            shown.undone.push(after);
        }
        if !forked {
            shown.stand_ins.push(here);
            let script = before.script.clone();
            shown.player = script.map(|script| (script.player(&shown.scenario).0, here));
            shown.narration.resume(shown.player.as_ref().map(|(player, _)| player));
        }
        shown.by_hand = before.by_hand;
        self.hide(false);
        Ok(What::Undone { after: left, step: Box::new((before, after)) })
    }

    /// Hides or shows the tab of the current branch.
    fn hide(&mut self, hidden: bool) {
        let shown = &mut self.shown;
        let here = shown.engine.place().branch;
        shown.hidden.retain(|id| *id != here);
        shown.undone.retain(|id| *id != here);
        if hidden && shown.stand_ins.contains(&here) {
            shown.hidden.push(here);
        }
    }

    fn swap(&mut self, next: Shown) -> Shown {
        let left = std::mem::replace(&mut self.shown, next);
        self.another_world();
        left
    }

    fn swapped(&mut self) -> Vec<Fact> {
        let drafts = std::mem::take(&mut self.shown.drafts);
        let preset = super::open::preset_of(&self.shown.scenario);
        self.shown.narration.tell_again();
        vec![
            self.moved(),
            Fact::Story(self.shown.narration.told()),
            Fact::Drafts(drafts),
            Fact::Preset(preset),
        ]
    }
}

/// Reports the next operations of undo and redo to a page that shows none.
pub(crate) fn all_ways(host: &mut Host) -> Fact {
    host.trail.told = Ways::default();
    host.ways().unwrap_or_else(|| Fact::Ways(Ways::default()))
}

fn small(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

/// Describes a command as something that was done.
pub(crate) fn words(input: &Input) -> String {
    match input {
        Input::Plan(command) => {
            let parts = [&command.phase, &command.step].into_iter().flatten();
            let what = parts.last().unwrap_or(&command.plan);
            let did = match command.op {
                PlanOp::Start => "Started",
                PlanOp::Stop => "Stopped",
                PlanOp::Interrupt => "Interrupted",
                PlanOp::Continue => "Continued",
                PlanOp::Restart => "Restarted",
                PlanOp::ForceComplete => "Force-completed",
            };
            format!("{did} {what}")
        }
        Input::Pod(command) => {
            let did = match command.op {
                PodOp::Restart => "Restarted",
                PodOp::Replace => "Replaced",
                PodOp::Pause => "Paused",
                PodOp::Resume => "Resumed",
            };
            format!("{did} the pod {}", command.pod)
        }
        Input::AddAgent(_) => "Added a machine".to_owned(),
        Input::RemoveAgent(_) => "Removed a machine".to_owned(),
        Input::LoadService(load) => format!("Installed {}", named(&load.name)),
        Input::UpdateService(load) => format!("Updated {}", named(&load.name)),
        Input::RemoveService(_) => "Removed a service".to_owned(),
        Input::Maintenance(_) => "Changed the maintenance".to_owned(),
        Input::Fault(_) => "Injected a failure".to_owned(),
        Input::ClearFault(_) => "Ended a failure".to_owned(),
        Input::ProcessBehaviour(_) => "Changed how processes behave".to_owned(),
        Input::TaskStatus(_) => "Reported a task status".to_owned(),
        Input::OfferRound(_) => "Held a round of offers".to_owned(),
        Input::Framework(_) => "Changed a framework".to_owned(),
        Input::Call(call) => format!("Sent {} {}", call.method, call.path),
    }
}

fn named(name: &str) -> &str {
    if name.is_empty() { "the service" } else { name }
}
