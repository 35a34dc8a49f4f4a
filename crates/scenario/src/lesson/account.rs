//! The account of a lost check: instant, element, chain of causes, nearest value, and the moment to go back to.
//!
//! Knows: how causes lead back to an input. Must not know: when a check is lost.

use super::commands::word;
use super::observed::Gone;
use crate::clock::clock;
use crate::describe;
use planarium_protocol::event::{Event, EventBody};
use planarium_protocol::{Cause, Input};
use planarium_world::Engine;
use serde::Serialize;

/// Longest chain that is followed.
const LINKS: usize = 64;

/// Why a check was lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// When. *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// The element, service or machine concerned.
    pub element: String,
    /// Everything in one sentence.
    pub sentence: String,
    /// The need, and the nearest miss.
    pub nearest: String,
    /// Its causes, the latest first.
    pub because: Vec<String>,
    /// The events that led to it, the last one first, and their initial input.
    pub chain: Vec<Link>,
    /// The place to go back to.
    pub back: Place,
}

/// An event or input in a chain of causes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// When. *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// Number of the event; none for an input.
    pub event: Option<u64>,
    /// Number of the input; none for an event.
    pub input: Option<u64>,
    /// The cause's text.
    pub text: String,
}

/// A position in a run, before an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The position is before the input with this number.
    pub input: u64,
    /// *Units*: milliseconds since genesis.
    pub at_ms: u64,
}

/// A chain of causes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    pub(crate) links: Vec<Link>,
    /// The input at its beginning.
    pub(crate) root: Option<u64>,
    phrase: Option<String>,
}

impl Chain {
    /// A chain of an input alone.
    pub(crate) fn of_input(engine: &Engine, number: Option<u64>) -> Self {
        let at = number.and_then(|number| input(engine, number));
        let link = at.map(|(at_ms, text)| Link { at_ms, event: None, input: number, text });
        Self { links: link.into_iter().collect(), root: number, phrase: None }
    }

    /// The chain that ends with an event.
    pub(crate) fn of(engine: &Engine, seq: u64) -> Self {
        let mut chain = Self::default();
        let mut cause = Cause::Event(seq);
        while chain.links.len() < LINKS {
            match cause {
                Cause::Genesis => break,
                Cause::Input(number) => {
                    chain.root = Some(number);
                    if let Some((at_ms, text)) = input(engine, number) {
                        chain.links.push(Link { at_ms, event: None, input: Some(number), text });
                    }
                    break;
                }
                Cause::Event(seq) => {
                    let Some(event) = event(engine, seq) else { break };
                    chain.links.push(link(event));
                    if chain.phrase.is_none() {
                        chain.phrase = phrase(event);
                    }
                    cause = event.cause;
                }
            }
        }
        chain
    }

    /// The cause of an instance's end: its subject and its description. Without a subject if the description is a sentence.
    fn words(&self, task: &Gone, engine: &Engine, learner: &[u64]) -> (Option<String>, String) {
        if let Some(phrase) = &self.phrase {
            return (None, phrase.clone());
        }
        let root = self.root.and_then(|number| named(engine, number).map(|words| (number, words)));
        let happened = match root {
            Some((number, words)) if learner.contains(&number) => format!("stopped by `{words}`"),
            Some((_, words)) if self.links.last().is_some_and(|link| link.at_ms > 0) => {
                format!("gone after `{words}`")
            }
            _ => "gone".to_owned(),
        };
        (Some(task.name.clone()), happened)
    }
}

fn event(engine: &Engine, seq: u64) -> Option<&Event> {
    engine.events_since(seq.checked_sub(1)?).first().filter(|event| event.seq == seq)
}

fn link(event: &Event) -> Link {
    Link { at_ms: event.at_ms, event: Some(event.seq), input: None, text: event.body.sentence() }
}

/// The instant of an input, and its description.
fn input(engine: &Engine, number: u64) -> Option<(u64, String)> {
    let entry = engine.entries().iter().find(|entry| entry.seq == number)?;
    Some((entry.at_ms, describe::input(&entry.input)))
}

