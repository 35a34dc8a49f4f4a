//! Restarts of the scheduler process, with the same and with another definition.

use super::bench::Bench;
use super::walkthrough::SEED;
use planarium_mesos::api::TaskState;
use planarium_protocol::input::PlanOp;

fn deployed(yaml: &str) -> Bench {
    let mut bench = Bench::new(yaml);
    bench.machine("a1", 4, 4096);
    bench.machine("a2", 4, 4096);
    bench.deploy();
    bench
}

#[test]
fn the_same_definition_keeps_tasks_and_target() {
    let mut bench = deployed(SEED);
    let (target, id) = (bench.scheduler.configs.target.id.clone(), bench.id("hello-0-server"));
    let step = bench.scheduler.view().plans[0].phases[0].steps[0].id.clone();
    bench.restart(SEED);
    assert_eq!(bench.scheduler.configs.target.id, target);
    assert_eq!(bench.id("hello-0-server"), id);
    assert_ne!(bench.scheduler.view().plans[0].phases[0].steps[0].id, step, "plans are made anew");
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE] | COMPLETE [COMPLETE, COMPLETE]");
    assert_eq!(bench.taken(), "reconcile 5; reconcile 0");
    bench.round();
    assert_eq!(bench.taken(), "suppress; decline a1,a2 3600s", "statuses or not, there is nothing to do");
    bench.advance(7_000);
    assert_eq!(bench.taken(), "");
    bench.advance(1_000);
    assert!(bench.taken().contains("reconcile 5"), "after 8 s, then 16 s and 30 s");
    bench.advance(15_000);
    assert_eq!(bench.taken(), "");
    bench.advance(1_000);
    assert_eq!(bench.taken(), "reconcile 5");
    bench.all_run();
    bench.advance(5_000);
    assert_eq!(bench.taken(), "");
}

#[test]
fn until_every_status_came_failures_are_detected_and_offers_not_used() {
    let mut bench = deployed(SEED);
    bench.restart(SEED);
    bench.status("hello-0-server", TaskState::Failed);
    bench.calls.clear();
    bench.advance(5_000);
    assert_eq!(bench.show("recovery"), "PENDING | PENDING [PENDING]");
    assert_eq!(bench.taken(), "revive");
    bench.round();
    assert_eq!(bench.taken(), "decline a1,a2 5s");
    bench.all_run();
    bench.advance(5_000);
    bench.calls.clear();
    bench.round();
    assert!(bench.taken().contains("launch hello-0-server"), "now they are");
}

#[test]
fn overrides_are_lost() {
    let mut bench = Bench::new(SEED);
    bench.plan(PlanOp::Interrupt, "deploy").expect("held");
    bench.plan(PlanOp::ForceComplete, "deploy/hello").expect("forced");
    bench.restart(SEED);
    assert_eq!(bench.show("deploy"), "PENDING | PENDING [PENDING] | PENDING [PENDING, PENDING]");
}

#[test]
fn a_task_that_failed_meanwhile_is_pending_in_its_plan() {
    let mut bench = deployed(SEED);
    bench.status("hello-0-server", TaskState::Failed);
    bench.restart(SEED);
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | PENDING [PENDING] | COMPLETE [COMPLETE, COMPLETE]");
    bench.all_run();
    bench.advance(5_000);
    bench.round();
    assert_eq!(bench.show("recovery"), "COMPLETE", "the deploy plan goes first");
    assert_eq!(
        bench.show("deploy"),
        "STARTING | STARTING [STARTING] | COMPLETE [COMPLETE, COMPLETE]".replacen(
            "STARTING",
            "IN_PROGRESS",
            1
        )
    );
}

#[test]
fn more_pods_and_more_cpus() {
    let mut bench = deployed(SEED);
    let old = bench.scheduler.configs.target.id.clone();
    let world = (bench.host("world-0-server"), bench.id("world-0-server"));
    let changed = SEED.replacen("count: 1", "count: 2", 1).replace(
        "server: {goal: RUNNING, cmd: sleep 1000, cpus: 0.5, memory: 256}",
        "server: {goal: RUNNING, cmd: sleep 1000, cpus: 1, memory: 128}",
    );
    bench.restart(&changed);
    assert_ne!(bench.scheduler.configs.target.id, old);
    assert_eq!(
        bench.show("deploy"),
        "IN_PROGRESS | IN_PROGRESS [COMPLETE, PENDING] | PENDING [PENDING, PENDING]",
        "hello-0 did not change"
    );
    bench.all_run();
    bench.advance(5_000);
    bench.round();
    bench.all_run();
    assert!(bench.show("deploy").contains("COMPLETE [COMPLETE, COMPLETE]"), "{}", bench.show("deploy"));
    bench.advance(5_000);
    bench.taken();
    bench.round();
    assert!(!bench.taken().contains("launch"), "the old tasks are still in the way");
    bench.status("world-0-server", TaskState::Killed);
    bench.status("world-0-sidecar", TaskState::Killed);
    bench.advance(5_000);
    bench.taken();
    bench.round();
    let done = bench.taken();
    assert!(
        done.starts_with("unreserve 1; reserve 1; launch world-0-server"),
        "less memory, more cpus: {done}"
    );
    assert_eq!(bench.host("world-0-server"), world.0, "in place");
    assert_ne!(bench.id("world-0-server"), world.1);
    bench.all_run();
    assert_eq!(bench.scheduler.configs.versions.len(), 2, "world-1 still runs the old version");
    // A failure of a pod that has not been updated yet brings the old version back.
    bench.status("world-1-server", TaskState::Failed);
    bench.status("world-1-sidecar", TaskState::Failed);
    assert_eq!(
        bench.scheduler.state.tasks.named("world-1-server").map(|task| task.config.clone()),
        Some(old)
    );
}

#[test]
fn a_custom_plan_and_the_update_plan_after_the_first_deployment() {
    let yaml = "\
name: up
pods:
  p: {count: 1, tasks: {t: {goal: RUNNING, cmd: x, cpus: 0.1, memory: 32}}}
plans:
  deploy: {phases: {first: {pod: p}}}
  update: {phases: {later: {pod: p}}}
  extra: {phases: {extra: {pod: p}}}
";
    let mut bench = Bench::new(yaml);
    bench.machine("a1", 4, 4096);
    let names = |bench: &Bench| -> Vec<String> {
        bench.scheduler.plans.iter().map(|plan| plan.name().to_string()).collect()
    };
    assert_eq!(names(&bench), ["deploy", "recovery", "extra"]);
    bench.deploy();
    bench.restart(yaml);
    assert_eq!(names(&bench), ["deploy", "recovery", "extra"]);
    assert_eq!(bench.scheduler.view().plans[0].phases[0].name.to_string(), "later");
    assert_eq!(bench.show("extra"), "COMPLETE | COMPLETE [COMPLETE]", "all its tasks are done");
}
