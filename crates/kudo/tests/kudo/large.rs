//! An operator as large as they get: 100 steps, 1,000 objects, 2,000 pods.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use super::stage::Stage;
use planarium_protocol::input::LoadService;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const STEPS: usize = 100;

/// Every step applies a Deployment of 20 pods and nine ConfigMaps.
fn package(strategy: &str) -> LoadService {
    let mut operator = String::from(
        "name: large\noperatorVersion: \"1.0.0\"\nkubernetesVersion: 1.16.0\ntasks:\n\
         \x20 - { name: work, kind: Apply, spec: { resources: [web.yaml, config.yaml] } }\n",
    );
    writeln!(operator, "plans:\n  deploy:\n    strategy: serial\n    phases:\n      - name: all\n        strategy: {strategy}\n        steps:").expect("texts grow");
    for step in 0..STEPS {
        writeln!(operator, "          - {{ name: s{step}, tasks: [work] }}").expect("texts grow");
    }
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Name }}-{{ .StepName }}\nspec:\n  replicas: 20\n\
               \x20 selector:\n    matchLabels: { app: '{{ .StepName }}' }\n  template:\n    metadata:\n      labels: { app: '{{ .StepName }}' }\n\
               \x20   spec:\n      containers:\n        - name: web\n          image: web:1\n          resources: { requests: { cpu: 10m, memory: 16Mi } }\n";
    let config = "{{ range $i := until 9 }}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ $.Name }}-{{ $.StepName }}-{{ $i }}\n\
                  data:\n  n: \"{{ $i }}\"\n{{ end }}";
    let files = [
        ("operator.yaml", operator.as_str()),
        ("params.yaml", "parameters: []\n"),
        ("templates/web.yaml", web),
        ("templates/config.yaml", config),
    ];
    let files: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    LoadService { dialect: "kudo".into(), name: "large".into(), files, ..LoadService::default() }
}

#[test]
fn a_large_operator_gets_there() {
    let mut stage = Stage::new(30);
    stage.load(package("serial")).expect("installed");
    stage.run_until(3_600_000, "a large plan", |stage| stage.status("large/deploy") == "COMPLETE");
    let pods = stage.object("api/v1/namespaces/default/pods").expect("a list");
    assert_eq!(pods["items"].as_array().map(Vec::len), Some(20 * STEPS));
    let configs = stage.object("api/v1/namespaces/default/configmaps").expect("a list");
    assert!(configs["items"].as_array().is_some_and(|items| items.len() >= 9 * STEPS));
}
