//! Marathon's API over the router: codes and texts of what is refused, plans of what is accepted, what reads say.
//!
//! Every table was compared with the rules of `mesosphere/marathon` 1.11: `api/v2`, `api/MarathonExceptionMapper.scala`,
//! `core/deployment/DeploymentPlan.scala`, `upgrade/GroupVersioningUtil.scala`.

use planarium_rest::{EventStream, Request, handle, poll_stream};
use planarium_tests::Client;
use serde_json::{Value, json};

/// An app that runs on.
fn app(id: &str, more: Value) -> Value {
    let mut app = json!({"id": id, "cmd": "sleep 100000", "cpus": 0.05, "mem": 16});
    if let (Some(all), Value::Object(more)) = (app.as_object_mut(), more) {
        all.extend(more);
    }
    app
}

fn client() -> Client {
    Client::with_cluster("small")
}

fn pass(client: &mut Client, seconds: u64) {
    client.post("/sim/advance", &json!({"for_ms": seconds * 1000})).status(200);
}

/// One call; nothing where there is no body.
fn call(client: &mut Client, method: &str, path: &str, body: &Value) -> planarium_tests::Answer {
    let text = match body {
        Value::Null => String::new(),
        // A text is sent as it is.
        Value::String(text) => text.clone(),
        body => body.to_string(),
    };
    client.send(method, path, text)
}

/// Steps of the deployments under way, as `Scale /a, Scale /b`.
fn steps(client: &mut Client) -> Vec<Vec<String>> {
    let all = client.get("/v2/deployments").status(200).json();
    let shown = |step: &Value| {
        let action = |action: &Value| {
            let name = action["action"].as_str().unwrap_or_default();
            let id = action["app"].as_str().or(action["pod"].as_str()).unwrap_or_default();
            format!("{} {id}", name.trim_end_matches("Application"))
        };
        step["actions"].as_array().into_iter().flatten().map(action).collect::<Vec<_>>().join(", ")
    };
    let steps = |one: &Value| one["steps"].as_array().into_iter().flatten().map(shown).collect();
    all.as_array().into_iter().flatten().map(steps).collect()
}

/// The steps of one change, which is over then.
fn plan(client: &mut Client, method: &str, path: &str, body: &Value) -> Vec<String> {
    let answer = call(client, method, path, body);
    assert!(matches!(answer.status, 200 | 201), "{}: {}", answer.asked, answer.text);
    let found = steps(client).pop().unwrap_or_default();
    pass(client, 120);
    assert_eq!(steps(client), Vec::<Vec<String>>::new(), "{}: still deploying", answer.asked);
    found
}

const PATTERN: &str = "must fully match regular expression \
    '^(([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])\\.)*([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])|(\\.|\\.\\.)$'";

