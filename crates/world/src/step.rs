//! One step: an input or a timer, then messages until none are left.
//!
//! Knows: the order of things within one instant. Must not know: what any system does with a message.
//!
//! *Order*: the input is applied, or the earliest timer fires; ties go to the fleet, then to the layers in their order,
//! then to the daemons by the service of the timer. After either, events of machines and layers are delivered until none
//! are left. Then the invariants are checked. Rounds and steps of one instant are bounded; the rest waits for the next
//! millisecond, and an event reports it.

use crate::daemon::Daemon;
use crate::encode;
use crate::input::{Written, describe};
use crate::invariants::first_broken;
use crate::limits::{self, Bound, LIMITS};
use crate::parts::{Lend, News};
use crate::world::{Instant, World};
use planarium_kernel::SimTime;
use planarium_kernel::cause::Cause;
use planarium_kernel::recorder::Recorded;
use planarium_part::{Cx, Delivery, Number};
use planarium_protocol::event::Importance;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::Applied;
use planarium_protocol::{Event, EventBody, Input, Refusal};

/// Owners of timers. *Order*: priority at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// Machines and processes.
    Fleet,
    /// A layer between machines and systems, by its number.
    Layer(u8),
    /// A daemon: the timer's service, and the daemon.
    Daemon(Number, Number),
}

/// A timer that is due. *Order*: by instant, then by owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DueTimer {
    /// *Units*: milliseconds.
    pub(crate) at_ms: u64,
    pub(crate) part: Part,
}

impl World {
    /// Applies an input: carries it out, or refuses it, leaving only its event and what layers note. Returns the outcome;
    /// [`World::take_events`] returns the events.
    pub(crate) fn run_input(&mut self, written: &Written) -> Applied {
        let input = written.input();
        self.begin();
        self.inputs += 1;
        let number = self.inputs;
        self.digest.write_u64(number);
        self.digest.write_u64(self.now_ms());
        // The digest covers the same JSON text that the journal keeps.
        self.digest.write_bytes(written.text());

        self.recorder.set_cause(Cause::Input(number));
        let mut diagnostics = Vec::new();
        let outcome = crate::input::check(input)
            .and_then(|()| self.carry_out_or_restore(number, input, &mut diagnostics));
        match &outcome {
            Ok(_) => self.pump(),
            Err(refusal) => {
                let rejected = self.recorder.emit(EventBody::Rejected {
                    input: number,
                    code: code_word(refusal.code).into(),
                    reason: refusal.message.as_str().into(),
                });
                self.recorder
                    .scoped(Cause::Event(rejected), |cx| self.parts.note_refusal(cx, input, refusal));
                if let Some(told) = &refusal.told {
                    self.recorder.emit(EventBody::Happened {
                        speaker: told.speaker.clone(),
                        what: told.what.clone(),
                        importance: Importance::Low,
                        path: None,
                        facts: told.facts.clone(),
                        text: told.text.clone().into(),
                    });
                }
            }
        }
        self.tell_if_full();
        let looked_at = cfg!(debug_assertions) || self.weight() <= limits::CHECKED_BYTES;
        if let Some(broken) = looked_at.then(|| self.broken_invariant()).flatten() {
            self.recorder.emit(EventBody::InvariantBroken { text: broken.into() });
        }
        self.settle();
        Applied { input: number, outcome, diagnostics }
    }

    /// Fires the earliest timer, which is `due`. Rounds of the master without a change are skipped up to `pass_ms`; each
    /// still counts as a step. [`World::take_events`] returns the events.
    pub(crate) fn run_timer(&mut self, due: DueTimer, pass_ms: u64) {
        let DueTimer { at_ms, part } = due;
        debug_assert_eq!(self.next_timer(), Some(due), "another timer is the earliest");
        if let Part::Layer(number) = part
            && self.pass_quiet_rounds(number, pass_ms)
        {
            return;
        }
        self.pass_to(self.not_before(at_ms));
        self.begin();
        match part {
            Part::Fleet => self.parts.fire_fleet(&mut self.recorder),
            Part::Layer(number) => self.parts.fire_layer(number, &mut self.recorder),
            Part::Daemon(_, number) => {
                self.at_daemon(number, |daemon, cx, lend| daemon.fire(cx, lend));
            }
        }
        self.pump();
        self.tell_if_full();
        #[cfg(debug_assertions)]
        if self.steps >= self.next_check {
            // Large worlds are checked less often, since a check walks everything.
            self.next_check = self.steps + 1 + (self.weight() / (64 * 1024)).pow(2);
            let broken = self.broken_invariant();
            debug_assert!(broken.is_none(), "{broken:?} at {} ms", self.now_ms());
        }
        self.settle();
    }

