//! Plan commands: look-up, admissibility, effects, texts.

use super::bench::Bench;
use super::walkthrough::SEED;
use planarium_mesos::api::TaskState;
use planarium_protocol::input::PlanOp::{self, Continue, ForceComplete, Interrupt, Restart, Start, Stop};

#[track_caller]
fn refused(bench: &mut Bench, op: PlanOp, target: &str) -> (u16, String) {
    let refusal = bench.plan(op, target).expect_err("refused");
    (refusal.status, refusal.message)
}

const ALREADY: &str = "Command has already been reported or completed";

#[test]
fn lookups() {
    let mut bench = Bench::new(SEED);
    for (op, target, status, text) in [
        (Continue, "nope", 404, "Plan nope not found"),
        (Continue, "deploy/nope", 404, "Phase nope not found"),
        (Interrupt, "deploy/", 404, "Phase  not found"),
        (ForceComplete, "deploy/nope", 404, "Phase nope not found"),
        (ForceComplete, "deploy/hello/nope", 404, "Step nope not found"),
        (Restart, "deploy//x", 400, "Missing phase"),
        (
            ForceComplete,
            "deploy/148fdba5-26b6-4485-8bea-fa127e4390e7",
            404,
            "Phase 148fdba5-26b6-4485-8bea-fa127e4390e7 not found",
        ),
        (Start, "nope", 404, "Plan nope not found"),
        (Stop, "nope", 404, "Plan nope not found"),
    ] {
        assert_eq!(refused(&mut bench, op, target), (status, text.to_owned()), "{op:?} {target}");
    }
    let view = bench.scheduler.view();
    let phase = view.plans[0].phases[1].clone();
    let step = phase.steps[1].id.clone();
    let reply = bench.plan(ForceComplete, &format!("deploy/{}/{step}", phase.id)).expect("by id");
    assert_eq!(
        reply,
        format!("Received cmd: forceComplete for Plan: deploy, Phase: {}, Step: {step}", phase.id)
    );
    assert_eq!(bench.show("deploy"), "PENDING | PENDING [PENDING] | IN_PROGRESS [PENDING, COMPLETE]");
    let reply = bench.plan(ForceComplete, "deploy/ / ").expect("blank is absent");
    assert_eq!(reply, "Received cmd: forceComplete for Plan: deploy, Phase:  , Step:  ");
    assert!(bench.show("deploy").starts_with("COMPLETE"));
}

#[test]
fn rules_by_status() {
    let mut bench = Bench::new(SEED);
    // Pending: continue is a no-op, restart is refused, interrupt works once.
    assert_eq!(bench.plan(Continue, "deploy").expect("no-op"), "Received cmd: continue");
    assert_eq!(refused(&mut bench, Restart, "deploy"), (208, ALREADY.to_owned()));
    assert_eq!(refused(&mut bench, Restart, "deploy/hello/hello-0:[server]").0, 208);
    assert_eq!(bench.plan(Interrupt, "deploy").expect("first"), "Received cmd: interrupt");
    assert_eq!(bench.show("deploy"), "WAITING | PENDING [PENDING] | PENDING [PENDING, PENDING]");
    assert_eq!(refused(&mut bench, Interrupt, "deploy").0, 208);
    assert_eq!(bench.why("deploy/hello/hello-0:[server]"), ["interrupted"]);
    bench.plan(Continue, "deploy").expect("released");
    // Running.
    bench.machine("a1", 8, 8192);
    bench.offer(&["a1"]);
    assert_eq!(refused(&mut bench, Continue, "deploy").0, 208);
    assert_eq!(refused(&mut bench, Continue, "deploy/hello").0, 208);
    bench.plan(Interrupt, "deploy/hello").expect("running phases can be held");
    assert_eq!(bench.show("deploy"), "WAITING | WAITING [STARTING] | PENDING [PENDING, PENDING]");
    bench.status_with("hello-0-server", TaskState::Running, Some(0));
    assert_eq!(
        bench.show("deploy"),
        "IN_PROGRESS | COMPLETE [COMPLETE] | PENDING [PENDING, PENDING]",
        "work under way goes on"
    );
    // Complete.
    for op in [Continue, Interrupt, ForceComplete] {
        assert_eq!(refused(&mut bench, op, "deploy/hello").0, 208, "{op:?}");
    }
    bench.deploy();
    for op in [Continue, Interrupt, ForceComplete] {
        assert_eq!(refused(&mut bench, op, "deploy").0, 208, "{op:?}");
    }
    assert_eq!(refused(&mut bench, Interrupt, "recovery").0, 208, "an idle recovery plan cannot be held");
    assert_eq!(bench.plan(Stop, "deploy").expect("stop always works"), "Received cmd: stop");
    assert_eq!(
        bench.show("deploy"),
        "WAITING | WAITING [PENDING] | PENDING [PENDING, PENDING]",
        "the phase is still held"
    );
    assert_eq!(bench.plan(Stop, "recovery").expect("stop always works"), "Received cmd: stop");
}

