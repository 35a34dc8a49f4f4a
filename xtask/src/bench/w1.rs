//! W1: a plan walked from PENDING to COMPLETE, and nothing else.
//!
//! Names, statuses and transition records are on: every transition is added to the change log, which is read and
//! cleared after every change, as in the engine.

use std::hint::black_box;

use anyhow::{Result, ensure};
use planarium_plan::{
    Edge, Element, PhaseSpec, PlanSpec, PlanTree, StepId, StepSpec, StepState, StrategySpec,
};

use super::{
    GROWTH_BUDGET,
    figures::{Budget, Figures},
    measure::{Unit, exponent, float, growth, least},
};

/// Strategies over the steps of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Serial,
    Parallel,
    /// Each step after the one before it.
    Chain,
    SerialCanary,
    ParallelCanary,
}

impl Kind {
    const ALL: [Self; 5] =
        [Self::Serial, Self::Parallel, Self::Chain, Self::SerialCanary, Self::ParallelCanary];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Parallel => "parallel",
            Self::Chain => "dependency chain",
            Self::SerialCanary => "serial-canary",
            Self::ParallelCanary => "parallel-canary",
        }
    }

    fn strategy(self, steps: u32) -> StrategySpec {
        match self {
            Self::Serial => StrategySpec::Serial,
            Self::Parallel => StrategySpec::Parallel,
            Self::Chain => {
                StrategySpec::dependency((1..steps).map(|child| Edge { child, parent: child - 1 }))
            }
            Self::SerialCanary => StrategySpec::canary(StrategySpec::Serial),
            Self::ParallelCanary => StrategySpec::canary(StrategySpec::Parallel),
        }
    }

    const fn is_canary(self) -> bool {
        matches!(self, Self::SerialCanary | Self::ParallelCanary)
    }
}

/// The sizes the workload is published with.
const SIZES: [(u32, u32); 6] = [(1, 100), (1, 1000), (1, 10_000), (10, 100), (100, 100), (100, 1000)];

/// Measures W1 in all sizes and strategies.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    for kind in [Kind::Serial, Kind::Parallel] {
        for (phases, steps) in SIZES {
            let ns = measure(kind, phases, steps)?;
            let per_step = unit.of(ns / float(u64::from(phases) * u64::from(steps)));
            let budget = match (kind, phases, steps) {
                (Kind::Parallel, 1, 10_000) => {
                    figures.keep("W1 parallel 1x10000", ns);
                    Budget::AtMost(1.4, 0.5)
                }
                _ => Budget::None,
            };
            if (kind, phases, steps) == (Kind::Serial, 1, 10_000) {
                figures.keep("W1 serial 1x10000", ns);
            }
            figures.row(&format!("W1 {} {phases}x{steps}, per step", kind.name()), per_step, " u", budget);
        }
    }
    for kind in Kind::ALL {
        let at = |steps| measure(kind, 1, steps).map(|ns| (u64::from(steps), ns));
        let (small, large) = (at(1000)?, at(100_000)?);
        let grown = exponent(small, large);
        let name = kind.name();
        figures.row(&format!("W1 {name}, exponent 1,000 to 100,000"), grown, "", Budget::AtMost(1.05, 1.02));
        let per_step = |steps| at(steps).map(|(steps, ns)| ns / float(steps));
        let growth = growth(GROWTH_BUDGET, || Ok::<_, anyhow::Error>((per_step(100)?, per_step(10_000)?)))?;
        figures.row(
            &format!("W1 {name}, a step at 10,000 over one at 100"),
            growth,
            "",
            Budget::AtMost(GROWTH_BUDGET, 1.5),
        );
        if growth > GROWTH_BUDGET {
            figures
                .fail(format!("W1 {name}: a step costs {growth:.1} times as much among 10,000 as among 100"));
        }
    }
    Ok(())
}

/// Nanoseconds for one whole walk, after checking its checksum.
fn measure(kind: Kind, phases: u32, steps: u32) -> Result<f64> {
    let plan = build(kind, phases, steps);
    ensure!(
        walk(&mut plan.clone(), kind) == expected(kind, phases, steps),
        "W1 {} {phases}x{steps}: the checksum is wrong",
        kind.name()
    );
    let walks = (200_000 / (phases * steps)).clamp(1, 200);
    let fresh = || (0..walks).map(|_| plan.clone()).collect::<Vec<_>>();
    Ok(least(7, walks.into(), fresh, |mut plans| {
        for plan in &mut plans {
            black_box(walk(plan, kind));
        }
    }))
}

/// A plan serial over phases of one kind, all pending.
pub(crate) fn build(kind: Kind, phases: u32, steps: u32) -> PlanTree {
    let phase = |phase| {
        let names = (0..steps).map(|step| StepSpec::new(format!("pod-{phase}-{step}:[server]")));
        PhaseSpec::new(format!("phase-{phase}"), kind.strategy(steps), names)
    };
    PlanTree::new(&PlanSpec::new("deploy", StrategySpec::Serial, (0..phases).map(phase)))
}

/// The walk; answers cycles and checksum.
pub(crate) fn walk(plan: &mut PlanTree, kind: Kind) -> (u32, u32) {
    let mut transitions = 0;
    let mut candidates: Vec<StepId> = Vec::new();
    let (mut cycle, mut sum) = (0_u32, 0_u32);
    while !plan.status(Element::Plan).is_complete() {
        cycle += 1;
        if kind.is_canary() {
            proceed(plan);
        }
        candidates.clear();
        plan.collect_candidates(&mut candidates);
        if candidates.is_empty() {
            break;
        }
        for step in &candidates {
            plan.set_step_state(*step, StepState::Starting);
            transitions += plan.changes().len();
            plan.clear_changes();
        }
        for step in &candidates {
            plan.set_step_state(*step, StepState::Complete);
            transitions += plan.changes().len();
            plan.clear_changes();
            sum = sum.wrapping_add(cycle.wrapping_mul(step.0 + 1));
        }
        for phase in plan.phases() {
            black_box(plan.status(Element::Phase(phase)));
        }
    }
    black_box(transitions);
    (cycle, sum)
}

/// Ends the canary period of the phase whose turn it is.
fn proceed(plan: &mut PlanTree) {
    let turn = plan.phases().find(|phase| !plan.status(Element::Phase(*phase)).is_complete());
    let Some(phase) = turn.filter(|phase| plan.in_canary(*phase)) else { return };
    while plan.proceeds_left(phase) > 0 {
        plan.proceed(Element::Phase(phase));
    }
}

/// Cycles and checksum by their definition.
fn expected(kind: Kind, phases: u32, steps: u32) -> (u32, u32) {
    let at_once = matches!(kind, Kind::Parallel | Kind::ParallelCanary);
    let cycle_of = |index: u32| if at_once { index / steps + 1 } else { index + 1 };
    let total = phases * steps;
    let sum = (0..total).fold(0_u32, |sum, i| sum.wrapping_add(cycle_of(i).wrapping_mul(i + 1)));
    (if at_once { phases } else { total }, sum)
}
