//! Agents that stop answering, lose their connection, become unreachable, and return.
//!
//! Pings are not simulated one by one: they matter only once an agent stops answering, and then the instant at which
//! it becomes unreachable follows from when it registered. If it answers again before that instant, it stays.
//!
//! Source: `apache/mesos: src/master/master.cpp` (SlaveObserver, exited, disconnect, reregisterSlave),
//! `src/master/constants.hpp`. Match, with a simplification: the ten-minute re-registration timer never decides,
//! since whatever breaks the connection here leaves pings unanswered too. A rebooted machine registers a new
//! agent with the reservations and volumes that its work directory keeps.

use crate::{
    Master,
    agents::{Agent, AgentState},
    agents::{Removal, RemovalReason},
    api::{AgentId, FrameworkId, Reason, Resources, Source, TaskState},
    master::Timer,
    tasks::Acknowledgement,
    tasks::{TaskNo, Update},
};
use planarium_ground::{Absence, Cx, Fleet, MachineId};
use planarium_kernel::SortedMap;
use planarium_kernel::{Class, SimTime};
use planarium_protocol::{EventBody, Text};

/// Time between two pings.
pub const PING_TIMEOUT_MS: u64 = 15_000;
/// After this many unanswered pings an agent is unreachable.
pub const MAX_PING_TIMEOUTS: u64 = 5;

/// When an agent that does not answer from `ping_timer` on becomes unreachable: when the last of its unanswered
/// pings, the first of which is sent at or after that instant, has timed out.
fn ping_timeout_at(registered: SimTime, ping_timer: SimTime) -> SimTime {
    let pings = ping_timer.since(registered).div_ceil(PING_TIMEOUT_MS).max(1);
    registered.saturating_add(pings.saturating_add(MAX_PING_TIMEOUTS).saturating_mul(PING_TIMEOUT_MS))
}

impl Master {
    fn agent_on(&self, machine: MachineId) -> Option<AgentId> {
        self.hosts.get(machine).and_then(|host| host.agent)
    }

    pub(crate) fn machine_lost(&mut self, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId, how: Absence) {
        let Some(id) = self.agent_on(machine) else { return };
        self.touch_agent(cx, id);
        let Some(agent) = self.agent(id).filter(|agent| agent.state == AgentState::Registered) else {
            return;
        };
        if agent.ping_timer.is_none() && !agent.awaits_permit {
            let at = ping_timeout_at(agent.registered, cx.now());
            let timer = self.arm(at, Class::OneShot, cx.cause(), Timer::Unreachable(id));
            if let Some(agent) = self.agent_mut(id) {
                agent.ping_timer = Some(timer);
            }
        }
        if how != Absence::Partitioned {
            self.disconnect(cx, fleet, id);
        }
    }

    /// The connection breaks.
    fn disconnect(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        let Some(agent) = self.agent_mut(id).filter(|agent| agent.connected) else { return };
        agent.connected = false;
        let (hostname, tasks): (Text, Vec<TaskNo>) =
            (agent.hostname.clone(), agent.tasks.iter().copied().collect());
        cx.following(EventBody::AgentDisconnected { agent: hostname }, |cx| {
            self.allocator.set_active(id, false, cx.cause());
            for offer in self.offers_on(id) {
                self.rescind(cx, offer);
            }
            self.rescind_inverse_offers(cx, id);
            // Tasks of frameworks that do not checkpoint end with the agent's process: LOST for everyone.
            for no in tasks {
                let framework = self.task(no).and_then(|task| self.framework(task.framework));
                if framework.is_none_or(|framework| framework.info.checkpoint) {
                    continue;
                }
                let update = Update::new(cx.cause(), TaskState::Lost, Source::Master)
                    .with_reason(Reason::AgentDisconnected, "Agent disconnected");
                self.apply(cx, fleet, no, update);
            }
            self.touch_agent(cx, id);
        });
    }

    /// Too many pings went unanswered.
    pub(crate) fn ping_timed_out(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        let there =
            |agent: &&mut Agent| matches!(agent.state, AgentState::Registered | AgentState::Recovered);
        if let Some(agent) = self.agent_mut(id).filter(there) {
            agent.ping_timer = None;
            self.ask_permit(cx, fleet, id);
        }
    }