#[test]
fn force_complete_continues_and_launches_nothing() {
    let mut bench = Bench::new(SEED);
    let reply = bench.plan(ForceComplete, "deploy/hello/hello-0:[server]").expect("done");
    assert_eq!(reply, "Received cmd: forceComplete for Plan: deploy, Phase: hello, Step: hello-0:[server]");
    let view = bench.scheduler.view();
    assert!(view.plans[0].phases[0].steps[0].forced);
    let reply = bench.plan(ForceComplete, "deploy").expect("done");
    assert_eq!(reply, "Received cmd: forceComplete for Plan: deploy, Phase: null, Step: null");
    assert!(bench.tasks.is_empty() && bench.show("deploy").starts_with("COMPLETE"));
    let refusal = view.plans[0].phases[0].actions.iter().find(|a| a.op == Some(Restart)).expect("offered");
    assert_eq!(refusal.refused, None);
}

#[test]
fn restart_of_a_complete_step_relaunches_in_place() {
    let mut bench = Bench::new(SEED);
    bench.machine("a1", 4, 4096);
    bench.machine("a2", 4, 4096);
    bench.deploy();
    let (old, host) = (bench.id("hello-0-server"), bench.host("hello-0-server"));
    let reply = bench.plan(Restart, "deploy/hello/hello-0:[server]").expect("restarted");
    assert_eq!(reply, "Received cmd: restart for Plan: deploy, Phase: hello, Step: hello-0:[server]");
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | PENDING [PENDING] | COMPLETE [COMPLETE, COMPLETE]");
    assert!(bench.taken().is_empty(), "the restart itself kills nothing");
    // A late status of the old task still moves the step, until the next cycle forgets it.
    bench.status_with("hello-0-server", TaskState::Running, Some(0));
    assert!(bench.show("deploy").starts_with("COMPLETE"), "{}", bench.show("deploy"));
    bench.plan(Restart, "deploy/hello/hello-0:[server]").expect("again");
    bench.advance(4_900);
    assert_eq!(bench.taken(), "kill hello-0-server; revive");
    assert_eq!(bench.show("deploy"), "IN_PROGRESS | IN_PROGRESS [PREPARED] | COMPLETE [COMPLETE, COMPLETE]");
    assert_eq!(bench.why("deploy/hello/hello-0:[server]"), ["killing", "no-offers"]);
    bench.round();
    assert_eq!(
        bench.taken(),
        "kill hello-0-server; decline a1,a2 3600s",
        "its resources are still in use, and the kill is said again after five seconds"
    );
    bench.status("hello-0-server", TaskState::Killed);
    bench.round();
    assert_eq!(bench.host("hello-0-server"), host, "in place");
    assert_ne!(bench.id("hello-0-server"), old);
    assert!(bench.taken().starts_with("launch hello-0-server"), "nothing new is reserved");
    assert_eq!(bench.show("recovery"), "COMPLETE", "the deploy plan owns the pod");
}

#[test]
fn restart_implies_a_proceed_for_that_element_only() {
    let mut bench = Bench::new(SEED);
    bench.plan(Interrupt, "deploy").expect("held");
    bench.plan(Interrupt, "deploy/hello").expect("held");
    bench.plan(Restart, "deploy").expect("WAITING is not PENDING");
    assert_eq!(bench.show("deploy"), "WAITING | WAITING [PENDING] | PENDING [PENDING, PENDING]");
    bench.plan(Restart, "deploy/hello").expect("WAITING is not PENDING");
    assert_eq!(bench.show("deploy"), "PENDING | PENDING [PENDING] | PENDING [PENDING, PENDING]");
}

#[test]
fn refused_commands_are_shown_with_the_reason() {
    let bench = Bench::new(SEED);
    let view = bench.scheduler.view();
    let plan = &view.plans[0];
    let refused = |actions: &[planarium_protocol::view::ActionView]| -> Vec<(PlanOp, bool)> {
        actions.iter().filter_map(|action| Some((action.op?, action.refused.is_some()))).collect()
    };
    assert_eq!(
        refused(&plan.actions),
        [
            (Start, false),
            (Stop, false),
            (Interrupt, false),
            (Continue, false),
            (Restart, true),
            (ForceComplete, false)
        ]
    );
    assert_eq!(
        refused(&plan.phases[0].actions),
        [(Interrupt, false), (Continue, false), (Restart, true), (ForceComplete, false)]
    );
    assert_eq!(refused(&plan.phases[0].steps[0].actions), [(Restart, true), (ForceComplete, false)]);
}
