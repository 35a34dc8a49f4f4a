//! What frameworks ask of the master and what it tells them.

use super::{
    framework::FrameworkId,
    offer::{AgentId, InverseOffer, Offer, OfferId, Response},
    operation::{OperationStatus, ReconcileOperation},
    resource::Resource,
    resources::Resources,
    task::TaskStatus,
};
use planarium_fleet::{Labels, Program};
use planarium_kernel::SortedMap;
use planarium_kernel::{Cause, Milli};
use planarium_protocol::Text;
use serde_json::Value;
use std::sync::Arc;

/// What runs a task's process on the agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecutorInfo {
    /// Unique per framework and agent.
    pub id: Text,
    /// What it needs for itself, once, from its first task until its last has ended.
    pub resources: Resources,
}

/// A task to launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskInfo {
    /// Name.
    pub name: Text,
    /// Id, unique in the framework.
    pub task_id: Text,
    /// The agent it is meant for, when said.
    pub agent_id: Option<Text>,
    /// The executor (LAUNCH only; a group has one for all). None is Mesos' own command executor.
    pub executor: Option<ExecutorInfo>,
    /// What it needs.
    pub resources: Resources,
    /// Labels.
    pub labels: SortedMap<Text, Text>,
    /// Environment.
    pub env: SortedMap<Text, Text>,
    /// What it runs.
    pub program: Program,
    /// What fault targets match on beside `service`, `task`, `task-id`, `agent`, `agent-id`, which the master
    /// sets: `pod`, `pod-type`, `step`.
    pub process_labels: Labels,
    /// Time between SIGTERM and SIGKILL; none is the executor's default of 3 s.
    pub kill_grace_ms: Option<u64>,
    /// How long it may run, when there is a limit.
    pub max_completion_ms: Option<u64>,
    /// What makes the description invalid, where the other fields cannot hold it.
    pub flaw: Option<Text>,
    /// What the master shows of the task and does not act upon; none for tasks described otherwise than in JSON.
    pub details: Option<Arc<TaskDetails>>,
}

/// Parts of a task's description that are only shown, as v1 JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskDetails {
    /// The user that runs its command.
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

/// Something done with the resources of accepted offers.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Reserve: the resources as they are to be, with the new reservation on top.
    Reserve(Vec<Resource>),
    /// Give up the topmost reservation of these.
    Unreserve(Vec<Resource>),
    /// Make volumes: reserved disk as it is to be, with persistence.
    Create(Vec<Resource>),
    /// Destroy these volumes.
    Destroy(Vec<Resource>),
    /// Make a volume larger.
    Grow {
        /// The volume as it is.
        volume: Resource,
        /// Disk of the same kind that it takes up.
        addition: Resource,
    },
    /// Make a volume smaller; what it gives up is plain disk.
    Shrink {
        /// The volume as it is.
        volume: Resource,
        /// By how much.
        by: Milli,
    },
    /// An operation with invalid resources. It is dropped before any other is carried out; its tasks are in error.
    Invalid {
        /// The operation's type.
        kind: &'static str,
        /// Tasks of a launch; none of another operation.
        tasks: Vec<TaskInfo>,
        /// Why it is invalid.
        reason: Text,
    },
    /// An operation that no agent of this cluster can carry out, whatever is offered.
    Impossible {
        /// The operation's type.
        kind: &'static str,
        /// Why not.
        flaw: &'static str,
    },
    /// Launch tasks.
    Launch(Vec<TaskInfo>),
    /// Launch tasks that live and die together in one executor.
    LaunchGroup {
        /// The executor.
        executor: ExecutorInfo,
        /// The tasks.
        tasks: Vec<TaskInfo>,
    },
    /// One of the others but for launches, of which the framework wants to be told what came of it.
    Named {
        /// The framework's id for it.
        id: Text,
        /// What to do.
        operation: Box<Operation>,
    },
}

/// One task asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReconcileTask {
    /// Task id.
    pub task_id: Text,
    /// Where it is thought to be.
    pub agent_id: Option<Text>,
}

/// What a framework asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Use offers. All must be of one agent and one role.
    Accept {
        /// Which offers.
        offer_ids: Vec<OfferId>,
        /// What to do, in order.
        operations: Vec<Operation>,
        /// How long not to offer again what is left over; none is 5 s.
        refuse_ms: Option<u64>,
    },
    /// Turn offers down.
    Decline {
        /// Which offers.
        offer_ids: Vec<OfferId>,
        /// How long not to offer the same again; none is 5 s.
        refuse_ms: Option<u64>,
    },
    /// Promise to give back what inverse offers ask for, or say that it cannot be done.
    AnswerInverseOffers {
        /// Which inverse offers. Those that are not outstanding are passed over.
        offer_ids: Vec<OfferId>,
        /// What is said to all of them.
        response: Response,
        /// How long not to be asked again; none is 5 s.
        refuse_ms: Option<u64>,
    },
    /// Forget all filters and offer at once; for all roles when empty.
    Revive {
        /// Which roles.
        roles: Vec<Text>,
    },
    /// Make no offers; for all roles when empty.
    Suppress {
        /// Which roles.
        roles: Vec<Text>,
    },
    /// End a task.
    Kill {
        /// Which.
        task_id: Text,
        /// Where it is thought to be.
        agent_id: Option<Text>,
        /// Another grace period than the task's own.
        grace_ms: Option<u64>,
    },
    /// Ask for the states of these tasks; of all when empty.
    Reconcile {
        /// Which tasks.
        tasks: Vec<ReconcileTask>,
    },
    /// Ask for the states of these operations; of all when empty.
    ReconcileOperations {
        /// Which operations.
        operations: Vec<ReconcileOperation>,
    },
    /// Remove the framework with everything it runs.
    Teardown,
}

/// A call for the master, and what stands behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What brought it about.
    pub cause: Cause,
    /// The call.
    pub call: Call,
}

/// What a framework is told.
#[derive(Clone, Debug, PartialEq)]
pub enum SchedulerEvent {
    /// It is subscribed.
    Subscribed {
        /// Its id on the wire.
        framework_id: Text,
        /// The master's own region, once known.
        region: Option<Text>,
    },
    /// Here are resources.
    Offers(Vec<Arc<Offer>>),
    /// This offer is no more.
    Rescind(OfferId),
    /// Please leave these agents.
    InverseOffers(Vec<Arc<InverseOffer>>),
    /// This inverse offer is no more.
    RescindInverseOffer(OfferId),
    /// A task's state.
    Update(TaskStatus),
    /// What came of an operation.
    Operation(OperationStatus),
    /// An agent is lost.
    Failure {
        /// Which.
        agent: AgentId,
        /// Its id on the wire.
        agent_id: Text,
    },
}

/// One event on its way to a framework.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// To whom.
    pub framework: FrameworkId,
    /// What stands behind it.
    pub cause: Cause,
    /// What it says.
    pub event: SchedulerEvent,
}
