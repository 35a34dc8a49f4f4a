//! External checks: their schedule, results and parking.

#![expect(clippy::expect_used, reason = "helpers of tests may panic like tests")]

use planarium_ground::*;
use planarium_kernel::SimTime;
use planarium_protocol::input::{Behaviour, Fault, FaultKind, ProcessBehaviour, Target};

struct Yard {
    cx: Cx,
    fleet: Fleet,
    pid: ProcessId,
    log: Vec<String>,
}

impl Yard {
    /// A machine with a process that runs after 500 ms and is checked from 2 s on, every 10 s.
    fn new(behaviour: Behaviour, counted: bool) -> Self {
        let mut cx = Cx::new(1);
        let mut fleet = Fleet::new(1);
        let behaviour = Behaviour { start_ms: Some(500), ..behaviour };
        fleet.set_behaviour(&mut cx, &ProcessBehaviour { target: Target::default(), behaviour });
        let spec = MachineSpec { hostname: "m1".into(), ..MachineSpec::default() };
        let machine = fleet.add_machine(&mut cx, spec);
        let labels = Labels::new([("task", "web".into()), ("agent", "m1".into())]);
        let owner = Owner(0);
        let program = Program::default();
        let spec = ProcessSpec { owner, name: "web".into(), machine, labels, program, grace_ms: 1_000 };
        let pid = fleet.launch(&mut cx, spec);
        let watch = Watch {
            owner: Owner(17),
            number: 3,
            kind: CheckKind::Health,
            command: "/".into(),
            first: SimTime(2_000),
            interval_ms: 10_000,
            timeout_ms: 4_000,
            counted,
        };
        fleet.watch(&mut cx, pid, watch);
        Self { cx, fleet, pid, log: Vec::new() }
    }

    fn advance(&mut self, ms: u64) {
        let end = self.cx.now().saturating_add(ms);
        self.listen();
        while let Some(next) = self.fleet.next_due().filter(|next| *next <= end) {
            self.cx.set_now(next);
            self.fleet.fire(&mut self.cx);
            self.listen();
            assert_eq!(self.fleet.check(), Vec::<String>::new());
        }
        self.cx.set_now(end);
    }

    fn listen(&mut self) {
        while let Some(event) = self.fleet.next_event() {
            if let FleetEventKind::Watched { number, exit_code, .. } = event.kind {
                assert_eq!((event.owner, number), (Some(Owner(17)), 3));
                self.log.push(format!("{} {exit_code:?}", self.cx.now().ms()));
            }
        }
    }

