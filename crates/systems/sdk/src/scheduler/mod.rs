//! The scheduler of one service: the control loop between plans and offers.
//!
//! *Knows*: one service's plans, tasks, reservations and delays; Mesos as its frameworks see it. *Must not know*:
//! other services, the master's state, HTTP, clocks.
//!
//! Driven by [`Scheduler::on_event`] (the master), [`Scheduler::fire`] (its own timers) and commands; answers with
//! [`Request`]s for the master, each with its cause. A cycle runs when offers have been collected for
//! [`OFFER_BATCH_MS`], and otherwise every [`CYCLE_MS`] while something has changed that a cycle could act on; a cycle
//! without anything new is skipped.
//!
//! Each field of [`Scheduler`] is a record with its own module and the rules that need nothing else. Rules over several
//! records are functions, or small types that borrow those records: evaluation of offers (`offers::evaluate`,
//! `candidates::evaluator`), recovery, delays, decommission, uninstall, commands. The methods of [`Scheduler`] carry out
//! their decisions: `start`, `cycle`, `candidates`, `statuses`, `commands`, over `changes` and `accessors`.
//!
//! **Source**: `dcos-commons: …/scheduler/DefaultScheduler.java, AbstractScheduler.java,
//! …/framework/OfferProcessor.java`. Match, except that message passing takes no time.

mod accessors;
mod audit;
mod candidates;
mod changes;
mod commands;
pub(crate) mod configs;
mod cycle;
mod decommission;
pub(crate) mod delays;
mod framework_info;
pub(crate) mod ids;
pub(crate) mod killer;
mod lifecycle;
pub(crate) mod metrics;
pub(crate) mod offers;
mod outbox;
pub(crate) mod plans;
mod reconciler;
mod recovery;
pub(crate) mod requirement;
pub(crate) mod service;
mod start;
pub(crate) mod state;
mod statuses;
#[cfg(test)]
mod tests;
mod timers;

pub(crate) use commands::op_of;
pub(crate) use lifecycle::not_served;
pub use lifecycle::{FRAMEWORK_REMOVED, OF_SEVERAL, POLL_MS, UNINSTALL_FLAG};
pub use state::FILE_BYTES;
pub use timers::{CYCLE_MS, OFFER_BATCH_MS};

use crate::load::Loaded;
use configs::Configs;
use delays::Backoff;
use ids::Ids;
use killer::TaskKiller;
use lifecycle::Lifecycle;
use metrics::Metrics;
use offers::Offers;
use outbox::Outbox;
use planarium_kernel::{Digestible, Recorder, SimTime, Weight, cow::bytes_of};
pub use planarium_mesos::api::Request;
use planarium_mesos::api::SchedulerEvent;
use planarium_protocol::{EventBody, Refusal};
use planarium_source::Diagnostic;
use plans::Plans;
use reconciler::Reconciler;
use recovery::FailedPods;
use service::Service;
use state::StateStore;
use timers::{TimerKind, Timers};

/// Recorder of facts that every part of the engine is handed.
pub type Cx = Recorder<EventBody>;

/// Estimated bytes of a row of an ordered map of texts.
pub(crate) const ROW: u64 = 64;

/// The scheduler of one service.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(
    service.name, configs.target.id, ids.generation, state.tasks, backoff, offers.revive, killer,
    plans.len(), each plans.iter().map(|plan| &plan.tree), plans.waiting.len(), offers.open.len(),
    state.completed_once, is_uninstalling(),
)]
#[weight(
    own bytes_of::<Self>(1), plans, state.tasks, timers, offers,
    own ROW * (self.failed.len() as u64 + u64::from(self.reconciler.len())),
)]
pub struct Scheduler {
    /// The service as the process was started.
    pub(crate) service: Service,
    /// The target and earlier configurations.
    pub(crate) configs: Configs,
    /// Draws ids.
    pub(crate) ids: Ids,
    /// Records that outlive the process.
    pub(crate) state: StateStore,
    /// Plans, and which step waits for what.
    pub(crate) plans: Plans,
    /// Launch delays.
    pub(crate) backoff: Backoff,
    /// Open offers, and the demand for more.
    pub(crate) offers: Offers,
    /// Tasks that are to end.
    pub(crate) killer: TaskKiller,
    /// Pods that may need recovery.
    failed: FailedPods,
    /// Statuses that are awaited.
    reconciler: Reconciler,
    timers: Timers,
    /// Uninstall, teardown and exit.
    lifecycle: Lifecycle,
    /// Calls for the master; empty between two inputs.
    outbox: Outbox,
    pub(crate) metrics: Metrics,
    /// The master knows this scheduler.
    subscribed: bool,
    /// Other services of the framework reserve before this one.
    barred: bool,
    /// The instant of the last input, message or timer.
    now: SimTime,
}

