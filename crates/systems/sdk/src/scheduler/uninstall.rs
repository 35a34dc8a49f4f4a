//! Uninstall: a scheduler started with the flag takes everything back and ends.
//!
//! *Knows*: the plan `deploy` of such a scheduler, and the package manager that waits for it.
//! *Must not know*: how the service leaves the world.
//!
//! The package manager asks every [`POLL_MS`] whether `deploy` is COMPLETE and then removes the scheduler.
//!
//! **Source**: `dcos-commons: …/scheduler/uninstall/UninstallPlanFactory.java, UninstallScheduler.java`. Match
//! for plan and order; the interval of the package manager is ours.

use super::action::Action;
use super::plan::{NewStep, Plan, PlanKind, phase_spec};
use super::start::DEPLOY;
use super::{Cx, Scheduler, Timer, TimerKind};
use planarium_kernel::queue::Class;
use planarium_kernel::{Cause, EventQueue, SimTime};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_plan::{Edge, PlanSpec, StrategySpec};
use planarium_protocol::Refusal;
use planarium_protocol::Text;
use planarium_protocol::refusal::RefusalCode;

/// The variable of the scheduler's environment that asks for the end; its value does not matter.
pub const UNINSTALL_FLAG: &str = "SDK_UNINSTALL";

/// The flag's value that takes one service out of a framework that goes on with others.
pub const OF_SEVERAL: &str = "service";

/// How long a service that leaves its framework to others may take. *Units*: milliseconds.
const REMOVAL_MS: u64 = 600_000;

/// How often the package manager looks. *Units*: milliseconds.
pub const POLL_MS: u64 = 10_000;

/// Stands for a machine nobody wrote down.
const UNKNOWN_AGENT: &str = "UNKNOWN_AGENT";

/// A service on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Uninstall {
    /// When it was first asked for.
    since: SimTime,
    /// The package manager's next look is awaited.
    polled: bool,
    /// The package manager has removed the scheduler.
    gone: Option<Cause>,
}

impl Uninstall {
    pub(super) fn new(now: SimTime) -> Self {
        Self { since: now, polled: false, gone: None }
    }

    /// As the next process finds it.
    pub(super) fn again(self) -> Self {
        Self { polled: false, ..self }
    }
}

/// The real scheduler's word when it is started without the flag after all.
pub(super) fn irreversible(service: &str) -> Refusal {
    let text = format!(
        "Service {service} has been told to uninstall, and that cannot be taken back: a scheduler without \
         {UNINSTALL_FLAG} exits with code 11"
    );
    Refusal::new(RefusalCode::Conflict, text)
}

/// The framework is over; what is left waits for the package manager.
pub(super) fn over() -> Refusal {
    Refusal::new(
        RefusalCode::Conflict,
        "The service is uninstalled; the package manager is about to remove it",
    )
}

impl Scheduler {
    /// Whether the service is being uninstalled.
    pub fn is_uninstalling(&self) -> bool {
        self.uninstall.is_some()
    }

    /// What removed the scheduler, once the package manager has.
    pub fn gone(&self) -> Option<Cause> {
        self.uninstall?.gone
    }

    /// Whether the master still knows the framework.
    pub fn is_torn_down(&self) -> bool {
        self.torn_down
    }

    /// The only plan of a service that is uninstalled.
    pub(super) fn uninstall_plan(&mut self, cx: &Cx) -> Plan {
        let mut phases: Vec<(Text, StrategySpec, Vec<NewStep>)> =
            vec![("kill-tasks".into(), StrategySpec::Parallel, self.kill_steps())];
        for (host, steps) in self.unreserve_steps() {
            phases.push((format!("unreserve-resources-{host}").into(), StrategySpec::Parallel, steps));
        }
        let mut tasks = self.target.spec.pods.iter().flat_map(|pod| &pod.tasks);
        if tasks.any(|task| !task.transport_encryption.is_empty()) {
            let step = NewStep::acting("tls-cleanup", Action::TlsCleanup);
            phases.push(("tls-cleanup".into(), StrategySpec::Serial, vec![step]));
        }
        let last = u32::try_from(phases.len()).unwrap_or(u32::MAX);
        let step = NewStep::acting("deregister", Action::Deregister);
        phases.push(("deregister-service".into(), StrategySpec::Serial, vec![step]));
        let strategy = StrategySpec::dependency((0..last).map(|parent| Edge { child: last, parent }));
        let specs: Vec<_> = phases
            .iter()
            .map(|(name, strategy, steps)| {
                phase_spec(name.clone(), strategy.clone(), steps, &mut self.assets)
            })
            .collect();
        let spec = PlanSpec::new(DEPLOY, strategy, specs);
        let rows = phases.into_iter().map(|(.., steps)| steps).collect();
        Plan::new(PlanKind::Deploy, &spec, rows, &self.ids, cx.now())
    }

