//! Moves the cursor forward: replays recorded inputs, then simulates beyond them.
//!
//! Knows: how to choose between the next recorded input and the next timer, and when to stop.
//! Must not know: what a step does.
//!
//! *Invariant*: splitting a run into advances changes nothing.

use super::Engine;
use super::branch::Position;
use crate::condition::Condition;
use crate::input::Written;
use crate::limits::{self, Bound};
use crate::step::DueTimer;
use planarium_kernel::journal::Entry;
use planarium_protocol::{Event, EventBody, Input};
use serde::Serialize;
use std::sync::Arc;

/// Longest silence for which an advance waits for an event. *Units*: milliseconds.
const QUIET_MS: u64 = 24 * 3_600_000;

/// Result of an advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Advanced {
    /// Virtual time now. *Units*: milliseconds since genesis.
    pub now_ms: u64,
    /// Events passed, recorded or new.
    pub events: u64,
    /// No further change will happen.
    pub idle: bool,
    /// The advance stopped at a bound before its target.
    pub limit_reached: bool,
    /// That bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Bound>,
    /// The advance reached its target: the instant, the number of events, the condition.
    pub met: bool,
}

/// The next thing on a branch.
pub(super) enum Next {
    /// A recorded input.
    Recorded(Arc<Entry<Written>>),
    /// The earliest timer.
    Timer {
        due: DueTimer,
        /// Idle rounds may be skipped up to this instant. *Units*: milliseconds.
        pass_ms: u64,
    },
    /// Nothing within the time given.
    Nothing,
}

/// Why a run stopped.
enum Stop {
    /// The target is reached.
    Met,
    /// Nothing more would come.
    Idle,
    /// A bound.
    Limit(Bound),
}

impl Engine {
    /// Advances to the instant `ms` and finishes its work. An earlier instant changes nothing.
    pub fn advance_to(&mut self, ms: u64) -> Advanced {
        let from = self.seq();
        let target = ms.min(limits::TIME_MS);
        for _ in 0..self.steps_per_advance {
            if let Some(bound) = self.full() {
                return self.advanced(from, &Stop::Limit(bound));
            }
            match self.next(target) {
                Next::Nothing => {
                    self.pass_to(target);
                    let stop = if target < ms { Stop::Limit(Bound::Time) } else { Stop::Met };
                    return self.advanced(from, &stop);
                }
                next => {
                    self.take_step(next);
                }
            }
        }
        self.advanced(from, &Stop::Limit(Bound::Steps))
    }

    /// Advances to the instant `ms` without its work, if `input` is applied before that work; returns whether it is.
    pub fn advance_to_before(&mut self, ms: u64, input: &Input) -> bool {
        self.cut_off = false;
        let Some(before) = ms.checked_sub(1).filter(|before| *before >= self.now_ms()) else { return false };
        self.advance_to(before);
        let there = self.now_ms() == before && self.at_head() && ms <= limits::TIME_MS;
        if !there || !self.world.daemons.comes_first(input) {
            return false;
        }
        self.pass_to(ms);
        true
    }

    /// Moves on by `ms` milliseconds.
    pub fn advance_for(&mut self, ms: u64) -> Advanced {
        self.advance_to(self.now_ms().saturating_add(ms))
    }

    /// Advances until at least `n` events have happened, to the end of the last one's step.
    pub fn advance_events(&mut self, n: u64) -> Advanced {
        let goal = self.seq().saturating_add(n);
        self.run(self.now_ms().saturating_add(QUIET_MS), |engine| engine.seq() >= goal)
    }

    /// Advances until the displayed status of an element changes, past at most [`limits::EVENTS_WITHOUT_CHANGE`]
    /// other events.
    pub fn advance_status_change(&mut self) -> Advanced {
        let from = self.seq();
        let (mut seen, mut met) = (from, false);
        let stop = self.run_from(self.now_ms().saturating_add(QUIET_MS), true, |engine| {
            met = engine.news(seen).any(is_status_change);
            seen = engine.seq();
            met || seen - from > limits::EVENTS_WITHOUT_CHANGE
        });
        let stop = if matches!(stop, Stop::Met) && !met { Stop::Limit(Bound::Unchanged) } else { stop };
        self.advanced(from, &stop)
    }

