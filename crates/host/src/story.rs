//! An example's script as the page shows it.

use super::Host;
use planarium_messages::clock::{clock, short};
use planarium_messages::facts::Fact;
use planarium_messages::ptr::Ptr;
use planarium_messages::story::{Said, Story, StoryLine};
use planarium_protocol::Input;
use planarium_protocol::Text;
use planarium_protocol::input::PlanOp;
use planarium_scenario::{Action, Entry, Note, NoteKind, Player, Scenario, Trigger};
use planarium_world::Condition;

/// Words in place of a narration that may be wrong now.
const LEFT: &str = "You have changed the run: what follows is yours, and the example's words end here.";

/// Waits of the script.
pub(crate) enum Waits {
    /// The script is finished, or it does not belong to this branch.
    Nothing,
    /// An instant.
    Until(u64),
    /// A condition.
    Condition,
}

/// Moment of a narration or operation: branch, instant, last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    branch: u32,
    ms: u64,
    seq: u64,
}

/// A branch among the ancestors of the one shown, and the end of its part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    branch: u32,
    until: (u64, u64),
}

/// The story so far, on all branches.
#[derive(Clone, Default)]
pub(crate) struct Narration {
    story: Story,
    played: usize,
    /// Notes of the player that were overheard.
    heard: usize,
    said: Vec<(At, Text)>,
    /// Script lines that were played, with the moment of each.
    done: Vec<(usize, At)>,
    /// Moments at which somebody changed the run, so that it is no longer the one that the script tells.
    left: Vec<At>,
    /// The script has words.
    tells: bool,
    /// Last report: branch, number of narrations, number of lines, and whether the story had been left.
    told: Option<(u32, usize, usize, bool)>,
}

impl Narration {
    /// The story of a scenario.
    pub(crate) fn of(scenario: &Scenario, example: Option<&str>, about: &str) -> Self {
        let story = Story {
            example: example.map(|id| Text::from(id.to_owned())),
            title: scenario.title.clone().into(),
            about: about.to_owned().into(),
            lines: scenario.script.iter().map(line).collect(),
            said: Vec::new(),
        };
        let tells = |entry: &Entry| entry.actions.iter().any(|action| matches!(action, Action::Say(_)));
        Self { story, tells: scenario.script.iter().any(tells), ..Self::default() }
    }

    /// Records what the script did on a branch.
    pub(crate) fn take(&mut self, player: &mut Player, branch: u32) {
        let notes = player.take_notes();
        self.hear(player, notes, branch);
    }

    /// Hears what the script did on a branch; the notes stay for others.
    pub(crate) fn overhear(&mut self, player: &Player, branch: u32) {
        let notes: Vec<Note> = player.notes().skip(self.heard).cloned().collect();
        self.heard += notes.len();
        self.hear(player, notes, branch);
    }

    fn hear(&mut self, player: &Player, notes: Vec<Note>, branch: u32) {
        let script = &player.scenario().script;
        let meant = script.iter().skip(self.played).take(player.played().saturating_sub(self.played));
        let expects_refusal = meant.into_iter().any(|entry| entry.refused.is_some());
        let mut last = None;
        let mut said: Option<(At, Text)> = None;
        for note in notes {
            last = Some(note.seq);
            match note.kind {
                NoteKind::Said(text) => {
                    self.say(said.take());
                    said = Some((At { branch, ms: note.at_ms, seq: note.seq }, text.into()));
                }
                // The narration before a command is about that command: drop it if the command was refused.
                NoteKind::Did(_, applied) if applied.outcome.is_err() && !expects_refusal => said = None,
                _ => {}
            }
        }
        self.say(said);
        let played = player.played();
        let at = At { branch, ms: player.previous_ms(), seq: last.unwrap_or(0) };
        self.done.extend((self.played..played).map(|line| (line, at)));
        self.played = played;
    }

    /// Notes that somebody changed the run at this moment of a branch. A story without words stays as it is.
    fn leave(&mut self, at: At) {
        if self.tells {
            self.left.push(at);
        }
    }

    /// The moments at which the run left the script, to be kept: branch, instant, event.
    pub(crate) fn left(&self) -> Vec<(u32, u64, u64)> {
        self.left.iter().map(|at| (at.branch, at.ms, at.seq)).collect()
    }

    /// Takes over moments that were kept.
    pub(crate) fn leave_again(&mut self, kept: &[(u32, u64, u64)]) {
        let at = |&(branch, ms, seq): &(u32, u64, u64)| At { branch, ms, seq };
        self.left = kept.iter().map(at).collect();
    }

    /// Keeps words that are new.
    fn say(&mut self, said: Option<(At, Text)>) {
        let Some((at, text)) = said else { return };
        if !self.said.iter().any(|(known, words)| *known == at && *words == text) {
            self.said.push((at, text));
        }
    }

    /// Continues the script from another place in it.
    pub(crate) fn resume(&mut self, player: Option<&Player>) {
        if let Some(player) = player {
            self.played = player.played();
        }
    }

