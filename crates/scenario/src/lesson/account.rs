//! The account of a check that was lost: when, of what, by which chain of causes, how near it came, and where to go back to.
//!
//! Knows: how causes lead back to an input. Must not know: when a check is lost.

use super::facts::Gone;
use crate::clock::clock;
use crate::describe;
use planarium_protocol::Cause;
use planarium_protocol::event::{Event, EventBody};
use planarium_world::Engine;
use serde::Serialize;

/// Longest chain that is followed.
const LINKS: usize = 64;

/// Why a check was lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// When. *Units*: milliseconds since genesis.
    pub at_ms: u64,
    /// The element, service or machine that it is about.
    pub element: String,
    /// Everything in one sentence.
    pub sentence: String,
    /// What was needed, and how near it came.
    pub nearest: String,
    /// What brought it about, the latest first.
    pub because: Vec<String>,
    /// The events that led to it, the last first, and the input at their beginning.
    pub chain: Vec<Link>,
    /// Where to go back to.
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
    /// What it was.
    pub text: String,
}

/// A place in a run, before an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The place is before the input of this number.
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
    pub(crate) phrase: Option<String>,
}

impl Chain {
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

    /// The cause of an instance's end in some words.
    pub(crate) fn words(&self, task: &Gone, learner: &[u64]) -> String {
        if let Some(phrase) = &self.phrase {
            return phrase.clone();
        }
        let name = &task.name;
        let root = self.links.last().filter(|link| link.input.is_some());
        match root {
            Some(link) if self.root.is_some_and(|root| learner.contains(&root)) => {
                format!("{name} was stopped by `{}`", link.text)
            }
            Some(link) if link.at_ms > 0 => format!("{name} ended after `{}`", link.text),
            _ => format!("{name} ended"),
        }
    }
}

fn event(engine: &Engine, seq: u64) -> Option<&Event> {
    engine.events_since(seq.checked_sub(1)?).first().filter(|event| event.seq == seq)
}

fn link(event: &Event) -> Link {
    Link { at_ms: event.at_ms, event: Some(event.seq), input: None, text: event.body.sentence() }
}

/// When an input was put in, and its words.
pub(crate) fn input(engine: &Engine, number: u64) -> Option<(u64, String)> {
    let entry = engine.entries().iter().find(|entry| entry.seq == number)?;
    Some((entry.at_ms, describe::input(&entry.input)))
}

/// The words for an event that explains by itself why something is gone.
fn phrase(event: &Event) -> Option<String> {
    match &event.body {
        EventBody::MachineLost { agent, how } => Some(match &**how {
            "partitioned" => format!("{agent} fell silent"),
            "agent-restart" => format!("the agent of {agent} restarted"),
            _ => format!("{agent} went down"),
        }),
        EventBody::FaultStruck { fault, target } => Some(format!("fault {fault} struck {target}")),
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

/// Causes of all instances that are missing: `agent-3 went down while world-1 was restarted by command`.
pub(crate) fn because(engine: &Engine, missing: &[&Gone], learner: &[u64]) -> (Vec<String>, Chain) {
    let chains: Vec<Chain> = missing.iter().map(|task| Chain::of(engine, task.seq)).collect();
    let mut words: Vec<String> = Vec::new();
    for (task, chain) in missing.iter().zip(&chains) {
        let phrase = chain.words(task, learner);
        if !words.contains(&phrase) {
            words.push(phrase);
        }
    }
    (words, chains.into_iter().next().unwrap_or_default())
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
