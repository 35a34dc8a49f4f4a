//! Status updates: from the agent to the master to the framework.
//!
//! Updates wait in a queue per task while the master cannot be reached, and are sent again with doubling pauses when
//! they got lost. For frameworks that acknowledge by calls they also wait for those ([`super::acknowledge`]); all
//! others acknowledge in no time.
//!
//! Source: `apache/mesos: src/master/master.cpp` (statusUpdate, updateTask), `src/status_update_manager` (order,
//! retries), `src/launcher/default_executor.cpp` (groups end together). Match.

use super::retry::MAX_RETRY_MS;
use crate::{
    agents::{Agents, Executor},
    api::{
        AgentId, Capability, CheckStatus, FrameworkId, Reason, Resources, SchedulerEvent, Source, TaskState,
        TaskStatus,
    },
    cluster::{Cluster, Timer, recovery},
    frameworks::Frameworks,
    maintenance::{DrainState, state_while_draining},
    tasks::{
        Acknowledgement, CompletedTask, DEFAULT_KILL_GRACE_MS, MayBeDrained, Task, TaskNo, Tasks, Update,
        acknowledge, kill, next_retry_ms, untracked,
    },
    wire::operator_event,
};
use planarium_ground::{Cx, Fleet, ProcessId};
use planarium_kernel::Class;
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// The agent reports something about a task.
pub(crate) fn on_agent_update(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
    update: Update,
) -> MayBeDrained {
    let mut left = MayBeDrained::default();
    let Some(task) = tasks.get(no) else {
        untracked::record_untracked(tasks, &cluster.agents, cx, fleet, no, &update);
        return left;
    };
    if task.agent_state.is_terminal() {
        return left;
    }
    let update = Update { made_at: Some(cx.now()), ..as_drained(cluster, task, task.as_expired(update)) };
    let (state, agent, group) = (update.state, task.agent, task.group);
    let begins = state == TaskState::Running && task.agent_state != TaskState::Running;
    let limit_ms = task.info.max_completion_ms.filter(|_| begins);
    let is_reachable = cluster.agents.get(agent).is_some_and(crate::agents::Agent::is_reachable);
    let waits = !is_reachable || !task.pending_updates.is_empty();
    let at_once = !waits && !cluster.frameworks.acknowledges_explicitly(task.framework);
    let lost = at_once && fleet.drops_status(cx, &task.labels);
    if let Some(ms) = limit_ms {
        kill::limit_completion(cluster, cx, no, ms);
    }
    if at_once && !lost {
        left = cx.scoped(update.cause, |cx| {
            apply_update(tasks, cluster, cx, fleet, no, update, Acknowledgement::NotAwaitedFromAgent)
        });
    } else if let Some(task) = tasks.get_mut(no) {
        task.agent_state = state;
        task.pending_updates.push_back(update);
        if lost {
            schedule_retry(tasks, cluster, cx, no, Class::OneShot);
        } else if !waits {
            acknowledge::send_next_update(tasks, cluster, cx, fleet, no);
        }
    }
    if let (TaskState::Failed | TaskState::Killed, Some(group)) = (state, group) {
        // A task of a group that failed or was killed takes the others of the group with it.
        for (pid, grace_ms) in group_members(tasks, &cluster.agents, agent, group) {
            fleet.kill(cx, pid, grace_ms);
        }
    }
    // What can be done to a task depends on its process, whether or not the master has heard of it.
    cluster.agents.touch(cx, agent);
    left
}

/// The update of a task that a draining agent kills.
fn as_drained(cluster: &Cluster, task: &Task, mut update: Update) -> Update {
    let info = cluster.agents.drains.info(task.agent);
    let draining = info.filter(|info| info.state == DrainState::Draining);
    if let (Some(info), TaskState::Killing | TaskState::Killed) = (draining, update.state) {
        let framework = cluster.frameworks.get(task.framework);
        let aware = framework.is_some_and(|framework| framework.can(Capability::PartitionAware));
        update.state = state_while_draining(info.config, update.state, aware);
        update.reason = Some(Reason::AgentDraining);
    }
    update
}