    /// Skips rounds of a layer while nothing else is due before them; returns false if there is none to skip.
    fn pass_quiet_rounds(&mut self, number: u8, pass_ms: u64) -> bool {
        if self.instant.exhausted || self.instant.late {
            return false;
        }
        // At one instant the fleet comes before the layers, and the daemons after them.
        let before = self.parts.fleet_due().map(|at_ms| at_ms.saturating_sub(1));
        let beside = self.parts.layers.next_due_but(number);
        let behind = self.daemons.next_due().map(|(at_ms, ..)| at_ms);
        let until_ms = [before, beside, behind].into_iter().flatten().fold(pass_ms, u64::min);
        let passed = self.parts.layers.pass_quiet(number, SimTime(until_ms));
        let Some((last, count)) = passed else { return false };
        self.pass_to(last.ms());
        self.begin();
        self.steps += count - 1;
        true
    }

    /// Returns the earliest timer.
    pub(crate) fn next_timer(&self) -> Option<DueTimer> {
        let of = |at_ms, part| DueTimer { at_ms, part };
        let fleet = self.parts.fleet_due().map(|at_ms| of(at_ms, Part::Fleet));
        let layer = self.parts.layers.next_due().map(|(at_ms, number)| of(at_ms, Part::Layer(number)));
        let daemon =
            self.daemons.next_due().map(|(at_ms, service, number)| of(at_ms, Part::Daemon(service, number)));
        [fleet, layer, daemon].into_iter().flatten().min()
    }

    /// Returns the earliest timer if it fires by `until_ms`.
    pub(crate) fn timer_by(&self, until_ms: u64) -> Option<DueTimer> {
        self.next_timer().filter(|timer| self.not_before(timer.at_ms) <= until_ms)
    }

    /// Describes the first broken invariant.
    pub(crate) fn broken_invariant(&self) -> Option<String> {
        if self.next_timer().is_some_and(|timer| timer.at_ms < self.now_ms())
            && !self.instant.exhausted
            && !self.instant.late
        {
            return Some("a timer is due in the past".to_owned());
        }
        first_broken(&self.parts, &self.daemons)
    }

    /// Carries out an input under its own event. A refusal changes nothing.
    fn carry_out_or_restore(
        &mut self,
        number: u64,
        input: &Input,
        diagnostics: &mut Vec<serde_json::Value>,
    ) -> Result<serde_json::Value, Refusal> {
        let before = self.clone();
        let applied =
            self.recorder.emit(EventBody::InputApplied { input: number, text: describe(input).into() });
        self.recorder.set_cause(Cause::Event(applied));
        let outcome = self.perform(input, diagnostics);
        if outcome.is_err() {
            *self = before;
        }
        outcome
    }

    /// Counts a step and detects when an instant has reached its limit.
    fn begin(&mut self) {
        drop(self.recorder.hand_over());
        self.steps += 1;
        let now_ms = self.now_ms();
        if self.instant.at_ms != now_ms {
            let late = self.instant.exhausted
                || (self.instant.late && self.next_timer().is_some_and(|timer| timer.at_ms < now_ms));
            self.instant = Instant { at_ms: now_ms, steps: 0, quiet: 0, exhausted: false, late };
        }
        self.instant.steps = self.instant.steps.saturating_add(1);
        self.instant.quiet = self.instant.quiet.saturating_add(1);
        if self.instant.steps > LIMITS.events_per_instant && !self.instant.exhausted {
            self.exhaust("steps");
        }
    }

    fn exhaust(&mut self, limit: &str) {
        self.instant.exhausted = true;
        let text =
            if limit == "rounds" { "rounds of messages in one instant" } else { "steps in one instant" };
        self.recorder.emit(EventBody::LimitReached { limit: limit.into(), text: text.into() });
    }

    /// Reports once that the world has too many processes to continue.
    fn tell_if_full(&mut self) {
        let is_full = self.is_full();
        if is_full && !self.told_full {
            let text = Bound::Processes.text();
            self.recorder.emit(EventBody::LimitReached { limit: "processes".into(), text: text.into() });
        }
        self.told_full = is_full;
    }

