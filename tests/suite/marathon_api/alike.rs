//! Definitions that look different but are equal, or the reverse, and the paths of violated rules.

use super::*;

/// Returns the faults of a refusal: each place with its messages.
fn faults(answer: &planarium_tests::Answer) -> Vec<(String, String)> {
    let said = answer.json();
    let details = said.get("details").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let flat = |one: &Value| {
        let path = one.get("path").map(text).unwrap_or_default();
        let errors = one.get("errors").and_then(Value::as_array).cloned().unwrap_or_default();
        errors.iter().map(|error| (path.clone(), text(error))).collect::<Vec<_>>()
    };
    details.iter().flat_map(flat).collect()
}

#[test]
fn a_pod_is_replaced_only_for_changes_of_what_runs() {
    let mut client = client();
    let c = &mut client;
    let container =
        json!({"name": "a", "exec": {"command": {"shell": "./a"}}, "resources": {"cpus": 0.1, "mem": 32}});
    let pod = |scheduling: Value| json!({"id": "/p", "containers": [container], "scheduling": scheduling});
    let places = [
        json!({"fieldName": "rack", "operator": "UNLIKE", "value": "r9"}),
        json!({"fieldName": "hostname", "operator": "UNIQUE"}),
    ];
    let placed =
        |order: [usize; 2]| json!({"placement": {"constraints": [places[order[0]], places[order[1]]]}});
    call(c, "POST", "/v2/pods", &pod(placed([0, 1]))).status(201);
    pass(c, 60);
    for scheduling in [
        placed([1, 0]),
        json!({"placement": placed([0, 1])["placement"], "killSelection": "OLDEST_FIRST"}),
        json!({"placement": placed([0, 1])["placement"], "unreachableStrategy": "disabled"}),
    ] {
        assert_eq!(
            plan(c, "PUT", "/v2/pods/p?force=true", &pod(scheduling.clone())),
            Vec::<String>::new(),
            "{scheduling}"
        );
    }
    for scheduling in [json!({}), json!({"backoff": {"backoff": 2}})] {
        call(c, "PUT", "/v2/pods/p?force=true", &pod(scheduling.clone())).status(200);
        assert_eq!(steps(c).pop(), Some(vec!["RestartPod /p".to_owned()]), "{scheduling}");
        pass(c, 120);
    }
}

#[test]
fn sets_and_words_may_be_written_in_several_ways() {
    let mut client = client();
    let c = &mut client;
    let form = |operator: &str, codes: Value, strategy: &str| {
        app(
            "/a",
            json!({"constraints": [["hostname", operator]], "unreachableStrategy": strategy,
            "portDefinitions": [{"port": 0, "name": "http-api"}],
            "readinessChecks": [{"name": "r", "httpStatusCodesForReady": codes}]}),
        )
    };
    call(c, "POST", "/v2/apps", &form("unique", json!([200, 201]), "off")).status(201);
    let said = c.get("/v2/apps/a").json()["app"].clone();
    assert_eq!(
        (&said["constraints"], &said["unreachableStrategy"]),
        (&json!([["hostname", "UNIQUE"]]), &json!("disabled"))
    );
    pass(c, 60);
    let again = form("UNIQUE", json!([201, 200]), "disabled");
    assert_eq!(plan(c, "PUT", "/v2/apps/a?partialUpdate=false", &again), Vec::<String>::new());
}

