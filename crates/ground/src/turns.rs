//! Transitions of processes, on their own or by a fault: counts strikes and ends used-up faults.

use crate::{
    Cx, Fleet,
    event::FleetEventKind,
    process::{Exit, Fate, ProcessState, Trigger},
    spec::ProcessId,
};
use planarium_kernel::Cause;
use planarium_protocol::input::FaultKind;

impl Fleet {
    /// Carries out a process's transition, under the current cause.
    pub(crate) fn fulfil(&mut self, cx: &mut Cx, pid: ProcessId, fate: Fate) {
        let by = match &fate {
            Fate::Exit(Exit { fault, .. }) => *fault,
            Fate::KilledBy(number, _) => Some(*number),
            Fate::Begin | Fate::Up | Fate::GraceOver => None,
        };
        if let Some(number) = by {
            let Some(process) = self.processes.get(&pid) else { return };
            let (target, task_id) = process.spec.named();
            self.struck(cx, number, target, task_id);
        }
        match fate {
            Fate::Begin => self.turn(cx, pid, Trigger::Begin, None),
            Fate::Up => {
                if !self.faults.is_empty() {
                    self.strike_slow_starts(cx, pid);
                }
                self.turn(cx, pid, Trigger::Up, None);
            }
            Fate::Exit(Exit { code, reason, message, .. }) => {
                let event = FleetEventKind::Exited { pid, code, reason, message };
                self.turn(cx, pid, Trigger::Exit, Some(event));
            }
            Fate::KilledBy(_, message) => {
                let during_launch = self.process_state(pid) == Some(ProcessState::Launching);
                let event = FleetEventKind::Killed { pid, unhealthy: false, during_launch, message };
                self.turn(cx, pid, Trigger::Exit, Some(event));
            }
            Fate::GraceOver => self.turn(cx, pid, Trigger::GraceOver, None),
        }
        self.settle_exhausted(cx);
    }

    fn strike_slow_starts(&mut self, cx: &mut Cx, pid: ProcessId) {
        let Some(process) = self.processes.get(&pid).cloned() else { return };
        let slow: Vec<u32> = self
            .faults
            .iter()
            .filter(|(_, f)| {
                f.kind() == FaultKind::SlowStart && f.hits(&process.spec.labels, process.luck, 0)
            })
            .map(|(number, _)| *number)
            .collect();
        for number in slow {
            let (target, task_id) = process.spec.named();
            cx.scoped(cx.cause(), |cx| self.struck(cx, number, target, task_id));
        }
    }

    /// Processes that a fault can end now, in order of launch.
    fn victims(&self, number: u32) -> Vec<ProcessId> {
        let Some(fault) = self.faults.get(&number) else { return Vec::new() };
        self.endable(&fault.spec.target)
    }

    /// Ends every process that the fault targets, limited by its count and its chance.
    pub(crate) fn strike_now(&mut self, cx: &mut Cx, number: u32) {
        for pid in self.victims(number) {
            let Some((fault, process)) = self.faults.get(&number).zip(self.processes.get(&pid)) else {
                break;
            };
            if fault.hits(&process.spec.labels, process.luck, 0)
                && let Some(fate) = fault.fate(number)
            {
                let cause = Cause::Event(fault.event);
                cx.scoped(cause, |cx| self.fulfil(cx, pid, fate));
            }
        }
    }
}
