//! The fleet at its boundary: launches, kills, rules and faults in, reports out.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests may panic like tests")]

use planarium_ground::*;
use planarium_kernel::{Digest, SimTime};
use planarium_protocol::{
    EventBody,
    input::{Behaviour, Fault, FaultKind, ProcessBehaviour, Target},
};
use proptest::prelude::*;

struct Yard {
    cx: Cx,
    fleet: Fleet,
    machine: MachineId,
    log: Vec<String>,
    checked: bool,
}

impl Yard {
    fn new(seed: u64) -> Self {
        let mut cx = Cx::new(seed);
        let mut fleet = Fleet::new(seed);
        let spec = MachineSpec { hostname: "m1".into(), ip: "10.0.0.1".into(), ..MachineSpec::default() };
        let machine = fleet.add_machine(&mut cx, spec);
        Self { cx, fleet, machine, log: Vec::new(), checked: true }
    }

    fn launch(&mut self, name: &str, program: Program) -> ProcessId {
        let labels = Labels::new([("task", name.into()), ("agent", "m1".into()), ("service", "svc".into())]);
        let spec = ProcessSpec {
            owner: Owner(0),
            name: name.into(),
            machine: self.machine,
            labels,
            program,
            grace_ms: 1_000,
        };
        let pid = self.fleet.launch(&mut self.cx, spec);
        self.settle();
        pid
    }

    fn rule(&mut self, pattern: &str, behaviour: Behaviour) {
        self.fleet.set_behaviour(&mut self.cx, &ProcessBehaviour { target: on(pattern), behaviour });
        self.settle();
    }

    fn inject(&mut self, kind: FaultKind, target: Target, change: impl FnOnce(&mut Fault)) {
        let mut all = fault(kind, target);
        change(&mut all);
        self.fleet.inject(&mut self.cx, &all).expect("valid fault");
        self.settle();
    }

    fn advance(&mut self, ms: u64) {
        let end = self.cx.now().saturating_add(ms);
        while let Some(next) = self.fleet.next_due().filter(|next| *next <= end) {
            self.cx.set_now(next);
            self.fleet.fire(&mut self.cx);
            self.settle();
        }
        self.cx.set_now(end);
    }

    fn settle(&mut self) {
        while let Some(event) = self.fleet.next_event() {
            self.note(event);
        }
        if self.checked {
            assert_eq!(self.fleet.check(), Vec::<String>::new(), "at {}", self.cx.now());
        }
    }

    fn note(&mut self, event: FleetEvent) {
        let at = self.cx.now().ms();
        let line = match event.kind {
            FleetEventKind::Started { pid } => format!("{} started", pid.0),
            FleetEventKind::Running { pid } => format!("{} running", pid.0),
            FleetEventKind::Check { pid, exit_code, attempt } => {
                format!("{} check {attempt} {exit_code:?}", pid.0)
            }
            FleetEventKind::Health { pid, healthy } => format!("{} healthy {healthy}", pid.0),
            FleetEventKind::Watched { pid, number, exit_code } => {
                format!("{} watched {number} {exit_code:?}", pid.0)
            }
            FleetEventKind::Exited { pid, code, reason, .. } => {
                format!("{} exited {code} {reason:?}", pid.0)
            }
            FleetEventKind::Killed { pid, unhealthy, .. } => {
                format!("{} killed unhealthy={unhealthy}", pid.0)
            }
            FleetEventKind::MachineLost { how, .. } => format!("machine {}", how.as_str()),
            FleetEventKind::MachineReturned { how, .. } => format!("machine back from {}", how.as_str()),
            FleetEventKind::OffersChanged => "offers changed".to_owned(),
            FleetEventKind::AbsencePlanned { hostname, planned } => format!("{hostname} planned={planned}"),
            FleetEventKind::MasterFailover => "failover".to_owned(),
            FleetEventKind::SchedulerRestart { target } => format!("restart {:?}", target.service),
            FleetEventKind::HoldingsChanged { by, .. } => format!("holdings of {} changed", by.0),
        };
        self.log.push(format!("{at} {line}"));
    }

    fn heard(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }

    fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        digest.write(&self.fleet);
        digest.finish()
    }
}

