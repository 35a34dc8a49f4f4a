//! Permits to mark agents unreachable, where the flag `agent_removal_rate_limit` is set.
//!
//! Source: `apache/mesos: 3rdparty/libprocess/include/process/limiter.hpp`. Match.

use crate::{api::AgentId, cluster::Cluster};
use planarium_kernel::SimTime;
use std::collections::VecDeque;

/// Permits to mark agents unreachable.
#[derive(Clone, Debug, Default)]
pub(crate) struct RemovalLimit {
    /// Time between two permits; none means no limit. *Units*: milliseconds.
    pub(crate) interval_ms: Option<u64>,
    /// When the next permit is available.
    pub(super) next: SimTime,
    /// Agents that wait for a permit, and some that no longer do.
    pub(super) waiting: VecDeque<AgentId>,
    pub(super) armed: bool,
}

/// Takes an agent off the queue for a permit: it answers, or leaves in another way.
pub(crate) fn cancel_permit(cluster: &mut Cluster, id: AgentId) {
    if let Some(agent) = cluster.agents.get_mut(id).filter(|agent| agent.awaits_permit) {
        agent.awaits_permit = false;
        cluster.agents.removal_limit.waiting.retain(|other| *other != id);
        cluster.counters.unreachable_canceled += 1;
    }
}
