//! Skopos applications over HTTP, by their command line, and on machines that fail.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use planarium_rest::console::{self, Output};
use planarium_rest::{Request, Response, Session, handle};
use planarium_tests::{Client, hostile};
use planarium_world::Genesis;
use serde_json::{Value, json};
use std::fmt::Write as _;

const PLAN: &str = "doctype: com.datagridsys.doctype/skopos/deploy-plan
version: alpha/1
steps:
- id: back
  class: component
  on_fail: fail
  steps:
  - { id: make, class: action, plugin: docker, action: inst_create, arguments: { selector: new }, on_fail: fail }
  - { id: ask, class: manual-gate, message: Keep it?, on_pass: pass, on_fail: undo }
  - { id: undo, class: action, cleanup: true, plugin: docker, action: inst_destroy, arguments: { selector: new } }
";
const MODEL: &str = "doctype: com.datagridsys.doctype/skopos/model
version: 1
components:
  back: { image: acme/back:2.0, replicas: 2 }
gateways:
  web: { type: load_balancer, target: [back] }
";
const ENV: &str = "core_plugin: docker
load_balancer_plugin: elb
simulation:
  instances:
    back: [ { image: acme/back:1.0 } ]
";

fn files(plan: bool) -> Value {
    let mut files = json!({ "model.yaml": MODEL, "env.yaml": ENV });
    if plan {
        files["plan.yaml"] = PLAN.into();
    }
    files
}

/// A world with the application `shop`.
fn loaded(plan: bool) -> Client {
    let mut client = Client::with_cluster("3");
    let body = json!({ "dialect": "skopos", "name": "shop", "files": files(plan) });
    client.post("/sim/services", &body).status(200);
    client
}

fn state(client: &mut Client) -> Value {
    client.get("/skopos/v1/shop").status(200).json()
}