/// Returns the words of an event that fully explains why something is gone.
fn phrase(event: &Event) -> Option<String> {
    match &event.body {
        EventBody::MachineLost { agent, how } => Some(match &**how {
            "partitioned" => format!("{agent} fell silent"),
            "agent-restart" => format!("the agent of {agent} restarted"),
            _ => format!("{agent} went down"),
        }),
        EventBody::FaultStruck { fault, target, .. } => Some(format!("fault {fault} struck {target}")),
        EventBody::MachineRemoved { agent } => Some(format!("{agent} was taken away")),
        EventBody::AgentRemoved { agent, how, .. } if &**how == "down" => {
            Some(format!("{agent} was put down for maintenance"))
        }
        EventBody::Maintenance { what, agents, .. } if &**what == "drain-started" => {
            Some(format!("{} was drained", agents.join(", ")))
        }
        EventBody::PodCommanded { pod, op, .. } => Some(match &**op {
            "restart" => format!("{pod} was restarted by command"),
            "replace" => format!("{pod} was replaced by command"),
            other => format!("{pod} was told to {other}"),
        }),
        EventBody::Check { task, check, exit_code, .. } if *exit_code != 0 => {
            Some(format!("the {check} check of {task} failed"))
        }
        EventBody::TaskStatus { task, state, .. } if matches!(&**state, "TASK_FAILED" | "TASK_ERROR") => {
            Some(format!("{task} failed"))
        }
        _ => None,
    }
}

/// Returns an input in short form: `plan restart web/deploy`, `PUT /v2/apps/web`, `pod replace web-1`.
pub(crate) fn named(engine: &Engine, number: u64) -> Option<String> {
    let entry = engine.entries().iter().find(|entry| entry.seq == number)?;
    let input: &Input = &entry.input;
    Some(match input {
        Input::Call(call) => format!("{} {}", call.method, call.path),
        Input::Pod(command) => format!("{} {}", word(input), command.pod),
        Input::RemoveService(removal) => format!("{} {}", word(input), removal.name),
        Input::Fault(_) | Input::ClearFault(_) | Input::Maintenance(_) | Input::AddAgent(_) => word(input),
        other => describe::input(other),
    })
}

/// Returns the causes of all missing instances: `agent-3 went down`, `web-0 and web-1 were stopped by ...`.
pub(crate) fn because(engine: &Engine, missing: &[&Gone], learner: &[u64]) -> (Vec<String>, Chain) {
    let chains: Vec<Chain> = missing.iter().map(|task| Chain::of(engine, task.seq)).collect();
    let mut causes: Vec<(Vec<String>, String)> = Vec::new();
    for (task, chain) in missing.iter().zip(&chains) {
        let (subject, happened) = chain.words(task, engine, learner);
        match causes.iter_mut().find(|(_, known)| *known == happened) {
            Some((subjects, _)) => subjects.extend(subject),
            None => causes.push((subject.into_iter().collect(), happened)),
        }
    }
    let words = causes.into_iter().map(|(subjects, happened)| match listed(&subjects) {
        (names, 0) => format!("{names}{happened}"),
        (names, 1) => format!("{names} was {happened}"),
        (names, _) => format!("{names} were {happened}"),
    });
    (words.collect(), chains.into_iter().next().unwrap_or_default())
}

/// Joins names with their counts, each once: `a, b (2) and c` and 4.
pub(crate) fn listed(names: &[String]) -> (String, usize) {
    let mut counted: Vec<(&String, u32)> = Vec::new();
    for name in names {
        match counted.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counted.push((name, 1)),
        }
    }
    let shown = |(name, count): &(&String, u32)| {
        if *count > 1 { format!("{name} ({count})") } else { (*name).clone() }
    };
    let shown: Vec<String> = counted.iter().map(shown).collect();
    let text = match shown.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    (text, names.len())
}

/// A span of time in words: `14 s`, `1 min 5 s`, `0.5 s`.
pub(crate) fn span(ms: u64) -> String {
    let (minutes, seconds, rest) = (ms / 60_000, ms / 1000 % 60, ms % 1000);
    let seconds = if rest > 0 {
        format!("{seconds}.{}", format!("{rest:03}").trim_end_matches('0'))
    } else {
        seconds.to_string()
    };
    match (minutes, seconds.as_str()) {
        (0, _) => format!("{seconds} s"),
        (_, "0") => format!("{minutes} min"),
        _ => format!("{minutes} min {seconds} s"),
    }
}

/// An instant in words: `1:12`, `1:12.5`.
pub(crate) fn instant(ms: u64) -> String {
    let text = clock(ms);
    match text.split_once('.') {
        Some((seconds, "000")) => seconds.to_owned(),
        _ => text.trim_end_matches('0').to_owned(),
    }
}
