//! The real hello-world service: every definition is accepted with the package's environment, and every one whose features are
//! simulated reaches COMPLETE on the default cluster. The others are in the table below and in `docs/fidelity.md`.
//!
//! Reads the folder that `PLANARIUM_REAL` names, or `../shared/real` next to the repository; without either, its tests are skipped (`build.rs`).

#![expect(clippy::expect_used, reason = "helpers of tests")]

use planarium_protocol::input::LoadService;
use planarium_scenario::{Player, Scenario};
use planarium_source::render::text::render;
use planarium_tests::files;
use planarium_world::{Condition, Genesis, check, presets};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Definitions that do not reach COMPLETE on the default cluster, and why. Kept in step with `docs/fidelity.md`.
const WAITING: &[(&str, &str)] = &[
    ("canary.yml", "waits for `continue`, as it should"),
    ("crash-loop.yml", "crashes for ever, as it should"),
    ("non_recoverable_state.yml", "fails for ever, as it should"),
    ("gpu_resource.yml", "needs GPUs: use the cluster preset `gpu` or `full`"),
    ("pod-mount-volume.yml", "needs MOUNT disks: use the cluster preset `mount` or `full`"),
    ("profile-mount-volume.yml", "needs MOUNT disks with a profile: use the cluster preset `full`"),
    ("pod-profile-mount-volume.yml", "needs MOUNT disks with a profile: use the cluster preset `full`"),
    ("pre-reserved.yml", "needs static reservations for `slave_public`: use the cluster preset `full`"),
    (
        "pre-reserved-sidecar.yml",
        "needs static reservations for `slave_public`: use the cluster preset `full`",
    ),
];

/// A definition, its machines, what its environment needs on top.
type Elsewhere = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Machines on which those of the table complete that can, and the environment that is theirs.
const ELSEWHERE: &[Elsewhere] = &[
    ("gpu_resource.yml", "gpu", &[]),
    ("gpu_resource.yml", "full", &[]),
    ("pod-mount-volume.yml", "mount", &[]),
    ("pod-mount-volume.yml", "full", &[]),
    ("profile-mount-volume.yml", "full", &[("HELLO_VOLUME_PROFILE", "xfs")]),
    ("pod-profile-mount-volume.yml", "full", &[("HELLO_VOLUME_PROFILE", "xfs")]),
    ("pre-reserved.yml", "full", &[]),
    ("pre-reserved-sidecar.yml", "full", &[]),
    (
        "custom_steps.yml",
        "default",
        &[("DEPLOY_STRATEGY", "parallel"), ("DEPLOY_STEPS", "[[first, second, third]]")],
    ),
];

/// Paths of the secrets of `secrets.yml`.
const SECRETS: &[(&str, &str)] = &[
    ("HELLO_SECRET1", "hello-world/secret1"),
    ("HELLO_SECRET2", "hello-world/secret2"),
    ("WORLD_SECRET1", "hello-world/secret1"),
    ("WORLD_SECRET2", "hello-world/secret2"),
    ("WORLD_SECRET3", "hello-world/secret3"),
];

fn helloworld() -> PathBuf {
    files::real().expect("the real definitions").join("dcos-commons/helloworld")
}

/// A definition with the package around it.
fn request(folder: &Path, name: &str, path: &Path) -> LoadService {
    let mut all = BTreeMap::from([(name.to_owned(), files::text(path))]);
    for (name, path) in files::below(&folder.join("universe"), &[".json", ".mustache"]) {
        all.insert(format!("universe/{name}"), files::text(&path));
    }
    // Certificates are made for schedulers with a service account only.
    let account =
        (name == "tls.yml").then(|| json!({"service": {"service_account_secret": "hello/account"}}));
    let options = account.unwrap_or_default();
    // A secret needs its path; upstream's own tests give these.
    let secrets = if name == "secrets.yml" { SECRETS } else { &[] };
    let env = secrets.iter().map(|(key, path)| ((*key).to_owned(), (*path).to_owned())).collect();
    LoadService { dialect: "sdk".to_owned(), files: all, options, env, ..LoadService::default() }
}

fn definitions(folder: &Path) -> BTreeMap<String, PathBuf> {
    let found = files::below(&folder.join("dist"), &[".yml"]);
    assert_eq!(found.len(), 39);
    found
}

