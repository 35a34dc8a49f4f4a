//! The registry forgets agents that have been unreachable or gone for long.
//!
//! Every fifteen minutes the master checks its lists and drops agents that have been on them for two weeks. From then
//! on such an agent is unknown until it comes back. Its tasks stay on the list of their framework.
//!
//! *Invariant*: only agents that are unreachable or gone are forgotten, or about to be.
//! Source: `apache/mesos: src/master/master.cpp` (doRegistryGc), `src/master/constants.hpp`. Match; the limit of
//! 102,400 agents never matters, since clusters here are smaller.

use crate::{
    agents::AgentState,
    api::AgentId,
    cluster::{Cluster, Timer},
};
use planarium_ground::Cx;
use planarium_kernel::{Class, SimTime};

/// Time between two passes over the lists. *Units*: milliseconds.
const REGISTRY_GC_MS: u64 = 15 * 60_000;
/// Longest time that an agent stays on them. *Units*: milliseconds.
const REGISTRY_MAX_AGE_MS: u64 = 14 * 86_400_000;

/// Arms the timer after which the registry forgets an agent that has become unreachable or gone.
pub(crate) fn schedule_registry_gc(cluster: &mut Cluster, cx: &Cx, id: AgentId) {
    let age = cx.now().ms().saturating_add(REGISTRY_MAX_AGE_MS);
    let at = SimTime(age.div_ceil(REGISTRY_GC_MS).saturating_mul(REGISTRY_GC_MS));
    let timer = cluster.timers.arm(at, Class::Periodic, cx.cause(), Timer::RegistryGc(id));
    let Some(agent) = cluster.agents.get_mut(id) else { return };
    agent.collected = false;
    let old = agent.gc_timer.replace(timer);
    cluster.timers.disarm(old);
}

/// Disarms that timer: the agent is back.
pub(crate) fn cancel_registry_gc(cluster: &mut Cluster, id: AgentId) {
    let Some(agent) = cluster.agents.get_mut(id) else { return };
    agent.collected = false;
    let timer = agent.gc_timer.take();
    cluster.timers.disarm(timer);
}

/// Forgets an agent that has been on the list for too long.
pub(crate) fn gc_agent(cluster: &mut Cluster, cx: &mut Cx, id: AgentId) {
    let Some(agent) = cluster.agents.get_mut(id) else { return };
    agent.gc_timer = None;
    agent.collected = matches!(agent.state, AgentState::Unreachable | AgentState::Gone);
    cluster.agents.touch(cx, id);
}
