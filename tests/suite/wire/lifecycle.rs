//! A service's life over HTTP: refused changes, decommission, uninstall, several services. Source: dcos-commons scheduler/{uninstall,decommission,multi}.

use crate::names;
use planarium_tests::Client;
use serde_json::{Value, json};

fn service(name: &str, count: u32, extra: &str) -> Value {
    let svc = format!(
        "name: {name}\npods:\n  node:\n    count: {count}\n{extra}    tasks:\n      server:\n        goal: RUNNING\n        \
         cmd: ./node\n        cpus: 0.5\n        memory: 128\n        configs:\n          main: {{template: main.mustache, \
         dest: conf/main.yml}}\n"
    );
    json!({ "dialect": "sdk", "files": { "svc.yml": svc, "main.mustache": "port: {{PORT}}\n" } })
}

fn update(client: &mut Client, name: &str, service: &Value) -> Value {
    let mut input = service.clone();
    input["kind"] = json!("update-service");
    input["name"] = json!(name);
    client.input(&input)
}

fn deployed() -> Client {
    let mut client = Client::new(7);
    for zone in ["z1", "z2"] {
        client.input(
            &json!({ "kind": "add-agent", "hostname": format!("in-{zone}"), "region": "r", "zone": zone }),
        );
    }
    client
        .post("/sim/services", &service("team/app", 2, "    placement: '[[\"hostname\", \"UNIQUE\"]]'\n"))
        .status(200);
    client.until("deploy=COMPLETE");
    client
}

#[test]
fn a_refused_change_is_417_with_its_errors() {
    let mut client = deployed();
    let target = client.get("/v1/configurations/targetId").status(200).json();
    let answer = update(&mut client, "team/app", &service("team/app", 1, ""));
    assert_eq!(answer["reply"]["errors"].as_array().map(Vec::len), Some(1), "{answer}");
    let plan = client.get("/v1/plans/deploy").status(417).json();
    assert_eq!((&plan["status"], &plan["errors"]), (&json!("ERROR"), &answer["reply"]["errors"]));
    assert_eq!(plan["phases"][0]["status"], "COMPLETE");
    client.get("/v1/health").status(500);
    assert_eq!(client.get("/v1/configurations/targetId").status(200).json(), target);
}

#[test]
fn decommission_is_shown_by_every_route() {
    let mut client = deployed();
    update(&mut client, "team/app", &service("team/app", 1, "    allow-decommission: true\n"));
    assert_eq!(client.get("/v1/plans").status(200).json(), json!(["deploy", "recovery", "decommission"]));
    let status = client.get("/v1/pod/node-1/status").status(200).json();
    assert_eq!(status["tasks"][0]["status"], "DECOMMISSIONING");
    client.advance(1_000);
    for filter in ["plan=", "plan=deploy&phase=", "plan=deploy&phase=node&step="] {
        let debug = client.get(&format!("/v1/debug/plans?{filter}")).status(200).json();
        assert!(debug["invalid-input"].is_string(), "what is blank is looked up, too: {debug}");
    }
    let debug = client.get("/v1/debug/plans?plan=decommission").status(200).json();
    let step = &debug["serviceTopology"][0]["children"][0]["children"][0];
    assert_eq!((&step["type"], step.get("children")), (&json!("step"), Some(&Value::Null)), "{debug}");
    assert_eq!(debug["schedulerState"], "DECOMMISSIONING");
    let plan = client.get("/v1/plans/decommission").status(202).json();
    let message = plan["phases"][0]["steps"][0]["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with(
            "com.mesosphere.sdk.scheduler.decommission.TriggerDecommissionStep: kill-node-1-server ["
        ),
        "{message}"
    );
    client.until("decommission=COMPLETE");
    client.get("/v1/plans/decommission").status(200);
    client.get("/v1/pod/node-1/status").status(404);
    assert_eq!(client.get("/v1/pod").status(200).json(), json!(["node-0"]));
}

#[test]
fn an_uninstalling_scheduler_serves_plans_and_health() {
    let mut client = deployed();
    let asked = client.send("DELETE", "/sim/services/team/app", "");
    asked.status(200);
    assert_eq!(client.send("DELETE", "/sim/services/team/app", "").problem(409)["status"], 409);
    assert_eq!(client.get("/v1/plans").status(200).json(), json!(["deploy"]));
    let plan = client.get("/v1/plan").status(202).json();
    assert_eq!(plan["strategy"], "dependency");
    assert_eq!(
        names(&plan["phases"]),
        ["kill-tasks", "unreserve-resources-in-z1", "unreserve-resources-in-z2", "deregister-service"]
    );
    client.get("/v1/health").status(204);
    for path in [
        "pod",
        "pod/status",
        "pod/node-0/info",
        "endpoints",
        "configurations",
        "state/properties",
        "debug/plans",
    ] {
        client.get(&format!("/v1/{path}")).status(404);
    }
    client.send("POST", "/v1/pod/node-0/restart", "").status(404);
    client.until("deploy=COMPLETE");
    client.get("/v1/plans/deploy").status(200);
    client.get("/v1/health").status(200);
    client.advance(10_000);
    assert_eq!(client.get("/v1/plans/deploy").status(404).text.clone(), "There is no service");
}

