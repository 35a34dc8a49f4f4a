//! Rules of the API server that clients meet at its wire, and of kubelets and controllers that were read late.

#![expect(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use crate::{support::Yard, workloads::WEB};
use planarium_kube::{
    KindId,
    wire::{self, Answer, Body, Request},
};
use serde_json::{Value, json};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn ask(yard: &Yard, target: &str) -> (u16, Value) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request { method: "GET", path, query, ..Request::default() };
    match wire::read_on(&yard.kube, &yard.fleet, yard.cx.now(), &request) {
        Answer { status, body: Body::Json(value), .. } => (status, value),
        other => panic!("{other:?}"),
    }
}

fn send(yard: &mut Yard, method: &str, target: &str, content_type: &str, body: &Value) -> Answer {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request { method, path, query, content_type, body: Some(body), accept: "" };
    wire::write(&mut yard.kube, &mut yard.cx, &request)
}

fn map(name: &str) -> String {
    format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}")
}

fn names(list: &Value) -> Vec<String> {
    let all = list["items"].as_array().expect("items").iter();
    all.map(|item| item["metadata"]["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn pages_show_one_version() {
    let mut yard = Yard::new(0);
    for name in ["a", "c", "e", "g"] {
        yard.create(&map(name));
    }
    let (_, first) = ask(&yard, &format!("{MAPS}?limit=2"));
    let token = first["metadata"]["continue"].as_str().expect("there is more").to_owned();
    assert_eq!(
        (names(&first), &first["metadata"]["remainingItemCount"]),
        (vec!["a".to_owned(), "c".to_owned()], &json!(2))
    );
    // Meanwhile one comes, one goes and one changes.
    yard.create(&map("f"));
    yard.patch(KindId::CONFIG_MAP, "g", json!({"data": {"x": "y"}})).expect("changed");
    yard.delete(KindId::CONFIG_MAP, "e", planarium_kube::Propagation::Background);
    let (_, second) = ask(&yard, &format!("{MAPS}?limit=2&continue={token}"));
    assert_eq!(names(&second), ["e", "g"], "as they were");
    assert_eq!(second["items"][1]["data"], Value::Null);
    assert_eq!(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    for turn in 0..5000 {
        yard.patch(KindId::CONFIG_MAP, "a", json!({"data": {"turn": turn.to_string()}})).expect("changed");
    }
    let (status, expired) = ask(&yard, &format!("{MAPS}?limit=2&continue={token}"));
    assert_eq!((status, &expired["reason"]), (410, &json!("Expired")));
    assert_eq!(ask(&yard, &format!("{MAPS}?continue=nonsense!")).0, 400);
}

#[test]
fn a_list_of_very_many_objects_is_read_in_pages() {
    let mut yard = Yard::new(0);
    for number in 0..40_000 {
        yard.create(&map(&format!("m{number}")));
    }
    assert_eq!(ask(&yard, MAPS).0, 200);
    yard.create(&map("one-more"));
    let (status, refused) = ask(&yard, MAPS);
    assert_eq!((status, &refused["reason"]), (413, &json!("RequestEntityTooLarge")));
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("40001") && text.contains("limit")));
    assert_eq!(names(&ask(&yard, &format!("{MAPS}?limit=2")).1), ["m0", "m1"]);
}

#[test]
fn a_list_of_large_objects_is_read_in_pages() {
    let mut yard = Yard::new(0);
    for number in 0..17 {
        let text = "x".repeat(1_000_000);
        yard.create(&format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: m{number}}}, data: {{text: {text}}}}}"
        ));
    }
    let (status, refused) = ask(&yard, MAPS);
    assert_eq!(status, 413);
    assert!(
        refused["message"].as_str().is_some_and(|text| text.contains("17 items") && text.contains("16 MiB"))
    );
    assert_eq!(names(&ask(&yard, &format!("{MAPS}?limit=2")).1), ["m0", "m1"]);
}

