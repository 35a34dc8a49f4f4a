//! START_MAINTENANCE: machines go DOWN.
//!
//! Source: `apache/mesos: src/master/http.cpp` (startMaintenance). Match; the removal of agents is completed
//! within the call.

use super::{Effect, MachineId, MachineRegistry, Mode, Refused, registry::MachineRow, validate};

impl MachineRegistry {
    /// Takes machines down, all or none. Each must be DRAINING. Agents on them are shut down and removed.
    ///
    /// *Order* of effects: machines in the order of the list; for each, every agent is shut down and removed
    /// before the next, then the mode.
    pub fn machine_down(
        &mut self,
        machines: &[MachineId],
        permit: impl Fn(&MachineId) -> bool,
    ) -> Result<Vec<Effect>, Refused> {
        let rows = self.rows_in_mode(machines, Mode::Draining, Refused::NotDraining, permit)?;
        let mut effects = Vec::new();
        for row in rows {
            let Some(machine) = self.at(row) else { continue };
            let (unavailability, agents) = (machine.info.unavailability, machine.agents.clone());
            for agent in agents {
                self.detach(agent);
                effects.extend([Effect::ShutDown { agent }, Effect::Remove { agent }]);
            }
            self.change(row, Mode::Down, unavailability, &mut effects);
        }
        Ok(effects)
    }

    /// Validates a list of machines that all must be in one mode, machine by machine.
    pub(super) fn rows_in_mode(
        &self,
        machines: &[MachineId],
        mode: Mode,
        otherwise: fn(MachineId) -> Refused,
        permit: impl Fn(&MachineId) -> bool,
    ) -> Result<Vec<MachineRow>, Refused> {
        validate::list(machines)?;
        let mut rows = Vec::with_capacity(machines.len());
        for id in machines {
            let known = self.row(&id.key()).and_then(|row| Some((row, self.at(row)?)));
            let Some((row, machine)) = known else { return Err(Refused::NotScheduled(id.clone())) };
            if machine.info.mode != mode {
                return Err(otherwise(id.clone()));
            }
            if !permit(id) {
                return Err(Refused::Forbidden);
            }
            rows.push(row);
        }
        Ok(rows)
    }
}