    fn heard(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    fn inject(&mut self, kind: FaultKind, for_ms: u64) {
        let fault = Fault {
            fault: kind,
            id: None,
            target: Target { agent: Some("m1".to_owned()), ..Target::default() },
            for_ms: Some(for_ms),
            count: None,
            probability: None,
            exit_code: None,
            message: None,
            delay_ms: None,
        };
        self.fleet.inject(&mut self.cx, &fault).expect("valid fault");
    }
}

#[test]
fn a_passing_check_is_reported_once() {
    let mut yard = Yard::new(Behaviour::default(), true);
    yard.advance(60_000);
    assert_eq!(yard.heard(), ["2000 Some(0)"]);
    assert_eq!(yard.fleet.one_shots(), 0);
    assert_eq!(yard.fleet.would_answer(yard.pid, Owner(17), 3, yard.cx.now()), Some(Some(0)));
}

#[test]
fn failures_are_reported_individually_at_the_same_interval() {
    let mut yard = Yard::new(Behaviour { health: vec![0, 1, 1, 0], ..Behaviour::default() }, true);
    yard.advance(60_000);
    assert_eq!(yard.heard(), ["2000 Some(0)", "12000 Some(1)", "22000 Some(1)", "32000 Some(0)"]);
    assert_eq!(yard.fleet.one_shots(), 0);
}

#[test]
fn a_fault_resumes_a_parked_check() {
    let mut yard = Yard::new(Behaviour::default(), false);
    yard.advance(15_000);
    yard.inject(FaultKind::HealthFail, 20_000);
    assert!(yard.fleet.one_shots() > 0, "the failure to come counts");
    yard.advance(60_000);
    assert_eq!(yard.heard(), ["2000 Some(0)", "22000 Some(1)", "32000 Some(1)", "42000 Some(0)"]);
}

#[test]
fn failures_without_consequences_leave_the_world_idle() {
    for (counted, at_rest) in [(true, false), (false, true)] {
        let mut yard = Yard::new(Behaviour { health: vec![1], ..Behaviour::default() }, counted);
        yard.advance(30_000);
        assert_eq!(yard.heard().len(), 3);
        assert_eq!(yard.fleet.one_shots() == 0, at_rest, "counted {counted}");
    }
}

#[test]
fn a_disconnected_machine_cannot_be_checked() {
    let mut yard = Yard::new(Behaviour::default(), true);
    yard.advance(5_000);
    yard.inject(FaultKind::AgentPartitioned, 20_000);
    yard.advance(60_000);
    assert_eq!(yard.heard(), ["2000 Some(0)", "16000 None", "32000 Some(0)"]);
}

#[test]
fn a_cancelled_check_ends() {
    let mut yard = Yard::new(Behaviour { health: vec![1], ..Behaviour::default() }, true);
    yard.advance(3_000);
    yard.fleet.unwatch(yard.pid, Owner(17), 3);
    yard.advance(60_000);
    assert_eq!(yard.heard(), ["2000 Some(1)"]);
    assert_eq!(yard.fleet.would_answer(yard.pid, Owner(17), 3, yard.cx.now()), None);
}

#[test]
fn results_set_by_hand_are_reported_at_once_and_stay_while_the_process_is_manual() {
    let manual = Behaviour { manual: Some(true), ..Behaviour::default() };
    let mut yard = Yard::new(manual, true);
    let said = |yard: &mut Yard, healthy| {
        let checks = SaidChecks { readiness: Some(0), healthy };
        yard.fleet.say(&mut yard.cx, yard.pid, Said::Running(checks));
    };
    yard.advance(5_000);
    said(&mut yard, None);
    yard.advance(20_000);
    assert_eq!(yard.heard(), Vec::<String>::new(), "nothing was said of health");
    said(&mut yard, Some(false));
    yard.advance(20_000);
    assert_eq!(yard.heard(), ["25000 Some(1)", "32000 Some(1)", "42000 Some(1)"]);
    said(&mut yard, Some(true));
    yard.advance(40_000);
    assert_eq!(yard.heard(), ["45000 Some(0)"]);
    // On a process that is not manual, the result lasts until the next check.
    let mut yard = Yard::new(Behaviour { health: vec![1], ..Behaviour::default() }, true);
    yard.advance(15_000);
    said(&mut yard, Some(true));
    yard.advance(10_000);
    assert_eq!(yard.heard(), ["2000 Some(1)", "12000 Some(1)", "15000 Some(0)", "22000 Some(1)"]);
}

#[test]
fn a_result_set_before_any_check_is_the_first_one_reported() {
    let mut yard = Yard::new(Behaviour { health: vec![1], ..Behaviour::default() }, true);
    yard.fleet.unwatch(yard.pid, Owner(17), 3);
    let checks = SaidChecks { readiness: Some(7), healthy: Some(true) };
    yard.fleet.say(&mut yard.cx, yard.pid, Said::Running(checks));
    yard.advance(5_000);
    assert_eq!(yard.heard(), Vec::<String>::new());
    for heard in [&["5000 Some(0)", "12000 Some(1)"][..], &["22000 Some(1)"]] {
        let watch = Watch {
            owner: Owner(17),
            number: 3,
            kind: CheckKind::Health,
            command: "/".into(),
            first: SimTime(2_000),
            interval_ms: 10_000,
            timeout_ms: 4_000,
            counted: true,
        };
        yard.fleet.watch(&mut yard.cx, yard.pid, watch);
        yard.advance(10_000);
        assert_eq!(yard.heard(), heard);
    }
}
