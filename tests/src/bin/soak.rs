//! Runs mutated definitions and inputs of all systems against the router for some minutes: `soak MINUTES [SEED]`.
//!
//! Each case is printed by its seed when it fails, made small, and kept in `tests/data/soak/`, where the suite `soak` plays it
//! from then on.

#![expect(clippy::print_stdout, reason = "a program says what it found")]
#![expect(clippy::disallowed_types, reason = "whoever drives a simulation reads a clock")]

use planarium_tests::soak::{Supply, play, shrink};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let minutes: f64 = args.next().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let begun = Instant::now();
    let now_ms = || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut seed = args.next().and_then(|text| text.parse().ok()).unwrap_or_else(a_seed);
    let supply = Supply::of_the_gallery();
    let (mut cases, mut failed) = (0_u64, 0_u64);
    println!("soak from seed {seed} for {minutes} minutes");
    while begun.elapsed().as_secs_f64() < minutes * 60.0 {
        let case = supply.case(seed);
        if let Some(found) = play(&case, &now_ms) {
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
        seed = seed.wrapping_add(1);
    }
    println!("{cases} cases, {failed} failed; the next seed is {seed}");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A seed that is another one each time.
fn a_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(1, |since| since.as_secs().wrapping_mul(1_000_000))
}
