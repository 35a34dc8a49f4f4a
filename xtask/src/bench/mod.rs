//! `cargo xtask bench`: the workloads of the budgets, each figure beside its budget.
//!
//! *Knows*: the synthetic workloads W0 to W3, their reference results and budgets, and the workloads of the
//! real systems. *Must not know*: any rule of the engine; it drives public surfaces.
//!
//! A checksum must agree before a time counts. Figures are ratios taken in one run: `u` is the time of
//! one event of the plainest possible W0 loop. No figure fails the task; a wrong checksum does, and so
//! does a cost per event that grows with size.

mod figures;
mod instructions;
mod levels;
mod measure;
mod page;
mod peers;
mod real;
mod w0;
mod w1;
mod w2;

use anyhow::{Result, bail};

use crate::out;
use figures::Figures;
use measure::Unit;

/// Largest cost per event at 10,000 steps as a multiple of that at 100.
const GROWTH_BUDGET: f64 = 3.0;

/// Runs the workloads and prints each figure beside its budget.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let mut with_peers = false;
    let mut with_instructions = false;
    let mut only_real = false;
    let mut only_part = None;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--real" => only_real = true,
            "--only" => only_part = rest.next().map(String::as_str),
            "--peers" => with_peers = true,
            "--instructions" => with_instructions = true,
            "--probe" => return instructions::probe(rest.next().map_or("", String::as_str)),
            "--page" => {
                let mut figures = Figures::default();
                page::run(rest.next().map(String::as_str), &mut figures)?;
                return figures.finish();
            }
            "--wasm" => {
                let mut figures = Figures::default();
                levels::run(rest.next().map(String::as_str), &mut figures)?;
                return figures.finish();
            }
            other => bail!(
                "unknown option `{other}`; options: --real, --only PART, --peers, --instructions, --wasm [LEVEL], \
                 --page [SECONDS]"
            ),
        }
    }
    let mut figures = Figures::default();
    let unit = Unit::measure();
    out::say(format!("u = {:.1} ns: one event of the plain W0 loop, N = 1,000", unit.ns()));
    if only_real || only_part.is_some() {
        real::run(unit, only_part, &mut figures)?;
        return figures.finish();
    }
    out::step("W0: the event queue");
    w0::run(unit, &mut figures)?;
    out::step("W1: plans alone");
    let unit = unit.again();
    w1::run(unit, &mut figures)?;
    out::step("W2 and W3: a rollout on a cluster");
    let unit = unit.again();
    w2::figures::run(unit, &mut figures)?;
    let unit = unit.again();
    real::run(unit, None, &mut figures)?;
    out::say(format!("u = {:.1} ns in the end", unit.again().ns()));
    if with_instructions {
        out::step("instructions");
        instructions::run(&mut figures)?;
    }
    if with_peers {
        out::step("peers");
        peers::run(&mut figures)?;
    }
    figures.finish()
}
