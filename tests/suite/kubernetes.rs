//! Plain Kubernetes objects in a world: over HTTP, by `kubectl`, in journals, and with the ways out that explanations offer.

use planarium_protocol::event::ElementPath;
use planarium_rest::console;
use planarium_rest::{Request, handle};
use planarium_tests::Client;
use planarium_world::Engine;
use serde_json::{Value, json};

fn deployment(image: &str, replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{app: \
         web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      containers: [{{name: web, image: '{image}'}}]\n"
    )
}

/// A world with the service `shop`, applied by files without a dialect.
fn applied(text: &str) -> Client {
    let mut client = Client::with_cluster("3");
    let body = json!({ "name": "shop", "files": { "web.yaml": text } });
    client.post("/sim/services", &body).status(200);
    client
}

/// A line of `kubectl`: everything that it prints.
fn kubectl(client: &mut Client, line: &str) -> String {
    let mut send = |request: &Request| handle(&mut client.session, request);
    let output = console::line(line, ("kubernetes", "shop"), &mut send);
    format!("{}{}", output.stdout, output.stderr)
}

fn path(plan: &str) -> ElementPath {
    ElementPath {
        dialect: "kubernetes".into(),
        service: "shop".into(),
        plan: plan.into(),
        phase: None,
        step: None,
    }
}

#[test]
fn a_rollout_a_pause_an_undo_and_a_drain_are_driven_by_kubectl() {
    let client = &mut applied(&deployment("web:1", 3));
    let text = kubectl(client, "kubectl rollout status deployment/web");
    assert!(text.ends_with("deployment \"web\" successfully rolled out\n"), "{text}");
    client.until("shop/deployment.web=Complete");
    assert_eq!(
        kubectl(client, "kubectl set image deployment/web web=web:2"),
        "deployment.apps/web image updated\n"
    );
    assert_eq!(kubectl(client, "kubectl rollout pause deployment/web"), "deployment.apps/web paused\n");
    client.advance(60_000);
    client.until("shop/deployment.web=Paused");
    assert_eq!(
        kubectl(client, "rollout resume deployment/web"),
        "deployment.apps/web resumed\n",
        "the program may be left out"
    );
    client.until("shop/deployment.web=Complete");
    assert_eq!(kubectl(client, "kubectl rollout undo deployment/web"), "deployment.apps/web rolled back\n");
    client.until("shop/deployment.web/revision-3=Complete");
    let text = kubectl(client, "kubectl drain agent-1");
    assert!(text.ends_with("node/agent-1 drained\n"), "{text}");
    client.until("shop/deployment.web=Complete");
    let pods = client.get("/kube/api/v1/pods?fieldSelector=spec.nodeName%3Dagent-1").json();
    assert_eq!(pods["items"], json!([]));
}

#[test]
fn a_run_equals_the_replay_of_its_journal() {
    let client = &mut applied(&deployment("web:1", 2));
    client.until("shop/deployment.web=Complete");
    kubectl(client, "kubectl set image deployment/web web=web:2");
    client.until("shop/deployment.web/revision-2=Complete");
    let engine = &client.session.engine;
    let (again, difference) = Engine::open(&engine.journal()).unwrap();
    assert!(difference.is_none(), "{difference:?}");
    assert_eq!(again.digest(), engine.digest());
}

#[test]
fn an_update_is_an_apply_and_an_immutable_field_is_a_finding() {
    let client = &mut applied(&deployment("web:1", 2));
    client.until("shop/deployment.web=Complete");
    let load =
        |text: &str| json!({ "kind": "update-service", "name": "shop", "files": { "web.yaml": text } });
    let body = client.input(&load(&deployment("web:2", 4)));
    assert_eq!(body["reply"]["applied"], json!(["deployment.apps/web configured"]), "{body}");
    client.until("shop/deployment.web=Complete");
    let other = deployment("web:2", 4).replace("app: web", "app: other");
    let answer = client.post("/sim/inputs", &load(&other));
    assert!(answer.text.contains("field is immutable") && answer.text.contains("KUB011"), "{}", answer.text);
}

#[test]
fn ways_out_move_stuck_elements() {
    let stuck =
        deployment("web:1", 2).replace("image: 'web:1'", "image: 'web:1', resources: {requests: {cpu: '9'}}");
    let client = &mut applied(&stuck);
    client.advance(30_000);
    let engine = &mut client.session.engine;
    let why = engine.why(&path("deployment.web")).unwrap();
    assert!(why.sentence.contains("Insufficient cpu"), "{}", why.sentence);
    let way = why.unblock.iter().find(|way| way.title == "Add 2 machines with room for them").unwrap();
    engine.apply(way.input.clone().unwrap()).outcome.unwrap();
    client.until("shop/deployment.web=Complete");
}

