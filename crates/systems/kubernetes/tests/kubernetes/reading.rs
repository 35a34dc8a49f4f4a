//! From files to objects and findings with positions.

use super::support::{deployment, findings, request, shown};
use planarium_kubernetes::definition::Loaded;
use planarium_part::System as _;
use planarium_protocol::input::LoadService;
use std::collections::BTreeMap;

fn paths(load: &LoadService) -> Vec<String> {
    let loaded = Loaded::read(load);
    loaded.items().iter().map(|item| format!("{} {}", item.namespace, item.path())).collect()
}

#[test]
fn objects_come_from_documents_files_lists_and_json() {
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: team}\n- apiVersion: v1\n  \
                kind: Secret\n  metadata: {name: key, namespace: team}\n";
    let json = r#"{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}"#;
    let files = BTreeMap::from([
        ("b.yaml".to_owned(), format!("---\n{config}---\n# nothing\n---\n{}", deployment("web:1", 2))),
        ("a/list.yml".to_owned(), list.to_owned()),
        ("c.json".to_owned(), json.to_owned()),
        ("README.md".to_owned(), "# Read me\n".to_owned()),
    ]);
    let load = LoadService { files, ..LoadService::default() };
    assert_eq!(
        paths(&load),
        [
            " namespace/team",
            "team secret/key",
            "default configmap/a",
            "default deployment.apps/web",
            "default serviceaccount/robot"
        ]
    );
    let loaded = Loaded::read(&load);
    assert!(loaded.is_usable(), "{:?}", shown(&loaded, loaded.diagnostics()));
    assert_eq!(
        (&**loaded.name(), loaded.is_nameless()),
        ("web", true),
        "it is called like its first workload"
    );
    let source = loaded.items()[3].source.clone().unwrap();
    assert_eq!((&*source.file, source.line, source.column), ("b.yaml", 8, 1));
}

#[test]
fn the_objects_namespace_comes_before_that_of_the_request() {
    let text = "# namespace: prod\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Namespace\nmetadata: \
                {name: prod, namespace: x}\n";
    assert_eq!(paths(&request(text)), ["prod configmap/a", " namespace/prod"]);
    let other = "# namespace: prod\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: test}\n";
    let found = findings(other);
    assert!(
        found[0].starts_with(
            "4:32: error[KUB017]: the namespace from the provided object \"test\" does not match"
        ),
        "{found:?}"
    );
}

#[test]
fn refusals_of_the_api_point_at_the_field() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "replicas: 2",
            "replicas: -1",
            "6:13: error[KUB007]: spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        ),
        (
            "replicas: 2",
            "replicas: \"2\"",
            "6:13: error[KUB006]: spec.replicas has to be of type int32, and is a string",
        ),
        (
            "image: web:1",
            "image: 7",
            "15:18: error[KUB006]: spec.template.spec.containers.image has to be of type string, and is a number",
        ),
        (
            "- name: web",
            "- name: Web_1",
            "14:17: error[KUB007]: spec.template.spec.containers[0].name: Invalid value: \"Web_1\"",
        ),
        ("replicas: 2", "replcas: 2", "6:3: warning[KUB008]: unknown field \"spec.replcas\""),
        (
            "image: web:1",
            "imgae: web:1",
            "15:11: warning[KUB008]: unknown field \"spec.template.spec.containers[0].imgae\"",
        ),
        (
            "apps/v1",
            "apps/v1beta2",
            "1:13: error[KUB004]: Deployment in apps/v1beta2 was removed in Kubernetes 1.16",
        ),
        (
            "kind: Deployment",
            "kind: Deployments",
            "2:7: error[KUB003]: no matches for kind \"Deployments\" in version \"apps/v1\"",
        ),
        (
            "apiVersion: apps/v1",
            "apiVersion: batch/v1",
            "1:13: error[KUB005]: no matches for kind \"Deployment\" in version \"batch/v1\"",
        ),
        (
            "  name: web\nspec",
            "  name: \"\"\nspec",
            "4:9: error[KUB002]: Deployment: resource name may not be empty",
        ),
        ("  replicas: 2", "  replicas: 2\n  replicas: 3", "7:3: error[YAML006]: Duplicate field 'replicas'"),
    ];
    for (was, is, expected) in cases {
        let text = deployment("web:1", 2).replacen(was, is, 1);
        let found = findings(&text);
        assert!(found.iter().any(|line| line.starts_with(expected)), "{is}: {found:#?}");
    }
}

#[test]
fn a_change_of_an_immutable_field_is_a_finding_in_the_new_text() {
    let before = Loaded::read(&request(&deployment("web:1", 2)));
    let text = deployment("web:2", 3).replace("app: web", "app: other");
    let after = Loaded::read(&request(&text));
    let found = shown(&after, &after.findings_against(&before));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("7:3: error[KUB011]: deployment.apps/web: spec.selector: Invalid value"),
        "{found:?}"
    );
    let image = Loaded::read(&request(&deployment("web:2", 5)));
    assert!(image.findings_against(&before).is_empty(), "images and numbers may change");
}

#[test]
fn plans_are_shown_before_anything_runs() {
    let text = format!(
        "{}---\n{}---\napiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec: {{ports: [{{port: 80}}]}}\n---\napiVersion: \
         batch/v1\nkind: CronJob\nmetadata: {{name: tidy, namespace: ops}}\nspec:\n  schedule: '*/5 * * * *'\n  jobTemplate:\n    spec:\n      \
         template:\n        spec:\n          restartPolicy: Never\n          containers: [{{name: c, image: i}}]\n",
        deployment("web:1", 2),
        super::support::stateful_set("db:1", 3, "")
    );
    let definition = Loaded::read(&request(&text));
    let view = planarium_kubernetes::Daemon::preview(&definition).unwrap().unwrap();
    let shape: Vec<String> = view
        .plans
        .iter()
        .map(|plan| {
            let phases = plan.phases.iter().map(|phase| {
                let steps: Vec<&str> = phase.steps.iter().map(|step| &*step.name).collect();
                format!("{}[{}] of {}", phase.name, steps.join(" "), phase.progress.total)
            });
            format!("{} ({}): {}", plan.name, plan.strategy, phases.collect::<Vec<_>>().join(", "))
        })
        .collect();
    assert_eq!(
        shape,
        [
            "deployment.web (RollingUpdate): revision-1[] of 2",
            "statefulset.db (OrderedReady): pods[db-0 db-1 db-2] of 3",
            "objects (apply): objects[service.web] of 1",
            "cronjob.tidy@ops (Allow): ",
        ]
    );
}

#[test]
fn hostile_texts_are_read_to_the_end() {
    let deep = "[".repeat(500);
    let texts = [
        "apiVersion: v1\nkind: List\nitems: {}\n".to_owned(),
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: [7, null, [], {kind: List}]\n".to_owned(),
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: []\nspec: 7\n".to_owned(),
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {a: b}}\n".to_owned(),
        "apiVersion: [1]\nkind: {}\n".to_owned(),
        "a: &a [*a]\n".to_owned(),
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {deep}\n"),
        "\u{0}".to_owned(),
        "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}, \"spec\": null}".to_owned(),
    ];
    for text in texts {
        let loaded = Loaded::read(&request(&text));
        assert!(!loaded.is_usable(), "{text:.60}");
        assert!(!loaded.diagnostics().is_empty(), "{text:.60}");
    }
}

#[test]
fn kinds_without_an_effect_are_named() {
    let text = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: front}\nspec: {}\n";
    let loaded = Loaded::read(&request(text));
    assert_eq!(loaded.kept(), [("ingress/front".to_owned(), "no traffic is simulated")]);
}
