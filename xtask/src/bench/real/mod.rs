//! The real systems under load: the full engine with events, causes, journal and digest.
//!
//! *Knows*: sizes, budgets, and how a world is driven from outside. *Must not know*: how any system works
//! inside.

mod flow;
mod group;
mod growth;
mod lessons;
mod memory;
mod offers;
mod operator;
mod seek;
mod service;
mod sweep;
mod workloads;

use anyhow::{Context, Result};

use super::{figures::Figures, measure::Unit};
use crate::out;

/// Measures the full engine, or only one named part: `growth`, `R1`, `R2`, ...
pub(crate) fn run(unit: Unit, only: Option<&str>, figures: &mut Figures) -> Result<()> {
    type Part = fn(Unit, &mut Figures) -> Result<()>;
    let parts: [(&str, &str, Part); 11] = [
        ("growth", "the full engine: growth with the number of steps", growth::run),
        ("R1", "R1: a service of 1,000 pods", service::run),
        ("R2", "R2: allocation rounds and schedules over 1,000 agents", offers::run),
        ("R3", "R3: a Marathon group of 200 apps", group::run),
        ("R4", "R4: a KUDO operator of 100 steps", operator::run),
        ("R5", "R5: a plan of 10,000 executed steps", flow::run),
        ("R6", "R6: back and forth in 10,000 events", |_, figures| seek::run(figures)),
        ("R7", "R7: a sweep over seeds", sweep::run),
        ("R8", "R8: memory", |_, figures| memory::run(figures)),
        ("R9", "R9: 1,000 plain Deployments", workloads::run),
        ("R10", "R10: checks of the lessons", |_, figures| lessons::run(figures)),
    ];
    let mut unit = unit;
    for (name, title, part) in parts.into_iter().filter(|(name, ..)| only.is_none_or(|only| only == *name)) {
        out::step(title);
        unit = if name == "growth" { unit } else { unit.again() };
        part(unit, figures)?;
    }
    Ok(())
}

/// Runs the workload of the hidden option `--probe`: `deploy-serial-1000:1` and the like.
pub(crate) fn probe(what: &str, times: u32) -> Result<()> {
    let known = || format!("there is no probe `{what}`");
    let (kind, rest) = what.split_once('-').with_context(known)?;
    let (strategy, pods) = rest.split_once('-').unwrap_or(("parallel", rest));
    let pods: u32 = pods.parse().with_context(known)?;
    for seed in 1..=times {
        match kind {
            "deploy" => {
                planarium_workloads::fixture::Shape::steps(strategy, pods).deployed(seed.into())?;
            }
            "service" if service::probe_stage(strategy, pods)? => {}
            "service" => service::probe(pods)?,
            "offers" => offers::probe(pods)?,
            "flow" => flow::probe(pods)?,
            "group" => group::probe(pods)?,
            "operator" if strategy == "rendering" => operator::probe_rendering(pods)?,
            "operator" => operator::probe(strategy, pods)?,
            "seek" if strategy == "crash" => seek::probe_crash_loops(pods)?,
            "seek" => seek::probe()?,
            "sweep" => sweep::probe(pods)?,
            "memory" => memory::probe(pods)?,
            "workloads" => workloads::probe(pods)?,
            "replicas" => workloads::probe_one(pods)?,
            _ => anyhow::bail!(known()),
        }
    }
    Ok(())
}
