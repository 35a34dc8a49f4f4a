//! The scheduler of one service: the control loop between plans and offers.
//!
//! *Knows*: one service's plans, tasks, reservations and delays; Mesos as its frameworks see it.
//! *Must not know*: other services, the master's state, HTTP, clocks.
//!
//! What drives it: [`Scheduler::on_event`] (the master), [`Scheduler::fire`] (its own timers),
//! commands. What it answers: [`Request`]s for the master, each with its cause. A cycle runs when
//! offers have been collected for [`OFFER_BATCH_MS`], and otherwise every [`CYCLE_MS`] while something
//! has changed that a cycle could act on; a cycle that would find nothing new is not run at all.
//!
//! **Source**: `dcos-commons: …/scheduler/DefaultScheduler.java, AbstractScheduler.java,
//! …/framework/OfferProcessor.java`. Match, except that message passing takes no time.

pub(crate) mod action;
mod audit;
mod awaited;
pub(crate) mod backoff;
mod candidates;
mod cleanup;
mod command;
mod cycle;
mod declined;
mod decommission;
mod differences;
pub(crate) mod evaluate;
mod events;
mod exit;
mod failing;
mod files;
mod find;
pub(crate) mod history;
pub(crate) mod ids;
mod kill;
mod lots;
mod mentioned;
pub(crate) mod metrics;
pub(crate) mod plan;
mod pod_command;
mod pod_key;
mod pod_tasks;
pub(crate) mod record;
mod recovery;
pub(crate) mod requirement;
pub(crate) mod revive;
mod start;
mod status;
pub(crate) mod step;
mod step_tasks;
pub(crate) mod store;
mod target;
#[cfg(test)]
mod tests;
mod uninstall;
mod waiting;
mod weight;

pub(crate) use command::op_of;
pub use exit::FRAMEWORK_REMOVED;
pub use files::FILE_BYTES;
pub use uninstall::{OF_SEVERAL, POLL_MS, UNINSTALL_FLAG};

use crate::load::Loaded;
use crate::programs::{Program, ServedFile};
use awaited::Awaited;
use backoff::Backoff;
use cycle::Cycle;
use evaluate::Overhead;
use evaluate::outcome::Outcome;
use failing::Failing;
use history::History;
use ids::Ids;
use kill::Kills;
use mentioned::Mentioned;
use plan::{Assets, Plan};
use planarium_kernel::{Cause, EventQueue, Recorder, SimTime};
use planarium_kernel::{SortedMap, SortedSet};
pub use planarium_mesos::api::Request;
use planarium_mesos::api::{Capability, FrameworkInfo, Offer, SchedulerEvent};
use planarium_plan::{Element, Holder, PlanId};
use planarium_protocol::event::ElementPath;
use planarium_protocol::{EventBody, Text};
use requirement::Config;
use revive::Revive;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::Store;
use waiting::Waiting;

/// What every part of the engine is handed to report facts.
pub type Cx = Recorder<EventBody>;

/// Offers of one batch are collected this long. *Units*: milliseconds.
pub const OFFER_BATCH_MS: u64 = 200;
/// Between two cycles without offers. *Units*: milliseconds.
pub const CYCLE_MS: u64 = 5_000;

/// A timer with the cause that was current when it was armed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Timer {
    cause: Cause,
    kind: TimerKind,
}

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimerKind {
    /// Run a cycle.
    Cycle,
    /// Repeat pending kills.
    Kills,
    /// A delay may have ended.
    Backoff,
    /// Ask again for statuses that did not come.
    Reconcile,
    /// Ask for all statuses.
    ReconcileAll,
    /// A failed pod may have been away for too long.
    Replacement,
    /// Offers turned down for a short while have come again, if they still exist.
    OffersAgain,
    /// The package manager looks whether the service has been uninstalled.
    Removal,
    /// A service that leaves its framework to others has had its time.
    RemovalTimeout,
}

