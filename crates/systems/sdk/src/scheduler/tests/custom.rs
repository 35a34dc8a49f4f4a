//! Custom plans, and two plans over one pod.

use super::bench::Bench;
use planarium_mesos::api::TaskState;
use planarium_protocol::input::PlanOp;

const SIDECAR: &str = "\
name: side
pods:
  hello:
    count: 2
    resource-sets:
      main: {cpus: 0.5, memory: 256}
      side: {cpus: 0.5, memory: 128}
    tasks:
      server: {goal: RUNNING, cmd: sleep 1000, resource-set: main}
      once: {goal: ONCE, cmd: echo, resource-set: side}
      backup: {goal: ONCE, cmd: echo $WHERE, resource-set: side}
plans:
  deploy:
    phases:
      servers: {pod: hello, strategy: parallel, steps: [{default: [[server]]}]}
      onces: {pod: hello, strategy: parallel, steps: [{default: [[once]]}]}
  backup:
    phases:
      backup: {pod: hello, strategy: parallel, steps: [{default: [[backup]]}]}
";

fn finish(bench: &mut Bench, task: &str) {
    bench.status(task, TaskState::Running);
    bench.status(task, TaskState::Finished);
}

fn deployed() -> Bench {
    let mut bench = Bench::new(SIDECAR);
    bench.machine("a1", 4, 4096);
    bench.machine("a2", 4, 4096);
    bench.round();
    bench.all_run();
    bench.advance(5_000);
    bench.round();
    finish(&mut bench, "hello-0-once");
    finish(&mut bench, "hello-1-once");
    bench.advance(5_000);
    assert!(bench.show("deploy").starts_with("COMPLETE"), "{}", bench.show("deploy"));
    bench.taken();
    bench
}

#[test]
fn a_custom_plan_waits_for_a_start_and_can_run_again() {
    let mut bench = deployed();
    assert_eq!(bench.show("backup"), "WAITING | PENDING [PENDING, PENDING]");
    assert_eq!(bench.why("backup"), ["not-started", "child"]);
    assert_eq!(bench.why("backup/backup/hello-0:[backup]"), ["not-started"]);
    let bad = bench.plan_with(PlanOp::Start, "backup", &[("a-b", "1")]).expect_err("bad name");
    assert_eq!(
        (bad.status, bad.message.as_str()),
        (400, "Couldn't parse parameters: a-b is not a valid environment variable name")
    );
    let reply = bench.plan_with(PlanOp::Start, "backup", &[("WHERE", "s3"), ("B", "2")]).expect("started");
    assert_eq!(reply, "Received cmd: start backup with parameters: {B=2, WHERE=s3}");
    assert_eq!(bench.show("backup"), "PENDING | PENDING [PENDING, PENDING]");
    bench.advance(5_000);
    assert_eq!(bench.taken(), "revive");
    bench.round();
    assert_eq!(
        bench.taken(),
        "launch hello-0-backup on a1; launch hello-1-backup on a2",
        "in the footprint that the first launch reserved"
    );
    assert_eq!(bench.env("hello-0-backup").get("WHERE").map(|v| &**v), Some("s3"));
    finish(&mut bench, "hello-0-backup");
    finish(&mut bench, "hello-1-backup");
    assert_eq!(bench.show("backup"), "COMPLETE | COMPLETE [COMPLETE, COMPLETE]");
    bench.plan(PlanOp::Start, "backup").expect("again");
    assert_eq!(bench.show("backup"), "PENDING | PENDING [PENDING, PENDING]", "ONCE tasks run again");
    bench.advance(5_000);
    bench.round();
    assert_eq!(bench.env("hello-0-backup").get("WHERE"), None, "parameters are those of the last start");
    assert_eq!(bench.plan(PlanOp::Stop, "backup").expect("stopped"), "Received cmd: stop");
    assert_eq!(bench.show("backup"), "WAITING | PENDING [PENDING, PENDING]");
    assert_eq!(bench.tasks.len(), 4, "running tasks are not killed");
}

