//! Events for listeners.

use super::*;
use planarium_rest::{EventStream, close_stream, poll_stream};

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
fn listeners_are_notified_of_refused_changes() {
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
    // Violated rules are reported with each of them.
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
    // Other refusals never were deployments.
    let unknown = "App '/zzz' does not exist";
    for (method, path, body, status, reason) in [
        ("DELETE", "/v2/apps/zzz", Value::Null, 404, unknown),
        ("PATCH", "/v2/apps/zzz", json!({"cmd": "sleep 1"}), 404, unknown),
        ("PATCH", "/v2/apps", json!([{"id": "/zzz", "cmd": "sleep 1"}]), 404, unknown),
        ("POST", "/v2/apps/zzz/restart", Value::Null, 404, unknown),
        (
            "PUT",
            "/v2/groups/g",
            json!({"version": "2001-01-01T00:00:00.000Z"}),
            422,
            "Group /g not available in version 2001-01-01T00:00:00.000Z",
        ),
    ] {
        call(c, method, path, &body).status(status);
        let events = heard(c);
        assert_eq!(events.len(), 1, "{method} {path}: {events:?}");
        assert_eq!(
            (&events[0].1["groupId"], &events[0].1["reason"]),
            (&json!("/"), &json!(reason)),
            "{method} {path}"
        );
    }
}

#[test]
fn a_refused_plan_has_its_own_id() {
    let mut client = client();
    let c = &mut client;
    call(c, "POST", "/v2/apps", &app("/x", json!({"cpus": 1000}))).status(201);
    let mut stream = listen(c, "event_type=deployment_failed");
    let mut ids = Vec::new();
    for _ in 0..2 {
        call(c, "PUT", "/v2/apps/x", &json!({"instances": 2})).status(409);
        let told = heard(&mut stream, c);
        ids.extend(told.iter().map(|(_, event)| event["id"].clone()));
    }
    let forced = call(c, "PUT", "/v2/apps/x?force=true", &json!({"instances": 2})).status(200).json();
    ids.push(forced["deploymentId"].clone());
    assert_eq!(ids.len(), 3, "{ids:?}");
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
}

#[test]
fn the_end_of_a_task_is_not_a_success_of_its_check() {
    let mut client = client();
    let c = &mut client;
    let check = json!([{"protocol": "COMMAND", "command": {"value": "true"}, "intervalSeconds": 5}]);
    call(c, "POST", "/v2/apps", &app("/a", json!({"instances": 2, "healthChecks": check}))).status(201);
    pass(c, 60);
    assert_eq!(c.get("/v2/apps/a").json()["app"]["tasksHealthy"], 2);
    let mut stream =
        listen(c, "event_type=health_status_changed_event&event_type=instance_health_changed_event");
    heard(&mut stream, c);
    call(c, "PUT", "/v2/apps/a", &json!({"instances": 1})).status(200);
    pass(c, 60);
    assert_eq!(steps(c), Vec::<Vec<String>>::new());
    let told = heard(&mut stream, c);
    let well = |(_, event): &&(String, Value)| event["alive"] == true || event["healthy"] == true;
    assert_eq!(told.iter().find(well), None);
}

#[test]
fn agent_health_survives_a_scheduler_restart() {
    let mut client = client();
    let c = &mut client;
    let check = json!([{"protocol": "COMMAND", "command": {"value": "true"}, "intervalSeconds": 5}]);
    call(c, "POST", "/v2/apps", &app("/a", json!({"instances": 2, "healthChecks": check}))).status(201);
    pass(c, 60);
    let mut stream =
        listen(c, "event_type=health_status_changed_event&event_type=instance_health_changed_event");
    heard(&mut stream, c);
    call(c, "DELETE", "/v2/leader", &Value::Null).status(200);
    c.post("/sim/advance", &json!({"for_ms": 499})).status(200);
    assert_eq!(heard(&mut stream, c), []);
    pass(c, 5);
    assert_eq!(c.get("/v2/apps/a").json()["app"]["tasksHealthy"], 2);
    let told: Vec<_> =
        heard(&mut stream, c).into_iter().map(|(kind, event)| (kind, event["healthy"].clone())).collect();
    assert_eq!(told, vec![("instance_health_changed_event".to_owned(), json!(true)); 2]);
}

#[test]
fn a_kill_for_health_reports_the_previous_failure() {
    let mut client = client();
    let c = &mut client;
    let health = json!({"kind": "process-behaviour", "target": {"pod": "/a"}, "behaviour": {"health": [200, 500, 500, 503]}});
    c.post("/sim/inputs", &health).status(200);
    let check = json!([{"protocol": "HTTP", "intervalSeconds": 10, "gracePeriodSeconds": 0, "maxConsecutiveFailures": 2}]);
    call(c, "POST", "/v2/apps", &app("/a", json!({"healthChecks": check}))).status(201);
    let mut stream =
        listen(c, "event_type=failed_health_check_event&event_type=unhealthy_instance_kill_event");
    pass(c, 60);
    let told = heard(&mut stream, c);
    let kill = told.iter().position(|(kind, _)| kind == "unhealthy_instance_kill_event");
    let before = &told[..kill.unwrap_or_default()];
    let failures: Vec<&Value> = before.iter().map(|(_, event)| &event["timestamp"]).collect();
    assert_eq!(failures.len(), 3, "{told:?}");
    let (_, event) = &told[3];
    assert_eq!((&event["reason"], &event["timestamp"]), (&json!("500 Internal Server Error"), failures[1]));
    let failure = c.get("/v2/apps/a?embed=app.lastTaskFailure").json()["app"]["lastTaskFailure"].clone();
    let text = "Task was killed since health check failed. Reason: 500 Internal Server Error";
    assert_eq!((&failure["message"], &failure["timestamp"]), (&json!(text), failures[1]));
}

