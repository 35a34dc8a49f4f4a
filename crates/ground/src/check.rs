//! Invariants of the fleet.

use crate::{
    Fleet,
    life::fate,
    process::ProcessState,
    spec::{MachineId, ProcessId},
};
use planarium_kernel::SimTime;

impl Fleet {
    /// Returns when the next transition of a process is due.
    pub(crate) fn fate_due(&self, pid: ProcessId) -> Option<SimTime> {
        self.processes.get(&pid).and_then(|process| fate(&self.faults, process)).map(|(at, _)| at)
    }

    /// Lists broken invariants in words. *Cost*: walks everything; for debug builds and property tests.
    pub fn check(&self) -> Vec<String> {
        let mut broken = Vec::new();
        for (pid, process) in self.processes.iter() {
            let name = &process.spec.name;
            let machine = self.machine_ref(process.spec.machine);
            if !machine.is_some_and(|machine| machine.processes.contains(pid)) {
                broken.push(format!("process {name} is not listed on its machine"));
            }
            if machine.is_some_and(|machine| machine.worst == Some(crate::Absence::Lost)) {
                broken.push(format!("process {name} lives on a lost machine"));
            }
            let armed = process.life.is_some_and(|timer| self.timers.is_armed(timer));
            if armed != fate(&self.faults, process).is_some() {
                broken.push(format!("process {name}: armed turn {armed}, recomputed {}", !armed));
            }
            if (process.state == ProcessState::Killing) != process.kill.is_some() && !process.is_manual() {
                broken
                    .push(format!("process {name} is being ended without having been asked, or the reverse"));
            }
        }
        for (row, machine) in self.machines.iter().enumerate() {
            let id = MachineId::at(row);
            if !machine.removed {
                self.ledger.check(id, machine.hostname(), &mut broken);
            }
            if machine.away.is_empty() != machine.worst.is_none() {
                broken.push(format!("machine {}: away and not away", machine.hostname()));
            }
            let strangers = |pid: &&ProcessId| self.processes.get(pid).is_none_or(|p| p.spec.machine != id);
            if machine.processes.iter().any(|pid| strangers(&pid)) {
                broken.push(format!("machine {} lists a process that is not its own", machine.hostname()));
            }
        }
        if !self.exhausted.is_empty() {
            broken.push("an exhausted fault is still in force".to_owned());
        }
        broken
    }
}
