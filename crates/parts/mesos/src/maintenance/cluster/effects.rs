//! The master carries out maintenance calls: modes of machines, draining, agents marked gone.
//!
//! *Knows*: which of the master's records each effect touches, and in which order. *Must not know*: what a call
//! has to look like and when it is refused, which [`crate::maintenance`] decides.
//!
//! An agent that is told to shut down, or refused because its machine is DOWN, ends what it runs, which takes up to
//! five seconds, and forgets its id. It is started again twice: a second later, which the master refuses while the
//! machine is DOWN, and a second after the machine came UP. Its work directory keeps reservations and volumes.
//!
//! Source: `apache/mesos: src/master/http.cpp`, `src/master/master.cpp`, `src/slave/slave.cpp` (shutdown).
//! Match in order and outcome. Simplified: when agents are started again is ours, attempts in between are left
//! out. An agent that does not hear the order is in [`crate::agents::untracked`].

use crate::{
    Master,
    agents::AgentState,
    agents::{Removal, RemovalReason},
    api::{AgentId, OfferId},
    maintenance::{
        Effect, MachineId as MachineName, MachineIsDown, MachineKey, Mode, Refused, decode::OperatorCall,
        everyone,
    },
    master::Timer,
};
use planarium_ground::{Cx, Fleet, MachineId};
use planarium_kernel::Class;
use planarium_kernel::SortedMap;
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// Time between an agent's end and its next start. *Units*: milliseconds.
const RESTART_MS: u64 = 1_000;

impl Master {
    /// Carries out an operator's call; reads change nothing.
    ///
    /// *Errors*: state is as it was before, except after [`Refused::NotRegistered`], which clears the agent's
    /// flags.
    pub fn maintain(&mut self, cx: &mut Cx, fleet: &mut Fleet, call: OperatorCall) -> Result<(), Refused> {
        // Tried on a copy that shares what does not change, so that a refused call changes nothing.
        match call {
            OperatorCall::GetStatus | OperatorCall::GetSchedule | OperatorCall::Other(_) => Ok(()),
            OperatorCall::UpdateSchedule(schedule) => {
                let mut named = self.scheduled();
                let unmatched = self.said_of_unmatched(&schedule);
                let effects = Arc::make_mut(&mut self.machines).post_schedule(schedule, everyone)?;
                self.carry_out(cx, fleet, effects);
                if let Some(text) = unmatched {
                    cx.emit(EventBody::Maintenance {
                        what: "unmatched".into(),
                        machine: Text::default(),
                        agents: Vec::new(),
                        text: text.into(),
                    });
                }
                // What is shown of a machine without a registered agent changes without an effect.
                named.extend(self.scheduled());
                let hosts = named.iter().filter_map(|key| self.by_name.get(key)).flatten();
                let agents: Vec<AgentId> = hosts.filter_map(|host| self.hosts.get(*host)?.agent).collect();
                for agent in agents {
                    self.touch_agent(cx, agent);
                }
                Ok(())
            }
            OperatorCall::Start(machines) => {
                let effects = Arc::make_mut(&mut self.machines).machine_down(&machines, everyone)?;
                self.carry_out(cx, fleet, effects);
                Ok(())
            }
            OperatorCall::Stop(machines) => {
                let effects = Arc::make_mut(&mut self.machines).machine_up(&machines, everyone)?;
                self.carry_out(cx, fleet, effects);
                Ok(())
            }
            OperatorCall::Drain { agent_id, config } => self.drain(cx, fleet, &agent_id, config),
            OperatorCall::Deactivate(agent_id) => self.deactivate(cx, fleet, &agent_id),
            OperatorCall::Reactivate(agent_id) => self.reactivate(cx, fleet, &agent_id),
            OperatorCall::MarkGone(agent_id) => self.mark_gone(cx, fleet, &agent_id),
        }
    }

    /// The machines that the schedule names.
    fn scheduled(&self) -> Vec<MachineKey> {
        let machines = self.machines.schedule().map(|schedule| schedule.machines().map(|(id, _)| id.key()));
        machines.into_iter().flatten().collect()
    }

    /// Carries out effects in order; the allocation runs that they request come last, as one.
    fn carry_out(&mut self, cx: &mut Cx, fleet: &mut Fleet, effects: Vec<Effect>) {
        let mut offers: SortedMap<AgentId, Vec<OfferId>> = SortedMap::new();
        if effects.iter().any(|effect| matches!(effect, Effect::Refresh { .. })) {
            for offer in self.offers.values() {
                offers.entry(offer.agent).or_default().push(offer.id);
            }
        }
        for effect in effects {
            match effect {
                Effect::Mode { machine, from, to } => self.mode_changed(cx, fleet, &machine, from, to),
                Effect::Refresh { agent, .. } => {
                    for offer in offers.remove(&agent).unwrap_or_default() {
                        self.rescind(cx, offer);
                    }
                    self.reset_inverse_offers(cx, agent);
                    // Unless offers came back, everything could have been offered before.
                    self.allocator.update_cause(agent, cx.cause());
                    self.want_inverse_offers(agent, cx.cause());
                    self.request_run(agent);
                    self.touch_agent(cx, agent);
                }
                Effect::ShutDown { agent } => {
                    if self.receives_shutdown(fleet, agent) {
                        self.restart_agent_later(cx, agent);
                    }
                }
                Effect::Remove { agent } => {
                    self.retire_agent(cx, fleet, agent, Removal::Removed(RemovalReason::Down));
                }
            }
        }
        self.run_requested(cx, fleet);
    }