#[test]
fn the_number_of_deployments_is_checked_before_the_change() {
    let mut client = with_flags(&json!({"MARATHON_MAX_RUNNING_DEPLOYMENTS": "1"}));
    let c = &mut client;
    pass(c, 60);
    call(c, "POST", "/v2/apps", &app("/x", json!({"cpus": 1000}))).status(201);
    for (method, path, body) in [
        ("PATCH", "/v2/apps/zzz", json!({"cmd": "sleep 1"})),
        ("PATCH", "/v2/apps", json!([{"id": "/zzz", "cmd": "sleep 1"}])),
        ("POST", "/v2/apps/zzz/restart", Value::Null),
        ("DELETE", "/v2/apps/zzz", Value::Null),
        ("PUT", "/v2/groups/g", json!({"version": "2001-01-01T00:00:00.000Z"})),
    ] {
        call(c, method, path, &body).status(403);
    }
}

#[test]
fn listeners_are_notified_in_the_real_order() {
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
                // The check itself and all of them together; then the agent's result, and the resulting health of its
                // instance.
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
fn fields_of_events_match_the_real_one() {
    let mut client = client();
    let c = &mut client;
    call(c, "POST", "/v2/apps", &app("/a", json!({"instances": 0}))).status(201);
    let mut all = listen(c, "");
    let mut none = listen(c, "event_type=");
    pass(c, 5);
    client.post("/sim/faults", &json!({"fault": "master-failover"})).status(200);
    let c = &mut client;
    call(c, "POST", "/v2/apps", &app("/huge", json!({"cpus": 4000}))).status(201);
    pass(c, 5);
    call(c, "DELETE", "/v2/apps/huge", &Value::Null).status(200);
    pass(c, 5);
    let events = heard(&mut all, c);
    assert_eq!(heard(&mut none, c), Vec::new(), "a type without a name is none");
    let scheduled = events.iter().find(|(kind, _)| kind == "instance_changed_event").map(|(_, event)| event);
    let scheduled = scheduled.cloned().unwrap_or_default();
    for key in ["agentId", "host"] {
        assert_eq!(scheduled.get(key), Some(&Value::Null), "{scheduled}");
    }
    // The end of an app comes after what becomes of its instances.
    let place = |wanted: &str| events.iter().rposition(|(kind, _)| kind == wanted);
    assert!(place("app_terminated_event") > place("instance_changed_event"), "{events:?}");
}

#[test]
fn the_framework_is_identified_by_its_id() {
    let mut client = client();
    let mut stream = listen(&mut client, "event_type=scheduler_registered_event");
    call(&mut client, "POST", "/v2/apps", &app("/a", json!({}))).status(201);
    pass(&mut client, 5);
    let id = client.get("/v2/info").json()["frameworkId"].clone();
    let events = heard(&mut stream, &client);
    for (_, event) in events.iter().filter(|(kind, _)| kind == "scheduler_registered_event") {
        assert_eq!(event["frameworkId"], id);
    }
}

#[test]
fn listeners_are_notified_of_other_listeners() {
    let mut client = client();
    let c = &mut client;
    let mut first = listen(c, "");
    assert_eq!(heard(&mut first, c), [], "what it hears of itself came with the answer");
    pass(c, 1);
    let second = listen(c, "event_type=none");
    call(c, "POST", "/v2/apps", &app("/a", json!({"instances": 0}))).status(201);
    let told = heard(&mut first, c);
    let attached: Vec<&Value> =
        told.iter().filter(|(kind, _)| kind.starts_with("event_stream")).map(|(_, event)| event).collect();
    assert_eq!(attached.len(), 1, "{told:?}");
    assert_eq!(attached[0]["eventType"], "event_stream_attached");
    assert!(attached[0]["remoteAddress"].is_string() && attached[0]["timestamp"].is_string(), "{told:?}");
    let mut third = listen(c, "event_type=event_stream_detached");
    close_stream(&second, &mut c.session);
    assert_eq!(
        heard(&mut third, c).iter().map(|(kind, _)| &**kind).collect::<Vec<_>>(),
        ["event_stream_detached"]
    );
    let kinds: Vec<String> = heard(&mut first, c).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["event_stream_attached", "event_stream_detached"]);
    assert_eq!(heard(&mut first, c), []);
    // Listening changes nothing that happens.
    let digest = c.session.engine.digest();
    listen(c, "");
    assert_eq!(c.session.engine.digest(), digest);
}