#[test]
fn unknown_fields() {
    let mut yard = Yard::new(0);
    let body = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"any": "thing"}},
        "spec": {"containers": [{"name": "a", "image": "nginx:1", "imag": "x"}], "hostnam": "y"},
    });
    let pods = "/api/v1/namespaces/default/pods";
    let strict =
        send(&mut yard, "POST", &format!("{pods}?fieldValidation=Strict"), "application/json", &body);
    let Body::Json(refused) = &strict.body else { panic!("{strict:?}") };
    assert_eq!(
        (strict.status, &refused["message"]),
        (
            400,
            &json!(
                "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: unknown field \"spec.containers[0].imag\", unknown field \
                 \"spec.hostnam\""
            )
        )
    );
    let ignored = send(
        &mut yard,
        "POST",
        &format!("{pods}?fieldValidation=Ignore&dryRun=All"),
        "application/json",
        &body,
    );
    assert_eq!((ignored.status, ignored.warning()), (201, None));
    let warned = send(&mut yard, "POST", pods, "application/json", &body);
    assert_eq!(
        (warned.status, warned.warning().as_deref()),
        (
            201,
            Some(
                "299 - \"unknown field \\\"spec.containers[0].imag\\\"\", 299 - \"unknown field \\\"spec.hostnam\\\"\""
            )
        )
    );
    let patch = json!({"spec": {"containers": [{"name": "a", "image": "nginx:2", "$patch": "merge"}], "hostnam": "z"}});
    let target = format!("{pods}/a?fieldValidation=Strict");
    let patched = send(&mut yard, "PATCH", &target, "application/strategic-merge-patch+json", &patch);
    assert_eq!(patched.status, 422);
}

#[test]
fn patches_have_media_types() {
    let mut yard = Yard::new(0);
    yard.create(&map("a"));
    for (kind, status) in [
        ("application/merge-patch+json", 200),
        ("application/strategic-merge-patch+json", 200),
        ("application/json", 415),
        ("", 415),
    ] {
        let answer = send(&mut yard, "PATCH", &format!("{MAPS}/a"), kind, &json!({"data": {"x": kind}}));
        assert_eq!(answer.status, status, "{kind}");
    }
}

#[test]
fn slices_follow_endpoints() {
    let mut yard = Yard::new(1);
    yard.apply(WEB);
    yard.create("{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}");
    yard.run_until(60, |yard| yard.ready("app=web") == 4);
    let slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    let (_, list) = ask(&yard, &format!("{slices}?labelSelector=kubernetes.io%2Fservice-name%3Dweb"));
    let slice = &list["items"][0];
    assert_eq!(slice["endpoints"].as_array().expect("endpoints").len(), 4);
    assert_eq!((&slice["addressType"], &slice["ports"][0]["port"]), (&json!("IPv4"), &json!(80)));
    assert_eq!(slice["metadata"]["ownerReferences"][0]["name"], "web");
    let name = slice["metadata"]["name"].as_str().expect("a name");
    assert_eq!(ask(&yard, &format!("{slices}/{name}")).0, 200);
    assert_eq!(ask(&yard, &format!("{slices}/other")).0, 404);
}