#[test]
#[cfg_attr(not(real_files), ignore = "the real definitions are not at hand")]
fn every_definition_is_accepted() {
    let folder = helloworld();
    let mut wrong = Vec::new();
    for (name, path) in definitions(&folder) {
        let report = check(&request(&folder, &name, &path));
        if report.has_errors() {
            wrong.push(format!("{name}:\n{}", render(&report.diagnostics, &report.sources)));
        } else if report.preview.is_none_or(|service| {
            !service.plans.iter().any(|plan| &*plan.name == "deploy" && !plan.phases.is_empty())
        }) {
            wrong.push(format!("{name}: no deploy plan to see"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(not(real_files), ignore = "the real definitions are not at hand")]
fn simulated_programs_reach_complete() {
    let folder = helloworld();
    let deploy = Condition::parse("deploy=COMPLETE").expect("a condition");
    let mut wrong = Vec::new();
    for (name, path) in definitions(&folder) {
        let cluster = presets::cluster("default").expect("the preset");
        let scenario = Scenario::of_definition(request(&folder, &name, &path), cluster, Genesis::default());
        let outcome = planarium_scenario::run(scenario, Some(&deploy));
        let reason = WAITING.iter().find(|(file, _)| *file == name);
        match (outcome.passed, reason) {
            (true, Some((_, why))) => wrong.push(format!("{name} comes to COMPLETE although `{why}`")),
            (false, None) => {
                wrong.push(format!("{name} does not come to COMPLETE:\n{}", tail(&outcome.transcript)));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(not(real_files), ignore = "the real definitions are not at hand")]
fn completion_continues_only_where_arguments_follow() {
    let folder = helloworld();
    let deploy = Condition::parse("deploy=COMPLETE").expect("a condition");
    let mut wrong = Vec::new();
    for (name, cluster, env) in ELSEWHERE {
        let mut service = request(&folder, name, &folder.join("dist").join(name));
        service.env.extend(env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
        let machines = presets::cluster(cluster).expect("a preset");
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

/// The definitions of cassandra and hdfs, each run by its own program.
#[test]
#[cfg_attr(not(real_programs), ignore = "the real definitions of cassandra and hdfs are not at hand")]
fn the_programs_of_packages_run_their_definitions() {
    let all = files::real().expect("the real definitions").join("dcos-commons");
    let deploy = Condition::parse("deploy=COMPLETE").expect("a condition");
    for name in ["cassandra", "hdfs"] {
        let beside = files::below(&all.join(name).join("dist"), &[""]);
        let package = files::below(&all.join(name).join("universe"), &[".json", ".mustache"]);
        let beside = beside.iter().map(|(name, path)| (format!("dist/{name}"), files::text(path)));
        let package = package.iter().map(|(name, path)| (format!("universe/{name}"), files::text(path)));
        let files = beside.chain(package).collect();
        let service = LoadService { dialect: "sdk".to_owned(), files, ..LoadService::default() };
        let report = check(&service);
        let said = render(&report.diagnostics, &report.sources);
        assert!(!report.has_errors(), "{said}");
        assert!(said.contains(&format!("The program of {name} runs this definition")), "{said}");
        let cluster = presets::cluster("default").expect("the preset");
        let scenario = Scenario::of_definition(service, cluster, Genesis::default());
        let outcome = planarium_scenario::run(scenario, Some(&deploy));
        assert!(outcome.passed, "{}", tail(&outcome.transcript));
    }
}

#[test]
#[cfg_attr(not(real_files), ignore = "the real definitions are not at hand")]
fn a_canary_comes_to_complete_when_its_operator_continues() {
    let folder = helloworld();
    let service = request(&folder, "canary.yml", &folder.join("dist/canary.yml"));
    let cluster = presets::cluster("default").expect("the preset");
    let (mut engine, _) = Player::start(Scenario::of_definition(service, cluster, Genesis::default()));
    let view = engine.view();
    let service = view.services.first().expect("the service");
    for phase in service.plans.iter().filter(|plan| &*plan.name == "deploy").flat_map(|plan| &plan.phases) {
        for _ in 0..phase.gates_left {
            engine.advance_until_idle(600_000);
            let command = json!({ "kind": "plan", "service": &*service.name, "plan": "deploy", "phase": &*phase.name, "op": "continue" });
            engine.apply(serde_json::from_value(command).expect("an input")).outcome.expect("it goes on");
        }
    }
    let deploy = Condition::parse("deploy=COMPLETE").expect("a condition");
    assert!(
        engine.run_until(&deploy, 600_000).met,
        "{}",
        planarium_scenario::text::world_trees(&engine.view())
    );
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().skip(lines.len().saturating_sub(40)).copied().collect::<Vec<_>>().join("\n")
}

/// Rows such as "| `gpu_resource.yml` | why |" in the ledger, whichever of its files they stand in.
#[test]
fn the_ledger_lists_the_same_definitions_and_reasons() {
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
        .filter(|(name, _)| Path::new(name).extension().is_some_and(|ending| ending == "yml"))
        .map(|(name, why)| (name, why.trim_end_matches('|').trim().to_owned()))
        .collect();
    let table: BTreeMap<String, String> =
        WAITING.iter().map(|(name, why)| ((*name).to_owned(), (*why).to_owned())).collect();
    assert_eq!(rows, table, "the ledger (docs/fidelity) and tests/suite/real.rs differ");
}
