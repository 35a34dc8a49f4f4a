//! The master fails over: another one takes its place.
//!
//! The new master knows what the registry keeps: the operator's schedule, modes of machines, which agents are admitted, unreachable
//! or gone, drained and deactivated agents, weights and quotas. Everything else was in memory and is lost: tasks, frameworks,
//! offers, inverse offers and their answers, filters, completed tasks, and every count. Agents that were registered are *recovered*
//! until they register again, within a second; those that do not are unreachable after ten minutes. An agent's tasks are on record
//! again when it registers, without any announcement. Schedulers notice the failover: services' schedulers restart, others
//! subscribe again on their own or over HTTP.
//!
//! Source: `apache/mesos: src/master/master.cpp` (recover, _recover, recoveredSlavesTimeout, _reregisterSlave),
//! `src/slave/slave.cpp` (doReliableRegistration). Match, except that the new master has the old one's id and
//! continues its offer numbers, and that frameworks have at least ten minutes to return.

use crate::{
    agents::{AgentState, Executors, Removal, admission, catch_up, holdings, removal_limit},
    api::{AgentId, FrameworkId},
    cluster::{Cluster, Timer},
    counters::Counters,
    frameworks::subscription,
    maintenance::cluster::inverse_offers,
    offers::Requested,
    records::Records,
    tasks::{TaskNo, Tasks, untracked},
    wire::operator_event,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::{Class, draw};
use planarium_protocol::EventBody;

/// Time within which agents have to register again. *Units*: milliseconds. Source: `agent_reregister_timeout`.
pub(crate) const REREGISTER_TIMEOUT_MS: u64 = 600_000;
/// Agents register again within this time. *Units*: milliseconds. Source: `registration_backoff_factor`.
const BACKOFF_MS: u64 = 1_000;
/// Purpose of the draw for that time.
const BACKOFF: u32 = 0x0A12;

/// Drops what only the old master knew, and waits for frameworks and agents to come back.
pub(crate) fn fail_over(records: &mut Records, cx: &mut Cx, fleet: &Fleet) {
    for id in records.cluster.frameworks.registered() {
        let own_ms = records.cluster.frameworks.get(id).map_or(0, |framework| framework.info.failover_ms);
        if records.cluster.frameworks.is_connected(id) {
            subscription::deactivate_framework(
                &mut records.offers,
                &mut records.maintenance,
                &mut records.cluster,
                cx,
                id,
                own_ms.max(REREGISTER_TIMEOUT_MS),
            );
            records.cluster.frameworks.masterless.push(id);
        }
    }
    for row in 0..records.cluster.frameworks.rows.len() {
        if let Some(framework) = records.cluster.frameworks.get_mut(FrameworkId::at(row)) {
            framework.forget_completed();
        }
    }
    records.cluster.counters = Counters::default();
    records.cluster.operators.events.clear();
    records.offers.requested = Requested::Nothing;
    for row in 0..records.cluster.agents.rows.len() {
        let id = AgentId::at(row);
        match records.cluster.agents.get(id).map(|agent| agent.state) {
            Some(AgentState::Registered) => recover(records, cx, fleet, id),
            Some(AgentState::Unreachable | AgentState::Recovered) => {
                untrack_all(&mut records.tasks, &mut records.cluster, id);
            }
            Some(AgentState::Removed | AgentState::Gone) | None => {}
        }
    }
}

/// Keeps of a registered agent only that it is admitted.
fn recover(records: &mut Records, cx: &mut Cx, fleet: &Fleet, id: AgentId) {
    let Records { cluster, tasks, maintenance, .. } = records;
    untrack_all(tasks, cluster, id);
    let total = cluster.allocator.slot(id).map(crate::allocator::Slot::total).unwrap_or_default();
    cluster.allocator.remove_agent(id, cx.cause());
    inverse_offers::reset_inverse_offers(maintenance, cluster, cx, id);
    admission::detach(maintenance, &mut cluster.agents, id, Removal::Unreachable);
    let at = cx.now().saturating_add(REREGISTER_TIMEOUT_MS);
    let timer = cluster.timers.arm(at, Class::Periodic, cx.cause(), Timer::Unreachable(id));
    let Some(agent) = cluster.agents.get_mut(id) else { return };
    agent.state = AgentState::Recovered;
    agent.connected = false;
    agent.awaits_permit = false;
    agent.last_total = total;
    let old = agent.ping_timer.replace(timer);
    let machine = agent.machine;
    let entity = draw::entity(&agent.hostname);
    cluster.timers.disarm(old);
    if fleet.absence(machine).is_none() {
        let wait_ms = draw::draw(cluster.ids.seed, entity, BACKOFF, cx.now().ms()) % BACKOFF_MS;
        let at = cx.now().saturating_add(1 + wait_ms);
        cluster.timers.arm(at, Class::OneShot, cx.cause(), Timer::Reregister(id));
    }
    cluster.agents.touch(cx, id);
}

/// Forgets what an agent runs; the agent does not. Launches in transit are lost.
fn untrack_all(tasks: &mut Tasks, cluster: &mut Cluster, id: AgentId) {
    let Some(agent) = cluster.agents.get_mut(id) else { return };
    let numbers: Vec<TaskNo> = std::mem::take(&mut agent.tasks).into_iter().collect();
    for no in numbers {
        untracked::untrack(tasks, cluster, no);
        let Some(task) = tasks.all.remove(&no) else { continue };
        tasks.ids.remove(&(task.framework, task.id().clone()));
        cluster.timers.disarm(task.retry);
    }
    cluster.allocator.note_held(id);
    if let Some(agent) = cluster.agents.get_mut(id) {
        agent.executors = Executors::default();
    }
}

/// Registers a recovered agent again, with everything that it runs.
pub(crate) fn reregister_recovered(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    let Some(agent) = records.cluster.agents.get(id).filter(|agent| agent.state == AgentState::Recovered)
    else {
        return;
    };
    // A rebooted machine has another agent now.
    let is_there = records.cluster.agents.hosts.get(agent.machine).is_some_and(|host| host.agent == Some(id));
    if !is_there || fleet.absence(agent.machine).is_some() {
        return;
    }
    if admission::attach(&mut records.maintenance, &mut records.cluster.agents, id).is_err() {
        return admission::refuse_registration(records, cx, fleet, id);
    }
    removal_limit::cancel_permit(&mut records.cluster, id);
    let now = cx.now();
    let Some(agent) = records.cluster.agents.get_mut(id) else { return };
    agent.state = AgentState::Registered;
    agent.connected = true;
    agent.registered = now;
    agent.returned = Some(now);
    let (timer, hostname) = (agent.ping_timer.take(), agent.hostname.clone());
    records.cluster.timers.disarm(timer);
    records.cluster.counters.reregistrations += 1;
    cx.following(EventBody::AgentReregistered { agent: hostname.clone() }, |cx| {
        untracked::track_again(&mut records.tasks, &mut records.cluster, cx, fleet, id);
        let allocated = records.tasks.allocated_on(&records.cluster.agents, id);
        let Some(agent) = records.cluster.agents.get(id) else { return };
        let (region, total) = (agent.region.clone(), agent.last_total.clone());
        records.cluster.allocator.add_agent(id, &hostname, region.as_ref(), &total, allocated, cx.cause());
        holdings::look_at_others(&mut records.offers, &mut records.cluster, cx, fleet, id);
        if records.cluster.agents.drains.is_deactivated(id) {
            records.cluster.allocator.set_active(id, false, cx.cause());
        }
        records.maintenance.want_inverse_offers(id, cx.cause());
        let tasks: Vec<TaskNo> = records
            .cluster
            .agents
            .get(id)
            .map(|agent| agent.tasks.iter().copied().collect())
            .unwrap_or_default();
        operator_event::agent_added(records, cx, id, &tasks);
        catch_up::catch_up_with(records, cx, fleet, id);
        records.offers.request_run(id);
    });
}
