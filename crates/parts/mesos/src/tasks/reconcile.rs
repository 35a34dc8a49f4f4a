//! RECONCILE: a framework asks for the states of tasks.
//!
//! Source: `apache/mesos: src/master/master.cpp` (reconcileTasks). Match.

use crate::{
    agents::{AgentState, Agents},
    api::{FrameworkId, Reason, ReconcileTask, Source, TaskState, TaskStatus},
    cluster::Cluster,
    tasks::{Task, Tasks, status},
};
use planarium_ground::Cx;
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use std::sync::LazyLock;

/// The message of every known task, created once and shared.
static LATEST: LazyLock<Text> = LazyLock::new(|| "Reconciliation: Latest task state".into());

/// Sends the states of the tasks that are asked about, or of all when none is named.
pub(crate) fn reconcile(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    framework: FrameworkId,
    asked: &[ReconcileTask],
) {
    if asked.is_empty() {
        for no in tasks.of_framework(framework) {
            let known = tasks.get(no).filter(|task| task.unreachable_since.is_none());
            if let Some(status) = known.map(|task| latest(&cluster.agents, cx, task)) {
                status::send_update(&mut cluster.frameworks, cx, framework, status);
            }
        }
        return;
    }
    for task in asked {
        match seen(tasks, &cluster.agents, framework, task).map(|task| latest(&cluster.agents, cx, task)) {
            Some(status) => status::send_update(&mut cluster.frameworks, cx, framework, status),
            None => send_unknown(cluster, cx, framework, task),
        }
    }
}

/// Returns the requested task, unless it is on an unknown agent, or is unreachable and the framework does not name its
/// agent: the master looks such tasks up by agent.
fn seen<'a>(
    tasks: &'a Tasks,
    agents: &Agents,
    framework: FrameworkId,
    asked: &ReconcileTask,
) -> Option<&'a Task> {
    let task = tasks.get(*tasks.ids.get(&(framework, asked.task_id.clone()))?)?;
    let is_collected = agents.get(task.agent).is_some_and(|agent| agent.collected);
    let is_out_of_sight = asked.agent_id.is_none() && task.unreachable_since.is_some();
    (!is_collected && !is_out_of_sight).then_some(task)
}

fn latest(agents: &Agents, cx: &Cx, task: &Task) -> TaskStatus {
    let agent_id = agents.get(task.agent).map(|agent| agent.name.clone()).unwrap_or_default();
    TaskStatus {
        state: task.last_told(),
        reason: Some(Reason::Reconciliation),
        message: LATEST.clone(),
        ..task.status(agent_id, cx.now())
    }
}

fn send_unknown(cluster: &mut Cluster, cx: &mut Cx, framework: FrameworkId, asked: &ReconcileTask) {
    if asked.agent_id.is_none() && cluster.agents.is_recovering() {
        return;
    }
    let agent =
        asked.agent_id.as_ref().and_then(|id| cluster.agents.rows.iter().find(|agent| agent.name == *id));
    let agent = agent.filter(|agent| !agent.collected);
    let (precise, message, since) = match agent.map(|agent| (agent.state, agent.unreachable_since)) {
        // It may still come back and report.
        Some((AgentState::Recovered, _)) => return,
        Some((AgentState::Registered, _)) => {
            (TaskState::Gone, "Reconciliation: Task is unknown to the agent", None)
        }
        Some((AgentState::Unreachable, since)) => {
            (TaskState::Unreachable, "Reconciliation: Task is on an agent that is unreachable", since)
        }
        Some((AgentState::Gone, _)) => {
            (TaskState::GoneByOperator, "Reconciliation: Task is on an agent that was marked gone", None)
        }
        Some((AgentState::Removed, _)) | None => {
            (TaskState::Unknown, "Reconciliation: Task is unknown", None)
        }
    };
    // The name is known when the task ended not long ago.
    let name = cluster.frameworks.get(framework).and_then(|framework| {
        framework
            .completed
            .iter()
            .rev()
            .find(|ended| ended.info.task_id == asked.task_id)
            .map(|e| e.info.name.clone())
    });
    let status = TaskStatus {
        task_id: asked.task_id.clone(),
        task_name: name.unwrap_or_else(|| Text::from("")),
        agent_id: asked.agent_id.clone(),
        executor_id: None,
        state: cluster.frameworks.lost_or(framework, precise),
        reason: Some(Reason::Reconciliation),
        source: Source::Master,
        message: message.into(),
        healthy: None,
        check: None,
        timestamp_ms: cx.now().ms(),
        unreachable_since_ms: since.map(SimTime::ms),
        number: None,
    };
    status::send_update(&mut cluster.frameworks, cx, framework, status);
}
