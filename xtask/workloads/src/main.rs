//! Times the workloads natively, with the system's allocator: `planarium-workloads [ROUNDS]` prints name, milliseconds of the quickest
//! round and checksum, a line each. `workloads.mjs` prints the same in WebAssembly.

#![expect(clippy::disallowed_types, clippy::print_stdout, reason = "a program that prints times")]

use std::time::Instant;

fn main() -> anyhow::Result<()> {
    let rounds = std::env::args().nth(1).map_or(Ok(5), |rounds| rounds.parse::<u32>())?;
    for name in planarium_workloads::NAMES {
        let mut quickest = f64::INFINITY;
        let mut checksum = String::new();
        for _ in 0..rounds {
            let watch = Instant::now();
            checksum = planarium_workloads::play(name)?;
            quickest = quickest.min(watch.elapsed().as_secs_f64() * 1000.0);
        }
        println!("{name}\t{quickest:.1}\t{checksum}");
    }
    Ok(())
}