#[test]
fn what_is_refused_has_the_real_code_and_text_and_changes_nothing() {
    let mut client = client();
    call(&mut client, "POST", "/v2/apps", &app("/a", json!({}))).status(201);
    call(&mut client, "POST", "/v2/groups", &json!({"id": "/g", "apps": [app("x", json!({}))]})).status(201);
    pass(&mut client, 60);
    let before = (client.get("/v2/groups").text, client.get("/v2/groups/versions").text);
    let wrong = |path: &str, errors: &[&str]| json!([{"path": path, "errors": errors}]);
    let none = Value::Null;
    for (method, path, body, status, message, details) in [
        ("POST", "/v2/apps", none.clone(), 400, "Please specify data in JSON format", none.clone()),
        ("POST", "/v2/apps", json!("{bad"), 400, "Invalid JSON", none.clone()),
        ("POST", "/v2/apps", json!([]), 422, "Invalid JSON", wrong("/id", &["error.path.missing"])),
        // A text in quotes is JSON.
        ("POST", "/v2/apps", json!("\"/a\""), 422, "Invalid JSON", wrong("/id", &["error.path.missing"])),
        (
            "POST",
            "/v2/apps",
            json!({"id": 1}),
            422,
            "Invalid JSON",
            wrong("/id", &["error.expected.jsstring"]),
        ),
        (
            "POST",
            "/v2/apps",
            json!({"app": app("/b", json!({}))}),
            422,
            "Invalid JSON",
            wrong("/id", &["error.path.missing"]),
        ),
        (
            "POST",
            "/v2/apps",
            app("/b", json!({"instances": 1.5})),
            422,
            "Invalid JSON",
            wrong("/instances", &["error.expected.int"]),
        ),
        (
            "POST",
            "/v2/apps",
            app("/A_b", json!({})),
            422,
            "Invalid JSON",
            wrong("/id", &["error.pattern", PATTERN]),
        ),
        (
            "POST",
            "/v2/apps",
            json!({"id": "/b"}),
            422,
            "Object is not valid",
            wrong("/", &["AppDefinition must either contain one of 'cmd' or 'args', and/or a 'container'."]),
        ),
        (
            "POST",
            "/v2/apps",
            app("/b", json!({"cmd": "x"})),
            422,
            "Object is not valid",
            wrong("/", &["must not be an empty string"]),
        ),
        (
            "POST",
            "/v2/apps",
            app(
                "/b",
                json!({"portDefinitions": [{"port": 0, "name": "p"}], "readinessChecks": [{"portName": "p"}, {"portName": "p"}]}),
            ),
            422,
            "Object is not valid",
            wrong("/readinessChecks/size", &["got 2, expected 1 or less"]),
        ),
        (
            "POST",
            "/v2/apps",
            app("/b/tasks", json!({})),
            422,
            "Object is not valid",
            wrong(
                "/id",
                &[
                    "must not end with any of the following reserved keywords: restart, tasks, versions, ., ..",
                ],
            ),
        ),
        ("POST", "/v2/apps", app("/a", json!({})), 409, "An app with id [/a] already exists.", none.clone()),
        (
            "POST",
            "/v2/apps",
            app("/g", json!({})),
            422,
            "Object is not valid",
            wrong("/", &["Groups and Applications may not have the same identifier."]),
        ),
        (
            "PUT",
            "/v2/apps/a",
            json!({"cmd": "x"}),
            422,
            "Object is not valid",
            wrong("/", &["must not be an empty string"]),
        ),
        (
            "PUT",
            "/v2/apps/a",
            json!({"version": "2000-01-01T00:00:00.000Z"}),
            404,
            "App '/a' does not exist",
            none.clone(),
        ),
        (
            "PUT",
            "/v2/apps/a",
            json!({"version": "2000-01-01T00:00:00.000Z", "cmd": "sleep 3"}),
            422,
            "Object is not valid",
            wrong("/", &["The 'version' field may only be combined with the 'id' field."]),
        ),
        ("PATCH", "/v2/apps/zzz", json!({"cmd": "sleep 5"}), 404, "App '/zzz' does not exist", none.clone()),
        (
            "PATCH",
            "/v2/apps",
            json!([app("/zzz", json!({}))]),
            404,
            "App '/zzz' does not exist",
            none.clone(),
        ),
        ("GET", "/v2/apps/zzz", none.clone(), 404, "App '/zzz' does not exist", none.clone()),
        ("DELETE", "/v2/apps/zzz", none.clone(), 404, "App '/zzz' does not exist", none.clone()),
        ("POST", "/v2/apps/zzz/restart", none.clone(), 404, "App '/zzz' does not exist", none.clone()),
        (
            "GET",
            "/v2/apps/a/versions/2015-01-01T00:00:00.000Z",
            none.clone(),
            404,
            "App '/a' does not exist in version 2015-01-01T00:00:00.000Z",
            none.clone(),
        ),
        (
            "DELETE",
            "/v2/apps/a/tasks?scale=true&wipe=true",
            none.clone(),
            400,
            "You cannot use scale and wipe at the same time.",
            none.clone(),
        ),
        ("DELETE", "/v2/apps/a/tasks/zzz", none.clone(), 404, "Task 'zzz' does not exist", none.clone()),
        (
            "DELETE",
            "/v2/deployments/zzz",
            none.clone(),
            404,
            "DeploymentPlan zzz does not exist",
            none.clone(),
        ),
        (
            "DELETE",
            "/v2/queue/a/delay",
            none.clone(),
            404,
            "Application /a not found in tasks queue.",
            none.clone(),
        ),
        ("GET", "/v2/groups/zzz", none.clone(), 404, "Group '/zzz' does not exist", none.clone()),
        ("DELETE", "/v2/groups/zzz", none.clone(), 404, "Group '/zzz' does not exist", none.clone()),
        (
            "POST",
            "/v2/groups",
            json!({"id": "/g"}),
            409,
            "Group /g is already created. Use PUT to change this group.",
            none.clone(),
        ),
        (
            "POST",
            "/v2/groups",
            json!({"id": "/a"}),
            409,
            "An app with the path /a already exists.",
            none.clone(),
        ),
        (
            "PUT",
            "/v2/groups/g",
            json!({"id": "/g", "scaleBy": 2}),
            422,
            "Object is not valid",
            wrong("/scaleBy", &["not allowed in conjunction with other properties."]),
        ),
        (
            "POST",
            "/v2/groups",
            json!({"id": "/h", "apps": [app("x", json!({"dependencies": ["x"]}))]}),
            422,
            "Object is not valid",
            wrong("/", &["Dependency graph has cyclic dependencies."]),
        ),
        ("GET", "/v2/zzz", none.clone(), 404, "URI not found", none.clone()),
    ] {
        let answer = call(&mut client, method, path, &body);
        let said = answer.status(status).json();
        assert_eq!(said["message"], message, "{method} {path} {body}");
        if !details.is_null() {
            assert_eq!(said["details"], details, "{method} {path} {body}");
        }
    }
    assert_eq!((client.get("/v2/groups").text, client.get("/v2/groups/versions").text), before);
}

