//! `/v1/plans...`: reads, commands at every level, their codes and texts. Source: dcos-commons http/queries/PlansQueries.java.

use crate::{PREFIXES, deployed, loaded, names, quiet, says};
use planarium_rest::{Request, handle};
use planarium_tests::Client;
use planarium_tests::same::difference;
use serde_json::{Value, json};

const DONE: &str = "Command has already been reported or completed";

#[test]
fn the_list_and_the_bodies() {
    let client = &mut quiet();
    for prefix in PREFIXES {
        let list = client.get(&format!("{prefix}/plans")).status(200).json();
        assert_eq!(list, json!(["deploy", "recovery", "tidy"]), "{prefix}");
        let plan = client.get(&format!("{prefix}/plans/deploy")).status(202).json();
        assert_eq!(plan, client.get(&format!("{prefix}/plan")).status(202).json(), "the deprecated alias");
        let keys: Vec<&String> = plan.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["phases", "errors", "status", "strategy"]);
        assert_eq!((&plan["status"], &plan["strategy"]), (&json!("PENDING"), &json!("serial")));
        assert_eq!(plan["errors"], json!([]));
        assert_eq!(names(&plan["phases"]), ["hello", "web"]);
        let web = &plan["phases"][1];
        assert_eq!((&web["status"], &web["strategy"]), (&json!("WAITING"), &json!("dependency-canary")));
        assert_eq!(
            names(&web["steps"]),
            ["web-0:[server, logger]", "web-1:[server, logger]", "web-2:[server, logger]"]
        );
        let step = &plan["phases"][0]["steps"][0];
        let keys: Vec<&String> = step.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["id", "status", "name", "message"]);
        let id = step["id"].as_str().unwrap();
        let want = format!(
            "com.mesosphere.sdk.scheduler.plan.DeploymentStep: hello-0:[server] [{id}] with status: PENDING"
        );
        assert_eq!(step["message"], json!(want));
        assert!(is_uuid(id), "{id}");
        assert!(is_uuid(web["id"].as_str().unwrap()));
    }
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

#[test]
fn codes_follow_the_status() {
    let client = &mut deployed();
    client.get("/v1/plans/deploy").status(200);
    client.get("/v1/plans/recovery").status(200);
    client.get("/v1/plans/tidy").status(202);
    says(client, "GET", "/v1/plans/nothing", "", 404, "Plan nothing not found");
    says(client, "GET", "/service/nobody/v1/plans", "", 404, "Service nobody not found");
}

#[test]
fn errors_of_steps_answer_417_with_the_whole_body() {
    let client = &mut Client::with_cluster("1");
    // Two tasks of one step share a resource set: the step is born in ERROR.
    let svc = "name: clash\npods:\n  a:\n    count: 1\n    resource-sets:\n      one: {cpus: 0.1, memory: 32}\n    tasks:\n      x: {goal: RUNNING, cmd: ./x, resource-set: one}\n      y: {goal: RUNNING, cmd: ./y, resource-set: one}\n";
    client.post("/sim/services", &json!({ "dialect": "sdk", "files": { "svc.yml": svc } })).status(200);
    let plan = client.get("/v1/plans/deploy").status(417).json();
    assert_eq!(plan["status"], "ERROR");
    assert_eq!(plan["phases"][0]["steps"][0]["name"], "a-0");
    assert_eq!(plan["errors"].as_array().unwrap().len(), 1, "{plan}");
    client.get("/v1/health").status(500);
}

