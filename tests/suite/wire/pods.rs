//! `/v1/pod...` and the other reads of an SDK service. Source: dcos-commons http/endpoints/{Pod,State,Config,Endpoints}Resource.java.

use crate::{PREFIXES, deployed, names, quiet, says};
use planarium_tests::Client;
use planarium_tests::same::difference;
use serde_json::{Value, json};

#[test]
fn pods_that_were_never_launched_do_not_exist() {
    let client = &mut quiet();
    assert_eq!(client.get("/v1/pod").status(200).json(), json!([]));
    assert_eq!(client.get("/v1/pod/status").status(200).json(), json!({ "service": "fleet" }));
    for target in ["/v1/pod/hello-0/status", "/v1/pod/hello-0/info"] {
        says(client, "GET", target, "", 404, "Pod hello-0 not found");
    }
    for target in ["/v1/pod/hello-0/restart", "/v1/pod/hello-0/replace", "/v1/pod/x/restart"] {
        let before = client.state();
        assert!(client.post(target, &Value::Null).status(404).text.ends_with(" not found"));
        assert_eq!(difference(&client.state(), &before), None, "{target}");
    }
}

#[test]
fn names_status_and_info() {
    let client = &mut deployed();
    for prefix in PREFIXES {
        let list = client.get(&format!("{prefix}/pod")).status(200).json();
        assert_eq!(list, json!(["hello-0", "hello-1", "web-0", "web-1", "web-2"]));

        let all = client.get(&format!("{prefix}/pod/status")).status(200).json();
        assert_eq!(all["service"], "fleet");
        assert_eq!(names(&all["pods"]), ["hello", "web"]);
        assert_eq!(names(&all["pods"][1]["instances"]), ["web-0", "web-1", "web-2"]);

        let one = client.get(&format!("{prefix}/pod/web-0/status")).status(200).json();
        assert_eq!(one, all["pods"][1]["instances"][0]);
        assert_eq!(names(&one["tasks"]), ["web-0-logger", "web-0-once", "web-0-server"]);
        let (logger, once) = (&one["tasks"][0], &one["tasks"][1]);
        assert_eq!(logger["status"], "RUNNING");
        assert!(logger["id"].as_str().unwrap().starts_with("fleet__web-0-logger__"), "{logger}");
        // Reserved with the pod, launched by another plan: known, without a status.
        assert_eq!((&once["id"], once.get("status")), (&json!(""), None));

        let info = client.get(&format!("{prefix}/pod/hello-0/info")).status(200).json();
        let only = &info[0];
        assert_eq!(only["info"]["name"], "hello-0-server");
        assert_eq!(only["status"]["state"], "TASK_RUNNING");
        assert_eq!(only["info"]["taskId"], only["status"]["taskId"]);
        assert_eq!(only["info"]["command"]["value"], "./hello");
        for key in ["slaveId", "resources", "executor", "labels"] {
            assert!(!only["info"][key].is_null(), "no {key} in {only}");
        }
        let networks = &only["status"]["containerStatus"]["networkInfos"];
        assert!(networks[0]["ipAddresses"][0]["ipAddress"].is_string(), "{only}");
        assert!(only["info"]["resources"][0]["scalar"]["value"].is_f64(), "{only}");
        let info = client.get(&format!("{prefix}/pod/web-0/info")).status(200).json();
        assert_eq!(info[1]["info"]["name"], "web-0-once");
        assert_eq!(info[1].get("status"), Some(&Value::Null), "never launched");
    }
}

#[test]
fn restart_relaunches_in_place() {
    let client = &mut deployed();
    let before = launched(client, "hello-1");
    let reply = client.post("/v1/pod/hello-1/restart", &Value::Null).status(200).json();
    assert_eq!(reply, json!({ "pod": "hello-1", "tasks": ["hello-1-server"] }));
    client.until("recovery/hello-1:[server]=COMPLETE");
    let after = launched(client, "hello-1");
    assert_ne!(before.0, after.0, "another task id");
    assert_eq!(before.1, after.1, "the same machine");
    let recovery = client.get("/v1/plans/recovery").status(200).json();
    assert_eq!(names(&recovery["phases"]), ["hello-1:[server]"]);
    let message = recovery["phases"][0]["steps"][0]["message"].as_str().unwrap();
    assert!(message.contains(".recovery.RecoveryStep: hello-1:[server] ["), "{message}");
    assert!(message.ends_with(" RecoveryType: TRANSIENT"), "{message}");
    assert_eq!(client.tree("deploy").lines().next(), Some("deploy (serial strategy) (COMPLETE)"));
}

