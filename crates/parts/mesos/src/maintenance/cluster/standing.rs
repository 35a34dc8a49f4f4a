//! The master's knowledge of an agent that an operator names.

use crate::{
    agents::{AgentState, Agents},
    api::AgentId,
    maintenance::{Maintenance, Standing},
};

/// The standing of an agent, which decides what may be asked of it.
pub(crate) fn standing(maintenance: &Maintenance, agents: &Agents, id: AgentId) -> Standing {
    match agents.known_state(id) {
        Some(AgentState::Registered) => Standing::Registered {
            connected: agents.get(id).is_some_and(|agent| agent.connected),
            can_drain: true,
            scheduled: maintenance.machines.is_scheduled(id),
        },
        Some(AgentState::Recovered) => Standing::Recovered,
        Some(AgentState::Unreachable) => Standing::Unreachable,
        Some(AgentState::Gone) => Standing::Gone,
        Some(AgentState::Removed) | None => Standing::Unknown,
    }
}
