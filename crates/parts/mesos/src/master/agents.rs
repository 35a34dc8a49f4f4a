//! Machines and their agents.

use super::Master;
use crate::{
    agents::{holdings, registration, view},
    maintenance::cluster::why,
    records::Records,
};
use planarium_ground::{Cx, Fleet, MachineId};
use planarium_kernel::SimTime;
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

    /// Refuses amounts or roles that no agent could register with.
    pub(crate) fn admits(add: &AddAgent) -> Result<(), Refusal> {
        registration::admits(add)
    }

    /// Returns whether a fresh agent may be started on a machine.
    ///
    /// *Errors*: the agent is gone, but its machine is away or DOWN.
    pub(crate) fn takes_again(&self, fleet: &Fleet, machine: MachineId) -> Result<bool, Refusal> {
        let Records { cluster, maintenance, .. } = &self.records;
        registration::takes_again(&cluster.agents, maintenance, fleet, machine)
    }

    /// A machine has joined, or a fresh agent is started on it: the agent registers.
    pub(crate) fn machine_joined(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        machine: MachineId,
        add: &AddAgent,
    ) {
        registration::machine_joined(&mut self.records, cx, fleet, machine, add);
    }

    /// Removes all agents of a machine that is about to be removed.
    pub(crate) fn machine_leaves(&mut self, cx: &mut Cx, fleet: &mut Fleet, machine: MachineId) {
        registration::machine_leaves(&mut self.records, cx, fleet, machine);
    }

    /// Begins its periodic work at an instant after genesis.
    pub(crate) fn begin_batches_at(&mut self, now: SimTime) {
        let timers = &mut self.records.cluster.timers;
        if let Some((batch, _)) = timers.batch.take() {
            timers.disarm(Some(batch));
        }
        timers.arm_batch(now);
    }

    /// Hostnames of the machines in the maintenance schedule.
    pub(crate) fn scheduled_hosts(&self, fleet: &Fleet) -> Vec<Text> {
        let planned = self.machines(fleet).into_iter().filter(|machine| machine.unavailability.is_some());
        planned.map(|machine| machine.hostname.clone()).collect()
    }

    /// Returns whether the ledger has the allocations of tasks, executors and reservations, or no other part reads
    /// it.
    pub(crate) fn is_settled(&self, fleet: &Fleet) -> bool {
        !self.records.cluster.allocator.has_unwritten() || !fleet.ledger().is_heard_besides(crate::OWNER)
    }

    /// Brings the ledger in line with what tasks, executors and reservations hold. *Cost*: by what runs on the agents that
    /// have changed.
    pub fn settle_holdings(&mut self, cx: &mut Cx, fleet: &mut Fleet) {
        let records = &mut self.records;
        holdings::settle_holdings(&records.tasks, &mut records.offers, &mut records.cluster, cx, fleet);
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

    /// Explains a machine's state; `which` is its host name (with `@ADDRESS` if several have it), or its agent's id.
    /// `None` if no machine and no entry of the schedule has that name.
    pub fn why_machine(&self, fleet: &Fleet, which: &str) -> Option<MachineWhy> {
        why::why_machine(&self.records, fleet, which)
    }
}
