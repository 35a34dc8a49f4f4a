//! `planarium run`.

use crate::End;
use crate::args::{Format, RunArgs};
use crate::link;
use crate::live;
use crate::load::{Runnable, runnable};
use crate::until;
use anyhow::{Context as _, Result, bail};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{PlanView, ServiceView, StatusClass, View};
use planarium_scenario::{NoteKind, Player, Scenario, text};
use planarium_source::render;
use planarium_world::{Condition, Engine, parse_duration_ms};
use serde_json::json;

/// Plays a path to its end and prints it.
pub(crate) fn run(args: &RunArgs) -> Result<End> {
    let until = args.until.as_deref().map(Condition::parse).transpose().context("--until")?;
    let limit_ms = parse_duration_ms(&args.limit)
        .with_context(|| format!("--limit `{}`: write 90s, 5m or 2h", args.limit))?;
    if let Some(engine) = link::replayed(&args.path)? {
        return open(engine, until.as_ref(), limit_ms, args.format);
    }
    let (mut scenario, diagnostics, sources) = match runnable(&args.path, &args.input)? {
        Runnable::Yes(scenario, diagnostics, sources) => (*scenario, diagnostics, sources),
        Runnable::No(diagnostics, sources) => {
            eprint!("{}", render::text::render(&diagnostics, &sources));
            return Ok(End::BadInput);
        }
    };
    eprint!("{}", render::text::render(&diagnostics, &sources));
    if let Some(condition) = &until {
        until::check(condition, &scenario)?;
    }
    scenario.limit_ms = scenario.limit_ms.min(limit_ms);
    let until = until.or_else(|| scenario.until.clone());
    match args.format {
        Format::Transcript => {
            let outcome = planarium_scenario::run(scenario, until.as_ref());
            print!("{}", outcome.transcript);
            Ok(if outcome.passed { End::Good } else { End::Failed })
        }
        Format::Tree | Format::Json => play(scenario, until.as_ref(), args.format),
    }
}

/// Shows the run of a link at its moment, or continues it until a condition holds.
fn open(mut engine: Engine, until: Option<&Condition>, limit_ms: u64, format: Format) -> Result<End> {
    let reached = until.is_none_or(|condition| engine.run_until(condition, limit_ms).met);
    let view = engine.view();
    match format {
        Format::Transcript => bail!("a link has no script and so no transcript; use --format tree or json"),
        Format::Json => print_json(&engine, &view, reached, &[], until)?,
        Format::Tree => print_end(&engine, &view, reached, &[], until),
    }
    Ok(if reached { End::Good } else { End::Failed })
}

fn print_json(
    engine: &Engine,
    view: &View,
    reached: bool,
    failures: &[String],
    until: Option<&Condition>,
) -> Result<()> {
    let document = json!({
        "reached": reached,
        "failures": failures,
        "view": view,
        "why": stuck(engine, view, until).iter().filter_map(|path| engine.why(path)).collect::<Vec<_>>(),
    });
    println!("{}", serde_json::to_string_pretty(&document)?);
    Ok(())
}

fn play(scenario: Scenario, until: Option<&Condition>, format: Format) -> Result<End> {
    let (mut engine, mut player) = Player::start(scenario);
    let reached = if format == Format::Tree && live::wanted() {
        live::play(&mut engine, &mut player, until)?
    } else {
        player.run_until(&mut engine, until)
    };
    let failures = failures(&mut player);
    let good = reached && failures.is_empty();
    let view = engine.view();
    match format {
        Format::Json => print_json(&engine, &view, reached, &failures, until)?,
        _ => print_end(&engine, &view, reached, &failures, until),
    }
    Ok(if good { End::Good } else { End::Failed })
}

