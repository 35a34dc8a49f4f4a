//! An example's script as the page tells it.

use super::Session;
use crate::store::ptr::Ptr;
use crate::store::selectors::time::{clock, short};
use crate::store::state::{Said, Story, StoryLine};
use planarium_protocol::Input;
use planarium_scenario::{Action, Entry, NoteKind, Player, Scenario, Trigger};
use planarium_world::Condition;
use yew::AttrValue;

/// What the script waits for.
pub(super) enum Waits {
    /// There is nothing left of it, or it does not belong to this branch.
    Nothing,
    /// An instant.
    Until(u64),
    /// A condition.
    Condition,
}

/// The story so far.
#[derive(Default)]
pub(super) struct Narration {
    story: Story,
    played: usize,
    done_ms: u64,
    told: usize,
}

impl Narration {
    /// The story of a scenario.
    pub(super) fn of(scenario: &Scenario, example: Option<&str>, about: &str) -> Self {
        let story = Story {
            example: example.map(|id| AttrValue::from(id.to_owned())),
            title: scenario.title.clone().into(),
            about: about.to_owned().into(),
            lines: scenario.script.iter().map(line).collect(),
            said: Vec::new(),
        };
        Self { story, ..Self::default() }
    }

    /// Takes what the script did.
    pub(super) fn take(&mut self, player: &mut Player) {
        for note in player.take_notes() {
            if let NoteKind::Said(text) = note.kind {
                self.story.said.push(Said { at_ms: note.at_ms, seq: note.seq, text: text.into() });
            }
        }
        let played = player.played();
        if played != self.played {
            self.played = played;
            self.done_ms = player.previous_ms();
        }
        for (at, line) in self.story.lines.iter_mut().enumerate() {
            line.done = at < played;
        }
    }

    /// The story, when it went on since it was last told.
    pub(super) fn changed(&mut self, before: &Story) -> Option<Ptr<Story>> {
        let stamp = self.played + self.story.said.len() * 10_000;
        let same = stamp == self.told && before.title == self.story.title;
        self.told = stamp;
        (!same).then(|| self.told())
    }

    /// The story.
    pub(super) fn told(&self) -> Ptr<Story> {
        Ptr::new(self.story.clone())
    }

    /// The story is no longer that of the gallery's example.
    pub(super) fn edited(&mut self) {
        self.story.example = None;
    }
}

impl Session {
    /// What the script waits for on the branch shown.
    pub(super) fn waits(&self) -> Waits {
        let branch = self.seen.branch;
        let Some((player, _)) =
            self.shown.player.as_ref().filter(|(player, on)| *on == branch && !player.done())
        else {
            return Waits::Nothing;
        };
        match player.scenario().script.get(player.played()).map(|entry| &entry.trigger) {
            None => Waits::Nothing,
            Some(Trigger::At(ms)) => Waits::Until((*ms).max(self.shown.engine.now_ms())),
            Some(Trigger::Then(ms)) => Waits::Until(player.previous_ms().saturating_add(*ms)),
            Some(Trigger::When(condition)) => match latest_ms(condition) {
                Some(ms) if ms > self.shown.engine.now_ms() => Waits::Until(ms),
                _ => Waits::Condition,
            },
        }
    }
}

/// The latest instant that a condition names: before it there is no use in giving up.
fn latest_ms(condition: &Condition) -> Option<u64> {
    match condition {
        Condition::Time { ms } => Some(*ms),
        Condition::All(all) => all.iter().filter_map(latest_ms).max(),
        Condition::Status { .. } | Condition::Idle => None,
    }
}

/// An input in words, shortened where it carries a whole body.
fn input_words(input: &Input) -> String {
    let words = planarium_world::describe_input(input);
    match words.char_indices().nth(72) {
        Some((end, _)) => format!("{} …", words.get(..end).unwrap_or_default()),
        None => words,
    }
}

fn line(entry: &Entry) -> StoryLine {
    let when = match &entry.trigger {
        Trigger::At(ms) => format!("at {}", clock(*ms)),
        Trigger::Then(0) => "then".to_owned(),
        Trigger::Then(ms) => format!("{} later", short(*ms)),
        Trigger::When(condition) => format!("when {}", condition_words(condition)),
    };
    let said = entry.actions.iter().find_map(|action| match action {
        Action::Say(text) => Some(text.clone()),
        _ => None,
    });
    let done = entry.actions.iter().filter_map(|action| match action {
        Action::Do(input) => Some(input_words(input)),
        _ => None,
    });
    let done: Vec<_> = done.collect();
    let what = match (said, done.is_empty()) {
        (Some(said), true) => said,
        (Some(said), false) => format!("{said} ({})", done.join("; ")),
        (None, false) => done.join("; "),
        (None, true) => "check".to_owned(),
    };
    StoryLine { when: when.into(), what: what.into(), done: false }
}

fn condition_words(condition: &Condition) -> String {
    match condition {
        Condition::Status { element, status } => format!("{element} is {status}"),
        Condition::Idle => "nothing more happens".to_owned(),
        Condition::Time { ms } => format!("it is {}", clock(*ms)),
        Condition::All(all) => all.iter().map(condition_words).collect::<Vec<_>>().join(" and "),
    }
}
