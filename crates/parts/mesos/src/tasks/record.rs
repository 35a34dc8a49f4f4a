//! The master's record of a task.

use crate::api::{
    AgentId, CheckStatus, ExecutorInfo, FrameworkId, Reason, Resources, Source, TaskInfo, TaskState,
    TaskStatus,
};
use planarium_ground::{Labels, ProcessId};
use planarium_kernel::{Cause, Digestible, SimTime, TimerId, Weight, cow::bytes_of, id_types};
use planarium_protocol::Text;
use std::{collections::VecDeque, sync::Arc};

/// Default time between SIGTERM and SIGKILL.
pub const DEFAULT_KILL_GRACE_MS: u64 = 3_000;

id_types! {
    /// Number of a task, in order of launch. Never reused.
    pub(crate) TaskNo;
}

/// A status update on its way to the framework.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) cause: Cause,
    /// When the agent made it; none means now.
    pub(crate) made_at: Option<SimTime>,
    pub(crate) state: TaskState,
    pub(crate) reason: Option<Reason>,
    pub(crate) source: Source,
    pub(crate) message: Text,
    /// Health, when the update is about it.
    pub(crate) healthy: Option<bool>,
    /// Check result, when the update is about it.
    pub(crate) check: Option<CheckStatus>,
}

impl Update {
    pub(crate) fn new(cause: Cause, state: TaskState, source: Source) -> Self {
        Self {
            cause,
            made_at: None,
            state,
            reason: None,
            source,
            message: Text::default(),
            healthy: None,
            check: None,
        }
    }

    pub(crate) fn with_reason(mut self, reason: Reason, message: impl Into<Text>) -> Self {
        self.reason = Some(reason);
        self.message = message.into();
        self
    }

    pub(crate) fn with_message(mut self, message: impl Into<Text>) -> Self {
        self.message = message.into();
        self
    }
}

/// Estimated bytes of the texts, labels and reservations of a task.
const TEXTS: u64 = 1_536;

/// A task.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(id(), state.as_str(), since, pending_updates.len(), awaiting_ack.map_or(u64::MAX, u64::from), freed)]
#[weight(resources, own bytes_of::<StatusRecord>(self.history.len()), new TEXTS, flat info)]
pub(crate) struct Task {
    pub(crate) framework: FrameworkId,
    pub(crate) info: Arc<TaskInfo>,
    pub(crate) agent: AgentId,
    pub(crate) role: Text,
    /// Its resources, without an allocation; until it is `freed`.
    pub(crate) resources: Resources,
    pub(crate) executor: Option<Text>,
    /// Tasks with the same number start and end together.
    pub(crate) group: Option<u32>,
    /// Labels of its process.
    pub(crate) labels: Labels,
    /// None when the launch never reached the agent.
    pub(crate) process: Option<ProcessId>,
    /// Its state as the master knows it.
    pub(crate) state: TaskState,
    pub(crate) since: SimTime,
    pub(crate) healthy: Option<bool>,
    pub(crate) check: Option<CheckStatus>,
    /// The agent's state of the task, which may be ahead of the master's.
    pub(crate) agent_state: TaskState,
    /// Updates not delivered yet, oldest first. Those that must be acknowledged stay until they are.
    pub(crate) pending_updates: VecDeque<Update>,
    /// Number of the first update in the queue, once it was sent and waits to be acknowledged.
    pub(crate) awaiting_ack: Option<u32>,
    /// It has ended, uses no resources any more, and is listed until its last status is acknowledged.
    pub(crate) freed: bool,
    /// Pause before an update that was not delivered is sent again, and its timer.
    pub(crate) retry_ms: u64,
    pub(crate) retry: Option<TimerId>,
    /// A kill that the agent has not received.
    pub(crate) pending_kill_ms: Option<u64>,
    /// It has exceeded its `max_completion_time`.
    pub(crate) expired: bool,
    pub(crate) unreachable_since: Option<SimTime>,
    /// One entry per state it has been in, oldest first.
    pub(crate) history: Vec<StatusRecord>,
}

