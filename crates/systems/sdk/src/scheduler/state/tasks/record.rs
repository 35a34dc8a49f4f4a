//! Records of tasks: states, overrides, reservations, places.
//!
//! *Knows*: the types and the small rules that need nothing else. *Must not know*: how records are stored.
//!
//! **Source**: `dcos-commons: …/offer/taskdata/TaskLabelWriter.java, …/state/GoalStateOverride.java`.

use super::pod_key::PodKey;
use planarium_kernel::{Digestible, Milli, SimTime};
use planarium_protocol::Text;
use planarium_protocol::view::ConfigFileView;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

/// Parameters of a plan start, as environment of its tasks.
pub(crate) type Params = Arc<BTreeMap<String, String>>;

/// A task state in Mesos' words, with the scheduler's derived data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredStatus {
    /// `TASK_...`.
    pub(crate) state: &'static str,
    /// `REASON_...` or empty.
    pub(crate) reason: Text,
    /// Message or empty.
    pub(crate) message: Text,
    /// Health, when checked.
    pub(crate) healthy: Option<bool>,
    /// The status carries information about a check.
    pub(crate) checked: bool,
    /// Exit code of the readiness check, when there is a result.
    pub(crate) readiness_exit: Option<i32>,
    /// Number of results of the readiness check.
    pub(crate) readiness_seen: u32,
    /// When it came.
    pub(crate) at: SimTime,
}

impl StoredStatus {
    /// Tells if no further state follows.
    ///
    /// **Source**: `dcos-commons: …/offer/TaskUtils.java` (terminal states of the SDK).
    pub(crate) fn is_terminal(&self) -> bool {
        is_terminal(self.state)
    }

    /// Running with its readiness check satisfied, or without one.
    ///
    /// A status without any information about a check counts as satisfied.
    pub(crate) fn is_ready(&self) -> bool {
        !self.checked || self.readiness_exit == Some(0)
    }

    /// Tells if a goal-RUNNING task in this state must be brought back.
    pub(crate) fn needs_recovery(&self) -> bool {
        matches!(
            self.state,
            "TASK_DROPPED"
                | "TASK_ERROR"
                | "TASK_FAILED"
                | "TASK_FINISHED"
                | "TASK_GONE"
                | "TASK_GONE_BY_OPERATOR"
                | "TASK_KILLED"
                | "TASK_LOST"
                | "TASK_UNREACHABLE"
        )
    }
}

/// Tells if no further state follows a state.
pub(crate) fn is_terminal(state: &str) -> bool {
    matches!(
        state,
        "TASK_FINISHED"
            | "TASK_FAILED"
            | "TASK_KILLED"
            | "TASK_ERROR"
            | "TASK_LOST"
            | "TASK_DROPPED"
            | "TASK_GONE"
            | "TASK_GONE_BY_OPERATOR"
    )
}

/// An operator's wish in place of the goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OverrideTarget {
    /// Nothing.
    #[default]
    None,
    /// Paused for debugging.
    Paused,
    /// Leaving with its pod.
    Decommissioned,
}

/// Progress of an override.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OverrideProgress {
    /// Asked for.
    Pending,
    /// The task is starting.
    InProgress,
    /// Reached.
    #[default]
    Complete,
}

/// Override of a task's goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Override {
    /// The wish.
    pub(crate) target: OverrideTarget,
    /// Its progress.
    pub(crate) progress: OverrideProgress,
}

impl Override {
    /// Neither wanted nor under way.
    pub(crate) fn is_inactive(self) -> bool {
        self == Self::default()
    }

    /// The word that replaces the task's state in `pod status`.
    pub(crate) fn word(self) -> Option<&'static str> {
        if self.is_inactive() {
            return None;
        }
        Some(match (self.target, self.progress) {
            (OverrideTarget::Paused, OverrideProgress::Complete) => "PAUSED",
            (OverrideTarget::Paused, _) => "PAUSING",
            (OverrideTarget::Decommissioned, OverrideProgress::Complete) => "DECOMMISSIONED",
            (OverrideTarget::Decommissioned, _) => "DECOMMISSIONING",
            (OverrideTarget::None, _) => "STARTING",
        })
    }
}

/// Kinds of disk under a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Disk {
    /// Part of the ROOT disk.
    Root,
    /// A whole mounted disk.
    Mount {
        /// Mount point.
        root: Text,
        /// Its profile.
        profile: Option<Text>,
    },
}