    fn mode_changed(&mut self, cx: &mut Cx, fleet: &Fleet, machine: &MachineName, from: Mode, to: Mode) {
        let name: Text = match (&machine.hostname, &machine.ip) {
            (Some(hostname), _) if !hostname.is_empty() => hostname.clone(),
            (_, Some(ip)) => ip.clone(),
            (_, None) => Text::default(),
        };
        let hosts = self.by_name.get(&machine.key()).cloned().unwrap_or_default();
        let text = format!("{name} is {} (was {})", to.as_str(), from.as_str());
        let agents = if hosts.is_empty() { Vec::new() } else { vec![name.clone()] };
        let body =
            EventBody::Maintenance { what: to.as_str().into(), machine: name, agents, text: text.into() };
        cx.following(body, |cx| {
            for host in hosts {
                let Some(agent) = self.hosts.get(host).and_then(|host| host.agent) else { continue };
                self.touch_agent(cx, agent);
                if to == Mode::Up && self.may_register(agent) && fleet.absence(host).is_none() {
                    self.restart_agent_later(cx, agent);
                }
            }
        });
    }

    /// Whether an agent is not registered and would be if it were started.
    fn may_register(&self, id: AgentId) -> bool {
        self.agent(id)
            .is_some_and(|agent| matches!(agent.state, AgentState::Removed | AgentState::Unreachable))
    }

    /// The agent's process has ended and is started again after a while.
    fn restart_agent_later(&mut self, cx: &Cx, id: AgentId) {
        let Some(machine) = self.agent(id).map(|agent| agent.machine) else { return };
        let at = cx.now().saturating_add(RESTART_MS);
        self.arm(at, Class::OneShot, cx.cause(), Timer::Register(machine));
    }

    /// An agent is started again and registers with what its work directory keeps.
    pub(crate) fn register_again(&mut self, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId) {
        let Some(id) = self.hosts.get(machine).and_then(|host| host.agent) else { return };
        if !self.may_register(id) || fleet.absence(machine).is_some() {
            return;
        }
        let shutdown_done = self.agent(id).map(|agent| agent.shutdown_done).unwrap_or_default();
        if cx.now() <= shutdown_done {
            // It still waits for its processes to end.
            let at = shutdown_done.saturating_add(RESTART_MS);
            self.arm(at, Class::OneShot, cx.cause(), Timer::Register(machine));
            return;
        }
        let total = self.agent(id).map(|agent| agent.last_total.clone()).unwrap_or_default();
        self.register(cx, fleet, machine, total);
    }

    /// Records the machine of an agent. *Errors*: the machine is DOWN.
    pub(crate) fn attach(&mut self, id: AgentId) -> Result<(), MachineIsDown> {
        let Some(agent) = self.agent(id) else { return Ok(()) };
        let name = MachineName::of_agent(agent.hostname.clone(), agent.ip.clone());
        Arc::make_mut(&mut self.machines).attach(&name, id).map(|_| ())
    }

    /// An agent has left and is on no machine any more. Of its flags, draining outlives unreachability.
    pub(crate) fn detach(&mut self, id: AgentId, how: Removal) {
        if self.machines.machine_of(id).is_some() {
            Arc::make_mut(&mut self.machines).detach(id);
        }
        if how != Removal::Unreachable && self.drains.is_deactivated(id) {
            Arc::make_mut(&mut self.drains).forget(id);
        }
        self.inverse_candidates.forget(id);
    }

    /// An agent wants to register from a DOWN machine: it is told to shut down, which ends what it still runs.
    pub(crate) fn refuse_registration(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        self.remove_recovered(id);
        let hostname = self.hostname(id);
        let text = format!("{hostname} may not register: its machine is DOWN");
        cx.following(agent_event("turned-away", hostname, text), |cx| {
            self.end_untracked(cx, fleet, id);
            let tasks = self.agent(id).map(|agent| agent.tasks.clone()).unwrap_or_default();
            for no in tasks {
                let process = self.task_mut(no).and_then(|task| task.process.take());
                self.shut_down_process(cx, fleet, id, process);
            }
            self.touch_agent(cx, id);
        });
    }
}

/// The event about an agent.
pub(super) fn agent_event(what: &str, hostname: Text, text: String) -> EventBody {
    EventBody::Maintenance {
        what: what.into(),
        machine: Text::default(),
        agents: vec![hostname],
        text: text.into(),
    }
}
