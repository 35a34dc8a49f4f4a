//! R4: a KUDO operator of 100 steps that applies 1,000 objects with 2,000 pods, and the rendering of its templates.

use std::{fmt::Write as _, hint::black_box, rc::Rc};

use anyhow::{Context, Result, ensure};
use planarium_part::{Request, Wire};
use planarium_protocol::{
    Amount, Input,
    input::{AddAgent, LoadService, Resources},
};
use planarium_source::template::gotemplate::{Dict, Environment, Template, TemplateError, Value};
use planarium_world::{Engine, Genesis};

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::{Unit, float, least},
    },
    clock::CpuWatch,
};
use planarium_workloads::fixture::{put, until};

/// Pods of each step's Deployment.
const REPLICAS: u32 = 20;
/// ConfigMaps of each step, besides its Deployment.
const CONFIGS: u32 = 9;
/// Steps of a phase; phases follow each other.
const PHASE: u32 = 10;
/// Pods that a machine has room for; a kubelet takes 110.
const PODS_A_MACHINE: u32 = 50;
/// Number of runs; the cheapest one counts, since a busy machine can only increase the cost.
const SEEDS: u64 = 3;
/// Renderings in a row.
const RENDERINGS: u32 = 20;

/// Cost of an operator for each change of an object. *Units*: nanoseconds.
#[derive(Clone, Copy)]
struct Cost {
    /// Until everything runs.
    deploy: f64,
    /// Until every pod is replaced.
    update: f64,
}

impl Cost {
    fn least(self, other: Self) -> Self {
        Self { deploy: self.deploy.min(other.deploy), update: self.update.min(other.update) }
    }
}

/// Measures 100 steps with 2,000 pods, and ten times as many, for each strategy; then templates alone.
pub(crate) fn run(unit: Unit, figures: &mut Figures) -> Result<()> {
    let budget = Budget::AtMost(200.0, 100.0);
    let growth = Budget::AtMost(1.5, 1.1);
    for strategy in ["serial", "parallel"] {
        let small = cheapest(strategy, 100, SEEDS)?;
        let large = cheapest(strategy, 1_000, 1)?;
        figures.row(
            &format!("R4 deploy, {strategy} steps, per object change"),
            unit.of(small.deploy),
            " u",
            budget,
        );
        figures.row("R4 deploy, the same at 20,000 pods", large.deploy / small.deploy, "x", growth);
        figures.row(
            &format!("R4 update, {strategy} steps, per object change"),
            unit.of(small.update),
            " u",
            budget,
        );
        figures.row("R4 update, the same at 20,000 pods", large.update / small.update, "x", growth);
    }
    let small = rendering(100)?;
    let large = rendering(1_000)?;
    figures.row("R4 rendering, per byte of output", unit.of(small), " u", Budget::AtMost(2.0, 1.0));
    figures.row("R4 rendering, the same for ten times the output", large / small, "x", growth);
    Ok(())
}

/// One run with this many steps.
pub(crate) fn probe(strategy: &str, steps: u32) -> Result<()> {
    let Cost { deploy, update } = costs(strategy, steps, 1)?;
    crate::out::say(format!("deploy {deploy:.0} ns, update {update:.0} ns"));
    Ok(())
}

/// Rendering alone.
pub(crate) fn probe_rendering(documents: u32) -> Result<()> {
    crate::out::say(format!("rendering {:.1} ns a byte", rendering(documents)?));
    Ok(())
}

fn cheapest(strategy: &str, steps: u32, seeds: u64) -> Result<Cost> {
    let mut best = costs(strategy, steps, 1)?;
    for seed in 2..=seeds {
        best = best.least(costs(strategy, steps, seed)?);
    }
    Ok(best)
}

fn costs(strategy: &str, steps: u32, seed: u64) -> Result<Cost> {
    let mut engine = Engine::new(Genesis { seed, ..Genesis::default() });
    put(&mut engine, Input::AddAgent(machines(steps)))?;
    let deploy = rolled_out(&mut engine, Input::LoadService(package(strategy, steps)), "deploy")?;
    let other = LoadService {
        dialect: "kudo".to_owned(),
        name: "bench".to_owned(),
        params: [("RELEASE".to_owned(), "2".into())].into(),
        ..LoadService::default()
    };
    let update = rolled_out(&mut engine, Input::UpdateService(other), "update")?;
    Ok(Cost { deploy, update })
}

/// Nanoseconds for each change of an object until a plan is complete.
fn rolled_out(engine: &mut Engine, input: Input, plan: &str) -> Result<f64> {
    let before = changes(engine)?;
    let watch = CpuWatch::start();
    put(engine, input)?;
    until(engine, &format!("{plan}=COMPLETE"))?;
    let nanos = watch.nanos();
    let changes = changes(engine)?.saturating_sub(before);
    ensure!(changes > 0, "R4: no object changed");
    Ok(float(nanos) / float(changes))
}

/// Number of changes of objects: every one of them gives the cluster the next resource version.
pub(super) fn changes(engine: &Engine) -> Result<u64> {
    let request = Request::new("GET", "/kube/api/v1/nodes?limit=1", "");
    let segments = request.segments();
    let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
    let answer = engine.world().layer_wire(&request, &parts);
    let Some((_, Wire::Answer(response))) = answer else { return Ok(0) };
    let body: serde_json::Value = serde_json::from_slice(&response.body)?;
    let version = body.pointer("/metadata/resourceVersion").and_then(serde_json::Value::as_str);
    Ok(version.context("a list has a resource version")?.parse()?)
}

