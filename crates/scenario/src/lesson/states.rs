//! States of a world as written in checks: statuses, available instances, tasks on a machine, commands, unavailable time.
//!
//! Knows: how a state is written. Must not know: when it holds; `observed` decides that.

use planarium_world::{Condition, parse_duration_ms};
use serde::Serialize;

/// Terms that must hold at the same time, joined by `&&`.
#[derive(Clone, Debug, PartialEq)]
pub struct States(pub Vec<Term>);

/// A range of numbers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// Lowest.
    pub least: u64,
    /// Highest.
    pub most: u64,
}

/// One state.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A condition of scenarios: `deploy=COMPLETE`, `idle`, `t=30s`.
    Condition(Condition, String),
    /// `at least 2 available of NAME`: instances that run, are ready and healthy, on reachable machines. NAME is a service, a pod
    /// or a task (`*` matches any run of characters), or `SERVICE/POD`.
    Available {
        /// The service or pod whose instances count.
        of: String,
        /// Maximum.
        bound: Bound,
    },
    /// `no tasks on HOST`, `at most 1 task on HOST`.
    TasksOn {
        /// Hostname.
        host: String,
        /// Maximum.
        bound: Bound,
    },
    /// `machine HOST=draining`.
    Machine {
        /// Hostname.
        host: String,
        /// State in the word of the view.
        state: String,
    },
    /// `at most 2 commands`: accepted commands of the learner.
    Commands {
        /// Maximum.
        bound: Bound,
    },
    /// `at most 20s below 2 available of NAME`: the time in which fewer were available, after the number was first reached.
    Below {
        /// The service or pod whose instances count.
        of: String,
        /// Instances needed.
        needed: u64,
        /// Time. *Units*: milliseconds.
        bound: Bound,
    },
}

impl Bound {
    /// Returns whether a number is in the range.
    pub const fn holds(self, number: u64) -> bool {
        self.least <= number && number <= self.most
    }

    /// Describes the required number.
    pub(crate) fn words(self) -> String {
        match (self.least, self.most) {
            (0, 0) => "none".to_owned(),
            (0, most) => format!("at most {most}"),
            (least, u64::MAX) => format!("at least {least}"),
            (least, most) => format!("{least} to {most}"),
        }
    }
}

impl States {
    /// Reads states.
    ///
    /// *Errors*: describes the part that cannot be read, and the valid syntax.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split("&&").map(|part| Term::parse(part.trim())).collect::<Result<_, _>>().map(Self)
    }
}

impl Term {
    fn parse(text: &str) -> Result<Self, String> {
        if let Some((bound, rest)) = bounded(text) {
            return counted(text, bound?, rest);
        }
        if let Some(rest) = text.strip_prefix("machine ")
            && let Some((host, state)) = rest.split_once('=')
        {
            return Ok(Self::Machine { host: host.trim().to_owned(), state: state.trim().to_owned() });
        }
        match Condition::parse(text) {
            Ok(Condition::Status { status, .. }) if status.contains(char::is_whitespace) => {
                Err(format!("`{status}` is not a status"))
            }
            Ok(condition) => Ok(Self::Condition(condition, text.to_owned())),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Parses a number with an optional unit of time.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| parse_duration_ms(text))
}

/// Parses the bound at the beginning of a text; returns it with the rest.
fn bounded(text: &str) -> Option<(Result<Bound, String>, &str)> {
    if let Some(rest) = text.strip_prefix("no ") {
        return Some((Ok(Bound { least: 0, most: 0 }), rest));
    }
    let prefixes = ["at least ", "at most ", "fewer than ", "more than "];
    let prefix = prefixes.into_iter().find(|prefix| text.starts_with(prefix))?;
    let rest = text.strip_prefix(prefix)?;
    let (count, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let bound =
        number(count).ok_or_else(|| format!("`{count}` is not a number or a time")).map(
            |count| match prefix {
                "at least " => Bound { least: count, most: u64::MAX },
                "at most " => Bound { least: 0, most: count },
                "fewer than " => Bound { least: 0, most: count.saturating_sub(1) },
                _ => Bound { least: count.saturating_add(1), most: u64::MAX },
            },
        );
    Some((bound, rest.trim()))
}

fn counted(text: &str, bound: Bound, rest: &str) -> Result<Term, String> {
    let name = |rest: &str| rest.trim().trim_matches('/').to_owned();
    if let Some(of) = rest.strip_prefix("available of ") {
        return Ok(Term::Available { of: name(of), bound });
    }
    if let Some(host) = rest.strip_prefix("tasks on ").or_else(|| rest.strip_prefix("task on ")) {
        return Ok(Term::TasksOn { host: host.trim().to_owned(), bound });
    }
    if matches!(rest, "commands" | "command") {
        return Ok(Term::Commands { bound });
    }
    if let Some((needed, of)) = rest.strip_prefix("below ").and_then(|rest| rest.split_once(" available of "))
        && let Ok(needed) = needed.trim().parse()
    {
        return Ok(Term::Below { of: name(of), needed, bound });
    }
    Err(format!(
        "`{text}` counts nothing known; write `at least 2 available of NAME`, `no tasks on HOST`, `at most 3 commands` or `at most 20s below 2 available of NAME`"
    ))
}
