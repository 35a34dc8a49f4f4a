//! Permits to mark agents unreachable, where the flag `agent_removal_rate_limit` is set.
//!
//! Source: `apache/mesos: 3rdparty/libprocess/include/process/limiter.hpp`. Match.

use crate::api::AgentId;
use planarium_kernel::SimTime;
use std::collections::VecDeque;

/// Permits to give agents up.
#[derive(Clone, Debug, Default)]
pub(crate) struct RemovalLimit {
    /// Between two permits; none needs none. *Units*: milliseconds.
    pub(crate) interval_ms: Option<u64>,
    /// When the next permit can be had.
    pub(super) next: SimTime,
    /// Agents that wait, and some that did.
    pub(super) waiting: VecDeque<AgentId>,
    pub(super) armed: bool,
}