    pub(crate) fn machine_returned(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        machine: MachineId,
        how: Absence,
    ) {
        let Some(id) = self.agent_on(machine) else { return };
        self.touch_agent(cx, id);
        let Some(state) = self.agent(id).map(|agent| agent.state) else { return };
        match (how, state) {
            (Absence::Lost, _) => self.reboot(cx, fleet, machine, id),
            (Absence::Partitioned | Absence::AgentRestart, AgentState::Registered) => {
                self.reconnect(cx, fleet, id);
            }
            (Absence::Partitioned | Absence::AgentRestart, AgentState::Unreachable) => {
                self.readmit(cx, fleet, id);
            }
            (Absence::Partitioned | Absence::AgentRestart, AgentState::Recovered) => {
                self.reregister_recovered(cx, fleet, id);
            }
            (Absence::Partitioned | Absence::AgentRestart, AgentState::Removed)
                if self.agent(id).is_some_and(|agent| agent.missed_shutdown) =>
            {
                self.readmit(cx, fleet, id);
            }
            // A removed agent was told to shut down; the one that comes back is new.
            (Absence::Partitioned | Absence::AgentRestart, AgentState::Removed) => {
                let total = self.agent(id).map(|agent| agent.last_total.clone()).unwrap_or_default();
                self.register(cx, fleet, machine, total);
            }
            // It is told to shut down again, and is not started again.
            (Absence::Partitioned | Absence::AgentRestart, AgentState::Gone) => {}
        }
    }

    /// The machine boots anew: its old agent is gone, what its work directory keeps is still there.
    fn reboot(&mut self, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId, old: AgentId) {
        if self.agent(old).is_some_and(|agent| agent.state == AgentState::Registered) {
            self.counters.replaced += 1;
            self.retire_agent(cx, fleet, old, Removal::Removed(RemovalReason::Replaced));
        }
        self.end_untracked(cx, fleet, old);
        let total = self.agent(old).map(|agent| agent.last_total.clone()).unwrap_or_default();
        self.register(cx, fleet, machine, total);
    }

    /// The agent answers again before it became unreachable. Nothing is announced; what waited is delivered.
    fn reconnect(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        self.cancel_permit(id);
        let now = cx.now();
        let Some(agent) = self.agent_mut(id) else { return };
        let timer = agent.ping_timer.take();
        let was_connected = std::mem::replace(&mut agent.connected, true);
        if !was_connected {
            agent.registered = now;
            agent.returned = Some(now);
        }
        let hostname = agent.hostname.clone();
        self.disarm(timer);
        if was_connected {
            return self.catch_up_with(cx, fleet, id);
        }
        self.counters.reregistrations += 1;
        cx.following(EventBody::AgentReregistered { agent: hostname }, |cx| {
            self.allocator.set_active(id, !self.drains.is_deactivated(id), cx.cause());
            self.want_inverse_offers(id, cx.cause());
            self.catch_up_with(cx, fleet, id);
        });
    }

    /// Launches, kills and statuses that were in transit arrive.
    pub(crate) fn catch_up_with(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        let tasks: Vec<TaskNo> =
            self.agent(id).map(|agent| agent.tasks.iter().copied().collect()).unwrap_or_default();
        for no in tasks {
            if self.task(no).is_some_and(|task| task.process.is_none() && !task.freed) {
                self.run_process(cx, fleet, no);
            }
            self.deliver_pending(cx, fleet, no);
            if let Some(grace_ms) = self.task_mut(no).and_then(|task| task.pending_kill_ms.take()) {
                self.deliver_kill(cx, fleet, no, Some(grace_ms));
            }
        }
        self.forward_operations_of(cx, id);
        self.drain_on_return(cx, fleet, id);
        self.touch_agent(cx, id);
    }

