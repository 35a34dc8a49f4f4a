//! Random sequences of everything, with all invariants checked after each step.

use crate::harness::*;
use planarium_kernel::{Digest, Milli};
use planarium_mesos::api::*;
use planarium_mesos::maintenance::{
    DrainConfig, MachineId, Refused, Response, Schedule, Window, decode::OperatorCall,
};
use planarium_protocol::input::{Fault, FaultKind, Target, TaskStatusInput};
use planarium_protocol::view::MachineView;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Op {
    Advance(u64),
    AddAgent,
    RemoveAgent(u8),
    Decline { framework: u8, refuse_ms: Option<u64> },
    Accept { framework: u8, tasks: u8, reserve: bool, volume: bool, group: bool },
    Release { framework: u8 },
    Kill { nth: u8, grace_ms: Option<u64> },
    Revive(u8),
    Suppress(u8),
    Reconcile(u8),
    Restart(u8),
    Teardown(u8),
    Fault { kind: u8, target: u8, for_ms: Option<u64>, count: Option<u32> },
    Clear,
    Say { nth: u8, state: u8 },
    Round,
    Maintain { what: u8, which: u8, mark_gone: bool },
    Answer { framework: u8, accept: bool, refuse_ms: Option<u64> },
    Acknowledge(u8),
    FailOver,
}

fn op() -> impl Strategy<Value = Op> {
    let ms = || prop::option::of(prop_oneof![Just(0_u64), Just(1_000), Just(5_000), 1..100_000_u64]);
    prop_oneof![
        6 => (1..40_000_u64).prop_map(Op::Advance),
        1 => Just(Op::AddAgent),
        1 => any::<u8>().prop_map(Op::RemoveAgent),
        3 => (any::<u8>(), ms()).prop_map(|(framework, refuse_ms)| Op::Decline { framework, refuse_ms }),
        6 => (any::<u8>(), 0..4_u8, any::<bool>(), any::<bool>(), any::<bool>())
            .prop_map(|(framework, tasks, reserve, volume, group)| Op::Accept { framework, tasks, reserve, volume, group }),
        2 => any::<u8>().prop_map(|framework| Op::Release { framework }),
        2 => (any::<u8>(), ms()).prop_map(|(nth, grace_ms)| Op::Kill { nth, grace_ms }),
        1 => any::<u8>().prop_map(Op::Revive),
        1 => any::<u8>().prop_map(Op::Suppress),
        1 => any::<u8>().prop_map(Op::Reconcile),
        1 => any::<u8>().prop_map(Op::Restart),
        1 => (0..40_u8).prop_map(Op::Teardown),
        5 => (any::<u8>(), any::<u8>(), ms(), prop::option::of(1..4_u32))
            .prop_map(|(kind, target, for_ms, count)| Op::Fault { kind, target, for_ms, count }),
        3 => Just(Op::Clear),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(nth, state)| Op::Say { nth, state }),
        1 => Just(Op::Round),
        5 => (any::<u8>(), any::<u8>(), any::<bool>())
            .prop_map(|(what, which, mark_gone)| Op::Maintain { what, which, mark_gone }),
        2 => (any::<u8>(), any::<bool>(), ms())
            .prop_map(|(framework, accept, refuse_ms)| Op::Answer { framework, accept, refuse_ms }),
        4 => any::<u8>().prop_map(Op::Acknowledge),
        1 => Just(Op::FailOver),
    ]
}

const FAULTS: [FaultKind; 15] = [
    FaultKind::TaskFail,
    FaultKind::TaskKill,
    FaultKind::TaskOom,
    FaultKind::CrashLoop,
    FaultKind::SlowStart,
    FaultKind::Hang,
    FaultKind::ReadinessFail,
    FaultKind::HealthFail,
    FaultKind::ImageMissing,
    FaultKind::AgentLost,
    FaultKind::AgentPartitioned,
    FaultKind::AgentRestart,
    FaultKind::AgentFull,
    FaultKind::OffersWithheld,
    FaultKind::StatusDropped,
];

const STATES: [&str; 8] =
    ["STARTING", "RUNNING", "KILLING", "FINISHED", "FAILED", "KILLED", "LOST", "UNREACHABLE"];

struct Soak {
    c: Cluster,
    frameworks: Vec<(FrameworkId, FrameworkInfo)>,
    launched: Vec<(FrameworkId, String)>,
}

