//! R7: the same rollout under many seeds, with failures, on all cores.

use anyhow::{Result, anyhow};
use planarium_protocol::{
    Amount, Input,
    input::{Fault, FaultKind, Target},
};

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::{Unit, float},
    },
    clock::{CpuWatch, Stopwatch},
};
use planarium_workloads::fixture::{LIMIT_MS, Shape, put, task_changes};

const PODS: u32 = 50;
/// A quarter of the published size; the figure is per run and per task state change.
const RUNS: u64 = 250;

/// Result of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Outcome {
    changes: u64,
    events: u64,
    now_ms: u64,
}

impl Outcome {
    fn plus(self, other: Self) -> Self {
        Self {
            changes: self.changes + other.changes,
            events: self.events + other.events,
            now_ms: self.now_ms + other.now_ms,
        }
    }
}

/// Measures the sweep on one thread and on all.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    let shape = Shape::service(PODS);
    let (watch, cpu) = (Stopwatch::start(), CpuWatch::start());
    let alone = sweep(&shape, 1..=RUNS)?;
    let one = watch.nanos();
    let per_thousand = unit.of(float(cpu.nanos())) / float(alone.changes) * 1000.0;
    let budget = Budget::AtMost(1_000_000.0, 500_000.0);
    figures.row("R7 per 1,000 task state changes, one thread", per_thousand, " u", budget);
    figures.row("R7 task state changes of a run", float(alone.changes) / float(RUNS), "", Budget::None);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let watch = Stopwatch::start();
    let together = sweep_on(&shape, threads)?;
    let all = watch.nanos();
    if together != alone {
        figures.fail(format!("R7: {threads} threads gave {together:?}, one gave {alone:?}"));
    }
    let budget =
        if threads < 2 { Budget::None } else { Budget::AtLeast(float(threads) * 0.9, float(threads) * 0.97) };
    figures.row(&format!("R7 on {threads} threads, faster"), float(one) / float(all), "x", budget);
    Ok(())
}

/// One thread with this many runs.
pub(crate) fn probe(runs: u32) -> Result<()> {
    sweep(&Shape::service(PODS), 1..=runs.into()).map(drop)
}

fn sweep(shape: &Shape, seeds: impl Iterator<Item = u64>) -> Result<Outcome> {
    let mut all = Outcome::default();
    for seed in seeds {
        all = all.plus(rollout(shape, seed)?);
    }
    Ok(all)
}

fn sweep_on(shape: &Shape, threads: u64) -> Result<Outcome> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                let seeds = (1..=RUNS).filter(move |seed| seed % threads == worker);
                scope.spawn(move || sweep(shape, seeds))
            })
            .collect();
        let mut all = Outcome::default();
        for worker in workers {
            all = all.plus(worker.join().map_err(|_| anyhow!("a thread of the sweep failed"))??);
        }
        Ok(all)
    })
}

/// Deploys while one start in ten fails.
fn rollout(shape: &Shape, seed: u64) -> Result<Outcome> {
    let mut engine = shape.loaded(seed)?;
    let fails = Fault {
        fault: FaultKind::CrashLoop,
        id: None,
        target: Target::default(),
        for_ms: Some(60_000),
        count: None,
        probability: Some(Amount(100)),
        exit_code: Some(1),
        message: None,
        delay_ms: None,
    };
    put(&mut engine, Input::Fault(fails))?;
    engine.advance_until_idle(LIMIT_MS);
    Ok(Outcome { changes: task_changes(&engine, 0), events: engine.seq(), now_ms: engine.now_ms() })
}
