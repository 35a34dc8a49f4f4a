//! Proposals for a stuck element are tried first; those that do not move the element are not offered.

#![expect(clippy::expect_used, reason = "helpers of tests")]

#[expect(dead_code, reason = "every test binary uses its own part of this")]
mod common;

use common::{HELLO, accept, assert_same, engine, input, load, stand, with_cluster, with_service};
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{Helps, Way};
use planarium_world::{Condition, Engine};

fn path(parts: &[&str]) -> ElementPath {
    let at = |at: usize| parts.get(at).map(|part| (*part).into());
    ElementPath {
        dialect: "sdk".into(),
        service: "hello-world".into(),
        plan: at(0).expect("a plan"),
        phase: at(1),
        step: at(2),
    }
}

/// Returns the blocker of an element and the ways out that trials found.
fn found(engine: &Engine, parts: &[&str]) -> (ElementPath, Vec<Way>) {
    let why = engine.deepest(&path(parts)).expect("an element");
    let mut trials = engine.trials(&why);
    for _ in 0..100 {
        trials.step();
    }
    assert!(trials.is_over(), "trials end");
    (why.path, trials.ways().to_vec())
}

fn titles(ways: &[Way]) -> Vec<(&str, &Helps)> {
    ways.iter().map(|way| (way.unblock.title.as_str(), &way.helps)).collect()
}

fn run(engine: &mut Engine, until: &str) {
    let condition = Condition::parse(until).expect("a condition");
    let advanced = engine.run_until(&condition, 600_000);
    assert!(advanced.met, "{until}: {advanced:?}");
}

#[test]
fn with_withheld_offers_only_ending_the_fault_helps() {
    let mut engine = with_cluster("3");
    accept(&mut engine, input(r#"{"kind":"fault","fault":"offers-withheld","id":"drought"}"#));
    accept(&mut engine, load(HELLO));
    run(&mut engine, "deploy/hello/hello-0:[server]=PREPARED");
    let before = stand(&engine);
    let (blocker, ways) = found(&engine, &["deploy"]);
    assert_eq!(blocker.step.as_deref(), Some("hello-0:[server]"), "the plan's deepest blocker");
    let titles = titles(&ways);
    assert!(
        titles.first().is_some_and(
            |(title, helps)| title.starts_with("End the fault drought:") && **helps == Helps::Moves
        ),
        "{titles:?}"
    );
    assert!(
        !titles.iter().any(|(title, _)| title.contains("Add a machine")),
        "it would change nothing: {titles:?}"
    );
    assert_same(&before, &stand(&engine), "nothing happened to the world itself");
    // The proposal has the promised effect.
    let input = ways.first().and_then(|way| way.unblock.input.clone()).expect("an input");
    accept(&mut engine, input);
    run(&mut engine, "deploy/hello/hello-0:[server]=COMPLETE");
}

#[test]
fn two_obstacles_need_two_steps_and_the_first_way_says_so() {
    let mut engine = engine();
    accept(&mut engine, input(r#"{"kind":"fault","fault":"offers-withheld","id":"drought"}"#));
    accept(&mut engine, load(HELLO));
    engine.advance_for(20_000);
    let (_, ways) = found(&engine, &["deploy"]);
    let first = ways.iter().find(|way| matches!(way.helps, Helps::Then(_)) || way.helps == Helps::Moves);
    assert!(first.is_some(), "{:?}", titles(&ways));
}

#[test]
fn a_plan_that_progresses_on_its_own_gets_no_useless_proposal() {
    let mut engine = with_service(HELLO);
    run(&mut engine, "deploy/hello/hello-0:[server]=STARTING");
    let (_, ways) = found(&engine, &["deploy"]);
    assert!(!titles(&ways).iter().any(|(title, _)| title.contains("Add a machine")), "{:?}", titles(&ways));
}
