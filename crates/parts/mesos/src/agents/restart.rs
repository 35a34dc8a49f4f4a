//! Restarts agents that have shut down, after a delay.
//!
//! Source: `apache/mesos: src/slave/slave.cpp` (shutdown). When agents are started again is ours.

use crate::{
    agents::{AgentState, Agents, registration},
    api::AgentId,
    cluster::{Cluster, Timer},
    records::Records,
};
use planarium_ground::{Cx, Fleet, MachineId};
use planarium_kernel::Class;

/// Time between an agent's end and its next start. *Units*: milliseconds.
const RESTART_MS: u64 = 1_000;

/// Returns whether an agent is not registered and would be if it were started.
pub(crate) fn may_register(agents: &Agents, id: AgentId) -> bool {
    agents.get(id).is_some_and(|agent| matches!(agent.state, AgentState::Removed | AgentState::Unreachable))
}

/// Arms the timer that starts an agent again after its process has ended.
pub(crate) fn restart_agent_later(cluster: &mut Cluster, cx: &Cx, id: AgentId) {
    let Some(machine) = cluster.agents.get(id).map(|agent| agent.machine) else { return };
    let at = cx.now().saturating_add(RESTART_MS);
    cluster.timers.arm(at, Class::OneShot, cx.cause(), Timer::Register(machine));
}

/// Starts an agent again, which registers with what its work directory keeps.
pub(crate) fn register_again(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId) {
    let Some(id) = records.cluster.agents.hosts.get(machine).and_then(|host| host.agent) else { return };
    if !may_register(&records.cluster.agents, id) || fleet.absence(machine).is_some() {
        return;
    }
    let shutdown_done = records.cluster.agents.get(id).map(|agent| agent.shutdown_done).unwrap_or_default();
    if cx.now() <= shutdown_done {
        // It still waits for its processes to end.
        let at = shutdown_done.saturating_add(RESTART_MS);
        records.cluster.timers.arm(at, Class::OneShot, cx.cause(), Timer::Register(machine));
        return;
    }
    let total = records.cluster.agents.get(id).map(|agent| agent.last_total.clone()).unwrap_or_default();
    registration::register(records, cx, fleet, machine, total);
}
