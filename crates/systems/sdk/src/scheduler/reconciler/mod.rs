//! Requests the statuses of tasks from the master.
//!
//! *Knows*: which statuses are awaited and the time until the next request. *Must not know*: the effect of a status.
//!
//! After a subscription the statuses of all living tasks are awaited before offers are used; all statuses are requested
//! every hour.
//!
//! **Source**: `dcos-commons: …/framework/ExplicitReconciler.java, ImplicitReconciler.java`. Match.

mod awaited;

use super::Cx;
use super::outbox::Outbox;
use super::state::TaskStore;
use super::timers::{TimerKind, Timers};
use awaited::Awaited;
use planarium_kernel::queue::Class;
use planarium_mesos::api::{Call, ReconcileTask};

/// First wait before asking for statuses again. *Units*: milliseconds.
const FIRST_MS: u64 = 8_000;
/// Longest such wait. *Units*: milliseconds.
const MAX_MS: u64 = 30_000;
/// Between two requests for all statuses. *Units*: milliseconds.
const ALL_MS: u64 = 3_600_000;

/// The statuses that are awaited.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reconciler {
    missing: Awaited,
    /// Wait before asking again. *Units*: milliseconds.
    wait_ms: u64,
}

impl Reconciler {
    /// Tells if statuses are awaited before offers are used.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Number of statuses that are awaited.
    pub(crate) fn len(&self) -> u32 {
        self.missing.len()
    }

    /// Starts after registration: requests the statuses of all living tasks, then all statuses.
    pub(crate) fn begin(&mut self, cx: &Cx, tasks: &TaskStore, timers: &mut Timers, out: &mut Outbox) {
        let alive = tasks.tasks().filter(|task| task.is_alive());
        self.missing = alive.map(|task| (task.id.clone(), task.at.agent_id.clone())).collect();
        self.wait_ms = FIRST_MS;
        self.ask_missing(cx, tasks, timers, out);
        ask_all(cx, tasks, timers, out);
    }

    /// Requests missing statuses again.
    pub(crate) fn ask_missing(&mut self, cx: &Cx, tasks: &TaskStore, timers: &mut Timers, out: &mut Outbox) {
        if self.missing.is_empty() {
            return;
        }
        // A task without a record is requested without an agent.
        let first = self.wait_ms == FIRST_MS;
        let asked = self.missing.iter().map(|(id, agent)| ReconcileTask {
            task_id: id.clone(),
            agent_id: (first || tasks.by_id(id).is_some()).then(|| agent.clone()),
        });
        out.push(cx, Call::Reconcile { tasks: asked.collect() });
        timers.arm_reconcile(cx, cx.now().saturating_add(self.wait_ms));
        self.wait_ms = self.wait_ms.saturating_mul(2).min(MAX_MS);
    }

    /// Records a status; the last awaited one lets the loop continue.
    pub(crate) fn heard(&mut self, cx: &Cx, id: &str, timers: &mut Timers) {
        if self.missing.heard(id) && self.missing.is_empty() {
            timers.disarm_reconcile();
            timers.need_cycle(cx);
        }
    }
}

/// Requests all statuses, and again in an hour.
pub(crate) fn ask_all(cx: &Cx, tasks: &TaskStore, timers: &mut Timers, out: &mut Outbox) {
    if !tasks.is_empty() {
        out.push(cx, Call::Reconcile { tasks: Vec::new() });
    }
    timers.arm(cx, cx.now().saturating_add(ALL_MS), Class::Periodic, TimerKind::ReconcileAll);
}
