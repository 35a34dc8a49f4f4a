//! Plans, operations and expectations as short texts.
//!
//! A plan: strategies `s`, `p`, `r` (random), `cs`, `cp`, `cr`, `d(child<parent,...)`; after `;` each phase with its
//! strategy and steps. A step is the letter of its initial state, optionally `@` with an asset: one digit
//! for the group and letters for the parts, as in `P@0ab`.
//!
//! Letters: `E` error, `W` waiting, `P` pending, `R` prepared, `G` starting, `S` started, `C` complete,
//! `I` in progress, `D` delayed.
//!
//! A picture: `I(C:C P:PP) 1.0` is the plan's status, each phase's with its steps', and the candidates.

use planarium_plan::{
    Asset, Edge, Element, PhaseId, PhaseSpec, PlanSpec, PlanTree, Status, StepId, StepSpec, StepState,
    StrategySpec,
};

pub(crate) fn letter(status: Status) -> char {
    let at = Status::ALL.iter().position(|other| *other == status).unwrap();
    b"EWPRGSCID"[at] as char
}

pub(crate) fn state(letter: char) -> StepState {
    StepState::ALL["PRGSCDE".find(letter).unwrap()]
}

pub(crate) fn strategy(text: &str) -> StrategySpec {
    match text {
        "s" => StrategySpec::Serial,
        "p" => StrategySpec::Parallel,
        "r" => StrategySpec::Random { key: 7 },
        "cs" | "cp" | "cr" => StrategySpec::canary(strategy(text.strip_prefix('c').unwrap())),
        _ => {
            let inner = text.strip_prefix("d(").and_then(|text| text.strip_suffix(')')).unwrap();
            StrategySpec::dependency(inner.split(',').filter(|edge| !edge.is_empty()).map(|edge| {
                let (child, parent) = edge.split_once('<').unwrap();
                Edge { child: child.parse().unwrap(), parent: parent.parse().unwrap() }
            }))
        }
    }
}

pub(crate) fn phase(text: &str) -> PhaseSpec {
    let mut words = text.split_whitespace();
    let strategy = strategy(words.next().unwrap());
    let steps = words.enumerate().map(|(at, word)| {
        let (initial, asset) = word.split_once('@').unwrap_or((word, ""));
        let step = StepSpec::new(format!("step-{at}"));
        let step = match state(initial.chars().next().unwrap()) {
            StepState::Error => step.failing("cannot be built"),
            initial => step.born(initial),
        };
        match asset.chars().next() {
            Some(group) => {
                step.on(Asset::new(group.to_digit(10).unwrap(), asset.chars().skip(1).map(u32::from)))
            }
            None => step,
        }
    });
    PhaseSpec::new("phase", strategy, steps)
}

pub(crate) fn plan(text: &str) -> PlanTree {
    let mut parts = text.split(';');
    let strategy = strategy(parts.next().unwrap().trim());
    PlanTree::new(&PlanSpec::new("plan", strategy, parts.map(phase)))
}

/// The `place`-th phase.
pub(crate) fn nth(tree: &PlanTree, place: usize) -> PhaseId {
    tree.phases().nth(place).unwrap()
}

/// An element as `""`, `1` or `1.0`.
pub(crate) fn element(tree: &PlanTree, text: &str) -> Element {
    let mut places = text.split('.').filter(|place| !place.is_empty()).map(|place| place.parse().unwrap());
    match (places.next(), places.next()) {
        (None, _) => Element::Plan,
        (Some(place), None) => nth(tree, place).into(),
        (Some(place), Some(step)) => tree.steps(nth(tree, place)).nth(step).unwrap().into(),
    }
}

pub(crate) fn step(tree: &PlanTree, text: &str) -> StepId {
    match element(tree, text) {
        Element::Step(step) => step,
        other => panic!("{text} is {other:?}"),
    }
}

pub(crate) fn step_text(tree: &PlanTree, step: StepId) -> String {
    let phase = tree.position(tree.phase_of(step).unwrap().into()).unwrap();
    format!("{phase}.{}", tree.position(step.into()).unwrap())
}

/// Runs one operation: `0.1=G`, `interrupt`, `proceed 0`, `force 0.1`, `restart`, `rerun 0` (the
/// operator's restart), `start`, `stop`, `redraw`.
pub(crate) fn run(tree: &mut PlanTree, op: &str) {
    if let Some((at, to)) = op.split_once('=') {
        let step = step(tree, at);
        return tree.set_step_state(step, state(to.chars().next().unwrap()));
    }
    let (word, target) = op.split_once(' ').unwrap_or((op, ""));
    let element = element(tree, target);
    match word {
        "interrupt" => _ = tree.interrupt(element),
        "proceed" => _ = tree.proceed(element),
        "force" => tree.force_complete(element),
        "restart" => tree.restart(element),
        "rerun" => tree.proceed_and_restart(element),
        "start" => tree.start(),
        "stop" => tree.stop(),
        "redraw" => _ = tree.redraw(),
        _ => panic!("unknown operation {op}"),
    }
}

pub(crate) fn picture(tree: &PlanTree) -> String {
    let phases: Vec<String> = tree
        .phases()
        .map(|phase| {
            let steps: String = tree.steps(phase).map(|step| letter(tree.status(step.into()))).collect();
            format!("{}:{steps}", letter(tree.status(phase.into())))
        })
        .collect();
    let candidates: Vec<String> = tree.candidates().map(|step| step_text(tree, step)).collect();
    format!("{}({}) {}", letter(tree.status(Element::Plan)), phases.join(" "), candidates.join(" "))
        .trim_end()
        .to_owned()
}

/// A story: after each operation (several joined by ` then `) the picture must be as given.
pub(crate) fn check_story(spec: &str, story: &[(&str, &str)]) {
    let mut tree = plan(spec);
    let mut told = String::new();
    for (ops, expected) in story {
        for op in ops.split(" then ").filter(|op| !op.is_empty()) {
            run(&mut tree, op);
        }
        told = format!("{told} / {ops}");
        assert_eq!(picture(&tree), *expected, "{spec}{told}");
        assert_eq!(tree.check(), Ok(()), "{spec}{told}");
    }
}
