//! Recovery: failed tasks, lost machines, replaced pods, delays.

use super::bench::Bench;
use super::walkthrough::SEED;
use planarium_mesos::api::TaskState;
use planarium_protocol::event::EventBody;
use planarium_protocol::input::{PlanOp, PodOp};

fn deployed(yaml: &str, hosts: &[&str]) -> Bench {
    let mut bench = Bench::new(yaml);
    for host in hosts {
        bench.machine(host, 4, 4096);
    }
    bench.deploy();
    bench
}

fn phases(bench: &Bench) -> Vec<(String, String)> {
    let view = bench.scheduler.view();
    let plan = view.plans.iter().find(|plan| &*plan.name == "recovery").expect("always there");
    plan.phases.iter().map(|phase| (phase.name.to_string(), phase.status.to_string())).collect()
}

#[test]
fn a_crash_after_completion_is_recovered_in_place_immediately() {
    let mut bench = deployed(SEED, &["a1", "a2"]);
    assert_eq!(bench.scheduler.plans.iter().nth(1).expect("a plan").strategy(), "parallel");
    let host = bench.host("hello-0-server");
    bench.status("hello-0-server", TaskState::Failed);
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE] | COMPLETE [COMPLETE, COMPLETE]");
    assert!(phases(&bench).is_empty(), "noticed in the next cycle");
    bench.advance(5_000);
    assert_eq!(bench.taken(), "revive");
    assert_eq!(phases(&bench), [("hello-0:[server]".to_owned(), "IN_PROGRESS".to_owned())]);
    assert_eq!(bench.why("recovery/hello-0:[server]/hello-0:[server]"), ["no-offers"]);
    let other = if host == "a1" { "a2" } else { "a1" };
    bench.offer(&[other]);
    assert_eq!(
        bench.show("recovery"),
        "IN_PROGRESS | IN_PROGRESS [PREPARED]",
        "only its own resources will do"
    );
    assert_eq!(bench.why("recovery/hello-0:[server]/hello-0:[server]"), ["no-matching-offer"]);
    bench.taken();
    bench.offer(&[&host]);
    assert_eq!(bench.taken(), format!("launch hello-0-server on {host}"), "nothing new is reserved");
    bench.status_with("hello-0-server", TaskState::Running, Some(0));
    assert_eq!(bench.show("recovery"), "COMPLETE | COMPLETE [COMPLETE]");
    bench.advance(5_000);
    assert_eq!(bench.taken(), "suppress");
    // The completed phase stays until the same tasks fail again.
    let first = bench.scheduler.view().plans[1].phases[0].id.clone();
    bench.status("hello-0-server", TaskState::Failed);
    bench.advance(5_000);
    assert_eq!(phases(&bench).len(), 1);
    assert_ne!(bench.scheduler.view().plans[1].phases[0].id, first);
}

#[test]
fn a_detected_failure_is_reported_with_its_cause() {
    use planarium_kernel::Cause;
    let mut bench = deployed(SEED, &["a1"]);
    bench.cx.drain();
    let failed = bench.cx.emit(EventBody::FaultStruck {
        fault: "f".into(),
        target: "hello-0-server".into(),
        task_id: "".into(),
    });
    bench.cx.set_cause(Cause::Event(failed));
    bench.status("hello-0-server", TaskState::Failed);
    bench.cx.set_cause(Cause::Genesis);
    bench.advance(5_000);
    let events = bench.cx.drain();
    let noticed =
        events.iter().find(|event| matches!(event.body, EventBody::RecoveryNeeded { .. })).expect("told");
    assert_eq!(noticed.cause, Cause::Event(failed));
    let added =
        events.iter().find(|event| matches!(event.body, EventBody::PhaseChanged { .. })).expect("told");
    assert_eq!(added.cause, Cause::Event(noticed.seq));
}

