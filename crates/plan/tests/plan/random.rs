//! Random: one eligible child by lot, every child in turn, keyed.

use crate::dsl::{picture, plan, run, step_text};
use planarium_plan::{Element, PhaseSpec, PlanSpec, PlanTree, StepSpec, StepState, StrategySpec};
use std::collections::BTreeSet;

/// Returns the order in which the children of one parent run if each is completed when drawn.
fn order(key: u64, steps: usize) -> Vec<String> {
    let strategy = StrategySpec::Random { key };
    let phase = PhaseSpec::new("phase", strategy, (0..steps).map(|at| StepSpec::new(format!("step-{at}"))));
    let mut tree = PlanTree::new(&PlanSpec::new("plan", StrategySpec::Serial, [phase]));
    let mut order = Vec::new();
    loop {
        let candidates: Vec<_> = tree.candidates().collect();
        let [only] = candidates.as_slice() else {
            assert!(candidates.is_empty(), "{candidates:?}");
            return order;
        };
        order.push(step_text(&tree, *only));
        tree.set_step_state(*only, StepState::Complete);
        assert_eq!(tree.check(), Ok(()));
    }
}

#[test]
fn each_child_runs_once_in_an_order_set_by_the_key() {
    let sorted: Vec<String> = (0..6).map(|at| format!("0.{at}")).collect();
    let mut orders = BTreeSet::new();
    for key in 0..20 {
        let order = order(key, 6);
        let mut each = order.clone();
        each.sort_unstable();
        assert_eq!(each, sorted, "key {key}");
        assert_eq!(order, self::order(key, 6), "key {key}: the same again");
        orders.insert(order);
    }
    assert!(orders.len() > 15, "{} orders of 20 keys", orders.len());
}

/// A child that waits does not keep the others from being drawn.
#[test]
fn drawing_again_reaches_every_child() {
    let mut tree = plan("s; r P P P P");
    let mut seen: BTreeSet<_> = tree.candidates().collect();
    let mut draws = 0;
    while tree.redraw() {
        draws += 1;
        let candidates: Vec<_> = tree.candidates().collect();
        assert_eq!(candidates.len(), 1);
        assert!(seen.insert(candidates[0]), "drawn again before the others");
    }
    assert_eq!((draws, seen.len()), (3, 4));
    // A change resets the draws.
    run(&mut tree, "0.0=R");
    assert!(tree.redraw());
}

#[test]
fn holds_errors_and_the_last_child() {
    assert_eq!(plan("s; r E P C").candidates().count(), 0, "a phase in error is no candidate");
    let mut tree = plan("s; r C P C");
    assert_eq!(picture(&tree), "I(I:CPC) 0.1");
    run(&mut tree, "interrupt 0");
    assert_eq!(tree.candidates().count(), 0);
    assert!(tree.is_interrupted(tree.phases().next().unwrap().into()));
    run(&mut tree, "proceed 0");
    run(&mut tree, "0.1=C");
    assert_eq!(picture(&tree), "C(C:CCC)");
    assert!(!tree.redraw(), "nothing is left to draw");
    run(&mut tree, "restart 0.2");
    assert_eq!(picture(&tree), "I(I:CCP) 0.2");
}

#[test]
fn phases_and_canaries_draw_too() {
    let tree = plan("r; s P; s P; s P");
    assert!(tree.has_random_strategy());
    assert_eq!(tree.candidates().count(), 1);
    let drawn = tree.candidates().next().unwrap();
    let others: Vec<_> = tree.all_steps().filter(|step| *step != drawn).collect();
    for other in others {
        let why = tree.why(other.into(), None);
        assert!(format!("{why:?}").contains("NotItsTurn"), "{why:?}");
    }
    let mut canary = plan("s; cr P P P P");
    assert_eq!(picture(&canary), "W(W:WWPP)");
    run(&mut canary, "proceed 0");
    assert_eq!(picture(&canary), "P(P:PWPP) 0.0");
    run(&mut canary, "proceed 0");
    assert_eq!(canary.candidates().count(), 1, "the canary period is over: one is drawn");
    assert_eq!(
        canary.strategy(Element::Phase(canary.phases().next().unwrap())).unwrap().name(),
        "random-canary"
    );
    assert!(!plan("s; p P P").has_random_strategy());
}
