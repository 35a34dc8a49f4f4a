//! Texts of explanations.

use super::*;

/// Reasons of an element, a text each.
#[expect(clippy::indexing_slicing, reason = "helper of tests")]
fn reasons(client: &mut Client, query: &str) -> Vec<String> {
    let why = client.get(&format!("/sim/why?{query}")).status(200).json();
    let all = why["reasons"].as_array().cloned().unwrap_or_default();
    all.iter().map(|one| one["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_stuck_restart_names_the_lost_instance() {
    let mut client = client();
    let check = json!([{"protocol": "HTTP", "maxConsecutiveFailures": 0, "intervalSeconds": 5}]);
    let web = |cmd: &str| {
        app(
            "/web",
            json!({"cmd": cmd, "instances": 2, "healthChecks": check, "constraints": [["hostname", "UNIQUE"]],
            "upgradeStrategy": {"minimumHealthCapacity": 1, "maximumOverCapacity": 0.5}}),
        )
    };
    call(&mut client, "POST", "/v2/apps", &web("sleep 100000")).status(201);
    pass(&mut client, 60);
    client
        .post("/sim/faults", &json!({"fault": "health-fail", "id": "sick", "target": {"pod": "/web"}}))
        .status(200);
    call(&mut client, "PUT", "/v2/apps/web", &web("sleep 200000")).status(200);
    pass(&mut client, 30);
    let tasks = client.get("/v2/apps/web/tasks").json();
    let versions: Vec<&Value> = tasks["tasks"].as_array().into_iter().flatten().collect();
    let newest = versions.iter().max_by_key(|task| task["version"].as_str()).expect("tasks");
    let (host, id) = (newest["host"].as_str().unwrap_or_default(), newest["id"].as_str().unwrap_or_default());
    let instance = id.split("._app").next().unwrap_or_default().to_owned();
    client.post("/sim/faults", &json!({"fault": "agent-partitioned", "target": {"agent": host}})).status(200);
    pass(&mut client, 200);
    let found = reasons(&mut client, "plan=deployment-2&phase=step-1&step=Restart-/web");
    let told = found.iter().find(|text| text.contains("does not move by itself"));
    let told = told.unwrap_or_else(|| panic!("{found:#?}"));
    assert!(told.contains(&instance) && told.contains(host), "{told}");
}

#[test]
fn resources_offered_to_other_roles_are_not_called_insufficient() {
    let mut client = client();
    let web = app("/data/web", json!({"cpus": 1, "role": "data", "acceptedResourceRoles": ["data"]}));
    call(&mut client, "POST", "/v2/apps", &web).status(201);
    pass(&mut client, 60);
    let found = reasons(&mut client, "plan=deployment-1&phase=step-2&step=Scale-/data/web").join("; ");
    assert!(found.contains("nothing in it is for role data"), "{found}");
    assert!(!found.contains("cpus"), "{found}");
}

#[test]
fn unknown_ids_are_reported_with_the_existing_ones() {
    let mut client = client();
    call(&mut client, "POST", "/v2/apps", &app("/shop/db", json!({}))).status(201);
    pass(&mut client, 60);
    for query in ["app=/shop/db", "app=shop/db", "plan=/shop/db"] {
        let why = client.get(&format!("/sim/why?{query}")).status(200).json();
        assert_eq!(why["path"]["step"], "db", "{query}");
    }
    for (query, named) in [
        ("app=/shop/none", "there is /shop/db"),
        ("plan=none", "apps of marathon"),
        ("plan=apps&phase=none", "in apps there is shop"),
        ("plan=apps&phase=shop&step=none", "in shop there is db"),
        ("agent=none", "there are"),
    ] {
        let problem = client.get(&format!("/sim/why?{query}")).problem(404);
        assert!(problem["detail"].as_str().unwrap_or_default().contains(named), "{query}: {problem}");
    }
    let fault = |kind: &str, target: Value| json!({"fault": kind, "target": target});
    for (fault, named) in [
        (fault("task-kill", json!({"task": "/shop/none"})), "there is /shop/db"),
        (fault("agent-lost", json!({"agent": "none"})), "there are"),
    ] {
        let problem = client.post("/sim/faults", &fault).problem(404);
        assert!(problem["detail"].as_str().unwrap_or_default().contains(named), "{fault}: {problem}");
    }
    for target in [json!({"task": "/shop/db"}), json!({"service": "/shop/db"}), json!({"pod": "/shop/db"})] {
        client.post("/sim/faults", &fault("task-kill", target)).status(200);
        pass(&mut client, 60);
    }
    assert!(
        client.get("/v2/apps/shop/db/tasks").json()["tasks"][0]["id"]
            .as_str()
            .unwrap_or_default()
            .ends_with("._app.4")
    );
}

#[test]
fn a_misspelt_flag_is_refused_with_the_right_one() {
    let mut client = client();
    let load = json!({"dialect": "marathon", "files": {"a.json": app("/a", json!({})).to_string()},
        "env": {"MARATHON_KILL_CHUNK_SIZ": "5"}});
    let refused = client.post("/sim/services", &load);
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.text.contains("MARATHON_KILL_CHUNK_SIZE"), "{}", refused.text);
}
