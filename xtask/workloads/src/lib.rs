//! Workloads of the benchmarks: what is measured, without a clock.
//!
//! *Knows*: plans, rollouts and worlds of any size, with the checksums that they must reach. *Must not know*: how long
//! anything takes; who measures brings the clock. The same code runs natively and in WebAssembly, where `play` is called from
//! JavaScript.

pub mod fixture;
pub mod rollout;
pub mod walk;

use anyhow::{Context, Result, ensure};
use planarium_protocol::Input;

#[cfg(all(target_arch = "wasm32", feature = "wasmalloc"))]
#[global_allocator]
static ALLOCATOR: wasmalloc::WasmAlloc = wasmalloc::WasmAlloc::new();

/// Names of the workloads that [`play`] knows.
pub const NAMES: [&str; 3] = ["W1", "W3", "R1"];

/// Plays a workload once. Returns its checksum, or the digest of the world at its end.
///
/// | Name | Workload |
/// |---|---|
/// | `W1` | a plan of 10,000 parallel steps, walked twenty times |
/// | `W3` | a thousand rollouts of 50 pods |
/// | `R1` | a service of 1,000 pods: deployed, changed, a tenth of it decommissioned |
///
/// # Errors
/// An unknown name, or a checksum that is not the published one.
pub fn play(name: &str) -> Result<String> {
    match name {
        "W1" => walks(),
        "W3" => sweep(),
        "R1" => service(),
        _ => anyhow::bail!("there is no workload `{name}`"),
    }
}

fn walks() -> Result<String> {
    const STEPS: u32 = 10_000;
    let plan = walk::build(walk::Kind::Parallel, 1, STEPS);
    let mut got = (0, 0);
    for _ in 0..20 {
        got = walk::walk(&mut plan.clone(), walk::Kind::Parallel);
    }
    ensure!(got == walk::expected(walk::Kind::Parallel, 1, STEPS), "the checksum of W1 is wrong");
    Ok(got.1.to_string())
}

fn sweep() -> Result<String> {
    let (runs, pods) = rollout::SWEEP;
    let got = rollout::sweep(&rollout::Setup::new(pods), 1..=runs);
    ensure!(got == rollout::SWEEP_REFERENCE, "the checksum of W3 is wrong");
    Ok(got.2.to_string())
}

fn service() -> Result<String> {
    let shape = fixture::Shape::service(1_000);
    let mut engine = shape.deployed(1)?;
    let changed = fixture::Shape { version: 2, ..shape };
    let fewer = fixture::Shape { pods: 900, ..changed.clone() };
    for next in [changed, fewer] {
        fixture::put(&mut engine, Input::UpdateService(next.load())).context("R1")?;
        engine.advance_until_idle(fixture::LIMIT_MS);
        fixture::until(&mut engine, "deploy=COMPLETE")?;
    }
    Ok(engine.digest())
}

/// The low 32 bits: the published workloads are 32-bit throughout.
#[expect(clippy::cast_possible_truncation, reason = "that is the point")]
pub const fn low32(value: u64) -> u32 {
    value as u32
}

#[cfg(target_arch = "wasm32")]
mod js {
    use wasm_bindgen::prelude::wasm_bindgen;

    /// Plays a workload once, see [`super::play`].
    ///
    /// # Errors
    /// Those of [`super::play`], as a text.
    #[wasm_bindgen]
    pub fn play(name: &str) -> Result<String, String> {
        super::play(name).map_err(|error| error.to_string())
    }
}
