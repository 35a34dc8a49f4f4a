//! Permits to mark agents unreachable, where the flag `agent_removal_rate_limit` is set.
//!
//! Source: `apache/mesos: 3rdparty/libprocess/include/process/limiter.hpp`. Match.

use crate::api::AgentId;
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
