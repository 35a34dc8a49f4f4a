//! Canary phases.

use super::bench::Bench;
use planarium_protocol::input::PlanOp;

fn yaml(strategy: &str, count: u32) -> String {
    format!(
        "name: can\npods:\n  p: {{count: {count}, tasks: {{t: {{goal: RUNNING, cmd: sleep 1, cpus: 0.1, memory: 32}}}}}}\n\
         plans:\n  deploy: {{phases: {{p: {{pod: p, strategy: {strategy}}}}}}}\n"
    )
}

#[test]
fn two_continues_then_the_rest() {
    let mut bench = Bench::new(&yaml("canary", 4));
    for host in ["a1", "a2", "a3", "a4"] {
        bench.machine(host, 4, 4096);
    }
    assert_eq!(bench.show("deploy"), "WAITING | WAITING [WAITING, WAITING, PENDING, PENDING]");
    assert_eq!(bench.why("deploy/p/p-0:[t]"), ["canary-gate"]);
    assert_eq!(bench.why("deploy/p/p-3:[t]"), ["canary-gate"]);
    bench.round();
    assert_eq!(bench.taken(), "decline a1,a2,a3,a4 3600s", "a held plan is not idle, but uses nothing");
    assert_eq!(bench.plan(PlanOp::Continue, "deploy/p").expect("accepted"), "Received cmd: continue");
    assert_eq!(bench.show("deploy"), "PENDING | PENDING [PENDING, WAITING, PENDING, PENDING]");
    bench.advance(5_000);
    assert_eq!(bench.taken(), "revive");
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [PREPARED, WAITING, PENDING, PENDING]");
    bench.round();
    assert_eq!(bench.show("deploy"), "WAITING | WAITING [STARTING, WAITING, PENDING, PENDING]");
    bench.all_run();
    assert_eq!(bench.show("deploy"), "WAITING | WAITING [COMPLETE, WAITING, PENDING, PENDING]");
    bench.plan(PlanOp::Continue, "deploy/p").expect("the second gate");
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [COMPLETE, PENDING, PENDING, PENDING]");
    bench.deploy();
}

#[test]
fn the_plan_level_continue_opens_no_gate() {
    let mut bench = Bench::new(&yaml("serial-canary", 3));
    bench.plan(PlanOp::Continue, "deploy").expect("accepted");
    assert_eq!(bench.show("deploy"), "WAITING | WAITING [WAITING, WAITING, PENDING]");
}

#[test]
fn a_parallel_canary_starts_everything_after_its_gates() {
    let mut bench = Bench::new(&yaml("parallel-canary", 4));
    for host in ["a1", "a2", "a3", "a4"] {
        bench.machine(host, 4, 4096);
    }
    bench.plan(PlanOp::Continue, "deploy/p").expect("first");
    bench.plan(PlanOp::Continue, "deploy/p").expect("second, before the first step is done");
    bench.round();
    assert_eq!(bench.show("deploy"), "STARTING | STARTING [STARTING, STARTING, STARTING, STARTING]");
    assert_eq!(
        bench.plan(PlanOp::Interrupt, "deploy/p").expect("no longer ignored"),
        "Received cmd: interrupt"
    );
}

#[test]
fn ways_out_of_a_gate_work() {
    use planarium_protocol::input::Input;
    let mut bench = Bench::new(&yaml("canary", 2));
    for expected in [1, 2] {
        let why = bench.scheduler.why(&bench.path("deploy/p/p-1:[t]")).expect("exists");
        let Some(Input::Plan(command)) = why.unblock.first().and_then(|remedy| remedy.input.clone()) else {
            panic!("a command: {why:?}")
        };
        bench.scheduler.plan_command(&mut bench.cx, &command).expect("the remedy is accepted");
        let open = bench.show("deploy").matches("PENDING").count();
        assert!(open >= expected, "{}", bench.show("deploy"));
    }
}

#[test]
fn a_restart_that_ends_the_canary_orders_all_of_its_steps() {
    let mut bench = Bench::new(&yaml("canary", 3));
    for host in ["a1", "a2", "a3"] {
        bench.machine(host, 4, 4096);
    }
    bench.plan(PlanOp::Continue, "deploy/p").expect("first");
    bench.round();
    bench.all_run();
    assert_eq!(bench.show("deploy"), "WAITING | WAITING [COMPLETE, WAITING, PENDING]");
    bench.plan(PlanOp::Restart, "deploy/p").expect("restarted");
    assert_eq!(bench.show("deploy"), "PENDING | PENDING [PENDING, PENDING, PENDING]");
    assert_eq!(bench.why("deploy/p/p-1:[t]"), ["not-its-turn"], "the first step goes first again");
}
