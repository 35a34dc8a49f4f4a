//! Agents marked unreachable at a limited rate.
//!
//! Only where the master's flag `agent_removal_rate_limit` is set: an agent that does not answer then has to wait for a
//! permit before it is marked unreachable, and stays if it answers meanwhile. Machines that go DOWN need no permit.
//!
//! Source: `apache/mesos: src/master/master.cpp` (SlaveObserver::markUnreachable), `process/limiter.hpp`. Match.

use crate::{Master, agents::Removal, api::AgentId, master::Timer};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Class;

impl Master {
    /// Sets the flag; for a master of an empty cluster. *Units*: milliseconds between two removals.
    pub fn set_agent_removal_interval(&mut self, interval_ms: Option<u64>) {
        self.removal_limit.interval_ms = interval_ms;
    }

    /// Marks an agent unreachable as soon as a permit is available.
    pub(crate) fn ask_permit(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        self.counters.unreachable_scheduled += 1;
        if self.removal_limit.interval_ms.is_none() {
            return self.retire_agent(cx, fleet, id, Removal::Unreachable);
        }
        if let Some(agent) = self.agent_mut(id) {
            agent.awaits_permit = true;
        }
        self.removal_limit.waiting.push_back(id);
        self.give_permits(cx, fleet);
    }

    /// A permit is available.
    pub(crate) fn permit(&mut self, cx: &mut Cx, fleet: &mut Fleet) {
        self.removal_limit.armed = false;
        self.give_permits(cx, fleet);
    }

    fn give_permits(&mut self, cx: &mut Cx, fleet: &mut Fleet) {
        while let Some(id) = self.removal_limit.waiting.front().copied() {
            if self.agent(id).is_some_and(|agent| agent.awaits_permit) {
                if cx.now() < self.removal_limit.next {
                    if !std::mem::replace(&mut self.removal_limit.armed, true) {
                        self.arm(self.removal_limit.next, Class::OneShot, cx.cause(), Timer::Permit);
                    }
                    return;
                }
                self.removal_limit.next =
                    cx.now().saturating_add(self.removal_limit.interval_ms.unwrap_or(0));
                if let Some(agent) = self.agent_mut(id) {
                    agent.awaits_permit = false;
                }
                self.removal_limit.waiting.pop_front();
                self.retire_agent(cx, fleet, id, Removal::Unreachable);
            } else {
                self.removal_limit.waiting.pop_front();
            }
        }
    }

    /// An agent answers, or leaves in another way: it needs no permit any more.
    pub(crate) fn cancel_permit(&mut self, id: AgentId) {
        if let Some(agent) = self.agent_mut(id).filter(|agent| agent.awaits_permit) {
            agent.awaits_permit = false;
            self.removal_limit.waiting.retain(|other| *other != id);
            self.counters.unreachable_canceled += 1;
        }
    }
}