/// Asking for statuses before offers are used.
#[derive(Clone, Debug, Default)]
struct Reconciling {
    /// Task ids whose status has not come yet.
    missing: Awaited,
    /// Wait before asking again. *Units*: milliseconds.
    wait_ms: u64,
    timer: Option<planarium_kernel::TimerId>,
}

/// The scheduler of one service.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Service name: how everyone calls this service.
    pub(crate) name: Text,
    pub(crate) env: Arc<BTreeMap<String, String>>,
    /// The program that this is the scheduler of.
    pub(crate) program: Program,
    /// Files that the program serves as endpoints.
    pub(crate) served: Arc<[ServedFile]>,
    /// Configurations that the target or stored tasks refer to.
    pub(crate) configs: SortedMap<Text, Arc<Config>>,
    pub(crate) target: Arc<Config>,
    pub(crate) ids: Ids,
    pub(crate) store: Store,
    pub(crate) backoff: Backoff,
    revive: Revive,
    pub(crate) declined: declined::Declined,
    overhead: Overhead,
    /// In the order of priority and of lists.
    pub(crate) plans: Vec<Plan>,
    assets: Assets,
    /// Which step waits for a task id.
    waiting: Waiting,
    /// Steps that are DELAYED.
    delayed: SortedSet<Holder>,
    pub(crate) kills: Kills,
    kill_timer: Option<planarium_kernel::TimerId>,
    backoff_timer: Option<planarium_kernel::TimerId>,
    /// Offers were turned down for a short while.
    coming_again: Option<planarium_kernel::TimerId>,
    timers: EventQueue<Timer>,
    cycle: Cycle,
    pub(crate) offers: Vec<Arc<Offer>>,
    /// Pod instances with a task that may need recovery.
    failing: Failing,
    /// The tasks that plans mention.
    mentioned: Arc<Mentioned>,
    /// Which step waits for a reservation to be given back.
    givers: SortedMap<Text, Holder>,
    /// Set when the service is being uninstalled.
    uninstall: Option<uninstall::Uninstall>,
    /// The framework is over.
    torn_down: bool,
    /// The process ended because the driver told it this error.
    exited: Option<Text>,
    /// Other services of the framework reserve before this one.
    barred: bool,
    /// The service's own name on its reservations, when it shares its framework with others.
    pub(crate) namespace: Option<Text>,
    /// Why the definition that this process was started with is not the target.
    pub(crate) refused: Arc<[Text]>,
    /// Steps kept back by the last round, and by whom.
    pub(crate) withheld: SortedMap<Holder, Holder>,
    pub(crate) history: History,
    pub(crate) metrics: metrics::Metrics,
    /// Files that clients keep in the state store, by name.
    pub(crate) files: SortedMap<Text, Text>,
    /// Id that the master gave.
    pub(crate) framework: Option<Text>,
    master_region: Option<Text>,
    subscribed: bool,
    reconciling: Reconciling,
    /// The deploy plan has been seen complete once in this installation.
    pub(crate) completed_once: bool,
    /// The instant of the last input, message or timer.
    now: SimTime,
    /// The last event that changed anything a view shows.
    pub(crate) revision: u64,
    /// Counts everything a view might show.
    pub(crate) touched: u64,
}

impl Scheduler {
    /// Starts a scheduler process.
    ///
    /// With `previous`, the process that it replaces: tasks, reservations and the framework id are kept,
    /// plans are made anew, and what operators did to plans is lost.
    ///
    /// *Errors*: the definition has errors, or the real system refuses to start with it.
    pub fn start(
        cx: &mut Cx,
        loaded: &Loaded,
        previous: Option<&Self>,
    ) -> Result<(Self, Vec<Request>), planarium_protocol::Refusal> {
        start::start(cx, loaded, previous)
    }

