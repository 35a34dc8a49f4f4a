//! The machines of the cluster, by the fleet's number.
//!
//! *Knows*: that numbers are given in order and never reused. *Must not know*: the view of a machine.

use super::view_cache::ViewCache;
use crate::api::AgentId;
use planarium_ground::MachineId;
use planarium_kernel::{Table, Weight};
use std::sync::Arc;

/// Estimated bytes of a machine's view.
const BYTES: u64 = 256;

/// A machine as the master knows it: its agent, and the views of both.
#[derive(Clone, Debug, Default, Weight)]
#[weight(own BYTES)]
pub(crate) struct Host {
    /// The agent that registered last, or was last refused.
    pub(crate) agent: Option<AgentId>,
    /// Port of the agent's HTTP server.
    pub(crate) port: u16,
    /// Number of the last event that changed the view.
    pub(crate) revision: u64,
    pub(crate) view: ViewCache,
}

/// All machines. *Cost*: finding one O(1), and every change of anything on a machine finds it.
#[derive(Clone, Debug, Default, Weight)]
#[weight(rows)]
pub(crate) struct Hosts {
    rows: Table<Option<Arc<Host>>>,
}

impl Hosts {
    /// Returns the number of machines. *Cost*: walks all.
    pub(crate) fn len(&self) -> usize {
        self.rows.iter().flatten().count()
    }

    /// A machine.
    pub(crate) fn get(&self, id: MachineId) -> Option<&Host> {
        self.rows.get(id.index())?.as_deref()
    }

    /// A machine, to change.
    pub(crate) fn get_mut(&mut self, id: MachineId) -> Option<&mut Host> {
        self.rows.get_mut(id.index())?.as_mut().map(Arc::make_mut)
    }

    /// Adds a machine, or replaces the one of this number.
    pub(crate) fn insert(&mut self, id: MachineId, host: Host) {
        let host = Some(Arc::new(host));
        while self.rows.len() < id.index() {
            self.rows.push(None);
        }
        match self.rows.get_mut(id.index()) {
            Some(row) => *row = host,
            None => self.rows.push(host),
        }
    }

    /// Removes a machine.
    pub(crate) fn remove(&mut self, id: MachineId) {
        if let Some(row) = self.rows.get_mut(id.index()) {
            *row = None;
        }
    }

    /// All machines in order of joining.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (MachineId, &Host)> {
        let rows = self.rows.iter().enumerate();
        rows.filter_map(|(row, host)| Some((MachineId::at(row), host.as_deref()?)))
    }

    /// The agents that were last registered on them.
    pub(crate) fn agents(&self) -> impl Iterator<Item = AgentId> {
        self.iter().filter_map(|(_, host)| host.agent)
    }
}
