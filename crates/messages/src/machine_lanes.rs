//! Lanes of tasks by machine.
//!
//! *Knows*: launches and task states. *Must not know*: plans.

use crate::lane::Lane;
use crate::ptr::Ptr;
use crate::statuses::ClassOf;
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::view::StatusClass;
use planarium_protocol::{Event, Text};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A lane for each task name on each machine. Its path has the machine in place of the service, the task in place of
/// the step, and no plan.
#[derive(Clone, Debug, Default)]
pub struct MachineLanes {
    pub(crate) lanes: Vec<Arc<Lane>>,
    index: Arc<BTreeMap<ElementPath, usize>>,
    /// The lanes of tasks that have not ended.
    tasks: BTreeMap<Text, usize>,
    /// Losses by lane, kept with each change of a lane.
    lost: Arc<BTreeMap<usize, (Text, Vec<u64>)>>,
}

/// How long the end of a failed task is shown. *Units*: milliseconds.
const AFTER_MS: u64 = 5000;
/// Status of a task whose machine is lost, until the loss is detected.
const LOST: &str = "TASK_LOST";

impl MachineLanes {
    /// Takes in an event.
    pub fn take(&mut self, event: &Event, class_of: ClassOf) {
        match &event.body {
            EventBody::Launched { agent, task, task_id, .. } => {
                let at = self.place(ElementPath {
                    dialect: "".into(),
                    service: agent.clone(),
                    plan: "".into(),
                    phase: None,
                    step: Some(task.clone()),
                });
                self.tasks.insert(task_id.clone(), at);
                self.change(at, event.at_ms, "TASK_STAGING".into());
            }
            EventBody::TaskStatus { task_id, state, .. } => {
                let Some(at) = self.tasks.get(task_id).copied() else { return };
                let class = class_of("", state);
                let left = matches!(class, StatusClass::Done | StatusClass::Stopped);
                let failed = class == StatusClass::Failed && &**state != "TASK_UNREACHABLE";
                self.change(at, event.at_ms, if left { "".into() } else { state.clone() });
                if failed {
                    self.change(at, event.at_ms + AFTER_MS, "".into());
                }
                if left || failed {
                    self.tasks.remove(task_id);
                }
            }
            // A machine that is only disconnected keeps its tasks.
            EventBody::MachineLost { agent, how } if &**how == "lost" => {
                for at in self.tasks.values().copied().collect::<Vec<_>>() {
                    if self.lanes.get(at).is_some_and(|lane| lane.path.service == *agent) {
                        self.change(at, event.at_ms, LOST.into());
                    }
                }
            }
            _ => {}
        }
    }

    /// Rebuilds the index after lanes were received.
    pub(crate) fn reindex(&mut self, changed: &[usize]) {
        for at in self.index.len()..self.lanes.len() {
            if let Some(lane) = self.lanes.get(at) {
                Arc::make_mut(&mut self.index).insert(lane.path.clone(), at);
            }
        }
        for at in changed {
            self.note_losses(*at);
        }
    }

    /// Keeps the losses of a lane that changed.
    fn note_losses(&mut self, at: usize) {
        let Some(lane) = self.lanes.get(at) else { return };
        let all: Vec<u64> = lost(lane).collect();
        if all.is_empty() {
            if self.lost.contains_key(&at) {
                Arc::make_mut(&mut self.lost).remove(&at);
            }
        } else if self.lost.get(&at).is_none_or(|(_, known)| *known != all) {
            let task = lane.path.step.clone().unwrap_or_default();
            Arc::make_mut(&mut self.lost).insert(at, (task, all));
        }
    }

    fn place(&mut self, path: ElementPath) -> usize {
        if let Some(at) = self.index.get(&path) {
            return *at;
        }
        Arc::make_mut(&mut self.index).insert(path.clone(), self.lanes.len());
        self.lanes.push(Arc::new(Lane::of(path)));
        self.lanes.len() - 1
    }

    fn change(&mut self, at: usize, at_ms: u64, status: Text) {
        if let Some(lane) = self.lanes.get_mut(at) {
            Arc::make_mut(lane).change(at_ms, status);
            self.note_losses(at);
        }
    }

    /// The lane of a path.
    pub fn lane(&self, path: &ElementPath) -> Option<Ptr<Lane>> {
        self.index.get(path).and_then(|at| self.lanes.get(*at)).map(Ptr::from)
    }

    /// Returns the tasks lost with their machine or given up: name and instant.
    pub fn losses(&self) -> Vec<(Text, u64)> {
        let of = |(task, all): &(Text, Vec<u64>)| {
            all.iter().map(|at_ms| (task.clone(), *at_ms)).collect::<Vec<_>>()
        };
        self.lost.values().flat_map(of).collect()
    }

    /// All lanes, machine by machine.
    pub fn paths(&self) -> impl Iterator<Item = &ElementPath> {
        self.index.keys()
    }

    /// Returns the number of lanes.
    pub fn count(&self) -> usize {
        self.lanes.len()
    }
}

/// Returns the instants at which the lane's task was lost; later reports of the same loss do not count.
fn lost(lane: &Lane) -> impl Iterator<Item = u64> {
    let is_lost = |status: &Text| matches!(&**status, LOST | "TASK_UNREACHABLE" | "TASK_GONE");
    let before = std::iter::once(false).chain(lane.changes().iter().map(move |(_, status)| is_lost(status)));
    let all = lane.changes().iter().zip(before);
    all.filter(move |((_, status), before)| is_lost(status) && !before).map(|((at_ms, _), _)| *at_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::tests::{class_of, task as status};
    use planarium_kernel::cause::Cause;

    #[test]
    fn follows_a_task_from_machine_to_machine() {
        let event = |at_ms, body| Event { seq: at_ms, at_ms, cause: Cause::Genesis, body };
        let launched = |at_ms, agent: &str, id: &str| {
            let (framework, task) = ("s".into(), "a-0".into());
            event(at_ms, EventBody::Launched { framework, agent: agent.into(), task, task_id: id.into() })
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
            lanes.take(&event, class_of);
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
        ];
        assert_eq!(cut("m1"), want.map(|(from, to, status)| (from, to, status.to_owned())));
        assert_eq!((cut("m2").len(), lanes.count()), (1, 2));
        // A lost machine ends its tasks, detected or not; a disconnected one does not.
        let gone =
            |at_ms, how: &str| event(at_ms, EventBody::MachineLost { agent: "m2".into(), how: how.into() });
        lanes.take(&status(22_000, "a-0__3", "TASK_RUNNING"), class_of);
        lanes.take(&gone(23_000, "partitioned"), class_of);
        lanes.take(&gone(24_000, "lost"), class_of);
        lanes.take(&status(29_000, "a-0__3", "TASK_UNREACHABLE"), class_of);
        let seen: Vec<_> =
            lanes.lanes[1].segments(30_000).iter().map(|s| (s.from_ms, s.status.to_string())).collect();
        let want = [(21_000, "STAGING"), (22_000, "RUNNING"), (24_000, "LOST"), (29_000, "UNREACHABLE")];
        assert_eq!(seen, want.map(|(from, status)| (from, format!("TASK_{status}"))));
        let lost = [("a-0".into(), 24_000)];
        assert_eq!(lanes.losses(), lost, "a failed task is not lost, and one is lost once");
        // Lanes that were received know the same.
        let mut received = MachineLanes { lanes: lanes.lanes.clone(), ..MachineLanes::default() };
        received.reindex(&[0, 1]);
        assert_eq!(received.losses(), lost);
    }
}
