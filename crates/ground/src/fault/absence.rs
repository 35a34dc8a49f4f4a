//! Faults of whole machines: `agent-lost`, `agent-partitioned`, `agent-restart`.

use crate::{
    Cx, Fleet,
    event::{Absence, FleetEventKind},
    spec::MachineId,
};
use planarium_kernel::{Cause, draw};
use planarium_protocol::{
    EventBody, Text,
    input::{FaultKind, Target},
};
use std::sync::Arc;

impl super::FaultRecord {
    /// Returns how the fault takes machines away, if it does.
    pub(crate) fn absence(&self) -> Option<Absence> {
        match self.kind() {
            FaultKind::AgentLost => Some(Absence::Lost),
            FaultKind::AgentPartitioned => Some(Absence::Partitioned),
            FaultKind::AgentRestart => Some(Absence::AgentRestart),
            _ => None,
        }
    }

    pub(crate) fn keeps_machines(&self) -> bool {
        self.absence().is_some()
    }
}

/// Returns the severity of an absence; the most severe one decides the state in which the machine returns.
const fn severity(how: Absence) -> u8 {
    match how {
        Absence::Partitioned => 0,
        Absence::AgentRestart => 1,
        Absence::Lost => 2,
    }
}

impl Fleet {
    /// Machines of a target: by hostname or agent id, and by what runs on them.
    pub(crate) fn targeted_machines(&self, target: &Target) -> Vec<MachineId> {
        let by_process = target.service.is_some()
            || target.pod.is_some()
            || target.task.is_some()
            || target.step.is_some();
        let hosts = |id: MachineId| {
            self.machine_ref(id).is_some_and(|machine| {
                if by_process {
                    let on_it = machine.processes.iter().filter_map(|pid| self.processes.get(pid));
                    on_it.into_iter().any(|process| process.spec.labels.matches(target))
                } else {
                    machine.labels.matches(target)
                }
            })
        };
        self.machine_ids().filter(|id| hosts(*id)).collect()
    }

    /// Takes the machines away.
    pub(crate) fn take_machines(&mut self, cx: &mut Cx, number: u32) {
        let Some(fault) = self.faults.get(&number).cloned() else { return };
        let Some(how) = fault.absence() else { return };
        let machines = self.targeted_machines(&fault.spec.target);
        let most = fault.left.map_or(usize::MAX, |left| left as usize);
        let seed = self.seed;
        let lucky = |machine: &MachineId| {
            let name = self.machine_ref(*machine).map_or(0, |m| draw::entity(m.hostname()));
            draw::chance(seed, name, 0x0F08, fault.entity, fault.per_mille())
        };
        let chosen: Vec<MachineId> = machines.into_iter().filter(lucky).take(most).collect();
        for machine in chosen {
            let name = self.machine_ref(machine).map(|m| m.hostname().clone()).unwrap_or_default();
            cx.scoped(Cause::Event(fault.event), |cx| {
                self.struck(cx, number, name, Text::default());
                self.take_machine(cx, machine, number, how);
            });
        }
    }

    fn take_machine(&mut self, cx: &mut Cx, id: MachineId, number: u32, how: Absence) {
        let Some(machine) = self.machines.get_mut(id.index()).map(Arc::make_mut) else { return };
        machine.away.push((number, how));
        if machine.worst.is_some_and(|worst| severity(worst) >= severity(how)) {
            return;
        }
        machine.worst = Some(how);
        let agent = machine.hostname().clone();
        if how == Absence::Lost {
            for pid in machine.processes.clone() {
                self.vanish(pid);
            }
        }
        let body = EventBody::MachineLost { agent, how: how.as_str().into() };
        self.refresh_watches(cx, id);
        cx.following(body, |cx| self.report(cx, FleetEventKind::MachineLost { machine: id, how }));
    }

    /// Brings back the machines that only this fault kept away.
    pub(crate) fn return_machines(&mut self, cx: &mut Cx, number: u32) {
        for id in self.machine_ids().collect::<Vec<_>>() {
            let Some(machine) = self.machines.get_mut(id.index()) else { continue };
            if !machine.away.iter().any(|(fault, _)| *fault == number) {
                continue;
            }
            let machine = Arc::make_mut(machine);
            machine.away.retain(|(fault, _)| *fault != number);
            if !machine.away.is_empty() || machine.removed {
                continue;
            }
            let Some(how) = machine.worst.take() else { continue };
            let body = EventBody::MachineReturned { agent: machine.hostname().clone() };
            self.refresh_watches(cx, id);
            cx.following(body, |cx| self.report(cx, FleetEventKind::MachineReturned { machine: id, how }));
        }
    }
}
