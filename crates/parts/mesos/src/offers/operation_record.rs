//! The master's record of operations that have an id.

use crate::api::{AgentId, FrameworkId, Operation, Resources};
use planarium_kernel::{Cause, SortedMap, TimerId};
use planarium_protocol::Text;
use std::sync::Arc;

/// An operation that was carried out, or will be when its agent receives it.
#[derive(Clone, Debug)]
pub(crate) struct TrackedOperation {
    pub(crate) framework: FrameworkId,
    pub(crate) id: Text,
    /// The operation.
    pub(crate) operation: Arc<Operation>,
    pub(crate) agent: AgentId,
    pub(crate) converted: Resources,
    pub(crate) cause: Cause,
    /// Its agent has reported that it is finished.
    pub(crate) delivered: bool,
    pub(crate) retry_ms: u64,
    pub(crate) retry: Option<TimerId>,
}

/// Operations by the number of their status.
pub(crate) type Operations = SortedMap<u32, Arc<TrackedOperation>>;
