//! R1: a service of 1,000 pods through its life, and one of 10,000.

use anyhow::Result;
use planarium_protocol::{
    Input,
    input::{Fault, FaultKind, Target},
};
use planarium_world::Engine;

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::{Unit, float},
    },
    clock::CpuWatch,
};
use planarium_workloads::fixture::{LIMIT_MS, Shape, put, task_changes, until};

/// Stages of the service, in order.
const STAGES: [&str; 4] = ["deploy", "change the configuration", "decommission one in ten", "lose a machine"];

/// Seeds of a service's runs; the cheapest run of each stage counts, since a busy machine, or new memory, can only
/// increase the cost.
const SEEDS: u64 = 5;

/// Nanoseconds and task state changes of one stage.
type Cost = (u64, u64);

/// Measures all stages at 1,000 pods, deploying at 10,000 and the rest at 3,000: a configuration change of more pods
/// reports so many evaluations of offers that it reaches the bound on events.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    let small = cheapest(1_000, STAGES.len())?;
    let mut large = cheapest(10_000, 1)?;
    let middle = cheapest(3_000, STAGES.len())?;
    let (whole, whole_middle) = (together(&small), together(&middle));
    large.extend(middle.into_iter().skip(1));
    for (n, ((stage, small), large)) in STAGES.into_iter().zip(small).zip(large).enumerate() {
        let (Some(small), Some(large)) = (per_change(small), per_change(large)) else {
            figures.row(&format!("R1 {stage}: no task changed its state"), 0.0, "", Budget::None);
            continue;
        };
        let budget = Budget::AtMost(150.0, 75.0);
        figures.row(&format!("R1 {stage}, per task state change"), unit.of(small), " u", budget);
        let budget = Budget::AtMost(1.5, 1.1);
        let pods = if n == 0 { "10,000" } else { "3,000" };
        figures.row(&format!("R1 {stage}, the same at {pods} pods"), large / small, "x", budget);
    }
    if let Some(whole) = per_change(whole) {
        let budget = Budget::AtMost(150.0, 75.0);
        figures.row("R1 all stages together, per task state change", unit.of(whole), " u", budget);
        let times = per_change(whole_middle).map_or(0.0, |middle| middle / whole);
        let budget = Budget::AtMost(1.5, 1.1);
        figures.row("R1 all stages together, the same at 3,000 pods", times, "x", budget);
    }
    Ok(())
}

/// The whole life once.
pub(crate) fn probe(pods: u32) -> Result<()> {
    stages(pods, STAGES.len(), 1).map(drop)
}

/// The life up to one of its stages, which alone is in [`last_stage`]: `service-lose-3000`, say.
pub(crate) fn probe_stage(stage: &str, pods: u32) -> Result<bool> {
    let known = ["deploy", "change", "decommission", "lose"];
    let Some(at) = known.iter().position(|known| *known == stage) else { return Ok(false) };
    let costs = stages(pods, at + 1, 1)?;
    if let Some((nanos, changes)) = costs.last() {
        crate::out::say(format!("{nanos} ns, {changes} changes"));
    }
    Ok(true)
}

fn together(stages: &[Cost]) -> Cost {
    stages.iter().fold((0, 0), |sum, cost| (sum.0 + cost.0, sum.1 + cost.1))
}

fn per_change(cost: Cost) -> Option<f64> {
    let (nanos, changes) = cost;
    (changes > 0).then(|| float(nanos) / float(changes))
}

/// Returns the costs of the first stages with the best of the seeds.
fn cheapest(pods: u32, count: usize) -> Result<Vec<Cost>> {
    let mut least = stages(pods, count, 1)?;
    for seed in 2..=SEEDS {
        for (best, cost) in least.iter_mut().zip(stages(pods, count, seed)?) {
            *best = cheaper(*best, cost);
        }
    }
    Ok(least)
}

/// The cost with less per change.
fn cheaper(one: Cost, other: Cost) -> Cost {
    match (per_change(one), per_change(other)) {
        (Some(mine), Some(theirs)) if theirs < mine => other,
        (None, Some(_)) => other,
        _ => one,
    }
}

/// Returns the costs of the first stages.
fn stages(pods: u32, count: usize, seed: u64) -> Result<Vec<Cost>> {
    let shape = Shape::service(pods);
    let mut engine = shape.loaded(seed)?;
    let next = Shape { version: 2, ..shape.clone() };
    let fewer = Shape { pods: pods - pods / 10, ..next.clone() };
    let inputs = [None, Some(next.load()), Some(fewer.load())];
    let mut costs = Vec::new();
    for load in inputs.into_iter().take(count) {
        let run = if costs.len() + 1 == count { last_stage } else { stage };
        costs.push(run(&mut engine, load.map(Input::UpdateService))?);
    }
    if costs.len() < count {
        let lost = lose(machine_in_use(&engine));
        costs.push(last_stage(&mut engine, Some(lost))?);
    }
    Ok(costs)
}

/// A machine that runs something.
fn machine_in_use(engine: &Engine) -> Option<String> {
    let view = engine.view();
    let mut tasks = view.services.iter().flat_map(|service| &service.pods).flat_map(|pod| &pod.tasks);
    tasks.find_map(|task| task.agent.as_ref().map(ToString::to_string))
}

fn lose(agent: Option<String>) -> Input {
    Input::Fault(Fault {
        fault: FaultKind::AgentLost,
        id: None,
        target: Target { agent, ..Target::default() },
        for_ms: None,
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    })
}

/// The last stage of a run: a function of its own, for profilers.
#[inline(never)]
fn last_stage(engine: &mut Engine, input: Option<Input>) -> Result<Cost> {
    stage(engine, input)
}

/// Applies an input and waits until the plans have carried it out.
fn stage(engine: &mut Engine, input: Option<Input>) -> Result<Cost> {
    let seq = engine.seq();
    let watch = CpuWatch::start();
    if let Some(input) = input {
        put(engine, input)?;
    }
    engine.advance_until_idle(LIMIT_MS);
    let nanos = watch.nanos();
    until(engine, "deploy=COMPLETE")?;
    Ok((nanos, task_changes(engine, seq)))
}
