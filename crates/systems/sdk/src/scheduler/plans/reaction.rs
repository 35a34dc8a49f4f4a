//! Reactions of a step to statuses of the tasks it launched.
//!
//! *Knows*: two tables. *Must not know*: trees, events, time.
//!
//! **Source**: `dcos-commons: …/scheduler/plan/DeploymentStep.java`. Match.

use super::StepTask;
use crate::scheduler::state::StoredStatus;
use crate::spec::Goal;
use planarium_plan::StepState;

/// Change of a task's delay by a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DelayChange {
    /// Nothing.
    Keep,
    /// A failure: added or advanced.
    Add,
    /// Forgotten.
    Clear,
}

/// State of a task's part in its step by a status, and the change of its delay; `None` for a state that the step only
/// notes.
pub(crate) fn reaction(status: &StoredStatus, goal: Goal) -> Option<(StepState, DelayChange)> {
    Some(match (status.state, goal) {
        ("TASK_STAGING" | "TASK_STARTING", _) => (StepState::Starting, DelayChange::Keep),
        ("TASK_RUNNING", Goal::Running) if status.is_ready() => (StepState::Complete, DelayChange::Clear),
        ("TASK_RUNNING", _) => (StepState::Started, DelayChange::Keep),
        ("TASK_FINISHED", Goal::Finish | Goal::Once) => (StepState::Complete, DelayChange::Keep),
        ("TASK_FAILED" | "TASK_ERROR", _) => (StepState::Delayed, DelayChange::Add),
        ("TASK_FINISHED", Goal::Running)
        | (
            "TASK_KILLED" | "TASK_KILLING" | "TASK_LOST" | "TASK_GONE" | "TASK_DROPPED" | "TASK_UNREACHABLE",
            _,
        ) => (StepState::Pending, DelayChange::Keep),
        ("TASK_GONE_BY_OPERATOR", _) => (StepState::Pending, DelayChange::Clear),
        _ => return None,
    })
}

/// A step's state from its tasks: the least advanced decides, a delayed one before a pending one.
/// Nothing when the mixture says nothing.
pub(crate) fn from_tasks(tasks: &[StepTask]) -> Option<StepState> {
    const ORDER: [StepState; 6] = [
        StepState::Error,
        StepState::Delayed,
        StepState::Pending,
        StepState::Prepared,
        StepState::Starting,
        StepState::Started,
    ];
    let least = ORDER.into_iter().find(|state| tasks.iter().any(|task| task.state == *state));
    least.or_else(|| (!tasks.is_empty()).then_some(StepState::Complete))
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::SimTime;

    fn stored(state: &'static str, checked: bool, exit: Option<i32>) -> StoredStatus {
        StoredStatus {
            state,
            reason: "".into(),
            message: "".into(),
            healthy: None,
            checked,
            readiness_exit: exit,
            readiness_seen: 0,
            at: SimTime::ZERO,
        }
    }

    #[test]
    fn statuses() {
        use DelayChange::{Add, Clear, Keep};
        use StepState::{Complete, Delayed, Pending, Started, Starting};
        let run = Goal::Running;
        for (state, checked, exit, goal, expected) in [
            ("TASK_STAGING", false, None, run, Some((Starting, Keep))),
            ("TASK_STARTING", false, None, run, Some((Starting, Keep))),
            ("TASK_RUNNING", false, None, run, Some((Complete, Clear))),
            ("TASK_RUNNING", true, None, run, Some((Started, Keep))),
            ("TASK_RUNNING", true, Some(1), run, Some((Started, Keep))),
            ("TASK_RUNNING", true, Some(0), run, Some((Complete, Clear))),
            ("TASK_RUNNING", false, None, Goal::Finish, Some((Started, Keep))),
            ("TASK_RUNNING", true, Some(0), Goal::Once, Some((Started, Keep))),
            ("TASK_FINISHED", false, None, run, Some((Pending, Keep))),
            ("TASK_FINISHED", false, None, Goal::Finish, Some((Complete, Keep))),
            ("TASK_FINISHED", false, None, Goal::Once, Some((Complete, Keep))),
            ("TASK_FAILED", false, None, run, Some((Delayed, Add))),
            ("TASK_ERROR", false, None, Goal::Once, Some((Delayed, Add))),
            ("TASK_KILLED", false, None, run, Some((Pending, Keep))),
            ("TASK_KILLING", false, None, run, Some((Pending, Keep))),
            ("TASK_LOST", false, None, run, Some((Pending, Keep))),
            ("TASK_GONE", false, None, run, Some((Pending, Keep))),
            ("TASK_DROPPED", false, None, run, Some((Pending, Keep))),
            ("TASK_UNREACHABLE", false, None, run, Some((Pending, Keep))),
            ("TASK_GONE_BY_OPERATOR", false, None, run, Some((Pending, Clear))),
            ("TASK_UNKNOWN", false, None, run, None),
        ] {
            assert_eq!(reaction(&stored(state, checked, exit), goal), expected, "{state} {goal:?}");
        }
    }

    #[test]
    fn the_least_advanced_task_decides() {
        use StepState::{Complete, Delayed, Error, Pending, Started, Starting};
        let tasks = |states: &[StepState]| -> Vec<StepTask> {
            let task = |state: &StepState| StepTask {
                id: "".into(),
                task: "".into(),
                state: *state,
                ended_by: None,
            };
            states.iter().map(task).collect()
        };
        for (states, expected) in [
            (&[][..], None),
            (&[Complete, Complete][..], Some(Complete)),
            (&[Complete, Started], Some(Started)),
            (&[Started, Starting], Some(Starting)),
            (&[Pending, Starting], Some(Pending)),
            (&[Pending, Delayed, Complete], Some(Delayed)),
            (&[Delayed, Error], Some(Error)),
        ] {
            assert_eq!(from_tasks(&tasks(states)), expected, "{states:?}");
        }
    }
}
