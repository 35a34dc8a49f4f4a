//! A framework that the operator tears down, and steps that share a name. Source: dcos-commons framework/{FrameworkScheduler,ProcessExit}.java.

use crate::{deployed, says};
use planarium_tests::Client;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn a_scheduler_whose_framework_is_torn_down_exits() {
    let client = &mut deployed();
    let id = client.get("/v1/state/frameworkId").status(200).json()[0].as_str().unwrap().to_owned();
    client.send("POST", "/mesos/teardown", format!("frameworkId={id}")).status(200);
    let gone = "Service fleet is not there: its scheduler exits with code 6 (Framework has been removed)";
    for (method, path) in [
        ("GET", "plans"),
        ("GET", "plans/deploy"),
        ("GET", "pod/status"),
        ("GET", "health"),
        ("GET", "metrics"),
        ("POST", "plans/deploy/interrupt"),
        ("POST", "pod/hello-0/restart"),
        ("PUT", "state/refresh"),
    ] {
        says(client, method, &format!("/service/fleet/v1/{path}"), "", 503, gone);
    }
    let view = client.get("/sim/view").status(200).json();
    assert_eq!(
        view["services"][0]["activity"],
        "the scheduler has exited with code 6: Framework has been removed"
    );
    assert!(view["cluster"]["machines"].as_array().unwrap().iter().all(|m| m["tasks"] == json!([])));
    let told = client.session.engine.events_since(0).iter().any(|event| {
        serde_json::to_value(event).unwrap()["text"]
            == "fleet: its scheduler exits with code 6: Framework has been removed"
    });
    assert!(told);
    // No start helps: the framework id it remembers is dead.
    client.input(&json!({ "kind": "fault", "fault": "scheduler-restart" }));
    client.advance(600_000);
    client.until("idle");
    client.get("/v1/plans").status(503);
    assert_eq!(client.send("DELETE", "/sim/services/fleet", "").problem(409)["code"], "conflict");
    client.send("DELETE", "/sim/services/fleet?force", "").status(200);
    client.get("/v1/plans").status(404);
}

#[test]
fn all_services_of_a_framework_are_notified_of_its_end() {
    let client = &mut Client::with_cluster("3");
    let svc = "name: x\npods:\n  a:\n    count: 1\n    tasks:\n      x: {goal: RUNNING, cmd: ./x, cpus: 0.1, memory: 32}\n";
    for name in ["one", "two"] {
        let load = json!({ "dialect": "sdk", "name": name, "framework": "fw", "files": { "svc.yml": svc } });
        client.post("/sim/services", &load).status(200);
    }
    client.until("two/deploy=COMPLETE");
    let id = client.get("/v1/state/frameworkId").status(200).json()[0].as_str().unwrap().to_owned();
    client.send("POST", "/mesos/teardown", format!("frameworkId={id}")).status(200);
    for name in ["one", "two"] {
        client.get(&format!("/v1/service/{name}/plans")).status(503);
    }
    client.send("DELETE", "/sim/services/fw?force", "").status(200);
    assert_eq!(client.get("/sim/view").status(200).json()["services"], json!([]));
}

/// Tasks that were never launched have no id, so the steps that end them share a name, as in the real scheduler: the
/// ids of the steps distinguish them.
#[test]
fn steps_with_equal_names_are_distinguished_by_their_ids() {
    let client = &mut deployed();
    client.input(&json!({ "kind": "fault", "fault": "offers-withheld" }));
    let from = client.session.engine.seq();
    client.send("DELETE", "/sim/services/fleet", "").status(200);
    let plan = client.get("/v1/plans/deploy").status(202).json();
    let steps = plan["phases"][0]["steps"].as_array().unwrap().clone();
    let stubs: Vec<&Value> = steps.iter().filter(|step| step["name"] == "kill-task-").collect();
    assert_eq!((steps.len(), stubs.len()), (11, 3));
    let target = |step: &str| format!("/v1/plans/deploy/forceComplete?phase=kill-tasks&step={step}");
    says(client, "POST", &target("kill-task-"), "", 404, "Step kill-task- not found");
    let id = stubs[0]["id"].as_str().unwrap();
    let why = client.get(&format!("/sim/why?plan=deploy&phase=kill-tasks&step={id}")).status(200).json();
    assert_eq!(why["path"]["step"], *id, "{why}");
    let view = client.get("/sim/view").status(200).json();
    let shown = &view["services"][0]["plans"][0]["phases"][0]["steps"];
    let namesakes = shown.as_array().unwrap().iter().filter(|step| step["namesake"] == true).count();
    assert_eq!(namesakes, 3);
    client.send("POST", &target(id), "").status(200);
    client.advance(10_000);
    client.until("deploy/kill-tasks=COMPLETE");
    let events = serde_json::to_value(client.session.engine.events_since(from)).unwrap();
    let moved: Vec<&str> = events
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["kind"] == "element-status" && event["path"]["phase"] == "kill-tasks")
        .filter_map(|event| event["path"]["step"].as_str())
        .collect();
    assert_eq!(moved.len(), 11);
    assert_eq!(moved.iter().collect::<BTreeSet<_>>().len(), 11, "{moved:?}");
    for stub in stubs {
        assert!(moved.contains(&stub["id"].as_str().unwrap()));
    }
}
