//! Moving the cursor: playing, stepping, seeking.

use super::Host;
use super::lesson;
use super::story::Waits;
use super::windows;
use planarium_messages::facts::Fact;
use planarium_messages::questions::Toward;
use planarium_world::Condition;
use planarium_world::limits::Bound;

/// Most virtual time played in one frame; a tab that was hidden does not catch up. *Units*: milliseconds.
pub const FRAME_MS: u64 = 64 * 250;

/// Most instants that a script or a lesson lets one run to a condition stop at.
const MOST_LEGS: u32 = 100_000;

impl Host {
    /// A frame of play.
    pub(crate) fn play(&mut self, ms: u64) -> Vec<Fact> {
        let stopped = self.play_on(ms);
        let mut facts = self.unseen();
        facts.extend(stopped);
        facts
    }

    /// Plays a frame that is shown together with the next one, unless it is the last.
    pub(crate) fn play_ahead(&mut self, ms: u64) -> Vec<Fact> {
        let mut stopped = self.play_on(ms);
        let over = lesson::verdict_waits(self);
        if over || !stopped.is_empty() {
            stopped.splice(..0, self.unseen());
        }
        if over {
            stopped.extend(lesson::lesson_report(self));
        }
        stopped
    }

    /// Reports changes that were played but not shown.
    pub(crate) fn unseen(&mut self) -> Vec<Fact> {
        if self.unseen { self.news() } else { Vec::new() }
    }

    /// Advances the world; returns why it stops.
    fn play_on(&mut self, ms: u64) -> Vec<Fact> {
        // At rest the clock stops but play stays on: the next input restarts it.
        if self.at_rest() {
            return Vec::new();
        }
        let whole = ms.min(FRAME_MS);
        if whole == 0 {
            return Vec::new();
        }
        let target = self.shown.engine.now_ms().saturating_add(whole);
        let target = self.move_to(target);
        self.unseen = true;
        let mut stopped = self.stopped_before(target);
        if !stopped.is_empty() {
            stopped.insert(0, Fact::Stopped);
        }
        stopped
    }

    /// Reports which bound stops time before an instant; nothing if the instant is reached.
    fn stopped_before(&self, target: u64) -> Vec<Fact> {
        let engine = &self.shown.engine;
        if engine.now_ms() >= target {
            return Vec::new();
        }
        let why = engine.limit().map_or_else(|| "time does not go on".to_owned(), Bound::text);
        vec![Fact::Refused(format!("The run is paused: {why}.").into())]
    }

    /// Starts play; if nothing can happen any more, reports that immediately.
    pub(crate) fn begin_play(&mut self) -> Vec<Fact> {
        if self.at_rest() {
            let text = "Nothing more will happen by itself, and nothing is scheduled. Step back, do something, or start over.";
            return vec![Fact::Rested(text.into())];
        }
        Vec::new()
    }

    fn at_rest(&self) -> bool {
        let engine = &self.shown.engine;
        engine.at_head()
            && engine.idle()
            && !matches!(self.waits(), Waits::Until(_))
            && self.scheduled_ms().is_none()
            && !lesson::is_open(self)
    }

    /// Returns the next begin or end of a maintenance window. The engine may have no work at it, but it was scheduled on
    /// purpose.
    pub(crate) fn scheduled_ms(&self) -> Option<u64> {
        let engine = &self.shown.engine;
        let (now, view) = (engine.now_ms(), engine.view());
        windows::turns(&view.cluster, engine.epoch_ms()).into_iter().filter(|at| *at > now).min()
    }

    /// Moves forward to an instant, or to a lesson's verdict if that comes first. Returns the target.
    pub(crate) fn move_to(&mut self, target: u64) -> u64 {
        let target = lesson::until_verdict(self, target);
        self.play_to(target);
        target
    }

    /// Moves forward to an instant and plays the script on the way if it belongs to this branch.
    pub(crate) fn play_to(&mut self, target: u64) {
        let branch = self.seen.branch;
        let shown = &mut self.shown;
        match &mut shown.player {
            Some((player, on)) if *on == branch && !player.done() => {
                player.advance_to(&mut shown.engine, target);
                if self.served.is_some() {
                    shown.narration.overhear(player, branch);
                } else {
                    shown.narration.take(player, branch);
                }
            }
            _ => {
                shown.engine.advance_to(target);
            }
        }
    }

