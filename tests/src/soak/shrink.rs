//! Reduces a case: removes steps, then lines of their definitions, while the same kind of fault occurs.

use super::{Case, Found, play};
use serde_json::Value;

/// Plays of one case at most while it is made small.
const TRIALS: u32 = 400;

/// The time after which a case is kept as small as it is by then. *Units*: milliseconds.
const PATIENCE_MS: u64 = 60_000;

/// The smallest case found that ends in the same kind of fault.
pub fn shrink(case: &Case, found: &Found, now_ms: &dyn Fn() -> u64) -> Case {
    let mut best = case.clone();
    let (mut left, begun) = (TRIALS, now_ms());
    let mut fails = |candidate: &Case| {
        if left == 0 || now_ms().saturating_sub(begun) > PATIENCE_MS {
            return false;
        }
        left -= 1;
        play(candidate, now_ms).is_some_and(|other| other.fault.is_like(&found.fault))
    };
    let mut at = best.steps.len();
    while at > 0 {
        at -= 1;
        let mut candidate = best.clone();
        candidate.steps.remove(at);
        if fails(&candidate) {
            best = candidate;
        }
    }
    for at in 0..best.steps.len() {
        let mut size = lines_of(&best, at) / 2;
        while size > 0 {
            let mut from = 0;
            while from < lines_of(&best, at) {
                match without(&best, at, from, size).filter(|candidate| fails(candidate)) {
                    Some(candidate) => best = candidate,
                    None => from += size,
                }
            }
            size /= 2;
        }
    }
    best
}

/// The definition in a step, by its file.
fn definition(case: &Case, at: usize) -> Option<(Value, String, String)> {
    let body: Value = serde_json::from_str(&case.steps.get(at)?.body).ok()?;
    let files = body.get("files")?.as_object()?;
    let (file, text) = files.iter().max_by_key(|(_, text)| text.as_str().map_or(0, str::len))?;
    let (file, text) = (file.clone(), text.as_str()?.to_owned());
    Some((body, file, text))
}

fn lines_of(case: &Case, at: usize) -> usize {
    definition(case, at).map_or(0, |(_, _, text)| text.split('\n').count())
}

/// The case with some lines of a definition less.
fn without(case: &Case, at: usize, from: usize, size: usize) -> Option<Case> {
    let (mut body, file, text) = definition(case, at)?;
    let lines: Vec<&str> = text.split('\n').collect();
    if from >= lines.len() {
        return None;
    }
    let left: Vec<&str> = lines
        .iter()
        .enumerate()
        .filter(|(line, _)| !(from..from + size).contains(line))
        .map(|(_, text)| *text)
        .collect();
    *body.get_mut("files")?.get_mut(&file)? = Value::String(left.join("\n"));
    let mut smaller = case.clone();
    smaller.steps.get_mut(at)?.body = body.to_string();
    Some(smaller)
}
