//! R6: random instants of a run of 10,000 events, of one several times as long, and of one with crash loops; one step back, and
//! what checkpoints weigh.

use anyhow::{Result, ensure};
use planarium_kernel::draw::mix32;
use planarium_protocol::{
    Input,
    input::{Fault, FaultKind, LoadService, Target},
};
use planarium_world::{Engine, Genesis};

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::float,
    },
    clock::CpuWatch,
};
use planarium_workloads::fixture::{Shape, put};

const SEEKS: u32 = 60;
/// One frame of a screen, in the browser; natively it goes faster. *Units*: milliseconds.
const FRAME_MS: f64 = 16.0;

/// Measures seeks in a run of 10,000 events, in one several times as long, and in one with crash loops.
pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    let mut engine = recorded(700)?;
    figures.row("R6 events of the run", float(engine.head_seq()), "", Budget::None);
    let far = jumps(&mut engine)?;
    figures.row("R6 seek to a random event, p95", far, " ms", Budget::AtMost(FRAME_MS, FRAME_MS / 2.0));
    let back = steps_back(&mut engine)?;
    figures.row("R6 one event back, p95", back, " ms", Budget::AtMost(FRAME_MS, FRAME_MS / 2.0));
    let kept = float(engine.checkpoint_bytes()) / float(1024 * 1024);
    figures.row("R6 checkpoints by their own estimate", kept, " MiB", Budget::AtMost(32.0, 16.0));
    let mut long = recorded(4_000)?;
    figures.row("R6 events of the long run", float(long.head_seq()), "", Budget::None);
    let longer = jumps(&mut long)?;
    figures.row(
        "R6 seek to a random event of the long run, p95",
        longer,
        " ms",
        Budget::AtMost(FRAME_MS, FRAME_MS / 4.0),
    );
    figures.row("R6 seek in the long run over the short one", longer / far, "x", Budget::AtMost(1.5, 1.1));
    drop(long);
    let mut crashing = crash_loops(900, 100)?;
    figures.row("R6 events of an hour of 100 crash loops", float(crashing.head_seq()), "", Budget::None);
    let among = jumps(&mut crashing)?;
    figures.row(
        "R6 seek to a random event among crash loops, p95",
        among,
        " ms",
        Budget::AtMost(FRAME_MS, FRAME_MS / 4.0),
    );
    let kept = float(crashing.checkpoint_bytes()) / float(1024 * 1024);
    figures.row("R6 checkpoints of crash loops", kept, " MiB", Budget::AtMost(32.0, 16.0));
    Ok(())
}

/// Many jumps.
pub(crate) fn probe() -> Result<()> {
    let mut engine = recorded(700)?;
    jumps(&mut engine)?;
    steps_back(&mut engine).map(drop)
}

/// Jumps in a run with crash loops: `seek-crash-100`, say.
pub(crate) fn probe_crash_loops(pods: u32) -> Result<()> {
    let mut engine = crash_loops(9 * pods, pods)?;
    let events = engine.head_seq();
    crate::out::say(format!("{events} events, {:.1} ms at most in 95 of 100 jumps", jumps(&mut engine)?));
    Ok(())
}

/// An hour of a service of which some pods crash whenever they start.
fn crash_loops(steady: u32, crashing: u32) -> Result<Engine> {
    let mut engine = Engine::new(Genesis { seed: 1, ..Genesis::default() });
    put(
        &mut engine,
        Input::AddAgent(Shape { machines: 100, cpus: 4, ..Shape::steps("parallel", 0) }.cluster()),
    )?;
    put(&mut engine, Input::LoadService(crowd(steady, crashing)))?;
    let target = Target { pod: Some("crash".to_owned()), ..Target::default() };
    put(
        &mut engine,
        Input::Fault(Fault {
            fault: FaultKind::CrashLoop,
            id: None,
            target,
            for_ms: None,
            count: None,
            probability: None,
            exit_code: None,
            message: None,
            delay_ms: None,
        }),
    )?;
    engine.advance_to(3_600_000);
    Ok(engine)
}

/// A service of two kinds of pods.
fn crowd(node: u32, crash: u32) -> LoadService {
    let pods = |name: &str, count: u32| {
        format!(
            "  {name}:
    count: {count}
    tasks: {{server: {{goal: RUNNING, cmd: ./{name}, cpus: 0.1, memory: 32}}}}
"
        )
    };
    let text = format!(
        "name: crowd
pods:
{}{}plans:
  deploy:
    strategy: parallel
    phases:
      node: {{strategy: parallel, pod: node}}
      crash: {{strategy: parallel, pod: crash}}
",
        pods("node", node),
        pods("crash", crash)
    );
    LoadService {
        dialect: "sdk".to_owned(),
        files: [("svc.yml".to_owned(), text)].into(),
        ..LoadService::default()
    }
}

/// A serial rollout: about fourteen events per pod.
fn recorded(pods: u32) -> Result<Engine> {
    Shape { machines: 80, ..Shape::steps("serial", pods) }.deployed(1)
}

/// 95th percentile over jumps. *Units*: milliseconds.
fn jumps(engine: &mut Engine) -> Result<f64> {
    let head = engine.head_seq();
    engine.seek_seq(head);
    let digest = engine.digest();
    let mut taken: Vec<u64> = (0..SEEKS)
        .map(|n| {
            let to = u64::from(mix32(1, n, 0, 6)) % head;
            let watch = CpuWatch::start();
            engine.seek_seq(to);
            watch.nanos()
        })
        .collect();
    engine.seek_seq(head);
    ensure!(engine.digest() == digest, "going back and forth has changed the digest");
    Ok(p95(&mut taken))
}

/// 95th percentile over steps back from random places. *Units*: milliseconds.
fn steps_back(engine: &mut Engine) -> Result<f64> {
    let head = engine.head_seq();
    let mut taken = Vec::new();
    for n in 0..SEEKS {
        engine.seek_seq(2 + u64::from(mix32(2, n, 0, 6)) % (head - 2));
        let watch = CpuWatch::start();
        let went = engine.step_back();
        taken.push(watch.nanos());
        ensure!(went, "one step back went nowhere");
    }
    Ok(p95(&mut taken))
}

fn p95(nanos: &mut [u64]) -> f64 {
    nanos.sort_unstable();
    let at = nanos.len() * 95 / 100;
    nanos.get(at).map_or(0.0, |nanos| float(*nanos) / 1e6)
}
