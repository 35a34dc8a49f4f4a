//! The text of a definition as the page shows it: it follows calls, and says what runs.

use super::{app, call, client, pass};
use planarium_tests::Client;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A group with comments, two levels and a dependency.
const GROUP: &str = r#"# the shop
id: /shop
apps:
  - id: web   # in front
    cmd: sleep 1000
    cpus: 0.1
    mem: 16
    instances: 2
    dependencies: [/shop/data/db]
    env: {MODE: calm, LEVEL: "3"}
  # queries only
  - id: search
    cmd: sleep 1000
    cpus: 0.1
    mem: 16
    constraints: [[hostname, UNIQUE]]
groups:
  - id: data
    apps:
      - {id: db, cmd: sleep 1000, cpus: 0.1, mem: 16}
      - {id: log, cmd: sleep 1000, cpus: 0.1, mem: 16}
  - id: more
    apps:
      - {id: extra, cmd: sleep 1000, cpus: 0.1, mem: 16}
"#;

/// Loads files as the first definition; returns its name.
fn loaded(client: &mut Client, files: &BTreeMap<String, String>) -> String {
    client.post("/sim/services", &json!({"dialect": "marathon", "files": files})).status(200);
    pass(client, 120);
    let view = client.session.engine.view();
    view.services.iter().flat_map(|service| &service.definitions).next().expect("a name").to_string()
}

/// The files as they would be written now.
fn texts(client: &Client, name: &str) -> BTreeMap<String, String> {
    let engine = &client.session.engine;
    match engine.world().definition_now("marathon", name) {
        Some(load) => load.files,
        None => engine.definition("marathon", name).expect("it is loaded").files.clone(),
    }
}

/// Apps, pods and groups as the API has them, without what every change and every run sets.
fn tree(client: &mut Client) -> Value {
    fn plain(group: &mut Value) {
        // The ports are those that were free.
        for key in ["version", "versionInfo", "portDefinitions"] {
            if let Some(fields) = group.as_object_mut() {
                fields.shift_remove(key);
            }
        }
        if let Some(fields) = group.as_object_mut() {
            for key in ["apps", "pods", "groups"] {
                let mut all: Vec<Value> =
                    fields.get(key).and_then(Value::as_array).into_iter().flatten().cloned().collect();
                all.iter_mut().for_each(plain);
                all.sort_by_key(|item| item["id"].to_string());
                fields.insert(key.to_owned(), all.into());
            }
        }
    }
    let embeds = "embed=group.groups&embed=group.apps&embed=group.pods";
    let mut root = client.get(&format!("/v2/groups?{embeds}")).status(200).json();
    plain(&mut root);
    root
}

/// The text now, which loaded into an empty world makes what runs in this one.
#[track_caller]
fn truth(client: &mut Client, name: &str) -> BTreeMap<String, String> {
    let files = texts(client, name);
    let mut other = super::client();
    loaded(&mut other, &files);
    assert_eq!(tree(&mut other), tree(client), "{files:#?}");
    files
}

fn one(path: &str, text: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(path.to_owned(), text.to_owned())])
}

/// Sends a call that is accepted, by force, since deployments may be under way.
#[track_caller]
fn sent(client: &mut Client, method: &str, path: &str, body: &Value) -> Value {
    let answer = call(client, method, &format!("{path}?force=true"), body);
    assert!(matches!(answer.status, 200..=204), "{}: {}", answer.asked, answer.text);
    serde_json::from_str(&answer.text).unwrap_or_default()
}

