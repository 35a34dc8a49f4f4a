//! When a cycle runs, and what one does from offers to declines.
//!
//! *Knows*: the batch and cycle waits, the client status table, the order of a cycle.
//! *Must not know*: how a candidate is worked on.
//!
//! **Source**: `dcos-commons: …/framework/OfferProcessor.java, …/scheduler/DefaultScheduler.java
//! (client status)`. Match.

use super::plan::PlanKind;
use super::requirement::Recovery;
use super::revive::{WorkKey, WorkSet};
use super::{CYCLE_MS, Cx, OFFER_BATCH_MS, Request, Scheduler, Timer, TimerKind};
use planarium_kernel::queue::Class;
use planarium_kernel::{EventQueue, SimTime, TimerId};
use planarium_mesos::api::{Call, Offer};
use planarium_plan::{Element, Status};
use std::sync::Arc;

/// Offers kept between two cycles at most.
const QUEUE: usize = 100;
/// Decline when there is nothing to do with an offer. *Units*: milliseconds.
const DECLINE_LONG_MS: u64 = 3_600_000;
/// Decline when the scheduler is not ready. *Units*: milliseconds.
const DECLINE_SHORT_MS: u64 = 5_000;

/// Between two runs of the master's allocator, at most. *Units*: milliseconds.
const ALLOCATION_MS: u64 = 1_000;

/// The clock of cycles.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    timer: Option<(TimerId, SimTime)>,
    /// When the last one ran, or the process started.
    last: SimTime,
    /// Something has changed that a cycle could act on.
    needed: bool,
}

impl Cycle {
    /// The process starts; its first cycle is needed.
    pub(super) fn new(now: SimTime) -> Self {
        Self { timer: None, last: now, needed: true }
    }

    pub(super) fn is_needed(&self) -> bool {
        self.needed
    }

    pub(super) fn due(&self) -> Option<SimTime> {
        self.timer.map(|(_, at)| at)
    }

    pub(super) fn fired(&mut self) {
        self.timer = None;
    }

    pub(super) fn disarm(&mut self, timers: &mut EventQueue<Timer>) {
        if let Some((id, _)) = self.timer.take() {
            timers.cancel(id);
        }
    }

    /// Nothing is left to do.
    pub(super) fn stop(&mut self) {
        self.timer = None;
        self.needed = false;
    }

    /// A cycle at this instant, unless one comes sooner.
    fn arm(&mut self, cx: &Cx, timers: &mut EventQueue<Timer>, at: SimTime) {
        if self.timer.is_some_and(|(_, due)| due <= at) {
            return;
        }
        self.disarm(timers);
        let timer = Timer { cause: cx.cause(), kind: TimerKind::Cycle };
        self.timer = Some((timers.push(at, Class::OneShot, timer), at));
    }

    /// The next instant at which the loop wakes without offers: a whole number of waits after the last.
    fn next_wake(&self, now: SimTime) -> SimTime {
        let waits = now.since(self.last).div_ceil(CYCLE_MS).max(1);
        self.last.saturating_add(waits.saturating_mul(CYCLE_MS))
    }
}

/// What the scheduler is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientStatus {
    /// Nothing to do: no offers wanted.
    Idle,
    /// Reserving.
    Footprint,
    /// Launching.
    Launching,
}

impl Scheduler {
    /// Something changed that a cycle could act on: one runs when the loop wakes next.
    pub(super) fn need_cycle(&mut self, cx: &Cx) {
        if self.torn_down {
            return;
        }
        self.cycle.needed = true;
        let at = self.cycle.next_wake(cx.now());
        self.cycle.arm(cx, &mut self.timers, at);
    }

    /// Offers came in.
    pub(super) fn take_offers(&mut self, cx: &mut Cx, offers: Vec<Arc<Offer>>, out: &mut Vec<Request>) {
        if offers.is_empty() {
            return;
        }
        self.revive.offers_came();
        let room = QUEUE.saturating_sub(self.offers.len());
        let mut offers = offers;
        let overflow = offers.split_off(room.min(offers.len()));
        self.offers.append(&mut offers);
        self.decline_shortly(cx, &overflow, out);
        let at = cx.now().saturating_add(OFFER_BATCH_MS);
        self.cycle.arm(cx, &mut self.timers, at);
        self.touch_service(cx);
    }

    /// Turns offers down for a short while. They come again with the allocator's next run after it; until
    /// then the loop is not at rest.
    fn decline_shortly(&mut self, cx: &Cx, offers: &[Arc<Offer>], out: &mut Vec<Request>) {
        if offers.is_empty() {
            return;
        }
        decline(cx, offers, DECLINE_SHORT_MS, out);
        if let Some(id) = self.coming_again.take() {
            self.timers.cancel(id);
        }
        let at = cx.now().saturating_add(DECLINE_SHORT_MS + ALLOCATION_MS);
        let timer = Timer { cause: cx.cause(), kind: TimerKind::OffersAgain };
        self.coming_again = Some(self.timers.push(at, Class::OneShot, timer));
    }