#[test]
fn node_ports_are_kept() {
    let mut yard = Yard::new(0);
    let service = |kind: &str| {
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: a}}, spec: {{type: {kind}, ports: [{{port: 80}}]}}}}"
        )
    };
    yard.create(&service("NodePort"));
    let port = |yard: &Yard| yard.value(KindId::SERVICE, "a")["spec"]["ports"][0]["nodePort"].as_i64();
    let (first, address) =
        (port(&yard).expect("one"), yard.value(KindId::SERVICE, "a")["spec"]["clusterIP"].clone());
    // An update without them keeps both.
    let value = crate::support::documents(&service("NodePort")).remove(0);
    yard.kube.update(&mut yard.cx, value).expect("replaced");
    assert_eq!(
        (port(&yard), &yard.value(KindId::SERVICE, "a")["spec"]["clusterIP"]),
        (Some(first), &address)
    );
    let other = format!(
        "{{apiVersion: v1, kind: Service, metadata: {{name: b}}, spec: {{type: NodePort, ports: [{{port: 80, nodePort: {first}}}]}}}}"
    );
    assert!(yard.refused(&other).contains(&format!(
        "spec.ports[0].nodePort: Invalid value: {first}: provided port is already allocated"
    )));
    let value = crate::support::documents(&service("ClusterIP")).remove(0);
    yard.kube.update(&mut yard.cx, value).expect("replaced");
    assert_eq!(port(&yard), None);
    yard.create(&other);
}

#[test]
fn readiness_gates_wait_for_their_condition() {
    let mut yard = Yard::new(1);
    yard.create("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {readinessGates: [{conditionType: example.com/in-use}], containers: [{name: a, image: 'nginx:1'}]}}");
    yard.run(30);
    assert!(!yard.get(KindId::POD, "a").expect("there").pod().expect("a pod").ready);
    let patch = json!({"status": {"conditions": [{"type": "example.com/in-use", "status": "True"}]}});
    let answer = send(
        &mut yard,
        "PATCH",
        "/api/v1/namespaces/default/pods/a/status",
        "application/strategic-merge-patch+json",
        &patch,
    );
    assert_eq!(answer.status, 200);
    yard.run(1);
    assert!(yard.get(KindId::POD, "a").expect("there").pod().expect("a pod").ready);
}

#[test]
fn a_taken_host_port_refuses_a_pod() {
    let mut yard = Yard::new(1);
    let pod = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{nodeName: node-1, containers: [{{name: a, image: 'nginx:1', ports: [{{containerPort: 80, hostPort: 80}}]}}]}}}}"
        )
    };
    yard.create(&pod("a"));
    yard.run(20);
    yard.create(&pod("b"));
    yard.run(20);
    let status = yard.value(KindId::POD, "b")["status"].clone();
    assert_eq!((&status["phase"], &status["reason"]), (&json!("Failed"), &json!("NodePorts")));
    assert_eq!(yard.value(KindId::POD, "a")["status"]["phase"], "Running");
}

#[test]
fn a_template_may_name_its_node() {
    let mut yard = Yard::new(2);
    yard.apply(&WEB.replace("      containers:", "      nodeName: node-2\n      containers:"));
    yard.run_until(60, |yard| yard.ready("app=web") == 4);
    assert!(yard.pods().lines().all(|line| line.ends_with(" node-2")), "{}", yard.pods());
    assert!(yard.told(0, &["Scheduled"]).is_empty(), "no scheduler is asked");
}

#[test]
fn scheduling_gates_hold_a_pod() {
    let mut yard = Yard::new(1);
    yard.create("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {schedulingGates: [{name: example.com/wait}], containers: [{name: a, image: 'nginx:1'}]}}");
    yard.run(5);
    assert_eq!(yard.value(KindId::POD, "a")["status"]["conditions"][0]["reason"], "SchedulingGated");
    yard.patch(KindId::POD, "a", json!({"spec": {"schedulingGates": null}})).expect("opened");
    yard.run(20);
    assert_eq!(yard.value(KindId::POD, "a")["status"]["phase"], "Running");
}