#[test]
fn every_pair_of_calls_leaves_a_text_that_says_what_runs() {
    let calls: [(&str, &str, Value); 13] = [
        (
            "POST",
            "/v2/apps",
            app("/shop/cart", json!({"instances": 2, "env": {"A": "1"}, "labels": {"b": "c"}})),
        ),
        (
            "PUT",
            "/v2/apps/shop/data/cache",
            app("/shop/data/cache", json!({"constraints": [["hostname", "UNIQUE"]]})),
        ),
        (
            "PUT",
            "/v2/apps/shop/far/off/x",
            app("/shop/far/off/x", json!({"dependencies": ["/shop/data/db"]})),
        ),
        (
            "POST",
            "/v2/groups/shop",
            json!({"id": "fresh", "apps": [{"id": "y", "cmd": "sleep 1000", "cpus": 0.1, "mem": 16}]}),
        ),
        ("DELETE", "/v2/apps/shop/search", Value::Null),
        ("DELETE", "/v2/apps/shop/data/log", Value::Null),
        ("DELETE", "/v2/groups/shop/more", Value::Null),
        ("PUT", "/v2/apps/shop/web", json!({"dependencies": []})),
        ("PUT", "/v2/apps/shop/web", json!({"instances": 1, "env": {"MODE": "wild"}, "labels": {"a": "b"}})),
        (
            "PUT",
            "/v2/apps/shop/search",
            app("/shop/search", json!({"constraints": [["hostname", "LIKE", ".*"]]})),
        ),
        (
            "PUT",
            "/v2/apps/shop/data/log",
            json!({"cmd": "sleep 2000", "upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0.2}}),
        ),
        ("PUT", "/v2/groups/shop/data", json!({"scaleBy": 2})),
        ("DELETE", "/v2/groups/shop/data", Value::Null),
    ];
    for first in &calls {
        for second in &calls {
            let mut client = client();
            let name = loaded(&mut client, &one("shop.yaml", GROUP));
            assert_eq!(texts(&client, &name), one("shop.yaml", GROUP));
            for (method, path, body) in [first, second] {
                // The second one may be about what the first one has deleted, or needs.
                call(&mut client, method, &format!("{path}?force=true"), body);
                pass(&mut client, 300);
            }
            let files = truth(&mut client, &name);
            assert!(files["shop.yaml"].starts_with("# the shop\n"), "{files:#?}");
        }
    }
}

#[test]
fn an_app_that_a_call_adds_to_a_group_is_in_its_text() {
    let mut client = client();
    let name = loaded(&mut client, &one("shop.yaml", GROUP));
    sent(&mut client, "POST", "/v2/apps", &app("/shop/cart", json!({"instances": 2})));
    pass(&mut client, 120);
    let text = truth(&mut client, &name).remove("shop.yaml").expect("the file");
    let before = "    constraints: [[hostname, UNIQUE]]\n";
    let cart = "  - id: cart\n    cmd: sleep 100000\n    cpus: 0.05\n    instances: 2\n    mem: 16\n";
    assert_eq!(text, GROUP.replace(before, &format!("{before}{cart}")), "nothing else has changed");
    // It goes again, and the text is the one that was loaded.
    sent(&mut client, "DELETE", "/v2/apps/shop/cart", &Value::Null);
    pass(&mut client, 120);
    assert_eq!(texts(&client, &name), one("shop.yaml", GROUP));
}

#[test]
fn an_app_is_added_to_json_and_to_a_group_without_apps() {
    let text = "{\n  \"id\": \"/shop\",\n  \"groups\": [\n    {\n      \"id\": \"data\",\n      \"apps\": [\n        {\"id\": \"db\", \"cmd\": \"./db\", \"cpus\": 0.1, \"mem\": 16}\n      ]\n    }\n  ]\n}\n";
    let mut client = client();
    let name = loaded(&mut client, &one("shop.json", text));
    for id in ["/shop/web", "/shop/data/log"] {
        let image = json!({"type": "DOCKER", "docker": {"image": "shop/web:1"}});
        sent(&mut client, "PUT", &format!("/v2/apps{id}"), &app(id, json!({"container": image})));
        pass(&mut client, 120);
        let files = truth(&mut client, &name);
        assert!(files["shop.json"].contains("shop/web:1"), "{files:#?}");
    }
}

#[test]
fn an_app_that_is_loaded_on_its_own_is_not_in_the_text_of_the_group_around_it() {
    let mut client = client();
    let name = loaded(&mut client, &one("shop.yaml", GROUP));
    let own = one("cart.json", &app("/shop/cart", json!({})).to_string());
    client.post("/sim/services", &json!({"dialect": "marathon", "files": own})).status(200);
    pass(&mut client, 120);
    assert_eq!(texts(&client, &name), one("shop.yaml", GROUP));
}

#[test]
fn a_deleted_app_is_in_the_text_again_once_its_deployment_is_rolled_back() {
    let mut client = client();
    let name = loaded(&mut client, &one("shop.yaml", GROUP));
    let deployment = sent(&mut client, "DELETE", "/v2/apps/shop/search", &Value::Null);
    let text = truth_of_ids(&client, &name);
    assert!(!text.contains("search") && !text.contains("UNIQUE"), "{text}");
    assert!(text.contains("id: web   # in front") && text.contains("  - id: data"), "{text}");
    let id = deployment["deploymentId"].as_str().expect("an id").to_owned();
    call(&mut client, "DELETE", &format!("/v2/deployments/{id}"), &Value::Null).status(200);
    pass(&mut client, 120);
    assert_eq!(truth(&mut client, &name), one("shop.yaml", GROUP));
}

fn truth_of_ids(client: &Client, name: &str) -> String {
    texts(client, name).remove("shop.yaml").expect("the file")
}

#[test]
fn dependencies_that_were_taken_away_leave_no_null() {
    let mut client = client();
    let name = loaded(&mut client, &one("shop.yaml", GROUP));
    sent(&mut client, "PUT", "/v2/apps/shop/web", &json!({"dependencies": []}));
    pass(&mut client, 120);
    let text = truth(&mut client, &name).remove("shop.yaml").expect("the file");
    assert!(!text.contains("null") && !text.contains("dependencies"), "{text}");
}

#[test]
fn apps_of_a_list_and_files_of_apps_go_when_they_are_deleted() {
    let list = format!(
        "[\n  {},\n  {},\n  {}\n]\n",
        app("/a", json!({})),
        app("/b", json!({"instances": 2})),
        app("/c", json!({}))
    );
    let mut client = client();
    let name = loaded(&mut client, &one("apps.json", &list));
    for gone in ["/c", "/b"] {
        sent(&mut client, "DELETE", &format!("/v2/apps{gone}"), &Value::Null);
        pass(&mut client, 120);
        let files = truth(&mut client, &name);
        assert!(!files["apps.json"].contains(gone), "{files:#?}");
    }
    let mut client = super::client();
    let files = ["a", "b"].map(|id| (format!("{id}.json"), app(&format!("/{id}"), json!({})).to_string()));
    let name = loaded(&mut client, &BTreeMap::from(files.clone()));
    sent(&mut client, "DELETE", "/v2/apps/b", &Value::Null);
    pass(&mut client, 120);
    assert_eq!(truth(&mut client, &name), BTreeMap::from([files[0].clone()]));
}

#[test]
fn an_app_that_a_call_adds_beside_a_list_is_in_its_text() {
    let json = format!("[\n  {},\n  {}\n]\n", app("/a", json!({})), app("/shop/b", json!({"instances": 2})));
    let yaml = "# two apps\n- id: /a\n  cmd: ./a\n  cpus: 0.1\n  mem: 16\n- id: /shop/b   # behind\n  cmd: ./b\n  cpus: 0.1\n  mem: 16\n";
    for (file, text) in [("apps.json", json.as_str()), ("apps.yaml", yaml)] {
        let mut client = client();
        let name = loaded(&mut client, &one(file, text));
        sent(&mut client, "POST", "/v2/apps", &app("/shop/cart", json!({"instances": 2})));
        pass(&mut client, 120);
        let now = truth(&mut client, &name).remove(file).expect("the file");
        assert!(now.contains("/shop/cart"), "{now}");
        assert!(file == "apps.json" || now.starts_with(yaml), "nothing else has changed: {now}");
        sent(&mut client, "DELETE", "/v2/apps/shop/cart", &Value::Null);
        pass(&mut client, 120);
        assert_eq!(texts(&client, &name), one(file, text));
        // With a second definition nobody knows to which of the two the app belongs.
        let own = one("other.json", &app("/other", json!({})).to_string());
        client.post("/sim/services", &json!({"dialect": "marathon", "files": own})).status(200);
        sent(&mut client, "POST", "/v2/apps", &app("/shop/cart", json!({})));
        pass(&mut client, 120);
        assert_eq!(texts(&client, &name), one(file, text));
    }
}