/// Commands on a world where nothing has started: method and target, code, text or reply.
#[test]
fn commands_before_anything_starts() {
    let received = |what: &str| format!("{{\"message\": \"Received cmd: {what}\"}}");
    let element = |op: &str, phase: &str, step: &str| {
        received(&format!("{op} for Plan: deploy, Phase: {phase}, Step: {step}"))
    };
    let rows: Vec<(&str, u16, String)> = vec![
        // Not there.
        ("plans/nothing/continue", 404, "Plan nothing not found".into()),
        ("plans/nothing/interrupt", 404, "Plan nothing not found".into()),
        ("plans/nothing/forceComplete", 404, "Plan nothing not found".into()),
        ("plans/nothing/restart", 404, "Plan nothing not found".into()),
        ("plans/nothing/stop", 404, "Plan nothing not found".into()),
        ("plans/deploy/continue?phase=x", 404, "Phase x not found".into()),
        ("plans/deploy/interrupt?phase=x", 404, "Phase x not found".into()),
        ("plans/deploy/forceComplete?phase=x", 404, "Phase x not found".into()),
        ("plans/deploy/restart?phase=x&step=y", 404, "Phase x not found".into()),
        ("plans/deploy/restart?phase=hello&step=y", 404, "Step y not found".into()),
        ("plans/deploy/forceComplete?phase=hello&step=y", 404, "Step y not found".into()),
        // A step without its phase.
        ("plans/deploy/restart?step=y", 400, "Missing phase".into()),
        ("plans/deploy/forceComplete?step=y", 400, "Missing phase".into()),
        // Already so.
        ("plans/deploy/restart", 208, DONE.into()),
        ("plans/deploy/restart?phase=hello", 208, DONE.into()),
        ("plans/deploy/restart?phase=hello&step=hello-0:%5Bserver%5D", 208, DONE.into()),
        ("plans/recovery/continue", 208, DONE.into()),
        ("plans/recovery/interrupt", 208, DONE.into()),
        ("plans/recovery/forceComplete", 208, DONE.into()),
        // Blank is looked up by continue and interrupt, and is absent for the others.
        ("plans/deploy/continue?phase=", 404, "Phase  not found".into()),
        ("plans/deploy/interrupt?phase=", 404, "Phase  not found".into()),
        ("plans/deploy/restart?phase=&step=", 208, DONE.into()),
        // Fine: a pending element takes a continue.
        ("plans/deploy/continue", 200, received("continue")),
        ("plans/deploy/interrupt", 200, received("interrupt")),
        ("plans/deploy/interrupt", 208, DONE.into()),
        ("plans/deploy/continue", 200, received("continue")),
        ("plans/deploy/interrupt?phase=hello", 200, received("interrupt")),
        ("plans/deploy/interrupt?phase=hello", 208, DONE.into()),
        ("plans/deploy/continue?phase=hello", 200, received("continue")),
        ("plan/interrupt", 200, received("interrupt")),
        ("plan/interrupt", 208, DONE.into()),
        ("plan/continue", 200, received("continue")),
        ("plans/tidy/stop", 200, received("stop")),
        (
            "plans/deploy/forceComplete?phase=hello&step=hello-0:%5Bserver%5D",
            200,
            element("forceComplete", "hello", "hello-0:[server]"),
        ),
        ("plans/deploy/forceComplete?phase=hello&step=hello-0:%5Bserver%5D", 208, DONE.into()),
        ("plans/deploy/forceComplete?phase=hello", 200, element("forceComplete", "hello", "null")),
        ("plans/deploy/forceComplete?phase=hello", 208, DONE.into()),
        ("plans/deploy/restart?phase=hello", 200, element("restart", "hello", "null")),
        ("plan/forceComplete", 200, element("forceComplete", "null", "null")),
        ("plan/forceComplete", 208, DONE.into()),
        ("plan/interrupt", 208, DONE.into()),
        ("plan/restart", 200, element("restart", "null", "null")),
        // An unknown operation.
        ("plans/deploy/explode", 404, "HTTP 404 Not Found".into()),
    ];
    for prefix in PREFIXES {
        let client = &mut quiet();
        for (target, status, text) in &rows {
            let before = client.state();
            let answer = client.send("POST", &format!("{prefix}/{target}"), "");
            assert_eq!((answer.status, answer.text.as_str()), (*status, text.as_str()), "{}", answer.asked);
            if *status != 200 {
                assert_eq!(
                    difference(&client.state(), &before),
                    None,
                    "{}: refused, and yet something changed",
                    answer.asked
                );
            }
        }
    }
}

#[test]
fn interrupt_holds_and_continue_releases() {
    let client = &mut loaded();
    client.post("/v1/plans/deploy/interrupt", &Value::Null).status(200);
    client.advance(60_000);
    assert!(client.tree("deploy").starts_with("deploy (serial strategy) (WAITING)\n"));
    assert!(client.tree("deploy").contains("hello-0:[server] (PENDING)"));
    client.post("/v1/plans/deploy/continue", &Value::Null).status(200);
    client.until("deploy/hello=COMPLETE");
    let tree = client.tree("deploy");
    assert!(tree.contains("web (dependency-canary strategy) (WAITING)"), "{tree}");
}

