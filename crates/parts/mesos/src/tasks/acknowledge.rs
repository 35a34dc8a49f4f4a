//! Statuses that a framework acknowledges by calls.
//!
//! The agent queues the updates of a task. The first one is sent repeatedly, and stays in the queue, until its
//! framework has acknowledged it; the others wait. Each update also has the latest state of the task: so the master
//! frees an ended task's resources as soon as it learns of the end, and lists the task until its final status is
//! acknowledged.
//!
//! Frameworks over HTTP do this. The others use a library that acknowledges automatically, immediately.
//!
//! Source: `apache/mesos: src/slave/task_status_update_manager.cpp`, `src/slave/slave.cpp` (forward),
//! `src/master/master.cpp` (acknowledge, updateTask). Match; an acknowledgement that the agent cannot receive has no
//! effect, where the real master would remove an ended task from its list.

use crate::{
    agents::Agent,
    api::FrameworkId,
    cluster::Cluster,
    tasks::{Acknowledgement, MayBeDrained, TaskNo, Tasks, retry, status, status_id},
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Class;

/// Sends the first update of the queue, if the agent can be reached. It may get lost; either way it is sent again.
pub(crate) fn send_next_update(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
) {
    let Some(task) = tasks.get(no) else { return };
    let Some(update) = task.pending_updates.front().cloned() else { return };
    if !cluster.agents.get(task.agent).is_some_and(Agent::is_reachable) {
        return;
    }
    let (labels, awaiting_ack) = (task.labels.clone(), task.awaiting_ack);
    let number = awaiting_ack.unwrap_or_else(|| cluster.ids.next_status.next());
    if let Some(task) = tasks.get_mut(no) {
        task.awaiting_ack = Some(number);
    }
    let lost = fleet.drops_status(cx, &labels);
    // It now waits for an external framework, which needs an input.
    retry::schedule_retry(tasks, cluster, cx, no, if lost { Class::OneShot } else { Class::Periodic });
    if !lost {
        cx.scoped(update.cause, |cx| {
            // The task stays until this is acknowledged, and so does its agent.
            let MayBeDrained(_) = status::apply_update(
                tasks,
                cluster,
                cx,
                fleet,
                no,
                update,
                Acknowledgement::Awaited(Some(number)),
            );
        });
    }
}

/// Sends the first update of the queue, starting over with the shortest pause.
pub(crate) fn resend_updates(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
) {
    let Some(task) = tasks.get_mut(no) else { return };
    task.retry_ms = 0;
    let timer = task.retry.take();
    cluster.timers.disarm(timer);
    send_next_update(tasks, cluster, cx, fleet, no);
}

/// The status that a framework acknowledges: the ids of framework, agent and task, and its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acknowledged<'a> {
    pub(crate) framework: FrameworkId,
    pub(crate) agent_id: &'a str,
    pub(crate) task_id: &'a str,
    pub(crate) uuid: &'a [u8],
}

/// Takes an acknowledged status off the queue: the task's next one is sent, or the task is removed when it was the last.
/// Acknowledgements of anything else have no effect.
pub(crate) fn acknowledge(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    acknowledged: &Acknowledged<'_>,
) -> MayBeDrained {
    let mut left = MayBeDrained::default();
    let Acknowledged { framework, agent_id, task_id, uuid } = *acknowledged;
    let agent = cluster.agents.named(agent_id);
    let Some(agent) = agent.filter(|id| cluster.agents.get(*id).is_some_and(Agent::is_active)) else {
        cluster.counters.invalid_acknowledgements += 1;
        return left;
    };
    cluster.counters.acknowledgements += 1;
    let Some(no) = tasks.ids.get(&(framework, task_id.into())).copied() else { return left };
    let seed = cluster.ids.seed;
    let is_reachable = cluster.agents.get(agent).is_some_and(Agent::is_reachable);
    let Some(task) = tasks.get_mut(no).filter(|task| task.agent == agent && is_reachable) else {
        return left;
    };
    if task.awaiting_ack.is_none_or(|number| status_id(seed, task_id, u64::from(number)) != uuid) {
        return left;
    }
    task.awaiting_ack = None;
    let ended = task.pending_updates.pop_front().is_some_and(|update| update.state.is_terminal());
    let state = task.state;
    if ended {
        status::end_task(tasks, cluster, cx, fleet, no, state);
        left = MayBeDrained(Some((agent, cx.cause())));
    } else {
        resend_updates(tasks, cluster, cx, fleet, no);
    }
    cluster.agents.touch(cx, agent);
    left
}