/// Processes of a group with their grace periods.
pub(crate) fn group_members(
    tasks: &Tasks,
    agents: &Agents,
    agent: crate::api::AgentId,
    group: u32,
) -> Vec<(ProcessId, u64)> {
    let on_agent = agents.get(agent).into_iter().flat_map(|agent| &agent.tasks);
    on_agent
        .filter_map(|no| tasks.get(*no))
        .filter(|task| task.group == Some(group) && !task.agent_state.is_terminal())
        .filter_map(|task| Some((task.process?, task.info.kill_grace_ms.unwrap_or(DEFAULT_KILL_GRACE_MS))))
        .collect()
}

/// Sends a status; it may get lost.
fn deliver_update(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
    update: Update,
) -> MayBeDrained {
    let Some(labels) = tasks.get(no).map(|task| task.labels.clone()) else { return MayBeDrained::default() };
    if fleet.drops_status(cx, &labels) {
        if let Some(task) = tasks.get_mut(no) {
            task.pending_updates.push_front(update);
        }
        schedule_retry(tasks, cluster, cx, no, Class::OneShot);
        return MayBeDrained::default();
    }
    if let Some(task) = tasks.get_mut(no) {
        task.retry_ms = 0;
    }
    cx.scoped(update.cause, |cx| apply(tasks, cluster, cx, fleet, no, update))
}

/// Arms the timer that sends the first update of the queue again, each time after twice the pause.
pub(crate) fn schedule_retry(tasks: &mut Tasks, cluster: &mut Cluster, cx: &Cx, no: TaskNo, class: Class) {
    let Some(task) = tasks.get_mut(no) else { return };
    task.retry_ms = next_retry_ms(task.retry_ms);
    let (ms, old) = (task.retry_ms, task.retry.take());
    cluster.timers.disarm(old);
    let class = if ms < MAX_RETRY_MS { class } else { Class::Periodic };
    let timer = cluster.timers.arm(cx.now().saturating_add(ms), class, cx.cause(), Timer::Retry(no));
    if let Some(task) = tasks.get_mut(no) {
        task.retry = Some(timer);
    }
}

/// Sends again what got lost.
pub(crate) fn retry_status(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
) -> MayBeDrained {
    let Some(task) = tasks.get_mut(no) else { return MayBeDrained::default() };
    task.retry = None;
    let framework = task.framework;
    if cluster.frameworks.acknowledges_explicitly(framework) {
        acknowledge::send_next_update(tasks, cluster, cx, fleet, no);
        return MayBeDrained::default();
    }
    deliver_pending(tasks, cluster, cx, fleet, no)
}

/// Sends everything in the queue, until something gets lost again.
pub(crate) fn deliver_pending(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
) -> MayBeDrained {
    let mut left = MayBeDrained::default();
    if tasks.get(no).is_some_and(|task| cluster.frameworks.acknowledges_explicitly(task.framework)) {
        acknowledge::resend_updates(tasks, cluster, cx, fleet, no);
        return left;
    }
    loop {
        let Some(task) = tasks.get(no) else { return left };
        if task.retry.is_some()
            || !cluster.agents.get(task.agent).is_some_and(crate::agents::Agent::is_reachable)
        {
            return left;
        }
        let Some(update) = tasks.get_mut(no).and_then(|task| task.pending_updates.pop_front()) else {
            return left;
        };
        left = left.then(deliver_update(tasks, cluster, cx, fleet, no, update));
    }
}

/// The master receives a status and passes it on.
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

/// The same for a status that may be older than what the agent knows. Once a task has ended its state
/// stays, whatever later statuses say.
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

/// A task has ended: its resources are free again.
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
    forget_process(tasks, fleet, process);
    let executor =
        cluster.agents.get_mut(id).and_then(|agent| agent.leave_executor(framework, executor?, no));
    release_resources(cluster, cx, (framework, id), role, resources, executor);
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
    (framework, agent): (FrameworkId, AgentId),
    role: Text,
    mut resources: Resources,
    executor: Option<Executor>,
) {
    let mut give = |role: &Text, resources: &Resources| {
        recovery::recover_resources(cluster, cx, framework, role, agent, resources, None, Class::Periodic);
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
        release_resources(cluster, cx, (framework, id), task.role.clone(), task.resources, executor);
    }
    let Task { info, executor, role, history, .. } = task;
    if let Some(framework) = cluster.frameworks.get_mut(framework) {
        framework.add_completed(CompletedTask { info, agent: id, state, executor, role, history });
    }
    cluster.agents.touch(cx, id);
}
