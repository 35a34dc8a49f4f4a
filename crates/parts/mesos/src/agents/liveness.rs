//! Agents that stop answering, lose their connection, become unreachable, and return.
//!
//! Pings are not simulated individually: they matter only once an agent stops answering, and then the instant at
//! which it becomes unreachable follows from its registration. If it answers again before that instant, it stays
//! registered.
//!
//! Source: `apache/mesos: src/master/master.cpp` (SlaveObserver, exited, disconnect, reregisterSlave),
//! `src/master/constants.hpp`. Match, with a simplification: the ten-minute re-registration timer never decides,
//! since whatever breaks the connection here leaves pings unanswered too. A rebooted machine registers a new
//! agent with the reservations and volumes that its work directory keeps.

use crate::{
    agents::{
        Agent, AgentState, Removal, RemovalReason, admission, catch_up, failover, holdings, permits,
        registration, registry_gc, removal, removal_limit,
    },
    api::{AgentId, Reason, Source, TaskState},
    cluster::{Cluster, Timer},
    maintenance::cluster::{drains, inverse_offers},
    offers::{exchange, operations},
    records::Records,
    tasks::{Acknowledgement, MayBeDrained, TaskNo, Tasks, Update, acknowledge, kill, status, untracked},
    wire::operator_event,
};
use planarium_ground::{Absence, Cx, Fleet, MachineId};
use planarium_kernel::{Class, SimTime};
use planarium_protocol::{EventBody, Text};

/// Time between two pings.
pub const PING_TIMEOUT_MS: u64 = 15_000;
/// After this many unanswered pings an agent is unreachable.
pub const MAX_PING_TIMEOUTS: u64 = 5;

/// Returns when an agent that is silent from `ping_timer` on becomes unreachable: when the last of its unanswered pings,
/// the first of which is sent at or after that instant, has timed out.
fn ping_timeout_at(registered: SimTime, ping_timer: SimTime) -> SimTime {
    let pings = ping_timer.since(registered).div_ceil(PING_TIMEOUT_MS).max(1);
    registered.saturating_add(pings.saturating_add(MAX_PING_TIMEOUTS).saturating_mul(PING_TIMEOUT_MS))
}

/// Notices that a machine is lost, cut off, or that its agent has ended.
pub(crate) fn machine_lost(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    machine: MachineId,
    how: Absence,
) {
    let Some(id) = records.cluster.agents.on(machine) else { return };
    records.cluster.agents.touch(cx, id);
    let Some(agent) = records.cluster.agents.get(id).filter(|agent| agent.state == AgentState::Registered)
    else {
        return;
    };
    if agent.ping_timer.is_none() && !agent.awaits_permit {
        let at = ping_timeout_at(agent.registered, cx.now());
        let timer = records.cluster.timers.arm(at, Class::OneShot, cx.cause(), Timer::Unreachable(id));
        if let Some(agent) = records.cluster.agents.get_mut(id) {
            agent.ping_timer = Some(timer);
        }
    }
    if how != Absence::Partitioned {
        disconnect(records, cx, fleet, id);
    }
}

/// Closes the connection to an agent: its resources are no longer offered.
fn disconnect(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    let Some(agent) = records.cluster.agents.get_mut(id).filter(|agent| agent.connected) else { return };
    agent.connected = false;
    let (hostname, tasks): (Text, Vec<TaskNo>) =
        (agent.hostname.clone(), agent.tasks.iter().copied().collect());
    cx.following(EventBody::AgentDisconnected { agent: hostname }, |cx| {
        records.cluster.allocator.set_active(id, false, cx.cause());
        for offer in records.offers.on_agent(id) {
            exchange::rescind(&mut records.offers, &mut records.cluster, cx, offer);
        }
        inverse_offers::rescind_inverse_offers(&mut records.maintenance, &mut records.cluster, cx, id);
        // Tasks of frameworks that do not checkpoint end with the agent's process: LOST for everyone.
        for no in tasks {
            let framework =
                records.tasks.get(no).and_then(|task| records.cluster.frameworks.get(task.framework));
            if framework.is_none_or(|framework| framework.info.checkpoint) {
                continue;
            }
            let update = Update::new(cx.cause(), TaskState::Lost, Source::Master)
                .with_reason(Reason::AgentDisconnected, "Agent disconnected");
            let left = status::apply(&mut records.tasks, &mut records.cluster, cx, fleet, no, update);
            drains::check(records, cx, fleet, left);
        }
        records.cluster.agents.touch(cx, id);
    });
}