    fn kill_steps(&self) -> Vec<NewStep> {
        let step = |task: &super::store::TaskRecord| {
            let action = Action::Kill { id: task.id.clone(), agent: task.at.agent_id.clone() };
            NewStep::acting(format!("kill-task-{}", task.id), action)
        };
        self.store.tasks().map(step).collect()
    }

    /// Steps by machine and id. What a task holds that is flagged as lost and in TASK_ERROR never existed.
    fn unreserve_steps(&self) -> SortedMap<Text, Vec<NewStep>> {
        let mut by_host: SortedMap<Text, Vec<NewStep>> = SortedMap::new();
        let mut seen: SortedSet<(Text, Text)> = SortedSet::new();
        for task in self.store.tasks() {
            let in_error = task.own_status().is_some_and(|status| status.state == "TASK_ERROR");
            if task.permanently_failed && in_error {
                continue;
            }
            let host = &task.at.hostname;
            let host: Text = if host.is_empty() { UNKNOWN_AGENT.into() } else { host.clone() };
            for held in task.held.iter().chain(task.executor.iter()).filter(|held| !held.id.is_empty()) {
                if seen.insert((host.clone(), held.id.clone())) {
                    let action =
                        Action::Unreserve { id: held.id.clone(), host: host.clone(), pod: task.pod.name() };
                    let step = NewStep::acting(format!("unreserve-{}", held.id), action);
                    by_host.entry(host.clone()).or_default().push(step);
                }
            }
        }
        for steps in by_host.values_mut() {
            planarium_kernel::sorted::sort_by(steps, |a, b| a.name.cmp(&b.name));
        }
        by_host
    }

    /// A service that leaves its framework to others is dropped when that takes too long: counted from the start of
    /// the process.
    pub(super) fn arm_removal(&mut self, cx: &Cx) {
        if self.env.get(UNINSTALL_FLAG).is_some_and(|value| value == OF_SEVERAL) {
            let at = cx.now().saturating_add(REMOVAL_MS);
            let timer = Timer { cause: cx.cause(), kind: TimerKind::RemovalTimeout };
            self.timers.push(at, Class::OneShot, timer);
        }
    }

    /// It took too long.
    pub(super) fn give_up_removal(&mut self, cx: &Cx) {
        if let Some(uninstall) = &mut self.uninstall {
            uninstall.gone = Some(cx.cause());
        }
    }

    /// Once `deploy` is COMPLETE the package manager notices with its next look.
    pub(super) fn await_removal(&mut self, cx: &Cx) {
        let complete = self.deploy().is_some_and(Plan::is_complete);
        let Some(uninstall) = self.uninstall.as_mut().filter(|uninstall| complete && !uninstall.polled)
        else {
            return;
        };
        uninstall.polled = true;
        let looks = cx.now().since(uninstall.since) / POLL_MS + 1;
        let at = uninstall.since.saturating_add(looks.saturating_mul(POLL_MS));
        let timer = Timer { cause: cx.cause(), kind: TimerKind::Removal };
        self.timers.push(at, Class::OneShot, timer);
    }

    /// The package manager looks.
    pub(super) fn look_for_removal(&mut self, cx: &Cx) {
        let over = self.torn_down || self.deploy().is_some_and(Plan::is_complete);
        if let Some(uninstall) = &mut self.uninstall {
            uninstall.polled = false;
            if over {
                uninstall.gone = Some(cx.cause());
            }
        }
    }

    /// A scheduler without a framework has nothing to wait for but its removal.
    pub(super) fn stop_timers(&mut self) {
        self.timers = EventQueue::new();
        self.cycle.stop();
        self.kill_timer = None;
        self.backoff_timer = None;
        self.coming_again = None;
        self.offers.clear();
        if let Some(uninstall) = &mut self.uninstall {
            uninstall.polled = false;
        }
    }
}
