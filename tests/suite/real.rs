//! The real hello-world service: every definition of it is accepted with the package's environment, and every one whose features
//! are simulated comes to COMPLETE on the default cluster. The others stand in the table below and in `docs/fidelity.md`.
//!
//! Reads the folder that `PLANARIUM_REAL` names, or `../shared/real` beside the repository; without either it says so and passes.

use planarium_protocol::input::LoadService;
use planarium_scenario::Scenario;
use planarium_source::render::text::render;
use planarium_tests::files;
use planarium_world::{Condition, Genesis, check, presets};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Definitions that do not come to COMPLETE on the default cluster, and why. Kept in step with `docs/fidelity.md`.
const WAITING: &[(&str, &str)] = &[
    ("crash-loop.yml", "never, by its nature: the task ends with exit code 1 again and again"),
    ("gpu_resource.yml", "asks for a GPU, which the default cluster lacks; completes on the preset `gpu`"),
    ("non_recoverable_state.yml", "never, by its nature: a task that should finish ends with exit code 1"),
    (
        "pod-mount-volume.yml",
        "asks for MOUNT disks, which the default cluster lacks; completes on the preset `mount`",
    ),
    (
        "pod-profile-mount-volume.yml",
        "asks for MOUNT disks, one with a profile; completes where machines have them",
    ),
    (
        "pre-reserved-sidecar.yml",
        "asks for resources of the role slave_public; completes where machines reserve some for it",
    ),
    (
        "pre-reserved.yml",
        "asks for resources of the role slave_public; completes where machines reserve some for it",
    ),
    ("profile-mount-volume.yml", "asks for a MOUNT disk with a profile; completes where machines have one"),
];

/// Machines on which those of the table complete that can, and the environment that is theirs.
const ELSEWHERE: &[(&str, &str, &[(&str, &str)])] = &[
    ("gpu_resource.yml", "gpu", &[]),
    ("pod-mount-volume.yml", "mount", &[]),
    ("pod-profile-mount-volume.yml", PROFILED, &[("HELLO_VOLUME_PROFILE", "fast")]),
    ("profile-mount-volume.yml", PROFILED, &[("HELLO_VOLUME_PROFILE", "fast")]),
    ("pre-reserved.yml", RESERVED, &[]),
    ("pre-reserved-sidecar.yml", RESERVED, &[]),
    (
        "custom_steps.yml",
        "default",
        &[("DEPLOY_STRATEGY", "parallel"), ("DEPLOY_STEPS", "[[first, second, third]]")],
    ),
];

/// Machines with MOUNT disks, with a profile and without.
const PROFILED: &str = r#"{"count":5,"resources":{"cpus":8,"mem":32768,"disk":204800,"ports":"[1025-32000]","disks":[
    {"type":"MOUNT","path":"/disks/a","size":1000,"profile":"fast"},{"type":"MOUNT","path":"/disks/b","size":1000,"profile":"fast"},
    {"type":"MOUNT","path":"/disks/c","size":1000}]}}"#;

/// Machines with a static reservation for public services.
const RESERVED: &str = r#"{"count":5,"resources":{"cpus":1,"mem":1024,"disk":1024,"ports":"[1025-32000]"},
    "roles":{"slave_public":{"cpus":8,"mem":32768,"disk":204800,"ports":"[1-1024]"}}}"#;

fn helloworld() -> Option<PathBuf> {
    files::real().map(|real| real.join("dcos-commons/helloworld"))
}

/// A definition with the package around it.
fn request(folder: &Path, name: &str, path: &Path) -> LoadService {
    let mut all = BTreeMap::from([(name.to_owned(), files::text(path))]);
    for (name, path) in files::below(&folder.join("universe"), &[".json", ".mustache"]) {
        all.insert(format!("universe/{name}"), files::text(&path));
    }
    LoadService { dialect: "sdk".to_owned(), files: all, ..LoadService::default() }
}

fn definitions(folder: &Path) -> BTreeMap<String, PathBuf> {
    let found = files::below(&folder.join("dist"), &[".yml"]);
    assert!(found.len() >= 30, "{} definitions", found.len());
    found
}

