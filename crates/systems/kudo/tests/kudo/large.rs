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
fn a_large_operator_completes() {
    let mut stage = Stage::new(30);
    stage.load(package("serial")).expect("installed");
    stage.run_until(3_600_000, "a large plan", |stage| stage.status("large/deploy") == "COMPLETE");
    let pods = stage.object("api/v1/namespaces/default/pods").expect("a list");
    assert_eq!(pods["items"].as_array().map(Vec::len), Some(20 * STEPS));
    let configs = stage.object("api/v1/namespaces/default/configmaps").expect("a list");
    assert!(configs["items"].as_array().is_some_and(|items| items.len() >= 9 * STEPS));
}

#[test]
fn a_package_of_many_parameters_and_a_template_of_360_kilobytes() {
    let mut load = package("serial");
    let mut params = String::from("groups:\n- { name: first }\n- { name: second }\nparameters:\n");
    for at in 0..250 {
        let group = if at % 2 == 0 { "first" } else { "second" };
        writeln!(params, "- {{ name: P_{at}, default: \"{at}\", group: {group} }}").expect("texts grow");
    }
    let mut tasks = String::from("name: large\noperatorVersion: 1.0.0\nkubernetesVersion: 1.16.0\ntasks:\n");
    let mut steps = String::new();
    for at in 0..30 {
        writeln!(tasks, "- {{ name: t{at}, kind: Apply, spec: {{ resources: [t{at}.yaml] }} }}")
            .expect("texts grow");
        writeln!(steps, "      - {{ name: s{at}, tasks: [t{at}] }}").expect("texts grow");
        let mut text =
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{ name: {{{{ .Name }}}}-{at} }}\ndata:\n");
        for line in 0..250 {
            writeln!(text, "  k{line}: {{{{ .Params.P_{line} | quote }}}}").expect("texts grow");
        }
        // An applied object is also stored in an annotation of at most 256 KiB: in one object all this would be refused.
        for half in ["a", "b"].iter().filter(|_| at == 0) {
            write!(text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{ name: {{{{ .Name }}}}-{half} }}\ndata:\n  script: |\n")
                .expect("texts grow");
            for line in 0..3_500 {
                writeln!(text, "    echo line {line:05} of a long script that was pasted here")
                    .expect("texts grow");
            }
        }
        assert!(at != 0 || text.len() > 360 * 1024, "{} bytes", text.len());
        load.files.insert(format!("templates/t{at}.yaml"), text);
    }
    write!(tasks, "plans:\n  deploy:\n    strategy: serial\n    phases:\n    - name: all\n      strategy: parallel\n      steps:\n{steps}")
        .expect("texts grow");
    load.files.insert("operator.yaml".to_owned(), tasks);
    load.files.insert("params.yaml".to_owned(), params);
    let mut stage = Stage::new(2);
    stage.load(load).expect("installed");
    stage.run_until(60_000, "a plan of thirty templates", |stage| stage.status("large/deploy") == "COMPLETE");
    let first = stage.object("api/v1/namespaces/default/configmaps/large-0").expect("a map");
    assert_eq!(first["data"]["k249"], "249");
    let second = stage.object("api/v1/namespaces/default/configmaps/large-b").expect("a map");
    let last = "line 03499 of a long script that was pasted here\n";
    assert!(second["data"]["script"].as_str().is_some_and(|text| text.ends_with(last)));
    let form = stage.view("large").more["kudo"]["form"].clone();
    assert_eq!(form["parameters"].as_array().map(Vec::len), Some(250));
    assert_eq!(form["groups"].as_array().map(Vec::len), Some(2));
}
