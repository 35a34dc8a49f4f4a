//! One try of a lesson: an engine, the lesson's own script, the watch, and the learner's inputs.
//!
//! Knows: how the clock moves between instants, and how a try is undone. Must not know: who chooses the commands.

use super::account::Place;
use super::commands;
use super::model::{Lesson, Route};
use super::progress::{Progress, Score, Verdict};
use super::watch::Watch;
use crate::model::{Action, Trigger};
use crate::player::Player;
use planarium_protocol::Input;
use planarium_protocol::view::Applied;
use planarium_world::{Condition, Engine};
use std::fmt;
use std::sync::Arc;

/// An input of the learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// When. *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// Its number in the journal.
    pub number: u64,
    /// The input.
    pub input: Input,
}

/// A command that the lesson does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAllowed {
    /// The word of the command.
    pub word: String,
    /// Those that are allowed.
    pub allowed: Vec<String>,
}

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this lesson does not allow `{}`; allowed: {}", self.word, self.allowed.join(", "))
    }
}

impl std::error::Error for NotAllowed {}

/// An entry of a route that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteError {
    /// Line of the entry in the lesson's file; 0 where it is in no file.
    pub line: u32,
    /// Column of the entry in the lesson's file.
    pub column: u32,
    /// Why it cannot be played.
    pub text: String,
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for RouteError {}

/// A try.
#[derive(Debug)]
pub struct Attempt {
    lesson: Arc<Lesson>,
    seed: u64,
    engine: Engine,
    player: Player,
    watch: Watch,
    moves: Vec<Move>,
}

impl Attempt {
    /// Starts a try, with the given seed or the lesson's own.
    pub fn start(lesson: &Arc<Lesson>, seed: Option<u64>) -> Self {
        let mut scenario = lesson.scenario.clone();
        scenario.genesis.seed = seed.unwrap_or(scenario.genesis.seed);
        let seed = scenario.genesis.seed;
        let (engine, player) = Player::start(scenario);
        let mut watch = Watch::new(Arc::clone(lesson));
        watch.look(&engine);
        Self { lesson: Arc::clone(lesson), seed, engine, player, watch, moves: Vec::new() }
    }

    /// The lesson.
    pub fn lesson(&self) -> &Arc<Lesson> {
        &self.lesson
    }

    /// The engine at the try's current instant.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The luck of the try.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The player of the lesson's own script, at its current entry.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Returns the engine, for showing this run.
    pub fn into_engine(self) -> Engine {
        self.engine
    }

    /// An operation of the learner.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Verdict so far.
    pub fn verdict(&self) -> &Verdict {
        self.watch.verdict()
    }

    /// Progress so far.
    pub fn progress(&self) -> Progress {
        self.watch.progress()
    }

    /// Score so far.
    pub fn score(&self) -> Score {
        self.watch.score()
    }

    /// Instant at which the lesson ends. *Units*: milliseconds since genesis.
    pub fn limit_ms(&self) -> u64 {
        self.lesson.scenario.limit_ms
    }

    /// Advances the clock to an instant, at most to the end of the lesson, and checks every instant on the way.
    pub fn advance_to(&mut self, ms: u64) {
        let ms = ms.min(self.limit_ms());
        while self.step(ms) {}
    }

    /// Advances the clock to an instant or to the verdict, whichever comes first. Returns whether there is a verdict.
    pub fn advance_to_verdict(&mut self, ms: u64) -> bool {
        let ms = ms.min(self.limit_ms());
        while *self.verdict() == Verdict::Open && self.step(ms) {}
        *self.verdict() != Verdict::Open
    }

    /// Advances to the next status change, at most to the end of the lesson.
    pub fn advance_to_change(&mut self) {
        let is_change = |event: &planarium_protocol::Event| {
            matches!(event.body, planarium_protocol::EventBody::ElementStatus { .. })
        };
        let limit = self.limit_ms();
        loop {
            let seq = self.engine.seq();
            if !self.step(limit) || self.engine.events_since(seq).iter().any(is_change) {
                return;
            }
        }
    }

    /// Advances to the next instant with work, not beyond `ms`. Returns whether more work follows before `ms`.
    fn step(&mut self, ms: u64) -> bool {
        let now = self.engine.now_ms();
        let due = [self.engine.next_event_ms(), self.player.next_due_ms(), self.watch.due_ms(), Some(ms)];
        let next = due.into_iter().flatten().min().unwrap_or(ms).max(now);
        let seq = self.engine.seq();
        self.move_to(next);
        if now < ms && (seq, now) == (self.engine.seq(), self.engine.now_ms()) {
            // Do not wait for work of this instant that cannot be done now.
            let later = due.into_iter().flatten().filter(|due| *due > now).min().unwrap_or(ms);
            self.move_to(later);
        }
        self.watch.look(&self.engine);
        let stands = self.engine.now_ms() == now && self.engine.seq() == seq;
        if self.engine.now_ms() >= self.limit_ms() || (stands && now < ms) {
            self.watch.end(&self.engine);
        }
        self.engine.now_ms() < ms && !stands
    }