#[test]
fn two_plans_do_not_work_on_one_task_at_the_same_time() {
    let yaml = "\
name: two
pods:
  p: {count: 1, tasks: {t: {goal: RUNNING, cmd: sleep 1, cpus: 0.5, memory: 32}}}
plans:
  deploy: {phases: {p: {pod: p}}}
  again: {phases: {again: {pod: p}}}
";
    let mut bench = Bench::new(yaml);
    bench.machine("a1", 4, 4096);
    bench.plan(PlanOp::Start, "again").expect("started");
    bench.round();
    assert_eq!(bench.show("deploy"), "STARTING | STARTING [STARTING]");
    assert_eq!(bench.show("again"), "PENDING | PENDING [PENDING]");
    assert_eq!(bench.why("again/again/p-0:[t]"), ["dirty-asset"]);
    let why = bench.scheduler.why(&bench.path("again/again/p-0:[t]")).expect("exists");
    assert_eq!(
        why.sentence,
        "p-0:[t] is PENDING: pod p-0 is being worked on by plan deploy: p-0:[t] is STARTING."
    );
    bench.all_run();
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE]");
    bench.taken();
    bench.advance(5_000);
    // No revive: to the tracker of new work it is the same work as before. The freed resources bring an offer.
    assert_eq!(bench.taken(), "kill p-0-t", "now it is the other plan's");
    assert_eq!(bench.show("again"), "IN_PROGRESS | IN_PROGRESS [PREPARED]");
    bench.status("p-0-t", TaskState::Killed);
    bench.advance(5_000);
    assert_eq!(bench.show("recovery"), "COMPLETE", "recovery leaves a dirty pod alone");
    bench.round();
    bench.all_run();
    assert_eq!(bench.show("again"), "COMPLETE | COMPLETE [COMPLETE]");
    bench.advance(5_000);
    assert_eq!(bench.show("recovery"), "COMPLETE");
}

#[test]
fn different_tasks_of_one_pod_do_not_conflict() {
    let mut bench = deployed();
    bench.plan(PlanOp::Restart, "deploy/servers").expect("restarted");
    bench.plan(PlanOp::Start, "backup").expect("started");
    bench.advance(5_000);
    assert_eq!(bench.show("backup"), "IN_PROGRESS | IN_PROGRESS [PREPARED, PREPARED]");
    assert_eq!(
        bench.show("deploy"),
        "IN_PROGRESS | IN_PROGRESS [PREPARED, PREPARED] | COMPLETE [COMPLETE, COMPLETE]"
    );
}

