//! Agents drained, deactivated, reactivated and marked gone.
//!
//! *Knows*: how an agent drains and what tells that it is done. *Must not know*: when a call is refused and what the
//! flags mean, which [`crate::maintenance::Drains`] decides.
//!
//! Source: `apache/mesos: src/master/master.cpp` (checkAndTransitionDrainingAgent, markGone), `src/slave/slave.cpp`
//! (drain, status updates while draining). Match, with frameworks' acknowledgements counting; an agent
//! that was marked gone is not started again.

use super::effects::agent_event;
use crate::{
    Master,
    agents::{Agent, AgentState},
    agents::{GONE, Removal, gone_event},
    api::{AgentId, Capability, Reason, Source, TaskState},
    maintenance::{
        DrainConfig, DrainEffect, DrainEnd, DrainState, MarkGone, Refused, Standing, grace_while_draining,
        may_mark_gone, state_while_draining,
    },
    tasks::{Task, Update},
};
use planarium_ground::{Cx, Fleet};
use planarium_protocol::Text;
use std::sync::Arc;

impl Master {
    /// The id on the wire of the agent that was last on the machine of this hostname; none if several machines
    /// have it.
    pub fn agent_id_on(&self, hostname: &str) -> Option<Text> {
        let mut agents =
            self.hosts.agents().filter_map(|id| self.agent(id)).filter(|agent| &*agent.hostname == hostname);
        let first = agents.next()?;
        agents.all(|agent| agent.ip == first.ip).then(|| first.name.clone())
    }

    /// Number and standing of the agent that an operator names.
    fn agent_by_id(&self, name: &str) -> (AgentId, Standing) {
        let Some(id) = self.agent_named(name) else { return (AgentId(u32::MAX), Standing::Unknown) };
        (id, self.standing(id))
    }

    pub(super) fn standing(&self, id: AgentId) -> Standing {
        match self.known_state(id) {
            Some(AgentState::Registered) => Standing::Registered {
                connected: self.agent(id).is_some_and(|agent| agent.connected),
                can_drain: true,
                scheduled: self.machines.is_scheduled(id),
            },
            Some(AgentState::Recovered) => Standing::Recovered,
            Some(AgentState::Unreachable) => Standing::Unreachable,
            Some(AgentState::Gone) => Standing::Gone,
            Some(AgentState::Removed) | None => Standing::Unknown,
        }
    }

    pub(super) fn drain(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        name: &Text,
        config: DrainConfig,
    ) -> Result<(), Refused> {
        let (id, standing) = self.agent_by_id(name);
        let effects = Arc::make_mut(&mut self.drains).drain(cx.now(), id, config, standing, true)?;
        self.carry_out_for(cx, fleet, id, ("drain-started", "is being drained"), effects);
        Ok(())
    }

    pub(super) fn deactivate(&mut self, cx: &mut Cx, fleet: &mut Fleet, name: &Text) -> Result<(), Refused> {
        let (id, standing) = self.agent_by_id(name);
        let effects = Arc::make_mut(&mut self.drains).deactivate(id, standing, true)?;
        self.carry_out_for(cx, fleet, id, ("deactivated", "is deactivated"), effects);
        Ok(())
    }

    pub(super) fn reactivate(&mut self, cx: &mut Cx, fleet: &mut Fleet, name: &Text) -> Result<(), Refused> {
        let (id, standing) = self.agent_by_id(name);
        let effects = Arc::make_mut(&mut self.drains).reactivate(id, standing, true);
        if matches!(effects, Ok(_) | Err(Refused::NotRegistered)) {
            let effects = effects.clone().unwrap_or_default();
            self.carry_out_for(cx, fleet, id, ("reactivated", "is reactivated"), effects);
        }
        effects.map(|_| ())
    }

    pub(super) fn mark_gone(&mut self, cx: &mut Cx, fleet: &mut Fleet, name: &Text) -> Result<(), Refused> {
        let (id, standing) = self.agent_by_id(name);
        match may_mark_gone(standing, true)? {
            MarkGone::Already => {}
            MarkGone::Now => self.mark_agent_gone(cx, fleet, id),
        }
        Ok(())
    }

    fn carry_out_for(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        id: AgentId,
        (what, words): (&str, &str),
        effects: Vec<DrainEffect>,
    ) {
        let hostname = self.hostname(id);
        let text = format!("the agent on {hostname} {words}");
        cx.following(agent_event(what, hostname, text), |cx| {
            for effect in effects {
                match effect {
                    DrainEffect::Deactivate(agent) => {
                        self.allocator.set_active(agent, false, cx.cause());
                        for offer in self.offers_on(agent) {
                            self.rescind(cx, offer);
                        }
                        self.rescind_inverse_offers(cx, agent);
                    }
                    DrainEffect::Order(agent, config) => self.order_drain(cx, fleet, agent, config),
                    DrainEffect::CheckDrained(agent) => self.check_drained(cx, fleet, agent),
                    DrainEffect::Reactivate(agent) => {
                        let connected = self.agent(agent).is_some_and(Agent::is_active);
                        self.allocator.set_active(agent, connected, cx.cause());
                        self.want_inverse_offers(agent, cx.cause());
                    }
                }
            }
            self.touch_agent(cx, id);
        });
    }