#[test]
fn every_definition_is_accepted() {
    let Some(folder) = helloworld() else { return };
    let mut wrong = Vec::new();
    for (name, path) in definitions(&folder) {
        let report = check(&request(&folder, &name, &path));
        if report.has_errors() {
            wrong.push(format!("{name}:\n{}", render(&report.diagnostics, &report.sources)));
        } else if report.preview.is_none_or(|service| service.plans.iter().all(|plan| plan.phases.is_empty()))
        {
            wrong.push(format!("{name}: no plan to see"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_simulated_comes_to_complete() {
    let Some(folder) = helloworld() else { return };
    let deploy = Condition::parse("deploy=COMPLETE").expect("a condition");
    let mut wrong = Vec::new();
    for (name, path) in definitions(&folder) {
        let cluster = presets::cluster("default").expect("the preset");
        let scenario = Scenario::of_definition(request(&folder, &name, &path), cluster, Genesis::default());
        let mut outcome = planarium_scenario::run(scenario, Some(&deploy));
        if name == "canary.yml" {
            outcome = canary(outcome, &deploy);
        }
        let reason = WAITING.iter().find(|(file, _)| *file == name);
        match (outcome.passed, reason) {
            (true, Some((_, why))) => wrong.push(format!("{name} comes to COMPLETE although `{why}`")),
            (false, None) => {
                wrong.push(format!("{name} does not come to COMPLETE:\n{}", tail(&outcome.transcript)))
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_asks_for_more_completes_where_there_is_more() {
    let Some(folder) = helloworld() else { return };
    let deploy = Condition::parse("deploy=COMPLETE").expect("a condition");
    let mut wrong = Vec::new();
    for (name, cluster, env) in ELSEWHERE {
        let mut service = request(&folder, name, &folder.join("dist").join(name));
        service.env = env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let machines = presets::cluster(cluster)
            .unwrap_or_else(|| vec![serde_json::from_str(cluster).expect("a machine")]);
        let outcome = planarium_scenario::run(
            Scenario::of_definition(service, machines, Genesis::default()),
            Some(&deploy),
        );
        let steps = outcome
            .engine
            .view()
            .services
            .iter()
            .flat_map(|service| &service.plans)
            .map(|plan| plan.progress.total)
            .sum::<u32>();
        if !outcome.passed || steps == 0 {
            wrong.push(format!("{name} does not come to COMPLETE:\n{}", tail(&outcome.transcript)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A canary waits for its operator: two `continue` per phase.
fn canary(mut outcome: planarium_scenario::Outcome, deploy: &Condition) -> planarium_scenario::Outcome {
    let engine = &mut outcome.engine;
    let view = engine.view();
    let service = view.services.first().expect("the service");
    let phases: Vec<String> = service
        .plans
        .iter()
        .filter(|plan| &*plan.name == "deploy")
        .flat_map(|plan| plan.phases.iter().map(|phase| phase.name.to_string()))
        .collect();
    for phase in phases {
        for _ in 0..2 {
            let input = serde_json::json!({ "kind": "plan", "service": &*service.name, "plan": "deploy", "phase": phase, "op": "continue" });
            let input = serde_json::from_value(input).expect("an input");
            // The second one is superfluous where a phase has one step only.
            let _ = engine.apply(input);
            engine.advance_until_idle(600_000);
        }
    }
    outcome.passed = engine.run_until(deploy, 600_000).met;
    outcome.transcript = planarium_scenario::text::world_trees(&engine.view());
    outcome
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().skip(lines.len().saturating_sub(40)).map(|line| format!("  {line}\n")).collect()
}

/// Rows such as "| `gpu_resource.yml` | why |" in the ledger, whichever of its files they stand in.
#[test]
fn the_ledger_lists_the_same_definitions_with_the_same_reasons() {
    let docs = files::root().join("docs");
    let mut ledger: Vec<PathBuf> =
        [docs.join("fidelity.md")].into_iter().filter(|path| path.is_file()).collect();
    if docs.join("fidelity").is_dir() {
        ledger.extend(files::below(&docs.join("fidelity"), &[".md"]).into_values());
    }
    let rows: BTreeMap<String, String> = ledger
        .iter()
        .flat_map(|path| files::text(path).lines().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|line| {
            line.strip_prefix("| `")?.split_once("` | ").map(|(name, why)| (name.to_owned(), why.to_owned()))
        })
        .filter(|(name, _)| name.ends_with(".yml"))
        .map(|(name, why)| (name, why.trim_end_matches('|').trim().to_owned()))
        .collect();
    let table: BTreeMap<String, String> =
        WAITING.iter().map(|(name, why)| ((*name).to_owned(), (*why).to_owned())).collect();
    assert_eq!(rows, table, "the ledger (docs/fidelity) and tests/suite/real.rs differ");
}