#[test]
fn several_services_and_a_removal() {
    let client = &mut applied(&deployment("web:1", 2));
    let other =
        deployment("db:1", 1).replace("name: web}\nspec", "name: db}\nspec").replace("app: web", "app: db");
    client.post("/sim/services", &json!({ "name": "db", "files": { "db.yaml": other } })).status(200);
    client.until("shop/deployment.web=Complete");
    client.until("db/deployment.db=Complete");
    client.input(&json!({ "kind": "remove-service", "name": "shop" }));
    client.advance(60_000);
    let view = client.get("/sim/view").status(200).json();
    let names: Vec<&Value> =
        view["services"].as_array().unwrap().iter().map(|service| &service["name"]).collect();
    assert_eq!(names, ["db"]);
    let left = client.get("/kube/apis/apps/v1/deployments").json();
    assert_eq!(left["items"].as_array().unwrap().len(), 1, "{left}");
}

#[test]
fn many_objects_are_applied_and_none_above_the_limit() {
    let object = |n: u32| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c-{n}}}\n");
    let all: Vec<String> = (0..3_000).map(object).collect();
    let client = &mut applied(&all.join("---\n"));
    client.until("shop/objects=Complete");
    let many: Vec<String> = (0..10_001).map(object).collect();
    let body = json!({ "name": "many", "files": { "all.yaml": many.join("---\n") } });
    let answer = client.post("/sim/services", &body);
    assert!(
        answer.status >= 400 && answer.text.contains("More than 10000 objects are not read"),
        "{:.300}",
        answer.text
    );
}

/// The files of the service `shop` as they would be written now.
fn files_now(client: &Client) -> std::collections::BTreeMap<String, String> {
    let engine = &client.session.engine;
    let now = engine.world().definition_now("kubernetes", "shop");
    let loaded = engine.definition("kubernetes", "shop").map(|load| load.files.clone());
    now.map(|load| load.files).or(loaded).unwrap_or_default()
}

#[test]
fn a_deleted_object_is_in_the_text_no_more() {
    let objects = |names: &[&str]| -> Vec<String> {
        let config = |name: &&str| {
            format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n  text: |\n    --- {{a}}\n"
            )
        };
        names.iter().map(config).collect()
    };
    let text =
        format!("# the shop\n{}---\n{}", deployment("web:1", 2), objects(&["one", "two"]).join("---\n"));
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: three}\n- apiVersion: v1\n  \
                kind: ConfigMap\n  metadata: {name: four}\n- {apiVersion: v1, kind: Pod, metadata: {name: lone}, spec: {containers: \
                [{name: c, image: c}]}}\n";
    let mut client = Client::with_cluster("3");
    let body = json!({ "name": "shop", "files": { "list.yaml": list, "web.yaml": text } });
    client.post("/sim/services", &body).status(200);
    client.until("shop/deployment.web=Complete");
    assert_eq!(files_now(&client)["web.yaml"], text);
    let maps = "/kube/api/v1/namespaces/default/configmaps";
    client.send("DELETE", &format!("{maps}/two"), "").status(200);
    let left = format!("# the shop\n{}---\n{}", deployment("web:1", 2), objects(&["one"]).join(""));
    assert_eq!(files_now(&client)["web.yaml"], left);
    client.send("DELETE", "/kube/apis/apps/v1/namespaces/default/deployments/web", "").status(200);
    assert_eq!(files_now(&client)["web.yaml"], format!("# the shop\n{}", objects(&["one"]).join("")));
    client.send("DELETE", &format!("{maps}/three"), "").status(200);
    let left = files_now(&client)["list.yaml"].clone();
    assert!(!left.contains("three") && left.contains("{name: four}") && left.contains("lone"), "{left}");
    client.send("DELETE", &format!("{maps}/one"), "").status(200);
    assert_eq!(files_now(&client).into_keys().collect::<Vec<_>>(), ["list.yaml"]);
    // The cluster deletes pods by itself: their text stays. So does that of the last object.
    client.send("DELETE", &format!("{maps}/four"), "").status(200);
    kubectl(&mut client, "kubectl delete pod lone");
    client.advance(60_000);
    let left = files_now(&client)["list.yaml"].clone();
    assert!(!left.contains("four") && left.contains("lone"), "{left}");
    // Applied again, an object is in the text again.
    let again = objects(&["one"]).join("");
    let applied = client.post("/sim/services", &json!({ "name": "shop", "files": { "one.yaml": again } }));
    assert!(matches!(applied.status, 200 | 409), "{}", applied.text);
}
