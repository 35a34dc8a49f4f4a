//! Injected failures of tasks, as their framework sees them.

use crate::harness::*;
use planarium_ground::CheckSpec;
use planarium_mesos::api::*;
use planarium_protocol::{
    Amount,
    input::{Fault, FaultKind, Target},
};

/// Two tasks that run from 4 s on; the clock is at 10 s.
fn two() -> (Cluster, FrameworkId) {
    let mut c = Cluster::new(1);
    c.behave(Target::default(), start_after(4_000));
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    let readiness = CheckSpec { command: "x".into(), delay_ms: 0, interval_ms: 5_000, timeout_ms: 2_000 };
    let checked = |id: &str| {
        let mut info = task(id, "cpus:1");
        info.program.readiness = Some(readiness.clone());
        info
    };
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![checked("a__1"), checked("b__1")])], Some(0));
    c.advance_to(10_000);
    c.heard();
    (c, f)
}

#[test]
fn at_once() {
    let rows: [(FaultKind, &str); 3] = [
        (FaultKind::TaskFail, "10000 a__1 TASK_FAILED check=0"),
        (FaultKind::TaskKill, "10000 a__1 TASK_KILLED check=0"),
        (FaultKind::TaskOom, "10000 a__1 TASK_FAILED REASON_CONTAINER_LIMITATION_MEMORY check=0"),
    ];
    for (kind, expected) in rows {
        for pattern in ["a", "a__1", "a*"] {
            let (mut c, _) = two();
            c.fault(kind, on_task(pattern), |fault| fault.message = Some("words".into()));
            assert_eq!(c.heard_of_tasks(), [expected], "{kind:?} on {pattern}");
            assert_eq!(&*c.statuses.last().expect("one").1.message, "words");
            assert!(c.fleet.faults().is_empty(), "{kind:?}: over when it has struck");
        }
    }
}

#[test]
fn a_pattern_selects_all_its_targets() {
    let (mut c, _) = two();
    c.fault(FaultKind::TaskFail, Target { service: Some("f".into()), ..Target::default() }, |fault| {
        fault.exit_code = Some(9);
    });
    assert_eq!(c.heard_of_tasks(), ["10000 a__1 TASK_FAILED check=0", "10000 b__1 TASK_FAILED check=0"]);
    let (mut c, _) = two();
    let id = c.fault(FaultKind::TaskFail, Target::default(), |fault| fault.count = Some(3));
    assert_eq!(c.heard_of_tasks().len(), 2);
    assert_eq!(c.fleet.faults()[0].id, id, "one strike is left for whoever comes");
    c.advance_to(11_000);
    let f = c.offers[0].framework;
    c.accept(f, vec![launch(vec![task("c", "cpus:1"), task("d", "cpus:1")])]);
    c.advance_to(30_000);
    let failed = c.heard_of_tasks().iter().filter(|line| line.contains("FAILED")).count();
    assert_eq!((failed, c.fleet.faults().len()), (1, 0));
}

#[test]
fn a_crash_loop_lasts_until_it_is_cleared() {
    let (mut c, f) = two();
    let id = c.fault(FaultKind::CrashLoop, on_task("a"), |fault| fault.exit_code = Some(7));
    c.advance_to(20_000);
    assert!(c.heard_of_tasks()[0].contains("a__1 TASK_FAILED"));
    let again = |c: &mut Cluster, id: &str| {
        c.advance(1_000);
        c.accept(f, vec![launch(vec![task(id, "cpus:1")])]);
        c.advance(20_000);
        c.heard_of_tasks().last().cloned().unwrap_or_default()
    };
    assert!(again(&mut c, "a__2").ends_with("a__2 TASK_FAILED"));
    c.clear(&id);
    assert!(again(&mut c, "a__3").ends_with("a__3 TASK_RUNNING"));
}

#[test]
fn launches_that_fail() {
    for (kind, target) in
        [(FaultKind::ImageMissing, on_task("c")), (FaultKind::AgentFull, on_agent("agent-1"))]
    {
        let (mut c, f) = two();
        c.fault(kind, target, |_| {});
        c.advance_to(11_000);
        c.heard();
        c.accept(f, vec![launch(vec![task("c", "cpus:1")])]);
        c.advance_to(60_000);
        assert_eq!(
            c.heard_of_tasks(),
            ["12000 c TASK_STARTING", "15000 c TASK_FAILED REASON_CONTAINER_LAUNCH_FAILED"],
            "{kind:?}"
        );
    }
}

#[test]
fn slow_starts_and_hangs() {
    let (mut c, f) = two();
    c.fault(FaultKind::SlowStart, on_task("c"), |fault| fault.delay_ms = Some(10_000));
    let hang = c.fault(FaultKind::Hang, on_task("d"), |_| {});
    c.advance_to(11_000);
    c.heard();
    c.accept(f, vec![launch(vec![task("c", "cpus:1"), task("d", "cpus:1")])]);
    c.advance_to(60_000);
    assert_eq!(
        c.heard_of_tasks(),
        ["12000 c TASK_STARTING", "12000 d TASK_STARTING", "25000 c TASK_RUNNING"]
    );
    c.clear(&hang);
    c.advance_to(61_000);
    assert!(c.heard_of_tasks()[0].ends_with("d TASK_RUNNING"));
}

