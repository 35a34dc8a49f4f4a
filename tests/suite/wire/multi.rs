//! Several services on one framework over HTTP. Source: dcos-commons scheduler/multi.

use planarium_tests::Client;
use serde_json::{Value, json};

const SVC: &str = "name: {{NAME}}\npods:\n  node:\n    count: {{COUNT}}\n    allow-decommission: true\n    tasks:\n      server:\n        \
    goal: RUNNING\n        cmd: ./node\n        cpus: 0.5\n        memory: 128\n        volume: {path: data, type: ROOT, size: 64}\n";
const JOB: &str = "name: job\npods:\n  once:\n    count: 1\n    tasks:\n      run: {goal: FINISH, cmd: ./run, cpus: 0.1, memory: 32}\n";

fn request(name: &str, count: u32, limit: Option<u32>) -> Value {
    let mut env = json!({ "NAME": name, "COUNT": count.to_string() });
    if let Some(limit) = limit {
        env["RESERVE_DISCIPLINE"] = json!(limit.to_string());
    }
    json!({ "dialect": "sdk", "name": name, "framework": "fw", "files": { "svc.yml": SVC }, "env": env })
}

/// A framework with the services `/team/a` and `b`.
fn two(limit: Option<u32>) -> Client {
    let mut client = Client::with_cluster("3");
    client.post("/sim/services", &request("/team/a", 2, limit)).status(200);
    client.post("/sim/services", &request("b", 2, None)).status(200);
    client
}

fn frameworks(client: &mut Client) -> Vec<Value> {
    let state = client.get("/mesos/state").status(200).json();
    state["frameworks"].as_array().unwrap().clone()
}

