//! The Kubernetes API of a world: which requests begin the cluster and KUDO, and its watches.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use planarium_rest::{EventStream, Request, handle, poll_stream};
use planarium_tests::Client;
use serde_json::{Value, json};

const NAMESPACES: &str = "/kube/api/v1/namespaces";
const INSTANCES: &str = "/kube/apis/kudo.dev/v1beta1/instances";

/// Begins a watch.
fn watch(client: &mut Client, target: &str) -> EventStream {
    let response = handle(&mut client.session, &Request::new("GET", target, ""));
    assert_eq!(response.status, 200, "{}", String::from_utf8_lossy(&response.body));
    *response.rest.events().unwrap()
}

/// Type and name of each object that a watch tells of, and whether it has ended.
fn told(client: &Client, stream: &mut EventStream) -> (Vec<String>, bool) {
    let polled = poll_stream(stream, &client.session);
    let text = String::from_utf8(polled.bytes).unwrap();
    let one = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {}", word(&event["type"]), word(&event["object"]["metadata"]["name"]))
    };
    (text.lines().map(one).collect(), polled.ended)
}

fn namespace(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } })
}

/// Returns the number of events, and whether the API serves KUDO's kinds.
fn begun(client: &mut Client) -> (u64, bool) {
    let groups = client.get("/kube/apis").status(200).json();
    let seq = client.get("/sim").status(200).json()["seq"].as_u64().unwrap();
    (seq, groups.to_string().contains("kudo.dev"))
}

#[test]
fn the_cluster_answers_without_any_system() {
    let mut client = Client::with_cluster("3");
    let before = begun(&mut client);
    assert!(!before.1, "nobody has installed KUDO");
    client.get("/kube/api/v1/nodes").status(200);
    assert_eq!(begun(&mut client), before, "a read begins nothing");
    client.post(NAMESPACES, &namespace("team")).status(201);
    assert_eq!(client.get(&format!("{NAMESPACES}/team")).status(200).json()["metadata"]["name"], "team");
    assert!(!begun(&mut client).1, "a change of a namespace needs no KUDO");
    client.post(NAMESPACES, &namespace("team")).status(409);
    client.send("PATCH", &format!("{NAMESPACES}/team"), "").status(400);
    assert_eq!(
        client.send("OPTIONS", NAMESPACES, "").status(405).allow.as_deref(),
        Some("GET, POST, PUT, PATCH, DELETE")
    );
}

#[test]
fn the_why_of_a_machine_says_that_its_node_is_cordoned() {
    let mut client = Client::with_cluster("3");
    client.post(NAMESPACES, &namespace("team")).status(201);
    let nodes = client.get("/kube/api/v1/nodes").status(200).json();
    let node = nodes["items"][0]["metadata"]["name"].as_str().unwrap().to_owned();
    let reasons = |client: &mut Client| {
        client.get(&format!("/sim/why?agent={node}")).status(200).json()["reasons"].to_string()
    };
    assert!(!reasons(&mut client).contains("cordoned"));
    let mut cordon =
        Request::new("PATCH", &format!("/kube/api/v1/nodes/{node}"), r#"{"spec":{"unschedulable":true}}"#);
    cordon.headers.push(("content-type".into(), "application/merge-patch+json".into()));
    assert_eq!(handle(&mut client.session, &cordon).status, 200);
    let told = reasons(&mut client);
    assert!(told.contains("its node is cordoned: no new pods come to it"), "{told}");
}

#[test]
fn the_why_of_a_machine_names_the_budget_that_refused_an_eviction() {
    let mut client = Client::with_cluster("1");
    client.post(NAMESPACES, &namespace("team")).status(201);
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web", "labels": { "app": "web" } },
        "spec": { "containers": [{ "name": "web", "image": "web:1" }] } });
    let budget = json!({ "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "all" },
        "spec": { "minAvailable": 1, "selector": { "matchLabels": { "app": "web" } } } });
    client.post("/kube/api/v1/namespaces/team/pods", &pod).status(201);
    client.post("/kube/apis/policy/v1/namespaces/team/poddisruptionbudgets", &budget).status(201);
    client.post("/sim/advance", &json!({ "for_ms": 60_000 })).status(200);
    let why = |client: &mut Client| {
        let nodes = client.get("/kube/api/v1/nodes").status(200).json();
        let node = nodes["items"][0]["metadata"]["name"].as_str().unwrap().to_owned();
        client.get(&format!("/sim/why?agent={node}")).status(200).json()
    };
    assert!(!why(&mut client).to_string().contains("budget"));
    let eviction = json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": "web", "namespace": "team" } });
    let path = "/kube/api/v1/namespaces/team/pods/web/eviction";
    client.post(&format!("{path}?dryRun=All"), &eviction).status(429);
    assert!(!why(&mut client).to_string().contains("budget"), "it was only tried");
    client.post(path, &eviction).status(429);
    let told = why(&mut client);
    let sentence = "pod team/web may not be evicted: the budget all needs 1 healthy pod and has 1";
    assert!(told["reasons"].to_string().contains(sentence), "{told}");
    let way = &told["unblock"][0];
    assert_eq!(way["title"], "Delete the budget all");
    client.send("DELETE", way["input"]["path"].as_str().unwrap(), "").status(200);
    assert!(!why(&mut client).to_string().contains("budget"));
    client.post(path, &eviction).status(201);
}

