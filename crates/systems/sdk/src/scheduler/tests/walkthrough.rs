//! The walk-through of the plans document, state by state.

use super::bench::Bench;
use planarium_kernel::SimTime;
use planarium_mesos::api::TaskState;

pub(super) const SEED: &str = "\
name: hello-world
pods:
  hello:
    count: 1
    tasks:
      server: {goal: RUNNING, cmd: sleep 1000, cpus: 0.5, memory: 256,
        readiness-check: {cmd: 'true', interval: 5, delay: 0, timeout: 10}}
  world:
    count: 2
    tasks:
      server: {goal: RUNNING, cmd: sleep 1000, cpus: 0.5, memory: 256}
      sidecar: {goal: RUNNING, cmd: sleep 1000, cpus: 0.1, memory: 64}
";

#[test]
fn every_state_of_the_document() {
    let mut bench = Bench::new(SEED);
    assert_eq!(
        bench.show("deploy"),
        "PENDING | PENDING [PENDING] | PENDING [PENDING, PENDING]",
        "at load, before anything ran"
    );
    assert_eq!(bench.show("recovery"), "COMPLETE");
    let view = bench.scheduler.view();
    let names: Vec<&str> =
        view.plans[0].phases.iter().flat_map(|phase| phase.steps.iter().map(|step| &*step.name)).collect();
    assert_eq!(names, ["hello-0:[server]", "world-0:[server, sidecar]", "world-1:[server, sidecar]"]);

    // A cycle without offers prepares the first step and requests offers.
    bench.advance(4_999);
    assert!(bench.taken().is_empty());
    bench.advance(1);
    assert_eq!(bench.taken(), "revive");
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [PREPARED] | PENDING [PENDING, PENDING]");
    assert_eq!(bench.why("deploy/hello/hello-0:[server]"), ["no-offers"]);

    bench.machine("a1", 4, 4096);
    bench.offer(&["a1"]);
    // Executor: 3, set: cpus and mem.
    assert_eq!(bench.taken(), "reserve 5; launch hello-0-server on a1");
    assert_eq!(bench.show("deploy"), "STARTING | STARTING [STARTING] | PENDING [PENDING, PENDING]");
    assert_eq!(bench.why("deploy/hello/hello-0:[server]"), ["starting"]);

    bench.status("hello-0-server", TaskState::Running);
    assert_eq!(bench.show("deploy"), "STARTED | STARTED [STARTED] | PENDING [PENDING, PENDING]");
    assert_eq!(bench.why("deploy/hello/hello-0:[server]"), ["readiness"]);
    bench.status_with("hello-0-server", TaskState::Running, Some(1));
    assert_eq!(bench.show("deploy"), "STARTED | STARTED [STARTED] | PENDING [PENDING, PENDING]");
    bench.status_with("hello-0-server", TaskState::Running, Some(0));
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | COMPLETE [COMPLETE] | PENDING [PENDING, PENDING]");

    bench.advance(5_000);
    assert_eq!(bench.taken(), "revive", "a new step is new work");
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | COMPLETE [COMPLETE] | IN_PROGRESS [PREPARED, PENDING]");
    assert_eq!(bench.why("deploy/world/world-1:[server, sidecar]"), ["not-its-turn"]);
    bench.round();
    assert_eq!(bench.taken(), "reserve 7; launch world-0-server on a1; launch world-0-sidecar on a1");
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | COMPLETE [COMPLETE] | STARTING [STARTING, PENDING]");
    bench.status("world-0-sidecar", TaskState::Running);
    assert_eq!(
        bench.show("deploy"),
        "IN_PROGRESS | COMPLETE [COMPLETE] | STARTING [STARTING, PENDING]",
        "the least advanced task decides"
    );
    bench.status("world-0-server", TaskState::Running);
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | COMPLETE [COMPLETE] | IN_PROGRESS [COMPLETE, PENDING]");
    bench.advance(5_000);
    bench.round();
    bench.all_run();
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE] | COMPLETE [COMPLETE, COMPLETE]");
    assert!(!bench.scheduler.state.completed_once, "not before a cycle has seen it");
    bench.taken();
    bench.advance(5_000);
    assert_eq!(bench.taken(), "suppress");
    assert!(bench.scheduler.state.completed_once);
    assert_eq!(bench.scheduler.one_shots(), 0, "nothing left to do");
}

#[test]
fn offers_are_collected_for_a_batch_and_a_machine_serves_one_step() {
    let yaml = "\
name: par
pods:
  p: {count: 3, tasks: {t: {goal: RUNNING, cmd: sleep 1, cpus: 0.1, memory: 32}}}
plans:
  deploy: {phases: {p: {pod: p, strategy: parallel}}}
";
    let mut bench = Bench::new(yaml);
    bench.machine("a1", 8, 8192);
    bench.machine("a2", 8, 8192);
    bench.round();
    assert_eq!(bench.now(), SimTime(200));
    assert_eq!(
        bench.taken(),
        "reserve 5; launch p-0-t on a1; reserve 5; launch p-1-t on a2; revive",
        "the third step finds no machine left"
    );
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [STARTING, STARTING, PREPARED]");
    bench.all_run();
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [COMPLETE, COMPLETE, PREPARED]");
    bench.round();
    bench.all_run();
    assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE, COMPLETE, COMPLETE]");
}

#[test]
fn goals_finish_and_once_need_exit_code_zero() {
    for goal in ["FINISH", "ONCE"] {
        let yaml = format!(
            "name: f\npods:\n  p: {{count: 1, tasks: {{t: {{goal: {goal}, cmd: x, cpus: 1, memory: 32}}}}}}\n"
        );
        let mut bench = Bench::new(&yaml);
        bench.machine("a1", 4, 4096);
        bench.round();
        bench.status("p-0-t", TaskState::Running);
        assert_eq!(bench.show("deploy"), "STARTED | STARTED [STARTED]");
        assert_eq!(bench.why("deploy/p/p-0:[t]"), ["awaiting-exit"]);
        bench.status("p-0-t", TaskState::Finished);
        assert_eq!(bench.show("deploy"), "COMPLETE | COMPLETE [COMPLETE]");
        bench.advance(60_000);
        assert_eq!(bench.show("recovery"), "COMPLETE", "{goal} is never recovered");
    }
}

#[test]
fn each_change_names_its_cause() {
    use planarium_kernel::Cause;
    use planarium_protocol::event::EventBody;
    let mut bench = Bench::new(SEED);
    bench.machine("a1", 4, 4096);
    bench.offer(&["a1"]);
    let events = bench.cx.drain();
    let evaluated = events.iter().find(|e| matches!(&e.body, EventBody::Evaluated { passed: true, .. }));
    let evaluated = evaluated.expect("a fitting offer").seq;
    let changes: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ElementStatus { path, .. } => Some((event.seq, event.cause, path.step.is_some())),
            _ => None,
        })
        .collect();
    let (step, cause, is_step) = changes[0];
    assert_eq!((cause, is_step), (Cause::Event(evaluated), true), "the step follows from the evaluation");
    assert_eq!(changes[1].1, Cause::Event(step), "the phase from the step");
    assert_eq!(changes[2].1, Cause::Event(changes[1].0), "the plan from the phase");
}