    /// How the service subscribes.
    pub fn framework_info(&self) -> FrameworkInfo {
        let spec = &self.target.spec;
        let mut capabilities = vec![
            Capability::PartitionAware,
            Capability::MultiRole,
            Capability::ReservationRefinement,
            Capability::RegionAware,
        ];
        let gpus = |pod: &Arc<crate::spec::PodSpec>| pod.resource_sets.iter().any(|set| set.gpus.is_some());
        if spec.pods.iter().any(gpus) {
            capabilities.push(Capability::GpuResources);
        }
        let mut roles = vec![spec.role.clone()];
        for pod in &spec.pods {
            let role = evaluate::reservation_role(pod, &spec.role);
            if !roles.contains(&role) {
                roles.push(role);
            }
        }
        FrameworkInfo {
            name: self.name.clone(),
            user: spec.user.clone(),
            roles,
            suppressed_roles: Vec::new(),
            principal: Some(spec.principal.clone()),
            capabilities,
            checkpoint: true,
            failover_ms: 1_209_600_000,
            ..FrameworkInfo::default()
        }
    }

    /// Why the definition that the process was started with is not the target; empty when it is.
    pub fn refused(&self) -> &[Text] {
        &self.refused
    }

    /// Service name.
    pub fn name(&self) -> &Text {
        &self.name
    }

    /// Takes a message of the master.
    pub fn on_event(&mut self, cx: &mut Cx, event: SchedulerEvent) -> Vec<Request> {
        let mut out = Vec::new();
        self.now = cx.now();
        if self.torn_down {
            return out;
        }
        self.metrics.heard(&event);
        match event {
            SchedulerEvent::Subscribed { framework_id, region } => {
                self.subscribed(cx, framework_id, region, &mut out);
            }
            SchedulerEvent::Offers(offers) => self.take_offers(cx, offers, &mut out),
            SchedulerEvent::Rescind(id) => self.offers.retain(|offer| offer.id != id),
            SchedulerEvent::Update(status) => self.take_status(cx, &status, &mut out),
            // The SDK knows nothing of maintenance: it neither answers inverse offers nor looks at when an
            // offer's machine is expected away.
            SchedulerEvent::Failure { .. }
            | SchedulerEvent::Operation(_)
            | SchedulerEvent::InverseOffers(_)
            | SchedulerEvent::RescindInverseOffer(_) => {}
        }
        self.count(&out);
        self.touch_service(cx);
        out
    }

    /// When the next timer is due.
    pub fn next_due(&self) -> Option<SimTime> {
        self.timers.next_due()
    }

    /// Handles exactly one timer that is due now.
    pub fn fire(&mut self, cx: &mut Cx) -> Vec<Request> {
        let mut out = Vec::new();
        self.now = cx.now();
        let Some((_, _, timer)) = self.timers.pop_due(cx.now()) else { return out };
        cx.scoped(timer.cause, |cx| match timer.kind {
            TimerKind::Cycle => {
                self.cycle.fired();
                self.counted_cycle(cx, &mut out);
            }
            TimerKind::Kills => self.kill_again(cx, &mut out),
            TimerKind::Backoff => self.settle_delays(cx),
            TimerKind::Reconcile => self.reconcile_again(cx, &mut out),
            TimerKind::ReconcileAll => self.reconcile_all(cx, &mut out),
            TimerKind::Replacement => self.need_cycle(cx),
            TimerKind::OffersAgain => self.coming_again = None,
            TimerKind::Removal => self.look_for_removal(cx),
            TimerKind::RemovalTimeout => self.give_up_removal(cx),
        });
        self.count(&out);
        self.await_removal(cx);
        self.touch_service(cx);
        out
    }

    fn counted_cycle(&mut self, cx: &mut Cx, out: &mut Vec<Request>) {
        self.metrics.cycle(self.offers.len());
        self.run_cycle(cx, out);
        self.count_throttle();
        if !self.torn_down {
            self.draw_lots(cx);
        }
    }

    /// Runs a cycle now, with the offers at hand.
    pub fn run_cycle_now(&mut self, cx: &mut Cx) -> Vec<Request> {
        let mut out = Vec::new();
        self.now = cx.now();
        self.cycle.disarm(&mut self.timers);
        self.counted_cycle(cx, &mut out);
        self.count(&out);
        self.await_removal(cx);
        self.touch_service(cx);
        out
    }

