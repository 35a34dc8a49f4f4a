//! Writes a lesson from a recorded run and a teacher's choices, and checks it.
//!
//! Knows: the format of a lesson's files. Must not know: where they are stored.

use super::attempt::Attempt;
use super::check::Check;
use super::commands::{covers, word};
use super::model::{Lesson, Naive, NamedCheck, Role, Route};
use super::progress::Verdict;
use super::proof::{Proof, prove};
use super::recording::{Recording, time};
use super::texts::parse_texts;
use crate::model::{Action, Trigger};
use planarium_protocol::Input;
use planarium_protocol::input::LoadService;
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::Arc;

/// Delays tried for a second route; the first one that passes is used. *Units*: milliseconds.
const LATER_MS: [u64; 6] = [1000, 500, 2000, 250, 5000, 100];
/// Random players of the proof.
const PLAYERS: u64 = 20;

/// A teacher's choice for a lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Id.
    pub id: String,
    /// Title.
    pub title: String,
    /// The task.
    pub story: String,
    /// The lesson in hindsight.
    pub done: String,
    /// Hints, the smallest first.
    pub hints: Vec<String>,
    /// Words of the commands that a learner may use.
    pub allowed: Vec<String>,
    /// Checks: name, role, check, text.
    pub checks: Vec<(String, Role, String, String)>,
}

/// A lesson that was written.
#[derive(Clone, Debug)]
pub struct Made {
    /// Text of `ID.planarium.yaml`.
    pub lesson: String,
    /// Text of `ID.en.yaml`.
    pub texts: String,
    /// Its proof. A lesson with findings is unfinished.
    pub proof: Proof,
}

/// Writes a lesson.
///
/// *Errors*: all reasons why the lesson is invalid.
pub fn make(recording: &Recording, outline: &Outline) -> Result<Made, Vec<String>> {
    let checks = checks(recording, outline)?;
    let tried = Lesson {
        allowed: outline.allowed.clone(),
        ..Lesson::clone(&recording.lesson(checks, recording.limit_ms()))
    };
    let tried = Arc::new(tried);
    let solution = recording.route(0, None);
    passes(&tried, &solution).map_err(|why| vec![format!("your own run does not pass: {why}")])?;
    let mut also = LATER_MS.into_iter().map(|later_ms| recording.route(later_ms, None));
    let also = also.find(|route| passes(&tried, route).is_ok()).ok_or_else(|| {
        vec![
            "the same commands a little later do not pass: take a check away, or one that leaves more time"
                .to_owned(),
        ]
    })?;
    let naive = naive(recording, &tried)
        .ok_or_else(|| vec!["doing nothing passes: choose a check that takes a command".to_owned()])?;
    let lesson = written(recording, outline, &solution, &also, &naive);
    let texts = texts(outline);
    let parsed = crate::parse(&lesson, &format!("{}.planarium.yaml", outline.id), &|_| None);
    let read = parse_texts(&texts, &format!("{}.en.yaml", outline.id));
    let found = parsed.diagnostics.iter().chain(&read.diagnostics);
    let found: Vec<String> = found.filter(|one| one.is_error()).map(|one| one.message.clone()).collect();
    match (parsed.lesson, read.texts) {
        (Some(parsed), Some(read)) if found.is_empty() => {
            let proof = prove(&Arc::new(*parsed), &[], &[("en".to_owned(), read)], PLAYERS);
            Ok(Made { lesson, texts, proof })
        }
        _ => Err(found),
    }
}

