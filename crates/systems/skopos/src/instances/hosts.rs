//! Names of machines that instances are or were on.
//!
//! *Knows*: names that the fleet gives or gave. *Must not know*: instances.

use planarium_ground::{Fleet, MachineId};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;

/// Names of machines, including those that are gone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts(SortedMap<MachineId, Text>);

impl Hosts {
    /// The name of a machine that an instance is on.
    pub(crate) fn get(&self, machine: MachineId) -> Option<Text> {
        self.0.get(&machine).cloned()
    }

    /// The name of any machine.
    pub(crate) fn name(&self, fleet: &Fleet, machine: MachineId) -> Text {
        let known = fleet.machine(machine).map(|machine| machine.hostname.clone());
        let known = known.or_else(|| self.get(machine));
        known.unwrap_or_else(|| format!("machine {}", machine.0).into())
    }

    /// Remembers the name of a machine.
    pub(crate) fn remember(&mut self, fleet: &Fleet, machine: MachineId) {
        let host = self.name(fleet, machine);
        self.0.insert(machine, host);
    }
}