#[test]
fn fields_belong_to_their_writers() {
    let mut yard = Yard::new(0);
    let web = crate::support::documents(WEB).remove(0);
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    let made = send(
        &mut yard,
        "POST",
        &format!("{deployments}?fieldManager=kubectl-create"),
        "application/json",
        &web,
    );
    assert_eq!(made.status, 201);
    let managed = yard.value(KindId::DEPLOYMENT, "web")["metadata"]["managedFields"].clone();
    assert_eq!(
        (&managed[0]["manager"], &managed[0]["operation"]),
        (&json!("kubectl-create"), &json!("Update"))
    );
    assert_eq!(managed[0]["fieldsV1"]["f:spec"]["f:replicas"], json!({}));
    let mine = json!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9}\n");
    let apply = |yard: &mut Yard, query: &str| {
        send(
            yard,
            "PATCH",
            &format!("{deployments}/web?fieldManager=me{query}"),
            "application/apply-patch+yaml",
            &mine,
        )
    };
    let refused = apply(&mut yard, "");
    let Body::Json(status) = &refused.body else { panic!("{refused:?}") };
    assert_eq!(
        (refused.status, &status["message"]),
        (
            409,
            &json!(
                "Apply failed with 1 conflict: conflict with \"kubectl-create\" using apps/v1: .spec.replicas"
            )
        )
    );
    assert_eq!(apply(&mut yard, "&force=true").status, 200);
    let managed = yard.value(KindId::DEPLOYMENT, "web")["metadata"]["managedFields"].clone();
    let of = |name: &str| {
        let all = managed.as_array().expect("a list");
        all.iter().find(|one| one["manager"] == name).cloned().unwrap_or_default()
    };
    assert_eq!(of("kubectl-create")["fieldsV1"]["f:spec"]["f:replicas"], Value::Null, "taken over");
    assert_eq!(
        (&of("me")["operation"], &of("me")["fieldsV1"]["f:spec"]["f:replicas"]),
        (&json!("Apply"), &json!({}))
    );
    // The client that changes a field owns it from then on.
    let patch = json!({"spec": {"replicas": 4}});
    let target = format!("{deployments}/web?fieldManager=other");
    assert_eq!(send(&mut yard, "PATCH", &target, "application/merge-patch+json", &patch).status, 200);
    assert_eq!(apply(&mut yard, "").status, 409);
}

/// Mounts of the first container at the path of tokens, and the names of volumes.
fn token_of(pod: &Value) -> (Vec<String>, Vec<String>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mounts = all(&pod["spec"]["containers"][0]["volumeMounts"]);
    let at = "/var/run/secrets/kubernetes.io/serviceaccount";
    let mounts = mounts.iter().filter(|one| one["mountPath"] == at).map(|one| text(&one["name"])).collect();
    (mounts, all(&pod["spec"]["volumes"]).iter().map(|one| text(&one["name"])).collect())
}

