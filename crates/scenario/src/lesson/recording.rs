//! A recorded run as a basis for a lesson: suggests checks.
//!
//! Knows: which states the run reached, and which of them need a command. Must not know: the format of a lesson.

use super::account::instant;
use super::attempt::Attempt;
use super::check::Check;
use super::commands::word;
use super::model::{Lesson, NamedCheck, Role, Route, Serving};
use super::places::Places;
use super::progress::State;
use crate::model::{Action, Entry, Scenario, Trigger};
use planarium_protocol::Input;
use planarium_protocol::event::EventBody;
use planarium_protocol::view::View;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Suggestions at most.
const MOST: usize = 24;
/// Maximum number of instances of one service to consider.
const MOST_INSTANCES: u64 = 12;

/// A recorded run.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its world with the scripted events.
    pub(crate) scenario: Scenario,
    /// Accepted inputs by hand, with their instants.
    pub(crate) moves: Vec<(u64, Input)>,
    /// Instant at which the lesson ends. *Units*: milliseconds since genesis.
    pub(crate) limit_ms: u64,
}

/// A check that a run suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggested {
    /// Name.
    pub id: String,
    /// Role.
    pub role: Role,
    /// The check as lessons write it.
    pub check: String,
    /// The check in a sentence.
    pub text: String,
    /// Doing nothing loses it.
    pub takes_a_command: bool,
}

impl Recording {
    /// Creates a recording from a world, the inputs by hand and the end.
    pub fn new(scenario: Scenario, moves: Vec<(u64, Input)>, end_ms: u64) -> Self {
        let limit_ms = end_ms.saturating_add(30_000).div_ceil(10_000).saturating_mul(10_000);
        let mut recording = Self { scenario: Scenario { limit_ms, ..scenario }, moves, limit_ms };
        let mut attempt = Attempt::start(&recording.lesson(Vec::new(), limit_ms), None);
        let taken = |(at_ms, input): &(u64, Input)| {
            attempt.advance_to(*at_ms);
            attempt.put_in(input.clone()).outcome.is_ok()
        };
        recording.moves.retain(taken);
        recording
    }

