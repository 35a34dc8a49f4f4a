//! The master fails over: another one takes its place.
//!
//! It knows what the registry keeps: the operator's schedule, modes of machines, which agents are admitted, unreachable
//! or gone, what is drained or deactivated, weights and quotas. All else was in memory and is lost: tasks, frameworks,
//! offers, inverse offers and their answers, filters, what has completed, and every count. Agents that were registered
//! are *recovered* until they register again, within a second; those that do not are unreachable after ten minutes.
//! What an agent runs is on record again when it registers, and nothing is announced. Schedulers notice: services'
//! schedulers restart, others subscribe again by themselves or over HTTP.
//!
//! Source: `apache/mesos: src/master/master.cpp` (recover, _recover, recoveredSlavesTimeout, _reregisterSlave),
//! `src/slave/slave.cpp` (doReliableRegistration). Match, but that the new master has the old one's id and goes on
//! counting offers where the old one was, and that frameworks have ten minutes to return at least.

use crate::{
    Master,
    agents::Removal,
    agents::{AgentState, Executors},
    api::{AgentId, FrameworkId},
    counters::Counters,
    master::{Requested, Timer},
    tasks::TaskNo,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::{Class, draw};
use planarium_protocol::EventBody;

/// How long agents have to register again. *Units*: milliseconds. Source: `agent_reregister_timeout`.
pub(crate) const REREGISTER_TIMEOUT_MS: u64 = 600_000;
/// Agents register again within this time. *Units*: milliseconds. Source: `registration_backoff_factor`.
const BACKOFF_MS: u64 = 1_000;
/// Purpose of the draw for that time.
const BACKOFF: u32 = 0x0A12;

impl Master {
    pub(crate) fn fail_over(&mut self, cx: &mut Cx, fleet: &Fleet) {
        for id in self.registered_frameworks() {
            let own_ms = self.framework(id).map_or(0, |framework| framework.info.failover_ms);
            if self.is_connected(id) {
                self.deactivate_framework(cx, id, own_ms.max(REREGISTER_TIMEOUT_MS));
                self.masterless.push(id);
            }
        }
        for row in 0..self.frameworks.len() {
            if let Some(framework) = self.framework_mut(FrameworkId::at(row)) {
                framework.forget_completed();
            }
        }
        self.counters = Counters::default();
        self.operator_events.clear();
        self.requested = Requested::Nothing;
        for row in 0..self.agents.len() {
            let id = AgentId::at(row);
            match self.agent(id).map(|agent| agent.state) {
                Some(AgentState::Registered) => self.recover(cx, fleet, id),
                Some(AgentState::Unreachable | AgentState::Recovered) => self.untrack_all(id),
                Some(AgentState::Removed | AgentState::Gone) | None => {}
            }
        }
    }

    /// Frameworks that have lost their master since the last call.
    pub fn drain_orphans(&mut self) -> Vec<FrameworkId> {
        std::mem::take(&mut self.masterless)
    }

    /// A framework that has lost its master subscribes again as what it was.
    pub fn resubscribe_as_before(&mut self, cx: &mut Cx, fleet: &Fleet, id: FrameworkId) {
        if let Some(info) = self.framework(id).map(|framework| (*framework.info).clone()) {
            self.resubscribe(cx, fleet, id, info);
        }
    }

    /// Only that an agent is admitted is known.
    fn recover(&mut self, cx: &mut Cx, fleet: &Fleet, id: AgentId) {
        self.untrack_all(id);
        let total = self.allocator.slot(id).map(crate::allocator::Slot::total).unwrap_or_default();
        self.allocator.remove_agent(id, cx.cause());
        self.reset_inverse_offers(cx, id);
        self.detach(id, Removal::Unreachable);
        let at = cx.now().saturating_add(REREGISTER_TIMEOUT_MS);
        let timer = self.arm(at, Class::Periodic, cx.cause(), Timer::Unreachable(id));
        let Some(agent) = self.agent_mut(id) else { return };
        agent.state = AgentState::Recovered;
        agent.connected = false;
        agent.awaits_permit = false;
        agent.last_total = total;
        let old = agent.ping_timer.replace(timer);
        let machine = agent.machine;
        let entity = draw::entity(&agent.hostname);
        self.disarm(old);
        if fleet.absence(machine).is_none() {
            let wait_ms = draw::draw(self.seed, entity, BACKOFF, cx.now().ms()) % BACKOFF_MS;
            let at = cx.now().saturating_add(1 + wait_ms);
            self.arm(at, Class::OneShot, cx.cause(), Timer::Reregister(id));
        }
        self.touch_agent(cx, id);
    }

    /// The master forgets what an agent runs; the agent does not. Launches in transit are lost.
    fn untrack_all(&mut self, id: AgentId) {
        let Some(agent) = self.agent_mut(id) else { return };
        let tasks: Vec<TaskNo> = std::mem::take(&mut agent.tasks).into_iter().collect();
        for no in tasks {
            self.untrack(no);
            let Some(task) = self.tasks.remove(&no) else { continue };
            self.task_ids.remove(&(task.framework, task.id().clone()));
            self.disarm(task.retry);
        }
        self.allocator.note_held(id);
        if let Some(agent) = self.agent_mut(id) {
            agent.executors = Executors::default();
        }
    }

    /// A recovered agent registers again, with everything that it runs.
    pub(crate) fn reregister_recovered(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        let Some(agent) = self.agent(id).filter(|agent| agent.state == AgentState::Recovered) else { return };
        // A machine that was booted anew has another agent now.
        let is_there = self.hosts.get(agent.machine).is_some_and(|host| host.agent == Some(id));
        if !is_there || fleet.absence(agent.machine).is_some() {
            return;
        }
        if self.attach(id).is_err() {
            return self.refuse_registration(cx, fleet, id);
        }
        self.cancel_permit(id);
        let now = cx.now();
        let Some(agent) = self.agent_mut(id) else { return };
        agent.state = AgentState::Registered;
        agent.connected = true;
        agent.registered = now;
        agent.returned = Some(now);
        let (timer, hostname) = (agent.ping_timer.take(), agent.hostname.clone());
        self.disarm(timer);
        self.counters.reregistrations += 1;
        cx.following(EventBody::AgentReregistered { agent: hostname.clone() }, |cx| {
            self.track_again(cx, fleet, id);
            let allocated = self.allocated_on(id);
            let Some(agent) = self.agent(id) else { return };
            let (region, total) = (agent.region.clone(), agent.last_total.clone());
            self.allocator.add_agent(id, &hostname, region.as_ref(), &total, allocated, cx.cause());
            self.look_at_others(cx, fleet, id);
            if self.drains.is_deactivated(id) {
                self.allocator.set_active(id, false, cx.cause());
            }
            self.want_inverse_offers(id, cx.cause());
            let tasks: Vec<TaskNo> =
                self.agent(id).map(|agent| agent.tasks.iter().copied().collect()).unwrap_or_default();
            self.tell_agent_added(cx, id, &tasks);
            self.catch_up_with(cx, fleet, id);
            self.request_run(id);
        });
    }

    /// A recovered agent will not come back.
    pub(crate) fn remove_recovered(&mut self, id: AgentId) {
        self.cancel_permit(id);
        let recovered = |agent: &&mut crate::agents::Agent| agent.state == AgentState::Recovered;
        if let Some(agent) = self.agent_mut(id).filter(recovered) {
            agent.state = AgentState::Removed;
            let timer = agent.ping_timer.take();
            self.disarm(timer);
            self.forget_operations_on(id);
        }
    }

    /// Whether any agent may still come back and report what it runs.
    pub(crate) fn is_recovering(&self) -> bool {
        self.agents.iter().any(|agent| agent.state == AgentState::Recovered)
    }
}