    /// Runs until a condition holds, at most `limit_ms` milliseconds, and plays the script on the way. Stops where nothing more
    /// happens by itself, and at a lesson's verdict. Returns whether the condition holds.
    pub(crate) fn run_until(&mut self, condition: &Condition, limit_ms: u64) -> bool {
        let end = self.shown.engine.now_ms().saturating_add(limit_ms);
        for _ in 0..MOST_LEGS {
            let waits = self.waits();
            let in_lesson = self.shown.lesson.is_some();
            let engine = &mut self.shown.engine;
            let (now, at_head) = (engine.now_ms(), engine.at_head());
            // The engine alone knows neither the script nor the lesson.
            let alone = match waits {
                _ if in_lesson => now,
                _ if !at_head => engine.head_ms(),
                Waits::Until(due) => due.saturating_sub(1),
                Waits::Condition => now,
                Waits::Nothing => end,
            };
            if engine.run_until(condition, alone.min(end).saturating_sub(now)).met {
                return true;
            }
            let over = engine.now_ms() >= end || at_head && !in_lesson && matches!(waits, Waits::Nothing);
            let due = match waits {
                Waits::Until(due) => Some(due),
                Waits::Condition | Waits::Nothing => None,
            };
            let next = match engine.next_event_ms() {
                _ if !engine.at_head() => Some(engine.head_ms()),
                next if in_lesson || due.is_none() => {
                    let timed = condition.latest_ms().filter(|ms| *ms > now);
                    next.into_iter().chain(due).chain(timed).min()
                }
                _ => due,
            };
            let Some(next) = next.filter(|_| !over) else { return false };
            let (before, target) = (engine.place(), next.min(end));
            let open = lesson::is_open(self);
            self.move_to(target);
            let verdict = open && !lesson::is_open(self);
            // An entry of the script that only tells something leaves the world as it is.
            let told = due.is_some_and(|due| due <= target);
            if verdict || !told && self.shown.engine.place() == before {
                return self.shown.engine.run_until(condition, 0).met;
            }
        }
        false
    }

    /// Reports the result of a move.
    pub(crate) fn news(&mut self) -> Vec<Fact> {
        vec![self.moved()]
    }

    pub(crate) fn step_event(&mut self, toward: Toward) -> Vec<Fact> {
        match toward {
            Toward::Back => {
                self.shown.engine.step_back();
                self.news()
            }
            Toward::Ahead => self.told_ahead(|host| {
                host.ahead(|engine| {
                    engine.advance_events(1);
                });
            }),
        }
    }

    pub(crate) fn step_status(&mut self, toward: Toward) -> Vec<Fact> {
        match toward {
            Toward::Back => {
                self.back_to_status();
                self.news()
            }
            Toward::Ahead => self.told_ahead(Self::ahead_to_status),
        }
    }

    /// Steps forward; reports the bound if the cursor does not move.
    fn told_ahead(&mut self, go: impl FnOnce(&mut Self)) -> Vec<Fact> {
        let place = |host: &Self| (host.shown.engine.seq(), host.shown.engine.now_ms());
        let before = place(self);
        go(self);
        let mut facts = self.news();
        if place(self) == before && self.shown.engine.limit().is_some() {
            facts.extend(self.stopped_before(u64::MAX));
        }
        facts
    }

    /// Steps forward by one event; at the head, script entries come first.
    fn ahead(&mut self, step: impl FnOnce(&mut planarium_world::Engine)) {
        let engine = &mut self.shown.engine;
        if !engine.at_head() {
            step(engine);
            return;
        }
        let next = engine.next_event_ms();
        let idle = engine.idle();
        match self.waits() {
            Waits::Until(due) if idle || next.is_none_or(|next| due <= next) => {
                self.move_to(due);
            }
            Waits::Nothing => match self.scheduled_ms().filter(|_| idle) {
                Some(due) => {
                    self.move_to(due);
                }
                None => step(&mut self.shown.engine),
            },
            Waits::Until(_) | Waits::Condition => {
                if !idle && let Some(next) = next {
                    self.move_to(next);
                }
            }
        }
    }