#[test]
fn checks_of_a_task_that_hangs_time_out() {
    let (mut c, _) = two();
    let hang = c.fault(FaultKind::Hang, on_task("a"), |_| {});
    // Checks come at 4, 9, 14 s; the one at 14 s times out two seconds later.
    c.advance_to(40_000);
    assert_eq!(c.heard_of_tasks(), ["16000 a__1 TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED check=?"]);
    assert_eq!(c.fleet.one_shots(), 0, "nothing new will come of it by itself");
    c.clear(&hang);
    c.advance_to(60_000);
    assert!(c.heard_of_tasks()[0].ends_with("a__1 TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED check=0"));
}

#[test]
fn checks_fail_while_the_fault_lasts() {
    let (mut c, _) = two();
    c.fault(FaultKind::ReadinessFail, on_task("a"), |fault| {
        fault.for_ms = Some(11_000);
        fault.exit_code = Some(5);
    });
    c.fault(FaultKind::ReadinessFail, on_task("b"), |fault| fault.count = Some(2));
    c.advance_to(60_000);
    let news = "TASK_RUNNING REASON_TASK_CHECK_STATUS_UPDATED";
    assert_eq!(
        c.heard_of_tasks(),
        [
            format!("14000 a__1 {news} check=5"),
            format!("14000 b__1 {news} check=1"),
            // The fault on a ended later, so its next check was armed again after b's.
            format!("24000 b__1 {news} check=0"),
            format!("24000 a__1 {news} check=0"),
        ]
    );
    assert!(c.fleet.faults().is_empty());
}

#[test]
fn lost_statuses_are_sent_again_in_order() {
    let (mut c, f) = two();
    c.fault(FaultKind::StatusDropped, on_task("c"), |fault| fault.for_ms = Some(25_000));
    c.advance_to(11_000);
    c.heard();
    c.accept(f, vec![launch(vec![task("c", "cpus:1")])]);
    c.advance_to(200_000);
    // Lost at 12 s, sent again at 22 s (lost) and 42 s, when the fault is over.
    assert_eq!(c.heard_of_tasks(), ["42000 c TASK_STARTING", "42000 c TASK_RUNNING"]);
    let (mut c, _) = two();
    c.fault(FaultKind::StatusDropped, on_task("a"), |fault| fault.count = Some(1));
    c.fault(FaultKind::TaskFail, on_task("a"), |_| {});
    assert_eq!(c.heard_of_tasks(), Vec::<String>::new());
    assert_eq!(c.master.machines(&c.fleet)[0].tasks.len(), 2, "the master does not know yet");
    c.advance_to(30_000);
    assert_eq!(c.heard_of_tasks(), ["20000 a__1 TASK_FAILED check=0"]);
}

#[test]
fn chance_depends_only_on_the_seed() {
    let failed = |seed: u64, extra: u32| -> Vec<String> {
        let mut c = Cluster::new(seed);
        c.behave(Target::default(), start_after(1_000));
        c.agents(1, "cpus:100;mem:1024");
        let f = c.framework("f", |_| {});
        let mut tasks: Vec<TaskInfo> = (0..extra).map(|n| task(&format!("extra-{n}"), "cpus:0.1")).collect();
        tasks.extend((0..30).map(|n| task(&format!("t-{n}"), "cpus:0.1")));
        c.accept(f, vec![launch(tasks)]);
        c.advance(5_000);
        c.heard();
        c.fault(FaultKind::TaskFail, on_task("t-*"), |fault| fault.probability = Some(Amount(300)));
        c.heard_of_tasks()
    };
    let few = failed(1, 0);
    assert!((3..16).contains(&few.len()), "{few:?}");
    assert_eq!(few, failed(1, 7), "more tasks shift nobody's luck");
    assert_ne!(few, failed(2, 0));
}

#[test]
fn refusals() {
    let fault = |kind, change: fn(&mut Fault)| {
        let mut fault = Fault {
            fault: kind,
            id: None,
            target: Target::default(),
            for_ms: None,
            count: None,
            probability: None,
            exit_code: None,
            message: None,
            delay_ms: None,
        };
        change(&mut fault);
        fault
    };
    let rows: Vec<(Fault, u16)> = vec![
        (fault(FaultKind::TaskFail, |f| f.target.plugin = Some("x".into())), 400),
        (fault(FaultKind::TaskFail, |f| f.target.task = Some("nobody".into())), 404),
        (fault(FaultKind::AgentLost, |f| f.target.agent = Some("nowhere".into())), 404),
        (fault(FaultKind::TaskFail, |f| f.probability = Some(Amount(1_001))), 400),
        (fault(FaultKind::TaskFail, |f| f.probability = Some(Amount(-1))), 400),
        (fault(FaultKind::CrashLoop, |f| f.count = Some(0)), 400),
        (fault(FaultKind::OffersWithheld, |f| f.count = Some(1)), 400),
        (fault(FaultKind::SchedulerRestart, |f| f.for_ms = Some(1)), 400),
        (fault(FaultKind::Hang, |f| f.id = Some(String::new())), 400),
    ];
    let (mut c, _) = two();
    let before = c.cx.next_seq();
    for (fault, status) in rows {
        let refusal = c.fleet.inject(&mut c.cx, &fault).expect_err("refused");
        assert_eq!(refusal.status, status, "{fault:?}: {}", refusal.message);
    }
    assert_eq!(c.cx.next_seq(), before, "nothing happened");
    c.fault(FaultKind::Hang, on_task("a"), |fault| fault.id = Some("mine".into()));
    let twice = fault(FaultKind::Hang, |f| f.id = Some("mine".into()));
    assert_eq!(c.fleet.inject(&mut c.cx, &twice).expect_err("in use").status, 409);
    assert_eq!(c.fleet.clear(&mut c.cx, "nothing").expect_err("unknown").status, 404);
}