// `plugin/pkg/admission/serviceaccount/admission_test.go`.
#[test]
fn pods_mount_the_token_of_their_account() {
    let mut yard = Yard::new(2);
    yard.create(
        "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: quiet}\nautomountServiceAccountToken: false\n---\n\
         {apiVersion: v1, kind: Pod, metadata: {name: plain}, spec: {initContainers: [{name: i, image: 'i:1'}], containers: [{name: a, image: 'a:1'}]}}\n---\n\
         {apiVersion: v1, kind: Pod, metadata: {name: declines}, spec: {automountServiceAccountToken: false, containers: [{name: a, image: 'a:1'}]}}\n---\n\
         {apiVersion: v1, kind: Pod, metadata: {name: account-declines}, spec: {serviceAccountName: quiet, containers: [{name: a, image: 'a:1'}]}}\n---\n\
         {apiVersion: v1, kind: Pod, metadata: {name: insists}, spec: {serviceAccountName: quiet, automountServiceAccountToken: true, containers: [{name: a, image: 'a:1'}]}}\n---\n\
         {apiVersion: v1, kind: Pod, metadata: {name: has-its-own}, spec: {volumes: [{name: v, emptyDir: {}}], containers: [{name: a, image: 'a:1', \
         volumeMounts: [{name: v, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}]}]}}",
    );
    yard.create(WEB);
    yard.run(20);
    for (pod, mounted) in
        [("plain", true), ("declines", false), ("account-declines", false), ("insists", true)]
    {
        let (mounts, volumes) = token_of(&yard.value(KindId::POD, pod));
        assert_eq!(mounts.len(), usize::from(mounted), "{pod}");
        assert_eq!(mounts, volumes, "{pod}");
        assert!(
            mounts.iter().all(|name| name.starts_with("kube-api-access-") && name.len() == 21),
            "{mounts:?}"
        );
    }
    assert_eq!(token_of(&yard.value(KindId::POD, "has-its-own")).1, ["v"]);
    let plain = yard.value(KindId::POD, "plain");
    assert_eq!(
        plain["spec"]["initContainers"][0]["volumeMounts"],
        plain["spec"]["containers"][0]["volumeMounts"]
    );
    let projected = &plain["spec"]["volumes"][0]["projected"];
    assert_eq!(projected["defaultMode"], 420);
    assert_eq!(
        projected["sources"][0]["serviceAccountToken"],
        json!({ "expirationSeconds": 3607, "path": "token" })
    );
    assert_eq!(projected["sources"][1]["configMap"]["name"], "kube-root-ca.crt");
    assert_eq!(projected["sources"][2]["downwardAPI"]["items"][0]["path"], "namespace");
    // Pods of controllers have volumes of their own names, which stay when the pod changes.
    let pods = yard.list(KindId::POD, "app=web");
    let names: Vec<String> = pods.iter().flat_map(|pod| token_of(&pod.to_value()).1).collect();
    assert!(names.len() > 1 && names.iter().all(|name| names.iter().filter(|one| *one == name).count() == 1));
    let first = pods[0].name.to_string();
    yard.patch(KindId::POD, &first, json!({"metadata": {"labels": {"seen": "yes"}}})).expect("a label");
    yard.patch(KindId::POD, &first, json!({"spec": {"activeDeadlineSeconds": 3000}})).expect("a deadline");
    assert_eq!(token_of(&yard.value(KindId::POD, &first)), (vec![names[0].clone()], vec![names[0].clone()]));
    assert!(yard.ready("app=web") > 1, "{}", yard.pods());
}

const TWICE_JSON: &str = r#"{
	"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "NAME", "labels": {"app": "a", "app": "nginx"}},
	"spec": {
		"unknown1": "val1", "unknownDupe": {"x": 1, "x": 2}, "unknownDupe": "valDupe2", "paused": true, "paused": false,
		"selector": {"matchLabels": {"app": "nginx"}},
		"template": {"metadata": {"labels": {"app": "nginx"}}, "spec": {"containers": [{
			"name": "nginx", "image": "nginx:1", "unknownNested": "val1", "imagePullPolicy": "Always", "imagePullPolicy": "Never"
		}]}}
	}
}"#;

const TWICE_YAML: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
spec:
  unknownDupe: a
  unknownDupe: b
  paused: true
  paused: false
  selector: {matchLabels: {app: nginx}}
  template:
    metadata: {labels: {app: nginx}}
    spec:
      containers:
      - name: nginx
        image: nginx:1
        imagePullPolicy: Always
        imagePullPolicy: Never
";