#[test]
fn an_essential_failure_ends_the_pod_a_nonessential_one_only_itself() {
    let yaml = |essential: bool| {
        format!(
            "name: ess\npods:\n  p:\n    count: 1\n    tasks:\n      \
             main: {{goal: RUNNING, cmd: sleep 1, cpus: 0.5, memory: 32}}\n      \
             side: {{goal: RUNNING, essential: {essential}, cmd: sleep 1, cpus: 0.5, memory: 32}}\n      \
             init: {{goal: ONCE, cmd: echo, cpus: 0.1, memory: 32}}\n\
             plans:\n  deploy: {{phases: {{p: {{pod: p, steps: [{{default: [[main, side]]}}]}}}}}}\n"
        )
    };
    let mut bench = deployed(&yaml(true), &["a1"]);
    bench.status("p-0-side", TaskState::Failed);
    bench.advance(4_000);
    assert_eq!(phases(&bench)[0].0, "p-0:[main, side]", "goal-RUNNING tasks that were ever launched");
    assert_eq!(bench.taken(), "kill p-0-main; revive");
    bench.round();
    assert_eq!(bench.taken(), "decline a1 3600s", "the executor still runs");
    bench.status("p-0-main", TaskState::Killed);
    bench.advance(5_000);
    bench.round();
    assert_eq!(bench.show("recovery"), "STARTING | STARTING [STARTING]");
    bench.all_run();
    assert_eq!(bench.show("recovery"), "COMPLETE | COMPLETE [COMPLETE]");

    let mut bench = deployed(&yaml(false), &["a1"]);
    let executor = bench.tasks.values().next().expect("runs").executor.clone();
    bench.status("p-0-side", TaskState::Failed);
    bench.advance(5_000);
    assert_eq!(phases(&bench)[0].0, "p-0:[side]");
    assert_eq!(bench.taken(), "revive", "the other task runs on");
    bench.round();
    assert_eq!(bench.taken(), "launch p-0-side on a1");
    assert!(bench.tasks.values().all(|task| task.executor == executor), "inside the surviving executor");
}

#[test]
fn only_four_machines_without_the_reservations_are_evaluated() {
    let hosts: Vec<String> = (1..=9).map(|n| format!("a{n}")).collect();
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let mut bench = deployed(SEED, &hosts);
    let home = bench.host("hello-0-server");
    bench.machines.get_mut(&*home).expect("there").away = true;
    bench.status("hello-0-server", TaskState::Unreachable);
    let others: Vec<&str> = hosts.iter().copied().filter(|host| *host != home).collect();
    let before = bench.scheduler.offers.history.rejected;
    for _ in 0..5 {
        bench.advance(5_000);
        bench.offer(&others);
        bench.advance(1_000);
    }
    assert_eq!(bench.scheduler.offers.history.rejected - before, 4, "and not again in every cycle");
    // Its own machine is evaluated as soon as it is back.
    bench.machines.get_mut(&*home).expect("there").away = false;
    bench.status("hello-0-server", TaskState::Lost);
    bench.offer(&hosts);
    bench.advance(5_000);
    assert_eq!(bench.host("hello-0-server"), home);
}