#[test]
fn constraints_hold_like_in_the_real_one() {
    let mut client = client();
    let c = &mut client;
    let machine = json!({"kind": "add-agent", "hostname": "own", "attributes": {"number": "1", "rack": "r1"},
        "resources": {"cpus": 4, "mem": 4096, "disk": 10000, "ports": "[1025-2000]"}});
    c.post("/sim/inputs", &machine).status(200);
    let here =
        |constraint: Value| json!({"instances": 2, "constraints": [["rack", "LIKE", "r1"], constraint]});
    for (at, (constraint, running)) in [
        (json!(["number", "IS", "1.0005"]), 2),
        (json!(["number", "IS", "1.001"]), 0),
        // The first one is never too many.
        (json!(["hostname", "MAX_PER", "0"]), 1),
        (json!(["hostname", "MAX_PER", "2"]), 2),
        (json!(["rack", "UNLIKE", ""]), 0),
        (json!(["nothing", "UNLIKE", ""]), 2),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("/a{at}");
        call(c, "POST", "/v2/apps", &app(&id, here(constraint.clone()))).status(201);
        pass(c, 60);
        assert_eq!(c.get(&format!("/v2/apps{id}")).json()["app"]["tasksRunning"], running, "{constraint}");
        call(c, "DELETE", &format!("/v2/apps{id}?force=true"), &Value::Null).status(200);
        pass(c, 60);
    }
}

#[test]
fn an_endpoint_on_the_host_network_has_a_port() {
    let mut client = client();
    let c = &mut client;
    let container = json!({"name": "a", "exec": {"command": {"shell": "./a"}}, "resources": {"cpus": 0.1, "mem": 32},
        "endpoints": [{"name": "web"}]});
    let pod = json!({"id": "/p", "containers": [container]});
    let said = call(c, "POST", "/v2/pods", &pod).status(201).json();
    assert_eq!(said["containers"][0]["endpoints"][0]["hostPort"], 0);
    pass(c, 60);
    let status = c.get("/v2/pods/p::status").json();
    let port = &status["instances"][0]["containers"][0]["endpoints"][0]["allocatedHostPort"];
    assert!(port.as_u64().is_some_and(|port| port > 1024), "{status}");
}

#[test]
fn refusals_have_the_real_ones_path() {
    let mut client = client();
    let c = &mut client;
    let index =
        "Health check port indices must address an element of the ports array or container port mappings.";
    let alone = json!({"labels": {"MARATHON_SINGLE_INSTANCE_APP": "true"}});
    let resident = json!({"upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0},
        "unreachableStrategy": "disabled", "container": {"type": "MESOS", "volumes": [
            {"containerPath": "data", "mode": "RW", "persistent": {"size": 50}}]}});
    let single = |before: &str| {
        vec![
            (format!("{before}/isSingleInstance"), "must be false".to_owned()),
            (format!("{before}/upgradeStrategy/minimumHealthCapacity"), "got 1.0, expected 0.0".to_owned()),
            (format!("{before}/upgradeStrategy/maximumOverCapacity"), "got 1.0, expected 0.0".to_owned()),
        ]
    };
    let one = |path: &str, error: &str| vec![(path.to_owned(), error.to_owned())];
    for (method, path, body, expected) in [
        (
            "POST",
            "/v2/apps",
            app("/a", json!({"healthChecks": [{"protocol": "MESOS_HTTP", "portIndex": 7}]})),
            one("/healthChecks(0)", index),
        ),
        (
            "POST",
            "/v2/apps",
            app("/a", json!({"portDefinitions": [], "healthChecks": [{"protocol": "MESOS_TCP"}]})),
            one("/healthChecks(0)", index),
        ),
        ("POST", "/v2/apps", app("/a", alone.clone()), single("")),
        // With its own strategy it is refused earlier.
        ("PUT", "/v2/apps/a", app("/a", alone), single("")[1..].to_vec()),
        (
            "PUT",
            "/v2/groups/shop",
            json!({"apps": [app("db", resident)]}),
            one("/apps//shop/db", "Resident apps cannot have the role *"),
        ),
        (
            "POST",
            "/v2/groups",
            json!({"id": "/shop/tasks"}),
            one(
                "/",
                "must not end with any of the following reserved keywords: restart, tasks, versions, ., ..",
            ),
        ),
    ] {
        let answer = call(c, method, path, &body);
        answer.status(422);
        assert_eq!(faults(&answer), expected, "{method} {path} {body}");
    }
}
