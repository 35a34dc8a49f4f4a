//! Plans whose phases come and go, and errors that do.

use crate::dsl::{check_story, nth, phase, picture, plan, run, step};
use planarium_kernel::Digest;
use planarium_plan::{Element, Op, PlanTree, Refusal, Status, StepState};

fn digest(tree: &PlanTree) -> u64 {
    let mut digest = Digest::new();
    digest.write(&tree);
    digest.finish()
}

#[test]
fn phases_are_added_replaced_and_removed() {
    let mut tree = plan("p");
    let empty = digest(&tree);
    let first = tree.push_phase(phase("p P"));
    let second = tree.push_phase(phase("p G"));
    assert_eq!(picture(&tree), "P(P:P G:G) 0.0 1.0");
    let old = step(&tree, "0.0");
    let third = tree.replace_phase(first, phase("p P P")).expect("it is there");
    assert_eq!((picture(&tree).as_str(), nth(&tree, 0)), ("P(P:PP G:G) 0.0 0.1 1.0", third));
    // What left the tree is harmless.
    assert_eq!((tree.status(old.into()), tree.name(first.into())), (Status::Error, ""));
    tree.set_step_state(old, StepState::Complete);
    tree.force_complete(first.into());
    assert!(!tree.remove_phase(first) && tree.replace_phase(first, phase("p P")).is_none());
    assert_eq!(tree.allowed(first.into(), Op::Restart), Err(Refusal::NotFound));
    assert_eq!(picture(&tree), "P(P:PP G:G) 0.0 0.1 1.0");
    assert!(tree.remove_phase(third));
    assert_eq!((picture(&tree).as_str(), nth(&tree, 0)), ("G(G:G) 0.0", second));
    assert!(tree.remove_phase(second));
    assert_eq!((picture(&tree).as_str(), digest(&tree)), ("C()", empty));
    assert_eq!((tree.working().count(), tree.check()), (0, Ok(())));
}

#[test]
fn a_phase_added_to_a_serial_plan_is_last() {
    let mut tree = plan("s; s P");
    tree.push_phase(phase("cs P P"));
    assert_eq!(picture(&tree), "P(P:P W:WW) 0.0");
    run(&mut tree, "0.0=C");
    run(&mut tree, "proceed 1");
    assert_eq!(picture(&tree), "I(C:C P:PW) 1.0");
    assert_eq!(tree.check(), Ok(()));
}

#[test]
fn another_plan_strategy() {
    let mut tree = plan("s; s P; s P");
    tree.set_plan_strategy(&crate::dsl::strategy("p"));
    assert_eq!((picture(&tree).as_str(), tree.check()), ("P(P:P P:P) 0.0 1.0", Ok(())));
}

#[test]
fn errors_can_be_set_and_cleared() {
    let mut tree = plan("s; s P P");
    let before = digest(&tree);
    tree.set_plan_errors(vec!["no such pod".into()]);
    assert_eq!((picture(&tree).as_str(), digest(&tree) == before), ("E(P:PP) 0.0", false));
    tree.set_plan_errors(Vec::new());
    assert_eq!((picture(&tree).as_str(), digest(&tree)), ("P(P:PP) 0.0", before));
    let second = step(&tree, "0.1");
    tree.set_step_error(second, Some("two tasks share a resource set".into()));
    assert_eq!(picture(&tree), "E(E:PE)");
    assert_eq!(tree.errors().map(|text| &**text).collect::<Vec<_>>(), ["two tasks share a resource set"]);
    // The text outlives the state, as upstream.
    run(&mut tree, "restart 0.1");
    assert_eq!(picture(&tree), "E(E:PP)");
    tree.set_step_error(second, None);
    assert_eq!((picture(&tree).as_str(), digest(&tree)), ("P(P:PP) 0.0", before));
    check_story("s; s E P", &[("", "E(E:EP)"), ("0.0=P", "E(E:PP)")]);
}

#[test]
fn clones_are_independent_and_have_different_digests() {
    let mut tree = plan("s; s P P; cs P P");
    let copy = tree.clone();
    let before = digest(&tree);
    let mut seen = vec![before];
    for op in ["0.0=R", "interrupt", "interrupt 0", "proceed 1", "0.1=C"] {
        run(&mut tree, op);
        assert!(!seen.contains(&digest(&tree)), "{op}");
        seen.push(digest(&tree));
    }
    assert_eq!((digest(&copy), picture(&copy).as_str()), (before, "P(P:PP W:WW) 0.0"));
    for op in ["0.0=P", "proceed", "proceed 0", "interrupt 1.0", "0.1=P"] {
        run(&mut tree, op);
    }
    assert_eq!(digest(&tree), before, "the way there does not matter");
    assert_eq!(tree.tally(Element::Plan).map(|tally| tally.count(Status::Pending)), Some(1));
}
