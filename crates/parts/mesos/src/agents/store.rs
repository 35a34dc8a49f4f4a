//! All agents that ever registered, and the machines that they are on.
//!
//! *Must not know*: tasks beyond their numbers, frameworks, offers.

use super::{Agent, AgentState, Hosts, RemovalLimit};
use crate::{api::AgentId, maintenance::Drains};
use planarium_ground::{Cx, MachineId};
use planarium_protocol::Text;
use std::sync::Arc;

/// All agents, by their number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agents {
    pub(crate) rows: Vec<Arc<Agent>>,
    pub(crate) hosts: Hosts,
    pub(crate) removal_limit: RemovalLimit,
    /// The region of the master itself: that of the first agent that has one.
    pub(crate) region: Option<Text>,
    /// Agents drained and deactivated by the operator.
    pub(crate) drains: Arc<Drains>,
}

impl Agents {
    /// An agent.
    pub(crate) fn get(&self, id: AgentId) -> Option<&Agent> {
        self.rows.get(id.index()).map(|agent| &**agent)
    }

    /// An agent, to change.
    pub(crate) fn get_mut(&mut self, id: AgentId) -> Option<&mut Agent> {
        self.rows.get_mut(id.index()).map(Arc::make_mut)
    }

    /// Returns the agent with this id on the wire, in any state.
    pub(crate) fn named(&self, name: &str) -> Option<AgentId> {
        let (_, row) = name.rsplit_once("-S")?;
        let row = row.parse().ok()?;
        self.get(AgentId(row)).filter(|agent| *agent.name == *name).map(|_| AgentId(row))
    }

    /// The agent that was last on a machine.
    pub(crate) fn on(&self, machine: MachineId) -> Option<AgentId> {
        self.hosts.get(machine).and_then(|host| host.agent)
    }

    /// The id on the wire of the agent that was last on the machine of this hostname; none if several machines
    /// have it.
    pub(crate) fn wire_id_on(&self, hostname: &str) -> Option<Text> {
        let mut agents =
            self.hosts.agents().filter_map(|id| self.get(id)).filter(|agent| &*agent.hostname == hostname);
        let first = agents.next()?;
        agents.all(|agent| agent.ip == first.ip).then(|| first.name.clone())
    }

    /// Returns an agent's id on the wire; empty if the agent does not exist.
    pub(crate) fn wire_id(&self, id: AgentId) -> Text {
        self.get(id).map(|agent| agent.name.clone()).unwrap_or_default()
    }

    /// Returns an agent's hostname; empty if the agent does not exist.
    pub(crate) fn hostname(&self, id: AgentId) -> Text {
        self.get(id).map(|agent| agent.hostname.clone()).unwrap_or_default()
    }

    /// Returns the state of an agent; `None` for one that the registry has forgotten.
    pub(crate) fn known_state(&self, id: AgentId) -> Option<AgentState> {
        self.get(id).filter(|agent| !agent.collected).map(|agent| agent.state)
    }

    /// Returns whether an agent may still come back after a failover and report its tasks.
    pub(crate) fn is_recovering(&self) -> bool {
        self.rows.iter().any(|agent| agent.state == AgentState::Recovered)
    }

    /// Marks the view of an agent's machine as changed.
    pub(crate) fn touch(&mut self, cx: &Cx, id: AgentId) {
        let Some(machine) = self.get(id).map(|agent| agent.machine) else { return };
        if let Some(host) = self.hosts.get_mut(machine)
            && host.agent == Some(id)
        {
            // Always increases: the view may change between two events.
            host.revision = (host.revision + 1).max(cx.next_seq() - 1);
            host.view.renew();
        }
    }
}