#[test]
fn services_share_a_framework_and_have_their_own_plans() {
    let client = &mut two(None);
    client.until("team/a/deploy=COMPLETE");
    client.until("b/deploy=COMPLETE");
    let frameworks = frameworks(client);
    assert_eq!(frameworks.len(), 1, "{frameworks:?}");
    assert_eq!((&frameworks[0]["name"], &frameworks[0]["roles"]), (&json!("fw"), &json!(["fw-role"])));
    let mut ids: Vec<&str> =
        frameworks[0]["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    let prefixes: Vec<&str> = ids.iter().map(|id| id.rsplit_once("__").unwrap().0).collect();
    assert_eq!(
        prefixes,
        ["b__node-0-server", "b__node-1-server", "team.a__node-0-server", "team.a__node-1-server"]
    );
    for path in ["/v1/service/team.a/plans/deploy", "/service/fw/v1/service/b/plans/deploy"] {
        client.get(path).status(200);
    }
    let info = client.get("/v1/service/b/pod/node-0/info").status(200).json();
    let labels = info[0]["info"]["resources"].to_string();
    assert!(labels.contains("\"namespace\"") && labels.contains("\"b\""), "{labels}");
    // The machines show whose task is whose.
    let view = client.get("/sim/view").status(200).json();
    let mut owners: Vec<String> = view["cluster"]["machines"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|machine| machine["tasks"].as_array().unwrap())
        .map(|task| task["service"].as_str().unwrap().to_owned())
        .collect();
    owners.sort_unstable();
    assert_eq!(owners, ["/team/a", "/team/a", "b", "b"]);
}

#[test]
fn the_frameworks_own_routes() {
    let client = &mut two(None);
    client.until("b/deploy=COMPLETE");
    let before = client.digest();
    let list = client.get("/v1/multi").status(200).json();
    let row = |name: &str| json!({ "service": name, "yaml": "svc", "uninstall": false });
    assert_eq!(list, json!([row("/team/a"), row("b")]));
    assert_eq!(client.get("/service/fw/v1/multi/yaml").status(200).json(), json!(["svc"]));
    assert_eq!(client.get("/service/fw/v1/plans").status(200).json(), json!(["deploy"]));
    let plan = client.get("/service/fw/v1/plans/deploy").status(200).json();
    assert_eq!((&plan["status"], &plan["phases"]), (&json!("COMPLETE"), &json!([])));
    assert_eq!(client.get("/service/fw/v1/health").status(200).json(), json!({ "value": 200 }));
    let metrics = client.get("/service/fw/v1/metrics").status(200).json();
    assert!(metrics["counters"]["operation.launch_group"]["count"].as_u64() >= Some(2), "{metrics}");
    for (method, target, status) in [
        ("GET", "/service/fw/v1/pod", 404),
        ("GET", "/service/fw/v1/plans/recovery", 404),
        ("GET", "/service/fw/v1/service/nobody/plans", 404),
        ("GET", "/service/fw/v1/service/b/health", 404),
        ("GET", "/service/fw/v1/service/b", 404),
        ("POST", "/service/fw/v1/plans/deploy/continue", 208),
        ("POST", "/service/fw/v1/plans/nothing/continue", 404),
        ("GET", "/service/fw/v1/plans/deploy/continue", 405),
        ("PUT", "/service/fw/v1/plans", 405),
        ("PUT", "/v1/multi", 405),
        ("POST", "/v1/multi/yaml", 405),
        ("GET", "/v1/multi/b", 405),
        ("POST", "/v1/multi/c?yaml=nothing", 400),
        ("POST", "/v1/multi/c", 400),
        // A missing service is ignored.
        ("DELETE", "/v1/multi/nobody", 200),
        ("GET", "/service/nobody/v1/multi", 404),
    ] {
        client.send(method, target, "{}").status(status);
        assert_eq!(client.digest(), before, "{method} {target}");
    }
    for body in ["", "[]", "{\"A\": {}}", "{"] {
        let answer = client.send("POST", "/v1/multi/c?yaml=svc", body);
        let text = &answer.status(400).text;
        assert!(text.starts_with("Failed to generate or persist service: "), "{body}: {text}");
        assert_eq!(client.digest(), before, "{body}");
    }
    let mut alone = Client::with_cluster("1");
    alone.get("/v1/multi").status(404);
}

#[test]
fn services_are_listed_by_name() {
    let mut client = Client::with_cluster("3");
    for name in ["b", "/team/a"] {
        client.post("/sim/services", &request(name, 1, None)).status(200);
    }
    let list = client.get("/v1/multi").status(200).json();
    let names: Vec<&Value> = list.as_array().unwrap().iter().map(|row| &row["service"]).collect();
    assert_eq!(names, ["/team/a", "b"]);
}

#[test]
fn services_are_added_and_removed_at_run_time() {
    let client = &mut two(None);
    client.until("b/deploy=COMPLETE");
    client.until("team/a/deploy=COMPLETE");
    let reply = client.post("/v1/multi/c?yaml=svc", &json!({ "NAME": "ignored", "COUNT": "1" }));
    assert_eq!(reply.status(200).json(), json!({ "name": "c", "yaml": "svc" }));
    client.until("c/deploy=COMPLETE");
    // Another configuration for the same service.
    client.post("/v1/multi/c?yaml=svc", &json!({ "NAME": "c", "COUNT": "2" })).status(200);
    client.until("c/deploy=COMPLETE");
    assert_eq!(client.get("/v1/service/c/pod").status(200).json(), json!(["node-0", "node-1"]));
    let gone = client.send("DELETE", "/v1/multi/b", "");
    assert_eq!(gone.status(200).text, "Triggered removal of service: b");
    assert_eq!(client.send("DELETE", "/v1/multi/b", "").status(200).text, "Triggered removal of service: b");
    let list = client.get("/v1/multi").status(200).json();
    assert_eq!(list[1], json!({ "service": "b", "yaml": "svc", "uninstall": true }));
    let plan = client.get("/v1/service/b/plans/deploy").status(202).json();
    assert_eq!(plan["strategy"], "dependency");
    client.get("/v1/service/b/pod").status(404);
    client.advance(60_000);
    let names: Vec<Value> = client.get("/v1/multi").status(200).json().as_array().unwrap().clone();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(client.get("/v1/service/b/plans").status(404).text, "Service b not found");
    assert_eq!(frameworks(client).len(), 1, "the framework goes on");
    assert_eq!(frameworks(client)[0]["tasks"].as_array().unwrap().len(), 4);
    // Its resources are free again: no machine has a reservation of it.
    let slaves = client.get("/mesos/slaves").status(200).text.clone();
    assert!(!slaves.contains("\"value\":\"b\""), "{slaves}");
    // And it may come again.
    client.post("/v1/multi/b?yaml=svc", &json!({ "NAME": "b", "COUNT": "1" })).status(200);
    client.until("b/deploy=COMPLETE");
    client.until("idle");
    // The journal contains everything, and every position in it can be sought.
    let journal = client.get("/sim/journal").status(200).json();
    let mut again = Client::default();
    again.put("/sim/journal", &journal).status(200);
    assert_eq!(again.digest(), client.digest());
    let (digest, at) = (client.digest(), client.session.engine.now_ms());
    client.post("/sim/seek", &json!({ "at_ms": at / 2 })).status(200);
    client.post("/sim/seek", &json!({ "at_ms": at })).status(200);
    assert_eq!(client.digest(), digest);
}

#[test]
fn explanations_know_the_framework() {
    let client = &mut two(Some(1));
    let why =
        client.get("/sim/why?service=b&plan=deploy&phase=node&step=node-0:%5Bserver%5D").status(200).json();
    assert!(why["sentence"].as_str().unwrap().contains("RESERVE_DISCIPLINE"), "{why}");
    assert_eq!(why["reasons"].as_array().unwrap().len(), 1, "{why}");
    let client = &mut Client::with_cluster("3");
    client.input(
        &json!({ "kind": "fault", "fault": "offers-withheld", "id": "quiet", "target": { "service": "fw" } }),
    );
    client.post("/sim/services", &request("b", 1, None)).status(200);
    client.advance(10_000);
    let why = client.get("/sim/why?plan=deploy&phase=node&step=node-0:%5Bserver%5D").status(200).json();
    assert!(why["sentence"].as_str().unwrap().contains("withheld by quiet"), "{why}");
}

#[test]
fn commands_and_faults_reach_one_service_only() {
    let client = &mut two(None);
    client.until("b/deploy=COMPLETE");
    client.until("team/a/deploy=COMPLETE");
    client.post("/v1/service/team.a/pod/node-0/replace", &Value::Null).status(200);
    client.advance(20_000);
    client.until("team/a/recovery=COMPLETE");
    let recovery = |client: &mut Client, name: &str| {
        client.get(&format!("/v1/service/{name}/plans/recovery")).status(200).json()["phases"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!((recovery(client, "team.a"), recovery(client, "b")), (1, 0));
    client.input(&json!({ "kind": "fault", "fault": "task-fail", "target": { "service": "b", "task": "node-1-server" } }));
    client.advance(20_000);
    client.until("b/recovery=COMPLETE");
    assert_eq!((recovery(client, "team.a"), recovery(client, "b")), (1, 1));
    // One process serves both: when it starts again, both have new plans and keep their tasks.
    client.input(&json!({ "kind": "fault", "fault": "scheduler-restart", "target": { "service": "b" } }));
    assert_eq!((recovery(client, "team.a"), recovery(client, "b")), (0, 0));
    client.advance(30_000);
    client.get("/v1/service/b/plans/deploy").status(200);
    assert_eq!(frameworks(client)[0]["tasks"].as_array().unwrap().len(), 4);
    client.until("idle");
}

#[test]
fn the_discipline_lets_one_reserve_at_a_time() {
    for (limit, together) in [(Some(1), false), (None, true)] {
        let client = &mut two(limit);
        let started = |client: &mut Client, name: &str| {
            let plan = client.get(&format!("/v1/service/{name}/plans/deploy")).json();
            plan["phases"][0]["steps"][0]["status"].as_str().unwrap() != "PENDING"
                && plan["phases"][0]["steps"][0]["status"].as_str().unwrap() != "PREPARED"
        };
        // As long as the first one deploys, the second one is not shown any offer.
        let mut both = false;
        while client.get("/v1/service/team.a/plans/deploy").status == 202 {
            both |= started(client, "team.a") && started(client, "b");
            client.advance(100);
        }
        assert_eq!(both, together, "{limit:?}");
        client.until("b/deploy=COMPLETE");
        client.until("idle");
    }
}

#[test]
fn a_removal_that_takes_too_long_is_forced() {
    let client = &mut two(None);
    client.until("b/deploy=COMPLETE");
    client.until("team/a/deploy=COMPLETE");
    client.input(&json!({ "kind": "fault", "fault": "agent-lost", "target": { "agent": "*" } }));
    client.send("DELETE", "/v1/multi/b", "").status(200);
    client.advance(595_000);
    assert_eq!(client.get("/v1/multi").status(200).json().as_array().unwrap().len(), 2);
    client.advance(10_000);
    assert_eq!(client.get("/v1/multi").status(200).json().as_array().unwrap().len(), 1);
    assert_eq!(frameworks(client).len(), 1);
}

#[test]
fn a_framework_goes_with_all_its_services() {
    let client = &mut two(None);
    client.until("b/deploy=COMPLETE");
    client.until("team/a/deploy=COMPLETE");
    client.send("DELETE", "/sim/services/fw", "").status(200);
    client.send("DELETE", "/sim/services/fw", "").problem(409);
    client.post("/v1/multi/c?yaml=svc", &json!({})).status(400);
    let plan = client.get("/service/fw/v1/plans/deploy").status(202).json();
    assert_eq!(plan["phases"][0]["name"], "deregister-framework");
    assert_eq!(plan["phases"][0]["steps"][0]["name"], "deregister");
    client.get("/service/fw/v1/health").status(202);
    client.advance(60_000);
    client.get("/v1/multi").status(404);
    assert!(frameworks(client).is_empty());
    client.until("idle");
}

#[test]
fn refused_services_change_nothing() {
    let client = &mut two(None);
    client.post("/sim/services", &json!({ "dialect": "sdk", "files": { "svc.yml": JOB } })).status(200);
    let rows = [
        // A service has that name, in this framework or beside it.
        (request("b", 1, None), 409),
        (json!({ "dialect": "sdk", "name": "x", "framework": "job", "files": { "svc.yml": JOB } }), 409),
        (json!({ "dialect": "sdk", "name": "fw", "files": { "svc.yml": JOB } }), 409),
        (json!({ "dialect": "sdk", "framework": "fw", "files": { "svc.yml": "name: x" } }), 422),
    ];
    for (body, status) in rows {
        let before = (client.state(), frameworks(client).len());
        client.post("/sim/services", &body).problem(status);
        assert_eq!((client.state(), frameworks(client).len()), before, "{body}");
    }
    let update = json!({ "dialect": "sdk", "framework": "other", "files": { "svc.yml": JOB } });
    client.put("/sim/services/b", &update).problem(409);
    // An update without a framework keeps it, whether it names the service or its definition does.
    client.until("b/deploy=COMPLETE");
    let svc = SVC.replace("{{NAME}}", "b").replace("{{COUNT}}", "3");
    for kind in ["", "b"] {
        let mut update = json!({ "kind": "update-service", "dialect": "sdk", "files": { "svc.yml": svc } });
        update["name"] = json!(kind);
        client.input(&update);
        client.until("b/deploy=COMPLETE");
        let info = client.get("/v1/service/b/pod/node-2/info").status(200).text.clone();
        assert!(info.contains("fw-role") && info.contains("namespace"), "{info}");
    }
}
