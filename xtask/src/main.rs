//! Repository tasks, run as `cargo xtask TASK`.
//!
//! Knows: how this repository is set up, checked, tested and bundled, and which outside tools that takes.
//! Must not know: any rule of the engine. Nothing here is shipped.

#[cfg(feature = "bench")]
mod bench;
mod bless;
mod ci;
mod clock;
mod dist;
mod files;
mod help;
mod loader;
mod npm;
mod out;
mod page;
mod play;
mod proc;
mod serve;
mod setup;
mod site;
mod size;
mod soak;
mod test;
mod tidy;

use std::process::ExitCode;

use anyhow::Result;

/// Measured code allocates as the command does.
#[cfg(feature = "bench")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            out::fail(&error);
            ExitCode::FAILURE
        }
    }
}

/// Runs one task. `Ok(false)` means that the task ran and reported failures.
fn dispatch(args: &[String]) -> Result<bool> {
    let Some((task, rest)) = args.split_first() else {
        out::say(help::OVERVIEW);
        return Ok(true);
    };
    if rest.iter().any(|arg| arg == "--help" || arg == "-h") {
        out::say(help::of(task));
        return Ok(true);
    }
    match task.as_str() {
        "play" => play::run(rest),
        "test" => test::run(rest),
        "ci" => ci::run(rest),
        "lint" => ci::lint(rest),
        "setup" => setup::run(rest),
        "tidy" => tidy::run(rest),
        "bless" => bless::run(rest),
        "dist" => dist::run(rest),
        "piece" => page::run_piece(rest),
        "site" => site::run(rest),
        "size" => size::run(rest),
        "npm" => npm::run(rest),
        "loader" => loader::run(rest),
        "bench" => run_bench(rest),
        "soak" => soak::run(rest),
        "help" | "--help" | "-h" => {
            out::say(rest.first().map_or(help::OVERVIEW, |task| help::of(task)));
            Ok(true)
        }
        other => anyhow::bail!("there is no task `{other}`\n\n{}", help::OVERVIEW),
    }
}

/// Measures: this very program again, built with optimisation and with the engine linked in.
#[cfg(not(feature = "bench"))]
fn run_bench(args: &[String]) -> Result<bool> {
    let root = files::root()?;
    out::step("building the benchmarks with optimisation");
    let cargo = proc::Cmd::new("cargo")
        .dir(&root)
        .args(["run", "--quiet", "--release", "--package", "xtask", "--features", "bench", "--", "bench"])
        .args(args)
        // Memory that one run has freed is there for the next: what counts is the engine, not how the system clears pages.
        .env("MIMALLOC_PURGE_DELAY", "-1");
    Ok(cargo.status()?.success())
}

/// Measures with the workloads that are linked in.
#[cfg(feature = "bench")]
fn run_bench(args: &[String]) -> Result<bool> {
    bench::run(args)?;
    Ok(true)
}
