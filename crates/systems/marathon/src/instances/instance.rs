//! Instances: slots of a spec, each of which lives through several tasks.
//!
//! *Knows*: conditions, goals and what follows from them. *Must not know*: offers, deployments.
//!
//! **Source**: `marathon: core/instance/Instance.scala, core/condition/Condition.scala, core/task/Task.scala`. Match.

use crate::definition::RunSpec;
use crate::id::PathId;
use planarium_kernel::{Cause, Digestible, SimTime, Weight, cow::bytes_of};
use planarium_mesos::api::{AgentInfo, TaskState, TaskStatus};
use planarium_protocol::Text;
use planarium_protocol::view::PodView;
use std::sync::{Arc, OnceLock};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// As events and answers write it.
            pub(crate) const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant),)+ }
            }
        }
    };
}

words! {
    /// Conditions of an instance.
    Condition {
        /// Nothing runs, and it waits for an offer.
        Scheduled,
        /// An offer was accepted for it.
        Provisioned,
        /// Its description could not be run.
        Error,
        /// Its task failed.
        Failed,
        /// Its task ended on its own.
        Finished,
        /// Its task was killed.
        Killed,
        /// Its task was told to end.
        Killing,
        /// Its task runs.
        Running,
        /// The agent has its task.
        Staging,
        /// The executor has its task.
        Starting,
        /// Its agent does not answer.
        Unreachable,
        /// Its agent has not answered for so long that another instance takes its place.
        UnreachableInactive,
        /// Its agent does not have its task.
        Gone,
        /// Its task never started.
        Dropped,
        /// Its task is unknown.
        Unknown,
    }
}

impl Condition {
    /// It holds or may hold resources.
    pub(crate) const fn is_active(self) -> bool {
        matches!(
            self,
            Self::Provisioned
                | Self::Staging
                | Self::Starting
                | Self::Running
                | Self::Killing
                | Self::Unreachable
        )
    }

    /// It has ended.
    pub(crate) const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Error
                | Self::Failed
                | Self::Finished
                | Self::Killed
                | Self::Gone
                | Self::Dropped
                | Self::Unknown
        )
    }

    /// Deployments and kills count it as ended.
    pub(crate) const fn is_considered_terminal(self) -> bool {
        self.is_terminal() || matches!(self, Self::Unreachable | Self::UnreachableInactive)
    }

    /// Its whereabouts are not certain.
    pub(crate) const fn is_lost(self) -> bool {
        matches!(self, Self::Gone | Self::Unreachable | Self::Unknown | Self::Dropped)
    }

    /// The state of a task that is in it.
    pub(crate) const fn mesos(self) -> &'static str {
        match self {
            Self::Error => "TASK_ERROR",
            Self::Failed => "TASK_FAILED",
            Self::Finished => "TASK_FINISHED",
            Self::Killed => "TASK_KILLED",
            Self::Killing => "TASK_KILLING",
            Self::Running => "TASK_RUNNING",
            Self::Scheduled | Self::Provisioned | Self::Staging => "TASK_STAGING",
            Self::Starting => "TASK_STARTING",
            Self::Unreachable | Self::UnreachableInactive => "TASK_UNREACHABLE",
            Self::Gone => "TASK_GONE",
            Self::Dropped => "TASK_DROPPED",
            Self::Unknown => "TASK_UNKNOWN",
        }
    }

    /// Among several tasks, the lowest rank decides.
    const fn rank(self) -> u8 {
        match self {
            Self::Error => 0,
            Self::Failed => 1,
            Self::Gone => 2,
            Self::Dropped => 3,
            Self::Unreachable | Self::UnreachableInactive => 4,
            Self::Killing => 5,
            Self::Starting => 6,
            Self::Staging => 7,
            Self::Unknown => 8,
            Self::Provisioned => 9,
            Self::Running => 10,
            Self::Finished => 11,
            Self::Killed => 12,
            Self::Scheduled => 13,
        }
    }

    /// Returns the condition of a status.
    ///
    /// **Source**: `marathon: core/task/TaskCondition.scala, state/TaskConditionMapping.scala`. Match.
    pub(crate) fn of(status: &TaskStatus) -> Self {
        use planarium_mesos::api::Reason;
        match status.state {
            TaskState::Staging => Self::Staging,
            TaskState::Starting => Self::Starting,
            TaskState::Running => Self::Running,
            TaskState::Killing => Self::Killing,
            TaskState::Finished => Self::Finished,
            TaskState::Failed => Self::Failed,
            TaskState::Killed => Self::Killed,
            TaskState::Error => Self::Error,
            TaskState::Dropped => Self::Dropped,
            TaskState::Unreachable => Self::Unreachable,
            TaskState::Gone | TaskState::GoneByOperator => Self::Gone,
            TaskState::Unknown => Self::Unknown,
            TaskState::Lost if status.message.starts_with("Reconciliation: Task is unknown to the") => {
                Self::Unknown
            }
            TaskState::Lost => match status.reason {
                Some(Reason::Reconciliation | Reason::AgentDisconnected | Reason::AgentRemoved) => {
                    Self::Unreachable
                }
                _ => Self::Gone,
            },
        }
    }
}

