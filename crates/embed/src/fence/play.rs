//! Plays a fence's content, and compares it with the fence's claims.
//!
//! *Knows*: scenarios and the engine. *Must not know*: how the scenario was loaded, and how the picture is drawn.

use super::answers;
use super::body::{Body, Query};
use super::options::Options;
use super::times::Instant;
use super::{Finding, elements};
use crate::html::clock;
use crate::record::{Selection, record};
use crate::recording::Recording;
use planarium_protocol::view::View;
use planarium_scenario::lesson::Lesson;
use planarium_scenario::{Note, NoteKind, Player, Scenario, describe, share};
use planarium_world::{Condition, Engine};

/// A fence that has been played.
#[derive(Clone, Debug)]
pub struct Played {
    /// The recorded run.
    pub recording: Recording,
    /// The run as a share string.
    pub run: String,
    /// The instant that the picture shows. *Units*: milliseconds.
    pub at_ms: u64,
    /// Answers to the questions of the body, in order.
    pub answers: Vec<String>,
    /// False claims, and what cannot be understood.
    pub findings: Vec<Finding>,
}

/// Plays a scenario as the options say, checks the claims of the body and answers its questions.
pub fn play(mut scenario: Scenario, options: &Options, body: &Body) -> Played {
    let mut findings = Vec::new();
    if let Some(title) = &options.title {
        scenario.title.clone_from(title);
    }
    if let Some(limit_ms) = options.limit_ms {
        scenario.limit_ms = limit_ms;
    }
    let until = match &options.until {
        Some(text) => match condition(text, options.plan.as_deref(), &scenario) {
            Ok(condition) => Some(condition),
            Err(message) => {
                findings.push(Finding::bad(0, message));
                scenario.until.clone()
            }
        },
        None => scenario.until.clone(),
    };
    let title = scenario.title.clone();
    let limit_ms = scenario.limit_ms;
    let (mut engine, mut player) = Player::start(scenario);
    let reached = player.run_until(&mut engine, until.as_ref());
    let failed = player.failed();
    let notes = player.take_notes();
    failures(&notes, failed, &mut findings);
    if let Some(until) = until.filter(|_| !reached && findings.iter().all(|finding| !finding.is_false_claim))
    {
        findings.push(unreached(&engine, &until, limit_ms));
    }
    let selection = Selection { plan: options.plan.clone() };
    let run = share::encode(&engine.journal());
    let recording = record(&mut engine, &notes, &title, &selection);
    if recording.rows.is_empty() {
        findings.push(Finding::bad(0, no_rows(&engine.view(), options.plan.as_deref())));
    }
    findings.extend(answers::check(&mut engine, body));
    let (answers, unanswered) = answers::answer(&mut engine, body, options.plan.as_deref());
    findings.extend(unanswered);
    let at_ms = options.poster.as_ref().map_or(Some(recording.end_ms), |poster| poster.within(&recording));
    if at_ms.is_none() {
        findings.push(Finding::bad(0, no_marker(options.poster.as_ref(), &recording)));
    }
    findings.sort_by_key(|finding| finding.line);
    let at_ms = at_ms.unwrap_or(recording.end_ms);
    Played { recording, run, at_ms, answers, findings }
}