#[test]
fn plans_are_those_of_the_real_algorithm() {
    let mut client = client();
    let c = &mut client;
    let apps = json!([
        app("/a", json!({})),
        app("/b", json!({"dependencies": ["/a"]})),
        app("/c", json!({"dependencies": ["/b"]})),
        app("/z", json!({})),
    ]);
    let all_new = ["Start /a, Start /b, Start /c, Start /z", "Scale /a, Scale /z", "Scale /b", "Scale /c"];
    assert_eq!(plan(c, "PUT", "/v2/apps", &apps), all_new);
    // Levels are those of all apps: one step each, although /b does not change.
    let two = json!([{"id": "/c", "cmd": "sleep 200000"}, {"id": "/z", "cmd": "sleep 200000"}]);
    assert_eq!(plan(c, "PUT", "/v2/apps", &two), ["Restart /z", "Restart /c"]);
    for (method, path, body, wanted) in [
        // The same once more is nothing.
        ("PUT", "/v2/apps/z", json!({"cmd": "sleep 200000"}), &[][..]),
        ("PUT", "/v2/apps/z", json!({"instances": 2}), &["Scale /z"]),
        // Another configuration and another count are one restart.
        ("PUT", "/v2/apps/z", json!({"instances": 3, "env": {"A": "1"}}), &["Restart /z"]),
        ("PUT", "/v2/apps/z", json!({"labels": {"a": "b"}}), &["Restart /z"]),
        ("PUT", "/v2/apps/z", json!({"dependencies": ["/a"]}), &["Restart /z"]),
        // What executors need is not looked at.
        ("PUT", "/v2/apps/z", json!({"executorResources": {"cpus": 0.2, "mem": 64, "disk": 10}}), &[]),
        ("POST", "/v2/apps/z/restart", Value::Null, &["Restart /z"]),
        // Nothing is restarted that is to have no instances.
        ("PUT", "/v2/apps/z", json!({"instances": 0, "env": {"A": "2"}}), &["Scale /z"]),
        ("DELETE", "/v2/apps/b", Value::Null, &["Stop /b"]),
        (
            "POST",
            "/v2/groups",
            json!({"id": "/g", "groups": [
                {"id": "db", "apps": [app("x", json!({}))]},
                {"id": "web", "dependencies": ["../db"], "apps": [app("y", json!({})), app("w", json!({}))]}]}),
            &[
                "Start /g/db/x, Start /g/web/w, Start /g/web/y",
                "Scale /g/db/x",
                "Scale /g/web/w, Scale /g/web/y",
            ],
        ),
        // What is not listed goes; what is not said stays.
        ("PUT", "/v2/groups/g/web", json!({"apps": [app("y", json!({}))]}), &["Stop /g/web/w"]),
        ("PUT", "/v2/groups/g", json!({"scaleBy": 2}), &["Scale /g/db/x", "Scale /g/web/y"]),
        ("DELETE", "/v2/groups/g", Value::Null, &["Stop /g/db/x, Stop /g/web/y"]),
    ] {
        assert_eq!(plan(c, method, path, &body), wanted, "{method} {path} {body}");
    }
}

#[test]
fn a_dry_run_shows_the_plan_and_does_nothing() {
    let mut client = client();
    let body = json!({"apps": [app("x", json!({})), app("y", json!({"dependencies": ["x"]}))]});
    let shown = call(&mut client, "PUT", "/v2/groups/g?dryRun=true", &body).status(200).json();
    let actions = |at: usize| shown["steps"][at]["actions"].clone();
    assert_eq!(actions(1), json!([{"action": "ScaleApplication", "app": "/g/x"}]));
    assert_eq!(actions(2), json!([{"action": "ScaleApplication", "app": "/g/y"}]));
    assert_eq!(client.get("/v2/apps").json(), json!({"apps": []}));
}

#[test]
fn locked_apps_are_told_with_who_holds_them_and_force_takes_over() {
    let mut client = client();
    let c = &mut client;
    call(c, "POST", "/v2/apps", &app("/a", json!({}))).status(201);
    pass(c, 60);
    let stuck = call(c, "PUT", "/v2/apps/a", &json!({"cpus": 1000})).status(200).json();
    let refused = call(c, "PUT", "/v2/apps/a", &json!({"instances": 2})).status(409).json();
    assert_eq!(refused["deployments"], json!([{"id": stuck["deploymentId"]}]));
    // What is wrong is told first.
    call(c, "PUT", "/v2/apps/a", &json!({"cmd": "x"})).status(422);
    // A mere restart is locked out, too; the root is that of the deployment under way.
    call(c, "POST", "/v2/apps/a/restart", &Value::Null).status(409);
    assert_eq!(c.get("/v2/apps/a").json()["app"]["cpus"], 1000);
    let forced = call(c, "PUT", "/v2/apps/a?force=True", &json!({"cpus": 0.05})).status(200).json();
    let left = c.get("/v2/deployments").json();
    assert_eq!(left[0]["id"], forced["deploymentId"]);
    pass(c, 60);
    assert_eq!(c.get("/v2/deployments").json(), json!([]));
    // Deleting an app needs no flag.
    call(c, "PUT", "/v2/apps/a", &json!({"cpus": 1000})).status(200);
    call(c, "DELETE", "/v2/apps/a", &Value::Null).status(200);
}

#[test]
fn giving_up_undoes_nothing_and_taking_back_undoes_all() {
    for (query, status, cpus) in [("?force=true", 202, json!(1000)), ("", 200, json!(0.05))] {
        let mut client = client();
        let c = &mut client;
        call(c, "POST", "/v2/apps", &app("/a", json!({}))).status(201);
        pass(c, 60);
        let version = c.get("/v2/apps/a").json()["app"]["version"].clone();
        let stuck = call(c, "PUT", "/v2/apps/a", &json!({"cpus": 1000})).json();
        let id = stuck["deploymentId"].as_str().unwrap_or_default();
        let answer = call(c, "DELETE", &format!("/v2/deployments/{id}{query}"), &Value::Null);
        answer.status(status);
        assert_eq!(answer.text.is_empty(), status == 202);
        pass(c, 60);
        assert_eq!(c.get("/v2/deployments").json(), json!([]));
        let now = c.get("/v2/apps/a").json()["app"].clone();
        assert_eq!(now["cpus"], cpus);
        // What is as it was is still of a new version.
        assert_ne!(now["version"], version);
    }
}

