//! The offers of one ACCEPT and the rest of them while its operations are carried out.

use crate::api::{
    AgentId, FrameworkId, FrameworkInfo, Reason, Resource, Resources, Source, TaskInfo, TaskState, TaskStatus,
};
use planarium_ground::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

/// The resources that an ACCEPT works on.
#[derive(Clone, Debug)]
pub(super) struct AcceptedOffers {
    pub(super) framework: FrameworkId,
    pub(super) info: Arc<FrameworkInfo>,
    pub(super) agent: AgentId,
    pub(super) agent_name: Text,
    pub(super) hostname: Text,
    pub(super) role: Text,
    /// The offered resources, without an allocation.
    pub(super) offered: Resources,
    /// The rest of its resources, with conversions applied.
    pub(super) remaining: Resources,
    /// Volumes that were resized: nothing can be done with them in the same ACCEPT.
    pub(super) resized: Resources,
    /// An operation has converted something.
    pub(super) is_converted: bool,
}

impl AcceptedOffers {
    /// Returns whether the rest equals the whole offer. Also false if the comparison would be expensive.
    pub(super) fn is_part_of_offer(&self) -> bool {
        let was_offered = |resource| Resource::is_divisible(resource) && self.offered.contains_one(resource);
        !self.is_converted || self.remaining.iter().all(was_offered)
    }
}

/// The master's status of a task that was never launched.
pub(super) fn never_launched(
    cx: &Cx,
    task: &TaskInfo,
    agent_id: Option<Text>,
    state: TaskState,
    reason: Reason,
    message: Text,
) -> TaskStatus {
    TaskStatus {
        task_id: task.task_id.clone(),
        task_name: task.name.clone(),
        agent_id,
        executor_id: task.executor.as_ref().map(|executor| executor.id.clone()),
        state,
        reason: Some(reason),
        source: Source::Master,
        message,
        healthy: None,
        check: None,
        timestamp_ms: cx.now().ms(),
        unreachable_since_ms: None,
        number: None,
    }
}