// `test/integration/apiserver/field_validation_test.go`: testFieldValidationPost, with the paths that newer versions add.
#[test]
fn duplicate_fields() {
    const JSON: [&str; 6] = [
        "duplicate field \"metadata.labels.app\"",
        "unknown field \"spec.unknown1\"",
        "unknown field \"spec.unknownDupe\"",
        "duplicate field \"spec.paused\"",
        "unknown field \"spec.template.spec.containers[0].unknownNested\"",
        "duplicate field \"spec.template.spec.containers[0].imagePullPolicy\"",
    ];
    let mut yard = Yard::new(0);
    let all = "/apis/apps/v1/namespaces/default/deployments";
    let yaml = "strict decoding error: yaml: unmarshal errors:\n  line 7: key \"unknownDupe\" already set in map\n  line 9: key \"paused\" \
                already set in map\n  line 18: key \"imagePullPolicy\" already set in map, unknown field \"spec.unknownDupe\"";
    for (name, text, kind, expected) in [
        ("json", TWICE_JSON, "application/json", format!("strict decoding error: {}", JSON.join(", "))),
        ("yaml", TWICE_YAML, "application/yaml", yaml.to_owned()),
    ] {
        let body = Value::from(text.replace("NAME", name));
        let strict = send(&mut yard, "POST", &format!("{all}?fieldValidation=Strict"), kind, &body);
        let Body::Json(refused) = &strict.body else { panic!("{strict:?}") };
        assert_eq!(strict.status, 400, "{name}");
        assert_eq!(
            refused["message"],
            format!("Deployment in version \"v1\" cannot be handled as a Deployment: {expected}")
        );
        let ignored =
            send(&mut yard, "POST", &format!("{all}?fieldValidation=Ignore&dryRun=All"), kind, &body);
        assert_eq!((ignored.status, ignored.warning()), (201, None), "{name}");
        let warned = send(&mut yard, "POST", all, kind, &body);
        let warning = warned.warning().expect("warnings");
        assert_eq!(
            (warned.status, warning.matches("299 - ").count()),
            (201, if name == "json" { 6 } else { 4 })
        );
        let made = yard.value(KindId::DEPLOYMENT, name);
        assert_ne!(made["spec"]["paused"], true, "the last one counts: {made}");
        assert_eq!(made["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"], "Never");
    }
    let patch = Value::from("{\"spec\": {\"replicas\": 2, \"replicas\": 3}}");
    let media = "application/strategic-merge-patch+json";
    let strict = send(&mut yard, "PATCH", &format!("{all}/json?fieldValidation=Strict"), media, &patch);
    assert_eq!(strict.status, 422, "{strict:?}");
    assert_eq!(send(&mut yard, "PATCH", &format!("{all}/json"), media, &patch).status, 200);
    assert_eq!(yard.value(KindId::DEPLOYMENT, "json")["spec"]["replicas"], 3);
    let applied = Value::from(
        TWICE_YAML.replace("NAME", "applied").replace("  unknownDupe: a\n  unknownDupe: b\n", ""),
    );
    let target = format!("{all}/applied?fieldManager=mgr&fieldValidation=Strict");
    let refused = send(&mut yard, "PATCH", &target, "application/apply-patch+yaml", &applied);
    let Body::Json(status) = &refused.body else { panic!("{refused:?}") };
    assert_eq!(
        (refused.status, &status["message"]),
        (
            400,
            &json!(
                "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key \"paused\" already set in map\n  \
                 line 16: key \"imagePullPolicy\" already set in map"
            )
        )
    );
}

#[test]
fn a_body_with_a_duplicate_field_is_journaled_as_written() {
    use planarium_part::{Flags, Request, http::Wire};
    use planarium_protocol::{Input, input::AddAgent};
    let mut cx = planarium_kube::Cx::new(7);
    let add: AddAgent = serde_json::from_value(json!({ "count": 1 })).expect("machines");
    let alone = planarium_kube::Alone::new(&mut cx, &Flags::default(), &add).expect("machines");
    let body_of = |text: &str| {
        let path = "/kube/api/v1/namespaces/default/configmaps";
        match alone.wire(cx.now(), &Request::new("POST", path, text.to_owned())) {
            Wire::Change(input, _) => match *input {
                Input::Call(call) => call.body,
                other => panic!("{}", other.kind()),
            },
            _ => panic!("an input"),
        }
    };
    assert_eq!(body_of("{\"kind\": \"a\"}"), json!({ "kind": "a" }));
    let twice = "{\"data\": [{\"x\": 1, \"x\": 2}]}";
    assert_eq!(body_of(twice), json!(twice));
    assert_eq!(body_of("kind: a"), json!("kind: a"));
}
