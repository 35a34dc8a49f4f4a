//! R9: 1,000 plain Deployments with 5,000 pods that all get a new image at once, and one Deployment with as many pods.

use std::{collections::BTreeMap, fmt::Write as _};

use anyhow::{Context, Result, ensure};
use planarium_part::{Request, Wire};
use planarium_protocol::{
    Amount, Input,
    input::{AddAgent, LoadService, Resources},
};
use planarium_world::{Engine, Genesis};

use planarium_workloads::fixture::put;

use super::operator::changes;
use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::{Unit, float},
    },
    clock::CpuWatch,
};

/// Number of Deployments, and of pods of each.
#[derive(Clone, Copy)]
struct Size {
    deployments: u32,
    replicas: u32,
}

impl Size {
    const fn pods(self) -> u32 {
        self.deployments * self.replicas
    }

    /// The size with so many times the pods: more Deployments, or a larger one.
    const fn times(self, factor: u32) -> Self {
        if self.deployments == 1 {
            Self { replicas: self.replicas * factor, ..self }
        } else {
            Self { deployments: self.deployments * factor, ..self }
        }
    }
}

/// Many small Deployments.
const MANY: Size = Size { deployments: 1_000, replicas: 5 };
/// One large Deployment.
const ONE: Size = Size { deployments: 1, replicas: 5_000 };
/// Pods that a machine has room for; a kubelet takes 110.
const PODS_A_MACHINE: u32 = 50;
/// Number of runs; the cheapest one counts, since a busy machine can only increase the cost.
const SEEDS: u64 = 3;
/// Virtual time that a rollout may take. *Units*: milliseconds.
const PATIENCE_MS: u64 = 3_600_000;

/// Cost for each change of an object. *Units*: nanoseconds.
#[derive(Clone, Copy)]
struct Cost {
    /// Until everything runs.
    start: f64,
    /// Until every pod is replaced.
    rollout: f64,
}

impl Cost {
    fn least(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), rollout: self.rollout.min(other.rollout) }
    }
}

/// Measures 1,000 Deployments, and ten times as many.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    let mut small = costs(MANY, 1)?;
    for seed in 2..=SEEDS {
        small = small.least(costs(MANY, seed)?);
    }
    let large = costs(MANY.times(10), 1)?;
    let budget = Budget::AtMost(200.0, 100.0);
    let growth = Budget::AtMost(1.5, 1.1);
    figures.row("R9 start, per object change", unit.of(small.start), " u", budget);
    figures.row("R9 start, the same at 50,000 pods", large.start / small.start, "x", growth);
    figures.row("R9 rollout, per object change", unit.of(small.rollout), " u", budget);
    figures.row("R9 rollout, the same at 50,000 pods", large.rollout / small.rollout, "x", growth);
    let one = costs(ONE, 1)?;
    let large = costs(ONE.times(10), 1)?;
    figures.row("R9 start, one Deployment of 5,000 pods", unit.of(one.start), " u", budget);
    figures.row("R9 start, the same at 50,000 pods", large.start / one.start, "x", growth);
    figures.row("R9 rollout, one Deployment of 5,000 pods", unit.of(one.rollout), " u", budget);
    figures.row("R9 rollout, the same at 50,000 pods", large.rollout / one.rollout, "x", growth);
    Ok(())
}

/// One run with this many Deployments.
pub(crate) fn probe(deployments: u32) -> Result<()> {
    tell(costs(Size { deployments, ..MANY }, 1)?);
    Ok(())
}

/// One run with one Deployment of this many pods.
pub(crate) fn probe_one(replicas: u32) -> Result<()> {
    tell(costs(Size { replicas, ..ONE }, 1)?);
    Ok(())
}

fn tell(Cost { start, rollout }: Cost) {
    crate::out::say(format!("start {start:.0} ns, rollout {rollout:.0} ns"));
}

fn costs(size: Size, seed: u64) -> Result<Cost> {
    let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
    put(&mut engine, Input::AddAgent(machines(size)))?;
    let start = rolled_out(&mut engine, Input::LoadService(objects(size, 1)), size, 1)?;
    let rollout = rolled_out(&mut engine, Input::UpdateService(objects(size, 2)), size, 2)?;
    Ok(Cost { start, rollout })
}

