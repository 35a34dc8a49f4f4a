//! Agents marked unreachable at a limited rate.
//!
//! Only where the master's flag `agent_removal_rate_limit` is set: an agent that does not answer then has to wait for a
//! permit before it is marked unreachable, and stays if it answers meanwhile. Machines that go DOWN need no permit.
//!
//! Source: `apache/mesos: src/master/master.cpp` (SlaveObserver::markUnreachable), `process/limiter.hpp`. Match.

use crate::{
    agents::{Removal, removal},
    api::AgentId,
    cluster::Timer,
    records::Records,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Class;

/// Marks an agent unreachable as soon as a permit is available.
pub(crate) fn ask_permit(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    records.cluster.counters.unreachable_scheduled += 1;
    if records.cluster.agents.removal_limit.interval_ms.is_none() {
        return removal::retire_agent(records, cx, fleet, id, Removal::Unreachable);
    }
    if let Some(agent) = records.cluster.agents.get_mut(id) {
        agent.awaits_permit = true;
    }
    records.cluster.agents.removal_limit.waiting.push_back(id);
    give_permits(records, cx, fleet);
}

/// Uses a permit that has become available.
pub(crate) fn permit(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet) {
    records.cluster.agents.removal_limit.armed = false;
    give_permits(records, cx, fleet);
}

fn give_permits(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet) {
    while let Some(id) = records.cluster.agents.removal_limit.waiting.front().copied() {
        if records.cluster.agents.get(id).is_some_and(|agent| agent.awaits_permit) {
            if cx.now() < records.cluster.agents.removal_limit.next {
                if !std::mem::replace(&mut records.cluster.agents.removal_limit.armed, true) {
                    records.cluster.timers.arm(
                        records.cluster.agents.removal_limit.next,
                        Class::OneShot,
                        cx.cause(),
                        Timer::Permit,
                    );
                }
                return;
            }
            records.cluster.agents.removal_limit.next =
                cx.now().saturating_add(records.cluster.agents.removal_limit.interval_ms.unwrap_or(0));
            if let Some(agent) = records.cluster.agents.get_mut(id) {
                agent.awaits_permit = false;
            }
            records.cluster.agents.removal_limit.waiting.pop_front();
            removal::retire_agent(records, cx, fleet, id, Removal::Unreachable);
        } else {
            records.cluster.agents.removal_limit.waiting.pop_front();
        }
    }
}
