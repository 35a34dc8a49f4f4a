//! Ways out of waiting for offers: each is offered where it helps, and works.

use super::*;

/// Titles and inputs of the proposals for an app.
fn proposed(client: &mut Client, id: &str) -> Vec<(String, Value)> {
    let why = client.get(&format!("/sim/why?app={id}")).status(200).json();
    let all = why.get("unblock").and_then(Value::as_array).cloned().unwrap_or_default();
    let title = |one: &Value| one.get("title").and_then(Value::as_str).unwrap_or_default().to_owned();
    all.iter().map(|one| (title(one), one.get("input").cloned().unwrap_or_default())).collect()
}

/// Carries out the proposal with this title; returns the number of running instances some time later.
#[track_caller]
fn running_after(client: &mut Client, id: &str, title: &str) -> u64 {
    let all = proposed(client, id);
    let found = all.iter().find(|(own, _)| own.starts_with(title)).map(|(_, input)| input.clone());
    assert!(found.is_some(), "no '{title}' among {all:#?}");
    client.input(&found.unwrap_or_default());
    pass(client, 200);
    running(client, id)
}

fn running(client: &mut Client, id: &str) -> u64 {
    let app = client.get(&format!("/v2/apps{id}")).status(200).json();
    app.pointer("/app/tasksRunning").and_then(Value::as_u64).unwrap_or_default()
}

fn is_deploying(client: &mut Client) -> bool {
    client.get("/v2/deployments").status(200).json() != json!([])
}

/// A client of this many machines of 2 CPUs each.
fn machines(count: u32) -> Client {
    let mut client = Client::default();
    let resources = json!({"cpus": 2, "mem": 4096, "disk": 10_000, "ports": "[1025-2000]"});
    client.input(&json!({"kind": "add-agent", "count": count, "resources": resources}));
    client
}

/// An app of one CPU without ports.
fn wide(more: Value) -> Value {
    let mut all = app("/web", json!({"cpus": 1, "portDefinitions": []}));
    if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
        all.extend(more);
    }
    all
}

#[test]
fn an_app_that_half_fits_is_scaled_down_by_force() {
    let mut client = machines(2);
    let c = &mut client;
    call(c, "POST", "/v2/apps", &wide(json!({"instances": 6}))).status(201);
    pass(c, 60);
    assert_eq!((running(c, "/web"), is_deploying(c)), (4, true));
    let scaled = "Scale /web down to the 4 instances that fit, by force; deployment-1 is given up for it";
    assert_eq!(running_after(c, "/web", scaled), 4);
    assert!(!is_deploying(c));
    assert_eq!(c.get("/v2/apps/web").json()["app"]["instances"], 4);
}

#[test]
fn a_request_that_fits_nowhere_is_made_smaller_by_force() {
    let mut client = machines(2);
    let c = &mut client;
    call(c, "POST", "/v2/apps", &wide(json!({"cpus": 3, "mem": 9000, "instances": 3}))).status(201);
    pass(c, 60);
    assert_eq!((running(c, "/web"), is_deploying(c)), (0, true));
    // Two of the three share a machine.
    assert_eq!(
        running_after(c, "/web", "Ask for 1 cpus instead of 3 and 2048 mem instead of 9000 in /web"),
        3
    );
    assert!(!is_deploying(c));
}

#[test]
fn an_app_limited_to_one_role_is_told_of_others() {
    let mut client = machines(1);
    let c = &mut client;
    let data = wide(json!({"id": "/data/web", "role": "data", "acceptedResourceRoles": ["data"]}));
    call(c, "POST", "/v2/apps", &data).status(201);
    pass(c, 60);
    assert_eq!((running(c, "/data/web"), is_deploying(c)), (0, true));
    assert_eq!(
        running_after(c, "/data/web", "Have /data/web accept resources of role * and data, by force"),
        1
    );
    assert!(!is_deploying(c));
}

#[test]
fn a_quota_that_blocks_an_app_is_named_first() {
    let mut client = machines(4);
    let c = &mut client;
    let limit = json!({"type": "UPDATE_QUOTA", "update_quota": {"force": true, "quota_configs": [
        {"role": "shop", "limits": {"cpus": {"value": 2}}}]}});
    let asked = planarium_rest::Request {
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        ..Request::new("POST", "/api/v1", limit.to_string())
    };
    let answer = handle(&mut c.session, &asked);
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    let shop = wide(json!({"id": "/shop/web", "role": "shop", "instances": 4}));
    call(c, "POST", "/v2/apps", &shop).status(201);
    pass(c, 60);
    assert_eq!((running(c, "/shop/web"), is_deploying(c)), (2, true));
    let first = proposed(c, "/shop/web").first().map(|(title, _)| title.clone());
    assert_eq!(first.as_deref(), Some("Remove the quota of role shop"));
    assert_eq!(running_after(c, "/shop/web", "Remove the quota of role shop"), 4);
    assert!(!is_deploying(c));
    assert!(proposed(c, "/shop/web").is_empty());
}

#[test]
fn an_app_locked_by_another_ones_wait_is_restarted_by_force() {
    let mut client = machines(2);
    let c = &mut client;
    let group = |web: &str, cpus: u32| {
        json!({"apps": [
            app("db", json!({"cpus": cpus, "portDefinitions": []})),
            app("web", json!({"cmd": web, "portDefinitions": [], "dependencies": ["db"]}))]})
    };
    call(c, "PUT", "/v2/groups/shop", &group("sleep 100000", 1)).status(200);
    pass(c, 120);
    assert!(!is_deploying(c));
    call(c, "PUT", "/v2/groups/shop", &group("sleep 200000", 9)).status(200);
    pass(c, 60);
    assert!(is_deploying(c));
    let before = c.get("/v2/apps/shop/web/tasks").json()["tasks"][0]["id"].clone();
    assert_eq!(
        running_after(c, "/shop/web", "Restart /shop/web by force; deployment-2 is given up for it"),
        1
    );
    assert!(!is_deploying(c));
    assert_ne!(c.get("/v2/apps/shop/web/tasks").json()["tasks"][0]["id"], before);
}
