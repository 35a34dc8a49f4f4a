//! Claims and questions of a fence against a run that has been played.
//!
//! *Knows*: views and events of the engine over the whole run. *Must not know*: how claims are written.

use super::Finding;
use super::body::{Body, Claim, Query, When};
use super::elements::{self, Named, Sight, same};
use crate::html::clock;
use crate::record;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::View;
use planarium_protocol::why::ReasonKind;
use planarium_scenario::find_element;
use planarium_source::suggest;
use planarium_source::suggest::did_you_mean_in_ticks;
use planarium_world::Engine;

/// Levels below a plan.
const LEVELS: usize = 2;

/// The plan that questions are about when they name nothing.
pub(crate) fn first_plan(view: &View, plan: Option<&str>) -> Option<String> {
    plan.map(str::to_owned)
        .or_else(|| view.services.iter().find_map(|service| Some(service.plans.first()?.name.to_string())))
}

/// An element over the whole run.
#[derive(Default)]
struct Life {
    /// Set if it is there at some instant.
    is_there: bool,
    /// The first instant at which it shows the status.
    first: Option<(u64, Sight)>,
    /// Returns the element of a name, by the first view that shows it: events follow the same reading.
    reading: Option<Sight>,
    /// Paths of everything that it means at some instant.
    keys: Vec<String>,
}

/// Checks the claims. Leaves the engine at its end.
pub(crate) fn check(engine: &mut Engine, body: &Body) -> Vec<Finding> {
    let end_ms = engine.now_ms();
    let lives = lives(engine, &body.claims);
    let mut findings = Vec::new();
    for (claim, life) in body.claims.iter().zip(lives) {
        if !life.is_there {
            findings.push(Finding::bad(claim.line, unknown_element(engine, &claim.element, end_ms)));
        } else if life.first.is_none()
            && let Some(message) = unknown_status(engine, &claim.status)
        {
            findings.push(Finding::bad(claim.line, message));
        } else if let Some(message) = refuted(engine, claim, &life, end_ms) {
            findings.push(Finding::untrue(claim.line, message));
        }
    }
    engine.seek_ms(end_ms);
    findings
}

/// Follows the elements of all claims through one pass over the run.
fn lives(engine: &mut Engine, claims: &[Claim]) -> Vec<Life> {
    let mut lives: Vec<Life> = claims.iter().map(|_| Life::default()).collect();
    if claims.is_empty() {
        return lives;
    }
    for ms in record::instants(engine) {
        engine.seek_ms(ms);
        let view = engine.view();
        for (claim, life) in claims.iter().zip(&mut lives) {
            let seen = elements::sights(&view, &claim.element);
            if life.reading.is_none() {
                life.reading = seen.first().cloned();
            }
            for sight in &seen {
                if !sight.key.is_empty() && !life.keys.contains(&sight.key) {
                    life.keys.push(sight.key.clone());
                }
            }
            life.is_there |= !seen.is_empty();
            if life.first.is_none()
                && let Some(sight) = seen.into_iter().find(|sight| same(&sight.status, &claim.status))
            {
                life.first = Some((ms, sight));
            }
        }
    }
    // A status may pass within one instant, or between two views: events contain all of them.
    for event in engine.events() {
        for (claim, life) in claims.iter().zip(&mut lives) {
            let Some(sight) = elements::told(&event.body, &claim.element, &life.keys) else { continue };
            let follows = life.reading.as_ref().is_none_or(|reading| match reading.named {
                Named::ByPath => reading.key == sight.key && reading.service == sight.service,
                Named::ByName => sight.named == Named::ByName,
            });
            if follows && same(&sight.status, &claim.status) {
                life.is_there = true;
                if life.first.as_ref().is_none_or(|(first, _)| event.at_ms < *first) {
                    life.first = Some((event.at_ms, sight));
                }
            }
        }
    }
    lives
}

/// Describes what happened instead of the claim; `None` if the claim holds.
fn refuted(engine: &mut Engine, claim: &Claim, life: &Life, end_ms: u64) -> Option<String> {
    let Claim { element, status, .. } = claim;
    match (claim.when, &life.first) {
        (When::Never, None) => None,
        (When::Never, Some((ms, sight))) => {
            Some(format!("`{element}` is {status} at {}: {}", clock(*ms), words(sight)))
        }
        (When::By(by), Some((ms, _))) if *ms <= by => None,
        (When::By(by), Some((ms, _))) => {
            let then = stands(engine, element, by.min(end_ms));
            Some(format!("`{element}` is {status} at {}, not by {}; then {then}", clock(*ms), clock(by)))
        }
        (When::By(_), None) => {
            let then = stands(engine, element, end_ms);
            Some(format!("`{element}` is never {status}; at the run's end, {}, {then}", clock(end_ms)))
        }
        (When::At(ms), _) if ms > end_ms => Some(format!(
            "the run is over at {}, before {}; a later `until` lets it last longer",
            clock(end_ms),
            clock(ms)
        )),
        (when, _) => {
            let ms = if let When::At(ms) = when { ms } else { end_ms };
            engine.seek_ms(ms);
            let seen = elements::sights(&engine.view(), element);
            if seen.iter().any(|sight| same(&sight.status, status)) {
                return None;
            }
            let at = if when == When::End {
                format!("at the run's end, {}", clock(ms))
            } else {
                format!("at {}", clock(ms))
            };
            let then = stands(engine, element, ms);
            Some(format!("`{element}` is not {status} {at}; {then}"))
        }
    }
}

