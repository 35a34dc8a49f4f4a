//! Machines, the processes on them, their checks, and their failures.
//!
//! *Knows*: machines, processes, probes, latencies, faults.
//! *Must not know*: offers, pods, plans, or any real system's words. The parts that run on a machine divide its resources;
//! the [`ledger`] records the allocations.
//!
//! Everything that happens is put into an outbox of [`FleetEvent`]s; the driver of the fleet delivers them.

mod behaviour;
mod call;
mod check;
mod convention;
pub mod event;
mod fault;
pub mod first_fit;
mod holdings;
mod inject;
mod join;
pub mod labels;
mod latency;
pub mod ledger;
mod life;
mod machine;
mod machine_view;
mod probe;
mod process;
mod process_view;
mod records;
mod shell;
pub mod spec;
mod turns;
mod view;
mod watch;

pub use call::FailedCall;
pub use event::{Absence, CheckKind, ExitReason, FleetEvent, FleetEventKind};
pub use first_fit::{FirstFit, Shape};
pub use holdings::{HolderWords, HoldingId};
pub use join::{Place, there_already};
pub use labels::{Labels, glob};
pub use ledger::{Amounts, Holder, Holding, Ledger, Ports, Scalar, Sharing};
pub use probe::{MIN_INTERVAL_MS, TIMEOUT_EXIT_CODE};
pub use process::{ProcessState, Watch};
pub use process_view::{strike, strikes};
pub use shell::{PlainEnd, plain_end, quoted};
pub use spec::{CheckSpec, HealthSpec, MachineId, MachineSpec, Owner, ProcessId, ProcessSpec, Program};
pub use view::ProcessFacts;

use behaviour::Rules;
use fault::Faults;
use latency::Luck;
use machine::Machine;
use planarium_kernel::{
    Cause, Digestible, EventQueue, IdMap, Map, Recorder, SimTime, SortedMap, Weight, cow::bytes_of, draw,
    id::Counter,
};
use planarium_protocol::{EventBody, Text, input::ProcessBehaviour};
use process::{Fate, Process};
use std::{collections::VecDeque, sync::Arc};

/// The recorder through which every part of the engine reports facts.
pub type Cx = Recorder<EventBody>;

/// Meanings of timers.
#[derive(Clone, Debug)]
pub(crate) enum Timer {
    /// The next turn of a process.
    Life(ProcessId, Fate),
    /// A check begins or times out.
    Probe(ProcessId, CheckKind),
    /// An external check begins or times out.
    Watch(ProcessId, Owner, u32),
    /// A fault's time is over.
    FaultEnd(u32),
}

#[derive(Clone, Debug)]
struct Armed {
    cause: Cause,
    timer: Timer,
}

/// The state of a process as set from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It has been taken on.
    Starting,
    /// It runs, with these check results.
    Running(SaidChecks),
    /// It has ended.
    Ended,
}

/// Results of a process's checks as set from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaidChecks {
    /// Exit code of its readiness check.
    pub readiness: Option<i32>,
    /// Health.
    pub healthy: Option<bool>,
}

impl SaidChecks {
    /// Its readiness check passed.
    pub fn ready() -> Self {
        Self { readiness: Some(0), healthy: None }
    }

    /// Exit code of checks of a kind.
    pub(crate) fn of(self, kind: CheckKind) -> Option<i32> {
        match kind {
            CheckKind::Readiness => self.readiness,
            CheckKind::Health => self.healthy.map(|healthy| i32::from(!healthy)),
        }
    }
}

/// All machines and processes.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(all machines, all processes, ledger, rules.len(), each faults, timers)]
#[weight(own bytes_of::<Self>(1), machines, processes, flat launches, timers, ledger)]
pub struct Fleet {
    pub(crate) seed: u64,
    pub(crate) machines: Vec<Arc<Machine>>,
    pub(crate) processes: IdMap<ProcessId, Arc<Process>>,
    next_process: Counter,
    /// Number of launches by name, keyed by the number used for the name's draws.
    launches: Map<u64, u64, 8>,
    rules: Rules,
    pub(crate) faults: Faults,
    next_fault: Counter,
    /// Faults that had their last allowed strike and are about to end.
    pub(crate) exhausted: Vec<u32>,
    timers: EventQueue<Armed>,
    out: VecDeque<FleetEvent>,
    /// Number of the last event at which rules or faults changed.
    touched: u64,
    /// Another one after each such change, also on copies that change apart.
    stamp: Arc<Stamp>,
    /// Capacity and allocations of all machines.
    ledger: Ledger,
}

