//! W1: a plan walked from PENDING to COMPLETE, and nothing else.
//!
//! Names, statuses and transition records are on: every transition is added to the change log, which is read and
//! cleared after every change, as in the engine.

use std::hint::black_box;

use planarium_plan::{
    Edge, Element, PhaseSpec, PlanSpec, PlanTree, StepId, StepSpec, StepState, StrategySpec,
};

/// Strategies over the steps of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One after the other.
    Serial,
    /// All at once.
    Parallel,
    /// Each step after the one before it.
    Chain,
    /// Serial, after a first step that is approved.
    SerialCanary,
    /// All at once, after a first step that is approved.
    ParallelCanary,
}

impl Kind {
    /// Every strategy.
    pub const ALL: [Self; 5] =
        [Self::Serial, Self::Parallel, Self::Chain, Self::SerialCanary, Self::ParallelCanary];

    /// Returns its name.
    pub const fn name(self) -> &'static str {
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

/// Returns a plan serial over phases of one kind, all pending.
pub fn build(kind: Kind, phases: u32, steps: u32) -> PlanTree {
    let phase = |phase| {
        let names = (0..steps).map(|step| StepSpec::new(format!("pod-{phase}-{step}:[server]")));
        PhaseSpec::new(format!("phase-{phase}"), kind.strategy(steps), names)
    };
    PlanTree::new(&PlanSpec::new("deploy", StrategySpec::Serial, (0..phases).map(phase)))
}

/// Walks a plan to its end. Returns cycles and checksum.
pub fn walk(plan: &mut PlanTree, kind: Kind) -> (u32, u32) {
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

/// Returns cycles and checksum by their definition.
pub fn expected(kind: Kind, phases: u32, steps: u32) -> (u32, u32) {
    let at_once = matches!(kind, Kind::Parallel | Kind::ParallelCanary);
    let cycle_of = |index: u32| if at_once { index / steps + 1 } else { index + 1 };
    let total = phases * steps;
    let sum = (0..total).fold(0_u32, |sum, i| sum.wrapping_add(cycle_of(i).wrapping_mul(i + 1)));
    (if at_once { phases } else { total }, sum)
}