words! {
    /// Goals of an instance.
    Goal {
        /// A task runs.
        Running,
        /// No task runs; reservations stay.
        Stopped,
        /// Nothing remains.
        Decommissioned,
    }
}

impl Goal {
    /// No task is to run.
    pub(crate) const fn is_terminal(self) -> bool {
        !matches!(self, Self::Running)
    }
}

/// An instance, in order of creation. Never reused.
pub(crate) type InstanceNo = u64;

/// A volume of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalVolume {
    /// `<safe path>#<container path>#<uuid>`.
    pub(crate) id: Text,
    /// Its path in the task.
    pub(crate) path: Text,
}

/// States of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReservationState {
    /// Asked for; given up when it does not show up until then.
    New(SimTime),
    /// A task uses it.
    Launched,
    /// It waits for the next task.
    Suspended,
}

/// Resources that an instance keeps between its tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reservation {
    pub(crate) volumes: Arc<[LocalVolume]>,
    pub(crate) state: ReservationState,
}

/// One launch attempt.
#[derive(Clone, Debug, PartialEq, Digestible)]
#[digest(id, condition as u64)]
pub(crate) struct Task {
    /// Id.
    pub(crate) id: Text,
    /// Name of its container; empty for an app.
    pub(crate) container: Text,
    /// Counted from 1.
    pub(crate) attempt: u32,
    pub(crate) condition: Condition,
    pub(crate) staged: SimTime,
    pub(crate) started: Option<SimTime>,
    /// Ports on the host, in order of the definition; none where nothing is mapped.
    pub(crate) ports: Arc<[Option<u32>]>,
    /// Last status from Mesos.
    pub(crate) status: Option<Arc<TaskStatus>>,
}

impl Task {
    /// Takes a status from Mesos over. Returns false when it changes nothing.
    ///
    /// **Source**: `marathon: core/task/Task.scala (update)`. Match.
    pub(crate) fn update(&mut self, condition: Condition, status: &Arc<TaskStatus>, now: SimTime) -> bool {
        if self.condition.is_terminal() {
            return false;
        }
        if condition == Condition::Running && self.started.is_none() {
            self.started = Some(now);
        } else if !condition.is_terminal()
            && let Some(old) = &self.status
        {
            let healthy = status.healthy.is_some() && status.healthy != old.healthy;
            let check = status.check.is_some() && status.check != old.check;
            if !healthy && !check && status.state == old.state {
                return false;
            }
        }
        self.status = Some(status.clone());
        self.condition = condition;
        true
    }

    /// Since when it has been out of reach, if it is.
    pub(crate) fn unreachable_since(&self) -> Option<SimTime> {
        if !matches!(self.condition, Condition::Unreachable | Condition::UnreachableInactive) {
            return None;
        }
        let status = self.status.as_ref()?;
        Some(SimTime(status.unreachable_since_ms.unwrap_or(status.timestamp_ms)))
    }

