//! Counters of the master for `/metrics/snapshot`.
//!
//! *Knows*: numbers that only ever grow. *Must not know*: what they are used for; nothing is decided by them.
//! Source: `apache/mesos: src/master/metrics.cpp`.

use crate::api::{FrameworkId, TaskState};
use planarium_kernel::SortedMap;

/// Offers of one framework.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OfferCounts {
    pub(crate) sent: u64,
    pub(crate) accepted: u64,
    pub(crate) declined: u64,
    pub(crate) rescinded: u64,
}

/// All counters of the master.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) registrations: u64,
    pub(crate) reregistrations: u64,
    pub(crate) removals: u64,
    /// Removals because another agent registered at the same address.
    pub(crate) replaced: u64,
    pub(crate) unreachable_scheduled: u64,
    pub(crate) unreachable_completed: u64,
    pub(crate) unreachable_canceled: u64,
    /// Removals of agents that did not come back after a failover.
    pub(crate) recovery_removals: u64,
    pub(crate) launch_tasks: u64,
    pub(crate) decline_offers: u64,
    pub(crate) revive_offers: u64,
    pub(crate) suppress_offers: u64,
    pub(crate) kill_task: u64,
    pub(crate) reconcile_tasks: u64,
    pub(crate) status_updates: u64,
    pub(crate) acknowledgements: u64,
    pub(crate) invalid_acknowledgements: u64,
    pub(crate) allocation_runs: u64,
    /// Tasks that ended in this way.
    pub(crate) ends: SortedMap<TaskState, u64>,
    pub(crate) offers: SortedMap<FrameworkId, OfferCounts>,
}

impl Counters {
    pub(crate) fn offers(&mut self, framework: FrameworkId) -> &mut OfferCounts {
        self.offers.entry(framework).or_default()
    }

    /// Counts a task that has ended, or was never there.
    pub(crate) fn end(&mut self, state: TaskState) {
        if state.is_terminal() {
            let count = self.ends.entry(state).or_default();
            *count = count.saturating_add(1);
        }
    }

    pub(crate) fn ended(&self, state: TaskState) -> u64 {
        self.ends.get(&state).copied().unwrap_or(0)
    }
}
