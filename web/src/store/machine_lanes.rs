//! Where tasks ran from when to when: the lanes of a timeline by machine.
//!
//! *Knows*: launches and task states. *Must not know*: plans.

use super::gantt::{Change, Lane};
use super::ptr::Ptr;
use super::selectors::status::entry;
use planarium_kernel::SortedMap;
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::view::StatusClass;
use planarium_protocol::{Event, Text};
use std::sync::Arc;

/// A lane for each task name on each machine. In its path the machine takes the place of the service and the task that
/// of the step; there is no plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct MachineLanes {
    lanes: SortedMap<ElementPath, Arc<Lane>>,
    tasks: SortedMap<Text, ElementPath>,
}

/// How long the end of a task that failed is shown.
const AFTER_MS: u64 = 5000;

impl MachineLanes {
    /// Takes in an event.
    pub(crate) fn take(&mut self, event: &Event) {
        match &event.body {
            EventBody::Launched { agent, task, task_id, .. } => {
                let path = ElementPath {
                    dialect: "".into(),
                    service: agent.clone(),
                    plan: "".into(),
                    phase: None,
                    step: Some(task.clone()),
                };
                self.tasks.insert(task_id.clone(), path.clone());
                self.change(&path, event, "TASK_STAGING".into());
            }
            EventBody::TaskStatus { task_id, state, .. } => {
                let Some(path) = self.tasks.get(task_id).cloned() else { return };
                let class = entry(&[], state).class;
                let left = matches!(class, StatusClass::Done | StatusClass::Stopped);
                self.change(&path, event, if left { "".into() } else { state.clone() });
                if left || has_failed(state) {
                    self.tasks.remove(task_id);
                }
            }
            _ => {}
        }
    }

    fn change(&mut self, path: &ElementPath, event: &Event, status: Text) {
        let (at_ms, seq) = (event.at_ms, event.seq);
        let lane = self.lanes.entry(path.clone()).or_insert_with(|| {
            Arc::new(Lane {
                path: path.clone(),
                first: "".into(),
                born_ms: at_ms,
                gone_ms: None,
                changes: Vec::new(),
            })
        });
        let lane = Arc::make_mut(lane);
        // The end that was drawn beforehand is not needed when something comes sooner.
        while lane.changes.last().is_some_and(|last| last.at_ms > at_ms) {
            lane.changes.pop();
        }
        if lane.changes.last().is_some_and(|last| last.status == status) {
            return;
        }
        let failed = has_failed(&status);
        lane.changes.push(Change { at_ms, seq, status });
        if failed {
            lane.changes.push(Change { at_ms: at_ms + AFTER_MS, seq, status: "".into() });
        }
    }

    /// The lane of a path.
    pub(crate) fn lane(&self, path: &ElementPath) -> Option<Ptr<Lane>> {
        self.lanes.get(path).map(Ptr::from)
    }

    /// All lanes, machine by machine.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &ElementPath> {
        self.lanes.keys()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.lanes.len()
    }
}

/// Whether a task in this state has failed for good. One whose agent does not answer may come back.
fn has_failed(state: &str) -> bool {
    entry(&[], state).class == StatusClass::Failed && state != "TASK_UNREACHABLE"
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_kernel::cause::Cause;

    #[test]
    fn follows_a_task_from_machine_to_machine() {
        let event = |at_ms, body| Event { seq: at_ms, at_ms, cause: Cause::Genesis, body };
        let launched = |at_ms, agent: &str, id: &str| {
            let (framework, task) = ("s".into(), "a-0".into());
            event(at_ms, EventBody::Launched { framework, agent: agent.into(), task, task_id: id.into() })
        };
        let status = |at_ms, id: &str, state: &str| {
            let body = EventBody::TaskStatus {
                framework: "s".into(),
                task: "a-0".into(),
                task_id: id.into(),
                state: state.into(),
                reason: "".into(),
                message: "".into(),
                healthy: None,
                readiness_exit: None,
            };
            event(at_ms, body)
        };
        let mut lanes = MachineLanes::default();
        for event in [
            launched(1000, "m1", "a-0__1"),
            status(2000, "a-0__1", "TASK_RUNNING"),
            status(3000, "a-0__1", "TASK_RUNNING"),
            status(9000, "a-0__1", "TASK_FAILED"),
            launched(10_000, "m1", "a-0__2"),
            status(11_000, "a-0__2", "TASK_RUNNING"),
            status(20_000, "a-0__2", "TASK_KILLED"),
            launched(21_000, "m2", "a-0__3"),
        ] {
            lanes.take(&event);
        }
        let cut = |agent: &str| {
            let path = lanes.paths().find(|path| &*path.service == agent).expect("a lane");
            let lane = lanes.lane(path).expect("it");
            lane.segments(30_000)
                .iter()
                .map(|s| (s.from_ms, s.to_ms, s.status.to_string()))
                .collect::<Vec<_>>()
        };
        let want = [
            (1000, 2000, "TASK_STAGING"),
            (2000, 9000, "TASK_RUNNING"),
            (9000, 10_000, "TASK_FAILED"),
            (10_000, 11_000, "TASK_STAGING"),
            (11_000, 20_000, "TASK_RUNNING"),
            (20_000, 30_000, ""),
        ];
        assert_eq!(cut("m1"), want.map(|(from, to, status)| (from, to, status.to_owned())));
        assert_eq!((cut("m2").len(), lanes.count()), (1, 2));
    }
}
