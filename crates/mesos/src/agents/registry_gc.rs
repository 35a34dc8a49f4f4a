//! The registry forgets agents that have been unreachable or gone for long.
//!
//! Every fifteen minutes the master goes through its lists; what has been on them for two weeks is dropped. From then on the
//! agent is one that nobody has ever heard of, until it comes back. Tasks stay on the list of their framework.
//!
//! *Invariant*: only agents that are unreachable or gone are forgotten, or about to be.
//! Source: `apache/mesos: src/master/master.cpp` (doRegistryGc), `src/master/constants.hpp`. Match; of the limit of 102,400
//! agents nothing is to be seen, since there are fewer here.

use crate::{Master, agents::AgentState, api::AgentId, master::Timer};
use planarium_fleet::Cx;
use planarium_kernel::{Class, SimTime};

/// How often the lists are gone through. *Units*: milliseconds.
const REGISTRY_GC_MS: u64 = 15 * 60_000;
/// How long an agent is on them at most. *Units*: milliseconds.
const REGISTRY_MAX_AGE_MS: u64 = 14 * 86_400_000;

impl Master {
    /// An agent has become unreachable or gone just now.
    pub(crate) fn schedule_registry_gc(&mut self, cx: &Cx, id: AgentId) {
        let age = cx.now().ms().saturating_add(REGISTRY_MAX_AGE_MS);
        let at = SimTime(age.div_ceil(REGISTRY_GC_MS).saturating_mul(REGISTRY_GC_MS));
        let timer = self.arm(at, Class::Periodic, cx.cause(), Timer::RegistryGc(id));
        let Some(agent) = self.agent_mut(id) else { return };
        agent.collected = false;
        let old = agent.gc_timer.replace(timer);
        self.disarm(old);
    }

    /// An agent is back.
    pub(crate) fn cancel_registry_gc(&mut self, id: AgentId) {
        let Some(agent) = self.agent_mut(id) else { return };
        agent.collected = false;
        let timer = agent.gc_timer.take();
        self.disarm(timer);
    }

    /// It was on the list for too long.
    pub(crate) fn gc_agent(&mut self, cx: &mut Cx, id: AgentId) {
        let Some(agent) = self.agent_mut(id) else { return };
        agent.gc_timer = None;
        agent.collected = matches!(agent.state, AgentState::Unreachable | AgentState::Gone);
        self.touch_agent(cx, id);
    }

    /// What the master knows of an agent; what it has forgotten it never knew.
    pub(crate) fn known_state(&self, id: AgentId) -> Option<AgentState> {
        self.agent(id).filter(|agent| !agent.collected).map(|agent| agent.state)
    }
}