#[test]
fn a_lost_machine_is_awaited_and_a_replaced_pod_moves() {
    let mut bench = deployed(SEED, &["a1", "a2"]);
    let host = bench.host("hello-0-server");
    let other = if host == "a1" { "a2" } else { "a1" };
    bench.machines.get_mut(&*host).expect("there").away = true;
    bench.status("hello-0-server", TaskState::Unreachable);
    for _ in 0..3 {
        bench.advance(5_000);
        bench.offer(&[other]);
    }
    let step = "recovery/hello-0:[server]/hello-0:[server]";
    assert_eq!(bench.show("recovery"), "IN_PROGRESS | IN_PROGRESS [PREPARED]");
    let why = bench.scheduler.why(&bench.path(step)).expect("exists");
    assert!(
        why.reasons.iter().any(|r| r.text.contains(&format!("its reservations are on {host}"))),
        "{why:?}"
    );
    assert!(why.unblock.iter().any(|remedy| remedy.title.contains("Replace pod hello-0")), "{why:?}");
    let reply = bench.pod(PodOp::Replace, "hello-0", &[]).expect("accepted");
    assert_eq!(reply, serde_json::json!({"pod": "hello-0", "tasks": ["hello-0-server"]}));
    bench.advance(5_000);
    let events = bench.cx.drain();
    let permanent =
        |e: &EventBody| matches!(e, EventBody::RecoveryNeeded { recovery, .. } if &**recovery == "PERMANENT");
    assert!(events.iter().any(|event| permanent(&event.body)), "escalated");
    let replaced =
        |e: &EventBody| matches!(e, EventBody::PhaseChanged { change, .. } if &**change == "replaced");
    assert!(events.iter().any(|event| replaced(&event.body)));
    assert_eq!(phases(&bench).len(), 1);
    bench.taken();
    bench.offer(&[other]);
    assert!(bench.taken().starts_with("reserve 5; launch hello-0-server"), "a new footprint");
    assert_eq!(bench.host("hello-0-server"), other);
    // The machine comes back: the old reservations are given up when offered, the old task is killed.
    bench.machines.get_mut(&*host).expect("there").away = false;
    let now = bench.id("hello-0-server");
    let mut of_task = bench.tasks.iter().filter(|(_, live)| *live.info.name == *"hello-0-server");
    let old = of_task.find(|(id, _)| **id != now);
    let old = old.map(|(id, _)| id.clone()).expect("still alive there");
    // The master's answer to the kill, then the machine's own word.
    bench.status_of(&old, TaskState::Unreachable, None);
    bench.taken();
    bench.status_of(&old, TaskState::Running, Some(0));
    assert_eq!(bench.taken(), "kill hello-0-server", "a task under an old id must not run on");
    bench.status_of(&old, TaskState::Killed, None);
    bench.round();
    assert!(bench.taken().contains("unreserve 5"), "garbage is collected");
    bench.all_run();
    assert_eq!(bench.show("recovery"), "COMPLETE | COMPLETE [COMPLETE]");
}

#[test]
fn pod_restart_kills_and_recovery_relaunches() {
    let mut bench = deployed(SEED, &["a1"]);
    assert_eq!(
        bench.pod(PodOp::Restart, "nope-0", &[]).expect_err("unknown").message,
        "Pod nope-0 not found"
    );
    bench.pod(PodOp::Restart, "world-1", &[]).expect("accepted");
    assert_eq!(bench.taken(), "kill world-1-server; kill world-1-sidecar");
    bench.status("world-1-server", TaskState::Killed);
    bench.status("world-1-sidecar", TaskState::Killed);
    bench.advance(5_000);
    assert_eq!(phases(&bench)[0].0, "world-1:[server, sidecar]");
    bench.round();
    bench.all_run();
    assert_eq!(phases(&bench)[0].1, "COMPLETE");
}

#[test]
fn an_interrupted_recovery_plan_detects_nothing() {
    let mut bench = deployed(SEED, &["a1"]);
    bench.status("hello-0-server", TaskState::Failed);
    bench.advance(5_000);
    bench.plan(PlanOp::Interrupt, "recovery").expect("it has work");
    bench.status("world-0-server", TaskState::Failed);
    bench.advance(15_000);
    assert_eq!(phases(&bench).len(), 1, "held: new failures do not appear");
    bench.plan(PlanOp::Continue, "recovery").expect("released");
    bench.advance(5_000);
    assert_eq!(phases(&bench).len(), 2);
}