impl Soak {
    fn new() -> Self {
        let mut c = Cluster::new(7);
        c.agents(3, "cpus:4;mem:4096;disk:10000;ports:[1-100]");
        let mut frameworks = Vec::new();
        for (name, aware) in [("f", true), ("g", false), ("h", true)] {
            let mut kept = FrameworkInfo::default();
            let id = c.framework(name, |info| {
                if !aware {
                    info.capabilities = vec![Capability::MultiRole];
                    info.checkpoint = false;
                }
                kept = info.clone();
            });
            if name == "h" {
                c.master.acknowledges_by_calls(id);
            }
            frameworks.push((id, kept));
        }
        Self { c, frameworks, launched: Vec::new() }
    }

    fn framework(&self, n: u8) -> (FrameworkId, String) {
        let (id, info) = &self.frameworks[n as usize % self.frameworks.len()];
        (*id, info.name.to_string())
    }

    fn apply(&mut self, op: &Op) {
        let c = &mut self.c;
        match op {
            Op::Advance(ms) => c.advance(*ms),
            Op::AddAgent => {
                if c.master.machines(&c.fleet).len() < 6 {
                    c.agents(1, "cpus:4;mem:4096;disk:10000;ports:[1-100]");
                }
            }
            Op::RemoveAgent(n) => {
                let machines = c.master.machines(&c.fleet);
                if let Some(machine) = machines.get(*n as usize % machines.len().max(1)) {
                    c.master.remove_agent(&mut c.cx, &mut c.fleet, &machine.hostname).expect("known");
                    c.settle();
                }
            }
            Op::Decline { framework, refuse_ms } => {
                let (id, _) = self.framework(*framework);
                self.c.decline(id, *refuse_ms);
            }
            Op::Accept { framework, tasks, reserve, volume, group } => {
                self.accept(*framework, *tasks, *reserve, *volume, *group);
            }
            Op::Release { framework } => self.release(*framework),
            Op::Kill { nth, grace_ms } => {
                if let Some((id, task)) =
                    self.launched.get(*nth as usize % self.launched.len().max(1)).cloned()
                {
                    self.c.call(id, Call::Kill { task_id: task.into(), agent_id: None, grace_ms: *grace_ms });
                }
            }
            Op::Revive(n) => self.call(*n, Call::Revive { roles: Vec::new() }),
            Op::Suppress(n) => self.call(*n, Call::Suppress { roles: Vec::new() }),
            Op::Reconcile(n) => self.call(*n, Call::Reconcile { tasks: Vec::new() }),
            Op::Restart(n) => {
                let (id, info) = self.frameworks[*n as usize % self.frameworks.len()].clone();
                self.c.offers.retain(|offer| offer.framework != id);
                self.c.inverse.retain(|offer| offer.framework != id);
                self.c.master.resubscribe(&mut self.c.cx, &self.c.fleet, id, info);
                self.c.settle();
            }
            Op::Teardown(n) => {
                if *n == 0 {
                    let (id, _) = self.framework(0);
                    self.c.offers.retain(|offer| offer.framework != id);
                    self.c.inverse.retain(|offer| offer.framework != id);
                    self.c.call(id, Call::Teardown);
                }
            }
            Op::Fault { kind, target, for_ms, count } => self.fault(*kind, *target, *for_ms, *count),
            Op::Clear => {
                if let Some(fault) = c.fleet.faults().first() {
                    c.clear(&fault.id);
                }
            }
            Op::Say { nth, state } => {
                if let Some((_, task)) =
                    self.launched.get(*nth as usize % self.launched.len().max(1)).cloned()
                {
                    let state = STATES[*state as usize % STATES.len()];
                    let status = TaskStatusInput { readiness_exit: Some(0), ..said(&task, state) };
                    let _ = self.c.master.task_status(&mut self.c.cx, &mut self.c.fleet, &status);
                    self.c.settle();
                }
            }
            Op::Round => {
                c.round(&[]);
            }
            Op::Maintain { what, which, mark_gone } => self.maintain(*what, *which, *mark_gone),
            Op::Answer { framework, accept, refuse_ms } => {
                let (id, _) = self.framework(*framework);
                let offer_ids: Vec<OfferId> = self
                    .c
                    .inverse
                    .iter()
                    .filter(|offer| offer.framework == id)
                    .map(|offer| offer.id)
                    .collect();
                let response = if *accept { Response::Accept } else { Response::Decline };
                self.c.inverse.retain(|offer| offer.framework != id);
                let call = Call::AnswerInverseOffers { offer_ids, response, refuse_ms: *refuse_ms };
                self.c.call(id, call);
            }
            Op::FailOver => c.fail_over(),
            Op::Acknowledge(n) => {
                let waiting: Vec<(FrameworkId, TaskStatus)> =
                    self.c.statuses.iter().filter(|(_, status)| status.number.is_some()).cloned().collect();
                // Usually one of the last statuses.
                let back = (*n as usize / 4).min(waiting.len().saturating_sub(1));
                if let Some((id, status)) = waiting.get(waiting.len().saturating_sub(1 + back)) {
                    self.c.acknowledge(*id, status);
                }
            }
        }
    }

