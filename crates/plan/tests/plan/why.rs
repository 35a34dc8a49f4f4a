//! Reasons from this layer.

use crate::dsl::{element, plan, run};
use planarium_plan::{Element, Holder, PlanId, PlanTree, Reason, StepId};

fn words(tree: &PlanTree, reason: &Reason) -> String {
    let name = |element: &Element| match element {
        Element::Plan => "plan".to_owned(),
        Element::Phase(_) => tree.position(*element).expect("in the tree").to_string(),
        Element::Step(step) => crate::dsl::step_text(tree, *step),
    };
    let names = |all: &[Element]| all.iter().map(&name).collect::<Vec<_>>().join("+");
    match reason {
        Reason::Errored { element } => format!("errored {}", name(element)),
        Reason::Unnamed { element } => format!("unnamed {}", name(element)),
        Reason::Running => "running".into(),
        Reason::Delayed => "delayed".into(),
        Reason::Interrupted { held } => format!("held {}", name(held)),
        Reason::CanaryGate { proceeds_left } => format!("canary {proceeds_left}"),
        Reason::NotItsTurn { waiting_for } => format!("after {}", names(waiting_for)),
        Reason::DirtyAsset { held_by } => format!("dirty {}", held_by.plan.0),
        Reason::Candidate => "candidate".into(),
        Reason::Children { waiting_for } => format!("children {}", names(waiting_for)),
    }
}

fn check(spec: &str, ops: &str, expected: &[(&str, &str)]) {
    let mut tree = plan(spec);
    for op in ops.split(" then ").filter(|op| !op.is_empty()) {
        run(&mut tree, op);
    }
    for (target, reasons) in expected {
        let why = tree.why(element(&tree, target), None);
        let got: Vec<String> = why.iter().map(|reason| words(&tree, reason)).collect();
        assert_eq!(got.join(", "), *reasons, "{spec} / {ops} / {target}");
    }
}

#[test]
fn turns() {
    check(
        "s; s P P; s P",
        "",
        &[
            ("", "children 0"),
            ("0", "children 0.0"),
            ("0.0", "candidate"),
            ("0.1", "after 0.0"),
            ("1", "after 0, children 1.0"),
            ("1.0", "after 0"),
        ],
    );
    check("s; d(2<0,2<1) P C P", "0.0=G", &[("0.0", "running"), ("0.1", ""), ("0.2", "after 0.0")]);
    check("s; d(2<0,2<1) P P P", "", &[("0.2", "after 0.0+0.1")]);
    check("s; s R P", "", &[("0.0", "running"), ("0.1", "after 0.0"), ("0", "children 0.0")]);
}

#[test]
fn holds_and_gates() {
    check(
        "s; s P P",
        "interrupt",
        &[("", "held plan, children 0"), ("0.0", "held plan"), ("0.1", "after 0.0, held plan")],
    );
    check("s; s P", "interrupt 0", &[("", "children 0"), ("0", "held 0"), ("0.0", "held 0")]);
    check("s; p P P", "interrupt 0.0", &[("0.0", "held 0.0"), ("0.1", "candidate")]);
    check("s; s G", "interrupt", &[("0.0", "running")]);
    check(
        "s; cs P P P",
        "",
        &[
            ("", "children 0"),
            ("0", "canary 2"),
            ("0.0", "canary 1"),
            ("0.1", "canary 2"),
            ("0.2", "canary 2"),
        ],
    );
    check(
        "s; cs P P P",
        "proceed 0",
        &[("0", "canary 1, children 0.0"), ("0.0", "candidate"), ("0.1", "canary 1"), ("0.2", "canary 1")],
    );
}

#[test]
fn errors_and_delays() {
    check(
        "s; s E; s P",
        "",
        &[("", "errored plan"), ("0", "errored 0"), ("0.0", "errored 0.0, errored 0"), ("1.0", "after 0")],
    );
    check(
        "s; s D P",
        "",
        &[
            ("", "unnamed plan"),
            ("0", "unnamed 0, children 0.0"),
            ("0.0", "delayed, unnamed 0"),
            ("0.1", "after 0.0, unnamed 0"),
        ],
    );
    check("s; d(0<1,1<0) P P", "", &[("0", "unnamed 0"), ("0.0", "after 0.1, unnamed 0")]);
}

#[test]
fn dirty_assets_come_from_the_coordinator() {
    let tree = plan("s; s P");
    let held_by = Holder { plan: PlanId(7), step: StepId(3) };
    let why = tree.why(element(&tree, "0.0"), Some(held_by));
    assert_eq!(why, [Reason::DirtyAsset { held_by }]);
    assert!(tree.why(Element::Step(StepId(99)), None).is_empty());
}
