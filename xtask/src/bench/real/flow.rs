//! R5: a plan of 10,000 executed steps, in loops inside components.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use planarium_protocol::{Input, input::LoadService};
use planarium_world::{Engine, Genesis};

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::{Unit, float},
    },
    clock::CpuWatch,
};
use planarium_workloads::fixture::{LIMIT_MS, put};

/// Leaves in a loop.
const LEAVES: u64 = 10;
const COMPONENTS: u64 = 20;
/// Number of runs; the cheapest one counts, since a busy machine can only increase the cost.
const SEEDS: u64 = 3;

/// Measures 10,000 steps, and 90,000 of a plan just as large: more than 100,000 with their loops no run may have.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    let small = cheapest(50)?;
    let large = cheapest(450)?;
    figures.row("R5 per executed step", unit.of(small), " u", Budget::AtMost(30.0, 15.0));
    figures.row("R5 the same at 90,000 steps", large / small, "x", Budget::AtMost(1.5, 1.1));
    Ok(())
}

/// One run with this many iterations of each loop.
pub(crate) fn probe(iterations: u32) -> Result<()> {
    carried_out(iterations.into(), 1).map(drop)
}

/// Nanoseconds for each leaf.
fn cheapest(iterations: u64) -> Result<f64> {
    let mut best = f64::INFINITY;
    for seed in 1..=SEEDS {
        best = best.min(float(carried_out(iterations, seed)?) / float(COMPONENTS * iterations * LEAVES));
    }
    Ok(best)
}

/// Nanoseconds from the start of the plan to its end.
fn carried_out(iterations: u64, seed: u64) -> Result<u64> {
    let load = |run| LoadService {
        dialect: "skopos".to_owned(),
        name: "bench".to_owned(),
        files: [
            ("plan.yaml".to_owned(), plan(iterations)),
            ("env.yaml".to_owned(), "simulation: { scripts: { work: { duration: 1 } } }\n".to_owned()),
        ]
        .into(),
        options: serde_json::json!({ "run": run }),
        ..LoadService::default()
    };
    let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
    put(&mut engine, Input::LoadService(load(false)))?;
    let watch = CpuWatch::start();
    put(&mut engine, Input::UpdateService(load(true)))?;
    engine.advance_until_idle(LIMIT_MS);
    let nanos = watch.nanos();
    let view = engine.view();
    let done = view.services.first().and_then(|service| service.plans.first()).map(|plan| plan.progress.done);
    ensure!(done.map(u64::from) == Some(COMPONENTS * iterations * LEAVES), "R5: {done:?} steps");
    Ok(nanos)
}

/// Components with a loop each; half of the leaves let a second pass, half call a script.
fn plan(iterations: u64) -> String {
    let mut text =
        "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps:\n".to_owned();
    for component in 1..=COMPONENTS {
        let _ = write!(
            text,
            "- id: c{component}\n  class: component\n  on_fail: fail\n  steps:\n  - id: c{component}-l\n    class: instance-loop\n    \
             target_num: {iterations}\n    on_fail: fail\n    steps:\n"
        );
        for leaf in 1..=LEAVES {
            let what = if leaf % 2 == 0 {
                "class: delay"
            } else {
                "class: action, on_fail: fail, exec: 'work {{.index}}'"
            };
            let _ = writeln!(text, "    - {{ id: c{component}-l-{leaf}, {what} }}");
        }
    }
    text
}
