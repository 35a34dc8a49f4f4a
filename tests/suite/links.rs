//! Every stored link and journal still opens with its recorded result.

#![expect(clippy::panic, reason = "helpers of tests")]

use planarium_scenario::share;
use planarium_tests::links::{FOLDER, Kept, Opens, recipes};
use planarium_tests::{files, golden};
use planarium_world::{Difference, Engine, SEMANTICS};
use std::collections::BTreeSet;

fn kept() -> Vec<(String, Kept)> {
    let found = files::below(&files::root().join(FOLDER), &[".json"]);
    let read = |(name, path): (String, std::path::PathBuf)| {
        let kept =
            serde_json::from_str(&files::text(&path)).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, kept)
    };
    found.into_iter().map(read).collect()
}

/// Records recipes without a file; an existing file does not change.
#[test]
fn every_recipe_has_its_file() {
    let mut missing = Vec::new();
    for recipe in recipes() {
        let path = format!("{FOLDER}/{}.json", recipe.name);
        if golden::exists(&path) {
            continue;
        }
        if golden::blessing() {
            let text = serde_json::to_string(&recipe.record()).expect("plain data");
            std::fs::write(files::root().join(&path), text + "\n").expect("writes");
        } else {
            missing.push(path);
        }
    }
    assert!(missing.is_empty(), "record them with `cargo xtask bless every_recipe`: {missing:?}");
}

#[test]
fn every_stored_run_opens() {
    let mut wrong = Vec::new();
    for (name, kept) in kept() {
        let journal = kept.read().unwrap_or_else(|error| panic!("{name}: {error}"));
        let (mut engine, difference) = match Engine::open(&journal) {
            Ok(opened) => opened,
            Err(error) => {
                wrong.push(format!("{name} ({}): {error}", kept.about));
                continue;
            }
        };
        let recorded = journal.entries.iter().any(|entry| entry.digest.is_some());
        let told = matches!(difference, Some(Difference::Semantics { .. }));
        if told != (recorded && journal.semantics != SEMANTICS) {
            wrong.push(format!("{name} ({}): {difference:?}", kept.about));
        }
        if let Some(link) = &kept.link {
            share::go_to_moment(&mut engine, link);
        }
        let opens = Opens::of(&engine);
        if opens != kept.opens {
            wrong.push(format!("{name} ({}):\n  it was {:?}\n  it is  {opens:?}", kept.about, kept.opens));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_kind_of_input_and_of_fault_occurs() {
    let mut words = BTreeSet::new();
    for (name, kept) in kept() {
        for entry in kept.read().unwrap_or_else(|error| panic!("{name}: {error}")).entries {
            words.insert(entry.input.kind());
            if let planarium_protocol::Input::Fault(fault) = &entry.input {
                words.insert(fault.fault.as_str());
            }
        }
    }
    let wanted = "add-agent remove-agent load-service update-service remove-service plan pod maintenance fault \
         clear-fault process-behaviour task-status offer-round framework call \
         task-fail task-kill task-oom crash-loop slow-start hang readiness-fail health-fail image-missing plugin-fail \
         agent-lost agent-partitioned agent-restart agent-full offers-withheld status-dropped scheduler-restart \
         master-failover";
    let missing: Vec<&str> = wanted.split_whitespace().filter(|word| !words.contains(word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(kept().len() >= 30);
}