/// Names and words of a pod's tasks, as `pod status` has them.
fn shown(bench: &Bench, pod: &str) -> String {
    let query = crate::SdkQuery::PodStatus { pod: pod.to_owned() };
    let (_, body) = bench.scheduler.query(&query, 0).expect("stored");
    let tasks = body["tasks"].as_array().expect("tasks").iter();
    let word = |task: &serde_json::Value| {
        format!(
            "{} {}",
            task["name"].as_str().unwrap_or_default().trim_start_matches("hello-0-"),
            task["status"].as_str().unwrap_or("-")
        )
    };
    tasks.map(word).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_first_launch_stores_every_task_of_the_pod() {
    let mut bench = Bench::new(SIDECAR);
    bench.machine("a1", 4, 4096);
    bench.round();
    assert_eq!(shown(&bench, "hello-0"), "backup -, once -, server STAGING");
}

#[test]
fn a_launch_stores_the_other_tasks_of_its_resource_set_again() {
    let mut bench = deployed();
    assert_eq!(shown(&bench, "hello-0"), "backup -, once FINISHED, server RUNNING");
    let ids = |bench: &Bench, task: &str| -> Vec<planarium_protocol::Text> {
        let record = bench.scheduler.state.tasks.named(task).expect("stored");
        record.held.iter().map(|held| held.id.clone()).collect()
    };
    let shared = ids(&bench, "hello-0-once");
    bench.plan(PlanOp::Start, "backup").expect("started");
    bench.advance(5_000);
    bench.round();
    assert_eq!(shown(&bench, "hello-0"), "backup STAGING, once -, server RUNNING");
    assert_eq!((ids(&bench, "hello-0-once"), ids(&bench, "hello-0-backup")), (shared.clone(), shared));
    finish(&mut bench, "hello-0-backup");
    finish(&mut bench, "hello-1-backup");
    // Progress under the same name still counts.
    bench.restart(SIDECAR);
    assert_eq!(
        bench.show("deploy"),
        "COMPLETE | COMPLETE [COMPLETE, COMPLETE] | COMPLETE [COMPLETE, COMPLETE]"
    );
}

/// Two plans whose steps work on one resource set of each pod, both started.
fn rivals() -> Bench {
    let yaml = SIDECAR.replace(
        "  backup:\n",
        "  restore:\n    phases:\n      restore: {pod: hello, strategy: parallel, steps: [{default: [[restore]]}]}\n  backup:\n",
    );
    let yaml = yaml.replace(
        "      backup: {goal",
        "      restore: {goal: ONCE, cmd: echo, resource-set: side}\n      backup: {goal",
    );
    let yaml = yaml.replace("count: 2", "count: 1");
    let mut bench = Bench::new(&yaml);
    bench.machine("a1", 4, 4096);
    bench.round();
    bench.all_run();
    bench.advance(5_000);
    bench.round();
    finish(&mut bench, "hello-0-once");
    bench.advance(5_000);
    assert!(bench.show("deploy").starts_with("COMPLETE"), "{}", bench.show("deploy"));
    bench.plan(PlanOp::Start, "restore").expect("started");
    bench.plan(PlanOp::Start, "backup").expect("started");
    bench.advance(5_000);
    bench.taken();
    bench
}

#[test]
fn another_plan_ends_a_launch_in_the_next_cycle_at_the_earliest() {
    let mut bench = rivals();
    bench.round();
    assert_eq!(bench.taken(), "launch hello-0-restore on a1", "it is stored after all steps were worked on");
    assert_eq!(bench.show("restore"), "STARTING | STARTING [STARTING]");
    assert_eq!(bench.show("backup"), "IN_PROGRESS | IN_PROGRESS [PREPARED]");
    let quick = {
        let mut bench = bench.clone();
        finish(&mut bench, "hello-0-restore");
        bench.advance(5_000);
        bench.round();
        finish(&mut bench, "hello-0-backup");
        bench
    };
    for plan in ["restore", "backup"] {
        assert_eq!(quick.show(plan), "COMPLETE | COMPLETE [COMPLETE]", "what ends soon enough is done");
    }
    let why = |bench: &Bench, step: &str| {
        let why = bench.scheduler.why(&bench.path(step)).expect("exists");
        (bench.why(step), why.sentence)
    };
    let (reasons, sentence) = why(&bench, "backup/backup/hello-0:[backup]");
    assert_eq!(reasons[0], "killing");
    assert_eq!(
        sentence,
        "hello-0:[backup] is PREPARED: hello-0-restore of plan restore must end first: both use the resource set \
         side of pod hello-0, and the next cycle ends it."
    );
    bench.status("hello-0-restore", TaskState::Running);
    bench.advance(5_000);
    assert_eq!(bench.taken(), "kill hello-0-restore");
    let (reasons, sentence) = why(&bench, "restore/restore/hello-0:[restore]");
    assert_eq!(reasons, ["killing", "awaiting-exit"]);
    assert_eq!(
        sentence,
        "hello-0:[restore] is STARTED: hello-0:[backup] of plan backup ends hello-0-restore: both use the resource \
         set side of pod hello-0."
    );
    let (reasons, sentence) = why(&bench, "backup/backup/hello-0:[backup]");
    assert_eq!(reasons[0], "killing");
    assert_eq!(
        sentence,
        "hello-0:[backup] is PREPARED: hello-0-restore of plan restore must end first: both use the resource set \
         side of pod hello-0, and the kill is on its way."
    );
    bench.status("hello-0-restore", TaskState::Killed);
    assert_eq!(bench.show("restore"), "PENDING | PENDING [PENDING]");
    let (_, sentence) = why(&bench, "restore/restore/hello-0:[restore]");
    assert_eq!(
        sentence,
        "hello-0:[restore] is PENDING: hello-0:[backup] of plan backup ended hello-0-restore: both use the resource \
         set side of pod hello-0."
    );
    bench.round();
    assert_eq!(bench.taken(), "launch hello-0-restore on a1", "whose plan comes first launches first, again");
}
