//! Agents drained, deactivated, reactivated and marked gone.
//!
//! *Knows*: how an agent drains and when it is drained. *Must not know*: when a call is refused and what the flags
//! mean, which [`crate::maintenance::Drains`] decides.
//!
//! Source: `apache/mesos: src/master/master.cpp` (checkAndTransitionDrainingAgent, markGone), `src/slave/slave.cpp`
//! (drain, status updates while draining). Match, with frameworks' acknowledgements counting; an agent
//! that was marked gone is not started again.

use crate::{
    agents::{
        Agent, AgentState, Agents, GONE, Removal,
        admission::{self, agent_event},
        gone_event, registry_gc, removal,
    },
    api::{AgentId, Reason, Source, TaskState},
    cluster::Cluster,
    maintenance::{
        DrainConfig, DrainEffect, DrainEnd, DrainState, Maintenance, MarkGone, Refused, Standing,
        cluster::{inverse_offers, standing},
        grace_while_draining, may_mark_gone,
    },
    offers::{exchange, operations},
    records::Records,
    tasks::{MayBeDrained, Tasks, Update, kill, status, untracked},
};
use planarium_ground::{Cx, Fleet};
use planarium_protocol::Text;
use std::sync::Arc;

/// Number and standing of the agent that an operator names.
fn agent_by_id(maintenance: &Maintenance, agents: &Agents, name: &str) -> (AgentId, Standing) {
    let Some(id) = agents.named(name) else { return (AgentId(u32::MAX), Standing::Unknown) };
    (id, standing::standing(maintenance, agents, id))
}

/// DRAIN_AGENT.
pub(super) fn drain(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    name: &Text,
    config: DrainConfig,
) -> Result<(), Refused> {
    let (id, standing) = agent_by_id(&records.maintenance, &records.cluster.agents, name);
    let effects =
        Arc::make_mut(&mut records.cluster.agents.drains).drain(cx.now(), id, config, standing, true)?;
    carry_out_for(records, cx, fleet, id, "drain-started", "is being drained", effects);
    Ok(())
}

/// DEACTIVATE_AGENT.
pub(super) fn deactivate(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    name: &Text,
) -> Result<(), Refused> {
    let (id, standing) = agent_by_id(&records.maintenance, &records.cluster.agents, name);
    let effects = Arc::make_mut(&mut records.cluster.agents.drains).deactivate(id, standing, true)?;
    carry_out_for(records, cx, fleet, id, "deactivated", "is deactivated", effects);
    Ok(())
}

/// REACTIVATE_AGENT.
pub(super) fn reactivate(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    name: &Text,
) -> Result<(), Refused> {
    let (id, standing) = agent_by_id(&records.maintenance, &records.cluster.agents, name);
    let effects = Arc::make_mut(&mut records.cluster.agents.drains).reactivate(id, standing, true);
    if matches!(effects, Ok(_) | Err(Refused::NotRegistered)) {
        let effects = effects.clone().unwrap_or_default();
        carry_out_for(records, cx, fleet, id, "reactivated", "is reactivated", effects);
    }
    effects.map(|_| ())
}

/// MARK_AGENT_GONE.
pub(super) fn mark_gone(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    name: &Text,
) -> Result<(), Refused> {
    let (id, standing) = agent_by_id(&records.maintenance, &records.cluster.agents, name);
    match may_mark_gone(standing, true)? {
        MarkGone::Already => {}
        MarkGone::Now => mark_agent_gone(records, cx, fleet, id),
    }
    Ok(())
}

fn carry_out_for(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    id: AgentId,
    what: &str,
    words: &str,
    effects: Vec<DrainEffect>,
) {
    let hostname = records.cluster.agents.hostname(id);
    let text = format!("the agent on {hostname} {words}");
    cx.following(agent_event(what, hostname, text), |cx| {
        for effect in effects {
            match effect {
                DrainEffect::Deactivate(agent) => {
                    records.cluster.allocator.set_active(agent, false, cx.cause());
                    for offer in records.offers.on_agent(agent) {
                        exchange::rescind(&mut records.offers, &mut records.cluster, cx, offer);
                    }
                    inverse_offers::rescind_inverse_offers(
                        &mut records.maintenance,
                        &mut records.cluster,
                        cx,
                        agent,
                    );
                }
                DrainEffect::Order(agent, config) => {
                    let left =
                        order_drain(&mut records.tasks, &mut records.cluster, cx, fleet, agent, config);
                    check(records, cx, fleet, left);
                }
                DrainEffect::CheckDrained(agent) => check_agent(records, cx, fleet, agent),
                DrainEffect::Reactivate(agent) => {
                    let connected = records.cluster.agents.get(agent).is_some_and(Agent::is_active);
                    records.cluster.allocator.set_active(agent, connected, cx.cause());
                    records.maintenance.want_inverse_offers(agent, cx.cause());
                }
            }
        }
        records.cluster.agents.touch(cx, id);
    });
}