    /// Command words used in the run, each once.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for (_, input) in &self.moves {
            let word = word(input);
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words
    }

    /// Inputs by hand: instant and description.
    pub fn moves(&self) -> Vec<(u64, String)> {
        self.moves.iter().map(|(at_ms, input)| (*at_ms, crate::describe::input(input))).collect()
    }

    /// Instant at which the lesson ends. *Units*: milliseconds since genesis.
    pub fn limit_ms(&self) -> u64 {
        self.limit_ms
    }

    /// The lesson with these checks, without texts.
    pub(crate) fn lesson(&self, checks: Vec<NamedCheck>, limit_ms: u64) -> Arc<Lesson> {
        let words = self.words();
        Arc::new(Lesson {
            id: "recorded".to_owned(),
            order: 0,
            scenario: Scenario { limit_ms, ..self.scenario.clone() },
            pinned: true,
            teaches: words.clone(),
            needs: Vec::new(),
            allowed: words,
            predict: Vec::new(),
            checks,
            serving: Vec::new(),
            hints: 0,
            solution: Vec::new(),
            also: Vec::new(),
            naive: Vec::new(),
            places: Places::default(),
        })
    }

    /// The inputs by hand as a route, delayed by `later_ms`, optionally without one of them.
    pub(crate) fn route(&self, later_ms: u64, without: Option<usize>) -> Route {
        let kept = self.moves.iter().enumerate().filter(|(index, _)| Some(*index) != without);
        let entry = |(_, (at_ms, input)): (usize, &(u64, Input))| Entry {
            trigger: Trigger::At(at_ms.saturating_add(later_ms)),
            actions: vec![Action::Do(Box::new(input.clone()))],
            refused: None,
            line: 0,
            column: 0,
        };
        kept.map(entry).collect()
    }

    /// Number of inputs by hand.
    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Instances that ran at the end of the run, by service.
    pub(crate) fn serving(&self) -> Vec<Serving> {
        let ended = self.played(Vec::new());
        let available = available(&ended.engine().view());
        available.into_iter().map(|(of, needed)| Serving { of, needed }).collect()
    }

    /// Checks that hold for this run, those that need a command first.
    pub fn suggest(&self) -> Vec<Suggested> {
        let mut found = self.candidates();
        let named = |found: &[Suggested]| {
            let check = |one: &Suggested| {
                let check = Check::parse_as(&one.check, one.role == Role::Never).ok()?;
                Some(NamedCheck { id: one.id.clone(), role: one.role, check })
            };
            found.iter().map(check).collect::<Vec<Option<NamedCheck>>>()
        };
        let checks = named(&found);
        let mut kept = checks.iter().map(Option::is_some);
        found.retain(|_| kept.next().unwrap_or_default());
        let checks: Vec<NamedCheck> = checks.into_iter().flatten().collect();
        let met = states(&self.played(checks.clone()));
        let idle = {
            let mut attempt = Attempt::start(&self.lesson(checks, self.limit_ms), None);
            attempt.advance_to(self.limit_ms);
            states(&attempt)
        };
        let mut suggested: Vec<Suggested> = Vec::new();
        for ((one, met), idle) in found.into_iter().zip(met).zip(idle) {
            let weaker = one.role == Role::Never
                && suggested.iter().any(|known| known.role == Role::Never && known.id == one.id);
            let known = suggested.iter().any(|known| known.id == one.id && known.check == one.check);
            if met == State::Met && !weaker && !known {
                suggested.push(Suggested { takes_a_command: idle == State::Lost, ..one });
            }
        }
        planarium_kernel::sorted::sort_by_key(&mut suggested, |one| !one.takes_a_command);
        suggested.truncate(MOST);
        for index in 0..suggested.len() {
            let (before, after) = suggested.split_at_mut(index);
            let Some(one) = after.first_mut() else { continue };
            let (id, mut number) = (one.id.clone(), 2);
            while before.iter().any(|known| known.id == one.id) {
                one.id = format!("{id}-{number}");
                number += 1;
            }
        }
        suggested
    }

    fn played(&self, checks: Vec<NamedCheck>) -> Attempt {
        let mut attempt = Attempt::start(&self.lesson(checks, self.limit_ms), None);
        // Every word of the run is allowed, and refused inputs were left out.
        let _ = attempt.play_on(&self.route(0, None));
        attempt
    }

    /// Possible checks, several for each observed thing.
    fn candidates(&self) -> Vec<Suggested> {
        let ended = self.played(Vec::new());
        let view = ended.engine().view();
        let first_ms = self.moves.first().map_or(0, |(at_ms, _)| *at_ms);
        let (limit, end, first) = (time(self.limit_ms), instant(self.limit_ms), time(first_ms));
        let mut list = Vec::new();
        for (plan, status) in statuses(&ended, first_ms) {
            let id = slug(&format!("{plan} {status}"));
            list.push(goal(
                &id,
                format!("{plan}={status} after t={first} by {limit}"),
                format!("The plan {plan} comes to {status} by {end}."),
            ));
            list.push(goal(
                &format!("{id}-at-the-end"),
                format!("{plan}={status} at {limit}"),
                format!("The plan {plan} is {status} at {end}."),
            ));
        }
        let before = self.view_at(first_ms);
        for machine in &view.cluster.machines {
            let (host, state) = (&machine.hostname, &machine.state);
            let was = before.cluster.machines.iter().find(|one| one.hostname == *host);
            if was.is_none_or(|was| was.state != *state) {
                let (check, text) = (
                    format!("machine {host}={state} after t={first} by {limit}"),
                    format!("{host} is {state} by {end}."),
                );
                list.push(goal(&slug(&format!("{host} {state}")), check, text));
            }
            if machine.tasks.is_empty() && was.is_some_and(|was| !was.tasks.is_empty()) {
                let (check, text) = (
                    format!("no tasks on {host} after t={first} by {limit}"),
                    format!("No task is left on {host} by {end}."),
                );
                list.push(goal(&slug(&format!("{host} empty")), check, text));
            }
        }
        for (of, count) in available(&view) {
            let count = count.min(MOST_INSTANCES);
            let text = format!("{} of {of} available at {end}.", instances(count));
            list.push(goal(
                &slug(&format!("{of} available")),
                format!("at least {count} available of {of} at {limit}"),
                text,
            ));
            // Keep the strongest check that holds: they have the same name.
            for least in (1..=count).rev() {
                list.push(Suggested {
                    id: slug(&format!("{of} stays up")),
                    role: Role::Never,
                    check: format!(
                        "fewer than {least} available of {of} after at least {count} available of {of}"
                    ),
                    text: format!("At least {least} of {of} stay available, once {count} were."),
                    takes_a_command: false,
                });
            }
        }
        let commands = self.moves.len();
        list.push(Suggested {
            id: "commands".to_owned(),
            role: Role::Never,
            check: format!("more than {commands} commands"),
            text: format!("No more than {commands} commands are given."),
            takes_a_command: false,
        });
        list
    }

    /// Returns the view just before the first input by hand.
    fn view_at(&self, ms: u64) -> Arc<View> {
        let mut attempt = Attempt::start(&self.lesson(Vec::new(), self.limit_ms), None);
        attempt.advance_to(ms);
        attempt.engine().view()
    }
}

/// The last status of each plan that changed after the first input by hand.
fn statuses(ended: &Attempt, first_ms: u64) -> Vec<(String, String)> {
    let several = ended.engine().view().services.len() > 1;
    let mut last: BTreeMap<String, String> = BTreeMap::new();
    for event in ended.engine().events().iter().filter(|event| event.at_ms >= first_ms) {
        if let EventBody::ElementStatus { path, to, .. } = &event.body
            && path.phase.is_none()
        {
            let service = path.service.trim_matches('/');
            let name = if several { format!("{service}/{}", path.plan) } else { path.plan.to_string() };
            last.insert(name, to.to_string());
        }
    }
    last.into_iter().collect()
}

/// Instances that run, by service.
fn available(view: &View) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for task in view.cluster.machines.iter().flat_map(|machine| &machine.tasks) {
        let well = &*task.state == "TASK_RUNNING" && task.ready != Some(false) && task.healthy != Some(false);
        if well && !task.service.is_empty() {
            *counts.entry(task.service.trim_matches('/').to_owned()).or_default() += 1;
        }
    }
    counts
}

fn states(attempt: &Attempt) -> Vec<State> {
    attempt.progress().checks.iter().map(|check| check.state).collect()
}

fn goal(id: &str, check: String, text: String) -> Suggested {
    Suggested { id: id.to_owned(), role: Role::Goal, check, text, takes_a_command: false }
}

fn instances(count: u64) -> String {
    if count == 1 { "1 instance is".to_owned() } else { format!("{count} instances are") }
}

/// A time as lessons write it.
pub(crate) fn time(ms: u64) -> String {
    if ms.is_multiple_of(1000) { format!("{}s", ms / 1000) } else { format!("{ms}ms") }
}

/// A name of lower case letters, digits and hyphens.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "check".to_owned() } else { out.to_owned() }
}