/// Room for all pods twice.
fn machines(steps: u32) -> AddAgent {
    AddAgent {
        count: Some(steps * REPLICAS / PODS_A_MACHINE),
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

/// Every step applies a Deployment and its ConfigMaps, whose content ends up in the pods' templates as a hash.
fn package(strategy: &str, steps: u32) -> LoadService {
    let mut operator = "name: bench\noperatorVersion: 1.0.0\nkubernetesVersion: 1.16.0\ntasks:\n\
                        - { name: work, kind: Apply, spec: { resources: [config.yaml, web.yaml] } }\nplans:\n"
        .to_owned();
    for plan in ["deploy", "update"] {
        let _ = writeln!(operator, "  {plan}:\n    strategy: serial\n    phases:");
        for phase in 0..steps / PHASE {
            let _ = writeln!(operator, "    - name: p{phase}\n      strategy: {strategy}\n      steps:");
            for step in 0..PHASE {
                let _ = writeln!(operator, "      - {{ name: s{phase}-{step}, tasks: [work] }}");
            }
        }
    }
    let files = [
        ("operator.yaml", operator),
        ("params.yaml", "parameters:\n- { name: RELEASE, default: \"1\" }\n".to_owned()),
        ("templates/web.yaml", web()),
        ("templates/config.yaml", config()),
    ];
    LoadService {
        dialect: "kudo".to_owned(),
        name: "bench".to_owned(),
        files: files.map(|(path, text)| (path.to_owned(), text)).into(),
        ..LoadService::default()
    }
}

fn web() -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{{{ .Name }}}}-{{{{ .StepName }}}}
spec:
  replicas: {REPLICAS}
  selector:
    matchLabels: {{ app: \"{{{{ .StepName }}}}\" }}
  strategy: {{ rollingUpdate: {{ maxSurge: 100%, maxUnavailable: 0 }} }}
  template:
    metadata:
      labels: {{ app: \"{{{{ .StepName }}}}\" }}
    spec:
      containers:
      - name: web
        image: web:{{{{ .Params.RELEASE }}}}
        resources: {{ requests: {{ cpu: 10m, memory: 16Mi }} }}
      volumes:
      - name: config
        configMap: {{ name: \"{{{{ .Name }}}}-{{{{ .StepName }}}}-0\" }}
"
    )
}

fn config() -> String {
    format!(
        "{{{{- range $i := until {CONFIGS} }}}}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{{{ $.Name }}}}-{{{{ $.StepName }}}}-{{{{ $i }}}}
data:
  release: {{{{ $.Params.RELEASE | quote }}}}
{{{{- end }}}}
"
    )
}

fn shown(error: TemplateError) -> anyhow::Error {
    anyhow::anyhow!("R4: {error}")
}

/// Nanoseconds for each byte of a rendered text of this many documents, parsed beforehand.
fn rendering(documents: u32) -> Result<f64> {
    let text = format!(
        "{{{{- $total := {documents} }}}}{{{{- range $i := until $total }}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{{{ $.Name }}}}-node-{{{{ $i }}}}
  labels:
    app: {{{{ $.OperatorName }}}}
    {{{{- if eq $.Params.METRICS \"true\" }}}}
    metrics: enabled
    {{{{- else }}}}
    metrics: disabled
    {{{{- end }}}}
spec:
  replicas: {{{{ $.Params.NODES }}}}
  serviceName: {{{{ $.Name }}}}-svc
  template:
    spec:
      containers:
      - name: node
        image: {{{{ $.Params.IMAGE }}}}
        env:
        - name: SEEDS
          value: \"{{{{ $.Name }}}}-node-0.{{{{ $.Name }}}}-svc.{{{{ $.Namespace }}}}.svc.cluster.local\"
        - name: HEAP
          value: {{{{ div (int $.Params.MEMORY) 2 | printf \"%dM\" | quote }}}}
        - name: MODE
          value: {{{{ default \"plain\" $.Params.MODE | upper }}}}
        {{{{- range $j := until 3 }}}}
        - name: DISK_{{{{ $j }}}}
          value: /data/{{{{ add $j 1 }}}}
        {{{{- end }}}}
{{{{- end }}}}
"
    );
    let template = Template::parse("node.yaml", text).map_err(shown)?;
    let environment = Environment { entity: "bench", ..Environment::default() };
    let bytes = template.execute(context(), &environment).map_err(shown)?.text.len() as u64;
    ensure!(bytes > u64::from(documents) * 500, "R4: a template of {documents} documents made {bytes} bytes");
    let render = |context| {
        // Its result was checked above.
        let _ = black_box(template.execute(context, &environment));
    };
    Ok(least(RENDERINGS, bytes, context, render))
}

/// The variables of the template.
fn context() -> Value {
    let text = |name: &str, value: &str| (Rc::from(name), Value::str(value));
    let params = [
        ("IMAGE", "registry/node:3.1.4"),
        ("MEMORY", "4096"),
        ("METRICS", "true"),
        ("MODE", ""),
        ("NODES", "3"),
    ]
    .map(|(name, value)| text(name, value));
    Value::Map(Dict::of_values([
        text("Name", "bench"),
        text("Namespace", "default"),
        text("OperatorName", "bench"),
        (Rc::from("Params"), Value::Map(Dict::of_values(params))),
    ]))
}
