//! Soak: mutated definitions and inputs of all systems against the router, in search of forbidden answers.
//!
//! *Knows*: the router, the gallery as a source of definitions and inputs. *Must not know*: any clock; the caller passes one.

mod chance;
mod change;
mod shrink;

pub use chance::Chance;
pub use shrink::shrink;

use planarium_rest::{MAX_ANSWER, Request, Response, Session, handle_within};
use planarium_scenario::{Action, parse};
use planarium_world::Genesis;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The longest time that an answer may take. *Units*: milliseconds.
pub const HANG_MS: u64 = 2_000;

/// Paths that are read after each step.
const READS: [&str; 8] = [
    "/sim/view",
    "/v2/apps?embed=apps.tasks&embed=apps.deployments",
    "/v2/groups?embed=group.apps&embed=group.groups",
    "/v1/plans/deploy",
    "/v1/pod/status",
    "/kube/api/v1/pods",
    "/kube/apis/kudo.dev/v1beta1/instances",
    "/mesos/master/state",
];

/// Spans that pass after a request. *Units*: milliseconds.
const SPANS_MS: [u64; 6] = [0, 1, 500, 5_000, 30_000, 600_000];

/// One step of a case: a request, then a span of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Path of a `POST`.
    pub path: String,
    /// Its body.
    pub body: String,
    /// Virtual time that passes after it. *Units*: milliseconds.
    pub then_ms: u64,
}

/// A world and the steps on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Fixes the case and the world.
    pub seed: u64,
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// An answer that must not be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A server's error.
    Status(u16),
    /// An answer that took longer than it may. *Units*: milliseconds.
    Hang(u64),
    /// An answer of more bytes than [`MAX_ANSWER`].
    Size(usize),
    /// A panic.
    Panic,
}

impl Fault {
    /// Another fault of the same kind.
    pub fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// A fault and the request that was answered so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The answer.
    pub fault: Fault,
    /// Method and path.
    pub asked: String,
}

/// The initial and scripted inputs of examples, each with its example's number.
pub struct Supply {
    set_ups: Vec<Vec<Value>>,
    inputs: Vec<Value>,
}

impl Supply {
    /// All examples.
    pub fn of_the_gallery() -> Self {
        let mut supply = Self { set_ups: Vec::new(), inputs: Vec::new() };
        for example in planarium_gallery::examples() {
            let file = |path: &str| {
                example.files.iter().find(|(own, _)| *own == path).map(|(_, text)| (*text).to_owned())
            };
            let Some(scenario) = parse(example.scenario, example.id, &file).scenario else { continue };
            let json = |input: &planarium_protocol::Input| serde_json::to_value(input).unwrap_or_default();
            supply.set_ups.push(scenario.set_up().iter().map(json).collect());
            for action in scenario.script.iter().flat_map(|entry| &entry.actions) {
                if let Action::Do(input) = action {
                    supply.inputs.push(json(input));
                }
            }
        }
        supply
    }

    /// The case of a seed.
    pub fn case(&self, seed: u64) -> Case {
        let mut chance = Chance::new(seed);
        let mut steps = Vec::new();
        let Some(set_up) = chance.pick(&self.set_ups) else { return Case { seed, steps } };
        for input in set_up {
            steps.push(step(&mut chance, input, 2));
        }
        for _ in 0..chance.below(6) {
            let Some(input) = chance.pick(&self.inputs) else { break };
            steps.push(step(&mut chance, input, 3));
        }
        Case { seed, steps }
    }
}

/// Makes a step from an input, mutated with a chance of one in `one_in`.
fn step(chance: &mut Chance, input: &Value, one_in: u64) -> Step {
    let mut input = input.clone();
    if chance.below(one_in) == 0 {
        change::input(chance, &mut input);
    }
    let mut body = input.to_string();
    if chance.below(40) == 0 {
        body = change::text(chance, &body);
    }
    let then_ms = chance.pick(&SPANS_MS).copied().unwrap_or_default();
    Step { path: "/sim/inputs".to_owned(), body, then_ms }
}

/// Plays a case; `now_ms` is the caller's clock. Returns the first fault.
pub fn play(case: &Case, now_ms: &dyn Fn() -> u64) -> Option<Found> {
    let mut session = Session::new(Genesis { seed: case.seed, ..Genesis::default() });
    for step in &case.steps {
        let advance = json!({ "for_ms": step.then_ms }).to_string();
        let posts = [("POST", step.path.as_str(), step.body.as_str()), ("POST", "/sim/advance", &advance)];
        let reads = READS.iter().map(|path| ("GET", *path, ""));
        for (method, path, body) in posts.into_iter().chain(reads) {
            let found = ask(&mut session, (method, path, body), now_ms);
            if let Some(fault) = found {
                return Some(Found { fault, asked: format!("{method} {path}") });
            }
        }
    }
    None
}

fn ask(
    session: &mut Session,
    (method, target, body): (&str, &str, &str),
    now_ms: &dyn Fn() -> u64,
) -> Option<Fault> {
    let begun = now_ms();
    let request = Request::new(method, target, body.as_bytes());
    let is_over = || now_ms().saturating_sub(begun) > HANG_MS / 2;
    let answered = catch_unwind(AssertUnwindSafe(|| handle_within(session, &request, &is_over)));
    let took = now_ms().saturating_sub(begun);
    let response: Response = match answered {
        Ok(response) => response,
        Err(_) => return Some(Fault::Panic),
    };
    // Unsimulated features are reported with 501, which is a valid answer.
    if response.status >= 500 && response.status != 501 {
        return Some(Fault::Status(response.status));
    }
    if response.body.len() > MAX_ANSWER {
        return Some(Fault::Size(response.body.len()));
    }
    (took > HANG_MS).then_some(Fault::Hang(took))
}