    /// Returns the story at a moment, if it differs from the last report.
    fn changed(&mut self, way: &[Stretch], now: (u64, u64)) -> Option<Ptr<Story>> {
        let branch = way.first().map_or(0, |stretch| stretch.branch);
        let on_way = |at: &&At| part_of(way, at, (u64::MAX, u64::MAX));
        let left = self.left.iter().filter(on_way).min_by_key(|at| (at.ms, at.seq)).copied();
        let visible = |at: &At| on_way(&at) && left.is_none_or(|left| (at.ms, at.seq) <= (left.ms, left.seq));
        let said = self.said.iter().filter(|(at, _)| visible(at)).count();
        let done = self.done.iter().filter(|(_, at)| part_of(way, at, now)).count();
        let stamp = Some((branch, said, done, left.is_some()));
        if self.told == stamp {
            return None;
        }
        self.told = stamp;
        let mut story = self.story.clone();
        story.said = self
            .said
            .iter()
            .filter(|(at, _)| visible(at))
            .map(|(at, text)| Said { at_ms: at.ms, seq: at.seq, text: text.clone() })
            .collect();
        story.said.extend(left.map(|at| Said { at_ms: at.ms, seq: at.seq, text: LEFT.into() }));
        for (number, line) in story.lines.iter_mut().enumerate() {
            line.done = self.done.iter().any(|(done, at)| *done == number && part_of(way, at, now));
        }
        Some(Ptr::new(story))
    }

    /// Makes the next report repeat the story.
    pub(crate) fn tell_again(&mut self) {
        self.told = None;
    }

    /// Returns the story before the first narration.
    pub(crate) fn told(&self) -> Ptr<Story> {
        Ptr::new(self.story.clone())
    }

    /// Gives a story without a title this one.
    pub(crate) fn name(&mut self, title: &str) {
        if self.story.title.is_empty() {
            self.story.title = title.into();
        }
    }

    /// The example that it is of.
    pub(crate) fn example(&self) -> Option<&str> {
        self.story.example.as_deref()
    }

    /// Its title.
    pub(crate) fn title(&self) -> &str {
        &self.story.title
    }

    /// The part it is about.
    pub(crate) fn about(&self) -> &str {
        &self.story.about
    }

    /// Detaches the story from the gallery's example.
    pub(crate) fn edited(&mut self) {
        self.story.example = None;
    }
}

/// Returns whether a moment lies on the way to the branch shown and not after `now`.
fn part_of(way: &[Stretch], at: &At, now: (u64, u64)) -> bool {
    let not_after = |(ms, seq): (u64, u64)| at.ms <= ms && at.seq <= seq;
    let stretch = way.iter().find(|stretch| stretch.branch == at.branch);
    stretch.is_some_and(|stretch| not_after(stretch.until)) && not_after(now)
}

impl Host {
    /// Returns the story of the branch and moment shown, if it differs from the last report.
    pub(crate) fn story(&mut self) -> Option<Fact> {
        if !self.shown.by_hand {
            // It was undone.
            self.shown.narration.left.clear();
        }
        let way = self.way();
        let engine = &self.shown.engine;
        let now = (engine.now_ms(), engine.seq());
        self.shown.narration.changed(&way, now).map(Fact::Story)
    }

    /// Returns the branch shown and its ancestors, starting with the branch shown.
    fn way(&self) -> Vec<Stretch> {
        let branches = self.shown.engine.branches();
        let mut way: Vec<Stretch> = Vec::new();
        let mut next = branches.iter().find(|branch| branch.current);
        let mut until = (u64::MAX, u64::MAX);
        while let Some(branch) = next {
            way.push(Stretch { branch: branch.id, until });
            let (ms, seq) = until;
            until = (
                ms.min(branch.forked_at_ms.unwrap_or(u64::MAX)),
                seq.min(branch.forked_at_seq.unwrap_or(u64::MAX)),
            );
            // A parent is older than its child, so the loop ends.
            next = branches.iter().find(|other| Some(other.id) == branch.parent && other.id < branch.id);
        }
        way
    }

    /// Returns the script's wait on the branch shown.
    pub(crate) fn waits(&self) -> Waits {
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

/// Ends the narration where an input changes what the script tells about. A pause does not.
pub(crate) fn leave(host: &mut Host, input: &Input) {
    if !matches!(input, Input::Plan(command) if matches!(command.op, PlanOp::Interrupt | PlanOp::Continue)) {
        end(host);
    }
}

/// Ends the narration at the moment shown.
pub(crate) fn end(host: &mut Host) {
    let branch = host.way().first().map_or(0, |stretch| stretch.branch);
    let engine = &host.shown.engine;
    let at = At { branch, ms: engine.now_ms(), seq: engine.seq() };
    host.shown.narration.leave(at);
}

/// The latest instant that a condition names; the script cannot give up before it.
fn latest_ms(condition: &Condition) -> Option<u64> {
    match condition {
        Condition::Time { ms } => Some(*ms),
        Condition::All(all) => all.iter().filter_map(latest_ms).max(),
        Condition::Status { .. } | Condition::Idle => None,
    }
}

/// Describes an input, shortened if it carries a whole body.
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
