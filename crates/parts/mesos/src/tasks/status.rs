//! The master receives a status of a task, and passes it on to the framework; a task that has ended leaves the records.
//!
//! Source: `apache/mesos: src/master/master.cpp` (statusUpdate, updateTask, removeTask). Match.

use crate::{
    agents::Executor,
    allocator::Return,
    api::{
        AgentId, CheckStatus, FrameworkId, Reason, Resources, SchedulerEvent, Source, TaskState, TaskStatus,
    },
    cluster::{Cluster, recovery},
    frameworks::Frameworks,
    tasks::{Acknowledgement, CompletedTask, MayBeDrained, Task, TaskNo, Tasks, Update},
    wire::operator_event,
};
use planarium_ground::{Cx, Fleet, ProcessId};
use planarium_kernel::Class;
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// Takes in a status and passes it on.
pub(crate) fn apply(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
    update: Update,
) -> MayBeDrained {
    apply_update(tasks, cluster, cx, fleet, no, update, Acknowledgement::NotAwaited)
}

/// Applies a status that may be older than the agent's knowledge. An ended task keeps its state, whatever later
/// statuses say.
pub(crate) fn apply_update(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
    update: Update,
    leaves: Acknowledgement,
) -> MayBeDrained {
    let now = cx.now();
    let Some(task) = tasks.get_mut(no) else { return MayBeDrained::default() };
    if leaves == Acknowledgement::NotAwaitedFromAgent {
        (task.agent_state, task.retry_ms) = (update.state, 0);
    }
    let number = if let Acknowledgement::Awaited(number) = leaves { Some(number) } else { None };
    let latest = if number.is_none() { update.state } else { task.agent_state };
    if !task.freed && task.state != latest {
        task.state = latest;
        task.since = now;
    }
    let (state, ends) = (task.state, latest.is_terminal() && !task.freed);
    task.healthy = update.healthy.or(task.healthy);
    task.check = update.check.or(task.check);
    if update.state == TaskState::Running && task.is_checked() {
        // A checked task carries check information from its first RUNNING on, without a result at first.
        task.check = task.check.or(Some(CheckStatus::default()));
    }
    let (framework, agent) = (task.framework, task.agent);
    let agent_id = cluster.agents.wire_id(agent);
    let status = TaskStatus {
        state: update.state,
        reason: update.reason,
        source: update.source,
        message: update.message,
        number: number.flatten(),
        ..task.status(agent_id, update.made_at.unwrap_or(now))
    };
    let is_new = task.record_status(&status);
    operator_event::task_updated(tasks, cluster, cx, framework, &status, state, is_new);
    if ends {
        cluster.counters.end(state);
    }
    if status.source != Source::Master {
        cluster.counters.status_updates += 1;
    }
    let leaves = number.is_none() && update.state.is_terminal();
    cx.following(status_event(&cluster.frameworks, framework, &status), |cx| {
        if leaves {
            end_task(tasks, cluster, cx, fleet, no, state);
        } else if ends {
            free_task(tasks, cluster, cx, fleet, no);
        }
        cluster.frameworks.send(cx, framework, SchedulerEvent::Update(status));
    });
    cluster.agents.touch(cx, agent);
    MayBeDrained(leaves.then(|| (agent, cx.cause())))
}

/// Tells a framework about a task.
pub(crate) fn send_update(
    frameworks: &mut Frameworks,
    cx: &mut Cx,
    framework: FrameworkId,
    status: TaskStatus,
) {
    cx.following(status_event(frameworks, framework, &status), |cx| {
        frameworks.send(cx, framework, SchedulerEvent::Update(status));
    });
}

fn status_event(frameworks: &Frameworks, framework: FrameworkId, status: &TaskStatus) -> EventBody {
    EventBody::TaskStatus {
        framework: frameworks.name(framework),
        task: status.task_name.clone(),
        task_id: status.task_id.clone(),
        state: status.state.text(),
        reason: status.reason.map(Reason::text).unwrap_or_default(),
        message: status.message.clone().into(),
        healthy: status.healthy,
        readiness_exit: status.check.and_then(|check| check.exit_code),
    }
}

/// Frees the resources of a task that has ended.
pub(crate) fn free_task(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
) {
    let Some(task) = tasks.get_mut(no).filter(|task| !task.freed) else { return };
    task.freed = true;
    let (id, framework, process) = (task.agent, task.framework, task.process.take());
    let (role, resources) = (task.role.clone(), std::mem::take(&mut task.resources));
    let executor = task.executor.clone();
    cluster.allocator.note_held(id);
    forget_process(tasks, fleet, process);
    let executor =
        cluster.agents.get_mut(id).and_then(|agent| agent.leave_executor(framework, executor?, no));
    release_resources(cluster, cx, framework, id, role, resources, executor);
}

fn forget_process(tasks: &mut Tasks, fleet: &mut Fleet, process: Option<ProcessId>) {
    if let Some(pid) = process {
        tasks.by_process.remove(&pid);
        fleet.vanish(pid);
    }
}

/// Frees a task's resources, and those of its executor when that has ended with it.
fn release_resources(
    cluster: &mut Cluster,
    cx: &Cx,
    framework: FrameworkId,
    agent: AgentId,
    role: Text,
    mut resources: Resources,
    executor: Option<Executor>,
) {
    let mut give = |role: &Text, resources: &Resources| {
        let rest = Return::Rest { role, agent, resources };
        recovery::recover(cluster, cx, framework, rest, None, Class::Periodic);
    };
    match executor {
        Some(executor) if executor.role == role => {
            // One change of the agent's allocation does for both.
            resources.add_all(&executor.info.resources);
            give(&role, &resources);
        }
        other => {
            give(&role, &resources);
            if let Some(executor) = other {
                give(&executor.role, &executor.info.resources);
            }
        }
    }
}

/// Removes a task from the records; its resources are free again.
pub(crate) fn end_task(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
    state: TaskState,
) {
    let Some(task) = tasks.all.remove(&no) else { return };
    let task = Arc::unwrap_or_clone(task);
    let (id, framework) = (task.agent, task.framework);
    tasks.ids.remove(&(framework, task.id().clone()));
    cluster.timers.disarm(task.retry);
    cluster.allocator.note_held(id);
    if !task.freed {
        forget_process(tasks, fleet, task.process);
    }
    let mut executor = None;
    if let Some(agent) = cluster.agents.get_mut(id) {
        agent.tasks.remove(&no);
        if let Some(of) = task.executor.clone().filter(|_| !task.freed) {
            executor = agent.leave_executor(framework, of, no);
        }
    }
    if !task.freed {
        release_resources(cluster, cx, framework, id, task.role.clone(), task.resources, executor);
    }
    let Task { info, executor, role, history, .. } = task;
    if let Some(framework) = cluster.frameworks.get_mut(framework) {
        framework.add_completed(CompletedTask { info, agent: id, state, executor, role, history });
    }
    cluster.agents.touch(cx, id);
}