    /// Advances until the world is idle, at most `limit_ms` milliseconds.
    pub fn advance_until_idle(&mut self, limit_ms: u64) -> Advanced {
        self.run_until(&Condition::Idle, limit_ms)
    }

    /// Advances until a condition holds, at most `limit_ms` milliseconds. Also stops in an idle world, where nothing
    /// changes any more.
    pub fn run_until(&mut self, condition: &Condition, limit_ms: u64) -> Advanced {
        let from = self.seq();
        let end = self.now_ms().saturating_add(limit_ms);
        // Also stop at an instant that the condition names.
        let instant = condition.latest_ms().filter(|ms| *ms > self.now_ms() && *ms <= end);
        if let Some(ms) = instant {
            let early = self.run_while_open(condition, ms, false);
            if matches!(early, Stop::Met) || self.now_ms() < ms {
                return self.advanced(from, &early);
            }
        }
        let stop = self.run_while_open(condition, end, true);
        self.advanced(from, &stop)
    }

    /// Advances until the condition holds, not beyond `end`.
    fn run_while_open(&mut self, condition: &Condition, end: u64, stop_when_idle: bool) -> Stop {
        let mut seen = self.seq();
        let mut held = self.holds(condition);
        if held {
            return Stop::Met;
        }
        self.run_from(end, stop_when_idle, |engine| {
            let mut news = engine.news(seen);
            // Check statuses only after events that may change them.
            if !condition.asks_for_status() || news.any(|event| condition.may_change_with(event)) {
                held = engine.holds(condition);
            }
            seen = engine.seq();
            held
        })
    }

    fn holds(&self, condition: &Condition) -> bool {
        let status_at = |element: &str| self.world.daemons.status_at(element);
        condition.holds(self.now_ms(), &|| self.idle(), &status_at)
    }

    fn run(&mut self, end: u64, met: impl FnMut(&Self) -> bool) -> Advanced {
        let from = self.seq();
        let stop = self.run_from(end, true, met);
        self.advanced(from, &stop)
    }

    /// Takes steps until `met`, called after every step, or until `end`.
    fn run_from(&mut self, end: u64, stop_when_idle: bool, mut met: impl FnMut(&Self) -> bool) -> Stop {
        let clamped = end.min(limits::TIME_MS);
        for _ in 0..self.steps_per_advance {
            if stop_when_idle && self.idle() {
                return Stop::Idle;
            }
            if let Some(bound) = self.full() {
                return Stop::Limit(bound);
            }
            match self.next(clamped) {
                Next::Nothing => {
                    self.pass_to(clamped);
                    let bound = if clamped < end { Bound::Time } else { Bound::Span };
                    return if met(self) { Stop::Met } else { Stop::Limit(bound) };
                }
                next => self.take_step(next),
            }
            if met(self) {
                return Stop::Met;
            }
        }
        Stop::Limit(Bound::Steps)
    }

    fn advanced(&mut self, from: u64, stop: &Stop) -> Advanced {
        let limit = match stop {
            Stop::Limit(bound) => Some(*bound),
            Stop::Met | Stop::Idle => None,
        };
        self.cut_off = limit == Some(Bound::Steps);
        Advanced {
            now_ms: self.now_ms(),
            events: self.seq().saturating_sub(from),
            idle: self.idle(),
            limit_reached: limit.is_some(),
            limit,
            met: matches!(stop, Stop::Met),
        }
    }

    /// Returns the bound that stops the branch at its head, if any.
    pub(super) fn full(&self) -> Option<Bound> {
        if !self.at_head() {
            return None;
        }
        if self.log.len() >= limits::EVENTS {
            return Some(Bound::Events);
        }
        self.world.is_full().then_some(Bound::Processes)
    }

    /// Returns the bound that stops time, or that stopped the last advance before its target.
    pub fn limit(&self) -> Option<Bound> {
        let ended = self.at_head() && self.now_ms() >= limits::TIME_MS;
        let at = self.full().or_else(|| ended.then_some(Bound::Time));
        at.or_else(|| self.cut_off.then_some(Bound::Steps))
    }