fn on(task: &str) -> Target {
    Target { task: Some(task.to_owned()), ..Target::default() }
}

fn fault(kind: FaultKind, target: Target) -> Fault {
    Fault {
        fault: kind,
        id: None,
        target,
        for_ms: None,
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    }
}

fn program(command: &str) -> Program {
    Program { command: command.into(), ..Program::default() }
}

fn check(command: &str, interval_ms: u64) -> CheckSpec {
    CheckSpec { command: command.into(), delay_ms: 0, interval_ms, timeout_ms: 3_000 }
}

fn instant(line: &str) -> u64 {
    line.split(' ').next().and_then(|word| word.parse().ok()).expect("an instant")
}

#[test]
fn latencies_are_seeded_and_in_bounds() {
    let mut starts = Vec::new();
    for seed in 0..40 {
        let mut yard = Yard::new(seed);
        yard.launch("t", program("sleep 1000"));
        yard.advance(60_000);
        let heard = yard.heard();
        assert!(
            heard[0].ends_with("0 started") && heard[1].ends_with("0 running") && heard.len() == 2,
            "{heard:?}"
        );
        starts.push(instant(&heard[1]));
    }
    assert!(starts.iter().all(|ms| (500..=5_000).contains(ms)), "{starts:?}");
    starts.sort_unstable();
    starts.dedup();
    assert!(starts.len() > 30, "not all the same");
}

#[test]
fn an_additional_process_does_not_change_other_draws() {
    let run = |others: u32, launches: u32| {
        let mut yard = Yard::new(3);
        for n in 0..others {
            yard.launch(&format!("other-{n}"), program(""));
        }
        let mut pid = ProcessId(0);
        for _ in 0..launches {
            pid = yard.launch("t", program(""));
        }
        yard.advance(60_000);
        let line = yard
            .heard()
            .into_iter()
            .find(|line| line.ends_with(&format!(" {} running", pid.0)))
            .expect("runs");
        instant(&line)
    };
    assert_eq!(run(0, 1), run(9, 1));
    assert_ne!(run(0, 1), run(0, 2), "the second launch of a name has luck of its own");
}

/// Names and commands decide how a process ends, and when.
#[test]
fn conventions() {
    let image = |tag: &str| Program { image: Some(format!("app:{tag}").into()), ..program("") };
    let once = Program { lives: false, ..program("echo done") };
    for (program, expected, within) in [
        (program("sleep $SLEEP_DURATION"), None, 0..=0),
        (program("echo a && sleep 5 && exit 3"), Some("exited 3 Exit"), 1_000..=8_000),
        (program("false"), Some("exited 1 Exit"), 1_000..=8_000),
        (image("bad-yellow"), Some("exited 1 Exit"), 1_000..=8_000),
        (program("./bad-server"), Some("exited 1 Exit"), 1_000..=8_000),
        (image("good-green"), None, 0..=0),
        (once.clone(), Some("exited 0 Exit"), 1_500..=13_000),
        (Program { command: "exit 4".into(), ..once }, Some("exited 4 Exit"), 1_000..=8_000),
    ] {
        let mut yard = Yard::new(5);
        yard.launch("t", program.clone());
        yard.advance(600_000);
        let last = yard.heard().pop().expect("something happened");
        match expected {
            None => assert!(last.ends_with("running"), "{program:?}: {last}"),
            Some(how) => {
                assert!(last.ends_with(how), "{program:?}: {last}");
                assert!(within.contains(&instant(&last)), "{program:?}: {last}");
            }
        }
    }
    let mut yard = Yard::new(5);
    yard.launch("t", image("slow-green"));
    yard.advance(600_000);
    let last = yard.heard().pop().expect("runs");
    assert!(last.ends_with("running") && (20_500..=45_000).contains(&instant(&last)), "{last}");
}

#[test]
fn the_last_rule_that_sets_a_key_wins() {
    let mut yard = Yard::new(1);
    yard.rule("*", Behaviour { start_ms: Some(4_000), exit_code: Some(2), ..Behaviour::default() });
    yard.rule("t-*", Behaviour { start_ms: Some(8_000), exit_after_ms: Some(1_000), ..Behaviour::default() });
    yard.launch("t-1", program(""));
    yard.launch("u-1", program("sleep 1"));
    yard.advance(9_500);
    let heard = yard.heard();
    for line in
        ["1000 1 started", "2000 0 started", "4000 1 running", "8000 0 running", "9000 0 exited 2 Exit"]
    {
        assert!(heard.iter().any(|l| l == line), "{line}: {heard:?}");
    }
}

