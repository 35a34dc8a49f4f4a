//! W2: a rollout on a cluster, deploy then update, with failures and recovery; W3: a thousand of them.
//!
//! Two plan trees (deploy: one parallel phase; update: serial over phases of ten, parallel inside), the
//! kernel's queue for everything that takes time, and the fleet's first-fit index for placement.

pub(crate) mod figures;
mod rollout;

pub(crate) use rollout::{Outcome, Setup, run};

/// Reference results for seed 1: N, then events, ticks, launches, failures, makespan, checksum.
pub(crate) const REFERENCE: [(u32, Outcome); 5] = [
    (50, Outcome { events: 337, ticks: 59, launches: 111, failures: 11, makespan: 58_000, sum: 419_788 }),
    (
        100,
        Outcome { events: 690, ticks: 116, launches: 228, failures: 28, makespan: 115_000, sum: 5_421_374 },
    ),
    (
        1000,
        Outcome {
            events: 7061,
            ticks: 939,
            launches: 2345,
            failures: 345,
            makespan: 938_000,
            sum: 1_401_108_127,
        },
    ),
    (
        10_000,
        Outcome {
            events: 70_423,
            ticks: 9157,
            launches: 23_422,
            failures: 3422,
            makespan: 9_156_000,
            sum: 3_897_197_216,
        },
    ),
    (
        100_000,
        Outcome {
            events: 704_423,
            ticks: 91_469,
            launches: 234_047,
            failures: 34_047,
            makespan: 91_468_000,
            sum: 946_878_320,
        },
    ),
];

/// Runs of a sweep and pods in each.
pub(crate) const SWEEP: (u32, u32) = (1000, 50);

/// Reference results of the sweep over seeds 1 to 1,000: events, sum of makespans, sum of checksums.
pub(crate) const SWEEP_REFERENCE: (u64, u64, u32) = (323_019, 56_355_000, 376_415_393);

/// Runs the given seeds of a sweep one after the other; answers events, makespans and checksums summed.
pub(crate) fn sweep(setup: &Setup, seeds: impl Iterator<Item = u32>) -> (u64, u64, u32) {
    seeds.map(|seed| run(setup, seed)).fold((0, 0, 0), |(events, makespans, sum), outcome| {
        (
            events + u64::from(outcome.events),
            makespans + u64::from(outcome.makespan),
            sum.wrapping_add(outcome.sum),
        )
    })
}
