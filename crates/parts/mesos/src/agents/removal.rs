//! An agent leaves the master's records: removed, marked gone, or marked unreachable.
//!
//! *Order* (the same for all): task updates, rescinded offers, rescinded inverse offers, FAILURE.
//!
//! Source: `apache/mesos: src/master/master.cpp` (removeSlave, markUnreachable). Match.

use crate::{
    agents::{AgentState, GONE, Removal, admission, gone_event, registry_gc, removal_limit},
    api::{AgentId, Reason, SchedulerEvent, Source, TaskState, TaskStatus},
    cluster::Cluster,
    maintenance::cluster::inverse_offers,
    offers::{exchange, operations},
    records::Records,
    tasks::{MayBeDrained, Tasks, Update, shutdown, status, untracked},
    wire::operator_event,
};
use planarium_ground::{Cx, Fleet};
use planarium_protocol::EventBody;

/// Removes an agent from the records, marks it gone or unreachable, and notifies everyone.
pub(crate) fn retire_agent(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId, how: Removal) {
    let Records { cluster, tasks, offers, operations, maintenance } = records;
    let Some(agent) = cluster.agents.get(id) else { return };
    let (hostname, agent_state) = (agent.hostname.clone(), agent.state);
    let body = match how {
        Removal::Removed(why) => EventBody::AgentRemoved {
            agent: hostname.clone(),
            how: why.word().into(),
            reason: why.text().into(),
        },
        Removal::Gone => gone_event(&hostname),
        Removal::Unreachable => EventBody::AgentUnreachable { agent: hostname.clone() },
    };
    cluster.counters.removals += 1;
    cluster.counters.recovery_removals += u64::from(agent_state == AgentState::Recovered);
    if how == Removal::Unreachable {
        cluster.counters.unreachable_completed += 1;
    }
    removal_limit::cancel_permit(cluster, id);
    cx.following(body, |cx| {
        mark_left(cluster, cx, id, how);
        lose_tasks(tasks, cluster, cx, fleet, id, how);
        operations::lose_operations(operations, cluster, cx, id, how);
        for offer in offers.on_agent(id) {
            exchange::rescind(offers, cluster, cx, offer);
        }
        inverse_offers::reset_inverse_offers(maintenance, cluster, cx, id);
        admission::detach(maintenance, &mut cluster.agents, id, how);
        cluster.allocator.remove_agent(id, cx.cause());
        let agent_id = cluster.agents.get(id).map(|agent| agent.name.clone()).unwrap_or_default();
        for framework in cluster.frameworks.registered() {
            cluster.frameworks.send(
                cx,
                framework,
                SchedulerEvent::Failure { agent: id, agent_id: agent_id.clone() },
            );
        }
        operator_event::agent_removed(cluster, cx, id, how);
        cluster.agents.touch(cx, id);
    });
}

fn mark_left(cluster: &mut Cluster, cx: &Cx, id: AgentId, how: Removal) {
    let total = cluster.allocator.slot(id).map(crate::allocator::Slot::total);
    let now = cx.now();
    let Some(agent) = cluster.agents.get_mut(id) else { return };
    if let Some(total) = total {
        agent.last_total = total;
    }
    agent.connected = false;
    agent.state = match how {
        Removal::Removed(_) => AgentState::Removed,
        Removal::Gone => AgentState::Gone,
        Removal::Unreachable => AgentState::Unreachable,
    };
    agent.unreachable_since = (how == Removal::Unreachable).then_some(now);
    let timer = agent.ping_timer.take();
    cluster.timers.disarm(timer);
    if !matches!(how, Removal::Removed(_)) {
        registry_gc::schedule_registry_gc(cluster, cx, id);
    }
}

fn lose_tasks(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    id: AgentId,
    how: Removal,
) {
    let Some(agent) = cluster.agents.get(id) else { return };
    let (hostname, missed_shutdown) = (agent.hostname.clone(), agent.missed_shutdown);
    for no in agent.tasks.iter().copied().collect::<Vec<_>>() {
        let Some(framework) = tasks.get(no).map(|task| task.framework) else { continue };
        let precise = |state| cluster.frameworks.lost_or(framework, state);
        let (state, cause) = match how {
            Removal::Removed(why) => (TaskState::Lost, why.text()),
            Removal::Gone => (precise(TaskState::GoneByOperator), GONE),
            Removal::Unreachable => (precise(TaskState::Unreachable), "health check timed out"),
        };
        let message = format!("Agent {hostname} removed: {cause}");
        let reason = match state {
            TaskState::GoneByOperator => Reason::AgentRemovedByOperator,
            _ => Reason::AgentRemoved,
        };
        let update = Update::new(cx.cause(), state, Source::Master).with_reason(reason, message);
        if missed_shutdown {
            untracked::untrack(tasks, cluster, no);
        } else if how != Removal::Unreachable {
            let process = tasks.get_mut(no).and_then(|task| task.process.take());
            shutdown::shut_down_process(tasks, cluster, cx, fleet, id, process);
        }
        match how {
            // The agent has left already: it cannot be drained any more.
            Removal::Removed(_) | Removal::Gone => {
                let MayBeDrained(_) = status::apply(tasks, cluster, cx, fleet, no, update);
            }
            Removal::Unreachable => set_unreachable(tasks, cluster, cx, no, update),
        }
    }
}

/// Moves a task to the list of unreachable ones, even if its state is LOST. An ended task that waits for an
/// acknowledgement keeps its state there, independent of what its framework is told.
fn set_unreachable(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    no: crate::tasks::TaskNo,
    update: Update,
) {
    let now = cx.now();
    let Some(task) = tasks.get_mut(no) else { return };
    let ended = task.freed;
    if !ended {
        task.state = update.state;
        task.since = now;
    }
    task.unreachable_since = Some(now);
    let retry = task.retry.take();
    let (framework, agent) = (task.framework, task.agent);
    if !ended {
        cluster.counters.end(update.state);
    }
    cluster.timers.disarm(retry);
    let agent_id = cluster.agents.get(agent).map(|agent| agent.name.clone()).unwrap_or_default();
    let Some(task) = tasks.get_mut(no) else { return };
    let status = TaskStatus {
        state: update.state,
        reason: update.reason,
        source: update.source,
        message: update.message,
        ..task.status(agent_id, now)
    };
    let plain = TaskStatus { healthy: None, check: None, ..status.clone() };
    let (is_new, state) = (task.record_status(&plain), task.state);
    operator_event::task_updated(tasks, cluster, cx, framework, &plain, state, is_new);
    status::send_update(&mut cluster.frameworks, cx, framework, status);
}