#[test]
fn killing_relaunches_and_killing_to_scale_does_not() {
    let mut client = client();
    let c = &mut client;
    call(c, "POST", "/v2/apps", &app("/a", json!({"instances": 3}))).status(201);
    pass(c, 60);
    let ids = |c: &mut Client| -> Vec<String> {
        let tasks = c.get("/v2/apps/a/tasks").json()["tasks"].clone();
        let id = |task: &Value| task["id"].as_str().unwrap_or_default().to_owned();
        tasks.as_array().into_iter().flatten().map(id).collect()
    };
    let before = ids(c);
    let killed =
        call(c, "DELETE", &format!("/v2/apps/a/tasks/{}", before[0]), &Value::Null).status(200).json();
    assert_eq!(killed["task"]["id"], before[0]);
    pass(c, 60);
    let again = ids(c);
    assert_eq!(again.len(), 3);
    let next = before[0].replace("._app.1", "._app.2");
    assert!(again.contains(&next) && !again.contains(&before[0]), "{again:?}");
    let body = json!({"ids": [before[1]]});
    let answer = call(c, "POST", "/v2/tasks/delete?scale=true", &body).status(200).json();
    assert!(answer["deploymentId"].is_string(), "{answer}");
    pass(c, 60);
    assert_eq!((ids(c).len(), ids(c).contains(&before[1])), (2, false));
    assert_eq!(c.get("/v2/apps/a").json()["app"]["instances"], 2);
}

#[test]
fn the_same_answers_stand_below_every_prefix() {
    let mut client = client();
    call(&mut client, "POST", "/service/marathon/v2/apps", &app("/a", json!({}))).status(201);
    pass(&mut client, 60);
    let bare = client.get("/v2/apps").status(200).text.clone();
    for prefix in ["/marathon", "/service/marathon"] {
        assert_eq!(client.get(&format!("{prefix}/v2/apps")).status(200).text, bare, "{prefix}");
    }
    assert_eq!(client.get("/marathon/ping").status(200).text, "pong");
    // Slashes in a row are one.
    assert_eq!(client.get("/v2/apps//a").status(200).json()["app"]["id"], "/a");
}

/// What is wrong with a definition, as `path message`, each path once.
fn flaws(client: &mut Client, path: &str, body: &Value) -> Vec<String> {
    let answer = call(client, "POST", path, body).status(422).json();
    let one = |flaw: &Value| {
        let path = flaw.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
        let errors = flaw.get("errors").and_then(Value::as_array).cloned().unwrap_or_default();
        errors.into_iter().map(move |error| format!("{path} {}", error.as_str().unwrap_or_default()))
    };
    answer.get("details").and_then(Value::as_array).into_iter().flatten().flat_map(one).collect()
}

#[test]
fn pods_and_containers_keep_the_rules_of_the_real_one() {
    let mut client = client();
    let container = |more: Value| {
        let mut one = json!({"name": "a", "exec": {"command": {"shell": "./a"}}, "resources": {"cpus": 0.1, "mem": 32}});
        one.as_object_mut()
            .into_iter()
            .zip(more.as_object())
            .for_each(|(one, more)| one.extend(more.clone()));
        one
    };
    let pod = |containers: Value, more: Value| {
        let mut pod = json!({"id": "/p", "containers": containers});
        pod.as_object_mut()
            .into_iter()
            .zip(more.as_object())
            .for_each(|(pod, more)| pod.extend(more.clone()));
        pod
    };
    let endpoint = |name: &str, port: u16| json!({"name": name, "containerPort": port, "hostPort": port});
    let plain = || json!([container(json!({}))]);
    let bridge = || json!({"networks": [{"mode": "container/bridge"}]});
    for (body, expected) in [
        (pod(plain(), json!({"id": "p"})), vec!["/id Path needs to be absolute"]),
        (
            json!({"id": "/p", "containers": [container(json!({})), container(json!({}))]}),
            vec!["/containers container names must be unique"],
        ),
        (
            pod(json!([container(json!({"endpoints": [endpoint("w", 80), endpoint("w", 80)]}))]), bridge()),
            vec![
                "/ endpoint names nust be unique across all containers",
                "/ container ports must be unique across all containers",
                "/ host ports must be unique across all containers",
            ],
        ),
        (
            pod(
                json!([container(json!({"endpoints": [endpoint("w", 80)]}))]),
                json!({"networks": [{"mode": "host"}]}),
            ),
            vec!["/containers(0)/endpoints(0)/containerPort is not allowed when using host-mode networking"],
        ),
        (
            pod(
                json!([container(
                    json!({"healthCheck": {"intervalSeconds": 10, "http": {"endpoint": "x"}}})
                )]),
                json!({}),
            ),
            vec![
                "/containers(0)/healthCheck/timeoutSeconds got 20, expected less than 10",
                "/containers(0)/healthCheck/http/endpoint contained in the container endpoints",
            ],
        ),
        (
            pod(json!([container(json!({"healthCheck": {}}))]), json!({})),
            vec!["/containers(0)/healthCheck Only one of http, tcp, or command may be specified"],
        ),
        (
            pod(json!([container(json!({"volumeMounts": [{"name": "x", "mountPath": "y"}]}))]), json!({})),
            vec!["/containers(0)/volumeMounts(0)/name Referenced Volume in VolumeMount should exist"],
        ),
        (
            pod(plain(), json!({"volumes": [{"name": "v"}, {"name": "v"}]})),
            vec![
                "/volumes(0) volume must be referenced by at least one container",
                "/volumes(1) volume must be referenced by at least one container",
                "/volumes volume names must be unique",
            ],
        ),
        (
            pod(
                json!([container(
                    json!({"linuxInfo": {"seccomp": {}, "ipcInfo": {"mode": "SHARE_PARENT", "shmSize": 8}}})
                )]),
                json!({}),
            ),
            vec![
                "/containers(0)/linuxInfo/seccomp Seccomp unconfined must be true when Profile is NOT defined",
                "/containers(0)/linuxInfo/ipcInfo ipcInfo shmSize can NOT be set when mode is SHARE_PARENT",
            ],
        ),
        (
            pod(json!([container(json!({"resourceLimits": {"mem": 16}}))]), json!({})),
            vec![
                "/containers(0)/resourceLimits/mem resource limit must be greater than or equal to requested resource (32.0)",
            ],
        ),
    ] {
        assert_eq!(flaws(&mut client, "/v2/pods", &body), expected, "{body}");
    }
    let plain = json!({"id": "/b", "container": {"type": "MESOS"}});
    let neither = "/ AppDefinition must either contain one of 'cmd' or 'args', and/or a 'container'.";
    assert_eq!(flaws(&mut client, "/v2/apps", &plain), [neither]);
}

