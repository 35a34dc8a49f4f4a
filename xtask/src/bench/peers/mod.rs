//! The same workloads on the neighbours, in the same run: SimPy (PyPI) and XState v5 (npm).
//!
//! The drivers are our own and lie beside this file. Each prints one line per workload: its name, the
//! nanoseconds of the whole workload, and a checksum that must equal ours before the time counts.

use std::{path::Path, process::Command};

use anyhow::{Context, Result};

use super::figures::{Budget, Figures};
use crate::{files, out};

const SIMPY_DRIVER: &str = include_str!("simpy_driver.py");
const XSTATE_DRIVER: &str = include_str!("xstate_driver.cjs");

/// A peer's output for one workload.
struct Line {
    workload: String,
    ns: f64,
    checksum: String,
}

/// Runs the peers that are installed and says how to install the others.
pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    let home = files::root()?.join("target").join("peers");
    std::fs::create_dir_all(&home)?;
    simpy(&home, figures)?;
    xstate(&home, figures)
}

fn simpy(home: &Path, figures: &mut Figures) -> Result<()> {
    let own = home.join("venv").join("bin").join("python");
    let python = if own.exists() { own } else { "python3".into() };
    let has = |module: &str| {
        let import = format!("import {module}");
        Command::new(&python).args(["-c", &import]).output().is_ok_and(|output| output.status.success())
    };
    if !has("simpy") {
        out::say(
            "  SimPy is not installed; install it with:\n    python3 -m venv target/peers/venv && \
             target/peers/venv/bin/pip install simpy",
        );
        return Ok(());
    }
    let driver = home.join("simpy_driver.py");
    std::fs::write(&driver, SIMPY_DRIVER)?;
    for line in lines(Command::new(&python).arg(driver))? {
        let budget = match line.workload.as_str() {
            "W0" => Budget::AtLeast(30.0, 45.0),
            "W1 parallel 1x10000" => Budget::AtLeast(115.0, 115.0),
            "W2" => Budget::AtLeast(27.0, 40.0),
            "W3" => Budget::AtLeast(40.0, 60.0),
            _ => Budget::None,
        };
        compare("SimPy", &line, budget, figures);
    }
    Ok(())
}

fn xstate(home: &Path, figures: &mut Figures) -> Result<()> {
    let modules = home.join("node_modules");
    if !modules.join("xstate").exists() {
        out::say(
            "  XState is not installed; install it with:\n    npm install --prefix target/peers xstate@5",
        );
        return Ok(());
    }
    let driver = home.join("xstate_driver.cjs");
    std::fs::write(&driver, XSTATE_DRIVER)?;
    for line in lines(Command::new("node").arg(driver).env("NODE_PATH", modules))? {
        let budget = match line.workload.as_str() {
            "W1 parallel 1x10000" => Budget::AtLeast(35_000.0, 35_000.0),
            _ => Budget::None,
        };
        compare("XState", &line, budget, figures);
    }
    Ok(())
}

fn lines(command: &mut Command) -> Result<Vec<Line>> {
    let output = command.output().context("the driver did not start")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "the driver failed:\n{errors}");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| {
            let mut parts = line.split('\t').map(str::to_owned);
            let (workload, ns, checksum) = (parts.next(), parts.next(), parts.next());
            let line = workload.zip(ns).zip(checksum).with_context(|| format!("unreadable: {line}"))?;
            let ((workload, ns), checksum) = line;
            Ok(Line { workload, ns: ns.parse()?, checksum })
        })
        .collect()
}

/// Checksums of the whole workloads, as the drivers print them.
fn checksum(workload: &str) -> Option<String> {
    let formula = |cycle: fn(u32) -> u32| {
        (0..10_000_u32).fold(0_u32, |sum, i| sum.wrapping_add(cycle(i).wrapping_mul(i + 1)))
    };
    Some(match workload {
        "W0" => super::measure::plain_w0(1000, 1_000_000).to_string(),
        "W1 parallel 1x10000" => formula(|_| 1).to_string(),
        "W1 serial 1x10000" => formula(|i| i + 1).to_string(),
        "W2" => super::w2::REFERENCE.iter().find(|(pods, _)| *pods == 1000)?.1.sum.to_string(),
        "W3" => super::w2::SWEEP_REFERENCE.2.to_string(),
        _ => return None,
    })
}

fn compare(peer: &str, line: &Line, budget: Budget, figures: &mut Figures) {
    let Line { workload, ns, .. } = line;
    match checksum(workload) {
        Some(ours) if ours == line.checksum => {}
        ours => {
            return figures.fail(format!("{peer}, {workload}: checksum {} is not {ours:?}", line.checksum));
        }
    }
    let Some(ours) = figures.kept(workload) else { return };
    figures.row(&format!("{workload}: {peer} took {:.1} ms; faster by", ns / 1e6), ns / ours, "x", budget);
}
