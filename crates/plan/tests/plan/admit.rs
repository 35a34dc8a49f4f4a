//! Which commands are accepted when.

use crate::dsl::{element, nth, plan, run};
use planarium_plan::{
    Element, Op, PhaseSpec, PlanSpec, PlanTree, Refusal,
    Refusal::{AlreadyDone, NotOffered},
    StepSpec, StrategySpec,
};

const OPS: [Op; 6] = [Op::Start, Op::Stop, Op::Interrupt, Op::Proceed, Op::ForceComplete, Op::Restart];

/// Accepted commands of an element as letters: start `s`, stop `S`, interrupt `i`, proceed `p`, force `f`, restart
/// `r`; a command refused as already done is left out, a missing one is `-`.
fn accepted(tree: &PlanTree, target: &str) -> String {
    let target = element(tree, target);
    let letters =
        OPS.iter().zip("sSipfr".chars()).filter_map(|(op, letter)| match tree.allowed(target, *op) {
            Ok(()) => Some(letter),
            Err(AlreadyDone) => None,
            Err(NotOffered) => Some('-'),
            Err(other) => panic!("{other:?}"),
        });
    letters.collect()
}

#[test]
fn by_status_and_hold() {
    // A plan, operations, an element, its accepted commands.
    for (spec, ops, target, expected) in [
        // Pending: proceed is a no-op that is accepted, restart is refused.
        ("s; s P", "", "", "sSipf"),
        ("s; s P", "", "0", "--ipf"),
        ("s; s P", "", "0.0", "----f"),
        // Running.
        ("s; s G", "", "", "sSifr"),
        ("s; s G", "", "0", "--ifr"),
        ("s; s G", "", "0.0", "----fr"),
        ("s; s R", "", "", "sSifr"),
        ("s; s S P", "", "0", "--ifr"),
        ("s; s C P", "", "0", "--ifr"),
        // Complete.
        ("s; s C", "", "", "sSr"),
        ("s; s C", "", "0", "--r"),
        ("s; s C", "", "0.0", "----r"),
        ("p", "", "", "sSr"),
        // Waiting: interrupted, so not again.
        ("s; s P", "interrupt", "", "sSpfr"),
        ("s; s P", "interrupt 0", "0", "--pfr"),
        ("s; s P", "interrupt 0.0", "0.0", "----fr"),
        ("s; s C", "interrupt", "", "sSr"),
        // A canary counts as interrupted until a released step is unfinished.
        ("s; cs P P P", "", "0", "--pfr"),
        ("s; cs P P P", "proceed 0", "0", "--ipf"),
        ("s; cs P P P", "proceed 0 then 0.0=G", "0", "--ipfr"),
        ("s; cs P P P", "proceed 0 then 0.0=C", "0", "--pfr"),
        // Error and delayed are neither running nor complete.
        ("s; s E", "", "", "sSipfr"),
        ("s; s E", "", "0.0", "----fr"),
        ("s; s D", "", "0", "--ipfr"),
    ] {
        let mut tree = plan(spec);
        for op in ops.split(" then ").filter(|op| !op.is_empty()) {
            run(&mut tree, op);
        }
        assert_eq!(accepted(&tree, target), expected, "{spec} / {ops} / {target}");
    }
}

#[test]
fn phases_with_one_name_are_handled_together() {
    for (spec, ops, op, expected) in [
        ("p; s G; s G", "", Op::Proceed, Err(AlreadyDone)),
        ("p; s C; s C", "", Op::Proceed, Err(AlreadyDone)),
        ("p; s G; s C", "", Op::Proceed, Ok(())),
        ("p; s P; s C", "", Op::Proceed, Ok(())),
        ("p; s P; s P", "interrupt 0", Op::Interrupt, Ok(())),
        ("p; s P; s P", "interrupt 0 then interrupt 1", Op::Interrupt, Err(AlreadyDone)),
        ("p; s P; s C", "interrupt 0", Op::Interrupt, Ok(())),
        ("p; s C; s P", "", Op::ForceComplete, Err(AlreadyDone)),
        ("p; s P; s C", "", Op::Restart, Err(AlreadyDone)),
    ] {
        let mut tree = plan(spec);
        for op in ops.split(" then ").filter(|op| !op.is_empty()) {
            run(&mut tree, op);
        }
        let phases: Vec<_> = tree.phases().collect();
        assert_eq!(tree.allowed_phases(&phases, op), expected, "{spec} / {ops} / {op:?}");
    }
    let tree = plan("p; s P");
    assert_eq!(tree.allowed_phases(&[], Op::Proceed), Err(Refusal::NotFound));
}

#[test]
fn naming_elements() {
    let steps = || ["a", "b", "b"].map(StepSpec::new);
    let phases = ["hello", "world"].map(|name| PhaseSpec::new(name, StrategySpec::Serial, steps()));
    let tree = PlanTree::new(&PlanSpec::new("deploy", StrategySpec::Serial, phases));
    let world = nth(&tree, 1);
    let a = tree.steps(world).next().expect("three steps");
    for (phase, step, expected) in [
        (None, None, Ok(Element::Plan)),
        (Some(""), Some(" "), Ok(Element::Plan)),
        (Some("world"), None, Ok(Element::Phase(world))),
        (Some("world"), Some(""), Ok(Element::Phase(world))),
        (Some("world"), Some("a"), Ok(Element::Step(a))),
        (Some("world"), Some("b"), Err(Refusal::NotFound)),
        (Some("world"), Some("c"), Err(Refusal::NotFound)),
        (Some("moon"), None, Err(Refusal::NotFound)),
        (None, Some("a"), Err(Refusal::MissingPhase)),
    ] {
        assert_eq!(tree.named(phase, step), expected, "{phase:?} {step:?}");
    }
}