/// Begins to listen to events.
#[expect(clippy::expect_used, reason = "helper of tests")]
fn listen(client: &mut Client, query: &str) -> EventStream {
    let request = Request {
        method: "GET".into(),
        path: "/v2/events".into(),
        query: query.into(),
        headers: vec![("accept".into(), "text/event-stream".into())],
        body: Vec::new(),
    };
    *handle(&mut client.session, &request).rest.events().expect("a stream")
}

/// The events since this was asked last.
fn heard(stream: &mut EventStream, client: &Client) -> Vec<(String, Value)> {
    let text = String::from_utf8(poll_stream(stream, &client.session).bytes).unwrap_or_default();
    let frames = text.split("\r\n\r\n").filter_map(|frame| frame.split_once("\r\ndata: "));
    let event = |(kind, data): (&str, &str)| {
        (kind.trim_start_matches("event: ").to_owned(), serde_json::from_str(data).unwrap_or_default())
    };
    frames.map(event).collect()
}

#[test]
fn listeners_hear_of_changes_that_are_refused() {
    let mut client = client();
    let c = &mut client;
    call(c, "POST", "/v2/groups", &json!({"id": "/g", "apps": [app("x", json!({"cpus": 1000}))]}))
        .status(201);
    let mut stream = listen(c, "event_type=group_change_failed&event_type=deployment_failed");
    let mut heard = |c: &Client| heard(&mut stream, c);
    heard(c);
    let refused = call(c, "PUT", "/v2/apps/g/x", &json!({"instances": 2})).status(409).json();
    let events = heard(c);
    let kinds: Vec<&str> = events.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["deployment_failed", "group_change_failed"]);
    let steps = json!([{"actions": [{"action": "ScaleApplication", "app": "/g/x"}]}]);
    assert_eq!(events[0].1["plan"]["steps"], steps);
    assert_eq!(events[1].1["groupId"], "/g");
    for (_, event) in &events {
        assert_eq!(event["reason"], refused["message"]);
    }
    // What the rules refuse is told with each of them.
    for (body, reason) in [
        (
            json!({"id": "/h", "apps": [app("x", json!({"dependencies": ["x"]}))]}),
            "Validation failed: Failure(Set(value Dependency graph has cyclic dependencies.))",
        ),
        (
            json!({"id": "/h/i", "apps": [app("x", json!({}))], "groups": [{"id": "x"}]}),
            "Validation failed: Failure(Set(value Groups and Applications may not have the same identifier.))",
        ),
    ] {
        call(c, "POST", "/v2/groups", &body).status(422);
        let events = heard(c);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!((&*events[0].0, &events[0].1["reason"]), ("group_change_failed", &json!(reason)));
    }
    // What is refused for another reason never was a deployment.
    call(c, "DELETE", "/v2/apps/zzz", &Value::Null).status(404);
    let events = heard(c);
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(
        (&events[0].1["groupId"], &events[0].1["reason"]),
        (&json!("/"), &json!("App '/zzz' does not exist"))
    );
}

#[test]
fn a_group_larger_than_the_launch_tokens_comes_up_without_a_pause() {
    let mut client = Client::new(1);
    client.post(
        "/sim/agents",
        &json!({"count": 100, "resources": {"cpus": 16, "mem": 65536, "disk": 500_000}}),
    );
    let apps: Vec<Value> = (0..20).map(|n| app(&format!("a{n}"), json!({"instances": 20}))).collect();
    call(&mut client, "POST", "/v2/groups", &json!({"id": "/shop", "apps": apps})).status(201);
    // Offers that were turned down for want of tokens come again: until then the world is not idle.
    let advanced = client.until("deployment-1=Finished");
    assert_eq!(advanced["met"], true, "{advanced}");
}

