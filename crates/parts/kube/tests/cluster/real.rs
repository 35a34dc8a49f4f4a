//! Real templates: the KUDO packages that the project's tests find next to the repository. They are not part of it; without
//! them the test is skipped (`tests/build.rs`).

#![expect(clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use crate::support::{Yard, documents};
use planarium_kube::KindId;
use planarium_source::template::gotemplate::{Dict, Environment, Template, Value as GoValue};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Returns a parameter's default as templates see it: text, except for maps and lists.
fn parameter(value: &serde_json::Value) -> GoValue {
    match value {
        serde_json::Value::String(text) => GoValue::str(text.as_str()),
        serde_json::Value::Null => GoValue::str(""),
        other => GoValue::str(other.to_string()),
    }
}

fn render(package: &Path, file: &Path) -> Option<String> {
    let params = documents(&fs::read_to_string(package.join("params.yaml")).ok()?).remove(0);
    let list = params["parameters"].as_array().cloned().unwrap_or_default();
    let named = list.iter().filter_map(|one| Some((one["name"].as_str()?, parameter(&one["default"]))));
    let params = Dict::of_values(named.map(|(name, value)| (name.into(), value)));
    let pipes = Dict::of_texts([("indexHtml", "index")]);
    let text = |text: &str| GoValue::str(text);
    let fields = [
        ("Params", GoValue::Map(params)),
        ("Pipes", GoValue::Map(pipes)),
        ("Name", text("demo")),
        ("Namespace", text("default")),
        ("OperatorName", text("op")),
        ("OperatorVersion", text("1.0.0")),
        ("AppVersion", text("1")),
        // Objects of several plans go by it.
        ("PlanName", text(file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("deploy"))),
        ("PhaseName", text("main")),
        ("StepName", text("all")),
    ];
    let context = GoValue::Map(Dict::of_values(fields.into_iter().map(|(name, value)| (name.into(), value))));
    let source = fs::read_to_string(file).ok()?;
    let template =
        Template::parse("t", source.as_str()).unwrap_or_else(|error| panic!("{}: {error:?}", file.display()));
    let output = template
        .execute(context, &Environment::default())
        .unwrap_or_else(|error| panic!("{}: {error:?}", file.display()));
    Some(output.text)
}

#[test]
#[cfg_attr(not(real_operators), ignore = "the real KUDO packages are not at hand")]
fn real_templates_come_to_life() {
    let real = std::env::var_os("PLANARIUM_REAL").map(PathBuf::from);
    let real = real.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/real"));
    let packages = fs::read_dir(real.join("kudo-operators")).expect("the real packages");
    let mut tried = 0;
    for package in packages.map(|entry| entry.expect("an entry").path().join("operator")) {
        let mut yard = Yard::sized(4, 8, 32_768);
        yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: index}}");
        let mut files: Vec<_> = fs::read_dir(package.join("templates"))
            .expect("templates")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        for file in files {
            let Some(text) = render(&package, &file) else { continue };
            for mut value in documents(&text) {
                tried += 1;
                if value["metadata"]["name"].is_null() {
                    value["metadata"] = serde_json::json!({"name": "pipe"});
                }
                if value["kind"] == "Pod" {
                    value["spec"]["containers"] = serde_json::json!([{"name": "waiter", "image": "busybox", "command": ["sleep", "infinity"]}]);
                }
                let value = Arc::new(value);
                for _ in 0..2 {
                    let applied = yard.kube.apply(&mut yard.cx, &value, "test/applied");
                    let applied = applied
                        .unwrap_or_else(|error| panic!("{}: {}\n{value}", file.display(), error.message));
                    assert!(!applied.object.name.is_empty());
                }
            }
        }
        yard.run(240);
        for set in yard.list(KindId::STATEFUL_SET, "") {
            let facts = set.stateful_set().expect("a set");
            assert_eq!(
                facts.ready_replicas,
                facts.spec_replicas,
                "{} of {}\n{}",
                set.name,
                package.display(),
                yard.pods()
            );
        }
        for deployment in yard.list(KindId::DEPLOYMENT, "") {
            let facts = deployment.deployment().expect("a deployment");
            assert_eq!(
                facts.available_replicas,
                facts.spec_replicas,
                "{} of {}\n{}",
                deployment.name,
                package.display(),
                yard.pods()
            );
        }
        for job in yard.list(KindId::JOB, "") {
            assert_eq!(
                job.job().expect("a job").succeeded,
                1,
                "{} of {}\n{}",
                job.name,
                package.display(),
                yard.pods()
            );
        }
    }
    assert!(tried >= 15, "{tried} documents");
}
