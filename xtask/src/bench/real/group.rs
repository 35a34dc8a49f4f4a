//! R3: a Marathon group of 200 apps on 10 levels of dependencies, upgraded in one deployment.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use planarium_protocol::{
    Amount, EventBody, Input, Text,
    input::{AddAgent, HttpCall, LoadService, Resources},
};
use planarium_world::{Engine, Genesis};

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::{Unit, float},
    },
    clock::CpuWatch,
};
use planarium_workloads::fixture::{put, task_changes, until};

/// Levels of dependencies.
const LEVELS: u32 = 10;
/// Instances of each app.
const INSTANCES: u32 = 25;
/// Apps of the level before that an app needs.
const NEEDS: u32 = 2;
/// Number of runs; the cheapest one counts, since a busy machine can only increase the cost.
const SEEDS: u64 = 3;
/// Plans computed in a row.
const PLANS: u64 = 20;

/// Cost of a deployment. *Units*: nanoseconds.
#[derive(Clone, Copy)]
struct Deployed {
    /// For each change of an instance's state: events `instance_changed_event` of the real system, without goals.
    state: f64,
    /// For each change of a task's state, which are fewer: a task has none before it is launched.
    task: f64,
}

/// Cost at a size. *Units*: nanoseconds.
#[derive(Clone, Copy)]
struct Cost {
    /// Of starting everything.
    start: Deployed,
    /// Of replacing everything.
    upgrade: Deployed,
    /// Of a plan that concerns every app, for each app and each dependency.
    plan: f64,
}

impl Deployed {
    fn least(self, other: Self) -> Self {
        Self { state: self.state.min(other.state), task: self.task.min(other.task) }
    }
}

impl Cost {
    fn least(self, other: Self) -> Self {
        Self {
            start: self.start.least(other.start),
            upgrade: self.upgrade.least(other.upgrade),
            plan: self.plan.min(other.plan),
        }
    }
}

/// Measures 200 apps with 5,000 instances, and ten times as many.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    let (small, large) = cheapest(200, 2_000)?;
    let per_change = Budget::AtMost(150.0, 75.0);
    let growth = Budget::AtMost(1.5, 1.1);
    for (what, small, large) in
        [("start", small.start, large.start), ("upgrade", small.upgrade, large.upgrade)]
    {
        let row = |of: &str| format!("R3 {what}, {of}");
        figures.row(&row("per instance state change"), unit.of(small.state), " u", per_change);
        figures.row(&row("per task state change"), unit.of(small.task), " u", Budget::None);
        figures.row(&row("the same at 50,000 instances"), large.state / small.state, "x", growth);
    }
    figures.row(
        "R3 planning, per app and dependency",
        unit.of(small.plan),
        " u",
        Budget::AtMost(100.0, 50.0),
    );
    figures.row("R3 planning, the same at 2,000 apps", large.plan / small.plan, "x", growth);
    Ok(())
}

/// One run with this many apps.
pub(crate) fn probe(apps: u32) -> Result<()> {
    let cost = costs(apps, 1)?;
    let Cost { start, upgrade, plan } = cost;
    crate::out::say(format!(
        "start {:.0} ns, upgrade {:.0} ns, plan {plan:.0} ns",
        start.state, upgrade.state
    ));
    Ok(())
}

/// Measures two sizes alternately: if the machine is temporarily slower, it is so for both.
fn cheapest(small: u32, large: u32) -> Result<(Cost, Cost)> {
    let mut best = (costs(small, 1)?, costs(large, 1)?);
    for seed in 2..=SEEDS {
        best = (best.0.least(costs(small, seed)?), best.1.least(costs(large, seed)?));
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

/// Runs until a deployment is finished.
fn deployed(engine: &mut Engine, input: Input, number: u32) -> Result<Deployed> {
    let seq = engine.seq();
    let watch = CpuWatch::start();
    put(engine, input)?;
    until(engine, &format!("deployment-{number}=Finished"))?;
    let nanos = watch.nanos();
    let (tasks, states) = (task_changes(engine, seq), state_changes(engine, seq));
    ensure!(tasks > 0 && states > tasks, "R3: {tasks} tasks and {states} instances changed their state");
    Ok(Deployed { state: float(nanos) / float(states), task: float(nanos) / float(tasks) })
}

/// States that instances came to after event `seq`: scheduled, provisioned, and those that their tasks bring about.
fn state_changes(engine: &Engine, seq: u64) -> u64 {
    let scheduled = |facts: &[(Text, Text)]| {
        let count = facts.iter().find(|(name, _)| &**name == "count");
        count.and_then(|(_, count)| count.parse().ok()).unwrap_or(0)
    };
    let changes = |body: &EventBody| match body {
        EventBody::Happened { what, facts, .. } if &**what == "instances-queued" => scheduled(facts),
        EventBody::Launched { .. } | EventBody::TaskStatus { .. } => 1,
        _ => 0,
    };
    engine.events_since(seq).iter().map(|event| changes(&event.body)).sum()
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
        // All of a level may be launched at once: Marathon's waits between launches are not measured.
        env: [("MARATHON_LAUNCH_TOKENS".to_owned(), (apps * INSTANCES).to_string())].into(),
        ..LoadService::default()
    }
}
