//! The cost of an event among few steps and among many.

use std::hint::black_box;

use anyhow::Result;

use crate::{
    bench::{
        GROWTH_BUDGET,
        figures::{Budget, Figures},
        measure::{Unit, float, growth},
    },
    clock::CpuWatch,
};
use planarium_workloads::fixture::Shape;

/// Measures deployments of 100, 1,000 and 10,000 steps, one at a time and all at once.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    for strategy in ["serial", "parallel"] {
        let mut costs = Vec::new();
        for steps in [100, 1000, 10_000] {
            let ns = per_event(strategy, steps)?;
            let what = format!("deploy {strategy} 1x{steps}, per event");
            figures.row(&what, unit.of(ns), " u", Budget::None);
            costs.push(ns);
        }
        let view = view_after_change(strategy, 10_000)?;
        figures.row(
            &format!("deploy {strategy} 1x10000, view after an event"),
            unit.of(view),
            " u",
            Budget::None,
        );
        // The measurements above count; only a violation is measured again.
        let mut measured = costs.first().copied().zip(costs.last().copied());
        let cost = || match measured.take() {
            Some(pair) => Ok::<_, anyhow::Error>(pair),
            None => Ok((per_event(strategy, 100)?, per_event(strategy, 10_000)?)),
        };
        let growth = growth(GROWTH_BUDGET, cost)?;
        let what = format!("deploy {strategy}, an event at 10,000 steps over one at 100");
        figures.row(&what, growth, "", Budget::AtMost(GROWTH_BUDGET, 1.5));
        if growth > GROWTH_BUDGET {
            figures.fail(format!("{what}: {growth:.1} times"));
        }
    }
    Ok(())
}

/// Nanoseconds of building the view after one event, in the middle of a deployment.
fn view_after_change(strategy: &str, steps: u32) -> Result<f64> {
    const VIEWS: u64 = 50;
    let mut engine = Shape::steps(strategy, steps).loaded(1)?;
    engine.advance_events(400);
    black_box(engine.view());
    let mut nanos = 0;
    for _ in 0..VIEWS {
        engine.advance_events(1);
        let watch = CpuWatch::start();
        black_box(engine.view());
        nanos += watch.nanos();
    }
    Ok(float(nanos) / float(VIEWS))
}

/// Nanoseconds per event of a whole deployment, loading included; each repetition has another seed.
fn per_event(strategy: &str, steps: u32) -> Result<f64> {
    let shape = Shape::steps(strategy, steps);
    let mut least = f64::INFINITY;
    for seed in 1..=(1_000 / u64::from(steps)).clamp(1, 10) {
        let watch = CpuWatch::start();
        let engine = shape.deployed(seed)?;
        least = least.min(float(watch.nanos()) / float(engine.seq()));
    }
    Ok(least)
}
