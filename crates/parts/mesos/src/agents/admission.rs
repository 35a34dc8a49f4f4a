//! An agent is let in on its machine, turned away, or leaves its machine.
//!
//! Source: `apache/mesos: src/master/master.cpp` (registerSlave, reregisterSlave), `src/slave/slave.cpp` (shutdown).
//! Match.

use crate::{
    agents::{AgentState, Agents, Removal, admission, removal_limit},
    api::AgentId,
    cluster::Cluster,
    maintenance::{MachineId as MachineName, MachineIsDown, Maintenance},
    offers::{Operations, operations},
    records::Records,
    tasks::{shutdown, untracked},
};
use planarium_ground::{Cx, Fleet};
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// Records that an agent is on its machine. *Errors*: the machine is DOWN.
pub(crate) fn attach(
    maintenance: &mut Maintenance,
    agents: &mut Agents,
    id: AgentId,
) -> Result<(), MachineIsDown> {
    let Some(agent) = agents.get(id) else { return Ok(()) };
    let name = MachineName::of_agent(agent.hostname.clone(), agent.ip.clone());
    Arc::make_mut(&mut maintenance.machines).attach(&name, id).map(|_| ())
}

/// Takes an agent off its machine. Of its flags, draining outlives unreachability.
pub(crate) fn detach(maintenance: &mut Maintenance, agents: &mut Agents, id: AgentId, how: Removal) {
    if maintenance.machines.machine_of(id).is_some() {
        Arc::make_mut(&mut maintenance.machines).detach(id);
    }
    if how != Removal::Unreachable && agents.drains.is_deactivated(id) {
        Arc::make_mut(&mut agents.drains).forget(id);
    }
    maintenance.candidates.forget(id);
}

/// Turns away an agent whose machine is DOWN: it is told to shut down, which ends what it still runs.
pub(crate) fn refuse_registration(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    admission::remove_recovered(&mut records.operations, &mut records.cluster, id);
    let hostname = records.cluster.agents.hostname(id);
    let text = format!("{hostname} may not register: its machine is DOWN");
    cx.following(agent_event("turned-away", hostname, text), |cx| {
        untracked::end_untracked(&mut records.tasks, &mut records.cluster, cx, fleet, id);
        let tasks = records.cluster.agents.get(id).map(|agent| agent.tasks.clone()).unwrap_or_default();
        for no in tasks {
            let process = records.tasks.get_mut(no).and_then(|task| task.process.take());
            shutdown::shut_down_process(&mut records.tasks, &mut records.cluster, cx, fleet, id, process);
        }
        records.cluster.agents.touch(cx, id);
    });
}

/// Removes a recovered agent that will not come back.
pub(crate) fn remove_recovered(operations: &mut Operations, cluster: &mut Cluster, id: AgentId) {
    removal_limit::cancel_permit(cluster, id);
    let recovered = |agent: &&mut crate::agents::Agent| agent.state == AgentState::Recovered;
    if let Some(agent) = cluster.agents.get_mut(id).filter(recovered) {
        agent.state = AgentState::Removed;
        let timer = agent.ping_timer.take();
        cluster.timers.disarm(timer);
        operations::forget_operations_on(operations, cluster, id);
    }
}

/// The event of maintenance about one agent.
pub(crate) fn agent_event(what: &str, hostname: Text, text: String) -> EventBody {
    EventBody::Maintenance {
        what: what.into(),
        machine: Text::default(),
        agents: vec![hostname],
        text: text.into(),
    }
}