    fn move_to(&mut self, ms: u64) {
        if self.player.done() {
            self.engine.advance_to(ms);
        } else {
            self.player.advance_to(&mut self.engine, ms);
        }
    }

    /// Applies an input of the learner.
    ///
    /// *Errors*: the lesson does not allow it.
    pub fn command(&mut self, input: Input) -> Result<Applied, NotAllowed> {
        self.check_allowed(&input)?;
        Ok(self.put_in(input))
    }

    /// Returns whether the lesson allows an input.
    ///
    /// *Errors*: it does not.
    pub fn check_allowed(&self, input: &Input) -> Result<(), NotAllowed> {
        if self.lesson.allowed.iter().any(|allowed| commands::covers(allowed, input)) {
            return Ok(());
        }
        Err(NotAllowed { word: commands::word(input), allowed: self.lesson.allowed.clone() })
    }

    /// Applies an input, allowed or not.
    pub(super) fn put_in(&mut self, input: Input) -> Applied {
        let applied = self.engine.apply(input.clone());
        self.watch.command(applied.input, applied.outcome.is_err());
        self.watch.look(&self.engine);
        self.moves.push(Move { at_ms: self.engine.now_ms(), number: applied.input, input });
        applied
    }

    /// Returns a copy of this try up to a position. Its time is the instant at which the input there was applied.
    #[must_use]
    pub fn back_to(&self, place: Place) -> Self {
        let mut other = Self::start(&self.lesson, Some(self.seed));
        for made in self.moves.iter().filter(|made| made.number < place.input && made.at_ms <= place.at_ms) {
            other.advance_to(made.at_ms);
            other.put_in(made.input.clone());
        }
        other.advance_to(place.at_ms);
        other
    }

    /// Returns a copy of this try.
    #[must_use]
    pub fn copy(&self) -> Self {
        self.back_to(Place { input: u64::MAX, at_ms: self.engine.now_ms() })
    }

    /// Returns the inputs that `act` would apply here, by running it on a copy.
    pub fn inputs_of<T>(&self, act: impl FnOnce(&mut Engine) -> T) -> (T, Vec<Input>) {
        let mut copy = self.copy();
        let before = copy.engine.inputs();
        let done = act(&mut copy.engine);
        let entries = copy.engine.entries().iter().filter(|entry| entry.seq > before);
        (done, entries.map(|entry| entry.input.input().clone()).collect())
    }

    /// Returns a copy of this try without the learner's last input, at that input's instant.
    #[must_use]
    pub fn undo(&self) -> Self {
        match self.moves.last() {
            Some(last) => self.back_to(Place { input: last.number, at_ms: last.at_ms }),
            None => self.copy(),
        }
    }

    /// Plays a route and continues to the verdict.
    ///
    /// *Errors*: an input that the lesson does not allow, or one whose answer is not the one the route expects.
    pub fn play(&mut self, route: &Route) -> Result<(), RouteError> {
        self.play_while(route, true)
    }

    /// Plays a route and continues to the end of the lesson, independent of the checks.
    ///
    /// *Errors*: as [`Attempt::play`].
    pub fn play_on(&mut self, route: &Route) -> Result<(), RouteError> {
        self.play_while(route, false)
    }

    fn play_while(&mut self, route: &Route, open: bool) -> Result<(), RouteError> {
        let limit = self.limit_ms();
        let mut previous_ms = 0_u64;
        for entry in route {
            let due = match &entry.trigger {
                Trigger::At(ms) => Some(*ms),
                Trigger::Then(ms) => Some(previous_ms.saturating_add(*ms)),
                Trigger::When(condition) => {
                    self.wait_for(condition, open);
                    None
                }
            };
            match due {
                Some(due) if open => {
                    self.advance_to_verdict(due);
                }
                Some(due) => self.advance_to(due),
                None => {}
            }
            if open && *self.verdict() != Verdict::Open {
                return Ok(());
            }
            if self.engine.now_ms() >= limit {
                break;
            }
            for action in &entry.actions {
                let Action::Do(input) = action else { continue };
                let error = |text| RouteError { line: entry.line, column: entry.column, text };
                let applied =
                    self.command((**input).clone()).map_err(|refused| error(refused.to_string()))?;
                let status =
                    applied.outcome.err().map(|refusal| (u64::from(refusal.status), refusal.message));
                if status.as_ref().map(|(status, _)| *status) != entry.refused {
                    let said = status.map_or_else(
                        || "taken".to_owned(),
                        |(status, message)| format!("refused ({status}): {message}"),
                    );
                    return Err(error(format!("`{}` was {said}", crate::describe::input(input))));
                }
            }
            previous_ms = self.engine.now_ms();
        }
        if open {
            self.advance_to_verdict(limit);
        } else {
            self.advance_to(limit);
        }
        Ok(())
    }

    fn wait_for(&mut self, condition: &Condition, open: bool) {
        let limit = self.limit_ms();
        while !(self.engine.run_until(condition, 0).met || open && *self.verdict() != Verdict::Open) {
            if !self.step(limit) {
                return;
            }
        }
    }
}
