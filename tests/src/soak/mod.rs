//! Soak: mutated definitions and inputs of all systems against the router, in search of forbidden answers.
//!
//! *Knows*: the router, the gallery as a source of definitions and inputs. *Must not know*: any clock; the caller passes one.

mod chance;
mod change;
mod shrink;
mod supply;

pub use chance::Chance;
pub use shrink::shrink;
pub use supply::{Changed, Supply};

use planarium_protocol::input::LoadService;
use planarium_rest::{MAX_ANSWER, Request, Response, Session, handle_within};
use planarium_source::render::json::flat;
use planarium_world::{Genesis, check};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The longest time that an answer may take. *Units*: milliseconds.
pub const HANG_MS: u64 = 2_000;

/// Paths that are read after a span of time and at the end of a case.
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

/// One step of a case: a request, then a span of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Path of a `POST`.
    pub path: String,
    /// Its body.
    pub body: String,
    /// Virtual time that passes after it; the world is read where some passes. *Units*: milliseconds.
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
    /// A finding outside of the text that it is about: its code.
    Position(String),
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

/// Plays a case; `now_ms` is the clock of whoever runs it. Answers the first fault.
///
/// A definition is checked as the page and `planarium check` do it, then loaded by the router.
pub fn play(case: &Case, now_ms: &dyn Fn() -> u64) -> Option<Found> {
    let mut session = Session::new(Genesis { seed: case.seed, ..Genesis::default() });
    for (at, step) in case.steps.iter().enumerate() {
        if let Some(fault) = checked(&step.body, now_ms) {
            return Some(Found { fault, asked: "check".to_owned() });
        }
        let advance = json!({ "for_ms": step.then_ms }).to_string();
        let passes = step.then_ms > 0;
        let is_read = passes || at + 1 == case.steps.len();
        let post = ("POST", step.path.as_str(), step.body.as_str());
        let advances = passes.then_some(("POST", "/sim/advance", advance.as_str()));
        let reads = READS.iter().filter(|_| is_read).map(|path| ("GET", *path, ""));
        for (method, path, body) in std::iter::once(post).chain(advances).chain(reads) {
            let found = ask(&mut session, (method, path, body), now_ms);
            if let Some(fault) = found {
                return Some(Found { fault, asked: format!("{method} {path}") });
            }
        }
    }
    None
}

/// Reads a definition without running it and makes its preview: the findings lie within their texts.
fn checked(body: &str, now_ms: &dyn Fn() -> u64) -> Option<Fault> {
    let load: LoadService = serde_json::from_str::<Value>(body)
        .ok()
        .filter(|input| input.get("files").is_some())
        .and_then(|mut input| {
            input.as_object_mut()?.remove("kind");
            serde_json::from_value(input).ok()
        })?;
    let begun = now_ms();
    let read = catch_unwind(AssertUnwindSafe(|| {
        let report = check(&load);
        let misplaced = report.diagnostics.iter().find(|found| {
            let end = found.span.end as usize;
            report.sources.get(found.span.file).is_some_and(|file| end > file.text().len())
        });
        let flat: Vec<_> = report.diagnostics.iter().map(|found| flat(found, &report.sources)).collect();
        let shown = serde_json::to_vec(&flat).map_or(0, |text| text.len());
        (misplaced.map(|found| found.code.clone().into_owned()), shown)
    }));
    let took = now_ms().saturating_sub(begun);
    match read {
        Err(_) => Some(Fault::Panic),
        Ok((Some(code), _)) => Some(Fault::Position(code)),
        Ok((None, bytes)) if bytes > MAX_ANSWER => Some(Fault::Size(bytes)),
        Ok(_) => (took > HANG_MS).then_some(Fault::Hang(took)),
    }
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