    /// Turns offers down that are of no use to anything that is to be done.
    fn decline_long(&mut self, cx: &Cx, offers: &[Arc<Offer>], out: &mut Vec<Request>) {
        decline(cx, offers, DECLINE_LONG_MS, out);
        let until = cx.now().saturating_add(DECLINE_LONG_MS);
        self.declined.note(until, cx.now(), offers.iter().map(|offer| offer.hostname.clone()));
    }

    /// One cycle.
    pub(super) fn run_cycle(&mut self, cx: &mut Cx, out: &mut Vec<Request>) {
        self.cycle.last = cx.now();
        self.cycle.needed = false;
        let offers = std::mem::take(&mut self.offers);
        if self.torn_down {
            return;
        }
        if !self.subscribed {
            self.decline_shortly(cx, &offers, out);
            return;
        }
        let candidates = self.coordinate(cx);
        self.note_completion();
        match self.client_status() {
            ClientStatus::Idle => {
                if self.revive.idle() {
                    out.push(Request { cause: cx.cause(), call: Call::Suppress { roles: Vec::new() } });
                }
                self.decline_long(cx, &offers, out);
            }
            // Its turn to reserve has not come.
            ClientStatus::Footprint if self.barred => decline(cx, &offers, DECLINE_LONG_MS, out),
            // What is to be done is known; offers wait for the statuses.
            ClientStatus::Footprint | ClientStatus::Launching if self.is_reconciling() => {
                let work = self.work_set(&candidates);
                self.revive.working(work);
                let unused = self.clean_up(cx, offers, out);
                self.decline_shortly(cx, &unused, out);
            }
            ClientStatus::Footprint | ClientStatus::Launching => {
                let work = self.work_set(&candidates);
                self.revive.working(work);
                let unused = self.process(cx, &candidates, offers, out);
                let unused = self.clean_up(cx, unused, out);
                self.decline_long(cx, &unused, out);
            }
        }
        if self.torn_down {
            return;
        }
        if self.revive.take(cx.now()) {
            self.declined.clear();
            out.push(Request { cause: cx.cause(), call: Call::Revive { roles: Vec::new() } });
        }
        if self.revive.is_requested() {
            self.need_cycle(cx);
        }
        self.touch_service(cx);
    }

    /// The deploy plan was seen complete.
    fn note_completion(&mut self) {
        if !self.is_uninstalling() && self.deploy().is_some_and(super::plan::Plan::is_complete) {
            self.completed_once = true;
        }
    }

    /// The first row that holds.
    pub(super) fn client_status(&self) -> ClientStatus {
        let status = |plan: &super::plan::Plan| plan.tree.status(Element::Plan);
        let mut plans = self.plans.iter();
        if plans.all(|plan| matches!(status(plan), Status::Complete | Status::Delayed)) {
            return ClientStatus::Idle;
        }
        let deploying = self.deploy().is_some_and(|plan| !plan.is_complete());
        if deploying || self.has_permanent_recovery() {
            return ClientStatus::Footprint;
        }
        let at_work = self.plans.iter().any(|plan| {
            matches!(
                status(plan),
                Status::Pending | Status::InProgress | Status::Prepared | Status::Starting | Status::Started
            )
        });
        if at_work { ClientStatus::Launching } else { ClientStatus::Idle }
    }

    fn has_permanent_recovery(&self) -> bool {
        let mut recovery =
            self.plans.iter().filter(|plan| plan.kind == PlanKind::Recovery && !plan.is_complete());
        recovery.any(|plan| {
            plan.tree.all_steps().any(|step| {
                !plan.tree.status(Element::Step(step)).is_complete()
                    && plan.requirement(step).is_some_and(|r| r.recovery == Recovery::Permanent)
            })
        })
    }

    /// Candidates and running steps, by what they need.
    fn work_set(&self, candidates: &[planarium_plan::Holder]) -> WorkSet {
        let mut work = WorkSet::with_room(candidates.len());
        let candidates = candidates.iter().filter_map(|holder| self.work_key(*holder));
        candidates.for_each(|key| work.insert(key));
        for plan in &self.plans {
            let running = plan.tree.working().filter_map(|step| plan.step(step)?.work);
            running.for_each(|key| work.insert(key));
        }
        work
    }

    fn work_key(&self, holder: planarium_plan::Holder) -> Option<WorkKey> {
        self.step_data(holder)?.work
    }
}

/// Turns offers down.
pub(super) fn decline(cx: &Cx, offers: &[Arc<Offer>], refuse_ms: u64, out: &mut Vec<Request>) {
    if !offers.is_empty() {
        let offer_ids = offers.iter().map(|offer| offer.id).collect();
        out.push(Request {
            cause: cx.cause(),
            call: Call::Decline { offer_ids, refuse_ms: Some(refuse_ms) },
        });
    }
}