    /// Returns whether it has been out of reach for so long. *Units*: milliseconds.
    pub(crate) fn is_unreachable_for(&self, now: SimTime, ms: u64) -> bool {
        self.unreachable_since().is_some_and(|since| since.saturating_add(ms) <= now)
    }

    /// Returns its health according to Mesos.
    fn healthy(&self) -> Option<bool> {
        self.status.as_ref().and_then(|status| status.healthy)
    }
}

/// An instance.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(
    id, spec.version.version, goal as u64, condition as u64, since,
    healthy.map_or(0, |healthy| 1 + u64::from(healthy)), each agent.iter().map(|agent| &agent.agent_id),
    each tasks,
)]
#[weight(own bytes_of::<Self>(1) + bytes_of::<Task>(self.tasks.len()) + 256)]
pub(crate) struct Instance {
    /// In order of creation.
    pub(crate) no: InstanceNo,
    /// `<safe path>.instance-<uuid>`.
    pub(crate) id: Text,
    /// Its spec, in the version of its last or next launch.
    pub(crate) spec: Arc<RunSpec>,
    /// The role it runs under.
    pub(crate) role: Text,
    pub(crate) goal: Goal,
    pub(crate) condition: Condition,
    /// Since when it has this condition and health.
    pub(crate) since: SimTime,
    /// When the first of its tasks started to run.
    pub(crate) active_since: Option<SimTime>,
    /// Health according to the agent's own checks.
    pub(crate) healthy: Option<bool>,
    /// The last tasks, one per container.
    pub(crate) tasks: Vec<Task>,
    /// Its present or last agent.
    pub(crate) agent: Option<Arc<AgentInfo>>,
    pub(crate) reservation: Option<Reservation>,
    /// Cause of its goal.
    pub(crate) cause: Cause,
    /// The event that changed it last.
    pub(crate) event: u64,
    /// When it entered the launch queue, while it is in it.
    pub(crate) queued: SimTime,
    /// When its goal was last set.
    pub(crate) asked: SimTime,
    /// Which wish for offers is its own, counted over all instances.
    pub(crate) wish: u64,
    /// Grows with every change.
    pub(crate) revision: u64,
    /// Its view, made on demand.
    pub(crate) shown: OnceLock<Arc<PodView>>,
}

impl Instance {
    /// A further instance, which waits for an offer.
    pub(crate) fn scheduled(
        no: InstanceNo,
        id: Text,
        spec: &Arc<RunSpec>,
        now: SimTime,
        cause: Cause,
    ) -> Self {
        Self {
            no,
            id,
            spec: spec.clone(),
            role: spec.def.role.clone(),
            goal: Goal::Running,
            condition: Condition::Scheduled,
            since: now,
            active_since: None,
            healthy: None,
            tasks: Vec::new(),
            agent: None,
            reservation: None,
            cause,
            event: 0,
            queued: now,
            asked: now,
            wish: 0,
            revision: 0,
            shown: OnceLock::new(),
        }
    }

    /// An offer was accepted for it.
    pub(crate) fn provisioned(
        &mut self,
        spec: Arc<RunSpec>,
        agent: Arc<AgentInfo>,
        tasks: Vec<Task>,
        now: SimTime,
    ) {
        self.turn(Condition::Provisioned, now);
        self.agent = Some(agent);
        self.spec = spec;
        self.tasks = tasks;
    }

    /// It is wanted again, in this version.
    pub(crate) fn rescheduled(&mut self, spec: &Arc<RunSpec>, now: SimTime, cause: Cause) {
        self.turn(Condition::Scheduled, now);
        self.goal = Goal::Running;
        self.spec = spec.clone();
        self.queued = now;
        self.asked = now;
        self.cause = cause;
    }

    fn turn(&mut self, condition: Condition, now: SimTime) {
        self.condition = condition;
        self.since = now;
        self.active_since = None;
        self.healthy = None;
    }

