//! Instruction counts under callgrind, which vary far less than times.
//!
//! The same binary runs as a probe twice, with one and with three repetitions of a workload; the
//! difference leaves out start and set-up.

use std::hint::black_box;

use anyhow::{Context, Result};

use planarium_workloads::walk::{self, Kind};

use super::{
    figures::{Budget, Figures},
    measure::float,
    real,
    w2::{SWEEP, SWEEP_REFERENCE, Setup, run as rollout, sweep},
};
use crate::out;

/// Steps of the W1 probe, and runs of the W3 probe.
const STEPS: u32 = 10_000;

/// Counts instructions, or says how to get the tool that does.
pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    if std::process::Command::new("valgrind").arg("--version").output().is_err() {
        out::say("  valgrind is not installed; on Debian and Ubuntu: apt-get install valgrind");
        return Ok(());
    }
    let parallel = difference("w1-parallel")? / float(2 * u64::from(STEPS));
    figures.row("W1 parallel 1x10000, instructions per step", parallel, "", Budget::AtMost(400.0, 200.0));
    let serial = difference("w1-serial")? / float(2 * u64::from(STEPS));
    figures.row("W1 serial 1x10000, instructions per step", serial, "", Budget::AtMost(400.0, 200.0));
    let per_event = difference("w3")? / float(2 * SWEEP_REFERENCE.0);
    figures.row("W3, instructions per event", per_event, "", Budget::AtMost(800.0, 550.0));
    Ok(())
}

/// Runs the workload of the hidden option `--probe`: `WORKLOAD:REPETITIONS`.
pub(crate) fn probe(what: &str) -> Result<()> {
    let (workload, times) = what.split_once(':').context("a probe is WORKLOAD:REPETITIONS")?;
    let times: u32 = times.parse()?;
    match workload {
        "w1-parallel" => probe_w1(Kind::Parallel, times),
        "w1-serial" => probe_w1(Kind::Serial, times),
        "w3" => {
            let setup = Setup::new(SWEEP.1);
            for _ in 0..times {
                black_box(sweep(&setup, 1..=SWEEP.0));
            }
        }
        other => {
            let Some(pods) = other.strip_prefix("w2-") else { return real::probe(other, times) };
            let setup = Setup::new(pods.parse()?);
            for seed in 1..=times {
                black_box(rollout(&setup, seed));
            }
        }
    }
    Ok(())
}

fn probe_w1(kind: Kind, times: u32) {
    let plan = walk::build(kind, 1, STEPS);
    // All copies are made for any number of repetitions, so that the difference leaves them out.
    let mut copies = [plan.clone(), plan.clone(), plan];
    for copy in copies.iter_mut().take(times as usize) {
        black_box(walk::walk(copy, kind));
    }
}

/// Instructions of two repetitions of a workload.
fn difference(workload: &str) -> Result<f64> {
    Ok(float(count(workload, 3)?.saturating_sub(count(workload, 1)?)))
}

fn count(workload: &str, times: u32) -> Result<u64> {
    let program = std::env::current_exe()?;
    let output = std::process::Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["bench", "--probe", &format!("{workload}:{times}")])
        .output()
        .context("valgrind did not run")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected =
        text.lines().find_map(|line| line.split_once("Collected :")).map(|(_, count)| count.trim());
    let count = collected.with_context(|| format!("callgrind counted nothing:\n{text}"))?;
    Ok(count.parse()?)
}
