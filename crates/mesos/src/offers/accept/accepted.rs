//! The offers of one ACCEPT and what is left of them while its operations are carried out.

use crate::api::{
    AgentId, FrameworkId, FrameworkInfo, Reason, Resource, Resources, Source, TaskInfo, TaskState, TaskStatus,
};
use planarium_fleet::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

/// What an accept works on.
#[derive(Clone, Debug)]
pub(super) struct AcceptedOffers {
    pub(super) framework: FrameworkId,
    pub(super) info: Arc<FrameworkInfo>,
    pub(super) agent: AgentId,
    pub(super) agent_name: Text,
    pub(super) hostname: Text,
    pub(super) role: Text,
    /// What was offered, given to nobody in particular.
    pub(super) offered: Resources,
    /// What is left of it, conversions applied.
    pub(super) remaining: Resources,
    /// Volumes of another size than before: nothing can be done with them in the same accept.
    pub(super) resized: Resources,
    /// Something was made into something else.
    pub(super) is_converted: bool,
}

impl AcceptedOffers {
    /// Whether all that is left was offered as it is. Says no where that takes longer to find out.
    pub(super) fn is_part_of_offer(&self) -> bool {
        let was_offered = |resource| Resource::is_divisible(resource) && self.offered.contains_one(resource);
        !self.is_converted || self.remaining.iter().all(was_offered)
    }
}

/// The master's status for a task that was never launched.
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