/// A status of a task as the master keeps it: everything but `data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatusRecord {
    pub(crate) state: TaskState,
    pub(crate) at: SimTime,
    pub(crate) reason: Option<Reason>,
    pub(crate) source: Source,
    pub(crate) message: Text,
    pub(crate) healthy: Option<bool>,
    pub(crate) check: Option<CheckStatus>,
    /// Its number, if its framework has to acknowledge it.
    pub(crate) number: Option<u32>,
    pub(crate) unreachable_since: Option<SimTime>,
}

impl StatusRecord {
    fn of(status: &TaskStatus) -> Self {
        Self {
            state: status.state,
            at: SimTime(status.timestamp_ms),
            reason: status.reason,
            source: status.source,
            message: status.message.clone(),
            healthy: status.healthy,
            check: status.check,
            number: status.number,
            unreachable_since: status.unreachable_since_ms.map(SimTime),
        }
    }
}

impl Task {
    pub(crate) fn name(&self) -> &Text {
        &self.info.name
    }

    pub(crate) fn id(&self) -> &Text {
        &self.info.task_id
    }

    /// Keeps a status, which replaces the last one of the same state. Returns whether the state is a new one.
    pub(crate) fn record_status(&mut self, status: &TaskStatus) -> bool {
        let record = StatusRecord::of(status);
        match self.history.last_mut() {
            Some(last) if last.state == record.state => {
                *last = record;
                false
            }
            _ => {
                self.history.push(record);
                true
            }
        }
    }

    /// The state last sent to its framework, which may lag behind the master's.
    pub(crate) fn last_told(&self) -> TaskState {
        self.history.last().map_or(self.state, |past| past.state)
    }

    /// Message when it has exceeded its `max_completion_time`.
    pub(crate) fn as_expired(&self, update: Update) -> Update {
        if self.expired && update.state == TaskState::Killed {
            let message = "The task has run for longer than its max_completion_time";
            return Update { state: TaskState::Failed, ..update }
                .with_reason(Reason::MaxCompletionTimeReached, message);
        }
        update
    }

    /// Its grace period: time between SIGTERM and SIGKILL. *Units*: milliseconds.
    pub(crate) fn grace_ms(&self) -> u64 {
        self.info.kill_grace_ms.unwrap_or(DEFAULT_KILL_GRACE_MS)
    }

    /// Returns whether it has a check whose result is reported.
    pub(crate) fn is_checked(&self) -> bool {
        self.info.program.readiness.is_some()
    }

    /// Its current status, to be completed.
    pub(crate) fn status(&self, agent_id: Text, now: SimTime) -> TaskStatus {
        TaskStatus {
            task_id: self.id().clone(),
            task_name: self.name().clone(),
            agent_id: Some(agent_id),
            executor_id: self.executor.clone(),
            state: self.state,
            reason: None,
            source: Source::Master,
            message: Text::default(),
            healthy: self.healthy,
            check: self.check,
            timestamp_ms: now.ms(),
            unreachable_since_ms: self.unreachable_since.map(SimTime::ms),
            number: None,
        }
    }
}

/// An ended task that the master remembers.
#[derive(Clone, Debug)]
pub(crate) struct CompletedTask {
    pub(crate) info: Arc<TaskInfo>,
    pub(crate) agent: AgentId,
    pub(crate) state: TaskState,
    pub(crate) executor: Option<Text>,
    pub(crate) role: Text,
    pub(crate) history: Vec<StatusRecord>,
}

/// A task as its agent knows it.
#[derive(Clone, Debug, Weight)]
#[weight(new TEXTS)]
pub(crate) struct UntrackedTask {
    pub(crate) task: Arc<Task>,
    pub(crate) executor: Option<ExecutorInfo>,
}

/// The agent that a task has just left, and the cause: if the agent is being drained, it may be finished. A caller
/// with all records checks that immediately.
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "the agent may be drained now"]
pub(crate) struct MayBeDrained(pub(crate) Option<(AgentId, Cause)>);

impl MayBeDrained {
    /// The later of two, when both are about one agent: it cannot be drained while the later task is there.
    pub(crate) fn then(self, later: Self) -> Self {
        Self(later.0.or(self.0))
    }
}

/// Acknowledgements that an ended task needs before it is removed from the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acknowledgement {
    /// Nothing.
    NotAwaited,
    /// Nothing, and this is the agent's latest report.
    NotAwaitedFromAgent,
    /// The acknowledgement of its last status; this one has the number, if it has one.
    Awaited(Option<u32>),
}
