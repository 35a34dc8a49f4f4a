//! Views of processes that systems start on machines themselves, and actions on them.
//!
//! *Knows*: the ledger of machines; the Mesos master's words for task states, which are used for any process. *Must
//! not know*: the owners of processes.

use crate::Fleet;
use crate::ledger::Holding;
use crate::process::ProcessState;
use crate::spec::ProcessId;
use planarium_protocol::input::{Fault, FaultKind, Target};
use planarium_protocol::view::{ActionView, MachineView, TaskView};
use planarium_protocol::{Input, Text};
use std::sync::Arc;

/// The word for a process state.
const fn word(state: ProcessState) -> &'static str {
    match state {
        ProcessState::Launching => "TASK_STAGING",
        ProcessState::Starting => "TASK_STARTING",
        ProcessState::Running => "TASK_RUNNING",
        ProcessState::Killing => "TASK_KILLING",
    }
}

impl Fleet {
    /// Adds processes without a layer to the machines' views. Returns a number that grows whenever such a process starts, ends or
    /// changes.
    pub fn show_processes(&self, machines: &mut [Arc<MachineView>]) -> u64 {
        let newest = self.ledger().last_moved();
        if newest == 0 {
            return 0;
        }
        for machine in machines {
            let Some(id) = self.find_machine(&machine.hostname).filter(|_| machine.port.is_none()) else {
                continue;
            };
            let moved = self.ledger().processes_moved(id);
            if moved == 0 {
                continue;
            }
            let machine = Arc::make_mut(machine);
            // Use a sum, because either part may be the newer one.
            machine.revision = machine.revision.saturating_add(moved);
            for (_, pid, holding) in self.ledger().processes(id) {
                holding.amounts.add_to(machine);
                machine.without_size += u32::from(holding.amounts.is_none());
                machine.tasks.extend(view(self, pid, holding));
            }
        }
        newest
    }
}

fn view(fleet: &Fleet, pid: ProcessId, holding: &Holding) -> Option<TaskView> {
    let (facts, labels) = (fleet.process(pid)?, fleet.labels(pid)?);
    let label = |name: &str| labels.get(name).cloned().unwrap_or_default();
    let refused = (facts.state == ProcessState::Killing).then_some("it is being ended");
    let service = holding.holder.service.clone();
    Some(TaskView {
        name: holding.holder.name.clone(),
        id: label("task-id"),
        actions: strikes(&service, &label("task-id"), refused),
        service,
        pod: label("pod"),
        state: word(facts.state).into(),
        since_ms: facts.since.ms(),
        healthy: facts.healthy,
        ready: (facts.readiness_attempts > 0).then_some(facts.readiness_last == Some(0)),
    })
}

/// A way to hurt a container.
pub fn strike(
    service: &Text,
    task: &Text,
    refused: Option<&str>,
    title: &str,
    kind: FaultKind,
) -> ActionView {
    let target =
        Target { service: Some(service.to_string()), task: Some(task.to_string()), ..Target::default() };
    let fault = Fault {
        fault: kind,
        id: None,
        target,
        for_ms: None,
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    };
    ActionView::new(title, Input::Fault(fault)).unless(refused)
}

/// Ways to hurt a container.
pub fn strikes(service: &Text, task: &Text, refused: Option<&str>) -> Vec<ActionView> {
    let strike = |title: &str, kind| strike(service, task, refused, title, kind);
    vec![
        strike("Fail this container", FaultKind::TaskFail),
        strike("Run it out of memory", FaultKind::TaskOom),
        strike("Make it hang", FaultKind::Hang),
    ]
}
