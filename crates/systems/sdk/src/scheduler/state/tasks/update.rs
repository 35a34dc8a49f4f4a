//! Applies a status to the record of its task.
//!
//! *Knows*: which statuses are stored and which of them are new. *Must not know*: the consequences.
//!
//! **Source**: `dcos-commons: …/scheduler/DefaultScheduler.java (processStatusUpdate), …/state/StateStore.java`. Match.

use super::{OverrideProgress, OverrideTarget, Place, PodKey, StoredStatus, TaskRecord, TaskStore};
use crate::scheduler::Cx;
use planarium_kernel::Cause;
use planarium_mesos::api::TaskStatus;
use planarium_plan::StepState;
use planarium_protocol::Text;

/// Effect of a status on the records.
pub(crate) enum TakenStatus {
    /// No record has the task's id now.
    UnknownTask,
    /// The task has ended before, and the status only says that it is unknown now.
    Ignored,
    /// The status was stored.
    Stored(StatusChange),
}

/// A status that was stored.
pub(crate) struct StatusChange {
    /// The record.
    pub(crate) place: Place,
    /// Instance name of the task.
    pub(crate) name: Text,
    /// Its pod instance.
    pub(crate) pod: PodKey,
    /// The stored status.
    pub(crate) status: StoredStatus,
    /// It differs from the previous one in something that the control loop uses.
    pub(crate) is_news: bool,
}

impl TaskStore {
    /// Stores a status of the master with the task that has its id.
    pub(crate) fn take_status(&mut self, cx: &Cx, status: &TaskStatus) -> TakenStatus {
        let found = self.place_of_id(&status.task_id);
        let Some((place, record)) = found.and_then(|place| Some((place, self.at(place)?))) else {
            return TakenStatus::UnknownTask;
        };
        let state = status.state.as_str();
        let ended = record.status.as_ref().is_some_and(StoredStatus::is_terminal);
        if ended
            && matches!(
                state,
                "TASK_LOST" | "TASK_GONE" | "TASK_DROPPED" | "TASK_UNKNOWN" | "TASK_UNREACHABLE"
            )
        {
            return TakenStatus::Ignored;
        }
        let (name, pod, heard) = (record.name.clone(), record.pod.clone(), record.heard);
        let stored = merged(record, status, cx);
        let is_news = record.status.as_ref().is_none_or(|old| !same(old, &stored));
        let addressed = record.addressed || state == "TASK_RUNNING";
        // A reconciliation tells of every task, and mostly what is known.
        if record.addressed != addressed || record.status.as_ref() != Some(&stored) {
            self.change(place, |record| {
                record.addressed = addressed;
                record.status = Some(stored.clone());
            });
        }
        self.hear(heard, event_behind(cx));
        TakenStatus::Stored(StatusChange { place, name, pod, status: stored, is_news })
    }

    /// Lets an override follow its task's part in a step until the override is complete.
    pub(crate) fn move_override(&mut self, place: Place, state: StepState) {
        let Some(goal) = self.at(place).map(|record| record.goal) else { return };
        if goal.progress == OverrideProgress::Complete || goal.target == OverrideTarget::Decommissioned {
            return;
        }
        let progress = match state {
            StepState::Pending => OverrideProgress::Pending,
            StepState::Started | StepState::Complete => OverrideProgress::Complete,
            _ => OverrideProgress::InProgress,
        };
        self.change(place, |record| record.goal.progress = progress);
    }
}

/// Returns the status to store, with data kept from earlier ones.
fn merged(record: &TaskRecord, status: &TaskStatus, cx: &Cx) -> StoredStatus {
    let old = record.status.as_ref();
    let exit = status.check.and_then(|check| check.exit_code);
    let seen = old.map_or(0, |old| old.readiness_seen);
    let state = status.state.as_str();
    let unchanged = old.is_some_and(|old| old.state == state);
    let reason = status.reason.map_or("", planarium_mesos::api::Reason::as_str);
    let known = old.map(|old| &old.reason).filter(|known| ***known == *reason);
    StoredStatus {
        state,
        reason: match known {
            Some(known) => known.clone(),
            None if reason.is_empty() => Text::default(),
            None => reason.into(),
        },
        message: status.message.clone(),
        healthy: status.healthy,
        checked: status.check.is_some(),
        readiness_exit: exit,
        readiness_seen: seen.saturating_add(u32::from(exit.is_some())),
        at: if unchanged { old.map_or(cx.now(), |old| old.at) } else { cx.now() },
    }
}

/// The event that the present work goes back to; 0 for none.
fn event_behind(cx: &Cx) -> u64 {
    match cx.cause() {
        Cause::Event(seq) => seq,
        Cause::Input(_) | Cause::Genesis => 0,
    }
}

/// Compares two statuses in the fields that the control loop uses.
fn same(old: &StoredStatus, new: &StoredStatus) -> bool {
    old.state == new.state && old.checked == new.checked && old.readiness_exit == new.readiness_exit
}
