//! Runs whose digests are the same on every target: all examples, and some journals of their own.

use planarium_gallery::Example;
use planarium_scenario::{parse, run};
use planarium_world::{Engine, Journal, JournalEntry};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// One line per run: its name, how far it went, its events and its digest. Own journals first, then the examples by name.
pub fn table() -> String {
    table_with(&mut |_, _| {})
}

/// The same, and shows each run at its end: examples by their ids.
pub fn table_with(see: &mut dyn FnMut(&str, &Engine)) -> String {
    let mut out = String::from("# run: virtual milliseconds, events, digest\n");
    // They load services of the SDK.
    let own = if cfg!(feature = "sdk") { own() } else { Vec::new() };
    for (name, journal) in own {
        match Engine::from_journal(&journal) {
            Ok(engine) => {
                see(name, &engine);
                out.push_str(&line(name, &engine));
            }
            Err(error) => {
                let _ = writeln!(out, "{name}: {error}");
            }
        }
    }
    let mut examples: Vec<&str> = examples().map(|example| example.id).collect();
    examples.sort_unstable();
    for id in examples {
        match scenario(id) {
            Some(scenario) => {
                let engine = run(scenario, None).engine;
                see(id, &engine);
                out.push_str(&line(&format!("example {id}"), &engine));
            }
            None => {
                let _ = writeln!(out, "example {id}: has findings");
            }
        }
    }
    out
}

/// The examples whose systems are all in this build; `mesos` is not a system, but a layer under them.
pub fn examples() -> impl Iterator<Item = &'static Example> {
    let is_here = |word: &str| {
        planarium_world::layers().contains(&word)
            || planarium_world::dialects().iter().any(|own| own.word == word)
    };
    planarium_gallery::examples().iter().filter(move |example| example.systems().all(is_here))
}

/// Returns whether every system is in this build, not just one of them.
pub fn is_whole() -> bool {
    examples().count() == planarium_gallery::examples().len()
}

fn line(name: &str, engine: &Engine) -> String {
    format!("{name}: {} {} {}\n", engine.now_ms(), engine.seq(), engine.digest())
}

/// Returns the engine at the end of an example's scenario.
///
/// # Panics
/// If the example does not exist, or has findings.
#[expect(clippy::expect_used, reason = "helper of tests")]
pub fn example_end(id: &str) -> Engine {
    let scenario = scenario(id).expect("an example without findings");
    run(scenario, None).engine
}

/// An example's scenario with the example's files.
pub fn scenario(id: &str) -> Option<planarium_scenario::Scenario> {
    let example = planarium_gallery::find(id)?;
    let files =
        |path: &str| example.files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
    parse(example.scenario, &format!("{id}.planarium.yaml"), &files).scenario
}

fn entries(rows: Vec<(u64, Value)>) -> Option<Vec<JournalEntry>> {
    rows.into_iter()
        .zip(1_u64..)
        .map(|((at_ms, input), seq)| {
            serde_json::from_value(json!({ "seq": seq, "at_ms": at_ms, "input": input })).ok()
        })
        .collect()
}

fn journal(seed: u64, end_ms: u64, rows: Vec<(u64, Value)>) -> Journal {
    let mut journal = Journal { end_ms, entries: entries(rows).unwrap_or_default(), ..Journal::default() };
    journal.genesis.seed = seed;
    journal
}

/// A small service with everything that draws lots: start latencies, exit times, checks.
pub const DICE: &str = "name: dice
pods:
  roll:
    count: 3
    tasks:
      once: {goal: ONCE, cmd: ./once, cpus: 0.1, memory: 32}
      server:
        goal: RUNNING
        cmd: ./server
        cpus: 0.3
        memory: 64
        readiness-check: {cmd: ./ready, interval: 3, timeout: 1}
        health-check: {cmd: ./well, interval: 7, timeout: 1, delay: 1, grace-period: 5, max-consecutive-failures: 2}
";

/// Journals that leave the beaten track: refused inputs, faults, another seed, lost and added machines.
fn own() -> Vec<(&'static str, Journal)> {
    let load = json!({ "kind": "load-service", "dialect": "sdk", "files": { "svc.yml": DICE } });
    let machines = json!({ "kind": "add-agent", "count": 2, "resources": { "cpus": 2, "mem": 2048, "disk": 10000, "ports": "[1025-2000]" } });
    vec![
        ("empty", journal(1, 60_000, vec![])),
        ("dice, seed 1", journal(1, 300_000, vec![(0, machines.clone()), (0, load.clone())])),
        ("dice, seed 2", journal(2, 300_000, vec![(0, machines.clone()), (0, load.clone())])),
        (
            "dice in trouble",
            journal(
                3,
                900_000,
                vec![
                    (0, machines.clone()),
                    (1_000, load.clone()),
                    (1_000, load),
                    (
                        9_000,
                        json!({ "kind": "fault", "fault": "task-fail", "target": { "task": "roll-0-server" } }),
                    ),
                    (
                        20_000,
                        json!({ "kind": "fault", "fault": "agent-lost", "target": { "pod": "roll-1" }, "for_ms": 60_000 }),
                    ),
                    (30_000, json!({ "kind": "plan", "service": "dice", "plan": "deploy", "op": "restart" })),
                    (
                        50_000,
                        json!({ "kind": "plan", "service": "dice", "plan": "nothing", "op": "continue" }),
                    ),
                    (
                        70_000,
                        json!({ "kind": "fault", "fault": "health-fail", "target": { "pod": "roll" }, "for_ms": 40_000, "probability": 0.5 }),
                    ),
                    (200_000, machines),
                    (250_000, json!({ "kind": "pod", "service": "dice", "pod": "roll-2", "op": "replace" })),
                ],
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journals_are_read_completely() {
        for (name, journal) in own() {
            assert!(name == "empty" || journal.entries.len() >= 2, "{name}");
        }
        assert_eq!(own().last().map(|(_, journal)| journal.entries.len()), Some(10));
    }
}
