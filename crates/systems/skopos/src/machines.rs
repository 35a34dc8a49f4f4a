//! Access of an application to the machines it shares with others.
//!
//! *Knows*: machines, processes, calls that fail because of a fault. *Must not know*: plans.

use planarium_ground::{Cx, FailedCall, Fleet, Labels, MachineId, ProcessId, ProcessSpec, Said, SaidChecks};

/// The machines, as an application is handed them.
pub(crate) trait MachineAccess {
    /// The machines and processes, to be asked.
    fn fleet(&self) -> &Fleet;

    /// Starts a process that takes this long to start when nothing slows it down. *Units*: milliseconds.
    fn launch(&mut self, cx: &mut Cx, spec: ProcessSpec, start_ms: u64) -> ProcessId;

    /// Says that a process has been running and ready all along.
    fn adopt(&mut self, cx: &mut Cx, process: ProcessId);

    /// Asks a process to end within this time. *Units*: milliseconds.
    fn kill(&mut self, cx: &mut Cx, process: ProcessId, grace_ms: u64);

    /// Takes a process away without a report.
    fn vanish(&mut self, process: ProcessId);

    /// Returns the fault that makes a call with these labels fail.
    fn fails_call(&mut self, cx: &mut Cx, labels: &Labels) -> Option<FailedCall>;
}

/// The machines, and where facts go.
pub(crate) struct Io<'a> {
    pub(crate) cx: &'a mut Cx,
    pub(crate) machines: &'a mut dyn MachineAccess,
}

/// Placements of a container.
pub(crate) enum Place {
    /// Without machines: containers exist without a place.
    Nowhere,
    /// The machines are all down.
    NoneUp,
    /// On this one.
    On(MachineId),
}

/// Returns the machine with the fewest instances among those that are up; among equal ones the one that joined first.
pub(crate) fn place(fleet: &Fleet, load: impl Fn(MachineId) -> u32) -> Place {
    let mut any = false;
    let mut best: Option<(u32, MachineId)> = None;
    for id in fleet.machine_ids() {
        any = true;
        let load = load(id);
        if fleet.absence(id).is_none() && best.is_none_or(|(least, _)| load < least) {
            best = Some((load, id));
        }
    }
    match best {
        Some((_, id)) => Place::On(id),
        None if any => Place::NoneUp,
        None => Place::Nowhere,
    }
}

/// Machines for this application only: for previews of plans and for tests.
#[derive(Clone, Debug)]
pub(crate) struct OwnMachines {
    /// The machines.
    pub(crate) fleet: Fleet,
}

impl MachineAccess for OwnMachines {
    fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    fn launch(&mut self, cx: &mut Cx, spec: ProcessSpec, start_ms: u64) -> ProcessId {
        self.fleet.launch_within(cx, spec, start_ms)
    }

    fn adopt(&mut self, cx: &mut Cx, process: ProcessId) {
        self.fleet.say(cx, process, Said::Running(SaidChecks::ready()));
    }

    fn kill(&mut self, cx: &mut Cx, process: ProcessId, grace_ms: u64) {
        self.fleet.kill(cx, process, grace_ms);
    }

    fn vanish(&mut self, process: ProcessId) {
        self.fleet.vanish(process);
    }

    fn fails_call(&mut self, cx: &mut Cx, labels: &Labels) -> Option<FailedCall> {
        self.fleet.fails_call(cx, labels)
    }
}
