//! Tasks that still run although the master has removed them from its records.
//!
//! An agent that is partitioned, or whose process is not running, does not receive the shutdown order when its
//! machine goes DOWN, and keeps running. If it comes back after the machine is UP again it keeps its id, and its
//! tasks are announced again; if it comes back earlier, it receives the order and everything ends. When the master
//! fails over, the tasks of all agents are untracked for some time ([`crate::agents::failover`]).
//!
//! Source: `apache/mesos: src/master/master.cpp` (reregisterSlave, removeTask). Match.

use crate::{
    agents::{Agents, Executor},
    api::{AgentId, TaskState},
    cluster::Cluster,
    tasks::{Task, TaskNo, Tasks, UntrackedTask, Update, shutdown},
};
use planarium_ground::{Absence, Cx, Fleet};
use planarium_kernel::SortedSet;
use std::sync::Arc;

/// Returns whether an agent receives the shutdown order now; marks one that does not.
pub(crate) fn receives_shutdown(agents: &mut Agents, fleet: &Fleet, id: AgentId) -> bool {
    let Some(agent) = agents.get_mut(id) else { return true };
    agent.missed_shutdown =
        matches!(fleet.absence(agent.machine), Some(Absence::Partitioned | Absence::AgentRestart));
    !agent.missed_shutdown
}

/// Keeps a task that runs on apart, before the master removes it.
pub(crate) fn untrack(tasks: &mut Tasks, cluster: &mut Cluster, no: TaskNo) {
    let is_there = |task: &&Arc<Task>| task.process.is_some() || task.freed;
    let Some(task) = tasks.all.get(&no).filter(is_there).cloned() else { return };
    let executor = task.executor.as_ref().and_then(|id| {
        let agent = cluster.agents.get(task.agent)?;
        agent.executors.get(&(task.framework, id.clone())).map(|executor| executor.info.clone())
    });
    if let Some(task) = tasks.get_mut(no) {
        task.process = None;
    }
    cluster.allocator.note_held(task.agent);
    if let Some(agent) = cluster.agents.get_mut(task.agent) {
        agent.untracked.push(no);
    }
    tasks.untracked.insert(no, UntrackedTask { task, executor });
}

/// Keeps statuses of a task unknown to the master until the agent returns.
pub(crate) fn record_untracked(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
    update: &Update,
) {
    let Some(untracked) = tasks.untracked.get_mut(&no) else { return };
    let task = Arc::make_mut(&mut untracked.task);
    if task.agent_state.is_terminal() {
        return;
    }
    let update = Update { made_at: Some(cx.now()), ..task.as_expired(update.clone()) };
    let (state, agent, group) = (update.state, task.agent, task.group);
    cluster.allocator.note_held(agent);
    task.agent_state = state;
    task.pending_updates.push_back(update);
    if group.is_none() || !matches!(state, TaskState::Failed | TaskState::Killed) {
        return;
    }
    let on_agent = cluster.agents.get(agent).into_iter().flat_map(|agent| &agent.untracked);
    let others = on_agent.filter_map(|other| Some(&tasks.untracked.get(other)?.task));
    let alive = others.filter(|other| other.group == group && !other.agent_state.is_terminal());
    let doomed: Vec<_> = alive.filter_map(|other| Some((other.process?, other.grace_ms()))).collect();
    for (pid, grace_ms) in doomed {
        fleet.kill(cx, pid, grace_ms);
    }
}

fn take_untracked(tasks: &mut Tasks, cluster: &mut Cluster, id: AgentId) -> Vec<(TaskNo, UntrackedTask)> {
    let Some(agent) = cluster.agents.get_mut(id).filter(|agent| !agent.untracked.is_empty()) else {
        return Vec::new();
    };
    let of = std::mem::take(&mut agent.untracked);
    cluster.allocator.note_held(id);
    of.into_iter().filter_map(|no| Some((no, tasks.untracked.remove(&no)?))).collect()
}

/// Ends everything that an agent runs unknown to the master.
pub(crate) fn end_untracked(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &Cx,
    fleet: &mut Fleet,
    id: AgentId,
) {
    if let Some(agent) = cluster.agents.get_mut(id).filter(|agent| agent.missed_shutdown) {
        agent.missed_shutdown = false;
    }
    for (_, untracked) in take_untracked(tasks, cluster, id) {
        shutdown::shut_down_process(tasks, cluster, cx, fleet, id, untracked.task.process);
    }
}

/// Records the reports of a removed agent again, if their framework still exists.
pub(crate) fn track_again(tasks: &mut Tasks, cluster: &mut Cluster, cx: &Cx, fleet: &mut Fleet, id: AgentId) {
    for (no, untracked) in take_untracked(tasks, cluster, id) {
        let UntrackedTask { task, executor } = untracked;
        let key = (task.framework, task.id().clone());
        let there =
            cluster.frameworks.get(task.framework).is_some_and(crate::frameworks::Framework::is_registered);
        if !there || tasks.ids.contains_key(&key) {
            shutdown::shut_down_process(tasks, cluster, cx, fleet, id, task.process);
            continue;
        }
        let mut task = Arc::unwrap_or_clone(task);
        (task.retry, task.retry_ms, task.pending_kill_ms) = (None, 0, None);
        let ended =
            cluster.frameworks.get_mut(task.framework).and_then(|framework| framework.take_completed(&task));
        if let Some(ended) = ended {
            (task.state, task.history) = (ended.state, ended.history);
        }
        let (framework, role, freed) = (task.framework, task.role.clone(), task.freed);
        tasks.ids.insert(key, no);
        tasks.all.insert(no, Arc::new(task));
        let Some(agent) = cluster.agents.get_mut(id) else { continue };
        agent.tasks.insert(no);
        if let Some(info) = executor.filter(|_| !freed) {
            let key = (framework, info.id.clone());
            match agent.executors.get_mut(&key) {
                Some(executor) => _ = executor.tasks.insert(no),
                None => {
                    agent.executors.insert(key, Executor { info, role, tasks: SortedSet::from([no]) });
                }
            }
        }
    }
}