    /// Delivers messages until none are left.
    fn pump(&mut self) {
        for _ in 0..LIMITS.rounds_per_instant {
            self.restart_daemons();
            let told = self.deliver_news();
            if !self.deliver_from_layers() && !told {
                return;
            }
        }
        if !self.instant.exhausted {
            self.exhaust("rounds");
        }
    }

    /// Accesses a daemon with the recorder and its parts.
    pub(crate) fn at_daemon<R>(
        &mut self,
        number: Number,
        work: impl FnOnce(&mut Daemon, &mut Cx, &mut Lend<'_>) -> R,
    ) -> Option<R> {
        let Self { daemons, recorder, parts, .. } = self;
        let now = recorder.now();
        let done = daemons
            .touch(number, |daemon| work(daemon, recorder, &mut Lend { parts: &mut *parts, number, now }));
        parts.drain(recorder);
        done
    }

    /// Delivers one round of each layer's events to the daemons, in the order of [`crate::layers`]; returns false if no daemon
    /// received any.
    fn deliver_from_layers(&mut self) -> bool {
        let mut heard = false;
        for layer in crate::layers::IN_TURN {
            let (layers, mut ground) = self.parts.split(self.recorder.now());
            let Some(count) = layers.begin_delivery(*layer, &mut self.recorder, &mut ground) else {
                continue;
            };
            self.parts.drain(&mut self.recorder);
            for left in (1..=count).rev() {
                heard |= self.deliver_one(*layer, left);
            }
        }
        heard
    }

    /// Delivers one event of a layer; returns false if no daemon received it.
    fn deliver_one(&mut self, layer: u8, left: usize) -> bool {
        let (layers, mut ground) = self.parts.split(self.recorder.now());
        let delivery = layers.deliver(layer, &mut self.recorder, &mut ground, left);
        self.parts.drain(&mut self.recorder);
        match delivery {
            None => false,
            Some(Delivery::Outside) => true,
            Some(Delivery::To(number, news)) => {
                self.at_daemon(number, |daemon, cx, lend| daemon.hear_from_layer(cx, lend, news));
                true
            }
            Some(Delivery::ToAll(news)) => {
                let all = self.daemons.of_dialect("");
                let hearers: Vec<Number> = all
                    .filter(|(_, daemon)| daemon.layer() == Some(news.layer))
                    .map(|(number, _)| number)
                    .collect();
                for number in &hearers {
                    let news = news.clone();
                    self.at_daemon(*number, |daemon, cx, lend| daemon.hear_from_layer(cx, lend, news));
                }
                !hearers.is_empty()
            }
        }
    }

    /// Reports machines and processes to the daemons concerned; returns false if there is nothing to report.
    fn deliver_news(&mut self) -> bool {
        let mut told = false;
        while let Some(News { daemon, event }) = self.parts.next_news() {
            told = true;
            let hearers = match daemon {
                Some(number) => vec![number],
                None => {
                    let all = self.daemons.of_dialect("");
                    all.filter(|(_, daemon)| daemon.layer().is_none()).map(|(number, _)| number).collect()
                }
            };
            for number in hearers {
                self.recorder.set_cause(event.cause);
                self.at_daemon(number, |daemon, cx, lend| daemon.hear(cx, lend, &event));
            }
        }
        told
    }

    /// Restarts the daemons that a fault has ended.
    fn restart_daemons(&mut self) {
        for (cause, target) in self.parts.take_restarts() {
            for number in self.daemons.numbers() {
                self.recorder.set_cause(cause);
                self.at_daemon(number, |daemon, cx, lend| daemon.restart(cx, lend, &target));
            }
        }
    }

    /// Starts a daemon without a service, if the dialect supports that.
    pub(crate) fn begin_empty(&mut self, dialect: &str) -> Option<Number> {
        let number = self.daemons.number();
        let mut lend = Lend { parts: &mut self.parts, number, now: self.recorder.now() };
        let daemon = crate::systems::code(dialect)?.empty(&mut self.recorder, &mut lend, number)?;
        self.parts.drain(&mut self.recorder);
        self.daemons.install(number, daemon);
        Some(number)
    }

    /// The dialects whose object kinds appear in a layer's API path and that have no daemon yet.
    pub(crate) fn systems_missing_at(&self, parts: &[&str]) -> Vec<&'static str> {
        if !crate::layers::own(parts) {
            return Vec::new();
        }
        let owners = crate::systems::DIALECTS.iter().filter(|dialect| (dialect.owns)(parts));
        owners
            .map(|dialect| dialect.word)
            .filter(|word| self.daemons.of_dialect(word).next().is_none())
            .collect()
    }