#[test]
fn rules_apply_to_running_processes() {
    let mut yard = Yard::new(1);
    yard.rule("*", Behaviour { start_ms: Some(4_000), ..Behaviour::default() });
    yard.launch("t", Program { readiness: Some(check("x", 5_000)), ..program("") });
    yard.advance(10_000);
    assert_eq!(yard.heard(), ["1000 0 started", "4000 0 running", "4000 0 check 1 Some(0)"]);
    assert_eq!(yard.fleet.next_due(), None, "a probe that would change nothing is parked");
    yard.rule("t", Behaviour { readiness: vec![1, 0], ..Behaviour::default() });
    yard.advance(20_000);
    assert_eq!(yard.heard(), ["14000 0 check 2 Some(1)", "19000 0 check 3 Some(0)"], "at its own instants");
    yard.rule("t", Behaviour { exit_after_ms: Some(2_000), exit_code: Some(6), ..Behaviour::default() });
    assert_eq!(yard.fleet.next_due(), Some(SimTime(30_000)), "overdue: at once");
    yard.advance(0);
    assert_eq!(yard.heard(), ["30000 0 exited 6 Exit"]);
    yard.launch("u", program(""));
    yard.rule("u", Behaviour { manual: Some(true), ..Behaviour::default() });
    yard.advance(60_000);
    assert_eq!(yard.heard(), Vec::<String>::new());
}

#[test]
fn manual_processes_wait_for_input() {
    let mut yard = Yard::new(1);
    yard.rule("*", Behaviour { manual: Some(true), ..Behaviour::default() });
    let pid = yard.launch("t", Program { readiness: Some(check("x", 1_000)), ..program("exit 1") });
    yard.advance(100_000);
    yard.fleet.say(&mut yard.cx, pid, Said::Running(SaidChecks { readiness: Some(1), healthy: None }));
    yard.advance(100_000);
    yard.fleet.kill(&mut yard.cx, pid, 0);
    yard.advance(100_000);
    assert_eq!(yard.heard(), Vec::<String>::new());
    let facts = yard.fleet.process(pid).expect("alive");
    assert_eq!((facts.state, facts.manual, facts.readiness_last), (ProcessState::Killing, true, Some(1)));
    yard.fleet.say(&mut yard.cx, pid, Said::Ended);
    assert_eq!(yard.fleet.process(pid), None);
    assert_eq!(yard.fleet.check(), Vec::<String>::new());
}

#[test]
fn manual_processes_continue_once_a_later_rule_ends_manual_control() {
    let mut yard = Yard::new(1);
    yard.rule("*", Behaviour { manual: Some(true), start_ms: Some(2_000), ..Behaviour::default() });
    let pid = yard.launch("t", program(""));
    let doomed = yard.launch("u", program(""));
    let ended = yard.launch("v", program(""));
    yard.advance(10_000);
    yard.fleet.kill(&mut yard.cx, doomed, 0);
    yard.fleet.say(&mut yard.cx, ended, Said::Running(SaidChecks::default()));
    yard.fleet.kill(&mut yard.cx, ended, 3_000);
    yard.rule("*", Behaviour { readiness: vec![1], ..Behaviour::default() });
    assert!(
        yard.fleet.process(pid).expect("alive").manual,
        "a rule that does not speak of it leaves it as it is"
    );
    yard.rule("*", Behaviour { manual: Some(false), ..Behaviour::default() });
    yard.advance(20_000);
    assert_eq!(
        yard.heard(),
        [
            "10000 1 killed unhealthy=false",
            "10000 0 started",
            "10000 0 running",
            "13000 2 killed unhealthy=false"
        ]
    );
    assert_eq!(yard.fleet.check(), Vec::<String>::new());
    assert!(!yard.fleet.process(pid).expect("alive").manual);
}