    /// An agent that was unreachable, or removed without hearing of it, comes back under its own id: everything it
    /// reports is announced.
    fn readmit(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
        let now = cx.now();
        if self.attach(id).is_err() {
            return self.refuse_registration(cx, fleet, id);
        }
        let Some(agent) = self.agent_mut(id) else { return };
        agent.state = AgentState::Registered;
        agent.connected = true;
        agent.registered = now;
        agent.returned = Some(now);
        agent.unreachable_since = None;
        let hostname = agent.hostname.clone();
        agent.missed_shutdown = false;
        self.cancel_registry_gc(id);
        self.track_again(cx, fleet, id);
        self.counters.reregistrations += 1;
        cx.following(EventBody::AgentReregistered { agent: hostname.clone() }, |cx| {
            let allocated = self.allocated_on(id);
            let Some(agent) = self.agent(id) else { return };
            let (region, total) = (agent.region.clone(), agent.last_total.clone());
            self.allocator.add_agent(id, &hostname, region.as_ref(), &total, allocated, cx.cause());
            self.look_at_others(cx, fleet, id);
            let tasks: Vec<TaskNo> =
                self.agent(id).map(|agent| agent.tasks.iter().copied().collect()).unwrap_or_default();
            self.tell_agent_added(cx, id, &tasks);
            for no in tasks {
                self.announce(cx, fleet, no);
            }
            self.forward_operations_of(cx, id);
            if self.drains.is_deactivated(id) {
                self.allocator.set_active(id, false, cx.cause());
            }
            self.want_inverse_offers(id, cx.cause());
            self.drain_on_return(cx, fleet, id);
            self.request_run(id);
            self.touch_agent(cx, id);
        });
    }

    fn announce(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        let Some(task) = self.task_mut(no) else { return };
        task.unreachable_since = None;
        task.retry_ms = 0;
        if task.process.is_none() && !task.freed {
            // The launch never arrived: an agent does not report what it does not know.
            return self.end_task(cx, fleet, no, TaskState::Gone);
        }
        let framework = task.framework;
        if self.acknowledges_explicitly(framework) {
            return self.announce_and_forward(cx, fleet, no);
        }
        let Some(task) = self.task_mut(no) else { return };
        let news: Vec<Update> = task.pending_updates.drain(..).collect();
        let message = news.last().map(|update| update.message.clone()).filter(|text| !text.is_empty());
        let update = Update {
            healthy: news.iter().rev().find_map(|update| update.healthy),
            check: news.iter().rev().find_map(|update| update.check),
            ..Update::new(cx.cause(), task.agent_state, Source::Master).with_reason(
                Reason::AgentReregistered,
                message.unwrap_or_else(|| "Agent reregistered".into()),
            )
        };
        let kill = task.pending_kill_ms.take();
        self.apply(cx, fleet, no, update);
        if let Some(grace_ms) = kill {
            self.deliver_kill(cx, fleet, no, Some(grace_ms));
        }
    }

    /// The same for a task whose statuses are acknowledged by calls: those in the queue stay there and are sent again.
    fn announce_and_forward(&mut self, cx: &mut Cx, fleet: &mut Fleet, no: TaskNo) {
        let Some(task) = self.task_mut(no) else { return };
        let state = if task.freed { task.state } else { task.agent_state };
        let update = Update::new(cx.cause(), state, Source::Master)
            .with_reason(Reason::AgentReregistered, "Agent reregistered");
        let kill = task.pending_kill_ms.take();
        self.apply_update(cx, fleet, no, update, Acknowledgement::Awaited(None));
        self.resend_updates(cx, fleet, no);
        if let Some(grace_ms) = kill {
            self.deliver_kill(cx, fleet, no, Some(grace_ms));
        }
    }

    /// What tasks and executors on an agent use, by framework and role.
    pub(crate) fn allocated_on(&self, id: AgentId) -> Vec<((FrameworkId, Text), Resources)> {
        let mut allocated: SortedMap<(FrameworkId, Text), Resources> = SortedMap::new();
        let Some(agent) = self.agent(id) else { return Vec::new() };
        for task in agent.tasks.iter().filter_map(|no| self.task(*no)).filter(|task| !task.freed) {
            allocated.entry((task.framework, task.role.clone())).or_default().add_all(&task.resources);
        }
        for ((framework, _), executor) in agent.executors.iter() {
            allocated
                .entry((*framework, executor.role.clone()))
                .or_default()
                .add_all(&executor.info.resources);
        }
        allocated.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: `apache/mesos: src/master/constants.hpp` (DEFAULT_AGENT_PING_TIMEOUT, DEFAULT_MAX_AGENT_PING_TIMEOUTS).
    #[test]
    fn the_ping_timeline() {
        for (registered, silent, given_up) in [
            (0, 40_000, 120_000),
            (0, 45_000, 120_000),
            (0, 45_001, 135_000),
            (0, 30_000, 105_000),
            (0, 0, 90_000),
            (7_000, 47_000, 127_000),
        ] {
            assert_eq!(
                ping_timeout_at(SimTime(registered), SimTime(silent)),
                SimTime(given_up),
                "silent at {silent}"
            );
        }
    }
}