    /// Some maintenance call, which may be refused and then must have no effect.
    fn maintain(&mut self, what: u8, which: u8, mark_gone: bool) {
        let machines = self.c.master.machines(&self.c.fleet);
        let Some(one) = machines.get(which as usize % machines.len().max(1)) else { return };
        let name = |machine: &MachineView| MachineId::of_agent(machine.hostname.clone(), machine.ip.clone());
        let agent = one.agent_id.clone();
        let call = match what % 10 {
            0..=2 => {
                let named = machines.iter().enumerate().filter(|(n, _)| which >> (n % 8) & 1 == 1);
                let window = Window {
                    machine_ids: named.map(|(_, machine)| name(machine)).collect(),
                    unavailability: Unavailability { start_ns: i64::from(which), duration_ns: None },
                };
                let windows = if window.machine_ids.is_empty() { Vec::new() } else { vec![window] };
                OperatorCall::UpdateSchedule(Schedule { windows })
            }
            3..=4 => OperatorCall::Start(vec![name(one)]),
            5 => OperatorCall::Stop(vec![name(one)]),
            6 => {
                let config = DrainConfig { max_grace_ns: Some(1_000_000_000), mark_gone };
                OperatorCall::Drain { agent_id: agent, config }
            }
            7 => OperatorCall::Deactivate(agent),
            8 => OperatorCall::Reactivate(agent),
            _ if mark_gone => OperatorCall::MarkGone(agent),
            _ => OperatorCall::Stop(machines.iter().map(|machine| name(machine)).collect()),
        };
        let before = self.digest();
        match self.c.maintain(call) {
            Ok(()) | Err(Refused::NotRegistered) => {}
            Err(_) => assert_eq!(self.digest(), before),
        }
    }

    /// Acknowledges all statuses, including those that follow.
    fn acknowledge_everything(&mut self) {
        while !(self.c.statuses.is_empty() && self.c.operations.is_empty()) {
            let (statuses, operations) = (self.c.statuses.split_off(0), self.c.operations.split_off(0));
            for (id, status) in statuses.iter().filter(|(_, status)| status.number.is_some()) {
                self.c.acknowledge(*id, status);
            }
            for (id, status) in operations.iter().filter(|(_, status)| status.number.is_some()) {
                self.c.acknowledge_operation(*id, status);
            }
        }
    }

    /// Ends all maintenance; gone agents stay gone.
    fn end_maintenance(&mut self) {
        // A machine that was taken out of the cluster while DOWN is DOWN still.
        for (name, _) in self.c.master.schedule().machines() {
            let _ = self.c.maintain(OperatorCall::Stop(vec![name.clone()]));
        }
        self.c.maintain(OperatorCall::UpdateSchedule(Schedule::default())).expect("nothing is DOWN");
        // Agents are back, and have repeated unacknowledged statuses.
        self.c.advance(600_000);
        self.acknowledge_everything();
        for machine in self.c.master.machines(&self.c.fleet) {
            let _ = self.c.maintain(OperatorCall::Reactivate(machine.agent_id.clone()));
        }
    }

    fn call(&mut self, n: u8, call: Call) {
        let (id, _) = self.framework(n);
        self.c.call(id, call);
    }

