//! The records of maintenance: machines, their names in the schedule, inverse offers.
//!
//! *Must not know*: agents, offers, tasks.

use super::{
    InverseCandidates, InverseOffers, MachineId as MachineName, MachineKey, MachineRegistry, Mode, Schedule,
    everyone,
};
use crate::api::{AgentId, AgentInfo, Unavailability};
use planarium_ground::MachineId;
use planarium_kernel::{Cause, SortedMap};
use std::sync::Arc;

/// The records of maintenance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maintenance {
    /// Modes of machines, the operator's schedule, which agent is on which machine.
    pub(crate) machines: Arc<MachineRegistry>,
    /// Machines by the name that the schedule has for them.
    pub(crate) by_name: Arc<SortedMap<MachineKey, Vec<MachineId>>>,
    pub(crate) inverse: Arc<InverseOffers>,
    /// Agents that the next allocation run may have to send inverse offers for.
    pub(crate) candidates: InverseCandidates,
}

impl Maintenance {
    /// The operator's schedule; empty when nothing is scheduled.
    pub(crate) fn schedule(&self) -> Schedule {
        self.machines.get_schedule(everyone)
    }

    /// The machines that the schedule names.
    pub(crate) fn scheduled(&self) -> Vec<MachineKey> {
        let machines = self.machines.schedule().map(|schedule| schedule.machines().map(|(id, _)| id.key()));
        machines.into_iter().flatten().collect()
    }

    /// Returns whether a name matches a machine of the cluster.
    pub(crate) fn is_matched(&self, name: &MachineName) -> bool {
        self.by_name.get(&name.key()).is_some_and(|machines| !machines.is_empty())
    }

    /// Mode and unavailability of the machine that an agent is or was on.
    pub(crate) fn mode_of(&self, agent: &AgentInfo) -> (Mode, Option<Unavailability>) {
        let name = MachineName::of_agent(agent.hostname.clone(), agent.ip.clone());
        self.machines
            .machine(&name)
            .map_or((Mode::Up, None), |machine| (machine.info.mode, machine.info.unavailability))
    }

    /// Lets the next run check which frameworks to ask to leave an agent.
    pub(crate) fn want_inverse_offers(&mut self, agent: AgentId, cause: Cause) {
        if self.machines.unavailability(agent).is_some() {
            self.candidates.insert(agent, cause);
        }
    }
}