#[test]
fn paths_of_kudos_kinds_start_kudo() {
    let mut client = Client::with_cluster("3");
    client.get(INSTANCES).status(200);
    assert!(!begun(&mut client).1, "a read begins nothing");
    let instance = json!({ "apiVersion": "kudo.dev/v1beta1", "kind": "Instance", "metadata": { "name": "a" }, "spec": {} });
    let path = "/kube/apis/kudo.dev/v1beta1/namespaces/default/instances";
    // Admission looks for a version that is not installed; a refusal leaves nothing behind.
    assert!(client.post(path, &instance).status >= 400);
    assert!(!begun(&mut client).1);
    let operator = json!({ "apiVersion": "kudo.dev/v1beta1", "kind": "Operator", "metadata": { "name": "shop" }, "spec": {} });
    client.post("/kube/apis/kudo.dev/v1beta1/namespaces/default/operators", &operator).status(201);
    assert!(begun(&mut client).1);
}

#[test]
fn a_watch_starts_the_cluster() {
    let mut client = Client::with_cluster("3");
    let mut stream = watch(&mut client, &format!("{NAMESPACES}?watch=true"));
    let (first, ended) = told(&client, &mut stream);
    assert!(first.contains(&"ADDED default".to_owned()) && !ended, "{first:?}");
    client.post(NAMESPACES, &namespace("team")).status(201);
    assert_eq!(told(&client, &mut stream), (vec!["ADDED team".to_owned()], false));
}

#[test]
fn a_watch_ends_by_either_clock_after_all_its_events() {
    let mut client = Client::with_cluster("3");
    client.post(NAMESPACES, &namespace("first")).status(201);
    let version = client.get(NAMESPACES).json()["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let target = format!(
        "{NAMESPACES}?watch=true&timeoutSeconds=5&allowWatchBookmarks=true&resourceVersion={version}"
    );
    let mut stream = watch(&mut client, &target);
    // The transport ends it if the world's clock is stopped.
    assert_eq!(stream.limit_s, Some(5));
    client.post(NAMESPACES, &namespace("second")).status(201);
    client.advance(60_000);
    client.post(NAMESPACES, &namespace("third")).status(201);
    let (events, ended) = told(&client, &mut stream);
    let expected = ["ADDED second", "ADDED third", "BOOKMARK "].map(str::to_owned);
    assert_eq!((events, ended), (expected.to_vec(), true));
    let mut open = watch(&mut client, &format!("{NAMESPACES}?watch=true&resourceVersion={version}"));
    assert_eq!(open.limit_s, None);
    client.advance(3_600_000);
    assert!(!told(&client, &mut open).1, "without a timeout it stays open");
}