    fn ahead_to_status(&mut self) {
        let at_head = self.shown.engine.at_head();
        if !at_head || matches!(self.waits(), Waits::Nothing) {
            self.shown.engine.advance_status_change();
            return;
        }
        // With a running script, advance instant by instant so that its entries are played.
        for _ in 0..10_000 {
            let before = self.shown.engine.seq();
            let now = self.shown.engine.now_ms();
            self.ahead(|engine| {
                engine.advance_events(1);
            });
            let changed = self
                .shown
                .engine
                .events_since(before)
                .iter()
                .any(|event| matches!(event.body, planarium_protocol::EventBody::ElementStatus { .. }));
            let stood_still = self.shown.engine.seq() == before && self.shown.engine.now_ms() == now;
            if changed || stood_still {
                return;
            }
        }
    }

    fn back_to_status(&mut self) {
        let engine = &mut self.shown.engine;
        let (seq, now) = (engine.seq(), engine.now_ms());
        let mut before = seq;
        while let Some(target) = last_status(engine, before) {
            engine.seek_seq(target);
            if engine.seq() < seq || engine.now_ms() < now {
                return;
            }
            before = target;
        }
        engine.seek_ms(0);
    }

    pub(crate) fn step_mark(&mut self, toward: Toward) -> Vec<Fact> {
        let now = self.shown.engine.now_ms();
        let marks = &self.seen.lanes.gantt.marks;
        let target = match toward {
            Toward::Back => marks.iter().rev().map(|mark| mark.at_ms).find(|at| *at < now).or(Some(0)),
            Toward::Ahead => marks.iter().map(|mark| mark.at_ms).find(|at| *at > now),
        };
        self.seek_ms(target.unwrap_or_else(|| self.shown.engine.head_ms()))
    }

    /// Goes to any instant; simulates further if it is beyond the head.
    pub(crate) fn seek_ms(&mut self, ms: u64) -> Vec<Fact> {
        let head = self.shown.engine.head_ms();
        self.shown.engine.seek_ms(ms.min(head));
        if ms <= head {
            return self.news();
        }
        self.move_to(ms);
        let mut facts = self.news();
        facts.extend(self.stopped_before(ms));
        facts
    }

    pub(crate) fn seek_seq(&mut self, seq: u64) -> Vec<Fact> {
        self.shown.engine.seek_seq(seq);
        vec![self.moved()]
    }
}

/// The last status change before event `seq`.
fn last_status(engine: &mut planarium_world::Engine, seq: u64) -> Option<u64> {
    let (mut to, mut many) = (seq.saturating_sub(1), 64);
    while to > 0 {
        let after = to.saturating_sub(many);
        let mut found = None;
        engine.recall_each(after, to, &mut |event| {
            if matches!(event.body, planarium_protocol::EventBody::ElementStatus { .. }) {
                found = Some(event.seq);
            }
        });
        if found.is_some() {
            return found;
        }
        (to, many) = (after, many * 4);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusals(facts: &[Fact]) -> Vec<&str> {
        let mut told = Vec::new();
        for fact in facts {
            if let Fact::Refused(text) = fact {
                told.push(&**text);
            }
        }
        told
    }

    #[test]
    fn a_run_that_a_bound_pauses_says_which() {
        let mut host = Host::new(|_| {});
        assert_eq!(refusals(&host.seek_ms(60_000)), [""; 0]);
        let facts = host.seek_ms(u64::MAX);
        assert_eq!(refusals(&facts), ["The run is paused: a world ends after a hundred years."]);
        let facts = host.step_event(Toward::Ahead);
        assert_eq!(refusals(&facts), ["The run is paused: a world ends after a hundred years."]);
        assert_eq!(refusals(&host.step_event(Toward::Back)), [""; 0]);
    }
}