/// The chosen checks, decoded.
fn checks(recording: &Recording, outline: &Outline) -> Result<Vec<NamedCheck>, Vec<String>> {
    let mut found = Vec::new();
    let is_id = |id: &str| {
        !id.is_empty() && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    if !is_id(&outline.id) || outline.id.ends_with("planarium") {
        found.push("the id is lower case letters, digits and hyphens".to_owned());
    }
    if recording.len() == 0 {
        found.push("nothing was done by hand in this run, so there is nothing to learn to do".to_owned());
    }
    for (name, text) in
        [("title", &outline.title), ("task", &outline.story), ("text at the end", &outline.done)]
    {
        if text.trim().is_empty() {
            found.push(format!("the {name} is missing"));
        }
    }
    if outline.hints.iter().all(|hint| hint.trim().is_empty()) {
        found.push("there are no hints".to_owned());
    }
    for (_, input) in &recording.moves {
        if !outline.allowed.iter().any(|allowed| covers(allowed, input)) {
            found.push(format!("your own run uses `{}`, which is not allowed", word(input)));
        }
    }
    let mut checks: Vec<NamedCheck> = Vec::new();
    for (id, role, text, words) in &outline.checks {
        if !is_id(id) || checks.iter().any(|known| known.id == *id) {
            found.push(format!(
                "the name `{id}` of a check is taken, or not lower case letters, digits and hyphens"
            ));
        }
        if words.trim().is_empty() {
            found.push(format!("the check `{id}` has no text"));
        }
        match Check::parse_as(text, *role == Role::Never) {
            Ok(check) => checks.push(NamedCheck { id: id.clone(), role: *role, check }),
            Err(error) => found.push(format!("the check `{id}`: {error}")),
        }
    }
    if !checks.iter().any(|check| check.role == Role::Goal) {
        found.push("there is no goal".to_owned());
    }
    found.dedup();
    if found.is_empty() { Ok(checks) } else { Err(found) }
}

/// Plays a route to its verdict.
///
/// *Errors*: the reason for its failure.
fn passes(lesson: &Arc<Lesson>, route: &Route) -> Result<(), String> {
    let mut attempt = Attempt::start(lesson, None);
    attempt.play(route).map_err(|error| error.to_string())?;
    match attempt.verdict() {
        Verdict::Passed { .. } => Ok(()),
        Verdict::Open => Err("it ends without a verdict".to_owned()),
        Verdict::Lost { check, .. } => {
            let progress = attempt.progress();
            let lost = progress.checks.iter().find(|shown| shown.id == *check);
            let sentence = lost.and_then(|shown| Some(shown.account.as_ref()?.sentence.clone()));
            Err(format!("`{check}` is lost. {}", sentence.unwrap_or_default()))
        }
    }
}

/// Finds a route that fails: without one of the inputs, or without any, which must fail in any case.
fn naive(recording: &Recording, lesson: &Arc<Lesson>) -> Option<Naive> {
    let lost = |play: Route| {
        let mut attempt = Attempt::start(lesson, None);
        attempt.play(&play).ok()?;
        match attempt.verdict() {
            Verdict::Lost { check, .. } => Some(Naive { fails: check.clone(), play }),
            _ => None,
        }
    };
    let nothing = lost(Route::new())?;
    let without = (0..recording.len()).rev().map(|index| recording.route(0, Some(index)));
    Some(without.filter(|route| !route.is_empty()).find_map(lost).unwrap_or(nothing))
}

fn written(
    recording: &Recording,
    outline: &Outline,
    solution: &Route,
    also: &Route,
    naive: &Naive,
) -> String {
    let mut out = String::new();
    let scenario = &recording.scenario;
    let genesis = scenario.genesis;
    let _ = writeln!(
        out,
        "version: 1\ntitle: {}\nseed: {}\nepoch: {}",
        json(&outline.title),
        genesis.seed,
        genesis.epoch_ms
    );
    let (timeout, interval) = (genesis.offer_timeout_ms, genesis.agent_removal_interval_ms);
    if timeout.is_some() || interval.is_some() {
        out.push_str("master:\n");
        if let Some(ms) = timeout {
            let _ = writeln!(out, "  offer_timeout: {ms}ms");
        }
        if let Some(ms) = interval {
            let _ = writeln!(out, "  agent_removal_rate_limit: 1/{ms}ms");
        }
    }
    let _ = writeln!(out, "sharing: {}", genesis.sharing.as_str());
    list(&mut out, "cluster", &scenario.cluster);
    if !scenario.services.is_empty() {
        out.push_str("services:\n");
        for service in &scenario.services {
            write_service(&mut out, service);
        }
    }
    if !scenario.processes.is_empty() {
        list(&mut out, "processes", &scenario.processes);
    }
    if !scenario.script.is_empty() {
        out.push_str("script:\n");
        write_route(&mut out, "  ", &scenario.script);
    }
    let _ =
        writeln!(out, "limit: {}\nlesson:\n  id: {}\n  order: 1000", time(recording.limit_ms()), outline.id);
    let _ = writeln!(
        out,
        "  teaches: {}\n  needs: []\n  allowed: {}",
        json(&recording.words()),
        json(&outline.allowed)
    );
    for (role, key) in [(Role::Goal, "goal"), (Role::Never, "never")] {
        let of_role: Vec<_> = outline.checks.iter().filter(|(_, one, ..)| *one == role).collect();
        if !of_role.is_empty() {
            let _ = writeln!(out, "  {key}:");
        }
        for (id, _, check, _) in of_role {
            let _ = writeln!(out, "    - {{id: {id}, check: {}}}", json(check));
        }
    }
    let serving = recording.serving();
    if !serving.is_empty() {
        out.push_str("  serving:\n");
        for one in serving {
            let _ = writeln!(out, "    - {{of: {}, needed: {}}}", json(&one.of), one.needed);
        }
    }
    let _ = writeln!(out, "  hints: {}\n  solution:", hints(outline).count());
    write_route(&mut out, "    ", solution);
    out.push_str("  also:\n");
    write_nested(&mut out, "    - ", also);
    let _ = writeln!(out, "  naive:\n    - fails: {}", naive.fails);
    if naive.play.is_empty() {
        out.push_str("      play: []\n");
    } else {
        out.push_str("      play:\n");
        write_route(&mut out, "        ", &naive.play);
    }
    out
}

fn hints(outline: &Outline) -> impl Iterator<Item = &str> {
    outline.hints.iter().map(|hint| hint.trim()).filter(|hint| !hint.is_empty())
}

fn texts(outline: &Outline) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "title: {}", json(outline.title.trim()));
    let _ = writeln!(out, "story: {}\nchecks:", json(outline.story.trim()));
    for (id, _, _, text) in &outline.checks {
        let _ = writeln!(out, "  {id}: {}", json(text.trim()));
    }
    out.push_str("hints:\n");
    for hint in hints(outline) {
        let _ = writeln!(out, "  - {}", json(hint));
    }
    let _ = writeln!(out, "done: {}", json(outline.done.trim()));
    out
}