/// The reserved resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeldKind {
    /// cpus, mem, disk, gpus.
    Scalar {
        /// Name of the resource or key.
        name: Text,
        /// Amount.
        amount: Milli,
    },
    /// One port.
    Port {
        /// Name of the port in the definition.
        name: Text,
        /// Number.
        port: u32,
    },
    /// A persistent volume.
    Volume {
        /// Path in the container.
        path: Text,
        /// Size of the disk it takes.
        size: Milli,
        /// The disk.
        disk: Disk,
        /// Persistence id.
        persistence: Text,
    },
}

/// One reservation of a pod instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Its `resource_id` label.
    pub(crate) id: Text,
    /// The reserved resource.
    pub(crate) kind: HeldKind,
}

/// Place of a launch, as the offer said it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Location {
    /// Agent id.
    pub(crate) agent_id: Text,
    /// Hostname.
    pub(crate) hostname: Text,
    /// Address.
    pub(crate) ip: Text,
    /// Attributes.
    pub(crate) attributes: Arc<[(Text, Text)]>,
    /// Region.
    pub(crate) region: Option<Text>,
    /// Zone.
    pub(crate) zone: Option<Text>,
}

/// One task instance.
#[derive(Clone, Debug, PartialEq, Eq, Digestible)]
#[digest(
    name, id, config, at.agent_id, permanently_failed, status.as_ref().map_or("", |status| status.state),
)]
pub(crate) struct TaskRecord {
    /// The part that stays as long as the record does: copies share it.
    pub(crate) launched: Arc<Launched>,
    /// Task id; empty for a stub. Not shared, as it is read most often.
    pub(crate) id: Text,
    /// Id of its configuration.
    pub(crate) config: Text,
    /// Flagged as permanently lost.
    pub(crate) permanently_failed: bool,
    /// Since when recovery has known this task id, when there is a replacement policy.
    pub(crate) watched_since: Option<SimTime>,
    /// Last status that came under its name.
    pub(crate) status: Option<StoredStatus>,
    /// Override of the goal.
    pub(crate) goal: Override,
    /// An address was reported for it (`<task>:task-status` property).
    pub(crate) addressed: bool,
    /// Place of the event that the last status goes back to; the store gives it.
    pub(crate) heard: Heard,
}

/// Row of an event in the store of tasks. Not in the record, because every reconciliation changes the events of all tasks
/// and mostly nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard(pub(super) Option<u32>);

/// Launch of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launched {
    /// Instance name.
    pub(crate) name: Text,
    /// Name within the pod.
    pub(crate) task: Text,
    /// Pod instance.
    pub(crate) pod: PodKey,
    /// Executor id.
    pub(crate) executor_id: Text,
    /// Id of its resource set.
    pub(crate) set: Text,
    /// Place of the launch.
    pub(crate) at: Arc<Location>,
    /// Its reservations.
    pub(crate) held: Arc<[Held]>,
    /// Reservations of the pod's executor (volumes of the pod included).
    pub(crate) executor: Arc<[Held]>,
    /// Parameters of the plan that launched it.
    pub(crate) params: Params,
    /// Command line it was launched with.
    pub(crate) command: Text,
    /// It was launched paused: with the pause command and its check.
    pub(crate) paused: bool,
    /// Its config files, as far as the launch could render them.
    pub(crate) files: Arc<[ConfigFileView]>,
}

impl Deref for TaskRecord {
    type Target = Launched;

    fn deref(&self) -> &Launched {
        &self.launched
    }
}

impl TaskRecord {
    /// Returns the last status of the task's latest launch; a stub, which waits for its launch, has none.
    pub(crate) fn own_status(&self) -> Option<&StoredStatus> {
        self.status.as_ref().filter(|_| !self.id.is_empty())
    }

    /// Returns whether a process of it may still be alive.
    pub(crate) fn is_alive(&self) -> bool {
        !self.id.is_empty() && self.status.as_ref().is_some_and(|status| !status.is_terminal())
    }

    /// Tells if it occupies its pod's executor.
    pub(crate) fn is_active(&self) -> bool {
        self.status.as_ref().is_some_and(|s| {
            matches!(s.state, "TASK_STAGING" | "TASK_STARTING" | "TASK_RUNNING") && !self.id.is_empty()
        })
    }
}
