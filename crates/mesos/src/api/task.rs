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

            /// The word on the wire as a text that all who say it share.
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
    /// The states a task can be in or be said to be in.
    TaskState "TASK_" {
        /// Launched, nothing heard yet.
        Staging = "STAGING",
        /// The executor has it.
        Starting = "STARTING",
        /// It runs.
        Running = "RUNNING",
        /// Asked to end.
        Killing = "KILLING",
        /// Exited with 0.
        Finished = "FINISHED",
        /// Exited otherwise, or broke a limit.
        Failed = "FAILED",
        /// Ended from outside.
        Killed = "KILLED",
        /// Its description is invalid.
        Error = "ERROR",
        /// Catch-all for frameworks that do not know partitions, and for removed agents.
        Lost = "LOST",
        /// Never started.
        Dropped = "DROPPED",
        /// Its agent does not answer.
        Unreachable = "UNREACHABLE",
        /// Its agent says it does not have it.
        Gone = "GONE",
        /// Its agent was marked gone.
        GoneByOperator = "GONE_BY_OPERATOR",
        /// Nobody knows it.
        Unknown = "UNKNOWN",
    }
}

impl TaskState {
    /// Whether the master treats it as the end.
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
    /// Why a status came about.
    Reason "REASON_" {
        /// An offer in the accept is not valid.
        InvalidOffers = "INVALID_OFFERS",
        /// The description is invalid.
        TaskInvalid = "TASK_INVALID",
        /// Not permitted.
        TaskUnauthorized = "TASK_UNAUTHORIZED",
        /// One task of the group is invalid.
        TaskGroupInvalid = "TASK_GROUP_INVALID",
        /// One task of the group is not permitted.
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
        /// The framework is gone.
        FrameworkRemoved = "FRAMEWORK_REMOVED",
        /// Ended before it ran.
        TaskKilledDuringLaunch = "TASK_KILLED_DURING_LAUNCH",
        /// The executor ended.
        ExecutorTerminated = "EXECUTOR_TERMINATED",
        /// The container could not be started.
        ContainerLaunchFailed = "CONTAINER_LAUNCH_FAILED",
        /// Too much memory.
        ContainerLimitationMemory = "CONTAINER_LIMITATION_MEMORY",
        /// Too much disk.
        ContainerLimitationDisk = "CONTAINER_LIMITATION_DISK",
        /// Too long.
        MaxCompletionTimeReached = "MAX_COMPLETION_TIME_REACHED",
        /// The check's result changed.
        TaskCheckStatusUpdated = "TASK_CHECK_STATUS_UPDATED",
        /// The health check gave a result.
        TaskHealthCheckStatusUpdated = "TASK_HEALTH_CHECK_STATUS_UPDATED",
        /// The command could not be run as it is.
        CommandExecutorFailed = "COMMAND_EXECUTOR_FAILED",
        /// Resources not known.
        ResourcesUnknown = "RESOURCES_UNKNOWN",
        /// Clean-up failed.
        GcError = "GC_ERROR",
        /// Gave way to others.
        ContainerPreempted = "CONTAINER_PREEMPTED",
        /// The container could not be changed.
        ContainerUpdateFailed = "CONTAINER_UPDATE_FAILED",
        /// The executor did not register in time.
        ExecutorRegistrationTimeout = "EXECUTOR_REGISTRATION_TIMEOUT",
        /// The executor did not come back in time.
        ExecutorReregistrationTimeout = "EXECUTOR_REREGISTRATION_TIMEOUT",
    }
}

words! {
    /// Who made a status.
    Source "SOURCE_" {
        /// The master.
        Master = "MASTER",
        /// The agent.
        Agent = "AGENT",
        /// The executor.
        Executor = "EXECUTOR",
    }
}

/// Result of a check (not a health check).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckStatus {
    /// The exit code; none before the first result and after a timeout.
    pub exit_code: Option<i32>,
}

/// What a framework is told about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStatus {
    /// Which task.
    pub task_id: Text,
    /// Its name; empty when the master does not know the task.
    pub task_name: Text,
    /// On which agent.
    pub agent_id: Option<Text>,
    /// By which executor.
    pub executor_id: Option<Text>,
    /// In which state.
    pub state: TaskState,
    /// Why.
    pub reason: Option<Reason>,
    /// Says who.
    pub source: Source,
    /// For people; empty when there is nothing to say.
    pub message: Text,
    /// Health, when there is a result.
    pub healthy: Option<bool>,
    /// Check, when the task has one.
    pub check: Option<CheckStatus>,
    /// When the status was made. *Units*: milliseconds since genesis.
    pub timestamp_ms: u64,
    /// Since when its agent does not answer.
    pub unreachable_since_ms: Option<u64>,
    /// Number of the status when its framework has to acknowledge it: nothing more is said of the task until then.
    pub number: Option<u32>,
}