#[test]
fn the_flag_alone_uninstalls() {
    let mut client = deployed();
    let env = client.get("/sim/services/team/app").status(200).json()["env"].clone();
    client.send("PUT", "/sim/services/team/app", r#"{"env": {"EXTRA": "1"}}"#).status(200);
    let now = client.get("/sim/services/team/app").status(200).json();
    assert!(now["files"].as_object().is_some_and(|files| !files.is_empty()), "{now}");
    let mut more = env.as_object().cloned().unwrap_or_default();
    more.insert("EXTRA".to_owned(), json!("1"));
    assert_eq!(now["env"], json!(more), "what is given goes over what was there");
    client.until("deploy=COMPLETE");
    client.send("PUT", "/sim/services/team/app", r#"{"env": {"SDK_UNINSTALL": "true"}}"#).status(200);
    assert_eq!(client.get("/v1/plans").status(200).json(), json!(["deploy"]));
    client.until("deploy=COMPLETE");
    client.send("PUT", "/sim/services/nobody", r#"{"env": {"SDK_UNINSTALL": "true"}}"#).problem(422);
}

#[test]
fn several_services_have_their_own_routes() {
    let mut client = deployed();
    client.post("/sim/services", &service("other", 1, "")).status(200);
    client.until("other/deploy=COMPLETE");
    for (path, code) in [
        ("plans", 200),
        ("plans/deploy", 200),
        ("pod/status", 200),
        ("pod/node-1/status", 200),
        ("endpoints", 200),
        ("configurations/target", 200),
        ("state/properties", 200),
        // Not one service's own.
        ("health", 404),
        ("debug/plans", 404),
        ("plan", 404),
    ] {
        client.get(&format!("/v1/service/team.app/{path}")).status(code);
    }
    client.get("/v1/service/other/pod/node-1/status").status(404);
    // The pods' statuses name the service as the path does.
    for (path, name) in [
        ("/v1/pod/status", "team/app"),
        ("/service/team/app/v1/pod/status", "team/app"),
        ("/v1/service/team.app/pod/status", "team.app"),
    ] {
        assert_eq!(client.get(path).status(200).json()["service"], name, "{path}");
    }
    let missing = client.get("/v1/service/nobody/plans");
    assert_eq!(missing.status(404).text.clone(), "Service nobody not found");
    let reply = client.send("POST", "/v1/service/other/pod/node-0/restart", "");
    assert_eq!(reply.status(200).json(), json!({ "pod": "node-0", "tasks": ["node-0-server"] }));
    client.until("other/recovery=COMPLETE");
    assert_eq!(client.get("/v1/service/team.app/plans/recovery").status(200).json()["phases"], json!([]));
}

#[test]
fn zones_files_and_templates() {
    let mut client = deployed();
    let zones = client.get("/v1/state/zone/tasks").status(200).json();
    assert_eq!(zones.as_object().map(serde_json::Map::len), Some(2), "{zones}");
    let zone = zones["node-0-server"].as_str().unwrap().to_owned();
    assert_eq!(client.get("/v1/state/zone/tasks/node-0-server").status(200).text.clone(), zone);
    client.get("/v1/state/zone/tasks/nobody").status(404);
    let address = client.state().to_string();
    assert!(address.contains(&zone));
    client.get("/v1/state/zone/node/1.2.3.4").status(404);
    let info = client.get("/v1/pod/node-0/info").status(200).json();
    let at = info[0]["status"]["containerStatus"]["networkInfos"][0]["ipAddresses"][0]["ipAddress"].clone();
    // It is the beginning of the task's name.
    for pod in ["node", "no", "node-0"] {
        let target = format!("/v1/state/zone/{pod}/{}", at.as_str().unwrap());
        assert_eq!(client.get(&target).status(200).text, zone, "{target}");
    }
    assert_eq!(client.get("/v1/state/files").status(200).json(), json!([]));
    client.get("/v1/state/files/x").status(404);
    let target = client.get("/v1/configurations/targetId").status(200).json()[0].as_str().unwrap().to_owned();
    let path = |id: &str, rest: &str| format!("/v1/artifacts/template/{id}/{rest}");
    assert_eq!(client.get(&path(&target, "node/server/main")).status(200).text.clone(), "port: {{PORT}}\n");
    client.get(&path(&target, "node/server/other")).status(404);
    client.get(&path(&target, "nodes/server/main")).status(404);
    client.get(&path("nonsense", "node/server/main")).status(400);
}

/// The finding with this code in an answer.
#[track_caller]
fn finding(answer: &Value, code: &str) -> Value {
    let found = answer["diagnostics"].as_array().and_then(|all| all.iter().find(|one| one["code"] == code));
    assert!(found.is_some(), "no {code} in {answer:#}");
    found.cloned().unwrap_or_default()
}

#[test]
fn a_refused_update_shows_the_position() {
    let mut client = deployed();
    let load = client.get("/sim/services/team/app").status(200).json();
    let change = |from: &str, to: &str| {
        let mut load = load.clone();
        let text = load["files"]["svc.yml"].as_str().unwrap().replacen(from, to, 1);
        assert_ne!(text, load["files"]["svc.yml"].as_str().unwrap(), "{from}");
        load["files"]["svc.yml"] = text.into();
        load
    };
    // The one before stays in force; the plan carries the text, the answer the place.
    let answer = client.send("PUT", "/sim/services/team/app", change("count: 2", "count: 1").to_string());
    let body = answer.status(200).json();
    let found = finding(&body, "SDK202");
    assert_eq!(found["severity"], "error", "{body:#}");
    let line = load["files"]["svc.yml"].as_str().unwrap().lines().position(|line| line == "  node:").unwrap();
    assert_eq!(found["line"], line + 1, "{found:#}");
    let errors = client.get("/v1/service/team.app/plans/deploy").status(417).json()["errors"].clone();
    let message = found["message"].as_str().unwrap();
    assert!(errors[0].as_str().unwrap().contains(message), "{errors} {message}");
    // A fatal error changes nothing at all.
    let answer = client.send(
        "PUT",
        "/sim/services/team/app",
        change("pods:", "scheduler: {user: nobody}\npods:").to_string(),
    );
    let body = answer.problem(422);
    finding(&body, "SDK205");
}
