//! Canary phases: two proceeds by default, and everything that can go otherwise.

use crate::dsl::{check_story, nth, plan, run};
use planarium_plan::{Element, PhaseSpec, PlanSpec, PlanTree, StepSpec, StrategySpec};

#[test]
fn one_step_then_the_rest() {
    check_story(
        "s; cs P P P",
        &[
            ("", "W(W:WWP)"),
            ("proceed 0", "P(P:PWP) 0.0"),
            ("0.0=R", "I(I:RWP) 0.0"),
            ("0.0=G", "W(W:GWP) 0.0"),
            ("0.0=S", "W(W:SWP) 0.0"),
            ("0.0=C", "W(W:CWP)"),
            ("proceed 0", "I(I:CPP) 0.1"),
            // The serial order was fixed when the canary ended: the first step is not part of it.
            ("restart 0.0", "P(P:PPP) 0.0 0.1"),
        ],
    );
    check_story(
        "s; cp P P P P",
        &[
            ("proceed 0 then 0.0=C", "W(W:CWPP)"),
            ("proceed 0", "I(I:CPPP) 0.1 0.2 0.3"),
            ("restart 0", "P(P:PPPP) 0.0 0.1 0.2 0.3"),
        ],
    );
}

#[test]
fn the_second_proceed_may_come_early() {
    check_story(
        "s; cs P P P",
        &[
            ("proceed 0 then 0.0=G", "W(W:GWP) 0.0"),
            ("proceed 0", "G(G:GPP) 0.0"),
            ("0.0=C", "I(I:CPP) 0.1"),
            ("restart 0.0", "P(P:PPP) 0.0"),
        ],
    );
    check_story("s; cp P P P", &[("proceed 0 then proceed 0", "P(P:PPP) 0.0 0.1 0.2")]);
}

#[test]
fn complete_steps_need_no_proceed() {
    check_story("s; cs C C P", &[("", "W(W:CCW)"), ("proceed 0", "I(I:CCP) 0.2")]);
    check_story("s; cs C C", &[("", "C(C:CC)")]);
    check_story("s; cs", &[("", "C(C:)")]);
    for (spec, left) in [("s; cs P P P", 2), ("s; cs C C P", 1), ("s; cs C C", 0), ("s; cs G E P", 1)] {
        let tree = plan(spec);
        assert_eq!((tree.proceeds_left(nth(&tree, 0)), tree.in_canary(nth(&tree, 0))), (left, left > 0));
    }
}

#[test]
fn only_the_hold_of_a_canary_step_counts() {
    check_story(
        "s; cs P P P",
        &[
            ("force 0.0", "W(W:CWP)"),
            // Spent on the step that is complete already.
            ("proceed 0", "W(W:CWP)"),
            ("proceed 0", "I(I:CPP) 0.1"),
        ],
    );
    check_story("s; cs P P", &[("force 0", "C(C:CC)"), ("restart 0", "W(W:WW)")]);
}

#[test]
fn interrupting_a_canary_phase() {
    check_story(
        "s; cs P P P",
        &[
            ("interrupt 0 then proceed 0", "P(P:PWP) 0.0"),
            ("interrupt 0", "P(P:PWP) 0.0"),
            ("proceed 0", "P(P:PPP) 0.0"),
            ("interrupt 0", "W(W:PPP)"),
            ("proceed 0", "P(P:PPP) 0.0"),
            // Holding a canary step again opens the period again.
            ("interrupt 0.1", "P(P:PWP) 0.0"),
        ],
    );
}

#[test]
fn under_a_serial_plan() {
    check_story(
        "s; s P; cs P P P",
        &[
            ("", "P(P:P W:WWP) 0.0"),
            ("proceed", "P(P:P W:WWP) 0.0"),
            ("proceed 1", "P(P:P P:PWP) 0.0"),
            ("0.0=C", "I(C:C P:PWP) 1.0"),
            ("1.0=C", "W(C:C W:CWP)"),
            ("proceed 1", "I(C:C I:CPP) 1.1"),
        ],
    );
}

#[test]
fn the_restart_command_ends_the_period_and_fixes_the_order_immediately() {
    for (spec, restarted) in [("s; cs P P P", "P(P:PPP) 0.0"), ("s; cp P P P", "P(P:PPP) 0.0 0.1 0.2")] {
        check_story(spec, &[("proceed 0 then 0.0=C", "W(W:CWP)"), ("rerun 0", restarted)]);
    }
    // The order is fixed among the steps after the command, here without the complete one.
    check_story(
        "s; cs P P P",
        &[
            ("proceed 0 then 0.0=C", "W(W:CWP)"),
            ("rerun 0.1", "I(I:CPP) 0.1"),
            ("rerun 0.0", "P(P:PPP) 0.0 0.1"),
        ],
    );
}

#[test]
fn the_restart_command_releases() {
    check_story("s; cs P P P", &[("rerun 0", "P(P:PWP) 0.0"), ("rerun 0.1", "P(P:PPP) 0.0")]);
    check_story("s; cs P P P", &[("restart 0", "W(W:WWP)")]);
}

#[test]
fn any_number_of_proceeds() {
    let strategy = StrategySpec::Canary { inner: Box::new(StrategySpec::Parallel), proceeds: 3 };
    let steps = ["a", "b", "c", "d"].map(StepSpec::new);
    let mut tree =
        PlanTree::new(&PlanSpec::new("plan", StrategySpec::Serial, [PhaseSpec::new("p", strategy, steps)]));
    let mut counts = vec![tree.candidates().count()];
    while tree.proceed(nth(&tree, 0).into()) {
        counts.push(tree.candidates().count());
    }
    assert_eq!(counts, [0, 1, 2, 4]);
}

#[test]
fn a_plan_cannot_have_a_canary() {
    let mut tree = PlanTree::new(&PlanSpec::new(
        "plan",
        StrategySpec::canary(StrategySpec::Parallel),
        [PhaseSpec::new("p", StrategySpec::Serial, [StepSpec::new("a")])],
    ));
    assert_eq!(tree.strategy(Element::Plan), Some(&StrategySpec::Parallel));
    run(&mut tree, "0.0=C");
    assert!(tree.status(Element::Plan).is_complete());
}
