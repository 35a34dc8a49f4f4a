//! Task states, reasons and statuses.
//!
//! Source: `apache/mesos: include/mesos/v1/mesos.proto` (TaskState, TaskStatus). Match.

use planarium_protocol::Text;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident $prefix:literal { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => concat!($prefix, $word),)+ }
            }

            /// The word on the wire as a shared text.
            pub fn text(self) -> planarium_protocol::Text {
                static TEXTS: std::sync::LazyLock<Vec<planarium_protocol::Text>> =
                    std::sync::LazyLock::new(|| vec![$($name::$variant.as_str().into(),)+]);
                TEXTS.get(self as usize).cloned().unwrap_or_default()
            }

            /// Reads the word on the wire, with or without its prefix.
            pub fn parse(text: &str) -> Option<Self> {
                match text.strip_prefix($prefix).unwrap_or(text) {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

pub(super) use words;

words! {
    /// The states of a task, including those shown to older frameworks instead.
    TaskState "TASK_" {
        /// Launched, nothing heard yet.
        Staging = "STAGING",
        /// The executor has received it.
        Starting = "STARTING",
        /// Running.
        Running = "RUNNING",
        /// Being killed.
        Killing = "KILLING",
        /// Exited with 0.
        Finished = "FINISHED",
        /// Exited with another code, or exceeded a limit.
        Failed = "FAILED",
        /// Killed.
        Killed = "KILLED",
        /// Its description is invalid.
        Error = "ERROR",
        /// Lost: for frameworks that are not PARTITION_AWARE, and for tasks of removed agents.
        Lost = "LOST",
        /// Dropped before it started.
        Dropped = "DROPPED",
        /// Its agent is unreachable.
        Unreachable = "UNREACHABLE",
        /// Its agent does not know it.
        Gone = "GONE",
        /// Its agent was marked gone.
        GoneByOperator = "GONE_BY_OPERATOR",
        /// Unknown to the master.
        Unknown = "UNKNOWN",
    }
}

impl TaskState {
    /// Returns whether the master treats the state as terminal.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Finished
            | Self::Failed
            | Self::Killed
            | Self::Error
            | Self::Lost
            | Self::Dropped
            | Self::Gone
            | Self::GoneByOperator => true,
            Self::Staging
            | Self::Starting
            | Self::Running
            | Self::Killing
            | Self::Unreachable
            | Self::Unknown => false,
        }
    }
}

words! {
    /// Reasons of a status.
    Reason "REASON_" {
        /// An offer in the accept is not valid.
        InvalidOffers = "INVALID_OFFERS",
        /// The description is invalid.
        TaskInvalid = "TASK_INVALID",
        /// The task is not authorized.
        TaskUnauthorized = "TASK_UNAUTHORIZED",
        /// One task of the group is invalid.
        TaskGroupInvalid = "TASK_GROUP_INVALID",
        /// One task of the group is not authorized.
        TaskGroupUnauthorized = "TASK_GROUP_UNAUTHORIZED",
        /// The agent is disconnected.
        AgentDisconnected = "AGENT_DISCONNECTED",
        /// The agent is removed or unreachable.
        AgentRemoved = "AGENT_REMOVED",
        /// The agent was marked gone.
        AgentRemovedByOperator = "AGENT_REMOVED_BY_OPERATOR",
        /// The agent came back.
        AgentReregistered = "AGENT_REREGISTERED",
        /// The agent restarted.
        AgentRestarted = "AGENT_RESTARTED",
        /// The agent is being drained.
        AgentDraining = "AGENT_DRAINING",
        /// Answer to a reconciliation.
        Reconciliation = "RECONCILIATION",
        /// The framework was removed.
        FrameworkRemoved = "FRAMEWORK_REMOVED",
        /// Ended before it ran.
        TaskKilledDuringLaunch = "TASK_KILLED_DURING_LAUNCH",
        /// The executor ended.
        ExecutorTerminated = "EXECUTOR_TERMINATED",
        /// The container could not be started.
        ContainerLaunchFailed = "CONTAINER_LAUNCH_FAILED",
        /// Memory limit exceeded.
        ContainerLimitationMemory = "CONTAINER_LIMITATION_MEMORY",
        /// Disk limit exceeded.
        ContainerLimitationDisk = "CONTAINER_LIMITATION_DISK",
        /// `max_completion_time` reached.
        MaxCompletionTimeReached = "MAX_COMPLETION_TIME_REACHED",
        /// The check's result changed.
        TaskCheckStatusUpdated = "TASK_CHECK_STATUS_UPDATED",
        /// The health check gave a result.
        TaskHealthCheckStatusUpdated = "TASK_HEALTH_CHECK_STATUS_UPDATED",
        /// The command could not be run.
        CommandExecutorFailed = "COMMAND_EXECUTOR_FAILED",
        /// The resources are unknown.
        ResourcesUnknown = "RESOURCES_UNKNOWN",
        /// Clean-up failed.
        GcError = "GC_ERROR",
        /// Preempted.
        ContainerPreempted = "CONTAINER_PREEMPTED",
        /// The container could not be updated.
        ContainerUpdateFailed = "CONTAINER_UPDATE_FAILED",
        /// The executor did not register in time.
        ExecutorRegistrationTimeout = "EXECUTOR_REGISTRATION_TIMEOUT",
        /// The executor did not come back in time.
        ExecutorReregistrationTimeout = "EXECUTOR_REREGISTRATION_TIMEOUT",
    }
}

words! {
    /// The component that made a status.
    Source "SOURCE_" {
        /// The master.
        Master = "MASTER",
        /// The agent.
        Agent = "AGENT",
        /// The executor.
        Executor = "EXECUTOR",
    }
}

/// Result of a check (other than a health check).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckStatus {
    /// The exit code; none before the first result and after a timeout.
    pub exit_code: Option<i32>,
}

/// A status of a task, as sent to a framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStatus {
    /// The task's id.
    pub task_id: Text,
    /// Its name; empty when the master does not know the task.
    pub task_name: Text,
    /// The agent.
    pub agent_id: Option<Text>,
    /// The executor.
    pub executor_id: Option<Text>,
    /// The state.
    pub state: TaskState,
    /// The reason.
    pub reason: Option<Reason>,
    /// The source.
    pub source: Source,
    /// Message in words; may be empty.
    pub message: Text,
    /// Result of the health check, if there is one.
    pub healthy: Option<bool>,
    /// Result of the check, if the task has one.
    pub check: Option<CheckStatus>,
    /// When the status was made. *Units*: milliseconds since genesis.
    pub timestamp_ms: u64,
    /// Since when its agent is unreachable.
    pub unreachable_since_ms: Option<u64>,
    /// Number of the status if its framework has to acknowledge it; no later one is sent until then.
    pub number: Option<u32>,
}
