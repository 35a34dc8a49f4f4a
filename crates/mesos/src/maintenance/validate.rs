//! Rules about schedules and lists of machines that need no state.
//!
//! *Order*: the first fault found decides; windows and machines are looked at in the order they were given.
//! Source: `apache/mesos: src/master/maintenance.cpp` (namespace validation). Match.

use super::{MachineId, MachineKey, Refused, Schedule, registry::MachineRow};
use planarium_kernel::Map;
use std::net::Ipv4Addr;

/// Machines by their keys, each with its place among those named. *Cost*: names come in any order, and there may be very
/// many, so a name more must not move all that come after it.
pub(super) type Named = Map<MachineKey, MachineRow>;

/// Checks a schedule on its own; answers which machines it names. Windows may overlap and contradict each
/// other, durations may be zero or missing, starts may be anything.
pub(super) fn schedule(schedule: &Schedule) -> Result<Named, Refused> {
    let mut seen = Named::new();
    for window in &schedule.windows {
        if window.machine_ids.is_empty() {
            return Err(Refused::EmptyWindow);
        }
        if window.unavailability.duration_ns.is_some_and(i64::is_negative) {
            return Err(Refused::NegativeDuration);
        }
        collect(&window.machine_ids, &mut seen)?;
    }
    Ok(seen)
}

/// Checks a list of machines on its own; answers which machines it names.
pub(super) fn list(machines: &[MachineId]) -> Result<Named, Refused> {
    if machines.is_empty() {
        return Err(Refused::EmptyList);
    }
    let mut seen = Named::new();
    collect(machines, &mut seen)?;
    Ok(seen)
}

fn collect(machines: &[MachineId], seen: &mut Named) -> Result<(), Refused> {
    for id in machines {
        if id.is_empty() {
            return Err(Refused::EmptyMachine);
        }
        if let Some(ip) = id.ip.as_ref().filter(|ip| !ip.is_empty())
            && ip.parse::<Ipv4Addr>().is_err()
        {
            return Err(Refused::BadIp(ip.clone()));
        }
        if !seen.insert_new(id.key(), MachineRow::at(seen.len())) {
            return Err(Refused::MachineTwice(id.clone()));
        }
    }
    Ok(())
}