    /// Limits the steps of each advance, so that a driver can check its clock in between. The run does not depend on it.
    pub fn set_steps_per_advance(&mut self, steps: u64) {
        self.steps_per_advance = steps.clamp(1, limits::STEPS_PER_ADVANCE);
    }

    /// Returns whether the last advance stopped at its step limit: another call continues.
    pub fn was_cut_off(&self) -> bool {
        self.cut_off
    }

    /// Returns the next step, not later than `until_ms`.
    pub(super) fn next(&self, until_ms: u64) -> Next {
        let timer = self.world.next_timer();
        let due = timer.map(|timer| self.world.not_before(timer.at_ms));
        if let Some(entry) = self.branch.entry_after(self.world.inputs())
            && entry.at_ms <= until_ms
            && self.is_next(entry, due)
        {
            return Next::Recorded(Arc::clone(entry));
        }
        let Some(due) = timer.filter(|_| due.is_some_and(|due| due <= until_ms)) else {
            return Next::Nothing;
        };
        // A recorded input is applied between the rounds of its own instant.
        let recorded = self.next_entry().map(|entry| entry.at_ms);
        let head = (!self.at_head()).then(|| self.head_ms());
        let before = recorded.into_iter().chain(head).min();
        Next::Timer { due, pass_ms: before.map_or(until_ms, |ms| until_ms.min(ms.saturating_sub(1))) }
    }

    /// Returns whether a recorded input precedes the earliest timer.
    fn is_next(&self, entry: &Entry<Written>, due: Option<u64>) -> bool {
        match due {
            None => true,
            Some(due) if due > entry.at_ms => true,
            // Within its instant, after the event it names.
            Some(due) => {
                due == entry.at_ms
                    && entry
                        .after_event
                        .is_some_and(|seq| self.has_come_to(entry.at_ms, seq, entry.after_quiet))
            }
        }
    }

    /// Returns whether event `seq` has happened, and `quiet` steps of the instant `ms` without an event after it.
    pub(super) fn has_come_to(&self, ms: u64, seq: u64, quiet: u32) -> bool {
        self.seq() > seq || (self.seq() == seq && self.world.quiet_steps(ms) >= quiet)
    }

    /// Takes one step and records new results.
    pub(super) fn take_step(&mut self, next: Next) {
        match next {
            Next::Nothing => return,
            Next::Timer { due, pass_ms } => self.world.run_timer(due, pass_ms),
            Next::Recorded(entry) => {
                self.world.pass_to(entry.at_ms);
                self.world.run_input(&entry.input);
                debug_assert!(
                    entry.digest.is_none_or(|digest| digest == self.world.digest()),
                    "replay of input {} went another way",
                    entry.seq
                );
            }
        }
        self.extend();
    }

    /// Lets time pass without a step.
    pub(super) fn pass_to(&mut self, ms: u64) {
        self.world.pass_to(ms);
        if Position::of(&self.world) > self.branch.head() {
            self.branch.move_head(&self.world);
        }
    }

    /// Keeps the events of the last step if it went beyond the head. The log already has replayed events, except
    /// forgotten ones.
    pub(super) fn extend(&mut self) {
        let is_replay = self.world.steps() <= self.branch.head().steps;
        self.replayed.clear();
        let events = self.world.take_events();
        if is_replay {
            let forgotten = self.log.forgotten();
            for event in events {
                if event.seq <= forgotten {
                    self.replayed.push(event);
                    continue;
                }
                debug_assert_eq!(
                    self.log.between(event.seq - 1, event.seq).first(),
                    Some(&event),
                    "replay reported other events"
                );
            }
            return;
        }
        self.log.append(events);
        self.trail.clear();
        let before = self.branch.head().seq;
        self.branch.move_head(&self.world);
        self.branch.checkpoints.offer(&self.world, before);
    }
}

fn is_status_change(event: &Event) -> bool {
    matches!(event.body, EventBody::ElementStatus { .. })
}