    /// Returns whether nothing that others could notice differs.
    pub(crate) fn same_state(&self, other: &Self) -> bool {
        self.condition == other.condition
            && self.goal == other.goal
            && self.healthy == other.healthy
            && self.since == other.since
            && self.tasks == other.tasks
    }

    /// The machine with its reservation will never come back.
    pub(crate) fn abandons_reservation(&self) -> bool {
        let is_gone = |task: &Task| {
            task.status.as_ref().is_some_and(|status| status.state == TaskState::GoneByOperator)
        };
        self.reservation.is_some()
            && self.tasks.iter().any(is_gone)
            && self.tasks.iter().all(|task| task.condition.is_terminal())
    }

    /// It waits for an offer.
    pub(crate) fn is_scheduled(&self) -> bool {
        self.goal == Goal::Running && (self.condition == Condition::Scheduled || self.condition.is_terminal())
    }

    /// An offer was accepted and nothing was heard since.
    pub(crate) fn is_provisioned(&self) -> bool {
        self.goal == Goal::Running && self.condition == Condition::Provisioned
    }

    /// Version of its spec.
    pub(crate) fn version(&self) -> u64 {
        self.spec.version.version
    }

    /// Id of its spec.
    pub(crate) fn spec_id(&self) -> &PathId {
        &self.spec.id
    }

    /// Its reservation is only waiting to be taken back.
    pub(crate) fn is_to_unreserve(&self) -> bool {
        self.reservation.is_some() && self.goal == Goal::Decommissioned && self.condition.is_terminal()
    }

    /// All tasks have ended, it is not wanted and holds nothing.
    pub(crate) fn is_spent(&self) -> bool {
        self.goal == Goal::Decommissioned
            && self.reservation.is_none()
            && self.tasks.iter().all(|task| task.condition.is_terminal())
    }

    /// It wants offers.
    pub(crate) fn wants_offers(&self) -> bool {
        self.is_scheduled() || self.is_to_unreserve()
    }

    /// Condition, health and times as its tasks have them.
    ///
    /// **Source**: `marathon: core/instance/Instance.scala (InstanceState.transitionTo)`. Match.
    pub(crate) fn refresh(&mut self, now: SimTime) {
        let condition = self.condition_of_tasks(now);
        let healthy = self.health_of_tasks();
        if condition != self.condition || healthy != self.healthy {
            self.condition = condition;
            self.healthy = healthy;
            self.since = now;
            self.active_since = self.tasks.iter().filter_map(|task| task.started).min();
        }
    }

    fn condition_of_tasks(&self, now: SimTime) -> Condition {
        let first = self.tasks.iter().map(|task| task.condition).min_by_key(|condition| condition.rank());
        match first {
            None => Condition::Unknown,
            Some(Condition::Unreachable | Condition::UnreachableInactive) => {
                let inactive = self.spec.def.unreachable.is_some_and(|(inactive, _)| {
                    self.tasks.iter().any(|task| task.is_unreachable_for(now, inactive))
                });
                if inactive { Condition::UnreachableInactive } else { Condition::Unreachable }
            }
            Some(condition) => condition,
        }
    }

    /// A running unhealthy task decides; a task that does not run makes it unknown.
    fn health_of_tasks(&self) -> Option<bool> {
        let mut found = None;
        for task in &self.tasks {
            match (task.condition, task.healthy()) {
                (Condition::Running, Some(false)) => return Some(false),
                (Condition::Running | Condition::Finished, healthy) => {
                    found = healthy.filter(|_| task.condition == Condition::Running).or(found);
                }
                _ => return None,
            }
        }
        found
    }

    /// Returns whether it has been out of reach for so long that it is forgotten.
    pub(crate) fn is_expired(&self, now: SimTime) -> bool {
        self.spec
            .def
            .unreachable
            .is_some_and(|(_, expunge)| self.tasks.iter().any(|task| task.is_unreachable_for(now, expunge)))
    }

    /// The state of its tasks as the real system shows it: of an app its only one.
    pub(crate) fn task(&self) -> Option<&Task> {
        self.tasks.first()
    }
}