/// Definitions as people write them: what is left out, and what is written in another order or form than answers have.
fn forms() -> Vec<Value> {
    let mesos = |more: Value| {
        let mut container = json!({"type": "MESOS"});
        container.as_object_mut().into_iter().zip(more.as_object()).for_each(|(c, m)| c.extend(m.clone()));
        json!({"container": container})
    };
    vec![
        json!({}),
        json!({"cpus": 1.0, "mem": 64.0, "disk": 10.5}),
        json!({"constraints": [["rack", "LIKE", "a"], ["hostname", "UNIQUE"]]}),
        json!({"env": {"B": "1", "A": "2"}, "labels": {"z": "1", "a": "2"}}),
        json!({"healthChecks": [{"protocol": "HTTP", "path": "/", "portIndex": 0}]}),
        json!({"healthChecks": [{"protocol": "HTTP", "portIndex": 0, "ignoreHttp1xx": true, "delaySeconds": 3}]}),
        json!({"healthChecks": [{"protocol": "TCP"}, {"path": "/", "maxConsecutiveFailures": 0}],
            "portDefinitions": [{"port": 0}, {"port": 10500, "name": "x", "labels": {"a": "b"}}]}),
        json!({"healthChecks": [{"path": "/a", "protocol": "MESOS_HTTP", "port": 80, "delaySeconds": 3}]}),
        json!({"healthChecks": [{"protocol": "COMMAND", "command": {"value": "true"}, "portIndex": 0}]}),
        json!({"readinessChecks": [{"portName": "default"}]}),
        json!({"container": {"type": "DOCKER", "docker": {"image": "nginx"}}}),
        mesos(json!({"docker": {"image": "nginx"}})),
        mesos(json!({"docker": {"image": "nginx"}, "linuxInfo": {"seccomp": {"unconfined": true}}})),
        mesos(json!({"volumes": [{"containerPath": "a", "hostPath": "b", "mode": "RW"}]})),
        json!({"container": {"type": "DOCKER", "docker": {"image": "nginx", "network": "BRIDGE",
            "portMappings": [{"containerPort": 80, "hostPort": 0}]}}}),
        json!({"networks": [{"mode": "container", "name": "x", "labels": {"a": "b"}}], "container": {"type": "MESOS",
            "portMappings": [{"containerPort": 80, "name": "a", "labels": {"v": "1"}}, {"containerPort": 81, "protocol": "udp,tcp"}]}}),
        json!({"networks": [{"mode": "container/bridge"}]}),
        json!({"uris": ["http://a/b.tgz"]}),
        json!({"fetch": [{"uri": "http://a/b", "cache": true, "destPath": "x"}]}),
        json!({"ports": [0, 10001]}),
        json!({"ports": [31001], "requirePorts": true}),
        json!({"portDefinitions": []}),
        json!({"upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0.2}}),
        json!({"unreachableStrategy": "disabled"}),
        json!({"unreachableStrategy": {"inactiveAfterSeconds": 5, "expungeAfterSeconds": 10}}),
        json!({"taskKillGracePeriodSeconds": 5, "killSelection": "OLDEST_FIRST", "backoffSeconds": 0, "backoffFactor": 2}),
        json!({"dependencies": ["/y/b", "/y/a"], "acceptedResourceRoles": ["*"], "user": "bob", "executor": "//cmd", "tty": true}),
        json!({"check": {"http": {"path": "/", "portIndex": 0}}}),
        json!({"check": {"exec": {"command": {"shell": "true"}}}}),
        json!({"instances": 0}),
    ]
}

#[test]
fn what_is_said_again_changes_nothing_and_a_count_only_scales() {
    let mut client = client();
    let c = &mut client;
    let version = |c: &mut Client| c.get("/v2/apps/a/x").json()["app"]["version"].clone();
    for form in forms() {
        call(c, "PUT", "/v2/groups/a?force=true", &json!({"apps": [app("x", form.clone())]})).status(200);
        let first = version(c);
        // A part, the whole, the group of it, and what answers say of it.
        call(c, "PUT", "/v2/apps/a/x?force=true", &json!({})).status(200);
        assert_eq!(version(c), first, "nothing said of {form}");
        call(c, "PUT", "/v2/apps/a/x?force=true&partialUpdate=false", &app("/a/x", form.clone())).status(200);
        assert_eq!(version(c), first, "{form} as a whole");
        call(c, "PUT", "/v2/groups/a?force=true", &json!({"apps": [app("x", form.clone())]})).status(200);
        assert_eq!(version(c), first, "{form} in its group");
        let mut said = c.get("/v2/apps/a/x").json()["app"].clone();
        for key in ["version", "versionInfo"] {
            said.as_object_mut().and_then(|said| said.shift_remove(key));
        }
        call(c, "PUT", "/v2/apps/a/x?force=true", &said).status(200);
        assert_eq!(version(c), first, "what is said of {form}");
        call(c, "PUT", "/v2/apps/a/x?force=true", &json!({"instances": 3})).status(200);
        assert_eq!(steps(c).pop(), Some(vec!["Scale /a/x".to_owned()]), "{form}");
        call(c, "DELETE", "/v2/groups/a?force=true", &Value::Null).status(200);
        pass(c, 20);
    }
}

/// A client of a small cluster with Marathon started under flags.
fn with_flags(env: &Value) -> Client {
    let mut client = client();
    let first = app("/first", json!({"instances": 0, "portDefinitions": []})).to_string();
    let load = json!({"dialect": "marathon", "files": {"first.json": first}, "env": env});
    client.post("/sim/services", &load).status(200);
    client
}

#[test]
fn service_ports_are_chosen_kept_and_shared_as_in_the_real_one() {
    let mut client = client();
    let c = &mut client;
    let bridged = |ports: &[u32]| {
        let mappings: Vec<Value> =
            ports.iter().map(|port| json!({"containerPort": 80, "servicePort": port})).collect();
        json!({"networks": [{"mode": "container/bridge"}], "container": {"type": "MESOS", "portMappings": mappings}})
    };
    // Each change, and the ports of the app then.
    for (method, path, body, ports) in [
        ("POST", "/v2/apps", app("/a", json!({})), vec![10000]),
        ("POST", "/v2/apps", app("/b", json!({"ports": [0, 10002, 0]})), vec![10001, 10002, 10003]),
        ("POST", "/v2/apps", app("/c", bridged(&[0, 9000, 0])), vec![10004, 9000, 10005]),
        // The same app gets the same ports again, more of them with it and fewer.
        ("PUT", "/v2/apps/a?partialUpdate=false&force=true", app("/a", json!({"ports": [0]})), vec![10000]),
        ("PUT", "/v2/apps/a?force=true", json!({"ports": [0, 0]}), vec![10000, 10006]),
        ("PUT", "/v2/apps/a?force=true", json!({"ports": [0]}), vec![10000]),
        ("PUT", "/v2/apps/a?force=true", json!({"ports": [10000, 0]}), vec![10000, 10006]),
        // Two apps may have the same one, and one out of the range.
        ("POST", "/v2/apps", app("/d", json!({"ports": [10000, 31000]})), vec![10000, 31000]),
        ("POST", "/v2/apps", app("/e", json!({"ports": []})), vec![]),
    ] {
        let answer = call(c, method, path, &body);
        assert!(answer.status < 300, "{}: {}", answer.asked, answer.text);
        let id = body["id"].as_str().unwrap_or("/a");
        let app = c.get(&format!("/v2/apps{id}")).json()["app"].clone();
        let declared = app["container"]["portMappings"].as_array().or(app["portDefinitions"].as_array());
        let port = |one: &Value| one.get("servicePort").or(one.get("port")).and_then(Value::as_u64);
        let found: Vec<u64> = declared.into_iter().flatten().filter_map(port).collect();
        assert_eq!(found, ports, "{method} {path} {body}");
    }
    // What is free again is given to the next.
    call(c, "DELETE", "/v2/apps/b", &Value::Null).status(200);
    call(c, "POST", "/v2/apps", &app("/f", json!({}))).status(201);
    assert_eq!(c.get("/v2/apps/f").json()["app"]["portDefinitions"][0]["port"], 10001);

    let mut narrow =
        with_flags(&json!({"MARATHON_LOCAL_PORT_MIN": "12000", "MARATHON_LOCAL_PORT_MAX": "12001"}));
    let c = &mut narrow;
    for (id, port) in [("/a", 12000), ("/b", 12001)] {
        call(c, "POST", "/v2/apps", &app(id, json!({}))).status(201);
        assert_eq!(c.get(&format!("/v2/apps{id}")).json()["app"]["portDefinitions"][0]["port"], port);
    }
    let refused = call(c, "POST", "/v2/apps", &app("/c", json!({}))).status(500).json();
    assert_eq!(refused["message"], "All ports in the range [12000-12001) are already in use");
    call(c, "GET", "/v2/apps/c", &Value::Null).status(404);
}

#[test]
fn features_are_refused_until_they_are_enabled() {
    let gpus = app("/g", json!({"gpus": 1}));
    let secret = app("/s", json!({"secrets": {"a": {"source": "/x"}}, "env": {"A": {"secret": "a"}}}));
    let volume = app(
        "/v",
        json!({"container": {"type": "MESOS", "volumes": [{"containerPath": "a", "mode": "RW",
        "external": {"name": "v", "provider": "dvdi", "options": {"dvdi/driver": "rexray"}}}]},
        "upgradeStrategy": {"minimumHealthCapacity": 0, "maximumOverCapacity": 0}}),
    );
    let enable = |name: &str| format!("Feature {name} is not enabled. Enable with --enable_features {name})");
    for (name, body, flaws) in [
        ("gpu_resources", gpus, vec![format!("/ {}", enable("gpu_resources"))]),
        (
            "secrets",
            secret,
            vec![
                format!("/secrets {}", enable("secrets")),
                "/env use of secret-references in the environment requires the secrets feature to be enabled"
                    .to_owned(),
            ],
        ),
        ("external_volumes", volume, vec![format!("/container/volumes(0) {}", enable("external_volumes"))]),
    ] {
        let none = self::flaws(&mut client(), "/v2/apps", &body);
        assert_eq!(none, flaws, "{name}");
        let others: Vec<&str> = ["gpu_resources", "secrets", "external_volumes"]
            .into_iter()
            .filter(|other| *other != name)
            .collect();
        let mut with_others = with_flags(&json!({"MARATHON_ENABLE_FEATURES": others.join(",")}));
        assert_eq!(self::flaws(&mut with_others, "/v2/apps", &body), flaws, "{name} with the others");
        let mut with_it = with_flags(&json!({"MARATHON_ENABLE_FEATURES": format!(" {name} , other")}));
        call(&mut with_it, "POST", "/v2/apps", &body).status(201);
    }
}

#[test]
fn listeners_hear_of_everything_in_the_real_order() {
    let mut client = client();
    let c = &mut client;
    let mut stream = listen(c, "");
    heard(&mut stream, c);
    let check = json!([{"protocol": "COMMAND", "command": {"value": "true"}}]);
    // A task's status goes to the listeners first, then the change of its instance, and only then does the deployment go on.
    let launch = [
        "instance_changed_event Provisioned",
        "status_update_event TASK_STARTING",
        "instance_changed_event Starting",
        "status_update_event TASK_RUNNING",
        "instance_changed_event Running",
    ];
    let finish = ["deployment_step_success", "deployment_success"];
    let create = ["group_change_success", "deployment_info", "deployment_step_success", "deployment_info"];
    let first = |more: &[&'static str]| [&create[..], more, &["api_post_event"], &launch, &finish].concat();
    for (method, path, body, expected) in [
        ("POST", "/v2/apps", app("/a", json!({})), first(&["instance_changed_event Scheduled"])),
        (
            "DELETE",
            "/v2/apps/a",
            Value::Null,
            [
                &["group_change_success", "deployment_info", "instance_changed_event Running"][..],
                &["status_update_event TASK_KILLING", "instance_changed_event Killing"],
                &["status_update_event TASK_KILLED", "instance_changed_event Killed", "app_terminated_event"],
                &finish,
            ]
            .concat(),
        ),
        (
            "POST",
            "/v2/apps",
            app("/b", json!({"healthChecks": check})),
            [
                &["group_change_success", "deployment_info", "add_health_check_event"][..],
                &["deployment_step_success", "deployment_info", "instance_changed_event Scheduled"],
                &["api_post_event"],
                &launch,
                // The check itself and all of them together; then what the agent said, and its instance by that.
                &["health_status_changed_event", "instance_health_changed_event true"],
                &["status_update_event TASK_RUNNING", "instance_health_changed_event true"],
                &finish,
            ]
            .concat(),
        ),
        (
            "PUT",
            "/v2/apps/b",
            json!({}),
            vec!["group_change_success", "deployment_success", "api_post_event"],
        ),
    ] {
        let answer = call(c, method, path, &body);
        assert!(answer.status < 300, "{}: {}", answer.asked, answer.text);
        pass(c, 60);
        let told = |(kind, event): (String, Value)| {
            let more = ["condition", "taskStatus", "healthy"].map(|key| event.get(key).cloned());
            let more = more.into_iter().flatten().next().map(|more| match more {
                Value::String(text) => format!(" {text}"),
                other => format!(" {other}"),
            });
            format!("{kind}{}", more.unwrap_or_default())
        };
        let events: Vec<String> = heard(&mut stream, c).into_iter().map(told).collect();
        assert_eq!(events, expected, "{method} {path}");
    }
}

#[test]
fn pods_are_answered_without_what_is_empty_and_can_be_put_back() {
    let mut client = client();
    let c = &mut client;
    let container = |more: Value| {
        let mut one = json!({"name": "a", "exec": {"command": {"shell": "./a"}}, "resources": {"cpus": 0.1, "mem": 32}});
        one.as_object_mut()
            .into_iter()
            .zip(more.as_object())
            .for_each(|(one, more)| one.extend(more.clone()));
        one
    };
    let plain = json!({"cpus": 0.1, "mem": 32, "disk": 0, "gpus": 0});
    for (pod, shown, placed) in [
        (json!({"containers": [container(json!({}))]}), container(json!({"resources": plain})), Value::Null),
        (
            json!({"containers": [container(json!({"endpoints": [{"name": "w", "hostPort": 0}], "image": {"kind": "DOCKER", "id": "x"}}))],
                "networks": [{"mode": "host"}],
                "scheduling": {"placement": {"constraints": [{"fieldName": "hostname", "operator": "UNIQUE"}]}}}),
            container(
                json!({"resources": plain, "endpoints": [{"name": "w", "hostPort": 0, "networkNames": []}],
                "image": {"kind": "DOCKER", "id": "x"}}),
            ),
            json!({"constraints": [{"fieldName": "hostname", "operator": "UNIQUE"}]}),
        ),
    ] {
        let mut pod = pod;
        pod["id"] = "/p".into();
        call(c, "POST", "/v2/pods", &pod).status(201);
        pass(c, 60);
        let said = c.get("/v2/pods/p").json();
        assert_eq!(said["containers"][0], shown);
        assert_eq!(said["scheduling"].get("placement").cloned().unwrap_or_default(), placed);
        assert!(said["networks"][0].get("labels").is_none(), "{said}");
        call(c, "PUT", "/v2/pods/p", &said).status(200);
        assert_eq!(c.get("/v2/pods/p").json(), said);
        call(c, "DELETE", "/v2/pods/p", &Value::Null).status(202);
        pass(c, 60);
    }
}

#[test]
fn what_keeps_volumes_can_be_changed_in_part() {
    let mut client = client();
    let c = &mut client;
    let volume = json!({"containerPath": "d", "mode": "RW", "persistent": {"size": 10}});
    let resident = app("/r", json!({"instances": 2, "container": {"type": "MESOS", "volumes": [volume]}}));
    let load = json!({"dialect": "marathon", "files": {"r.json": resident.to_string()}, "env": {"MARATHON_MESOS_ROLE": "dev"}});
    c.post("/sim/services", &load).status(200);
    pass(c, 60);
    for (change, wanted) in [
        (json!({}), None),
        (json!({"instances": 3}), Some("Scale /r")),
        (json!({"cmd": "sleep 200000"}), Some("Restart /r")),
        (json!({"labels": {"a": "b"}, "instances": 1}), Some("Restart /r")),
    ] {
        let wanted: Vec<String> = wanted.into_iter().map(str::to_owned).collect();
        assert_eq!(plan(c, "PUT", "/v2/apps/r", &change), wanted, "{change}");
    }
    let fixed = "Services with persistent volumes configured may not change resource requirements. \
        If you need to make this change, please create a new service.";
    let larger = json!({"containerPath": "d", "mode": "RW", "persistent": {"size": 20}});
    for (change, path, error) in [
        (json!({"cpus": 0.2}), "/app(0)/cpus", fixed),
        (
            json!({"container": {"type": "MESOS", "volumes": [larger]}}),
            "/app(0)",
            "Persistent volumes can not be changed!",
        ),
    ] {
        let refused = call(c, "PUT", "/v2/apps/r", &change).status(422).json();
        assert_eq!(refused["details"], json!([{"path": path, "errors": [error]}]), "{change}");
    }
}
