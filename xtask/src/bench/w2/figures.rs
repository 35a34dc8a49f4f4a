//! Figures of W2 and W3.

use std::hint::black_box;

use anyhow::{Result, anyhow, ensure};

use super::{REFERENCE, SWEEP, SWEEP_REFERENCE, Setup, run as run_once, sweep};
use crate::bench::{
    GROWTH_BUDGET,
    figures::{Budget, Figures},
    measure::{Unit, exponent, float, growth, least},
};

/// Measures W2 in all sizes and W3 on one thread and on two.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    let mut measured = Vec::new();
    for (pods, reference) in REFERENCE {
        let setup = Setup::new(pods);
        let got = run_once(&setup, 1);
        ensure!(got == reference, "W2 N={pods}: expected {reference:?}, got {got:?}");
        let ns = per_event(&setup, pods);
        figures.row(&format!("W2 N={pods}, per event"), unit.of(ns), " u", Budget::None);
        let whole = ns * float(reference.events.into());
        if pods == 1000 {
            figures.keep("W2", whole);
        }
        measured.push((u64::from(pods), whole));
    }
    let at = |pods| {
        let found = measured.iter().find(|(size, _)| *size == pods);
        found.copied().ok_or_else(|| anyhow!("W2 N={pods} was not measured"))
    };
    let grown = exponent(at(1000)?, at(100_000)?);
    figures.row("W2, exponent 1,000 to 100,000", grown, "", Budget::AtMost(1.15, 1.08));
    let (small, large) = (Setup::new(100), Setup::new(10_000));
    let growth = growth(GROWTH_BUDGET, || {
        Ok::<_, anyhow::Error>((per_event(&small, 100), per_event(&large, 10_000)))
    })?;
    let budget = Budget::AtMost(GROWTH_BUDGET, 1.5);
    figures.row("W2, an event at N=10,000 over one at N=100", growth, "", budget);
    if growth > GROWTH_BUDGET {
        figures.fail(format!("W2: an event costs {growth:.1} times as much at N=10,000 as at N=100"));
    }
    run_sweep(unit, figures)
}

/// Nanoseconds per event over several seeds: one repeated seed would train the branch predictor.
fn per_event(setup: &Setup, pods: u32) -> f64 {
    let seeds = (20_000 / pods).clamp(1, 200);
    let events = (1..=seeds).map(|seed| u64::from(run_once(setup, seed).events)).sum();
    let work = |()| {
        for seed in 1..=seeds {
            black_box(run_once(setup, seed));
        }
    };
    least(3, events, || (), work)
}

fn run_sweep(unit: Unit, figures: &mut Figures) -> Result<()> {
    let (runs, pods) = SWEEP;
    let setup = Setup::new(pods);
    let got = sweep(&setup, 1..=runs);
    ensure!(got == SWEEP_REFERENCE, "W3: expected {SWEEP_REFERENCE:?}, got {got:?}");
    let alone = least(3, 1, || (), |()| _ = black_box(sweep(&setup, 1..=runs)));
    figures.row("W3 on one thread, per event", unit.of(alone / float(got.0)), " u", Budget::None);
    figures.keep("W3", alone);
    let mut same = true;
    let both = least(3, 1, || (), |()| same &= sweep_on_two(&setup, runs) == got);
    ensure!(same, "W3: two threads gave another result than one");
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if threads < 2 {
        figures.row("W3 on two threads (this machine has one core), faster", alone / both, "x", Budget::None);
    } else {
        figures.row("W3 on two threads, faster", alone / both, "x", Budget::AtLeast(1.8, 1.95));
    }
    Ok(())
}

/// The sweep split between two threads by halves.
fn sweep_on_two(setup: &Setup, runs: u32) -> (u64, u64, u32) {
    let half = runs / 2;
    std::thread::scope(|scope| {
        let other = scope.spawn(|| sweep(setup, half + 1..=runs));
        let (events, makespans, sum) = sweep(setup, 1..=half);
        let (more_events, more_makespans, more_sum) = other.join().unwrap_or_default();
        (events + more_events, makespans + more_makespans, sum.wrapping_add(more_sum))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two larger sizes are checked whenever they are measured.
    #[test]
    fn reference_results() {
        for (pods, reference) in REFERENCE.into_iter().filter(|(pods, _)| *pods <= 1000) {
            assert_eq!(run_once(&Setup::new(pods), 1), reference, "N={pods}");
        }
    }

    #[test]
    fn a_sweep_may_be_split() {
        let setup = Setup::new(20);
        assert_eq!(sweep_on_two(&setup, 6), sweep(&setup, 1..=6));
    }
}