    /// Pending timers that are not merely periodic.
    pub fn one_shots(&self) -> usize {
        self.timers.one_shots()
    }

    /// Whether the next periodic work would change something.
    pub fn restless(&self) -> bool {
        self.cycle.is_needed()
    }

    /// The plan with this number.
    pub(crate) fn plan(&self, id: PlanId) -> Option<&Plan> {
        self.plans.get(id.index())
    }

    /// A plan by name.
    pub(crate) fn plan_named(&self, name: &str) -> Option<(PlanId, &Plan)> {
        let at = self.plans.iter().position(|plan| **plan.tree.plan_name() == *name)?;
        Some((PlanId::at(at), self.plans.get(at)?))
    }

    /// What is known of a step.
    pub(crate) fn step_data(&self, holder: Holder) -> Option<&plan::StepData> {
        self.plan(holder.plan)?.step(holder.step)
    }

    /// The step that waits for a task.
    pub(crate) fn step_waiting_for(&self, task: &store::TaskRecord) -> Option<Holder> {
        self.waiting.get(&task.pod, &task.id)
    }

    /// Path of an element.
    pub(crate) fn path(&self, plan: PlanId, element: Element) -> ElementPath {
        self.plan(plan).map_or_else(
            || ElementPath {
                dialect: crate::DIALECT.into(),
                service: self.name.clone(),
                plan: "".into(),
                phase: None,
                step: None,
            },
            |plan| plan.path(&self.name, element),
        )
    }

    /// The deploy plan.
    pub(crate) fn deploy(&self) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.kind == plan::PlanKind::Deploy)
    }

    /// The outcomes a step's last look at offers gave, one per machine.
    pub(crate) fn outcomes(&self, holder: Holder) -> Option<(SimTime, Vec<Arc<Outcome>>)> {
        let data = self.step_data(holder)?;
        let look = data.look.as_ref()?;
        // After a replace the old reservations hold nothing back any more.
        let ties = data.requirement.as_ref().map(|requirement| self.home_of(requirement));
        (ties? == look.home).then(|| (look.at, look.outcomes.values().cloned().collect()))
    }

    /// Whether it is acquiring reservations.
    pub(crate) fn has_footprint_to_come(&self) -> bool {
        self.client_status() == cycle::ClientStatus::Footprint
    }

    /// Whether others of its framework may reserve before it: then it looks at no offers for its footprint.
    pub fn set_barred(&mut self, cx: &mut Cx, barred: bool) {
        if std::mem::replace(&mut self.barred, barred) == barred {
            return;
        }
        self.now = cx.now();
        if !barred {
            self.need_cycle(cx);
        }
        self.touch_all(cx);
    }

    /// Whether others of its framework reserve before it.
    pub fn is_barred(&self) -> bool {
        self.barred
    }

    /// Whether the master knows this scheduler.
    pub(crate) fn is_subscribed(&self) -> bool {
        self.subscribed
    }

    /// Whether offers are suppressed.
    pub(crate) fn is_suppressed(&self) -> bool {
        self.revive.is_suppressed()
    }

    /// Whether offers are about to be asked for again.
    pub(crate) fn is_reviving(&self) -> bool {
        self.revive.is_requested()
    }

    /// Whether statuses are still awaited before offers are used.
    pub(crate) fn is_reconciling(&self) -> bool {
        !self.reconciling.missing.is_empty()
    }

    /// The instant of the last input, message or timer.
    pub(crate) fn time_of_last_change(&self) -> SimTime {
        self.now
    }

    /// The definition of a stored task in the version it was launched with.
    pub(crate) fn task_spec(&self, task: &store::TaskRecord) -> Option<&Arc<crate::spec::TaskSpec>> {
        self.configs.get(&task.config)?.pods.get(&task.pod.pod)?.spec.task(&task.task)
    }

    /// When the next cycle runs, if one is due.
    pub(crate) fn next_cycle(&self) -> Option<SimTime> {
        self.cycle.due()
    }
}
