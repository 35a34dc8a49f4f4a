//! Validation of schedules and lists of machines that needs no state.
//!
//! *Order*: the first fault found decides; windows and machines are checked in the order given.
//! Source: `apache/mesos: src/master/maintenance.cpp` (namespace validation). Match.

use super::{MachineId, MachineKey, Refused, Schedule, registry::MachineRow};
use planarium_kernel::Map;
use std::net::Ipv4Addr;

/// Machines by key, each with its position among those named. *Cost*: a map, since there may be very many names in any
/// order: inserting one must not move all those after it.
pub(super) type Named = Map<MachineKey, MachineRow>;

/// Checks a schedule without state; returns the machines it names. Windows may overlap and contradict each other,
/// durations may be zero or missing, starts may be anything.
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

/// Checks a list of machines without state; returns the machines it names.
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
