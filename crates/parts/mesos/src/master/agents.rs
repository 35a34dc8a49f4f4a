//! Machines and their agents.

use super::Master;
use crate::{
    agents::{holdings, registration, view},
    api::AgentId,
    maintenance::cluster::why,
};
use planarium_ground::{Cx, Fleet};
use planarium_protocol::{Refusal, Text, input::AddAgent, view::MachineView, why::MachineWhy};
use std::sync::Arc;

impl Master {
    /// The region of the master itself.
    pub fn region(&self) -> Option<&Text> {
        self.records.cluster.agents.region.as_ref()
    }

    /// Sets the flag `agent_removal_rate_limit`; for a master of an empty cluster. *Units*: milliseconds between two
    /// removals.
    pub fn set_agent_removal_interval(&mut self, interval_ms: Option<u64>) {
        self.records.cluster.agents.removal_limit.interval_ms = interval_ms;
    }

    /// Brings machines with an agent on each into the cluster.
    ///
    /// *Errors*: repeated names, invalid amounts or roles, more machines than a world allows.
    pub fn add_agent(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        add: &AddAgent,
    ) -> Result<Vec<AgentId>, Refusal> {
        let ids = registration::add_agent(&mut self.records, cx, fleet, add)?;
        self.run_requested(cx, fleet);
        Ok(ids)
    }

    /// Removes a machine for good, with all agents on it; given an agent's id, only that agent.
    ///
    /// *Errors*: no machine of this hostname, or agent of this id; several machines of this hostname, unless it is
    /// written `HOSTNAME@ADDRESS`.
    pub fn remove_agent(&mut self, cx: &mut Cx, fleet: &mut Fleet, which: &str) -> Result<(), Refusal> {
        registration::remove_agent(&mut self.records, cx, fleet, which)
    }

    /// Brings the ledger in line with what tasks, executors and reservations hold. *Cost*: by what runs on the agents that
    /// have changed.
    pub fn settle_holdings(&mut self, cx: &Cx, fleet: &mut Fleet) {
        holdings::settle_holdings(&self.records.tasks, &mut self.records.cluster, cx, fleet);
    }

    /// The id on the wire of the agent that was last on the machine of this hostname; none if several machines
    /// have it.
    pub fn agent_id_on(&self, hostname: &str) -> Option<Text> {
        self.records.cluster.agents.wire_id_on(hostname)
    }

    /// All machines in order of joining.
    pub fn machines(&self, fleet: &Fleet) -> Vec<Arc<MachineView>> {
        view::machines(&self.records, fleet)
    }

    /// Why a machine is in its state; by its host name (with `@ADDRESS` where several have it), or the id of its agent.
    /// None when there is no such machine and the schedule does not name one.
    pub fn why_machine(&self, fleet: &Fleet, which: &str) -> Option<MachineWhy> {
        why::why_machine(&self.records, fleet, which)
    }
}