/// Has an agent kill everything it runs, if it receives the order.
fn order_drain(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    id: AgentId,
    config: DrainConfig,
) -> MayBeDrained {
    let mut left = MayBeDrained::default();
    let Some(agent) = cluster.agents.get(id).filter(|agent| agent.is_reachable()) else { return left };
    for no in agent.tasks.clone() {
        let own_ms = tasks.get(no).and_then(|task| task.info.kill_grace_ms);
        let grace_ms = grace_while_draining(config, own_ms);
        left = left.then(kill::deliver_kill(tasks, cluster, cx, fleet, no, grace_ms));
    }
    left
}

/// Gives an agent that came back the order to drain.
pub(crate) fn drain_on_return(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    if let Some(config) = records.cluster.agents.drains.order_on_return(id) {
        let left = order_drain(&mut records.tasks, &mut records.cluster, cx, fleet, id, config);
        check(records, cx, fleet, left);
        check_agent(records, cx, fleet, id);
    }
}

/// Checks whether the agent that a task has left has nothing left, under the cause of the task's end.
pub(crate) fn check(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, left: MayBeDrained) {
    if let MayBeDrained(Some((agent, cause))) = left {
        cx.scoped(cause, |cx| check_agent(records, cx, fleet, agent));
    }
}

/// Checks whether a draining agent has nothing left.
pub(crate) fn check_agent(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    let draining =
        records.cluster.agents.drains.info(id).is_some_and(|info| info.state == DrainState::Draining);
    let left = records
        .cluster
        .agents
        .get(id)
        .is_none_or(|a| a.state != AgentState::Registered || !a.tasks.is_empty());
    if !draining || left || operations::has_operations(&records.operations, id) {
        return;
    }
    match Arc::make_mut(&mut records.cluster.agents.drains).finish(id) {
        None => {}
        Some(DrainEnd::MarkGone) => mark_agent_gone(records, cx, fleet, id),
        Some(DrainEnd::Drained) => {
            let hostname = records.cluster.agents.hostname(id);
            let text = format!("the agent on {hostname} is DRAINED");
            cx.following(agent_event("drained", hostname, text), |cx| {
                records.cluster.agents.touch(cx, id);
            });
        }
    }
}

/// Marks an agent gone: tells it to shut down, and refuses its return.
fn mark_agent_gone(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    let Some(agent) = records.cluster.agents.get(id) else { return };
    if agent.state == AgentState::Registered {
        return removal::retire_agent(records, cx, fleet, id, Removal::Gone);
    }
    let hostname = agent.hostname.clone();
    cx.following(gone_event(&hostname), |cx| {
        let Some(agent) = records.cluster.agents.get_mut(id) else { return };
        agent.state = AgentState::Gone;
        agent.unreachable_since = None;
        for no in agent.tasks.clone() {
            let Some(task) = records.tasks.get_mut(no) else { continue };
            task.unreachable_since = None;
            let state = task.framework;
            let state = records.cluster.frameworks.lost_or(state, TaskState::GoneByOperator);
            let reason = Reason::AgentRemovedByOperator;
            let message = format!("Agent {hostname} removed: {GONE}");
            let update = Update::new(cx.cause(), state, Source::Master).with_reason(reason, message);
            // A gone agent can no longer be drained.
            let MayBeDrained(_) =
                status::apply(&mut records.tasks, &mut records.cluster, cx, fleet, no, update);
        }
        registry_gc::schedule_registry_gc(&mut records.cluster, cx, id);
        operations::lose_operations(&mut records.operations, &mut records.cluster, cx, id, Removal::Gone);
        untracked::end_untracked(&mut records.tasks, &mut records.cluster, cx, fleet, id);
        admission::detach(&mut records.maintenance, &mut records.cluster.agents, id, Removal::Gone);
        records.cluster.agents.touch(cx, id);
    });
}

/// Broken invariants about maintenance, in words.
pub(crate) fn check_maintenance(records: &Records, broken: &mut Vec<String>) {
    let Records { cluster, offers, maintenance, .. } = records;
    broken.extend(maintenance.machines.check());
    broken.extend(cluster.agents.drains.check());
    broken.extend(maintenance.inverse.check(&maintenance.machines, |id| {
        cluster.agents.get(id).is_some_and(Agent::is_active) && !cluster.agents.drains.is_deactivated(id)
    }));
    for (row, agent) in cluster.agents.rows.iter().enumerate() {
        let id = AgentId::at(row);
        let attached = maintenance.machines.machine_of(id).is_some();
        if attached != (agent.state == AgentState::Registered) {
            broken.push(format!("agent {}: registered and on no machine, or the reverse", agent.hostname));
        }
    }
    for offer in offers.outstanding.values() {
        if offer.unavailability != maintenance.machines.unavailability(offer.agent) {
            broken.push(format!("offer {} does not say when its machine is away", offer.name()));
        }
    }
}