#[test]
fn elements_are_found_by_id_too() {
    let client = &mut quiet();
    let plan = client.get("/v1/plans/deploy").json();
    let phase = plan["phases"][0]["id"].as_str().unwrap().to_owned();
    let step = plan["phases"][0]["steps"][1]["id"].as_str().unwrap().to_owned();
    client.send("POST", &format!("/v1/plans/deploy/forceComplete?phase={phase}&step={step}"), "").status(200);
    let plan = client.get("/v1/plans/deploy").json();
    assert_eq!(plan["phases"][0]["steps"][0]["status"], "PENDING");
    assert_eq!(plan["phases"][0]["steps"][1]["status"], "COMPLETE");
    let strange = "00000000-0000-4000-8000-000000000000";
    says(
        client,
        "POST",
        &format!("/v1/plans/deploy/interrupt?phase={strange}"),
        "",
        404,
        &format!("Phase {strange} not found"),
    );
}

#[test]
fn a_canary_takes_two_continues() {
    let client = &mut loaded();
    client.until("deploy/hello=COMPLETE");
    client.advance(30_000);
    let status = |client: &mut Client| {
        let plan = client.get("/v1/plans/deploy").json();
        let steps = plan["phases"][1]["steps"].as_array().unwrap().clone();
        steps.iter().map(|step| step["status"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(status(client), ["WAITING", "WAITING", "PENDING"]);
    client.post("/v1/plans/deploy/continue?phase=web", &Value::Null).status(200);
    client.until("deploy/web/web-0:[server, logger]=COMPLETE");
    client.advance(30_000);
    assert_eq!(status(client), ["COMPLETE", "WAITING", "PENDING"]);
    client.post("/v1/plans/deploy/continue?phase=web", &Value::Null).status(200);
    client.until("deploy=COMPLETE");
    assert_eq!(status(client), ["COMPLETE", "COMPLETE", "COMPLETE"]);
}

#[test]
fn plans_are_started_with_parameters_and_stopped() {
    let client = &mut deployed();
    client.send("POST", "/v1/plans/tidy/start", "").status(500);
    says(client, "POST", "/v1/plans/nothing/start", "{}", 404, "Plan nothing not found");
    says(
        client,
        "POST",
        "/v1/plans/nothing/start",
        r#"{"1A":"x"}"#,
        400,
        "Couldn't parse parameters: 1A is not a valid environment variable name",
    );
    assert!(
        client
            .send("POST", "/v1/plans/tidy/start", "[1")
            .status(400)
            .text
            .starts_with("Couldn't parse parameters")
    );
    let reply = client.post("/v1/plans/tidy/start", &json!({ "WHAT": "all" })).status(200).json();
    assert_eq!(reply, json!({ "message": "Received cmd: start tidy with parameters: {WHAT=all}" }));
    client.until("tidy=COMPLETE");
    let env = &client.get("/v1/pod/web-0/info").json();
    assert!(env.to_string().contains("\"WHAT\""), "parameters become environment: {env}");
    // Done, and started again: all its steps go back.
    client.post("/v1/plans/tidy/start", &json!({})).status(200);
    assert!(client.tree("tidy").starts_with("tidy (serial strategy) (PENDING)"), "{}", client.tree("tidy"));
    client.post("/v1/plans/tidy/stop", &Value::Null).status(200);
    assert!(client.tree("tidy").starts_with("tidy (serial strategy) (WAITING)"), "{}", client.tree("tidy"));
}

#[test]
fn parameters_come_as_json_and_say_so() {
    let client = &mut quiet();
    for (kind, status) in [
        ("application/x-www-form-urlencoded", 415),
        ("text/plain", 415),
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
    ] {
        let mut request = Request::new("POST", "/v1/plans/tidy/start", "{}");
        request.headers.push(("content-type".to_owned(), kind.to_owned()));
        assert_eq!(handle(&mut client.session, &request).status, status, "{kind}");
        // Other routes ignore it.
        let mut request = Request::new("POST", "/v1/plans/tidy/stop", "");
        request.headers.push(("content-type".to_owned(), kind.to_owned()));
        assert_eq!(handle(&mut client.session, &request).status, 200, "{kind}");
    }
}

#[test]
fn wrong_methods_name_the_right_one() {
    let client = &mut quiet();
    for (method, target, allow) in [
        ("POST", "/v1/plans", "GET"),
        ("DELETE", "/v1/plans/deploy", "GET"),
        ("GET", "/v1/plans/deploy/continue", "POST"),
        ("PUT", "/v1/plan/continue", "POST"),
        ("GET", "/v1/pod/hello-0/restart", "POST"),
        ("PATCH", "/service/fleet/v1/pod", "GET"),
    ] {
        let before = client.digest();
        let answer = client.send(method, target, "");
        assert_eq!((answer.status, answer.allow.as_deref()), (405, Some(allow)), "{}", answer.asked);
        assert_eq!(client.digest(), before, "{}", answer.asked);
    }
}
