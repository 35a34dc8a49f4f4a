//! The real systems under load: the full engine with events, causes, journal and digest.
//!
//! *Knows*: sizes, budgets, and how a world is driven from outside. *Must not know*: how any system works
//! inside.

mod fixture;
mod growth;
mod memory;
mod offers;
mod seek;
mod service;
mod sweep;

use anyhow::{Context, Result};

use super::{figures::Figures, measure::Unit};
use crate::out;

/// Measures the full engine.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    out::step("the full engine: growth with the number of steps");
    growth::run(unit, figures)?;
    out::step("R1: a service of 1,000 pods");
    let unit = unit.again();
    service::run(unit, figures)?;
    out::step("R2: allocation rounds over 1,000 agents");
    let unit = unit.again();
    offers::run(unit, figures)?;
    out::step("R6: back and forth in 10,000 events");
    seek::run(figures)?;
    out::step("R7: a sweep over seeds");
    let unit = unit.again();
    sweep::run(unit, figures)?;
    out::step("R8: memory");
    memory::run(figures)
}

/// What the hidden option `--probe` runs: `deploy-serial-1000:1` and the like.
pub(crate) fn probe(what: &str, times: u32) -> Result<()> {
    let known = || format!("there is no probe `{what}`");
    let (kind, rest) = what.split_once('-').with_context(known)?;
    let (strategy, pods) = rest.split_once('-').unwrap_or(("parallel", rest));
    let pods: u32 = pods.parse().with_context(known)?;
    for seed in 1..=times {
        match kind {
            "deploy" => {
                fixture::Shape::steps(strategy, pods).deployed(seed.into())?;
            }
            "service" => service::probe(pods)?,
            "offers" => offers::probe(pods)?,
            "seek" => seek::probe()?,
            "sweep" => sweep::probe(pods)?,
            "memory" => memory::probe(pods)?,
            _ => anyhow::bail!(known()),
        }
    }
    Ok(())
}
