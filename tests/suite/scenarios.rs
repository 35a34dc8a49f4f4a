//! Plays every example's scenario: its expectations hold, and its transcript equals the reviewed one.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use planarium_scenario::{Action, parse, run};
use planarium_source::render::text::render;
use planarium_tests::{files, golden, journals};
use std::collections::BTreeSet;

/// The example folders on disk.
fn folders() -> Vec<String> {
    let entries = std::fs::read_dir(files::root().join("examples")).expect("the examples folder");
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_gallery_contains_every_folder() {
    let mut embedded: Vec<&str> = planarium_gallery::examples().iter().map(|example| example.id).collect();
    embedded.sort_unstable();
    assert_eq!(embedded, folders());
    assert!(embedded.len() >= 8, "the issue asks for at least eight examples");
}

#[test]
fn transcripts_equal_the_reviewed_ones() {
    let mut wrong = Vec::new();
    for example in journals::examples() {
        let id = example.id;
        let folder = files::root().join("examples").join(id);
        let name = format!("{id}.planarium.yaml");
        let read = |path: &str| std::fs::read_to_string(folder.join(path)).ok();
        let parsed = parse(&files::text(&folder.join(&name)), &name, &read);
        let findings = render(&parsed.diagnostics, &parsed.sources);
        let Some(scenario) = parsed.scenario else {
            wrong.push(format!("{id}: {findings}"));
            continue;
        };
        if !findings.is_empty() {
            wrong.push(format!("{id}: {findings}"));
        }
        let outcome = run(scenario, None);
        if !outcome.passed {
            wrong.push(format!("{id}: does not come out as expected\n{}", outcome.transcript));
        }
        let dialects: BTreeSet<String> =
            outcome.engine.view().services.iter().map(|service| service.dialect.to_string()).collect();
        let systems: BTreeSet<String> = example.systems().map(str::to_owned).collect();
        if !dialects.is_subset(&systems) {
            wrong.push(format!("{id}: its header names {systems:?} and there are {dialects:?}"));
        }
        if let Err(why) = golden::compare(&format!("examples/{id}/{id}.transcript.txt"), &outcome.transcript)
        {
            wrong.push(why);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_scenario_expects_something() {
    for id in journals::examples().map(|example| example.id) {
        let scenario = journals::scenario(id).unwrap_or_else(|| panic!("{id} has findings"));
        let expectations = scenario
            .script
            .iter()
            .flat_map(|entry| &entry.actions)
            .filter(|action| matches!(action, Action::Expect(..)))
            .count();
        assert!(expectations > 0 || scenario.until.is_some(), "{id} can never fail");
    }
}

#[cfg(feature = "sdk")]
#[test]
fn a_scenario_with_a_wrong_expectation_fails() {
    let text = "services: [{files: [svc.yml]}]\nscript: [{at: 0s, expect: [deploy=COMPLETE]}]\n";
    let svc = planarium_gallery::find("canary").expect("the canary example").files[0].1;
    let parsed = parse(text, "wrong.planarium.yaml", &|_| Some(svc.to_owned()));
    let outcome = run(parsed.scenario.expect("no findings"), None);
    assert!(!outcome.passed);
    assert!(outcome.transcript.contains("[0:00.000] FAILED deploy=COMPLETE"), "{}", outcome.transcript);
}

#[cfg(feature = "skopos")]
#[test]
fn a_command_to_a_skopos_plan_comes_before_ends_at_its_instant() {
    let plan = "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps:\n- id: g\n  class: group\n  steps:\n  \
                - {id: a, class: delay, duration: 5}\n  - {id: b, class: delay, duration: 5}\n";
    let script = "services: [{name: n, files: [plan.yaml]}]\nscript:\n\
                  - {at: 0s, do: {kind: plan, service: n, plan: deploy, op: start}}\n\
                  - at: 5s\n  do: {kind: plan, service: n, plan: deploy, op: interrupt}\n  expect: [deploy=paused, deploy/g/b=paused]\n\
                  - {at: 7s, do: {kind: plan, service: n, plan: deploy, op: continue}}\n\
                  - at: 12s\n  do: {kind: call, method: POST, path: /skopos/v1/n/abandon}\n  expect: [deploy=failed, deploy/g/b=failed]\n";
    let parsed = parse(script, "tie.planarium.yaml", &|_| Some(plan.to_owned()));
    let outcome = run(parsed.scenario.expect("no findings"), None);
    assert!(outcome.passed, "{}", outcome.transcript);
    let journal = outcome.engine.journal();
    let (again, difference) = planarium_world::Engine::open(&journal).expect("a journal");
    assert!(difference.is_none(), "{difference:?}");
    assert_eq!(again.digest(), outcome.engine.digest());
}

#[cfg(feature = "sdk")]
#[test]
fn the_same_scenario_gives_the_same_transcript_twice() {
    for id in ["hello-world", "backoff"] {
        let play = || run(journals::scenario(id).expect("no findings"), None).transcript;
        assert_eq!(play(), play(), "{id}");
    }
}
