//! STOP_MAINTENANCE: machines come UP.
//!
//! Source: `apache/mesos: src/master/http.cpp` (stopMaintenance), `src/master/maintenance.cpp`
//! (StopMaintenance). Match.

use super::{Effect, MachineId, MachineRegistry, Mode, Refused, validate};
use std::sync::Arc;

impl MachineRegistry {
    /// Brings machines up, all or none. Each must be DOWN. Removes them from the schedule, then windows without
    /// machines, then an empty schedule. Frameworks are not notified.
    pub fn machine_up(
        &mut self,
        machines: &[MachineId],
        permit: impl Fn(&MachineId) -> bool,
    ) -> Result<Vec<Effect>, Refused> {
        let rows = self.rows_in_mode(machines, Mode::Down, Refused::NotDown, permit)?;
        let gone = validate::list(machines)?;
        let mut effects = Vec::new();
        for row in rows {
            self.change(row, Mode::Up, None, &mut effects);
        }
        let left = self.schedule.take().map(|schedule| schedule.keeping(|id| !gone.contains_key(&id.key())));
        self.schedule = left.filter(|schedule| !schedule.windows.is_empty()).map(Arc::new);
        Ok(effects)
    }
}
