//! W1: a plan walked from PENDING to COMPLETE, and nothing else.
//!
//! Names, statuses and transition records are on: every transition is added to the change log, which is read and
//! cleared after every change, as in the engine.

use std::hint::black_box;

use anyhow::{Result, ensure};
use planarium_workloads::walk::{Kind, build, expected, walk};

use super::{
    GROWTH_BUDGET,
    figures::{Budget, Figures},
    measure::{Unit, exponent, float, growth, least},
};

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