    fn accept(&mut self, framework: u8, tasks: u8, reserve: bool, with_volume: bool, group: bool) {
        let (id, name) = self.framework(framework);
        let Some(offer) = self.c.outstanding(id).first().copied() else { return };
        let n = self.launched.len();
        let mut operations = Vec::new();
        let mut resources = res("cpus:0.7;mem:100");
        if reserve {
            let label = format!("id-{}", n % 3);
            let cpus = reserved(&name, "cpus", 300, &label);
            let disk = reserved(&name, "disk", 500_000, &label);
            let reserve = Operation::Reserve(vec![cpus.clone(), disk.clone()]);
            operations.push(match n % 2 {
                0 => Operation::Named { id: format!("o-{n}").into(), operation: Box::new(reserve) },
                _ => reserve,
            });
            resources.add(cpus);
            if with_volume {
                let data = volume(&disk, &name, &format!("v-{n}"));
                operations.push(Operation::Create(vec![data.clone()]));
                resources.add(data);
            }
        }
        let infos: Vec<TaskInfo> = (0..tasks)
            .map(|k| {
                let mut info = task(&format!("{name}-{n}-{k}"), "cpus:0.5;mem:64");
                if k == 0 {
                    info.resources = resources.clone();
                }
                info.program.lives = k % 2 == 0;
                info
            })
            .collect();
        self.launched.extend(infos.iter().map(|info| (id, info.task_id.to_string())));
        if group {
            let executor =
                ExecutorInfo { id: format!("e-{}", n % 2).into(), resources: res("cpus:0.1;mem:32") };
            operations.push(Operation::LaunchGroup { executor, tasks: infos });
        } else {
            operations.push(Operation::Launch(infos));
        }
        self.c.accept_with(id, &[offer], operations, None);
    }

    /// Releases the reservations in the first offer, volumes first.
    fn release(&mut self, framework: u8) {
        let (id, _) = self.framework(framework);
        let Some(offer) = self.c.offers.iter().find(|offer| offer.framework == id).cloned() else { return };
        let mut operations = Vec::new();
        for resource in offer.resources.iter().filter(|resource| resource.is_dynamically_reserved()) {
            if resource.persistence().is_some() {
                operations.push(Operation::Destroy(vec![resource.clone()]));
                operations.push(Operation::Unreserve(vec![resource.without_volume()]));
            } else {
                let half = resource.with_scalar(Milli(resource.amount().0 / 2));
                operations.push(Operation::Unreserve(vec![half]));
            }
        }
        self.c.accept_with(id, &[offer.id], operations, Some(0));
    }

    fn fault(&mut self, kind: u8, target: u8, for_ms: Option<u64>, count: Option<u32>) {
        let kind = FAULTS[kind as usize % FAULTS.len()];
        let machines = self.c.master.machines(&self.c.fleet);
        let pick = |n: u8| {
            machines.get(n as usize % machines.len().max(1)).map(|machine| machine.hostname.to_string())
        };
        let target = match target % 4 {
            0 => Target::default(),
            1 => on_task("f-*"),
            _ => Target { agent: pick(target / 4), ..Target::default() },
        };
        let fault = Fault {
            fault: kind,
            id: None,
            target,
            for_ms: for_ms.filter(|ms| *ms > 0),
            count,
            probability: None,
            exit_code: None,
            message: None,
            delay_ms: None,
        };
        let _ = self.c.fleet.inject(&mut self.c.cx, &fault);
        self.c.settle();
    }

    fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        digest.write(&self.c.fleet);
        digest.write(&self.c.master);
        digest.finish()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// The invariants hold after every step (the harness checks them), offers that frameworks see are exactly
    /// those the master knows, and the same steps lead to the same state.
    #[test]
    fn invariants_hold(ops in prop::collection::vec(op(), 1..60)) {
        let (mut one, mut two) = (Soak::new(), Soak::new());
        two.c.check = false;
        for op in &ops {
            one.apply(op);
            two.apply(op);
        }
        prop_assert_eq!(one.digest(), two.digest());
        prop_assert_eq!(one.c.heard(), two.c.heard());
        // All faults off: nothing stays away, and every task that is alive can be reached.
        while let Some(fault) = one.c.fleet.faults().first() {
            one.c.clear(&fault.id);
        }
        one.end_maintenance();
        one.c.advance(1_200_000);
        for machine in one.c.master.machines(&one.c.fleet) {
            prop_assert!(matches!(&*machine.state, "up" | "gone"), "{} is {}", machine.hostname, machine.state);
        }
        let known: Vec<OfferId> = one.c.inverse.iter().map(|offer| offer.id).collect();
        prop_assert_eq!(known, Vec::<OfferId>::new());
        prop_assert_eq!(one.c.fleet.one_shots(), 0);
    }
}