/// Checks the claims of a lesson's fence: they are about the run in which nobody commands, up to the lesson's limit.
pub fn claims(lesson: &Lesson, body: &Body) -> Vec<Finding> {
    let mut findings: Vec<Finding> = body.queries.iter().map(unanswered).collect();
    if !body.claims.is_empty() {
        let (mut engine, mut player) = Player::start(lesson.scenario.clone());
        player.advance_to(&mut engine, lesson.scenario.limit_ms);
        findings.extend(answers::check(&mut engine, body));
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Says that a question to the engine has no place beside a lesson.
fn unanswered(query: &Query) -> Finding {
    Finding::bad(query.line, "readers of a lesson see no source, so there is no place for an answer")
}

/// Reads `until`: a whole condition, or a status of the plan that is shown.
fn condition(text: &str, plan: Option<&str>, scenario: &Scenario) -> Result<Condition, String> {
    if text.contains('=') || text.eq_ignore_ascii_case("idle") {
        return Condition::parse(text).map_err(|error| format!("until: {error}"));
    }
    let plan = plan.map(str::to_owned).or_else(|| {
        let preview = planarium_world::check(scenario.services.first()?).preview?;
        Some(preview.plans.first()?.name.to_string())
    });
    match plan {
        Some(plan) => Ok(Condition::Status { element: plan.as_str().into(), status: text.into() }),
        None => Err(format!("until=\"{text}\": no plan is known before the run; write PLAN={text}")),
    }
}

/// Reports expectations of a script that did not hold, and inputs that were turned down.
fn failures(notes: &[Note], failed: usize, findings: &mut Vec<Finding>) {
    let mut said = Vec::new();
    let mut refused = Vec::new();
    for note in notes {
        let at = clock(note.at_ms);
        match &note.kind {
            NoteKind::Expected(false, what) => {
                said.push(format!("the script expects {what} at {at}, which is not so"));
            }
            NoteKind::Stuck(line) => {
                said.push(format!("what line {line} of the script waits for never comes"));
            }
            NoteKind::Explained(path, None) => {
                said.push(format!("the script asks about {path} at {at}: there is no such element"));
            }
            NoteKind::Did(input, applied) => {
                if let Err(refusal) = &applied.outcome {
                    refused.push(format!(
                        "at {at}, {} is refused: {}",
                        describe::input(input),
                        refusal.message
                    ));
                }
            }
            _ => {}
        }
    }
    if failed > said.len() {
        said.extend(refused);
    }
    findings.extend(said.into_iter().map(|message| Finding::untrue(0, message)));
}

/// Says how far the run came.
fn unreached(engine: &Engine, until: &Condition, limit_ms: u64) -> Finding {
    let mut elements = Vec::new();
    collect(until, &mut elements);
    let known = |status: &str| answers::unknown_status(engine, status);
    if let Some(message) = elements.iter().find_map(|(_, status)| known(status)) {
        return Finding::bad(0, format!("until: {message}"));
    }
    let now = engine.now_ms();
    let after = if now < limit_ms { "nothing changes any more after" } else { "it is given up after" };
    let mut out = format!("the run does not come to {}: {after} {}", written(until), clock(now));
    let view = engine.view();
    for (element, status) in elements {
        let is_met = elements::sights(&view, element)
            .first()
            .is_some_and(|sight| elements::same(&sight.status, status));
        if !is_met {
            out.push_str("; ");
            out.push_str(&answers::standing(engine, element));
        }
    }
    Finding::untrue(0, out)
}

fn collect<'c>(condition: &'c Condition, out: &mut Vec<(&'c str, &'c str)>) {
    match condition {
        Condition::Status { element, status } => out.push((element, status)),
        Condition::All(all) => all.iter().for_each(|one| collect(one, out)),
        Condition::Idle | Condition::Time { .. } => {}
    }
}

fn written(condition: &Condition) -> String {
    match condition {
        Condition::Status { element, status } => format!("{element}={status}"),
        Condition::Idle => "idle".to_owned(),
        Condition::Time { ms } => clock(*ms),
        Condition::All(all) => all.iter().map(written).collect::<Vec<_>>().join(" && "),
    }
}

fn no_rows(view: &View, plan: Option<&str>) -> String {
    let plans: Vec<String> = view
        .services
        .iter()
        .flat_map(|service| service.plans.iter().map(|plan| format!("{}/{}", service.name, plan.name)))
        .collect();
    let plans = if plans.is_empty() { "none".to_owned() } else { plans.join(", ") };
    match plan {
        Some(plan) => format!("there is no plan `{plan}`; the plans are {plans}"),
        None => "nothing to draw: the run has no plan".to_owned(),
    }
}

fn no_marker(poster: Option<&Instant>, recording: &Recording) -> String {
    let named = poster.map(Instant::attribute).unwrap_or_default();
    let marks: Vec<&str> = recording.marks.iter().map(|mark| mark.text.as_str()).collect();
    let marks = if marks.is_empty() { "none".to_owned() } else { marks.join("; ") };
    format!("poster_at=\"{named}\": the run has no such marker; its markers are {marks}")
}