    /// The agent kills everything it runs, if it receives the order.
    fn order_drain(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId, config: DrainConfig) {
        let Some(agent) = self.agent(id).filter(|agent| agent.is_reachable()) else { return };
        for no in agent.tasks.clone() {
            let own_ms = self.task(no).and_then(|task| task.info.kill_grace_ms);
            let grace_ms = grace_while_draining(config, own_ms);
            self.deliver_kill(cx, fleet, no, grace_ms);
        }
    }

    /// A draining agent came back: it receives the order now.
    pub(crate) fn drain_on_return(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        if let Some(config) = self.drains.order_on_return(id) {
            self.order_drain(cx, fleet, id, config);
            self.check_drained(cx, fleet, id);
        }
    }

    /// The update of a task that a draining agent kills.
    pub(crate) fn as_drained(&self, task: &Task, mut update: Update) -> Update {
        let draining = self.drains.info(task.agent).filter(|info| info.state == DrainState::Draining);
        if let (Some(info), TaskState::Killing | TaskState::Killed) = (draining, update.state) {
            let aware = self.framework(task.framework).is_some_and(|f| f.can(Capability::PartitionAware));
            update.state = state_while_draining(info.config, update.state, aware);
            update.reason = Some(Reason::AgentDraining);
        }
        update
    }

    /// Checks whether a draining agent has nothing left.
    pub(crate) fn check_drained(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        let draining = self.drains.info(id).is_some_and(|info| info.state == DrainState::Draining);
        let left = self.agent(id).is_none_or(|a| a.state != AgentState::Registered || !a.tasks.is_empty());
        if !draining || left || self.has_operations(id) {
            return;
        }
        match Arc::make_mut(&mut self.drains).finish(id) {
            None => {}
            Some(DrainEnd::MarkGone) => self.mark_agent_gone(cx, fleet, id),
            Some(DrainEnd::Drained) => {
                let hostname = self.hostname(id);
                let text = format!("the agent on {hostname} is DRAINED");
                cx.following(agent_event("drained", hostname, text), |cx| {
                    self.touch_agent(cx, id);
                });
            }
        }
    }

    /// An agent is gone for good: it is told to shut down, and may not come back.
    fn mark_agent_gone(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        let Some(agent) = self.agent(id) else { return };
        if agent.state == AgentState::Registered {
            return self.retire_agent(cx, fleet, id, Removal::Gone);
        }
        let hostname = agent.hostname.clone();
        cx.following(gone_event(&hostname), |cx| {
            let Some(agent) = self.agent_mut(id) else { return };
            agent.state = AgentState::Gone;
            agent.unreachable_since = None;
            for no in agent.tasks.clone() {
                let Some(task) = self.task_mut(no) else { continue };
                task.unreachable_since = None;
                let state = task.framework;
                let state = self.lost_or(state, TaskState::GoneByOperator);
                let reason = Reason::AgentRemovedByOperator;
                let message = format!("Agent {hostname} removed: {GONE}");
                let update = Update::new(cx.cause(), state, Source::Master).with_reason(reason, message);
                self.apply(cx, fleet, no, update);
            }
            self.schedule_registry_gc(cx, id);
            self.lose_operations(cx, id, Removal::Gone);
            self.end_untracked(cx, fleet, id);
            self.detach(id, Removal::Gone);
            self.touch_agent(cx, id);
        });
    }

    /// Broken invariants about maintenance, in words.
    pub(crate) fn check_maintenance(&self, broken: &mut Vec<String>) {
        broken.extend(self.machines.check());
        broken.extend(self.drains.check());
        broken.extend(self.inverse.check(&self.machines, |id| {
            self.agent(id).is_some_and(Agent::is_active) && !self.drains.is_deactivated(id)
        }));
        for (row, agent) in self.agents.iter().enumerate() {
            let id = AgentId::at(row);
            let attached = self.machines.machine_of(id).is_some();
            if attached != (agent.state == AgentState::Registered) {
                broken
                    .push(format!("agent {}: registered and on no machine, or the reverse", agent.hostname));
            }
        }
        for offer in self.offers.values() {
            if offer.unavailability != self.machines.unavailability(offer.agent) {
                broken.push(format!("offer {} does not say when its machine is away", offer.name()));
            }
        }
    }
}
