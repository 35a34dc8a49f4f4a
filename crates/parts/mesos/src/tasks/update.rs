//! Status updates: from the agent to the master to the framework.
//!
//! Updates wait in a queue per task while the master cannot be reached, and are sent again with doubling pauses when
//! they got lost. For frameworks that acknowledge by calls they also wait for those ([`super::acknowledge`]); all
//! others acknowledge in no time.
//!
//! Source: `apache/mesos: src/master/master.cpp` (statusUpdate, updateTask), `src/status_update_manager` (order,
//! retries), `src/launcher/default_executor.cpp` (groups end together). Match.

use crate::{
    agents::Agents,
    api::{Capability, Reason, TaskState},
    cluster::Cluster,
    maintenance::{DrainState, state_while_draining},
    tasks::{
        Acknowledgement, DEFAULT_KILL_GRACE_MS, MayBeDrained, Task, TaskNo, Tasks, Update, acknowledge,
        completion, retry, status, untracked,
    },
};
use planarium_ground::{Cx, Fleet, ProcessId};
use planarium_kernel::Class;

/// Takes in what an agent reports about a task: it is passed on at once, or waits in the queue.
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
        untracked::record_untracked(tasks, cluster, cx, fleet, no, &update);
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
        completion::limit_completion(cluster, cx, no, ms);
    }
    if at_once && !lost {
        left = cx.scoped(update.cause, |cx| {
            status::apply_update(tasks, cluster, cx, fleet, no, update, Acknowledgement::NotAwaitedFromAgent)
        });
    } else if let Some(task) = tasks.get_mut(no) {
        task.agent_state = state;
        task.pending_updates.push_back(update);
        if lost {
            retry::schedule_retry(tasks, cluster, cx, no, Class::OneShot);
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
    // Possible actions on a task depend on its process, whether or not the master knows its state.
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
        retry::schedule_retry(tasks, cluster, cx, no, Class::OneShot);
        return MayBeDrained::default();
    }
    if let Some(task) = tasks.get_mut(no) {
        task.retry_ms = 0;
    }
    cx.scoped(update.cause, |cx| status::apply(tasks, cluster, cx, fleet, no, update))
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
