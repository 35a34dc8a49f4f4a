//! App and group files of Marathon's own system tests: each deploys, or is refused with the reason that the real one gives.
//!
//! Reads the folder that `PLANARIUM_REAL` names, or `../shared/real` beside the repository; without either, the tests that read it are skipped (`build.rs`).

#![expect(clippy::expect_used, reason = "helpers of tests")]

use planarium_protocol::input::LoadService;
use planarium_scenario::{Scenario, run};
use planarium_source::render::text::render;
use planarium_tests::files;
use planarium_world::{Condition, Genesis, check, presets};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Why a file is refused if Marathon has no role of its own.
const RESIDENT: &str = "Resident apps cannot have the role *";

/// Every file, and why Marathon as it comes refuses it; none when it deploys. Kept in step with `docs/fidelity/marathon.md`.
const FILES: &[(&str, Option<&str>)] = &[
    ("apps/docker-http-server.json", None),
    ("apps/healthcheck-and-volume.json", Some(RESIDENT)),
    ("apps/http-server.json", None),
    ("apps/large-sleep.json", None),
    ("apps/persistent-volume-app.json", Some(RESIDENT)),
    ("apps/readiness-and-health-app.json", None),
    ("apps/resident-docker-app.json", Some(RESIDENT)),
    ("apps/sleep-app.json", None),
    ("apps/ucr-docker-http-server.json", None),
    ("groups/sleep-group.json", None),
];

fn folder() -> PathBuf {
    files::real().expect("the real definitions").join("marathon")
}

fn request(name: &str, role: Option<&str>) -> LoadService {
    let file = name.rsplit('/').next().unwrap_or(name);
    let text = files::text(&folder().join(name));
    LoadService {
        dialect: "marathon".to_owned(),
        files: BTreeMap::from([(file.to_owned(), text)]),
        env: role.map(|role| ("MARATHON_MESOS_ROLE".to_owned(), role.to_owned())).into_iter().collect(),
        ..LoadService::default()
    }
}

/// Returns the reason why a definition is not deployed; nothing when it is.
fn deployed(load: LoadService) -> Option<String> {
    let machines = presets::cluster("default").expect("the preset");
    let until = Condition::parse("marathon/deployment-1=Finished").expect("a condition");
    let outcome = run(Scenario::of_definition(load, machines, Genesis::default()), Some(&until));
    let view = outcome.engine.view();
    let apps = view.services.iter().flat_map(|service| &service.plans).filter(|plan| &*plan.name == "apps");
    let words: Vec<&str> =
        apps.flat_map(|plan| &plan.phases).flat_map(|phase| &phase.steps).map(|step| &*step.status).collect();
    let runs = !words.is_empty() && words.iter().all(|word| *word == "Running");
    (!outcome.passed || !runs).then_some(outcome.transcript)
}

#[test]
#[cfg_attr(not(real_files), ignore = "the real definitions are not at hand")]
fn the_table_has_every_file() {
    let found: Vec<String> = ["apps", "groups"]
        .iter()
        .flat_map(|part| {
            let all = files::below(&folder().join(part), &[".json"]);
            all.into_keys().map(move |name| format!("{part}/{name}"))
        })
        .collect();
    let known: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, known);
}

#[test]
#[cfg_attr(not(real_files), ignore = "the real definitions are not at hand")]
fn every_file_deploys_or_is_refused_with_the_real_reason() {
    let mut wrong = Vec::new();
    for (name, refused) in FILES {
        let load = request(name, None);
        let report = check(&load);
        let errors: Vec<&str> = report
            .diagnostics
            .iter()
            .filter(|finding| finding.severity == planarium_source::Severity::Error)
            .map(|finding| finding.message.as_str())
            .collect();
        match refused {
            Some(reason) => {
                if errors.len() != 1 || !errors.iter().all(|error| error.ends_with(reason)) {
                    wrong.push(format!("{name}:\n{}", render(&report.diagnostics, &report.sources)));
                }
            }
            None => {
                if !report.diagnostics.is_empty() {
                    wrong.push(format!("{name}:\n{}", render(&report.diagnostics, &report.sources)));
                }
                wrong.extend(deployed(load).map(|transcript| format!("{name}:\n{transcript}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(not(real_files), ignore = "the real definitions are not at hand")]
fn with_a_role_of_its_own_every_file_deploys() {
    let wrong: Vec<String> = FILES
        .iter()
        .filter_map(|(name, _)| {
            deployed(request(name, Some("marathon"))).map(|transcript| format!("{name}:\n{transcript}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rows such as "| `apps/x.json` | deploys | deploys |" in the ledger.
#[test]
fn the_ledger_matches_every_file() {
    let ledger = files::text(&files::root().join("docs/fidelity/marathon.md"));
    let rows: Vec<String> = ledger
        .lines()
        .filter(|line| line.starts_with("| `") && line.contains(".json` | "))
        .map(str::to_owned)
        .collect();
    let table: Vec<String> = FILES
        .iter()
        .map(|(name, refused)| {
            let said = refused.map_or_else(|| "deploys".to_owned(), |reason| format!("refused: {reason}"));
            format!("| `{name}` | {said} | deploys |")
        })
        .collect();
    assert_eq!(rows, table, "docs/fidelity/marathon.md and this test differ");
}
