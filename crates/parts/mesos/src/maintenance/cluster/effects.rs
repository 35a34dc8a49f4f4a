//! The master carries out maintenance calls: modes of machines, draining, agents marked gone.
//!
//! *Knows*: which of the master's records each effect touches, and in which order. *Must not know*: what a call
//! has to look like and when it is refused, which [`crate::maintenance`] decides.
//!
//! An agent that is told to shut down, or refused because its machine is DOWN, ends its tasks, which takes up to five
//! seconds, and forgets its id. It is started again twice: a second later, which the master refuses while the machine
//! is DOWN, and a second after the machine came UP. Its work directory keeps reservations and volumes.
//!
//! Source: `apache/mesos: src/master/http.cpp`, `src/master/master.cpp`, `src/slave/slave.cpp` (shutdown).
//! Match in order and outcome. Simplified: when agents are started again is ours, attempts in between are left
//! out. An agent that does not hear the order is in [`crate::tasks::untracked`].

use crate::{
    agents::{Removal, RemovalReason, removal, restart},
    api::{AgentId, OfferId},
    cluster::Cluster,
    maintenance::{
        Effect, MachineId as MachineName, Maintenance, Mode, Refused,
        cluster::{drains, inverse_offers, unmatched},
        decode::OperatorCall,
        everyone,
    },
    offers::{exchange, run},
    records::Records,
    tasks::untracked,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::SortedMap;
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// Carries out an operator's call; reads change nothing.
///
/// *Errors*: state is unchanged, except after [`Refused::NotRegistered`], which clears the agent's flags.
pub(crate) fn maintain(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    call: OperatorCall,
) -> Result<(), Refused> {
    // Tried on a copy that shares what does not change, so that a refused call changes nothing.
    match call {
        OperatorCall::GetStatus | OperatorCall::GetSchedule | OperatorCall::Other(_) => Ok(()),
        OperatorCall::UpdateSchedule(schedule) => {
            let mut named = records.maintenance.scheduled();
            let unmatched =
                unmatched::said_of_unmatched(&records.maintenance, &records.cluster.agents, &schedule);
            let effects =
                Arc::make_mut(&mut records.maintenance.machines).post_schedule(schedule, everyone)?;
            carry_out(records, cx, fleet, effects);
            if let Some(text) = unmatched {
                cx.emit(EventBody::Maintenance {
                    what: "unmatched".into(),
                    machine: Text::default(),
                    agents: Vec::new(),
                    text: text.into(),
                });
            }
            // The view of a machine without a registered agent changes without an effect.
            named.extend(records.maintenance.scheduled());
            let hosts = named.iter().filter_map(|key| records.maintenance.by_name.get(key)).flatten();
            let agents: Vec<AgentId> =
                hosts.filter_map(|host| records.cluster.agents.hosts.get(*host)?.agent).collect();
            for agent in agents {
                records.cluster.agents.touch(cx, agent);
            }
            Ok(())
        }
        OperatorCall::Start(machines) => {
            let effects =
                Arc::make_mut(&mut records.maintenance.machines).machine_down(&machines, everyone)?;
            carry_out(records, cx, fleet, effects);
            Ok(())
        }
        OperatorCall::Stop(machines) => {
            let effects = Arc::make_mut(&mut records.maintenance.machines).machine_up(&machines, everyone)?;
            carry_out(records, cx, fleet, effects);
            Ok(())
        }
        OperatorCall::Drain { agent_id, config } => drains::drain(records, cx, fleet, &agent_id, config),
        OperatorCall::Deactivate(agent_id) => drains::deactivate(records, cx, fleet, &agent_id),
        OperatorCall::Reactivate(agent_id) => drains::reactivate(records, cx, fleet, &agent_id),
        OperatorCall::MarkGone(agent_id) => drains::mark_gone(records, cx, fleet, &agent_id),
    }
}

/// Carries out effects in order; the allocation runs that they request come last, as one.
fn carry_out(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, effects: Vec<Effect>) {
    let mut offers: SortedMap<AgentId, Vec<OfferId>> = SortedMap::new();
    if effects.iter().any(|effect| matches!(effect, Effect::Refresh { .. })) {
        for offer in records.offers.outstanding.values() {
            offers.entry(offer.agent).or_default().push(offer.id);
        }
    }
    for effect in effects {
        match effect {
            Effect::Mode { machine, from, to } => {
                mode_changed(&mut records.maintenance, &mut records.cluster, cx, fleet, &machine, from, to);
            }
            Effect::Refresh { agent, .. } => {
                for offer in offers.remove(&agent).unwrap_or_default() {
                    exchange::rescind(&mut records.offers, &mut records.cluster, cx, offer);
                }
                inverse_offers::reset_inverse_offers(
                    &mut records.maintenance,
                    &mut records.cluster,
                    cx,
                    agent,
                );
                // Unless offers came back, everything could have been offered before.
                records.cluster.allocator.update_cause(agent, cx.cause());
                records.maintenance.want_inverse_offers(agent, cx.cause());
                records.offers.request_run(agent);
                records.cluster.agents.touch(cx, agent);
            }
            Effect::ShutDown { agent } => {
                if untracked::receives_shutdown(&mut records.cluster.agents, fleet, agent) {
                    restart::restart_agent_later(&mut records.cluster, cx, agent);
                }
            }
            Effect::Remove { agent } => {
                removal::retire_agent(records, cx, fleet, agent, Removal::Removed(RemovalReason::Down));
            }
        }
    }
    run::run_requested(&mut records.offers, &mut records.maintenance, &mut records.cluster, cx, fleet);
}

fn mode_changed(
    maintenance: &mut Maintenance,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
    machine: &MachineName,
    from: Mode,
    to: Mode,
) {
    let name: Text = match (&machine.hostname, &machine.ip) {
        (Some(hostname), _) if !hostname.is_empty() => hostname.clone(),
        (_, Some(ip)) => ip.clone(),
        (_, None) => Text::default(),
    };
    let hosts = maintenance.by_name.get(&machine.key()).cloned().unwrap_or_default();
    let text = format!("{name} is {} (was {})", to.as_str(), from.as_str());
    let agents = if hosts.is_empty() { Vec::new() } else { vec![name.clone()] };
    let body = EventBody::Maintenance { what: to.as_str().into(), machine: name, agents, text: text.into() };
    cx.following(body, |cx| {
        for host in hosts {
            let Some(agent) = cluster.agents.hosts.get(host).and_then(|host| host.agent) else { continue };
            cluster.agents.touch(cx, agent);
            if to == Mode::Up
                && restart::may_register(&cluster.agents, agent)
                && fleet.absence(host).is_none()
            {
                restart::restart_agent_later(cluster, cx, agent);
            }
        }
    });
}
