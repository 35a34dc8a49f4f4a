//! W0: N timers that re-arm for ever, over the product's own queue.

use std::hint::black_box;

use anyhow::{Result, ensure};
use planarium_kernel::{Class, EventQueue, SimTime};
use planarium_workloads::low32;

use super::{
    figures::{Budget, Figures},
    measure::{Unit, least, plain_w0, w0_delay, w0_sum},
};

const EVENTS: u64 = 1_000_000;

/// Measures W0 and checks it against the plain loop.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    for timers in [10, 1000, 100_000] {
        ensure!(walk(timers, EVENTS) == plain_w0(timers, EVENTS), "W0, N = {timers}: the checksums differ");
        let ns = least(5, EVENTS, || (), |()| _ = black_box(walk(timers, EVENTS)));
        figures.row(&format!("W0 N={timers}, per firing"), unit.of(ns), " u", Budget::None);
        if timers == 1000 {
            figures.keep("W0", ns * super::measure::float(EVENTS));
        }
    }
    Ok(())
}

/// W0 over the product's queue; answers its checksum.
pub(crate) fn walk(timers: u32, events: u64) -> u32 {
    let mut firings = vec![0_u32; timers as usize];
    let mut queue = EventQueue::new();
    for timer in 0..timers {
        queue.push(SimTime(w0_delay(timer, 0).into()), Class::Periodic, timer);
    }
    let mut sum = 0;
    for _ in 0..events {
        let Some((_, at, timer)) = queue.pop_due(SimTime::MAX) else { break };
        sum = w0_sum(sum, timer, low32(at.ms()));
        let Some(count) = firings.get_mut(timer as usize) else { break };
        *count += 1;
        queue.push(at.saturating_add(w0_delay(timer, *count).into()), Class::Periodic, timer);
    }
    sum
}