/// Marks an agent unreachable after too many unanswered pings, as soon as that is permitted.
pub(crate) fn ping_timed_out(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    let there = |agent: &&mut Agent| matches!(agent.state, AgentState::Registered | AgentState::Recovered);
    if let Some(agent) = records.cluster.agents.get_mut(id).filter(there) {
        agent.ping_timer = None;
        records.cluster.agents.touch(cx, id);
        permits::ask_permit(records, cx, fleet, id);
    }
}

/// Takes in a machine that is back: its agent comes back, or a new one registers.
pub(crate) fn machine_returned(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    machine: MachineId,
    how: Absence,
) {
    let Some(id) = records.cluster.agents.on(machine) else { return };
    records.cluster.agents.touch(cx, id);
    let Some(state) = records.cluster.agents.get(id).map(|agent| agent.state) else { return };
    match (how, state) {
        (Absence::Lost, _) => reboot(records, cx, fleet, machine, id),
        (Absence::Partitioned | Absence::AgentRestart, AgentState::Registered) => {
            reconnect(records, cx, fleet, id);
        }
        (Absence::Partitioned | Absence::AgentRestart, AgentState::Unreachable) => {
            readmit(records, cx, fleet, id);
        }
        (Absence::Partitioned | Absence::AgentRestart, AgentState::Recovered) => {
            failover::reregister_recovered(records, cx, fleet, id);
        }
        (Absence::Partitioned | Absence::AgentRestart, AgentState::Removed)
            if records.cluster.agents.get(id).is_some_and(|agent| agent.missed_shutdown) =>
        {
            readmit(records, cx, fleet, id);
        }
        // A removed agent was told to shut down; the one that returns is new.
        (Absence::Partitioned | Absence::AgentRestart, AgentState::Removed) => {
            let total =
                records.cluster.agents.get(id).map(|agent| agent.last_total.clone()).unwrap_or_default();
            registration::register(records, cx, fleet, machine, total);
        }
        // It is told to shut down again, and is not started again.
        (Absence::Partitioned | Absence::AgentRestart, AgentState::Gone) => {}
    }
}

/// Registers a new agent on a rebooted machine, with the reservations and volumes of its work directory.
fn reboot(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId, old: AgentId) {
    if records.cluster.agents.get(old).is_some_and(|agent| agent.state == AgentState::Registered) {
        records.cluster.counters.replaced += 1;
        removal::retire_agent(records, cx, fleet, old, Removal::Removed(RemovalReason::Replaced));
    }
    untracked::end_untracked(&mut records.tasks, &mut records.cluster, cx, fleet, old);
    let total = records.cluster.agents.get(old).map(|agent| agent.last_total.clone()).unwrap_or_default();
    registration::register(records, cx, fleet, machine, total);
}

/// Opens the connection to an agent that answers in time. Nothing is announced; what waited is delivered.
fn reconnect(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    removal_limit::cancel_permit(&mut records.cluster, id);
    let now = cx.now();
    let Some(agent) = records.cluster.agents.get_mut(id) else { return };
    let timer = agent.ping_timer.take();
    let was_connected = std::mem::replace(&mut agent.connected, true);
    if !was_connected {
        agent.registered = now;
        agent.returned = Some(now);
    }
    let hostname = agent.hostname.clone();
    records.cluster.timers.disarm(timer);
    if was_connected {
        return catch_up::catch_up_with(records, cx, fleet, id);
    }
    records.cluster.counters.reregistrations += 1;
    cx.following(EventBody::AgentReregistered { agent: hostname }, |cx| {
        records.cluster.allocator.set_active(
            id,
            !records.cluster.agents.drains.is_deactivated(id),
            cx.cause(),
        );
        records.maintenance.want_inverse_offers(id, cx.cause());
        catch_up::catch_up_with(records, cx, fleet, id);
    });
}

