//! R3: a Marathon group of 200 apps on 10 levels of dependencies, upgraded in one deployment.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use planarium_protocol::{
    Amount, Input,
    input::{AddAgent, HttpCall, LoadService, Resources},
};
use planarium_world::{Engine, Genesis};

use super::fixture::{put, task_changes, until};
use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::{Unit, float},
    },
    clock::CpuWatch,
};

/// Levels of dependencies.
const LEVELS: u32 = 10;
/// Instances of each app.
const INSTANCES: u32 = 25;
/// Apps of the level before that an app needs.
const NEEDS: u32 = 2;
/// Runs; the cheapest one counts, since a busy machine can only make it look worse.
const SEEDS: u64 = 3;
/// Plans computed in a row.
const PLANS: u64 = 20;

/// What a size costs. *Units*: nanoseconds.
#[derive(Clone, Copy)]
struct Cost {
    /// Of starting everything, for each change of a task's state.
    start: f64,
    /// Of replacing everything, for each change of a task's state.
    upgrade: f64,
    /// Of a plan that concerns every app, for each app and each dependency.
    plan: f64,
}

impl Cost {
    fn least(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            upgrade: self.upgrade.min(other.upgrade),
            plan: self.plan.min(other.plan),
        }
    }
}

/// Measures 200 apps with 5,000 instances, and ten times as many.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    let small = cheapest(200, SEEDS)?;
    let large = cheapest(2_000, SEEDS)?;
    let per_change = Budget::AtMost(150.0, 75.0);
    let growth = Budget::AtMost(1.5, 1.1);
    figures.row("R3 start, per task state change", unit.of(small.start), " u", per_change);
    figures.row("R3 start, the same at 50,000 instances", large.start / small.start, "x", growth);
    figures.row("R3 upgrade, per task state change", unit.of(small.upgrade), " u", per_change);
    figures.row("R3 upgrade, the same at 50,000 instances", large.upgrade / small.upgrade, "x", growth);
    figures.row(
        "R3 planning, per app and dependency",
        unit.of(small.plan),
        " u",
        Budget::AtMost(100.0, 50.0),
    );
    figures.row("R3 planning, the same at 2,000 apps", large.plan / small.plan, "x", growth);
    Ok(())
}

/// One run with so many apps.
pub(crate) fn probe(apps: u32) -> Result<()> {
    let cost = costs(apps, 1)?;
    let Cost { start, upgrade, plan } = cost;
    crate::out::say(format!("start {start:.0} ns, upgrade {upgrade:.0} ns, plan {plan:.0} ns"));
    Ok(())
}

fn cheapest(apps: u32, seeds: u64) -> Result<Cost> {
    let mut best = costs(apps, 1)?;
    for seed in 2..=seeds {
        best = best.least(costs(apps, seed)?);
    }
    Ok(best)
}

fn costs(apps: u32, seed: u64) -> Result<Cost> {
    let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
    put(&mut engine, Input::AddAgent(machines(apps)))?;
    let start = deployed(&mut engine, Input::LoadService(group(apps, 1)), 1)?;
    let upgrade = deployed(&mut engine, Input::UpdateService(group(apps, 2)), 2)?;
    Ok(Cost { start, upgrade, plan: planned(&mut engine, apps)? })
}

/// Nanoseconds for each change of a task's state until a deployment is finished.
fn deployed(engine: &mut Engine, input: Input, number: u32) -> Result<f64> {
    let seq = engine.seq();
    let watch = CpuWatch::start();
    put(engine, input)?;
    until(engine, &format!("deployment-{number}=Finished"))?;
    let nanos = watch.nanos();
    let changes = task_changes(engine, seq);
    ensure!(changes > 0, "R3: no task changed its state");
    Ok(float(nanos) / float(changes))
}

/// Nanoseconds for each app and dependency of a plan that scales every app, and is not carried out.
fn planned(engine: &mut Engine, apps: u32) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..PLANS {
        let call = HttpCall {
            method: "PUT".to_owned(),
            path: "/v2/groups/shop?dryRun=true".to_owned(),
            body: serde_json::json!({"scaleBy": 2}),
            content_type: None,
        };
        let watch = CpuWatch::start();
        put(engine, Input::Call(call))?;
        best = best.min(float(watch.nanos()));
    }
    let edges = (apps - apps / LEVELS) * NEEDS;
    Ok(best / f64::from(apps + edges))
}

/// Room for all instances twice.
fn machines(apps: u32) -> AddAgent {
    AddAgent {
        count: Some(apps * INSTANCES / 20),
        resources: Resources {
            cpus: Some(Amount::whole(16)),
            mem: Some(Amount::whole(64 * 1024)),
            disk: Some(Amount::whole(512 * 1024)),
            ports: Some("[1025-32000]".to_owned()),
            ..Resources::default()
        },
        ..AddAgent::default()
    }
}

/// The group: apps of each level need apps of the one before.
fn group(apps: u32, version: u32) -> LoadService {
    let width = apps / LEVELS;
    let mut text = "{\"id\": \"/shop\", \"apps\": [".to_owned();
    for n in 0..width * LEVELS {
        let (level, place) = (n / width, n % width);
        let comma = if n > 0 { "," } else { "" };
        let needs = (0..NEEDS)
            .filter(|_| level > 0)
            .map(|more| format!("\"app-{}-{}\"", level - 1, (place + more) % width))
            .collect::<Vec<_>>()
            .join(",");
        let _ = write!(
            text,
            "{comma}{{\"id\": \"app-{level}-{place}\", \"cmd\": \"./app --release {version}\", \"cpus\": 0.25, \"mem\": 64, \
             \"instances\": {INSTANCES}, \"dependencies\": [{needs}]}}"
        );
    }
    text.push_str("]}");
    LoadService {
        dialect: "marathon".to_owned(),
        files: [("shop.json".to_owned(), text)].into(),
        // All of a level may be launched at once: what is measured is not how long Marathon waits between launches.
        env: [("MARATHON_LAUNCH_TOKENS".to_owned(), (apps * INSTANCES).to_string())].into(),
        ..LoadService::default()
    }
}