/// A mark that equals itself only.
#[derive(Debug, Default)]
pub struct Stamp(());

impl Fleet {
    /// A fleet without machines.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            machines: Vec::new(),
            processes: IdMap::new(),
            next_process: Counter::new(),
            launches: Map::new(),
            rules: Rules::default(),
            faults: SortedMap::new(),
            next_fault: Counter::new(),
            exhausted: Vec::new(),
            timers: EventQueue::new(),
            out: VecDeque::new(),
            touched: 0,
            stamp: Arc::default(),
            ledger: Ledger::default(),
        }
    }

    /// Number of the last event at which rules or faults changed; for caches of views.
    pub fn touched(&self) -> u64 {
        self.touched
    }

    /// The mark of the last such change. Copies of a fleet share a mark until either of them changes, and never again.
    pub fn stamp(&self) -> &Arc<Stamp> {
        &self.stamp
    }

    /// Brings a machine in.
    pub fn add_machine(&mut self, cx: &mut Cx, spec: MachineSpec) -> MachineId {
        let id = MachineId::at(self.machines.len());
        cx.emit(EventBody::MachineAdded { agent: spec.hostname.clone() });
        self.ledger.open(id, Amounts::of(&spec.resources, &spec.roles));
        self.machines.push(Arc::new(Machine::new(spec)));
        id
    }

    /// Removes a machine permanently, with everything on it.
    pub fn remove_machine(&mut self, cx: &mut Cx, id: MachineId) {
        let Some(machine) = self.machines.get_mut(id.index()).map(Arc::make_mut) else { return };
        if std::mem::replace(&mut machine.removed, true) {
            return;
        }
        machine.away.clear();
        machine.worst = None;
        let agent = machine.hostname().clone();
        for pid in machine.processes.clone() {
            self.vanish(pid);
        }
        self.ledger.close(id);
        cx.emit(EventBody::MachineRemoved { agent });
    }

    /// Sets a machine's agent id, so that targets can name it.
    pub fn set_agent_id(&mut self, id: MachineId, agent_id: Text) {
        if let Some(machine) = self.machines.get_mut(id.index()).map(Arc::make_mut) {
            machine.labels.set("agent-id", agent_id);
        }
    }

    /// Starts a process. On a lost or removed machine nothing starts and nothing is reported.
    pub fn launch(&mut self, cx: &mut Cx, spec: ProcessSpec) -> ProcessId {
        let pid = ProcessId(self.next_process.next());
        let machine = spec.machine;
        if self.machine_ref(machine).is_none() || self.absence(machine) == Some(Absence::Lost) {
            return pid;
        }
        let entity = match spec.labels.get("service") {
            Some(service) => {
                let service = draw::entity_after(draw::entity(service), "/");
                draw::entity_after(service, &spec.name)
            }
            None => draw::entity(&spec.name),
        };
        let launches = self.launches.upsert(
            entity,
            || 0,
            |launches| {
                *launches += 1;
                *launches
            },
        );
        let luck = Luck { seed: self.seed, entity, nth: launches };
        let behaviour = self.rules.resolve(&spec.labels);
        let process = Process::new(spec, luck, behaviour, cx.now(), cx.cause());
        if let Some(machine) = self.machines.get_mut(machine.index()) {
            Arc::make_mut(machine).processes.insert(pid);
        }
        self.processes.insert(pid, Arc::new(process));
        self.refresh(cx, pid);
        pid
    }

    /// Changes the behaviour of matching processes from now on, including running ones.
    pub fn set_behaviour(&mut self, cx: &mut Cx, rule: &ProcessBehaviour) {
        self.rules.push(rule.clone());
        self.touch(cx);
        let matching: Vec<ProcessId> = self
            .processes
            .iter()
            .filter(|(_, process)| process.spec.labels.matches(&rule.target))
            .map(|(pid, _)| *pid)
            .collect();
        for pid in matching {
            let Some(process) = self.processes.get(&pid) else { continue };
            let behaviour = self.rules.resolve(&process.spec.labels);
            if let Some(process) = self.process_mut(pid) {
                if !rule.behaviour.readiness.is_empty() {
                    process.readiness.listed = 0;
                }
                if !rule.behaviour.health.is_empty() {
                    process.health.listed = 0;
                }
                let was_manual = process.is_manual();
                process.behaviour = behaviour;
                if was_manual && !process.is_manual() {
                    process.said = SaidChecks::default();
                }
            }
            self.refresh(cx, pid);
            self.resume_kill(cx, pid);
        }
    }

    /// Sets the state of a process from outside. Only its external checkers are notified.
    pub fn say(&mut self, cx: &mut Cx, pid: ProcessId, said: Said) {
        let now = cx.now();
        let Some(process) = self.process_mut(pid) else { return };
        match said {
            Said::Ended => return self.vanish(pid),
            Said::Starting if process.state == ProcessState::Launching => {
                process.state = ProcessState::Starting;
            }
            Said::Starting => {}
            Said::Running(checks) => {
                if matches!(process.state, ProcessState::Launching | ProcessState::Starting) {
                    process.state = ProcessState::Running;
                    process.running_since = now;
                }
                process.said.readiness = checks.readiness.or(process.said.readiness);
                process.said.healthy = checks.healthy.or(process.said.healthy);
                if let Some(code) = checks.readiness {
                    process.readiness.attempts = process.readiness.attempts.saturating_add(1);
                    process.readiness.last = Some(process::Seen(Some(code)));
                }
            }
        }
        if let Said::Running(checks) = said {
            self.notify_watchers(cx, pid, checks);
        }
        self.refresh(cx, pid);
        self.note_moved(pid);
    }

    /// When the next timer is due.
    pub fn next_due(&self) -> Option<SimTime> {
        self.timers.next_due()
    }

    /// Returns the number of pending timers that would change something.
    pub fn one_shots(&self) -> usize {
        self.timers.one_shots()
    }

    /// Returns whether the next periodic work would change something. Always false: such work has a one-shot timer.
    pub fn restless(&self) -> bool {
        false
    }

    /// Handles exactly one due timer.
    pub fn fire(&mut self, cx: &mut Cx) {
        let Some((_, _, armed)) = self.timers.pop_due(cx.now()) else { return };
        cx.set_cause(armed.cause);
        match armed.timer {
            Timer::Life(pid, fate) => {
                self.fulfil(cx, pid, fate);
                self.note_moved(pid);
            }
            Timer::Probe(pid, kind) => {
                self.probe_due(cx, pid, kind);
                self.note_moved(pid);
            }
            Timer::Watch(pid, owner, number) => {
                self.watch_due(cx, pid, owner, number);
                self.settle_exhausted(cx);
            }
            Timer::FaultEnd(number) => self.end_fault(cx, number),
        }
    }

    /// Estimates the bytes of a full copy.
    pub fn weight(&self) -> u64 {
        64 * self.machines.len() as u64 + 512 * self.processes.len() as u64 + 64 * self.timers.len() as u64
    }

    /// Takes the oldest report.
    pub fn next_event(&mut self) -> Option<FleetEvent> {
        self.out.pop_front()
    }

    /// Returns whether there are no reports.
    pub fn is_silent(&self) -> bool {
        self.out.is_empty()
    }

    /// Takes the oldest report about a process of this owner.
    pub fn next_event_of(&mut self, owner: Owner) -> Option<FleetEvent> {
        let at = self.out.iter().position(|event| event.owner == Some(owner))?;
        self.out.remove(at)
    }
}
