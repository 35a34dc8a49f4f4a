//! R6: random instants of a run of 10,000 events, one step back, and what checkpoints weigh.

use anyhow::{Result, ensure};
use planarium_kernel::draw::mix32;
use planarium_world::Engine;

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::float,
    },
    clock::CpuWatch,
};
use planarium_workloads::fixture::Shape;

const SEEKS: u32 = 60;
/// One frame of a screen, in the browser; natively it goes faster. *Units*: milliseconds.
const FRAME_MS: f64 = 16.0;

/// Measures seeks in a run of 10,000 events, and in one several times as long.
pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    let mut engine = recorded(700)?;
    figures.row("R6 events of the run", float(engine.head_seq()), "", Budget::None);
    let far = jumps(&mut engine)?;
    figures.row("R6 seek to a random event, p95", far, " ms", Budget::AtMost(FRAME_MS, FRAME_MS / 2.0));
    let back = steps_back(&mut engine)?;
    figures.row("R6 one event back, p95", back, " ms", Budget::AtMost(FRAME_MS, FRAME_MS / 2.0));
    let kept = float(engine.checkpoint_bytes()) / float(1024 * 1024);
    figures.row("R6 checkpoints by their own estimate", kept, " MiB", Budget::AtMost(32.0, 16.0));
    let mut long = recorded(4_000)?;
    figures.row("R6 events of the long run", float(long.head_seq()), "", Budget::None);
    let longer = jumps(&mut long)?;
    figures.row(
        "R6 seek to a random event of the long run, p95",
        longer,
        " ms",
        Budget::AtMost(FRAME_MS, FRAME_MS / 4.0),
    );
    figures.row("R6 seek in the long run over the short one", longer / far, "x", Budget::AtMost(1.5, 1.1));
    Ok(())
}

/// Many jumps.
pub(crate) fn probe() -> Result<()> {
    let mut engine = recorded(700)?;
    jumps(&mut engine)?;
    steps_back(&mut engine).map(drop)
}

/// A serial rollout: about fourteen events per pod.
fn recorded(pods: u32) -> Result<Engine> {
    Shape { machines: 80, ..Shape::steps("serial", pods) }.deployed(1)
}

/// 95th percentile over jumps. *Units*: milliseconds.
fn jumps(engine: &mut Engine) -> Result<f64> {
    let head = engine.head_seq();
    engine.seek_seq(head);
    let digest = engine.digest();
    let mut taken: Vec<u64> = (0..SEEKS)
        .map(|n| {
            let to = u64::from(mix32(1, n, 0, 6)) % head;
            let watch = CpuWatch::start();
            engine.seek_seq(to);
            watch.nanos()
        })
        .collect();
    engine.seek_seq(head);
    ensure!(engine.digest() == digest, "going back and forth has changed the digest");
    Ok(p95(&mut taken))
}

/// 95th percentile over steps back from random places. *Units*: milliseconds.
fn steps_back(engine: &mut Engine) -> Result<f64> {
    let head = engine.head_seq();
    let mut taken = Vec::new();
    for n in 0..SEEKS {
        engine.seek_seq(2 + u64::from(mix32(2, n, 0, 6)) % (head - 2));
        let watch = CpuWatch::start();
        let went = engine.step_back();
        taken.push(watch.nanos());
        ensure!(went, "one step back went nowhere");
    }
    Ok(p95(&mut taken))
}

fn p95(nanos: &mut [u64]) -> f64 {
    nanos.sort_unstable();
    let at = nanos.len() * 95 / 100;
    nanos.get(at).map_or(0.0, |nanos| float(*nanos) / 1e6)
}