impl Scheduler {
    /// Starts a scheduler process.
    ///
    /// With `previous`, the replaced process: keeps tasks, reservations and the framework id, recreates plans, and
    /// drops operators' changes of plans.
    ///
    /// *Errors*: the definition has errors, or the real system refuses to start with it.
    pub fn start(
        cx: &mut Cx,
        loaded: &Loaded,
        previous: Option<&Self>,
    ) -> Result<(Self, Vec<Request>), Refusal> {
        start::start(cx, loaded, previous)
    }

    /// The errors of a definition that is to follow what `previous` runs with, as findings in its text; without those
    /// that its reader found already.
    pub fn findings_against(loaded: &Loaded, previous: Option<&Self>) -> Vec<Diagnostic> {
        configs::findings_against(loaded, previous.map(Self::as_predecessor))
    }

    /// Takes a message of the master.
    pub fn on_event(&mut self, cx: &mut Cx, event: SchedulerEvent) -> Vec<Request> {
        self.now = cx.now();
        if self.is_torn_down() {
            return Vec::new();
        }
        self.metrics.heard(&event);
        match event {
            SchedulerEvent::Subscribed { framework_id, region } => self.subscribed(cx, framework_id, region),
            SchedulerEvent::Offers(offers) => {
                if !offers.is_empty() {
                    self.offers.take(cx, offers, &mut self.timers, &mut self.outbox);
                    self.plans.revision.touch(cx);
                }
            }
            SchedulerEvent::Rescind(id) => self.offers.open.retain(|offer| offer.id != id),
            SchedulerEvent::Update(status) => self.take_status(cx, &status),
            // The SDK ignores maintenance: it neither answers inverse offers nor uses an offer's unavailability.
            SchedulerEvent::Failure { .. }
            | SchedulerEvent::Operation(_)
            | SchedulerEvent::InverseOffers(_)
            | SchedulerEvent::RescindInverseOffer(_) => {}
        }
        self.finish(cx)
    }

    /// Handles exactly one timer that is due now.
    pub fn fire(&mut self, cx: &mut Cx) -> Vec<Request> {
        self.now = cx.now();
        let Some(timer) = self.timers.pop_due(cx.now()) else { return Vec::new() };
        cx.scoped(timer.cause, |cx| {
            self.handle(cx, timer.kind);
            self.await_removal(cx);
        });
        self.finish(cx)
    }

    fn handle(&mut self, cx: &mut Cx, timer: TimerKind) {
        let (tasks, timers, out) = (&self.state.tasks, &mut self.timers, &mut self.outbox);
        match timer {
            TimerKind::Cycle => self.run_cycle(cx),
            TimerKind::Kills => self.killer.kill_again(cx, timers, out),
            TimerKind::Backoff => self.settle_delays(cx),
            TimerKind::Reconcile => self.reconciler.ask_missing(cx, tasks, timers, out),
            TimerKind::ReconcileAll => reconciler::ask_all(cx, tasks, timers, out),
            TimerKind::Replacement => timers.need_cycle(cx),
            TimerKind::OffersAgain => {}
            TimerKind::Removal => self.lifecycle.look_for_removal(cx, self.plans.is_deployed()),
            TimerKind::RemovalTimeout => self.lifecycle.give_up_removal(cx),
        }
    }

    /// Runs a cycle now, with the open offers.
    pub fn run_cycle_now(&mut self, cx: &mut Cx) -> Vec<Request> {
        self.now = cx.now();
        self.timers.disarm_cycle();
        self.run_cycle(cx);
        self.await_removal(cx);
        self.finish(cx)
    }

    /// Ends the work on an input; returns the calls that it led to.
    fn finish(&mut self, cx: &Cx) -> Vec<Request> {
        let calls = self.outbox.take();
        self.metrics.count_calls(&calls);
        self.plans.revision.touch(cx);
        calls
    }

    /// The driver tells an error: the process ends.
    pub fn fail(&mut self, cx: &mut Cx, error: &str) {
        if self.is_torn_down() {
            return;
        }
        self.now = cx.now();
        self.lifecycle.exit(cx, &self.service.name, error);
        self.subscribed = false;
        self.stop();
        self.plans.touch_all(cx);
    }

    /// Records whether other services of its framework may reserve first: then it evaluates no offers for its
    /// footprint.
    pub fn set_barred(&mut self, cx: &mut Cx, barred: bool) {
        if std::mem::replace(&mut self.barred, barred) == barred {
            return;
        }
        self.now = cx.now();
        if !barred {
            self.timers.need_cycle(cx);
        }
        self.plans.touch_all(cx);
    }
}