/// Describes an element at an instant, with the reason if it is not finished.
fn stands(engine: &mut Engine, element: &str, ms: u64) -> String {
    engine.seek_ms(ms);
    standing(engine, element)
}

/// Like [`stands`], at the present instant.
pub(crate) fn standing(engine: &Engine, element: &str) -> String {
    let view = engine.view();
    let seen = elements::sights(&view, element);
    if seen.is_empty() {
        return format!("`{element}` is not there");
    }
    let all: Vec<String> = seen.iter().take(3).map(words).collect();
    let reason = find_element(&view, element).and_then(|path| reason(engine, &path));
    match reason {
        Some(reason) => format!("{}: {reason}", all.join(", ")),
        None => all.join(", "),
    }
}

/// Returns the reason why an element is not finished: that of the child that it waits for, and so on down.
fn reason(engine: &Engine, path: &ElementPath) -> Option<String> {
    let mut why = engine.why(path)?;
    for _ in 0..LEVELS {
        let Some(ReasonKind::Child { child }) = why.reasons.first().map(|reason| &reason.kind) else { break };
        let Some(next) = engine.why(&child.path) else { break };
        why = next;
    }
    let first = why.reasons.first()?;
    if matches!(first.kind, ReasonKind::Complete) {
        return None;
    }
    Some(why.sentence.trim_end_matches('.').to_owned())
}

fn words(sight: &Sight) -> String {
    format!("{} is {}", sight.name, sight.status)
}

fn unknown_element(engine: &mut Engine, element: &str, end_ms: u64) -> String {
    engine.seek_ms(end_ms);
    let names = elements::names(&engine.view());
    let help = did_you_mean_in_ticks(suggest(element, names.iter().map(String::as_str)), || {
        let some: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
        format!("there are {}", some.join(", "))
    });
    format!("there is no `{element}` in this run; {help}")
}

/// Says that no element of the run can show this status, so that a misspelt word does not make `never` true.
pub(crate) fn unknown_status(engine: &Engine, status: &str) -> Option<String> {
    let view = engine.view();
    let mut known: Vec<&str> =
        view.services.iter().flat_map(|service| service.statuses).map(|status| status.word).collect();
    // Pods and tasks show the states of Mesos tasks, in every system that runs on it.
    known.extend(planarium_world::states().iter().filter_map(|state| state.word.strip_prefix("TASK_")));
    if known.iter().any(|word| same(word, status)) {
        return None;
    }
    known.dedup();
    let upper = status.to_ascii_uppercase();
    let help = did_you_mean_in_ticks(
        suggest(status, known.iter().copied()).or_else(|| suggest(&upper, known.iter().copied())),
        || format!("there are {}", known.join(", ")),
    );
    Some(format!("`{status}` is not a status; {help}"))
}

/// Answers the questions, one text each; empty if a finding explains why there is none. Leaves the engine at its end.
pub(crate) fn answer(engine: &mut Engine, body: &Body, plan: Option<&str>) -> (Vec<String>, Vec<Finding>) {
    let end_ms = engine.now_ms();
    let mut answers = Vec::new();
    let mut findings = Vec::new();
    for query in &body.queries {
        match one(engine, query, plan, end_ms) {
            Ok(answer) => answers.push(answer),
            Err(message) => {
                answers.push(String::new());
                findings.push(Finding::bad(query.line, message));
            }
        }
    }
    engine.seek_ms(end_ms);
    (answers, findings)
}

fn one(engine: &mut Engine, query: &Query, plan: Option<&str>, end_ms: u64) -> Result<String, String> {
    let ms = query.at_ms.unwrap_or(end_ms);
    if ms > end_ms {
        return Err(format!("the run is over at {}, before {}", clock(end_ms), clock(ms)));
    }
    engine.seek_ms(ms);
    let view = engine.view();
    let Some(element) = query.element.clone().or_else(|| first_plan(&view, plan)) else {
        return Err("the run has no plan".to_owned());
    };
    if query.is_why {
        let why = find_element(&view, &element).and_then(|path| engine.why(&path));
        return match why {
            Some(why) => Ok(why.sentence),
            None => Err(unknown_element(engine, &element, end_ms)),
        };
    }
    let seen = elements::sights(&view, &element);
    match seen.as_slice() {
        [] => Err(unknown_element(engine, &element, end_ms)),
        [alone] if query.element.is_some() => Ok(alone.status.clone()),
        several => Ok(several
            .iter()
            .map(|sight| format!("{} {}", sight.name, sight.status))
            .collect::<Vec<_>>()
            .join(", ")),
    }
}
