//! Invariants of every plan after every sequence of operations.

use std::collections::BTreeMap;

use planarium_kernel::Digest;
use planarium_plan::{
    Asset, Edge, Element, Holder, PhaseSpec, PlanId, PlanSpec, PlanTree, Status, StepSpec, StepState,
    StrategySpec, coordinate,
};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Act {
    Set(usize, StepState),
    Interrupt(Where),
    Proceed(Where),
    Force(Where),
    Restart(Where),
    Rerun(Where),
    Start,
    Stop,
    Push(PhaseSpec),
    Replace(usize, PhaseSpec),
    Remove(usize),
    StepError(usize, bool),
    PlanError(bool),
    Strategy(StrategySpec),
    Redraw,
}

#[derive(Debug, Clone, Copy)]
enum Where {
    Plan,
    Phase(usize),
    Step(usize),
}

fn strategies() -> impl Strategy<Value = StrategySpec> {
    let edges = prop::collection::vec((0..6_u32, 0..6_u32), 0..8);
    let base = prop_oneof![
        Just(StrategySpec::Serial),
        Just(StrategySpec::Parallel),
        any::<u64>().prop_map(|key| StrategySpec::Random { key }),
        edges.prop_map(|e| StrategySpec::dependency(
            e.into_iter().map(|(child, parent)| Edge { child, parent })
        )),
    ];
    (base, prop::option::of(0..4_u32)).prop_map(|(inner, proceeds)| match proceeds {
        Some(proceeds) => StrategySpec::Canary { inner: Box::new(inner), proceeds },
        None => inner,
    })
}

fn states() -> impl Strategy<Value = StepState> {
    prop::sample::select(StepState::ALL.to_vec())
}

fn steps() -> impl Strategy<Value = StepSpec> {
    let initial = prop_oneof![3 => Just(StepState::Pending), 2 => states()];
    let asset = prop::option::of((0..3_u32, prop::collection::vec(0..3_u32, 0..3)));
    (initial, asset, prop::bool::weighted(0.05)).prop_map(|(initial, asset, failing)| {
        let mut step = StepSpec::new("step").born(initial);
        step.asset = asset.map(|(group, parts)| Asset::new(group, parts));
        if failing { step.failing("broken") } else { step }
    })
}

fn phases() -> impl Strategy<Value = PhaseSpec> {
    (strategies(), prop::collection::vec(steps(), 0..6))
        .prop_map(|(strategy, steps)| PhaseSpec::new("phase", strategy, steps))
}

fn plans() -> impl Strategy<Value = PlanSpec> {
    (strategies(), prop::collection::vec(phases(), 0..5))
        .prop_map(|(strategy, phases)| PlanSpec::new("plan", strategy, phases))
}

fn places() -> impl Strategy<Value = Where> {
    prop_oneof![Just(Where::Plan), (0..5_usize).prop_map(Where::Phase), (0..20_usize).prop_map(Where::Step)]
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => (0..20_usize, states()).prop_map(|(at, state)| Act::Set(at, state)),
        3 => places().prop_map(Act::Interrupt),
        4 => places().prop_map(Act::Proceed),
        1 => places().prop_map(Act::Force),
        1 => places().prop_map(Act::Restart),
        1 => places().prop_map(Act::Rerun),
        1 => Just(Act::Start),
        1 => Just(Act::Stop),
        1 => phases().prop_map(Act::Push),
        1 => (0..5_usize, phases()).prop_map(|(at, phase)| Act::Replace(at, phase)),
        1 => (0..5_usize).prop_map(Act::Remove),
        1 => (0..20_usize, any::<bool>()).prop_map(|(at, set)| Act::StepError(at, set)),
        1 => any::<bool>().prop_map(Act::PlanError),
        1 => strategies().prop_map(Act::Strategy),
        2 => Just(Act::Redraw),
    ]
}

fn resolve(tree: &PlanTree, place: Where) -> Option<Element> {
    match place {
        Where::Plan => Some(Element::Plan),
        Where::Phase(at) => tree.phases().nth(at).map(Element::Phase),
        Where::Step(at) => tree.all_steps().nth(at).map(Element::Step),
    }
}

fn perform(tree: &mut PlanTree, act: &Act) {
    let phase = |tree: &PlanTree, at: usize| tree.phases().nth(at);
    let step = |tree: &PlanTree, at: usize| tree.all_steps().nth(at);
    let on = |tree: &mut PlanTree, place: Where, work: &dyn Fn(&mut PlanTree, Element)| {
        if let Some(element) = resolve(tree, place) {
            work(tree, element);
        }
    };
    match act {
        Act::Set(at, state) => {
            if let Some(step) = step(tree, *at) {
                tree.set_step_state(step, *state);
            }
        }
        Act::Interrupt(place) => on(tree, *place, &|tree, element| _ = tree.interrupt(element)),
        Act::Proceed(place) => on(tree, *place, &|tree, element| _ = tree.proceed(element)),
        Act::Force(place) => on(tree, *place, &PlanTree::force_complete),
        Act::Restart(place) => on(tree, *place, &PlanTree::restart),
        Act::Rerun(place) => on(tree, *place, &PlanTree::proceed_and_restart),
        Act::Start => tree.start(),
        Act::Stop => tree.stop(),
        Act::Push(spec) => _ = tree.push_phase(spec.clone()),
        Act::Replace(at, spec) => {
            if let Some(phase) = phase(tree, *at) {
                tree.replace_phase(phase, spec.clone());
            }
        }
        Act::Remove(at) => {
            if let Some(phase) = phase(tree, *at) {
                tree.remove_phase(phase);
            }
        }
        Act::StepError(at, set) => {
            if let Some(step) = step(tree, *at) {
                tree.set_step_error(step, set.then(|| "broken".into()));
            }
        }
        Act::PlanError(set) => tree.set_plan_errors(if *set { vec!["bad".into()] } else { Vec::new() }),
        Act::Strategy(strategy) => tree.set_plan_strategy(strategy),
        Act::Redraw => _ = tree.redraw(),
    }
}

