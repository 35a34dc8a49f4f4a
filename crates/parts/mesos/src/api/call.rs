//! Calls of frameworks, and the events that they are sent.

use super::{
    framework::FrameworkId,
    offer::{AgentId, InverseOffer, Offer, OfferId, Response},
    operation::{OperationStatus, ReconcileOperation},
    resource::Resource,
    resources::Resources,
    task::TaskStatus,
};
use planarium_ground::{Labels, Program};
use planarium_kernel::SortedMap;
use planarium_kernel::{Cause, Milli};
use planarium_protocol::Text;
use serde_json::Value;
use std::sync::Arc;

/// The executor that runs a task's process on the agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecutorInfo {
    /// Unique per framework and agent.
    pub id: Text,
    /// Its own resources, in use from its first task until its last one has ended.
    pub resources: Resources,
}

/// A task to launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskInfo {
    /// Name.
    pub name: Text,
    /// Id, unique in the framework.
    pub task_id: Text,
    /// The agent that the framework names for it, if any.
    pub agent_id: Option<Text>,
    /// The executor (LAUNCH only; a group has one for all its tasks). None means Mesos' own command executor.
    pub executor: Option<ExecutorInfo>,
    /// Its resources.
    pub resources: Resources,
    /// Labels.
    pub labels: SortedMap<Text, Text>,
    /// Environment.
    pub env: SortedMap<Text, Text>,
    /// The program it runs.
    pub program: Program,
    /// Labels that fault targets match on, beside `service`, `task`, `task-id`, `agent`, `agent-id`, which the master
    /// sets itself: `pod`, `pod-type`, `step`.
    pub process_labels: Labels,
    /// Time between SIGTERM and SIGKILL; none means the executor's default of 3 s.
    pub kill_grace_ms: Option<u64>,
    /// `max_completion_time`, if it is set.
    pub max_completion_ms: Option<u64>,
    /// Why the description is invalid, where the other fields cannot express it.
    pub flaw: Option<Text>,
    /// Parts that the master shows and does not act upon; none for tasks that were not described in JSON.
    pub details: Option<Arc<TaskDetails>>,
}

/// Parts of a task's description that are only shown, as v1 JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskDetails {
    /// User that its command runs as.
    pub user: Option<Text>,
    /// Service discovery.
    pub discovery: Option<Value>,
    /// Container.
    pub container: Option<Value>,
    /// Health check.
    pub health_check: Option<Value>,
    /// Kill policy.
    pub kill_policy: Option<Value>,
    /// Limits of resources by name.
    pub limits: Option<Value>,
    /// Kind of the check whose result is reported: `COMMAND`, `HTTP` or `TCP`.
    pub check: Option<Text>,
}

/// An operation on the resources of accepted offers.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// RESERVE: the resources with the new reservation on top.
    Reserve(Vec<Resource>),
    /// UNRESERVE: the resources whose topmost reservation goes.
    Unreserve(Vec<Resource>),
    /// CREATE: reserved disk with its persistence.
    Create(Vec<Resource>),
    /// DESTROY: the volumes.
    Destroy(Vec<Resource>),
    /// GROW_VOLUME.
    Grow {
        /// The volume as it is now.
        volume: Resource,
        /// The disk that is added to it.
        addition: Resource,
    },
    /// SHRINK_VOLUME; the removed part becomes plain disk.
    Shrink {
        /// The volume as it is now.
        volume: Resource,
        /// Amount removed.
        by: Milli,
    },
    /// An operation with invalid resources: dropped before any other is carried out, its tasks are in error.
    Invalid {
        /// The operation's type.
        kind: &'static str,
        /// Tasks of a launch; empty for other operations.
        tasks: Vec<TaskInfo>,
        /// Why it is invalid.
        reason: Text,
    },
    /// An operation that no agent of this cluster supports.
    Impossible {
        /// The operation's type.
        kind: &'static str,
        /// Why it is dropped.
        flaw: &'static str,
    },
    /// LAUNCH.
    Launch(Vec<TaskInfo>),
    /// LAUNCH_GROUP: tasks that start and end together in one executor.
    LaunchGroup {
        /// The executor.
        executor: ExecutorInfo,
        /// The tasks.
        tasks: Vec<TaskInfo>,
    },
    /// An operation (no launch) with an id from the framework, which is told the outcome.
    Named {
        /// The framework's id for it.
        id: Text,
        /// The operation.
        operation: Box<Operation>,
    },
}

