//! Read access to the fleet: active faults, facts about a process.

use crate::{
    Fleet,
    event::CheckKind,
    labels::Labels,
    process::ProcessState,
    spec::{MachineId, ProcessId},
};
use planarium_kernel::SimTime;
use planarium_protocol::{
    Input, Text,
    input::{ClearFault, FaultKind, Target},
    view::{ActionView, FaultView},
};

/// Facts about one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Its state.
    pub state: ProcessState,
    /// Instant at which it began to run, or was launched.
    pub since: SimTime,
    /// Waits for manual control.
    pub manual: bool,
    /// Makes no progress.
    pub hung: bool,
    /// Number of readiness checks so far.
    pub readiness_attempts: u32,
    /// Exit code of the last readiness check; [`crate::TIMEOUT_EXIT_CODE`] on a timeout.
    pub readiness_last: Option<i32>,
    /// When the next readiness check is due.
    pub readiness_next: Option<SimTime>,
    /// Health, once known.
    pub healthy: Option<bool>,
    /// When its next change is due.
    pub next: Option<SimTime>,
    /// CPU usage in percent of its request, if a rule sets it.
    pub cpu_percent: Option<u32>,
    /// The same of memory.
    pub memory_percent: Option<u32>,
}

impl Fleet {
    /// Returns facts about a process; `None` if it has ended.
    pub fn process(&self, pid: ProcessId) -> Option<ProcessFacts> {
        let process = self.processes.get(&pid)?;
        let readiness = process.probe(CheckKind::Readiness);
        Some(ProcessFacts {
            state: process.state,
            since: process.running_since,
            manual: process.is_manual(),
            hung: process.hung,
            readiness_attempts: readiness.attempts,
            readiness_last: readiness.last.map(|seen| seen.0.unwrap_or(crate::TIMEOUT_EXIT_CODE)),
            readiness_next: readiness.timer.and(readiness.next),
            healthy: process.healthy,
            next: self.fate_due(pid),
            cpu_percent: process.behaviour.cpu_percent,
            memory_percent: process.behaviour.memory_percent,
        })
    }

    /// Processes that have not ended, in order of launch.
    pub fn process_ids(&self) -> impl Iterator<Item = ProcessId> {
        self.processes.keys().copied()
    }

    /// Returns the labels of a process; `None` if it has ended.
    pub fn labels(&self, pid: ProcessId) -> Option<&Labels> {
        self.processes.get(&pid).map(|process| &process.spec.labels)
    }

    /// Faults in force, oldest first.
    pub fn faults(&self) -> Vec<FaultView> {
        let view = |fault: &crate::fault::FaultRecord| FaultView {
            id: fault.id.clone(),
            text: fault.text(),
            since_ms: fault.since.ms(),
            until_ms: fault.until.map(SimTime::ms),
            actions: vec![ActionView::new(
                "End it",
                Input::ClearFault(ClearFault { id: fault.id.to_string() }),
            )],
        };
        self.faults.values().map(|fault| view(fault)).collect()
    }

    /// Ids of the faults that keep a machine away.
    pub fn keeping_away(&self, id: MachineId) -> Vec<Text> {
        let away = self.machine_ref(id).map(|machine| machine.away.as_slice()).unwrap_or_default();
        away.iter().filter_map(|(number, _)| self.faults.get(number)).map(|fault| fault.id.clone()).collect()
    }

    /// Ids of the active faults of a kind that target a service, oldest first.
    pub fn faults_on_service(&self, kind: FaultKind, service: &Text) -> Vec<Text> {
        let labels = Labels::new([("service", service.clone())]);
        let meant = |target: &Target| labels.matches(&Target { agent: None, ..target.clone() });
        let all = self.faults.values().filter(|fault| fault.kind() == kind && meant(&fault.spec.target));
        all.map(|fault| fault.id.clone()).collect()
    }

    /// Ids and kinds of the active faults that target a process, oldest first.
    pub fn faults_on(&self, pid: ProcessId) -> Vec<(Text, &'static str)> {
        let Some(labels) = self.labels(pid) else { return Vec::new() };
        let meant = self.faults.values().filter(|fault| labels.matches(&fault.spec.target));
        meant.map(|fault| (fault.id.clone(), fault.kind().as_str())).collect()
    }
}
