//! Agents that the next allocation run may have to send inverse offers for.

use crate::api::AgentId;
use planarium_kernel::{Cause, SortedMap, SortedSet};

/// Agents to check in the next run, with the cause.
#[derive(Clone, Debug, Default)]
pub(crate) struct InverseCandidates(SortedMap<AgentId, Cause>);

impl InverseCandidates {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an agent to check in the next run.
    pub(crate) fn insert(&mut self, agent: AgentId, cause: Cause) {
        self.0.insert(agent, cause);
    }

    pub(crate) fn forget(&mut self, agent: AgentId) {
        self.0.remove(&agent);
    }

    /// Takes the agents among `only` (all when none), in order of registration.
    pub(crate) fn take(&mut self, only: Option<&[AgentId]>) -> Vec<(AgentId, Cause)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        match only {
            None => std::mem::take(&mut self.0).into_iter().collect(),
            Some(only) => {
                let only: SortedSet<AgentId> = only.iter().copied().collect();
                only.into_iter().filter_map(|id| Some((id, self.0.remove(&id)?))).collect()
            }
        }
    }
}
