//! Runs mutated definitions and inputs of all systems against the router for some minutes: `soak MINUTES [SEED]`.
//!
//! Each case is printed by its seed when it fails, made small, and kept in `tests/data/soak/`, where the suite `soak` plays it
//! from then on.

#![expect(clippy::print_stdout, reason = "a program says what it found")]
#![expect(clippy::disallowed_types, reason = "whoever drives a simulation reads a clock")]

use planarium_tests::soak::{Changed, Supply, play, shrink};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let minutes: f64 = args.next().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let begun = Instant::now();
    let wall_ms = || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let now_ms = || processor_ms().unwrap_or_else(wall_ms);
    let mut seed = args.next().and_then(|text| text.parse().ok()).unwrap_or_else(a_seed);
    let supply = Supply::of_the_gallery();
    let (mut cases, mut failed, mut slowest) = (0_u64, 0_u64, 0_u64);
    let mut changed = Changed::default();
    println!("soak from seed {seed} for {minutes} minutes");
    while begun.elapsed().as_secs_f64() < minutes * 60.0 {
        let (case, counts) = supply.case(seed);
        let case_begun = now_ms();
        let found = play(&case, &now_ms);
        let took = now_ms().saturating_sub(case_begun);
        if took > slowest {
            slowest = took;
            println!("seed {seed}: the slowest case so far, {took} ms");
        }
        if let Some(found) = found {
            failed += 1;
            println!("seed {seed}: {} gave {:?}", found.asked, found.fault);
            let small = shrink(&case, &found, &now_ms);
            let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("data/soak/seed-{seed}.json"));
            let text = serde_json::to_string_pretty(&small).unwrap_or_default();
            match std::fs::write(&kept, text + "\n") {
                Ok(()) => println!("  kept, with {} steps, as seed-{seed}.json", small.steps.len()),
                Err(error) => println!("  not kept: {error}"),
            }
        }
        cases += 1;
        changed.add(&counts);
        if cases % 10_000 == 0 {
            report(cases, &changed, failed);
        }
        seed = seed.wrapping_add(1);
    }
    report(cases, &changed, failed);
    println!("the next seed is {seed}");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the counts.
fn report(cases: u64, changed: &Changed, failed: u64) {
    let definitions: u64 = changed.definitions.values().sum();
    let by_system: Vec<String> =
        changed.definitions.iter().map(|(system, count)| format!("{count} {system}")).collect();
    println!(
        "{cases} cases: {definitions} changed definitions ({}), {} changed inputs; {failed} failed",
        by_system.join(", "),
        changed.inputs
    );
}

/// Time that the processor gave to this thread, where Linux tells it: other programs on the machine then make no answer slow.
fn processor_ms() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1_000_000)
}

/// A seed that is another one each time.
fn a_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |since| since.as_secs().wrapping_mul(1_000_000))
}
