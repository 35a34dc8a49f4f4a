//! UPDATE_MAINTENANCE_SCHEDULE.
//!
//! Source: `apache/mesos: src/master/http.cpp` (updateMaintenanceSchedule), `src/master/master.cpp`
//! (updateUnavailability), `src/master/maintenance.cpp`. Match.

use super::{
    Effect, MachineId, MachineKey, MachineRegistry, Mode, Refused, Schedule, Unavailability, quirk,
    registry::MachineRow, validate,
};
use planarium_kernel::SortedMap;
use std::sync::Arc;

impl MachineRegistry {
    /// Replaces the schedule. Machines it names begin to drain, machines it leaves out are UP again, DOWN
    /// machines stay DOWN and must be named.
    ///
    /// *Order* of effects: machines known before, except those that only now begin to drain, in order of
    /// appearance; then those that begin to drain, in order of the schedule. Each machine is refreshed once.
    pub fn post_schedule(
        &mut self,
        schedule: Schedule,
        permit: impl Fn(&MachineId) -> bool,
    ) -> Result<Vec<Effect>, Refused> {
        let keys = validate::schedule(&schedule)?;
        let dropped = self
            .machines()
            .find(|machine| machine.info.mode == Mode::Down && !keys.contains_key(&machine.info.id.key()));
        if let Some(machine) = dropped {
            return Err(Refused::DownMachineDropped(machine.info.id.clone()));
        }
        if !schedule.machines().all(|(id, _)| permit(id)) {
            return Err(Refused::Forbidden);
        }
        let named: SortedMap<MachineKey, Unavailability> =
            schedule.machines().map(|(id, unavailability)| (id.key(), unavailability)).collect();
        let mut effects = Vec::new();
        for row in self.all_rows() {
            self.update_known(row, &named, &mut effects);
        }
        for (id, unavailability) in schedule.machines() {
            let row = self.row_or_new(id);
            if self.at(row).is_some_and(|machine| machine.info.mode == Mode::Up) {
                self.change(row, Mode::Draining, Some(unavailability), &mut effects);
                self.refresh(row, &mut effects);
            }
        }
        self.schedule = Some(Arc::new(schedule));
        Ok(effects)
    }

    /// A machine known before, unless it goes from UP to DRAINING now.
    fn update_known(
        &mut self,
        row: MachineRow,
        named: &SortedMap<MachineKey, Unavailability>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(machine) = self.at(row) else { return };
        let (mode, unavailability) = (machine.info.mode, named.get(&machine.info.id.key()).copied());
        match (mode, unavailability) {
            (Mode::Up, Some(_)) => return,
            (Mode::Up, None) if !quirk::POST_REFRESHES_EVERY_KNOWN_MACHINE => return,
            (Mode::Up | Mode::Draining | Mode::Down, None) => self.change(row, Mode::Up, None, effects),
            (Mode::Draining | Mode::Down, Some(_)) => self.change(row, mode, unavailability, effects),
        }
        self.refresh(row, effects);
    }

    /// Sets mode and unavailability; reports a change of mode.
    pub(super) fn change(
        &mut self,
        row: MachineRow,
        to: Mode,
        unavailability: Option<Unavailability>,
        effects: &mut Vec<Effect>,
    ) {
        // Rows are shared with copies of the registry; an unchanged row stays shared.
        if self.at(row).is_some_and(|m| m.info.mode == to && m.info.unavailability == unavailability) {
            return;
        }
        let Some(machine) = self.at_mut(row) else { return };
        let from = std::mem::replace(&mut machine.info.mode, to);
        machine.info.unavailability = unavailability;
        if from != to {
            effects.push(Effect::Mode { machine: machine.info.id.clone(), from, to });
        }
    }

    fn refresh(&self, row: MachineRow, effects: &mut Vec<Effect>) {
        let Some(machine) = self.at(row) else { return };
        let unavailability = machine.info.unavailability;
        effects.extend(machine.agents.iter().map(|&agent| Effect::Refresh { agent, unavailability }));
    }
}