#[test]
fn failures_before_readiness_are_delayed_longer_each_time() {
    let mut bench = Bench::with_env(
        "name: b\npods:\n  p: {count: 2, tasks: {t: {goal: RUNNING, cmd: x, cpus: 0.5, memory: 32}}}\n",
        &[("ENABLE_BACKOFF", "true")],
    );
    bench.machine("a1", 4, 4096);
    let mut expected = 60_000;
    for round in 0..3 {
        bench.round();
        assert_eq!(bench.show("deploy"), "STARTING | STARTING [STARTING, PENDING]", "round {round}");
        bench.status("p-0-t", TaskState::Failed);
        assert_eq!(
            bench.show("deploy"),
            "ERROR | ERROR [DELAYED, PENDING]",
            "the real roll-up has no word for it"
        );
        assert_eq!(bench.why("deploy/p/p-0:[t]"), ["backoff", "quirk"]);
        assert_eq!(bench.why("deploy/p"), ["quirk", "child"]);
        let (code, _) =
            bench.scheduler.query(&crate::SdkQuery::Plan { name: "deploy".into() }, 0).expect("exists");
        assert_eq!(code, 417);
        bench.advance(expected - 1);
        assert_eq!(bench.show("deploy"), "ERROR | ERROR [DELAYED, PENDING]", "round {round}");
        bench.advance(1);
        assert_ne!(bench.show("deploy"), "ERROR | ERROR [DELAYED, PENDING]", "round {round}");
        expected = expected * 115 / 100;
    }
    bench.round();
    bench.all_run();
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [COMPLETE, PENDING]");
    // Reaching the goal forgets the delay; a crash after that is recovered without one.
    bench.status("p-0-t", TaskState::Failed);
    bench.advance(5_000);
    assert_eq!(phases(&bench)[0].1, "IN_PROGRESS");
}

#[test]
fn a_restart_clears_the_delay() {
    let mut bench = Bench::with_env(
        "name: b\npods:\n  p: {count: 1, tasks: {t: {goal: RUNNING, cmd: x, cpus: 0.5, memory: 32}}}\n",
        &[("ENABLE_BACKOFF", "true")],
    );
    bench.machine("a1", 4, 4096);
    bench.round();
    bench.status("p-0-t", TaskState::Failed);
    assert_eq!(bench.show("deploy"), "DELAYED | DELAYED [DELAYED]");
    bench.advance(5_000);
    assert!(bench.taken().ends_with("suppress"), "delayed is idle");
    bench.plan(PlanOp::Restart, "deploy/p/p-0:[t]").expect("restarted");
    assert_eq!(bench.show("deploy"), "PENDING | PENDING [PENDING]");
    bench.advance(5_000);
    assert_eq!(bench.taken(), "revive");
    bench.round();
    bench.all_run();
    assert!(bench.show("deploy").starts_with("COMPLETE"));
}

#[test]
fn without_delays_a_failure_is_pending_immediately() {
    let mut bench = Bench::new(SEED);
    bench.machine("a1", 4, 4096);
    bench.round();
    bench.status("hello-0-server", TaskState::Failed);
    assert_eq!(bench.show("deploy"), "PENDING | PENDING [PENDING] | PENDING [PENDING, PENDING]");
    let moves = bench.moves();
    assert!(!moves.iter().any(|text| text.contains("DELAYED")), "{moves:?}");
    assert_eq!(moves.last().map(String::as_str), Some("deploy STARTING>PENDING"));
}

#[test]
fn a_lost_status_after_the_end_is_ignored() {
    let mut bench = deployed(SEED, &["a1"]);
    let id = bench.id("hello-0-server");
    bench.status("hello-0-server", TaskState::Failed);
    bench.status_of(&id, TaskState::Lost, None);
    assert_eq!(
        bench.scheduler.state.tasks.named("hello-0-server").and_then(|t| t.status.as_ref()).map(|s| s.state),
        Some("TASK_FAILED")
    );
}

