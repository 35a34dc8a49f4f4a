//! R10: what the checks of a lesson cost, looked at for every instant of its solution.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use planarium_scenario::Player;
use planarium_scenario::lesson::{Attempt, Lesson, Move, Verdict, Watch};

use crate::{
    bench::{
        figures::{Budget, Figures},
        measure::float,
    },
    clock::CpuWatch,
};

/// Largest cost of the checks for one event. *Units*: milliseconds.
const EVENT_MS: f64 = 1.0;
/// Runs of each lesson; the fastest counts, since a machine that is interrupted tells nothing.
const RUNS: u32 = 3;

/// Looks of a watch at one run.
#[derive(Clone, Copy, Default)]
struct Looks {
    events: u64,
    nanos: u64,
    /// The costliest event. *Units*: nanoseconds.
    worst: f64,
}

/// Measures the checks over the solution of each lesson of the course.
pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    let mut all = Looks::default();
    for embedded in planarium_gallery::lessons() {
        let parsed = planarium_scenario::parse(embedded.text, embedded.id, &|_| None);
        let lesson = parsed.lesson.with_context(|| format!("the lesson {} cannot be read", embedded.id))?;
        let lesson = Arc::new(*lesson);
        let mut solved = Attempt::start(&lesson, None);
        solved.play(&lesson.solution)?;
        let mut fastest = looks(&lesson, solved.moves())?;
        for _ in 1..RUNS {
            let again = looks(&lesson, solved.moves())?;
            fastest.nanos = fastest.nanos.min(again.nanos);
            fastest.worst = fastest.worst.min(again.worst);
        }
        all.events += fastest.events;
        all.nanos += fastest.nanos;
        all.worst = all.worst.max(fastest.worst);
    }
    let mean = float(all.nanos) / float(all.events.max(1)) / 1e6;
    figures.row("R10 events of all solutions", float(all.events), "", Budget::None);
    figures.row("R10 checks for an event, mean", mean, " ms", Budget::AtMost(EVENT_MS, EVENT_MS / 100.0));
    figures.row(
        "R10 checks for an event, the costliest one",
        all.worst / 1e6,
        " ms",
        Budget::AtMost(EVENT_MS, EVENT_MS / 10.0),
    );
    Ok(())
}

/// Plays a lesson with these commands and takes the time of every look.
///
/// *Errors*: the run does not pass, so that the looks would be at something else.
fn looks(lesson: &Arc<Lesson>, moves: &[Move]) -> Result<Looks> {
    let (mut engine, mut player) = Player::start(lesson.scenario.clone());
    let mut watch = Watch::new(Arc::clone(lesson));
    let mut left = moves.iter().peekable();
    let mut looks = Looks::default();
    let limit = lesson.scenario.limit_ms;
    let mut seen = 0;
    while engine.now_ms() < limit && *watch.verdict() == Verdict::Open {
        let now = engine.now_ms();
        let move_ms = left.peek().map(|made| made.at_ms);
        let due = [engine.next_event_ms(), player.next_due_ms(), watch.due_ms(), move_ms, Some(limit)];
        let seq = engine.seq();
        player.advance_to(&mut engine, due.into_iter().flatten().min().unwrap_or(limit).max(now));
        if (engine.now_ms(), engine.seq()) == (now, seq) && move_ms.is_none_or(|ms| ms > now) {
            let later = due.into_iter().flatten().filter(|due| *due > now).min().unwrap_or(limit);
            player.advance_to(&mut engine, later);
        }
        look(&mut watch, &engine, &mut seen, &mut looks);
        while let Some(made) = left.next_if(|made| made.at_ms <= engine.now_ms()) {
            let applied = engine.apply(made.input.clone());
            watch.command(applied.input, applied.outcome.is_err());
            look(&mut watch, &engine, &mut seen, &mut looks);
        }
    }
    if !matches!(watch.verdict(), Verdict::Passed { .. }) {
        bail!("{}: the solution does not pass: {:?}", lesson.id, watch.verdict());
    }
    Ok(looks)
}

fn look(watch: &mut Watch, engine: &planarium_world::Engine, seen: &mut u64, looks: &mut Looks) {
    let clock = CpuWatch::start();
    watch.look(engine);
    let nanos = clock.nanos();
    let events = engine.seq().saturating_sub(*seen);
    *seen = engine.seq();
    looks.events += events;
    looks.nanos += nanos;
    looks.worst = looks.worst.max(float(nanos) / float(events.max(1)));
}