/// One-shot work keeps the world from being idle; periodic work does not.
#[test]
fn idleness() {
    for (name, readiness, behaviour, expected) in [
        ("no probe", None, Behaviour::default(), 0),
        ("passed", Some("x"), Behaviour::default(), 0),
        ("will never pass", Some("exit 1"), Behaviour::default(), 0),
        (
            "will pass later",
            Some("x"),
            Behaviour { readiness: vec![1; 100], ready_after_ms: None, ..Behaviour::default() },
            0,
        ),
        (
            "changes its mind later",
            Some("x"),
            Behaviour { readiness: [vec![1; 100], vec![0]].concat(), ..Behaviour::default() },
            1,
        ),
        (
            "ready after a day",
            Some("x"),
            Behaviour { ready_after_ms: Some(86_400_000), ..Behaviour::default() },
            1,
        ),
        ("ends in a day", None, Behaviour { exit_after_ms: Some(86_400_000), ..Behaviour::default() }, 1),
    ] {
        let mut yard = Yard::new(1);
        yard.rule("*", behaviour);
        yard.launch(
            "t",
            Program { readiness: readiness.map(|command| check(command, 10_000)), ..program("") },
        );
        assert_eq!(yard.fleet.one_shots(), 1, "{name}: starting");
        yard.advance(60_000);
        assert_eq!(yard.fleet.one_shots(), expected, "{name}");
    }
}

#[test]
fn a_lost_machine_loses_all_its_processes() {
    let mut yard = Yard::new(1);
    yard.launch("t", program(""));
    yard.advance(10_000);
    yard.heard();
    let lost = Target { agent: Some("m*".into()), ..Target::default() };
    yard.inject(FaultKind::AgentLost, lost, |fault| fault.for_ms = Some(5_000));
    yard.launch("u", program(""));
    assert_eq!((yard.fleet.one_shots(), yard.fleet.absence(yard.machine)), (1, Some(Absence::Lost)));
    let why = yard.fleet.why_machine("m1").expect("a machine of that name");
    assert_eq!(why.sentence, "m1 is lost: a fault keeps the machine lost.");
    assert!(why.unblock.iter().all(|unblock| unblock.input.is_some()) && why.unblock.len() == 1, "{why:?}");
    assert_eq!(yard.fleet.why_machine("m2"), None);
    yard.advance(60_000);
    assert_eq!(yard.heard(), ["10000 machine lost", "15000 machine back from lost"]);
    // A target can also select a machine by its processes.
    yard.launch("t", program(""));
    yard.inject(FaultKind::AgentPartitioned, on("t"), |_| {});
    assert_eq!(yard.heard(), ["70000 machine partitioned"]);
    yard.advance(10_000);
    assert!(yard.heard()[1].ends_with("running"), "everything on it goes on");
}

#[test]
fn every_strike_is_caused_by_its_fault() {
    let mut yard = Yard::new(1);
    yard.launch("t", program(""));
    yard.advance(10_000);
    yard.cx.drain();
    yard.inject(FaultKind::TaskFail, on("t"), |_| {});
    let events = yard.cx.drain();
    let [injected, struck] = events.as_slice() else { panic!("{events:?}") };
    assert!(matches!(injected.body, EventBody::FaultInjected { .. }));
    assert!(matches!(&struck.body, EventBody::FaultStruck { target, .. } if &**target == "t"));
    assert_eq!(struck.cause, planarium_kernel::Cause::Event(injected.seq));
}

#[test]
fn scheduler_restarts_are_reported() {
    let mut yard = Yard::new(1);
    let target = Target { service: Some("svc".into()), ..Target::default() };
    yard.inject(FaultKind::SchedulerRestart, target, |_| {});
    assert_eq!(yard.heard(), ["0 restart Some(\"svc\")"]);
    assert!(yard.fleet.faults().is_empty());
}