/// Names and states of all instances.
fn instances(client: &mut Client) -> String {
    let body = client.get("/skopos/v1/shop/instances").status(200).json();
    let one = |one: &Value| {
        let text = |key: &str| one[key].as_str().unwrap().to_owned();
        format!("{}:{}={}", text("id"), text("group"), text("state"))
    };
    body["instances"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_plan_is_driven_over_http() {
    let client = &mut loaded(true);
    let list = client.get("/skopos/v1").status(200).json();
    assert_eq!(list, json!({ "applications": [{ "name": "shop", "state": "ready" }] }));
    let answer = client.post("/skopos/v1/shop/start", &Value::Null).status(200).json();
    assert_eq!(answer["state"], "running", "{answer}");
    client.until("shop/deploy=gate-wait");
    let now = state(client);
    assert_eq!(now["gate"], json!({ "step": "ask", "message": "Keep it?" }));
    assert_eq!(now["path"], json!(["back", "ask"]));
    assert_eq!(now["instances"][1]["id"], "back-n0", "{now}");
    let drawing = client.get("/skopos/v1/shop/drawing").status(200).json();
    assert_eq!(drawing["gate"], json!({ "step": "ask", "prompt": "Keep it?" }));
    let next: Vec<&Value> = drawing["next"].as_array().unwrap().iter().map(|next| &next["to"]).collect();
    assert_eq!(next, [&Value::Null, &json!("undo")]);

    // A pause while the gate is open comes into force at its exit.
    let answer = client.post("/skopos/v1/shop/pause", &Value::Null).status(200).json();
    assert_eq!(answer["state"], "gate-wait", "{answer}");
    client.post("/skopos/v1/shop/gates/ask", &json!({ "result": "fail" })).status(200);
    let held = state(client);
    assert_eq!(
        held["held"],
        json!({ "step": "ask", "exit": "fail", "reason": "an operator asked for it" }),
        "{held}"
    );
    assert_eq!(client.post("/skopos/v1/shop/resume", &Value::Null).status(200).json()["state"], "running");
    client.until("shop/deploy=failed");
    let end = state(client);
    assert_eq!((&end["result"], &end["state"]), (&json!("fail"), &json!("failed")));
    assert_eq!(instances(client), "back-o0:old=running");
    let log = client.get("/skopos/v1/shop/log?since=2").status(200).json();
    assert_eq!(log["log"][0]["seq"], 3, "{log}");
    let deployment = client.get("/skopos/v1/shop/deployment").status(200).json();
    assert_eq!(deployment["deploystate"]["state"], "failed", "{deployment}");

    // Once more, and to a good end.
    assert_eq!(client.post("/skopos/v1/shop/reset", &Value::Null).status(200).json()["state"], "ready");
    client.post("/skopos/v1/shop/start", &json!({ "paused": true })).status(200);
    assert_eq!(client.post("/skopos/v1/shop/step", &Value::Null).status(200).json()["state"], "running");
    client.until("shop/deploy=paused");
    client.post("/skopos/v1/shop/resume", &Value::Null).status(200);
    client.post("/skopos/v1/shop/gate-pass", &Value::Null).status(200);
    client.until("shop/deploy=completed");
    assert_eq!(instances(client), "back-o0:old=running back-n0-r1:new=running");
}

#[test]
fn refused_requests_change_nothing() {
    let client = &mut loaded(true);
    client.post("/skopos/v1/shop/start", &Value::Null).status(200);
    let before = client.state();
    for (method, target, body, status) in [
        ("GET", "/skopos", "", 404),
        ("GET", "/skopos/v2/shop", "", 404),
        ("POST", "/skopos/v1", "", 405),
        ("GET", "/skopos/v1/nobody", "", 404),
        ("POST", "/skopos/v1/nobody/start", "", 404),
        ("DELETE", "/skopos/v1/nobody", "", 404),
        ("GET", "/skopos/v1/shop/start", "", 405),
        ("PUT", "/skopos/v1/shop/start", "", 405),
        ("GET", "/skopos/v1/shop/nothing", "", 404),
        ("POST", "/skopos/v1/shop/nothing", "", 404),
        ("POST", "/skopos/v1/shop/log", "", 405),
        ("DELETE", "/skopos/v1/shop/plan", "", 405),
        ("POST", "/skopos/v1/shop/start", "", 409),
        ("POST", "/skopos/v1/shop/resume", "", 409),
        ("POST", "/skopos/v1/shop/step", "", 409),
        ("POST", "/skopos/v1/shop/reset", "", 409),
        ("POST", "/skopos/v1/shop/gate-pass", "", 409),
        ("POST", "/skopos/v1/shop/gates/ask", "{\"result\": \"pass\"}", 409),
        ("POST", "/skopos/v1/shop/gates/ask", "{\"result\": \"maybe\"}", 400),
        ("POST", "/skopos/v1/shop/gates/ask", "", 400),
        ("POST", "/skopos/v1/shop/pause", "[1]", 400),
        ("PUT", "/skopos/v1/other", "", 400),
        ("PUT", "/skopos/v1/other", "{\"files\": {}, \"colour\": 1}", 400),
        ("PUT", "/skopos/v1/other", "{\"files\": {\"plan.yaml\": \"steps: 3\"}}", 422),
        ("PUT", "/skopos/v1/shop/plan", "steps: 3", 422),
        (
            "PUT",
            "/skopos/v1/shop/plan",
            "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps: []",
            409,
        ),
    ] {
        let answer = client.send(method, target, body);
        assert_eq!(answer.status, status, "{method} {target}: {}", answer.text);
        assert_eq!(client.state(), before, "{method} {target}");
    }
}

#[test]
fn a_plan_is_generated_shown_changed_and_loaded() {
    let client = &mut loaded(false);
    let text = client.get("/skopos/v1/shop/plan").status(200).text.clone();
    assert!(text.contains("id: back-10-10") && text.contains("action: lb_wait"), "{text}");
    let slower = text.replace("  -\n    id: back\n", "  -\n    id: look\n    class: group\n    on_fail: fail\n    steps:\n      -\n        id: look-10\n        class: delay\n        duration: 5\n\n  -\n    id: back\n");
    assert_ne!(slower, text);
    let answer = client.send("PUT", "/skopos/v1/shop/plan", slower);
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(state(client)["generated"], false);
    client.post("/skopos/v1/shop/start", &Value::Null).status(200);
    client.until("shop/deploy=completed");
    assert_eq!(instances(client), "back-n0:new=running back-n1:new=running");
    assert_eq!(state(client)["trace"][2]["step"], "look-10");

    // The model alone again: nothing is left to do.
    client.put("/skopos/v1/shop", &json!({ "files": files(false) })).status(200);
    assert_eq!(state(client)["state"], "not-ready");
    client.get("/skopos/v1/shop/plan").status(204);
    // Everything is taken down before the application is forgotten.
    client.send("DELETE", "/skopos/v1/shop", "").status(200);
    client.until("idle");
    assert_eq!(client.get("/skopos/v1").status(200).json(), json!({ "applications": [] }));
    let view = client.get("/sim/view").status(200).json();
    assert_eq!(view["services"], json!([]));
}

#[test]
fn several_applications() {
    let client = &mut loaded(false);
    let body = json!({ "files": files(true), "options": { "run": true } });
    client.put("/skopos/v1/other", &body).status(200);
    client.put("/skopos/v1/other", &body).status(409);
    client.post("/skopos/v1/shop/start", &Value::Null).status(200);
    client.until("shop/deploy=completed && other/deploy=gate-wait");
    let list = client.get("/skopos/v1").status(200).json();
    assert_eq!(list["applications"][1], json!({ "name": "other", "state": "gate-wait" }));
    // Dropped by force: at once, with all that is under way.
    client.send("DELETE", "/skopos/v1/other?force=true", "").status(200);
    assert_eq!(client.get("/skopos/v1").status(200).json()["applications"].as_array().unwrap().len(), 1);
    assert_eq!(instances(client), "back-n0:new=running back-n1:new=running");
}

#[test]
fn lost_machines_have_effects() {
    let client = &mut loaded(true);
    client.post("/skopos/v1/shop/start", &Value::Null).status(200);
    client.until("shop/deploy=gate-wait");
    let host = |client: &mut Client, pod: &str| {
        let view = client.get("/sim/view").status(200).json();
        let pods = view["services"][0]["pods"].as_array().unwrap().clone();
        let own = pods.iter().find(|own| own["name"] == pod).unwrap_or_else(|| panic!("{pods:?}"));
        own["tasks"][0]["agent"].as_str().unwrap().to_owned()
    };
    let (old, new) = (host(client, "back-o0"), host(client, "back-n0"));
    assert_ne!(old, new, "the machine with the fewest instances");
    client.input(
        &json!({ "kind": "fault", "fault": "agent-lost", "target": { "agent": old }, "for_ms": 10_000 }),
    );
    assert_eq!(instances(client), "back-o0:old=lost back-n0:new=running");
    client.advance(11_000);
    assert_eq!(instances(client), "back-o0:old=stopped back-n0:new=running");
    // A permanently removed machine.
    client.input(&json!({ "kind": "remove-agent", "agent": new }));
    assert_eq!(instances(client), "back-o0:old=stopped back-n0:new=lost");
    client.post("/skopos/v1/shop/gate-fail", &Value::Null).status(200);
    client.until("shop/deploy=failed");
}

#[test]
fn manual_processes_wait_for_a_status() {
    let client = &mut Client::with_cluster("3");
    let rule = json!({ "kind": "process-behaviour", "target": { "service": "shop" }, "behaviour": { "manual": true } });
    client.input(&rule);
    let body = json!({ "dialect": "skopos", "name": "shop", "files": files(true) });
    client.post("/sim/services", &body).status(200);
    client.post("/skopos/v1/shop/start", &Value::Null).status(200);
    client.advance(600_000);
    assert_eq!(state(client)["state"], "running");
    let why = client.get("/sim/why?service=shop&plan=deploy&phase=back&step=make").status(200).json();
    let remedies = why["unblock"].as_array().unwrap();
    let said = remedies
        .iter()
        .find(|one| one["title"] == "Say that back-n0 runs")
        .unwrap_or_else(|| panic!("{why}"));
    let machine = json!({ "kind": "task-status", "task": "back-n0", "state": "up" });
    let refused = client.post("/sim/inputs", &machine).json();
    assert!(refused.to_string().contains("`up` is not a task state"), "{refused}");
    client.input(&said["input"]);
    assert_eq!(state(client)["state"], "gate-wait");
    client.input(&json!({ "kind": "task-status", "task": "back-n0", "state": "TASK_FAILED" }));
    assert_eq!(instances(client), "back-o0:old=running back-n0:new=stopped");
}

// ---- the command line ----------------------------------------------------------------------------

fn on(session: &mut Session, typed: &str) -> Output {
    console::line(typed, ("skopos", "shop"), &mut |request| handle(session, request))
}

fn sim(session: &mut Session, target: &str, body: &Value) -> Response {
    let response = handle(session, &Request::new("POST", target, body.to_string()));
    assert_eq!(response.status, 200, "{target}: {}", String::from_utf8_lossy(&response.body));
    response
}

#[test]
fn the_command_line() {
    let mut session = Session::new(Genesis::default());
    sim(&mut session, "/sim/agents", &json!({ "count": 3 }));
    let body = json!({ "dialect": "skopos", "name": "shop", "files": files(true) });
    sim(&mut session, "/sim/services", &body);
    for (typed, until, shown) in [
        ("state", "", "ready"),
        ("skopos shop start", "shop/deploy=gate-wait", "running"),
        ("state", "", "waiting"),
        ("sks-ctl post --project shop gate-fail ask", "shop/deploy=failed", "running"),
        ("log", "", "ask failed"),
        ("instances", "", "back-o0"),
        ("plan", "", "id: back"),
        ("reset", "", "ready"),
        ("start --paused", "", "paused"),
        ("abandon", "", "abandoned"),
        ("help", "", "gate-pass"),
    ] {
        let output = on(&mut session, typed);
        assert!(output.code == 0 && output.stdout.contains(shown), "{typed}: {output:?}");
        if !until.is_empty() {
            sim(&mut session, "/sim/advance", &json!({ "until": until, "limit_ms": 600_000 }));
        }
    }
    for (typed, code, shown) in [
        ("abandon", 1, "the plan"),
        ("abandn", 2, "did you mean 'abandon'?"),
        ("start --fast", 2, "'start' takes no --fast"),
        ("pause now", 2, "'pause' takes no further words"),
        ("gate-pass", 1, "gate"),
        ("skopos load plan.yaml", 1, "error: plan.yaml"),
        ("state --project nobody", 1, "there is no application 'nobody'"),
    ] {
        let output = on(&mut session, typed);
        assert!(output.code == code && output.stderr.contains(shown), "{typed}: {output:?}");
    }
}

#[test]
fn load_answers_list_the_findings() {
    let wrong = PLAN.replace("on_fail: undo", "on_fail: nowhere").replace("message:", "mesage:");
    let found = |body: &Value| {
        let one = |one: &Value| {
            format!(
                "{}:{}:{} {}",
                one["file"].as_str().unwrap(),
                one["line"],
                one["column"],
                one["severity"].as_str().unwrap()
            )
        };
        body["findings"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join(" ")
    };
    let client = &mut Client::with_cluster("1");
    let put = |client: &mut Client, path: &str, body: &str, status: u16| {
        let response = client.send("PUT", path, body);
        response.status(status).json()
    };
    let files = |plan: &str| {
        json!({ "files": { "plan.yaml": plan, "model.yaml": MODEL, "env.yaml": ENV } }).to_string()
    };
    let body = put(client, "/skopos/v1/shop", &files(&wrong), 422);
    assert!(body["error"].as_str().unwrap().contains("nowhere"), "{body}");
    assert_eq!(found(&body), "plan.yaml:9:78 error plan.yaml:9:36 warning");
    let body = put(client, "/skopos/v1/shop", &files(&PLAN.replace("message:", "mesage:")), 200);
    assert_eq!((&body["state"], found(&body).as_str()), (&json!("ready"), "plan.yaml:9:36 warning"));
    let body = put(client, "/skopos/v1/shop/plan", &wrong, 422);
    assert_eq!(found(&body), "plan.yaml:9:78 error plan.yaml:9:36 warning");
    // The command line shows each with its place.
    let mut session = Session::new(Genesis::default());
    let given = [("plan.yaml".to_owned(), wrong), ("model.yaml".to_owned(), MODEL.to_owned())].into();
    let output = console::line_with_files(
        "skopos load --project shop model.yaml plan.yaml",
        ("", ""),
        &mut |request| handle(&mut session, request),
        &given,
    );
    assert!(
        output.code == 1
            && output.stderr.contains("plan.yaml:9:78: error[SKO032]: 'on_fail' of step 'ask' leads to"),
        "{output:?}"
    );
    assert!(output.stderr.contains("help: did you mean 'message'?"), "{output:?}");
}

// ---- texts ---------------------------------------------------------------------------------------

#[test]
fn hostile_texts_are_read_to_the_end() {
    let client = &mut Client::with_cluster("1");
    let head = "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps:\n";
    let mut deep = format!("{head}- id: a\n  class: component\n  steps:\n");
    for depth in 1..300 {
        let pad = "  ".repeat(depth);
        let _ = write!(
            deep,
            "{pad}- id: l{depth}\n{pad}  class: instance-loop\n{pad}  target_num: 99999999\n{pad}  steps:\n"
        );
    }
    let many = (0..20_000).fold(format!("{head}- id: g\n  class: group\n  steps:\n"), |text, n| {
        text + &format!("  - {{id: s{n}, class: delay, duration: 0, on_fail: s{n}}}\n")
    });
    let huge = format!(
        "{head}- id: a\n  class: component\n  steps:\n  - {{id: l, class: instance-loop, target_num: 4000000000, steps: [{{id: d, class: delay, duration: 0}}]}}\n"
    );
    for text in [
        hostile::alias_bomb(),
        hostile::nested_flow(5_000),
        hostile::nested_block(2_000),
        deep,
        many,
        huge,
        "\u{feff}".to_owned() + PLAN,
        PLAN.replace('\n', "\r\n"),
        PLAN.replace("Keep it?", "{{{{{{${${x:-${y}}}}}}"),
    ] {
        for name in ["plan.yaml", "model.yaml", "env.yaml"] {
            let body = json!({ "dialect": "skopos", "name": "shop", "files": { name: text }, "options": { "run": true } });
            let load = serde_json::from_value(body.clone()).unwrap();
            let report = planarium_world::check(&load);
            assert!(!report.dialect.is_empty(), "{name}");
            if client.post("/sim/services", &body).status == 200 {
                client.advance(60_000);
                client.send("DELETE", "/skopos/v1/shop?force=true", "").status(200);
            }
        }
    }
}

#[test]
fn machines_say_that_containers_have_no_size() {
    let mut client = loaded(true);
    let view = client.get("/sim/view").status(200).json();
    let machine = &view["cluster"]["machines"][0];
    assert_eq!(
        (&machine["tasks"][0]["name"], &machine["without_size"]),
        (&json!("back-o0"), &json!(1)),
        "{machine}"
    );
    let why =
        client.get(&format!("/sim/why?agent={}", machine["hostname"].as_str().unwrap())).status(200).json();
    let reasons = why["reasons"].to_string();
    assert!(reasons.contains("1 Skopos containers run on it and hold nothing"), "{reasons}");
}