#[test]
fn replace_is_permanent() {
    let client = &mut deployed();
    let reply = client.post("/v1/pod/web-2/replace", &Value::Null).status(200).json();
    assert_eq!(reply["pod"], "web-2");
    client.until("recovery/web-2:[server, logger]=COMPLETE");
    let recovery = client.get("/v1/plans/recovery").status(200).json();
    let message = recovery["phases"][0]["steps"][0]["message"].as_str().unwrap();
    assert!(message.ends_with(" RecoveryType: PERMANENT"), "{message}");
}

/// Task id and machine of a pod's first task.
fn launched(client: &mut Client, pod: &str) -> (String, String) {
    let info = client.get(&format!("/v1/pod/{pod}/info")).status(200).json();
    let text = |value: &Value| value["value"].as_str().unwrap().to_owned();
    (text(&info[0]["info"]["taskId"]), text(&info[0]["info"]["slaveId"]))
}

#[test]
fn pause_wants_a_list_of_names() {
    let client = &mut deployed();
    let before = client.digest();
    assert!(client.send("POST", "/v1/pod/hello-0/pause", "{").status(400).text.starts_with("Couldn't parse"));
    assert_eq!(client.digest(), before);
    // As many tasks have to be meant as names are given.
    for names in [r#"["server", "none"]"#, r#"["server", "hello-0-server"]"#] {
        says(client, "POST", "/v1/pod/hello-0/pause", names, 404, "Pod hello-0 not found");
    }
}

#[test]
fn health_follows_the_plans() {
    let client = &mut quiet();
    assert_eq!(client.get("/v1/health").status(204).json(), json!({ "value": 204 }));
    let client = &mut deployed();
    assert_eq!(client.get("/v1/health").status(200).json(), json!({ "value": 200 }));
    let verbose = client.get("/v1/health?verbose=true").status(200).json();
    assert_eq!(verbose["reasons"].as_array().unwrap().len(), 10, "{verbose}");
}

#[test]
fn the_other_reads_answer() {
    let client = &mut deployed();
    let ids = client.get("/v1/configurations").status(200).json();
    let target = client.get("/v1/configurations/targetId").status(200).json();
    assert_eq!(ids, target, "there is one configuration");
    let id = target[0].as_str().unwrap().to_owned();
    let spec = client.get("/v1/configurations/target").status(200).json();
    assert_eq!(spec["name"], "fleet");
    assert_eq!(client.get(&format!("/v1/configurations/{id}")).status(200).json(), spec);
    assert_eq!(client.get("/v1/configurations/nonsense").status(400).text, "");
    client.get("/v1/configurations/00000000-0000-4000-8000-000000000000").status(404);
    client.get("/v1/endpoints").status(200);
    client.get("/v1/endpoints/nothing").status(404);
    assert!(client.get("/v1/state/frameworkId").status(200).json().is_array());
    client.get("/v1/state/properties").status(200);
    client.get("/v1/state/properties/nothing").status(404);
    for target in ["/v1/debug/plans", "/v1/debug/taskStatuses", "/v1/debug/reservations", "/v2/debug/offers"]
    {
        client.get(target).status(200).json();
    }
    client.send("PUT", "/v1/state/refresh", "").status(200);
    client.get("/v1/nothing").status(404);
}

#[test]
fn services_with_slashes_in_their_names() {
    let client = &mut Client::with_cluster("1");
    let svc = "name: /team/db\npods:\n  a:\n    count: 1\n    tasks:\n      x: {goal: RUNNING, cmd: ./x, cpus: 0.1, memory: 32}\n";
    client.post("/sim/services", &json!({ "dialect": "sdk", "files": { "svc.yml": svc } })).status(200);
    for prefix in ["/service/team/db/v1", "/service/team.db/v1", "/v1"] {
        client.get(&format!("{prefix}/plans/deploy")).status(202);
    }
    client.until("deploy=COMPLETE");
    assert_eq!(client.get("/v1/pod/status").json()["service"], "/team/db");
}

#[test]
fn without_a_service_there_is_nothing_to_ask() {
    let client = &mut Client::default();
    says(client, "GET", "/v1/plans", "", 404, "There is no service");
    client.get("/service/x").status(404);
}