#[derive(Clone, Debug)]
enum Op {
    Launch(u8),
    Kill(u8, u64),
    Advance(u64),
    Fault(u8, u8, Option<u64>, Option<u32>),
    Clear(u8),
    Rule(u8, Option<u64>, Vec<i32>, Option<bool>),
    Say(u8, bool),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => any::<u8>().prop_map(Op::Launch),
        2 => (any::<u8>(), 0..5_000_u64).prop_map(|(n, ms)| Op::Kill(n, ms)),
        5 => (1..20_000_u64).prop_map(Op::Advance),
        4 => (any::<u8>(), any::<u8>(), prop::option::of(1..30_000_u64), prop::option::of(1..4_u32))
            .prop_map(|(kind, target, ms, count)| Op::Fault(kind, target, ms, count)),
        2 => any::<u8>().prop_map(Op::Clear),
        1 => (any::<u8>(), prop::option::of(0..9_000_u64), prop::collection::vec(0..2, 0..4), prop::option::weighted(0.3, prop::bool::weighted(0.4)))
            .prop_map(|(n, ms, codes, manual)| Op::Rule(n, ms, codes, manual)),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(n, up)| Op::Say(n, up)),
    ]
}

const KINDS: [FaultKind; 13] = [
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
];

fn apply(yard: &mut Yard, op: &Op, pids: &mut Vec<ProcessId>) {
    let name = |n: u8| format!("t-{}", n % 4);
    match op {
        Op::Launch(n) => {
            let health = HealthSpec { check: check("x", 2_000), grace_ms: 3_000, max_failures: 2 };
            let program = Program {
                lives: n % 3 != 0,
                readiness: (n % 2 == 0).then(|| check("x", 2_000)),
                health: (n % 5 == 0).then_some(health),
                ..program(if n % 7 == 0 { "exit 1" } else { "sleep 1" })
            };
            pids.push(yard.launch(&name(*n), program));
        }
        Op::Kill(n, ms) => {
            if let Some(pid) = pids.get(*n as usize % pids.len().max(1)) {
                yard.fleet.kill(&mut yard.cx, *pid, *ms);
            }
        }
        Op::Advance(ms) => yard.advance(*ms),
        Op::Fault(kind, target, for_ms, count) => {
            let target = match target % 3 {
                0 => Target::default(),
                1 => on(&name(*target)),
                _ => Target { agent: Some("m1".into()), ..Target::default() },
            };
            let mut all = fault(KINDS[*kind as usize % KINDS.len()], target);
            (all.for_ms, all.count) = (*for_ms, *count);
            let _ = yard.fleet.inject(&mut yard.cx, &all);
        }
        Op::Clear(n) => {
            let faults = yard.fleet.faults();
            if let Some(fault) = faults.get(*n as usize % faults.len().max(1)) {
                yard.fleet.clear(&mut yard.cx, &fault.id).expect("in force");
            }
        }
        Op::Rule(n, ms, codes, manual) => {
            let codes = codes.clone();
            let behaviour = Behaviour {
                start_ms: *ms,
                readiness: codes.clone(),
                health: codes,
                manual: *manual,
                ..Behaviour::default()
            };
            yard.rule(&name(*n), behaviour);
        }
        Op::Say(n, up) => {
            if let Some(pid) = pids.get(*n as usize % pids.len().max(1)) {
                let said = if *up { Said::Running(SaidChecks::ready()) } else { Said::Ended };
                yard.fleet.say(&mut yard.cx, *pid, said);
            }
        }
    }
    yard.settle();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Invariants hold after every step; splitting an advance changes nothing; once all faults are cleared and time
    /// has passed, no process is in transition.
    #[test]
    fn invariants_hold(ops in prop::collection::vec(op(), 1..50)) {
        let (mut one, mut two) = (Yard::new(3), Yard::new(3));
        let (mut pids, mut others) = (Vec::new(), Vec::new());
        for op in &ops {
            apply(&mut one, op, &mut pids);
            match op {
                Op::Advance(ms) => {
                    two.advance(ms / 2);
                    two.advance(ms - ms / 2);
                }
                op => apply(&mut two, op, &mut others),
            }
        }
        prop_assert_eq!(one.digest(), two.digest());
        prop_assert_eq!(one.heard(), two.heard());
        while let Some(fault) = one.fleet.faults().first() {
            one.fleet.clear(&mut one.cx, &fault.id).expect("in force");
            one.settle();
        }
        one.advance(600_000);
        prop_assert_eq!(one.fleet.one_shots(), 0);
    }
}
