//! Timers of a scheduler process.
//!
//! *Knows*: which timers are armed, their kinds and causes, when a cycle runs. *Must not know*: what one does when it
//! fires.
//!
//! *Invariant*: at most one cycle is armed; a process that has ended arms none.

mod cycles;

use super::Cx;
use cycles::Cycles;
use planarium_kernel::queue::Class;
use planarium_kernel::{Cause, EventQueue, SimTime, TimerId, Weight};

/// Offers of one batch are collected this long. *Units*: milliseconds.
pub const OFFER_BATCH_MS: u64 = 200;
/// Between two cycles without offers. *Units*: milliseconds.
pub const CYCLE_MS: u64 = 5_000;

/// A timer with the cause that was current when it was armed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timer {
    /// Cause of the events when it fires.
    pub(crate) cause: Cause,
    /// Its purpose.
    pub(crate) kind: TimerKind,
}

/// The purpose of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimerKind {
    /// Run a cycle.
    Cycle,
    /// Repeat pending kills.
    Kills,
    /// A delay may have ended.
    Backoff,
    /// Ask again for statuses that did not come.
    Reconcile,
    /// Request all statuses.
    ReconcileAll,
    /// A failed pod may have been away for too long.
    Replacement,
    /// Offers turned down for a short while have come again, if they still exist.
    OffersAgain,
    /// The package manager polls whether the service has been uninstalled.
    Removal,
    /// A service that leaves its framework to others has had its time.
    RemovalTimeout,
}

/// All timers.
#[derive(Clone, Debug, Weight)]
#[weight(queue)]
pub(crate) struct Timers {
    queue: EventQueue<Timer>,
    cycles: Cycles,
    kills: Option<TimerId>,
    backoff: Option<TimerId>,
    offers_again: Option<TimerId>,
    reconcile: Option<TimerId>,
    /// The process has ended.
    stopped: bool,
}

impl Timers {
    /// At the start of a process, whose first cycle is needed.
    pub(crate) fn new(now: SimTime) -> Self {
        Self {
            queue: EventQueue::new(),
            cycles: Cycles::new(now),
            kills: None,
            backoff: None,
            offers_again: None,
            reconcile: None,
            stopped: false,
        }
    }

    /// When the next timer is due.
    pub(crate) fn next_due(&self) -> Option<SimTime> {
        self.queue.next_due()
    }

    /// Takes the next timer that is due now.
    pub(crate) fn pop_due(&mut self, now: SimTime) -> Option<Timer> {
        let (_, _, timer) = self.queue.pop_due(now)?;
        match timer.kind {
            TimerKind::Cycle => self.cycles.fired(),
            TimerKind::OffersAgain => self.offers_again = None,
            _ => {}
        }
        Some(timer)
    }

    /// Pending timers that are not merely periodic.
    pub(crate) fn one_shots(&self) -> usize {
        self.queue.one_shots()
    }

    /// Arms a timer that is never cancelled.
    pub(crate) fn arm(&mut self, cx: &Cx, at: SimTime, class: Class, kind: TimerKind) -> TimerId {
        self.queue.push(at, class, Timer { cause: cx.cause(), kind })
    }

    /// Cancels the timer that was armed in a place, and arms another one there.
    fn rearm(
        &mut self,
        cx: &Cx,
        old: Option<TimerId>,
        at: Option<SimTime>,
        kind: TimerKind,
    ) -> Option<TimerId> {
        if let Some(id) = old {
            self.queue.cancel(id);
        }
        at.map(|at| self.arm(cx, at, Class::OneShot, kind))
    }

    /// Requests a cycle at the loop's next wake-up: something changed that it could act on.
    pub(crate) fn need_cycle(&mut self, cx: &Cx) {
        if !self.stopped {
            self.cycles.need();
            let at = self.cycles.next_wake(cx.now());
            self.arm_cycle(cx, at);
        }
    }

    /// Requests a cycle once a batch of offers has been collected.
    pub(crate) fn offers_came(&mut self, cx: &Cx) {
        self.arm_cycle(cx, cx.now().saturating_add(OFFER_BATCH_MS));
    }

    /// A cycle at this instant, unless one comes sooner.
    fn arm_cycle(&mut self, cx: &Cx, at: SimTime) {
        if self.cycles.due().is_some_and(|due| due <= at) {
            return;
        }
        self.disarm_cycle();
        let id = self.arm(cx, at, Class::OneShot, TimerKind::Cycle);
        self.cycles.armed(id, at);
    }

    /// Cancels the next cycle: one runs now.
    pub(crate) fn disarm_cycle(&mut self) {
        if let Some(id) = self.cycles.disarmed() {
            self.queue.cancel(id);
        }
    }

    /// Notes that a cycle runs now.
    pub(crate) fn cycle_runs(&mut self, now: SimTime) {
        self.cycles.runs(now);
    }

    /// Tells if something has changed that a cycle could act on.
    pub(crate) fn is_cycle_needed(&self) -> bool {
        self.cycles.is_needed()
    }

    /// When the next cycle runs, if one is due.
    pub(crate) fn next_cycle(&self) -> Option<SimTime> {
        self.cycles.due()
    }

    /// Wakes when the next delay ends.
    pub(crate) fn arm_backoff(&mut self, cx: &Cx, at: Option<SimTime>) {
        self.backoff = self.rearm(cx, self.backoff, at, TimerKind::Backoff);
    }

    /// Ensures that pending kills are repeated; `due` returns the first repetition, and is asked only if there is no timer yet.
    pub(crate) fn arm_kills(&mut self, cx: &Cx, due: impl FnOnce() -> Option<SimTime>) {
        let armed = self.kills.is_some_and(|id| self.queue.is_armed(id));
        if !armed && let Some(at) = due() {
            self.kills = Some(self.arm(cx, at.max(cx.now()), Class::Periodic, TimerKind::Kills));
        }
    }

    /// Notes when offers that were turned down come again.
    pub(crate) fn arm_offers_again(&mut self, cx: &Cx, at: SimTime) {
        self.offers_again = self.rearm(cx, self.offers_again, Some(at), TimerKind::OffersAgain);
    }

    /// Asks again for statuses at an instant.
    pub(crate) fn arm_reconcile(&mut self, cx: &Cx, at: SimTime) {
        self.reconcile = Some(self.arm(cx, at, Class::OneShot, TimerKind::Reconcile));
    }

    /// All statuses have come.
    pub(crate) fn disarm_reconcile(&mut self) {
        if let Some(id) = self.reconcile.take() {
            self.queue.cancel(id);
        }
    }

    /// Drops all timers and arms no cycle any more: the process has ended.
    pub(crate) fn stop(&mut self) {
        let mut cycles = self.cycles.clone();
        cycles.stop();
        *self = Self { cycles, stopped: true, ..Self::new(SimTime::ZERO) };
    }
}