/// Expectations that did not hold and inputs that were turned down.
fn failures(player: &mut Player) -> Vec<String> {
    let mut all = Vec::new();
    for note in player.take_notes() {
        let at = planarium_scenario::clock::clock(note.at_ms);
        match note.kind {
            NoteKind::Expected(false, what) => all.push(format!("[{at}] expected {what}")),
            NoteKind::Did(input, applied) => {
                if let Err(refusal) = applied.outcome {
                    let words = planarium_scenario::describe::input(&input);
                    all.push(format!("[{at}] {words}: refused: {}", refusal.message));
                }
            }
            NoteKind::Stuck(line) => all.push(format!("[{at}] the condition of line {line} never came true")),
            NoteKind::Explained(path, None) => all.push(format!("[{at}] there is no element {path}")),
            _ => {}
        }
    }
    all
}

fn print_end(engine: &Engine, view: &View, reached: bool, failures: &[String], until: Option<&Condition>) {
    println!("{}", text::world_trees(view));
    println!(
        "\nat {}, seed {}, digest {}",
        planarium_scenario::clock::clock(engine.now_ms()),
        engine.seed(),
        engine.digest()
    );
    for failure in failures {
        println!("{failure}");
    }
    if reached {
        return;
    }
    if until.is_some() {
        println!("the condition of the run did not come true");
    }
    for path in stuck(engine, view, until) {
        if let Some(why) = engine.why(&path) {
            println!("\n{}", text::why(&why));
        }
    }
}

/// Unfinished steps that are asked why, before the search is given up: in a phase of thousands, thousands wait their turn.
const ASKED: usize = 200;

fn done(service: &ServiceView, status: &str) -> bool {
    service.class(status) == StatusClass::Done
}

/// Returns whether an element has its status only because of another one: it waits its turn, was skipped, or an inner element failed.
fn follows(engine: &Engine, service: &ServiceView, path: &ElementPath) -> bool {
    use planarium_protocol::why::ReasonKind;
    let Some(why) = engine.why(path) else { return false };
    why.reasons.first().is_some_and(|reason| match &reason.kind {
        ReasonKind::NotItsTurn { .. } | ReasonKind::Complete => true,
        ReasonKind::Child { child } => service.class(&child.status) == StatusClass::Failed,
        _ => false,
    })
}

/// Returns whether to explain why a plan is not done: a plan that was never started only if the run waits for it.
fn counts(service: &ServiceView, plan: &PlanView, until: Option<&Condition>) -> bool {
    let unused = service.class(&plan.status) == StatusClass::Unused;
    let left_out = done(service, &plan.status) || plan.custom && plan.interrupted;
    !left_out && (!unused || until.is_some_and(|until| names(until, service, plan)))
}

/// Returns whether a condition names a plan or something in it.
fn names(condition: &Condition, service: &ServiceView, plan: &PlanView) -> bool {
    match condition {
        Condition::All(all) => all.iter().any(|one| names(one, service, plan)),
        Condition::Status { element, .. } => {
            let own =
                element.strip_prefix(service.name.trim_matches('/')).and_then(|rest| rest.strip_prefix('/'));
            let first = |path: &str| path.split('/').next() == Some(&*plan.name);
            first(element) || own.is_some_and(first)
        }
        Condition::Idle | Condition::Time { .. } => false,
    }
}

/// The first unfinished steps that are not merely waiting for another step: at most three.
fn stuck(engine: &Engine, view: &View, until: Option<&Condition>) -> Vec<ElementPath> {
    let mut paths = Vec::new();
    let mut asked = 0;
    for service in &view.services {
        for plan in service.plans.iter().filter(|plan| counts(service, plan, until)) {
            for phase in &plan.phases {
                for step in phase.steps.iter().filter(|step| !done(service, &step.status)) {
                    let path = ElementPath {
                        phase: Some(phase.name.clone()),
                        step: Some(step.key().clone()),
                        ..service.path(&plan.name)
                    };
                    if !follows(engine, service, &path) {
                        paths.push(path);
                    }
                    asked += 1;
                    if paths.len() >= 3 || asked >= ASKED {
                        return paths;
                    }
                }
            }
        }
    }
    paths
}