fn list<T: Serialize>(out: &mut String, key: &str, items: &[T]) {
    if items.is_empty() {
        let _ = writeln!(out, "{key}: []");
        return;
    }
    let _ = writeln!(out, "{key}:");
    for item in items {
        let _ = writeln!(out, "  - {}", json(item));
    }
}

fn write_service(out: &mut String, service: &LoadService) {
    let _ = writeln!(out, "  - dialect: {}", json(&service.dialect));
    for (key, text) in [("name", &service.name), ("framework", &service.framework)] {
        if !text.is_empty() {
            let _ = writeln!(out, "    {key}: {}", json(text));
        }
    }
    out.push_str("    files:\n");
    for (path, text) in &service.files {
        let _ = writeln!(out, "      {}: {}", json(path), block(text, "        "));
    }
    if !service.env.is_empty() {
        let _ = writeln!(out, "    env: {}", json(&service.env));
    }
    let options = json(&service.options);
    if options != "null" && options != "{}" {
        let _ = writeln!(out, "    options: {options}");
    }
    if !service.params.is_empty() {
        let _ = writeln!(out, "    params: {}", json(&service.params));
    }
}

/// Writes a text as a YAML block if that preserves it exactly, otherwise in quotes.
fn block(text: &str, indent: &str) -> String {
    let lines = text.strip_suffix('\n').unwrap_or_default();
    let plain = |line: &str| line.trim_end() == line && line.chars().all(|c| !c.is_control());
    let first = lines.lines().next().is_some_and(|line| !line.is_empty() && !line.starts_with(' '));
    if !first || lines.ends_with('\n') || !lines.split('\n').all(plain) {
        return json(text);
    }
    let mut out = "|".to_owned();
    for line in lines.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(indent);
            out.push_str(line);
        }
    }
    out
}

fn write_route(out: &mut String, indent: &str, route: &Route) {
    for (at_ms, input) in timed(route) {
        let _ = writeln!(out, "{indent}- {{at: {at_ms}ms, do: {}}}", json(input));
    }
}

/// A route as an item of a list of routes.
fn write_nested(out: &mut String, indent: &str, route: &Route) {
    for (index, (at_ms, input)) in timed(route).enumerate() {
        let lead = if index == 0 { indent.to_owned() } else { " ".repeat(indent.len()) };
        let _ = writeln!(out, "{lead}- {{at: {at_ms}ms, do: {}}}", json(input));
    }
}

fn timed(route: &Route) -> impl Iterator<Item = (u64, &Input)> {
    route.iter().flat_map(|entry| {
        let at_ms = match entry.trigger {
            Trigger::At(ms) | Trigger::Then(ms) => ms,
            Trigger::When(_) => 0,
        };
        entry.actions.iter().filter_map(move |action| match action {
            Action::Do(input) => Some((at_ms, &**input)),
            _ => None,
        })
    })
}

/// A value as JSON, which YAML reads as well.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