/// Nanoseconds for each change of an object until nothing is left to do.
fn rolled_out(engine: &mut Engine, input: Input, size: Size, version: u32) -> Result<f64> {
    let before = changes(engine)?;
    let watch = CpuWatch::start();
    put(engine, input)?;
    engine.advance_until_idle(PATIENCE_MS);
    let nanos = watch.nanos();
    let pods = ready(engine, &format!("app:{version}"))?;
    ensure!(pods == size.pods(), "R9: {pods} pods of version {version} are ready");
    let changes = changes(engine)?.saturating_sub(before);
    ensure!(changes > u64::from(pods), "R9: {changes} changes of objects");
    Ok(float(nanos) / float(changes))
}

/// Number of available pods of Deployments that are done with an image. Asks page by page: a whole list would exceed the
/// limit of an answer.
fn ready(engine: &Engine, image: &str) -> Result<u32> {
    let (mut pods, mut go_on) = (0, String::new());
    loop {
        let target = format!("/kube/apis/apps/v1/deployments?limit={A_PAGE}{go_on}");
        let request = Request::new("GET", &target, "");
        let segments = request.segments();
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        let answer = engine.world().layer_wire(&request, &parts);
        let Some((_, Wire::Answer(response))) = answer else { return Ok(0) };
        let body: serde_json::Value = serde_json::from_slice(&response.body)?;
        let items = body.pointer("/items").and_then(serde_json::Value::as_array).context("R9: a list")?;
        pods += items.iter().map(|one| done(one, image)).sum::<u64>();
        match body.pointer("/metadata/continue").and_then(serde_json::Value::as_str) {
            Some(token) if !token.is_empty() => go_on = format!("&continue={token}"),
            _ => return Ok(u32::try_from(pods)?),
        }
    }
}

/// Deployments of one page of a list.
const A_PAGE: u32 = 500;

/// Number of available pods of a Deployment that is done with an image.
fn done(deployment: &serde_json::Value, image: &str) -> u64 {
    let number = |path: &str| deployment.pointer(path).and_then(serde_json::Value::as_u64).unwrap_or(0);
    let has_image =
        deployment.pointer("/spec/template/spec/containers/0/image").is_some_and(|is| is == image);
    let is_done = number("/status/updatedReplicas") == number("/status/replicas");
    if has_image && is_done { number("/status/availableReplicas") } else { 0 }
}

/// Room for all pods twice.
fn machines(size: Size) -> AddAgent {
    AddAgent {
        count: Some(size.pods() * 2 / PODS_A_MACHINE),
        resources: Resources {
            cpus: Some(Amount::whole(32)),
            mem: Some(Amount::whole(64 * 1024)),
            disk: Some(Amount::whole(512 * 1024)),
            ports: Some("[1025-32000]".to_owned()),
            ..Resources::default()
        },
        ..AddAgent::default()
    }
}

/// Deployments of one file; a file may have 2 MiB.
const A_FILE: u32 = 1_000;

fn objects(size: Size, version: u32) -> LoadService {
    let Size { deployments, replicas } = size;
    let mut files = BTreeMap::new();
    for n in 0..deployments {
        let text: &mut String = files.entry(format!("apps-{:03}.yaml", n / A_FILE)).or_default();
        let _ = write!(
            text,
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: app-{n}}}\nspec:\n  replicas: {replicas}\n  \
             selector: {{matchLabels: {{app: app-{n}}}}}\n  template:\n    metadata: {{labels: {{app: app-{n}}}}}\n    \
             spec:\n      containers: [{{name: app, image: 'app:{version}', resources: {{requests: {{cpu: 100m, memory: 64Mi}}}}}}]\n---\n"
        );
    }
    LoadService {
        dialect: "kubernetes".to_owned(),
        name: "bench".to_owned(),
        files: files.into_iter().collect(),
        ..LoadService::default()
    }
}
