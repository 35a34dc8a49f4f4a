//! The user plays the cluster: one status of one container.

use super::{Kubelet, Runs};
use crate::{object::ObjectNo, status::State};
use planarium_ground::{Fleet, FleetEventKind, ProcessId, Said, SaidChecks};
use planarium_protocol::{Refusal, input::TaskStatusInput, refusal::RefusalCode};

impl Kubelet<'_> {
    /// Sets one status by hand: `TASK_STARTING`, `TASK_RUNNING` (with `readiness_exit` and `healthy`), `TASK_FINISHED`,
    /// `TASK_FAILED`, `TASK_KILLED`. The task is `POD-CONTAINER`, the container's name alone if it is the only one, or
    /// `NAMESPACE/POD/CONTAINER/RESTART`. The process follows.
    ///
    /// *Errors*: no matching container with a process, several of them, a state without a meaning here.
    pub(crate) fn task_status(&mut self, said: &TaskStatusInput) -> Result<(), Refusal> {
        let (no, at, pid) = said_of(&self.cluster.runs, self.fleet, said)?;
        match said.state.as_str() {
            "TASK_STARTING" | "TASK_STAGING" => self.fleet.say(self.cx, pid, Said::Starting),
            "TASK_RUNNING" => {
                let runs = self
                    .cluster
                    .runs
                    .cell(no, at)
                    .is_some_and(|cell| matches!(cell.status.state, State::Running { .. }));
                let checks = SaidChecks { readiness: said.readiness_exit, healthy: said.healthy };
                self.fleet.say(self.cx, pid, Said::Running(checks));
                if !runs {
                    self.hear(&FleetEventKind::Running { pid });
                }
                if let Some(code) = said.readiness_exit {
                    self.hear(&FleetEventKind::Check { pid, exit_code: Some(code), attempt: 1 });
                }
                if said.healthy == Some(false) {
                    self.hear(&FleetEventKind::Health { pid, healthy: false });
                }
            }
            "TASK_FINISHED" => self.said_ended(no, at, pid, 0, "Completed"),
            "TASK_FAILED" | "TASK_ERROR" | "TASK_LOST" => self.said_ended(no, at, pid, 1, "Error"),
            "TASK_KILLED" => self.said_ended(no, at, pid, 137, "Error"),
            other => {
                return Err(Refusal::new(
                    RefusalCode::BadRequest,
                    format!("`{other}` is not a state of a container"),
                ));
            }
        }
        Ok(())
    }

    fn said_ended(&mut self, no: ObjectNo, at: u16, pid: ProcessId, code: i32, reason: &'static str) {
        self.fleet.say(self.cx, pid, Said::Ended);
        self.container_ended(no, at, code, reason, "");
    }
}

/// The container that a status is about.
fn said_of(
    runs: &Runs,
    fleet: &Fleet,
    said: &TaskStatusInput,
) -> Result<(ObjectNo, u16, ProcessId), Refusal> {
    let mut found = Vec::new();
    for (pid, (no, at)) in runs.by_process.iter() {
        let Some(labels) = fleet.labels(*pid) else { continue };
        let is = |key: &str| labels.get(key).is_some_and(|text| **text == *said.task);
        let service = said
            .service
            .as_ref()
            .is_none_or(|service| labels.get("service").is_some_and(|own| **own == **service));
        if service && (is("task") || is("task-id") || is("pod")) {
            found.push((*no, *at, *pid));
        }
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(Refusal::new(RefusalCode::NotFound, format!("no container {} has a process", said.task))),
        _ => Err(Refusal::new(RefusalCode::Conflict, format!("several containers are called {}", said.task))),
    }
}

/// True if a task of this name or id is a container of this cluster.
pub(crate) fn knows_task(runs: &Runs, fleet: &Fleet, task: &str) -> bool {
    runs.by_process.keys().any(|pid| {
        fleet.labels(*pid).is_some_and(|labels| {
            ["task", "task-id", "pod"].iter().any(|key| labels.get(key).is_some_and(|text| **text == *task))
        })
    })
}
