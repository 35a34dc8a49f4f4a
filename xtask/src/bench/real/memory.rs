//! R8: the memory of a world, as the operating system reports it for a process.
//!
//! The difference between two sizes leaves out the program itself. Kept checkpoints are within their own budget and
//! included.

use std::{hint::black_box, process::Command};

use anyhow::{Context, Result};

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::float,
    },
    out,
};
use planarium_workloads::fixture::Shape;

const SIZES: [u32; 3] = [1_000, 4_000, 10_000];

/// Measures children that hold worlds of different sizes.
pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    let mut taken = Vec::new();
    for pods in SIZES {
        let Some(bytes) = child(pods)? else {
            out::say("  this system does not say how much memory a process takes");
            return Ok(());
        };
        taken.push((pods, bytes));
    }
    for pair in taken.windows(2) {
        let [(few, less), (many, more)] = pair else { continue };
        let per_pod = float(more.world.saturating_sub(less.world)) / float(u64::from(many - few)) / 1024.0;
        let what = format!("R8 per pod between {few} and {many} pods, past dropped");
        figures.row(&what, per_pod, " KiB", Budget::AtMost(1.0, 0.5));
        let peak = float(more.peak.saturating_sub(less.peak)) / float(u64::from(many - few)) / 1024.0;
        let what = format!("R8 per pod between {few} and {many} pods, at most, with events and checkpoints");
        figures.row(&what, peak, " KiB", Budget::None);
    }
    Ok(())
}

/// Bytes that a child took.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// While only the world at the end is held.
    world: u64,
    /// At most, with the events and checkpoints of the whole deployment.
    peak: u64,
}

fn child(pods: u32) -> Result<Option<Taken>> {
    let program = std::env::current_exe()?;
    let output = Command::new(program)
        .args(["bench", "--probe", &format!("memory-{pods}:1")])
        // Freed memory is returned to the system as far as possible.
        .env("MIMALLOC_PURGE_DELAY", "0")
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    Ok(match numbers[..] {
        [world, peak] if peak > 0 => Some(Taken { world, peak }),
        _ => None,
    })
}

/// The child process: deploys, drops its past, and prints its memory.
pub(crate) fn probe(pods: u32) -> Result<()> {
    let engine = Shape::service(pods).deployed(1)?;
    let peak = status("VmHWM")?;
    let world = engine.world().clone();
    drop(engine);
    let held = status("VmRSS")?;
    black_box(world);
    out::say(format!("{held} {peak}"));
    Ok(())
}

/// A line of the process's own status, zero where there is none. *Units*: bytes.
fn status(key: &str) -> Result<u64> {
    let Ok(text) = std::fs::read_to_string("/proc/self/status") else { return Ok(0) };
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let number = line.context("no such line")?.split_whitespace().next().context("no number")?;
    Ok(number.parse::<u64>()? * 1024)
}