/// A task that a framework asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReconcileTask {
    /// Task id.
    pub task_id: Text,
    /// The agent that it is thought to be on.
    pub agent_id: Option<Text>,
}

/// A call of a framework.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// ACCEPT. All offers must be of one agent and one role.
    Accept {
        /// The offers.
        offer_ids: Vec<OfferId>,
        /// The operations, in order.
        operations: Vec<Operation>,
        /// Refusal time of the rest; none means 5 s.
        refuse_ms: Option<u64>,
    },
    /// DECLINE.
    Decline {
        /// The offers.
        offer_ids: Vec<OfferId>,
        /// Refusal time of the same resources; none means 5 s.
        refuse_ms: Option<u64>,
    },
    /// ACCEPT_INVERSE_OFFERS or DECLINE_INVERSE_OFFERS.
    AnswerInverseOffers {
        /// The inverse offers; those that are not outstanding are skipped.
        offer_ids: Vec<OfferId>,
        /// The answer for all of them.
        response: Response,
        /// Time for which the framework is not asked again; none means 5 s.
        refuse_ms: Option<u64>,
    },
    /// REVIVE: clears filters and suppression and makes offers at once; for all roles when empty.
    Revive {
        /// The roles.
        roles: Vec<Text>,
    },
    /// SUPPRESS: no offers for these roles; for all when empty.
    Suppress {
        /// The roles.
        roles: Vec<Text>,
    },
    /// KILL.
    Kill {
        /// The task.
        task_id: Text,
        /// The agent that it is thought to be on.
        agent_id: Option<Text>,
        /// A grace period that replaces the task's own.
        grace_ms: Option<u64>,
    },
    /// RECONCILE: the states of these tasks; of all when empty.
    Reconcile {
        /// The tasks.
        tasks: Vec<ReconcileTask>,
    },
    /// RECONCILE_OPERATIONS: the states of these operations; of all when empty.
    ReconcileOperations {
        /// The operations.
        operations: Vec<ReconcileOperation>,
    },
    /// TEARDOWN: removes the framework with everything it runs.
    Teardown,
}

/// A call with its cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its cause.
    pub cause: Cause,
    /// The call.
    pub call: Call,
}

/// An event for a framework.
#[derive(Clone, Debug, PartialEq)]
pub enum SchedulerEvent {
    /// SUBSCRIBED.
    Subscribed {
        /// Its id on the wire.
        framework_id: Text,
        /// The master's own region, once known.
        region: Option<Text>,
    },
    /// OFFERS.
    Offers(Vec<Arc<Offer>>),
    /// RESCIND.
    Rescind(OfferId),
    /// INVERSE_OFFERS.
    InverseOffers(Vec<Arc<InverseOffer>>),
    /// RESCIND_INVERSE_OFFER.
    RescindInverseOffer(OfferId),
    /// UPDATE.
    Update(TaskStatus),
    /// UPDATE_OPERATION_STATUS.
    Operation(OperationStatus),
    /// FAILURE of an agent.
    Failure {
        /// The agent.
        agent: AgentId,
        /// Its id on the wire.
        agent_id: Text,
    },
}

/// One event for a framework.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The framework.
    pub framework: FrameworkId,
    /// Its cause.
    pub cause: Cause,
    /// The event.
    pub event: SchedulerEvent,
}