fn elements(tree: &PlanTree) -> Vec<Element> {
    let phases = tree.phases().map(Element::Phase);
    std::iter::once(Element::Plan).chain(phases).chain(tree.all_steps().map(Element::Step)).collect()
}

fn statuses(tree: &PlanTree) -> BTreeMap<Element, Status> {
    elements(tree).into_iter().map(|element| (element, tree.status(element))).collect()
}

fn digest(tree: &PlanTree) -> u64 {
    let mut digest = Digest::new();
    digest.write(&tree);
    digest.finish()
}

/// Worlds move between threads.
fn sendable<T: Send + Sync>(_: &T) {}

fn check_invariants(tree: &PlanTree) {
    sendable(tree);
    assert_eq!(tree.check(), Ok(()));
    let candidates: Vec<_> = tree.candidates().collect();
    let mut collected = Vec::new();
    tree.collect_candidates(&mut collected);
    assert_eq!(collected, candidates);
    for step in tree.all_steps() {
        assert_eq!(candidates.contains(&step), tree.is_candidate(step), "{step:?}");
    }
    for step in candidates {
        let phase = tree.phase_of(step).expect("candidates are in the tree");
        for element in [Element::Plan, Element::Phase(phase), Element::Step(step)] {
            assert!(!tree.is_interrupted(element), "{step:?} is a candidate under interrupted {element:?}");
        }
        let (above, here) = (tree.status(phase.into()), tree.status(step.into()));
        let never = [Status::Complete, Status::Error];
        assert!(!never.contains(&above) && !never.contains(&here) && here != Status::Delayed, "{step:?}");
    }
    for element in elements(tree) {
        let finished = tree.status(element).is_complete();
        assert_eq!(tree.why(element, None).is_empty(), finished, "why {element:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// All derived values equal recomputed ones, candidates are not held, every unfinished element has a reason, the
    /// recorded transitions lead from the old statuses to the new ones, and the digest depends only on stored values.
    #[test]
    fn any_sequence_of_operations(spec in plans(), acts in prop::collection::vec(acts(), 0..30)) {
        let mut tree = PlanTree::new(&spec);
        check_invariants(&tree);
        for act in &acts {
            let mut tracked = statuses(&tree);
            let before = (digest(&tree), tree.clone());
            perform(&mut tree, act);
            check_invariants(&tree);
            for change in tree.drain_changes() {
                prop_assert_ne!(change.from, change.to);
                if let Some(status) = tracked.insert(change.element, change.to) {
                    prop_assert_eq!(status, change.from, "{:?}", change);
                }
            }
            for (element, status) in statuses(&tree) {
                let known = tracked.get(&element).copied();
                // A phase that was just created comes with its statuses.
                let created = !before.1.contains(element);
                prop_assert!(created || known == Some(status), "{:?} {:?}", element, act);
            }
            prop_assert_eq!(digest(&before.1), before.0);
        }
        let mut again = PlanTree::new(&spec);
        for act in &acts {
            perform(&mut again, act);
        }
        prop_assert_eq!(digest(&again), digest(&tree));
    }

    /// The coordinator against its definition written out over plain lists.
    #[test]
    fn coordination(specs in prop::collection::vec(plans(), 1..4), held in prop::collection::vec(any::<bool>(), 4)) {
        let mut plans: Vec<PlanTree> = specs.iter().map(PlanTree::new).collect();
        for (plan, held) in plans.iter_mut().zip(held) {
            if held {
                plan.interrupt(Element::Plan);
            }
        }
        let outcome = coordinate((0..).map(PlanId).zip(&plans));
        let mut expected = Vec::new();
        let live = || (0..).map(PlanId).zip(&plans).filter(|(_, plan)| !plan.is_interrupted(Element::Plan));
        let with_status = |plan: &PlanTree, wanted: &[Status]| -> Vec<Asset> {
            let steps = plan.all_steps().filter(|step| wanted.contains(&plan.status((*step).into())));
            steps.filter_map(|step| plan.asset(step).cloned()).collect()
        };
        let mut dirty: Vec<Asset> =
            live().flat_map(|(_, plan)| with_status(plan, &[Status::Prepared, Status::Starting])).collect();
        for (id, plan) in live() {
            let own = with_status(plan, &[Status::Prepared, Status::Starting, Status::Started]);
            let relevant: Vec<&Asset> =
                dirty.iter().filter(|asset| !own.iter().any(|mine| mine.conflicts_with(asset))).collect();
            let mut added = Vec::new();
            for step in plan.candidates() {
                let asset = plan.asset(step);
                if asset.is_none_or(|asset| !relevant.iter().any(|other| other.conflicts_with(asset))) {
                    expected.push(Holder { plan: id, step });
                    added.extend(asset.cloned());
                }
            }
            dirty.extend(added);
        }
        prop_assert_eq!(outcome.candidates, expected);
    }
}