    /// Starts the systems whose object kinds appear in a layer's API path.
    pub(crate) fn begin_systems_at(&mut self, parts: &[&str]) {
        for word in self.systems_missing_at(parts) {
            self.begin_empty(word);
        }
    }

    /// Adds the reported events to the digest.
    fn settle(&mut self) {
        for fact in self.recorder.pending() {
            self.instant.quiet = 0;
            self.digest.write_u64(fact.at.ms());
            self.digest.write(&fact.cause);
            encode::write(&mut self.digest, &fact.body);
        }
    }

    /// Takes the events of the last step; events that are not taken are dropped at the next step.
    pub(crate) fn take_events(&mut self) -> impl Iterator<Item = Event> {
        let event = |fact: Recorded<EventBody>| Event {
            seq: fact.seq,
            at_ms: fact.at.ms(),
            cause: fact.cause,
            body: fact.body,
        };
        self.recorder.hand_over().map(event)
    }
}

/// Returns a refusal code as written in JSON.
pub(crate) fn code_word(code: RefusalCode) -> &'static str {
    match code {
        RefusalCode::NotFound => "not-found",
        RefusalCode::AlreadyDone => "already-done",
        RefusalCode::BadRequest => "bad-request",
        RefusalCode::Conflict => "conflict",
        RefusalCode::InvalidDefinition => "invalid-definition",
        RefusalCode::Unsupported => "unsupported",
        RefusalCode::LimitReached => "limit-reached",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genesis::Genesis;

    fn busy() -> World {
        let mut world = World::genesis(Genesis::default());
        let applied =
            world.run_input(&Written::of(Input::AddAgent(planarium_protocol::input::AddAgent::default())));
        assert!(applied.outcome.is_ok());
        world
    }

    #[test]
    fn ties_go_to_the_fleet_then_the_layers_then_the_services() {
        let daemon = |service, daemon| Part::Daemon(Number(service), Number(daemon));
        let mut parts = vec![daemon(1, 0), daemon(0, 2), Part::Layer(1), Part::Layer(0), Part::Fleet];
        parts.sort_unstable();
        assert_eq!(parts, [Part::Fleet, Part::Layer(0), Part::Layer(1), daemon(0, 2), daemon(1, 0)]);
        assert!((1, daemon(9, 9)) < (2, Part::Fleet), "time comes first");
    }

    #[test]
    fn an_endless_instant_is_cut_off_with_an_event() {
        let mut world = busy();
        world.run_timer(world.next_timer().expect("a timer"), 0);
        let at_ms = world.now_ms();
        world.instant.steps = LIMITS.events_per_instant;
        world.run_input(&Written::of(Input::OfferRound(planarium_protocol::input::OfferRound::default())));
        let events: Vec<Event> = world.take_events().collect();
        let limits =
            events.iter().filter(|event| matches!(event.body, EventBody::LimitReached { .. })).count();
        assert_eq!(limits, 1, "{events:?}");
        assert!(world.instant.exhausted);
        assert!(world.next_due_ms().is_some_and(|due| due > at_ms));
        world.run_timer(world.next_timer().expect("a timer"), 0);
        assert!(world.now_ms() > at_ms && !world.instant.exhausted);
    }

    #[test]
    fn an_idle_day_equals_running_every_round() {
        const DAY_MS: u64 = 24 * 3_600_000;
        let run = |pass_ms: u64| {
            let mut world = busy();
            let mut turns = 0;
            while let Some(due) = world.timer_by(DAY_MS) {
                world.run_timer(due, pass_ms);
                turns += 1;
            }
            (turns, (world.steps(), world.now_ms(), world.next_due_ms(), world.digest()))
        };
        let (turns, passing) = run(DAY_MS);
        assert!(turns < 5, "{turns}");
        assert_eq!((passing.1, passing.2), (DAY_MS, Some(DAY_MS + 1000)));
        assert_eq!(passing, run(0).1);
    }

    #[test]
    fn the_digest_covers_inputs_events_and_the_seed() {
        let one = busy();
        let other = {
            let mut world = World::genesis(Genesis::default());
            let input: Input = serde_json::from_str(r#"{"kind":"add-agent","count":1}"#).expect("an input");
            world.run_input(&Written::of(input));
            world
        };
        assert_eq!(one.seq(), other.seq());
        assert_ne!(one.digest(), other.digest(), "another input with the same events");
        assert_eq!(one.digest(), busy().digest());
    }
}