/// Registers an agent again, under its own id, that was unreachable or was removed without noticing, and announces
/// everything that it reports.
fn readmit(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    let now = cx.now();
    if admission::attach(&mut records.maintenance, &mut records.cluster.agents, id).is_err() {
        return admission::refuse_registration(records, cx, fleet, id);
    }
    let Some(agent) = records.cluster.agents.get_mut(id) else { return };
    agent.state = AgentState::Registered;
    agent.connected = true;
    agent.registered = now;
    agent.returned = Some(now);
    agent.unreachable_since = None;
    let hostname = agent.hostname.clone();
    agent.missed_shutdown = false;
    registry_gc::cancel_registry_gc(&mut records.cluster, id);
    untracked::track_again(&mut records.tasks, &mut records.cluster, cx, fleet, id);
    records.cluster.counters.reregistrations += 1;
    cx.following(EventBody::AgentReregistered { agent: hostname.clone() }, |cx| {
        let allocated = records.tasks.allocated_on(&records.cluster.agents, id);
        let Some(agent) = records.cluster.agents.get(id) else { return };
        let (region, total) = (agent.region.clone(), agent.last_total.clone());
        records.cluster.allocator.add_agent(id, &hostname, region.as_ref(), &total, allocated, cx.cause());
        holdings::look_at_others(&mut records.offers, &mut records.cluster, cx, fleet, id);
        let tasks: Vec<TaskNo> = records
            .cluster
            .agents
            .get(id)
            .map(|agent| agent.tasks.iter().copied().collect())
            .unwrap_or_default();
        operator_event::agent_added(records, cx, id, &tasks);
        for no in tasks {
            let left = announce(&mut records.tasks, &mut records.cluster, cx, fleet, no);
            drains::check(records, cx, fleet, left);
        }
        operations::forward_operations_of(&mut records.operations, &mut records.cluster, cx, id);
        if records.cluster.agents.drains.is_deactivated(id) {
            records.cluster.allocator.set_active(id, false, cx.cause());
        }
        records.maintenance.want_inverse_offers(id, cx.cause());
        drains::drain_on_return(records, cx, fleet, id);
        records.offers.request_run(id);
        records.cluster.agents.touch(cx, id);
    });
}

/// Announces a task that its agent has come back with.
fn announce(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
) -> MayBeDrained {
    let left = MayBeDrained::default();
    let Some(task) = tasks.get_mut(no) else { return left };
    task.unreachable_since = None;
    task.retry_ms = 0;
    if task.process.is_none() && !task.freed {
        // The launch never arrived, so the agent does not report the task.
        status::end_task(tasks, cluster, cx, fleet, no, TaskState::Gone);
        return left;
    }
    let framework = task.framework;
    if cluster.frameworks.acknowledges_explicitly(framework) {
        return announce_and_forward(tasks, cluster, cx, fleet, no);
    }
    let Some(task) = tasks.get_mut(no) else { return left };
    let news: Vec<Update> = task.pending_updates.drain(..).collect();
    let message = news.last().map(|update| update.message.clone()).filter(|text| !text.is_empty());
    let update = Update {
        healthy: news.iter().rev().find_map(|update| update.healthy),
        check: news.iter().rev().find_map(|update| update.check),
        ..Update::new(cx.cause(), task.agent_state, Source::Master)
            .with_reason(Reason::AgentReregistered, message.unwrap_or_else(|| "Agent reregistered".into()))
    };
    let kill = task.pending_kill_ms.take();
    let left = status::apply(tasks, cluster, cx, fleet, no, update);
    match kill {
        Some(grace_ms) => left.then(kill::deliver_kill(tasks, cluster, cx, fleet, no, Some(grace_ms))),
        None => left,
    }
}

/// Does the same for a task whose statuses are acknowledged by calls: those in the queue are sent again.
fn announce_and_forward(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
) -> MayBeDrained {
    let left = MayBeDrained::default();
    let Some(task) = tasks.get_mut(no) else { return left };
    let state = if task.freed { task.state } else { task.agent_state };
    let update = Update::new(cx.cause(), state, Source::Master)
        .with_reason(Reason::AgentReregistered, "Agent reregistered");
    let kill = task.pending_kill_ms.take();
    let left = left.then(status::apply_update(
        tasks,
        cluster,
        cx,
        fleet,
        no,
        update,
        Acknowledgement::Awaited(None),
    ));
    acknowledge::resend_updates(tasks, cluster, cx, fleet, no);
    match kill {
        Some(grace_ms) => left.then(kill::deliver_kill(tasks, cluster, cx, fleet, no, Some(grace_ms))),
        None => left,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: `apache/mesos: src/master/constants.hpp` (DEFAULT_AGENT_PING_TIMEOUT, DEFAULT_MAX_AGENT_PING_TIMEOUTS).
    #[test]
    fn the_ping_timeline() {
        for (registered, silent, given_up) in [
            (0, 40_000, 120_000),
            (0, 45_000, 120_000),
            (0, 45_001, 135_000),
            (0, 30_000, 105_000),
            (0, 0, 90_000),
            (7_000, 47_000, 127_000),
        ] {
            assert_eq!(
                ping_timeout_at(SimTime(registered), SimTime(silent)),
                SimTime(given_up),
                "silent at {silent}"
            );
        }
    }
}
