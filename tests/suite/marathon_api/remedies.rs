//! Actions beside an instance can be done.

use super::*;

/// Returns the actions on the only instance of a pod or app: titles, and the reasons against them.
fn offered(client: &mut Client, instance: &str) -> Vec<(String, String)> {
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let view = client.get("/sim/view").status(200).json();
    let pods = view.pointer("/services/0/pods").and_then(Value::as_array).into_iter().flatten();
    let mut own = pods.filter(|pod| text(pod, "name").starts_with(instance));
    let pod = own.next();
    assert!(own.next().is_none(), "several instances of {instance}");
    let actions = pod.and_then(|pod| pod.get("actions")).and_then(Value::as_array).into_iter().flatten();
    actions.map(|action| (text(action, "title"), text(action, "refused"))).collect()
}

#[test]
fn an_instance_whose_definition_is_removed_offers_nothing() {
    let mut client = client();
    let container =
        json!({"name": "a", "exec": {"command": {"shell": "./a"}}, "resources": {"cpus": 0.1, "mem": 32}});
    let group = json!({"id": "/g", "apps": [
        app("db", json!({})),
        app("web", json!({"dependencies": ["db"]})),
    ]});
    call(&mut client, "POST", "/v2/groups", &group).status(201);
    let pod =
        json!({"id": "/g/pod", "scaling": {"kind": "fixed", "instances": 1}, "containers": [container]});
    call(&mut client, "POST", "/v2/pods", &pod).status(201);
    pass(&mut client, 120);
    for instance in ["g_db.", "g_web.", "g_pod."] {
        let offered = offered(&mut client, instance);
        assert!(!offered.is_empty() && offered.iter().all(|(_, refused)| refused.is_empty()), "{offered:?}");
    }
    // /g/web ends first, and its killed tasks do not report it: /g/db waits for its turn.
    client.post("/sim/inputs", &manual()).status(200);
    call(&mut client, "DELETE", "/v2/groups/g?force=true", &Value::Null).status(200);
    pass(&mut client, 2);
    call(&mut client, "DELETE", "/v2/apps/g/db/tasks/nobody", &Value::Null).status(404);
    for instance in ["g_db.", "g_web.", "g_pod."] {
        let offered = offered(&mut client, instance);
        assert!(!offered.is_empty() && offered.iter().all(|(_, refused)| !refused.is_empty()), "{offered:?}");
    }
}

#[test]
fn no_status_can_be_set_for_a_task_on_a_lost_machine() {
    let mut client = client();
    client.post("/sim/inputs", &manual()).status(200);
    call(&mut client, "POST", "/v2/apps", &app("/web", json!({}))).status(201);
    pass(&mut client, 20);
    let view = client.get("/sim/view").status(200).json();
    let agent = view["services"][0]["pods"][0]["tasks"][0]["agent"].as_str().expect("a machine").to_owned();
    let why = |client: &mut Client| {
        let why = client.get("/sim/why?plan=deployment-1&phase=step-2&step=Scale-/web").status(200).json();
        let all = why["unblock"].as_array().cloned().unwrap_or_default();
        all.iter().map(|one| one["title"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let says = |title: &String| title.starts_with("Say that web.");
    assert!(why(&mut client).iter().any(says), "{:?}", why(&mut client));
    client.post("/sim/faults", &json!({"fault": "agent-lost", "target": {"agent": agent}})).status(200);
    assert!(!why(&mut client).iter().any(says), "{:?}", why(&mut client));
}

/// The remedy whose title begins so, beside the step that scales /web.
#[expect(clippy::indexing_slicing, clippy::panic, reason = "helper of tests")]
fn remedy(client: &mut Client, title: &str) -> Value {
    let why = client.get("/sim/why?plan=deployment-1&phase=step-2&step=Scale-/web").status(200).json();
    let all = why["unblock"].as_array().cloned().unwrap_or_default();
    let found = all.into_iter().find(|one| one["title"].as_str().is_some_and(|own| own.starts_with(title)));
    found.map_or_else(|| panic!("no remedy {title}: {why}"), |one| one["input"].clone())
}

#[test]
fn check_results_set_by_hand_count() {
    for checks in [
        json!({"readinessChecks": [{"portName": "http"}]}),
        json!({"healthChecks": [{"protocol": "HTTP"}]}),
        json!({"healthChecks": [{"protocol": "MESOS_HTTP"}]}),
        json!({"healthChecks": [{"protocol": "HTTP"}], "readinessChecks": [{"portName": "http"}]}),
    ] {
        let mut client = client();
        client.post("/sim/inputs", &manual()).status(200);
        let mut web = json!({"portDefinitions": [{"port": 0, "name": "http"}]});
        web.as_object_mut().expect("an object").extend(checks.as_object().expect("an object").clone());
        call(&mut client, "POST", "/v2/apps", &app("/web", web)).status(201);
        pass(&mut client, 20);
        let starts = remedy(&mut client, "Say that web.");
        client.post("/sim/inputs", &starts).status(200);
        let is_left = |client: &mut Client| client.get("/v2/deployments").status(200).json() != json!([]);
        pass(&mut client, 100);
        if is_left(&mut client) {
            let well = remedy(&mut client, "Say that web.");
            assert_eq!(well["healthy"], true, "{checks}");
            client.post("/sim/inputs", &well).status(200);
            pass(&mut client, 1);
        }
        assert!(!is_left(&mut client), "{checks}");
    }
}

#[test]
fn a_later_behaviour_ends_manual_control() {
    let mut client = client();
    client.post("/sim/inputs", &manual()).status(200);
    call(&mut client, "POST", "/v2/apps", &app("/web", json!({}))).status(201);
    pass(&mut client, 20);
    let off = json!({"kind": "process-behaviour", "target": {"task": "*"}, "behaviour": {"manual": false}});
    client.post("/sim/inputs", &off).status(200);
    pass(&mut client, 20);
    assert_eq!(client.get("/v2/deployments").status(200).json(), json!([]));
}

fn manual() -> Value {
    json!({"kind": "process-behaviour", "target": {"task": "*"}, "behaviour": {"manual": true}})
}
