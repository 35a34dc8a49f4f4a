//! Serial, parallel and dependency, and how statuses roll up along the way.

use crate::dsl::{check_story, plan, run};
use planarium_plan::{Change, Element, Status};

/// The diagrams of the documentation from which plans come.
#[test]
fn initial_deployment() {
    check_story(
        "s; s P; s P P",
        &[
            ("", "P(P:P P:PP) 0.0"),
            ("0.0=R", "I(I:R P:PP) 0.0"),
            ("0.0=G", "G(G:G P:PP) 0.0"),
            ("0.0=S", "S(S:S P:PP) 0.0"),
            ("0.0=C", "I(C:C P:PP) 1.0"),
            ("1.0=R", "I(C:C I:RP) 1.0"),
            ("1.0=G", "I(C:C G:GP) 1.0"),
            ("1.0=S", "I(C:C S:SP) 1.0"),
            ("1.0=C", "I(C:C I:CP) 1.1"),
            ("1.1=C", "C(C:C C:CC)"),
        ],
    );
    check_story("s; s C C; p G P C", &[("", "I(C:CC I:GPC) 1.0 1.1")]);
}

#[test]
fn configuration_change() {
    check_story("s; s C P; s P P", &[("", "I(I:CP P:PP) 0.1")]);
    check_story("s; s C C; s P P", &[("", "I(C:CC P:PP) 1.0")]);
}

/// Consequences of the published table.
#[test]
fn consequences_of_the_table() {
    check_story("p", &[("", "C()"), ("interrupt", "C()")]);
    check_story("s; s", &[("", "C(C:)")]);
    check_story("s; s C", &[("interrupt", "C(C:C)"), ("interrupt 0", "C(C:C)")]);
    // DELAYED mixed with what no row names.
    check_story("s; s C D", &[("", "E(E:CD)"), ("0.1=P", "I(I:CP) 0.1")]);
    check_story("s; s D P", &[("", "E(E:DP)"), ("0.0=P", "P(P:PP) 0.0")]);
    check_story("s; p D P", &[("", "P(P:DP) 0.1")]);
    check_story("s; s D", &[("", "D(D:D)")]);
    check_story("s; s D; s P", &[("", "E(D:D P:P)")]);
    check_story("p; s D; s P", &[("", "P(D:D P:P) 1.0")]);
    // An ERROR phase is not a candidate, so its steps are not either.
    check_story("p; p D C; s P", &[("", "E(E:DC P:P) 1.0")]);
    // Row 5 checks children, not candidates.
    check_story("s; s P R", &[("", "I(I:PR) 0.0")]);
}

#[test]
fn serial() {
    check_story(
        "s; s P P P",
        &[
            ("", "P(P:PPP) 0.0"),
            ("force 0.2", "I(I:PPC) 0.0"),
            ("0.0=C", "I(I:CPC) 0.1"),
            ("restart 0.0", "I(I:PPC) 0.0"),
            ("force 0.0 then 0.1=C", "C(C:CCC)"),
            ("restart 0.1", "I(I:CPC) 0.1"),
        ],
    );
    // Steps complete from the start wait for none and block none.
    check_story(
        "s; s C P P",
        &[("", "I(I:CPP) 0.1"), ("restart 0.0", "P(P:PPP) 0.0 0.1"), ("0.1=C", "I(I:PCP) 0.0 0.2")],
    );
    // So do phases.
    check_story("s; s C; s P; s P", &[("restart 0", "P(P:P P:P P:P) 0.0 1.0")]);
}

#[test]
fn errors_block_later_children() {
    check_story("s; s E; s P", &[("", "E(E:E P:P)"), ("force 0", "E(E:C P:P)")]);
    check_story("p; s E; s P", &[("", "E(E:E P:P) 1.0")]);
    check_story("s; p E P", &[("", "E(E:EP)")]);
}

#[test]
fn dependency() {
    check_story(
        "s; d(2<0,2<1,2<1,9<0,0<7) P P P",
        &[
            ("", "P(P:PPP) 0.0 0.1"),
            ("0.0=C", "I(I:CPP) 0.1"),
            ("0.1=C", "I(I:CCP) 0.2"),
            ("restart 0.0", "I(I:PCP) 0.0"),
            ("force 0", "C(C:CCC)"),
        ],
    );
    // Not transitive.
    check_story("s; d(1<0,2<1) P C P", &[("", "I(I:PCP) 0.0 0.2")]);
    // Members of a cycle never run.
    check_story("s; d(0<1,1<0,2<2) P P P", &[("", "E(E:PPP)")]);
    // Among phases.
    check_story("d(0<1); s P; s P", &[("", "P(P:P P:P) 1.0"), ("1.0=C", "I(P:P C:C) 0.0")]);
}

#[test]
fn holds_stop_candidates_but_not_progress() {
    check_story(
        "s; s P P",
        &[
            ("interrupt", "W(P:PP)"),
            ("proceed", "P(P:PP) 0.0"),
            ("0.0=G then interrupt", "W(G:GP)"),
            ("0.0=C", "W(I:CP)"),
            ("0.1=C", "C(C:CC)"),
        ],
    );
    check_story("p; s P; s P", &[("interrupt 0", "P(W:P P:P) 1.0"), ("proceed", "P(W:P P:P) 1.0")]);
    check_story("s; s P; s P", &[("interrupt 0", "W(W:P P:P)"), ("proceed 0", "P(P:P P:P) 0.0")]);
    check_story(
        "s; p P P G",
        &[
            ("interrupt 0.0", "P(P:WPG) 0.1 0.2"),
            ("0.0=R", "P(P:WPG) 0.1 0.2"),
            ("interrupt 0.2", "P(P:WPG) 0.1"),
        ],
    );
}

#[test]
fn commands_over_plans() {
    check_story(
        "s; s P P; s P",
        &[
            ("force 0", "I(C:CC P:P) 1.0"),
            ("force", "C(C:CC C:C)"),
            ("start", "P(P:PP P:P) 0.0"),
            ("0.0=G", "G(G:GP P:P) 0.0"),
            ("stop", "W(P:PP P:P)"),
            ("rerun", "P(P:PP P:P) 0.0"),
            ("interrupt 0 then rerun", "W(W:PP P:P)"),
            ("rerun 0", "P(P:PP P:P) 0.0"),
        ],
    );
}

/// A command over many steps moves each ancestor once.
#[test]
fn transitions_are_recorded_bottom_up() {
    let mut tree = plan("s; s P P; s P");
    run(&mut tree, "force");
    let got: Vec<_> = tree.drain_changes().map(|Change { element, from, to }| (element, from, to)).collect();
    let done = |element| (element, Status::Pending, Status::Complete);
    let phases: Vec<_> = tree.phases().collect();
    let steps: Vec<_> = tree.all_steps().collect();
    let expected = [
        Element::Step(steps[0]),
        Element::Step(steps[1]),
        Element::Phase(phases[0]),
        Element::Step(steps[2]),
        Element::Phase(phases[1]),
        Element::Plan,
    ];
    assert_eq!(got, expected.map(done));
    run(&mut tree, "force");
    assert!(tree.changes().is_empty(), "nothing changed");
}
