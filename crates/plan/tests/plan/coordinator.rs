//! Plans sharing assets.

use crate::dsl::{phase, plan, run, step_text};
use planarium_plan::{Holder, Outcome, PlanId, PlanTree, Round, coordinate};

fn numbered(plans: &[PlanTree]) -> impl Iterator<Item = (PlanId, &PlanTree)> + Clone {
    (0..).map(PlanId).zip(plans)
}

fn text(plans: &[PlanTree], holder: Holder) -> String {
    format!("{}:{}", holder.plan.0, step_text(&plans[holder.plan.index()], holder.step))
}

/// Candidates, then after `|` each withheld step with its holder.
fn show(plans: &[PlanTree], outcome: &Outcome) -> String {
    let candidates: Vec<String> = outcome.candidates.iter().map(|h| text(plans, *h)).collect();
    let withheld: Vec<String> = outcome
        .withheld
        .iter()
        .map(|w| format!("{}<{}", text(plans, w.step), text(plans, w.held_by)))
        .collect();
    format!("{} | {}", candidates.join(" "), withheld.join(" ")).trim().to_owned()
}

fn check(specs: &[&str], ops: &[(usize, &str)], expected: &str) {
    let mut plans: Vec<PlanTree> = specs.iter().map(|spec| plan(spec)).collect();
    for (at, op) in ops {
        run(&mut plans[*at], op);
    }
    let outcome = coordinate(numbered(&plans));
    assert_eq!(show(&plans, &outcome), expected, "{specs:?} {ops:?}");
    for withheld in &outcome.withheld {
        assert_eq!(outcome.held_by(withheld.step.plan, withheld.step.step), Some(withheld.held_by));
    }
}

#[test]
fn earlier_plans_have_priority() {
    check(&["s; s P@0a", "p; p P@0a; p P@1a"], &[], "0:0.0 1:1.0 | 1:0.0<0:0.0");
    check(&["s; s P@0a", "p; p P@0b"], &[], "0:0.0 1:0.0 |");
    check(&["s; s P@0ab", "p; p P@0bc"], &[], "0:0.0 | 1:0.0<0:0.0");
    check(&["s; s P", "p; p P"], &[], "0:0.0 1:0.0 |");
}

#[test]
fn active_work_blocks_earlier_plans() {
    for (state, expected) in [
        ("R", "1:0.0 | 0:0.0<1:0.0"),
        ("G", "1:0.0 | 0:0.0<1:0.0"),
        // A started step is not a dirty asset, yet its own plan continues whatever others claim.
        ("S", "0:0.0 1:0.0 |"),
        ("D", "0:0.0 |"),
        ("C", "0:0.0 |"),
    ] {
        check(&["s; s P@0a", "p; p P@0a"], &[(1, &format!("0.0={state}"))], expected);
    }
    // A started step of the plan before is still its candidate, and so keeps later plans away.
    check(&["s; s P@0a", "p; p P@0a"], &[(0, "0.0=S")], "0:0.0 | 1:0.0<0:0.0");
}

#[test]
fn interrupted_plans_are_skipped() {
    check(&["s; s P@0a", "p; p P@0a"], &[(0, "0.0=G"), (0, "interrupt")], "1:0.0 |");
    check(&["s; s P@0a", "p; p P@0a"], &[(1, "0.0=G"), (1, "interrupt")], "0:0.0 |");
    // A prepared step under its own hold shows WAITING, which is not dirty.
    check(&["s; s P@0a", "p; p P@0a P@1a"], &[(1, "0.0=R"), (1, "interrupt 0.0")], "0:0.0 1:0.1 |");
}

#[test]
fn a_plan_is_not_blocked_by_its_own_work() {
    check(&["s; p P@0a P@0a"], &[(0, "0.0=G")], "0:0.0 0:0.1 |");
    // Its running step even lifts the claim of another plan on the same asset.
    check(&["s; p S@0a P@0a", "p; p P@0a"], &[(1, "0.0=G")], "0:0.0 0:0.1 1:0.0 |");
    check(&["s; p P@0a P@0a", "p; p P@0a"], &[(1, "0.0=G")], "1:0.0 | 0:0.0<1:0.0 0:0.1<1:0.0");
}

#[test]
fn a_plan_may_change_before_its_turn() {
    let mut plans = vec![plan("s; s P@0a"), plan("p")];
    let mut round = Round::begin(numbered(&plans));
    round.collect(PlanId(0), &plans[0]);
    let asset = plans[0].asset(plans[0].all_steps().next().expect("one step")).cloned();
    let dirty = asset.and_then(|asset| round.dirty_for(PlanId(1), &asset));
    assert_eq!(dirty.map(|holder| text(&plans, holder)).as_deref(), Some("0:0.0"));
    plans[1].push_phase(phase("p P@1a"));
    plans[1].push_phase(phase("p P@0a"));
    round.collect(PlanId(1), &plans[1]);
    assert_eq!(show(&plans, &round.finish()), "0:0.0 1:0.0 | 1:1.0<0:0.0");
}
