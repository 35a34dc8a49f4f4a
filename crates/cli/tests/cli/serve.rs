//! `planarium serve` over a real socket.

use crate::http::Server;
use crate::{SVC, file, folder, planarium};
use serde_json::json;

#[test]
fn a_service_is_loaded_watched_and_commanded() {
    let server = Server::start(&["--clock", "manual", "--seed", "3"]);
    let clock = server.json("GET", "/sim", "", 200);
    assert_eq!((&clock["now_ms"], &clock["seed"], &clock["idle"]), (&json!(0), &json!(3), &json!(true)));
    server.json("POST", "/sim/agents", r#"{"count":3}"#, 200);
    let svc = SVC.replace("{{HELLO_COUNT}}", "3");
    let plan = "plans:\n  deploy:\n    phases:\n      hello: {strategy: canary, pod: hello}\n";
    let load = json!({ "dialect": "sdk", "files": { "svc.yml": format!("{svc}{plan}") }, "env": { "FRAMEWORK_NAME": "hi" } });
    server.json("POST", "/sim/services", &load.to_string(), 200);
    assert_eq!(server.json("GET", "/v1/plans", "", 200), json!(["deploy", "recovery"]));

    // Time stands still until it is moved.
    let clock = server.json("GET", "/sim", "", 200);
    assert_eq!(clock["now_ms"], 0);
    server.json("POST", "/sim/advance", r#"{"until":"idle","limit_ms":600000}"#, 200);
    assert_eq!(server.json("GET", "/v1/plans/deploy", "", 202)["status"], "WAITING");
    for _ in 0..2 {
        server.json("POST", "/v1/plans/deploy/continue?phase=hello", "", 200);
        server.json("POST", "/sim/advance", r#"{"until":"idle","limit_ms":600000}"#, 200);
    }
    assert_eq!(server.json("GET", "/service/hi/v1/plans/deploy", "", 200)["status"], "COMPLETE");

    let (status, head, body) = server.send("POST", "/v1/plans/deploy/interrupt", "");
    assert_eq!((status, body.as_str()), (208, "Command has already been reported or completed"), "{head}");
    let (status, head, _) = server.send("GET", "/sim/advance", "");
    assert_eq!(status, 405, "{head}");
    assert!(head.contains("allow: post"), "{head}");
    let problem = server.json("POST", "/sim/inputs", "{", 400);
    assert_eq!(problem["status"], 400);
    let (status, ..) = server.send("POST", "/sim/inputs", &"x".repeat(9 * 1024 * 1024));
    assert!(matches!(status, 413 | 0), "a body beyond the limit: {status}");
    // Still there.
    assert_eq!(server.json("GET", "/v1/plans/deploy", "", 200)["status"], "COMPLETE");
}

#[test]
fn a_definition_and_a_scenario_are_served_from_the_start() {
    let dir = folder("served");
    let svc = file(&dir, "svc.yml", SVC);
    let server = Server::start(&[
        &svc,
        "--clock",
        "manual",
        "--env",
        "FRAMEWORK_NAME=hi",
        "--env",
        "HELLO_COUNT=1",
        "--cluster",
        "1",
    ]);
    let view = server.json("GET", "/sim/view", "", 200);
    assert_eq!(view["cluster"]["machines"].as_array().map(Vec::len), Some(1));
    server.json("GET", "/service/hi/v1/plans/deploy", "", 202);
    drop(server);

    // The script is played as the clock is moved.
    let server = Server::start(&["examples/canary", "--clock", "manual"]);
    server.json("POST", "/sim/advance", r#"{"for_ms":600000}"#, 200);
    assert_eq!(server.json("GET", "/v1/plans/deploy", "", 200)["status"], "COMPLETE");
}

#[test]
fn a_real_clock_runs_by_itself() {
    let server = Server::start(&["examples/hello-world", "--clock", "real", "--speed", "10000"]);
    // Each question takes a moment; ten thousand of them are more than enough at this speed.
    let done = (0..10_000).any(|_| server.send("GET", "/v1/plans/deploy", "").0 == 200);
    assert!(done, "the deployment never finished");
}

#[test]
fn what_cannot_be_served_ends_with_2() {
    let dir = folder("unserved");
    let bad = file(&dir, "svc.yml", "pods: [");
    assert!(planarium(&["serve", &bad]).ends(2).err.contains("error[YAML001]"));
    let server = Server::start(&["--clock", "manual"]);
    let said = planarium(&["serve", "--listen", &server.address]).ends(2);
    assert!(said.err.contains("listening on"), "{}", said.err);
}