#[test]
fn pause_and_resume() {
    let mut bench = deployed(SEED, &["a1"]);
    assert_eq!(bench.pod(PodOp::Pause, "hello-0", &["nope"]).expect_err("unknown task").status, 404);
    bench.pod(PodOp::Pause, "hello-0", &["server"]).expect("by short name");
    assert_eq!(bench.taken(), "kill hello-0-server");
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [PAUSED] | COMPLETE [COMPLETE, COMPLETE]");
    bench.status("hello-0-server", TaskState::Killed);
    bench.advance(5_000);
    assert_eq!(bench.show("recovery"), "IN_PROGRESS | IN_PROGRESS [PAUSING]");
    bench.round();
    let paused = bench.tasks.values().find(|task| &*task.info.name == "hello-0-server").expect("launched");
    assert!(paused.info.program.command.contains("PAUSED") && paused.info.program.health.is_none());
    bench.status_with("hello-0-server", TaskState::Running, Some(1));
    assert_eq!(bench.show("recovery"), "STARTED | STARTED [PAUSING]");
    let status =
        bench.scheduler.query(&crate::SdkQuery::PodStatus { pod: "hello-0".into() }, 0).expect("stored").1;
    assert_eq!(status["tasks"][0]["status"], "PAUSED");
    bench.pod(PodOp::Resume, "hello-0", &[]).expect("accepted");
    bench.status("hello-0-server", TaskState::Killed);
    bench.advance(5_000);
    bench.round();
    bench.status_with("hello-0-server", TaskState::Running, Some(0));
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE] | COMPLETE [COMPLETE, COMPLETE]");
    let status =
        bench.scheduler.query(&crate::SdkQuery::PodStatus { pod: "hello-0".into() }, 0).expect("stored").1;
    assert_eq!(status["tasks"][0]["status"], "RUNNING");
}

#[test]
fn a_replacement_policy_gives_a_failed_pod_up() {
    let mut bench = Bench::with_env(
        SEED,
        &[
            ("ENABLE_AUTOMATIC_POD_REPLACEMENT", "true"),
            ("PERMANENT_FAILURE_TIMEOUT_SECS", "120"),
            ("MIN_REPLACE_DELAY_SECS", "240"),
        ],
    );
    assert!(bench.scheduler.configs.target.spec.replacement_failure_policy.is_some());
    bench.machine("a1", 4, 4096);
    bench.machine("a2", 4, 4096);
    bench.deploy();
    let host = bench.host("hello-0-server");
    bench.machines.get_mut(&*host).expect("there").away = true;
    bench.status("hello-0-server", TaskState::Unreachable);
    bench.cx.drain();
    bench.advance(120_000);
    assert_eq!(phases(&bench).len(), 1);
    bench.advance(20_000);
    bench.round();
    assert_ne!(bench.host("hello-0-server"), host, "replaced after the timeout");
}

#[test]
fn a_new_scheduler_process_restarts_the_wait_before_it_gives_a_pod_up() {
    let env = [("ENABLE_AUTOMATIC_POD_REPLACEMENT", "true"), ("PERMANENT_FAILURE_TIMEOUT_SECS", "120")];
    let mut bench = Bench::with_env(SEED, &env);
    bench.machine("a1", 4, 4096);
    bench.machine("a2", 4, 4096);
    bench.deploy();
    let host = bench.host("hello-0-server");
    bench.machines.get_mut(&*host).expect("there").away = true;
    bench.status("hello-0-server", TaskState::Unreachable);
    bench.advance(100_000);
    bench.restart_with(SEED, &env);
    bench.all_run();
    bench.status("hello-0-server", TaskState::Unreachable);
    // It failed before the start, so its deploy step has it, and is completed by hand.
    bench.plan(PlanOp::ForceComplete, "deploy/hello").expect("completed");
    bench.advance(110_000);
    bench.round();
    assert_eq!(bench.host("hello-0-server"), host, "210 s after the failure, 110 s after the restart");
    bench.advance(30_000);
    bench.round();
    assert_ne!(bench.host("hello-0-server"), host);
}
