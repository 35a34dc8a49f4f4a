//! Faults that strike immediately: `task-fail`, `task-kill`, `task-oom`, `scheduler-restart`, `master-failover`.

use crate::{
    Cx, Fleet,
    event::{ExitReason, FleetEventKind},
    process::{Exit, Fate, ProcessState, exit_text},
    spec::ProcessId,
};
use planarium_kernel::Cause;
use planarium_protocol::{
    EventBody, Text,
    input::{FaultKind, Target},
};
use std::sync::Arc;

impl super::FaultRecord {
    /// Returns how this fault ends a process; `None` for kinds that do not end processes.
    pub(crate) fn fate(&self, number: u32) -> Option<Fate> {
        let exit = |code, reason, message| Fate::Exit(Exit { code, reason, message, fault: Some(number) });
        match self.kind() {
            FaultKind::TaskFail | FaultKind::CrashLoop => {
                let code = self.exit_code();
                Some(exit(code, ExitReason::Exit, self.message_or(&exit_text(code))))
            }
            FaultKind::TaskOom => Some(exit(
                137,
                ExitReason::Oom,
                self.message_or("Memory limit exceeded: Requested more than allowed"),
            )),
            FaultKind::TaskKill => Some(Fate::KilledBy(number, self.message_or("Killed from outside"))),
            FaultKind::SlowStart
            | FaultKind::Hang
            | FaultKind::ReadinessFail
            | FaultKind::HealthFail
            | FaultKind::ImageMissing
            | FaultKind::PluginFail
            | FaultKind::AgentLost
            | FaultKind::AgentPartitioned
            | FaultKind::AgentRestart
            | FaultKind::AgentFull
            | FaultKind::OffersWithheld
            | FaultKind::StatusDropped
            | FaultKind::SchedulerRestart
            | FaultKind::MasterFailover => None,
        }
    }
}

impl Fleet {
    /// Targeted processes that were not asked to end yet, in order of launch.
    pub(crate) fn endable(&self, target: &Target) -> Vec<ProcessId> {
        self.processes
            .iter()
            .filter(|(_, p)| p.state != ProcessState::Killing && p.spec.labels.matches(target))
            .map(|(pid, _)| *pid)
            .collect()
    }

    /// Reports a restart to the owners of matching schedulers.
    pub(crate) fn restart_schedulers(&mut self, cx: &mut Cx, number: u32) {
        let Some(fault) = self.faults.get(&number) else { return };
        let target = Box::new(fault.spec.target.clone());
        cx.scoped(Cause::Event(fault.event), |cx| {
            self.report(cx, FleetEventKind::SchedulerRestart { target });
        });
    }

    /// Reports a strike of the fault and counts it. Later events have the strike as their cause.
    ///
    /// The fault ends after its last allowed strike.
    pub(crate) fn struck(&mut self, cx: &mut Cx, number: u32, target: Text, task_id: Text) {
        let Some(fault) = self.faults.get_mut(&number) else { return };
        let fault = Arc::make_mut(fault);
        fault.left = fault.left.map(|left| left.saturating_sub(1));
        let body = EventBody::FaultStruck { fault: fault.id.clone(), target, task_id };
        let seq = cx.emit_caused(body, Cause::Event(fault.event));
        cx.set_cause(Cause::Event(seq));
        if fault.left == Some(0) && !matches!(fault.kind(), FaultKind::Hang) && !fault.keeps_machines() {
            self.exhausted.push(number);
        }
    }

    /// Counts a check that the fault made fail; reports it once per process.
    pub(crate) fn count_failed_check(&mut self, cx: &mut Cx, pid: ProcessId, number: u32) {
        let Some(fault) = self.faults.get_mut(&number) else { return };
        let fault = Arc::make_mut(fault);
        let named = self.processes.get(&pid).map(|process| process.spec.named());
        let (target, task_id) = named.unwrap_or_default();
        if fault.marked.insert(pid) {
            self.struck(cx, number, target, task_id);
        } else {
            fault.left = fault.left.map(|left| left.saturating_sub(1));
            if fault.left == Some(0) {
                self.exhausted.push(number);
            }
        }
    }
}
