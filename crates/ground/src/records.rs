//! Records of machines and processes, and reports about them.
//!
//! *Must not know*: what comes next for a process. Everything else in the fleet builds on this.

use crate::{
    Cx, Fleet,
    event::{Absence, FleetEvent, FleetEventKind},
    ledger::PROCESS,
    machine::Machine,
    process::{Process, ProcessState},
    spec::{MachineId, MachineSpec, Owner, ProcessId, ProcessSpec},
};
use planarium_kernel::Cause;
use planarium_protocol::Text;
use std::sync::Arc;

impl Fleet {
    pub(crate) fn touch(&mut self, cx: &Cx) {
        // Always increases: views may change between two events.
        self.touched = (self.touched + 1).max(cx.next_seq() - 1);
        self.stamp = Arc::default();
    }

    /// Returns a machine as it joined; `None` if it was removed.
    pub fn machine(&self, id: MachineId) -> Option<&Arc<MachineSpec>> {
        self.machine_ref(id).map(|machine| &machine.spec)
    }

    /// The number of processes that have not ended.
    pub fn process_count(&self) -> usize {
        self.processes.len()
    }

    /// Machines that are not removed, in order of joining.
    pub fn machine_ids(&self) -> impl Iterator<Item = MachineId> {
        self.machines.iter().enumerate().filter(|(_, m)| !m.removed).map(|(row, _)| MachineId::at(row))
    }

    /// The machine of this hostname.
    pub fn find_machine(&self, hostname: &str) -> Option<MachineId> {
        self.machine_ids().find(|id| self.machine_ref(*id).is_some_and(|m| &**m.hostname() == hostname))
    }

    /// Returns how a machine is away, if it is.
    pub fn absence(&self, id: MachineId) -> Option<Absence> {
        self.machine_ref(id).and_then(|machine| machine.worst)
    }

    /// Removes a process without a report.
    pub fn vanish(&mut self, pid: ProcessId) {
        let Some(process) = self.processes.remove(&pid) else { return };
        let own = [process.life, process.readiness.timer, process.health.timer];
        let outside = process.watches.iter().map(|watching| watching.probe.timer);
        for timer in own.into_iter().chain(outside).flatten() {
            self.timers.cancel(timer);
        }
        if let Some(machine) = self.machines.get_mut(process.spec.machine.index()) {
            Arc::make_mut(machine).processes.remove(&pid);
        }
        self.release_process(process.cause, pid, &process.spec);
    }

    /// Reports about a machine, or about everything.
    pub(crate) fn report(&mut self, cx: &Cx, kind: FleetEventKind) {
        self.out.push_back(FleetEvent { cause: cx.cause(), owner: None, kind });
    }

    /// Reports that an operator plans to take a hostname's machines away, or has cancelled the plan.
    pub fn report_plan(&mut self, cx: &Cx, hostname: &Text, planned: bool) {
        self.report(cx, FleetEventKind::AbsencePlanned { hostname: hostname.clone(), planned });
    }

    /// Reports about a process to its owner.
    pub(crate) fn report_to(&mut self, cx: &Cx, owner: Owner, kind: FleetEventKind) {
        self.out.push_back(FleetEvent { cause: cx.cause(), owner: Some(owner), kind });
    }

    /// Returns the owner of a running process.
    pub fn owner(&self, pid: ProcessId) -> Option<Owner> {
        self.processes.get(&pid).map(|process| process.spec.owner)
    }

    pub(crate) fn process_mut(&mut self, pid: ProcessId) -> Option<&mut Process> {
        self.processes.get_mut(&pid).map(Arc::make_mut)
    }

    /// Returns the state of a process; `None` if it has ended.
    pub fn process_state(&self, pid: ProcessId) -> Option<ProcessState> {
        self.processes.get(&pid).map(|process| process.state)
    }

    pub(crate) fn machine_ref(&self, id: MachineId) -> Option<&Machine> {
        self.machines.get(id.index()).map(|machine| &**machine).filter(|machine| !machine.removed)
    }

    /// Releases the allocation of an ended process.
    pub(crate) fn release_process(&mut self, cause: Cause, pid: ProcessId, spec: &ProcessSpec) {
        if self.ledger.set(spec.machine, spec.owner, PROCESS + u64::from(pid.0), None) {
            let kind = FleetEventKind::HoldingsChanged { machine: spec.machine, by: spec.owner };
            self.out.push_back(FleetEvent { cause, owner: None, kind });
        }
    }

    /// Notes a possible change of a process's displayed state.
    pub(crate) fn note_moved(&mut self, pid: ProcessId) {
        if let Some(process) = self.processes.get(&pid) {
            self.ledger.note_moved(process.spec.machine, process.spec.owner, pid);
        }
    }
}
