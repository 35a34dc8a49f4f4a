//! The agent starts the process of a task.

use crate::{
    cluster::Cluster,
    tasks::{Task, TaskNo, Tasks},
};
use planarium_ground::{Cx, Fleet, MachineId, ProcessSpec};

/// Starts a task's process on its agent.
pub(crate) fn run_process(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
) {
    let Some(task) = tasks.get(no) else { return };
    let machine = cluster.agents.get(task.agent).map_or(MachineId(u32::MAX), |agent| agent.machine);
    let pid = fleet.launch(cx, process_of(task, machine));
    tasks.by_process.insert(pid, no);
    if let Some(task) = tasks.get_mut(no) {
        task.process = Some(pid);
    }
}

/// The process of a task on a machine.
pub(crate) fn process_of(task: &Task, machine: MachineId) -> ProcessSpec {
    ProcessSpec {
        owner: crate::OWNER,
        name: task.name().clone(),
        machine,
        labels: task.labels.clone(),
        program: task.info.program.clone(),
        grace_ms: task.grace_ms(),
    }
}
