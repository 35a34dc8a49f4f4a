//! Answers of reads.

use super::*;

#[test]
fn instances_of_pods_have_their_role_and_no_plugin_is_loaded() {
    let mut client = client();
    let container =
        json!({"name": "a", "exec": {"command": {"shell": "./a"}}, "resources": {"cpus": 0.0001, "mem": 32}});
    let pod = json!({"id": "/data/pod", "role": "data", "containers": [container]});
    call(&mut client, "POST", "/v2/pods", &pod).status(201);
    pass(&mut client, 60);
    let status = client.get("/v2/pods/data/pod::status").status(200).json();
    assert_eq!(status["instances"][0]["role"], "data", "{status}");
    assert_eq!(client.get("/v2/plugins").status(200).json(), json!({"plugins": []}));
    let missing = json!({"message": "No plugin with this pluginId: auth"});
    assert_eq!(client.get("/v2/plugins/auth/login").status(404).json(), missing);
    assert_eq!(call(&mut client, "POST", "/v2/plugins/auth/login", &json!({})).status(404).json(), missing);
}

#[test]
fn bounds_of_amounts_are_cut_to_whole_numbers() {
    let mut client = client();
    let tiny =
        app("/tiny", json!({"cpus": 0.0001, "executorResources": {"cpus": 0.01, "mem": 32, "disk": 10}}));
    assert_eq!(call(&mut client, "POST", "/v2/apps", &tiny).status(201).json()["cpus"], 0.0001);
    pass(&mut client, 60);
    assert_eq!(client.get("/v2/apps/tiny").json()["app"]["tasksRunning"], 1);
    for (field, value) in
        [("cpus", json!(-0.1)), ("mem", json!(-1)), ("executorResources", json!({"mem": 31}))]
    {
        let mut bad = app("/bad", json!({}));
        bad[field] = value;
        let refused = call(&mut client, "POST", "/v2/apps", &bad).status(422).json();
        assert_eq!(refused["details"][0]["errors"], json!(["error.min"]), "{field}: {refused}");
    }
}

#[test]
fn groups_match_the_real_ones() {
    let mut client = client();
    call(
        &mut client,
        "PUT",
        "/v2/groups/a",
        &json!({"groups": [{"id": "b", "apps": [app("x", json!({}))]}]}),
    )
    .status(200);
    let root = client.get("/v2/groups").status(200).json();
    assert_eq!(root.get("enforceRole"), None);
    assert_eq!(root["groups"][0]["enforceRole"], false);
    assert_eq!(root["groups"][0]["groups"][0].get("enforceRole"), None);
    let bare = client.get("/v2/groups?embed=group.groups").status(200).json();
    for key in ["apps", "pods"] {
        assert_eq!(bare["groups"][0]["groups"][0][key], json!([]), "{key}");
    }
    let bare = client.get("/v2/groups?embed=group.apps").status(200).json();
    assert_eq!(bare["groups"], json!([]));
    // An id that no group can have is of no group.
    let odd =
        call(&mut client, "PATCH", "/v2/groups/ODD_ID", &json!({"enforceRole": true})).status(404).json();
    assert_eq!(odd["message"], "Group '/ODD_ID' does not exist");
    let nested =
        call(&mut client, "PATCH", "/v2/groups/a/b", &json!({"enforceRole": true})).status(422).json();
    assert_eq!(nested["details"][0]["errors"], json!(["Path needs to be top-level"]));
}

#[test]
fn a_version_with_other_fields_hides_no_other_fault() {
    let mut client = client();
    let body = json!({"version": "2015-10-03T00:00:00.001Z", "apps": [],
        "groups": [{"id": "in", "version": "2015-10-03T00:00:00.001Z"}, {"id": "in2", "scaleBy": 2}]});
    let refused = call(&mut client, "PUT", "/v2/groups/g", &body).status(422).json();
    let mut places: Vec<&str> =
        refused["details"].as_array().into_iter().flatten().filter_map(|one| one["path"].as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["/groups(0)/version", "/groups(1)/scaleBy", "/version"], "{refused}");
}

#[test]
fn instants_from_before_the_world_are_written_in_full() {
    let mut client = client();
    call(&mut client, "POST", "/v2/apps", &app("/g/x", json!({}))).status(201);
    let refused = call(&mut client, "PUT", "/v2/groups/g", &json!({"version": "2001-02-03T04:05:06Z"}))
        .status(422)
        .json();
    assert_eq!(refused["message"], "Group /g not available in version 2001-02-03T04:05:06.000Z");
    let missing = client.get("/v2/apps/g/x/versions/2001-02-03T05:05:06.7+01:00").status(404).json();
    assert_eq!(missing["message"], "App '/g/x' does not exist in version 2001-02-03T04:05:06.700Z");
    let odd = client.get("/v2/apps/g/x/versions/yesterday").status(422).json();
    assert_eq!(odd["message"], "Invalid timestamp provided 'yesterday'. Expecting ISO-8601 datetime string.");
}

#[test]
fn a_whole_definition_keeps_neither_version_nor_executor_resources() {
    let mut client = client();
    let executor = json!({"cpus": 0.2, "mem": 64, "disk": 20});
    call(&mut client, "POST", "/v2/apps", &app("/x", json!({"instances": 2, "executorResources": executor})))
        .status(201);
    pass(&mut client, 60);
    let first = client.get("/v2/apps/x").json()["app"]["version"].clone();
    call(&mut client, "PUT", "/v2/apps/x", &json!({"instances": 1})).status(200);
    pass(&mut client, 60);
    let whole = app("/x", json!({"instances": 3, "version": first, "executorResources": executor}));
    for (method, path, body) in [
        ("PUT", "/v2/apps?partialUpdate=false", json!([whole])),
        ("PUT", "/v2/apps/x?partialUpdate=false", whole.clone()),
    ] {
        call(&mut client, method, path, &body).status(200);
        pass(&mut client, 60);
        let shown = client.get("/v2/apps/x").json();
        assert_eq!(
            (&shown["app"]["instances"], shown["app"].get("executorResources")),
            (&json!(3), None),
            "{path}"
        );
    }
}

#[test]
fn an_app_that_changes_its_network_keeps_all_its_ports() {
    let mut client = client();
    let web = app(
        "/web",
        json!({
            "container": {"type": "MESOS", "docker": {"image": "web"}},
            "portDefinitions": [{"port": 0, "name": "a"}, {"port": 0, "name": "b"}, {"port": 0, "name": "c"}],
        }),
    );
    call(&mut client, "POST", "/v2/apps", &web).status(201);
    pass(&mut client, 60);
    call(&mut client, "PATCH", "/v2/apps/web", &json!({"networks": [{"mode": "container/bridge"}]}))
        .status(200);
    let app = &client.get("/v2/apps/web").json()["app"];
    assert_eq!(app["container"]["portMappings"].as_array().map(Vec::len), Some(3), "{app}");
    assert_eq!(app.get("portDefinitions"), None);
}

#[test]
fn the_queue_matches_the_real_one() {
    let mut client = client();
    let agent = json!({"hostname": "odd", "attributes": {"speed": "2.5", "text": "a", "span": "[1-2,5-6]"},
        "resources": {"cpus": 1, "mem": 64}});
    client.post("/sim/agents", &agent).status(200);
    call(&mut client, "POST", "/v2/apps", &app("/huge", json!({"cpus": 4000}))).status(201);
    pass(&mut client, 100);
    let queue = client.get("/v2/queue?embed=lastUnusedOffers").status(200).json();
    let offers = queue["queue"][0]["lastUnusedOffers"].as_array().cloned().unwrap_or_default();
    let own = offers.iter().find(|one| one["offer"]["hostname"] == "odd").cloned().unwrap_or_default();
    let expected = [
        json!({"name": "speed", "scalar": 2.5}),
        json!({"name": "text", "text": "a"}),
        json!({"name": "span", "ranges": [{"begin": 1, "end": 2}, {"begin": 5, "end": 6}]}),
    ];
    for attribute in expected {
        let all = own["offer"]["attributes"].as_array().cloned().unwrap_or_default();
        assert!(all.contains(&attribute), "{attribute} in {all:?}");
    }
    // A restart of the process resets the counts.
    let since = queue["queue"][0]["since"].clone();
    client.post("/sim/faults", &json!({"fault": "scheduler-restart", "target": {}})).status(200);
    pass(&mut client, 10);
    let again = client.get("/v2/queue").status(200).json()["queue"][0]["since"].clone();
    assert!(again.as_str() > since.as_str(), "{again} after {since}");
    assert_eq!(client.get("/v2/info").json()["marathon_config"]["new_group_enforce_role"], "Off");
}

#[test]
fn pypis_client_gets_no_unknown_fields() {
    let mut client = with_flags(&json!({"MARATHON_SIM_CLIENT_COMPAT": "true"}));
    let check = json!({"exec": {"command": {"shell": "true"}}});
    let huge = app(
        "/huge",
        json!({"cpus": 4000, "tty": true, "check": check, "resourceLimits": {"cpus": 8000},
        "executorResources": {"cpus": 0.2, "mem": 64, "disk": 20}}),
    );
    call(&mut client, "POST", "/v2/apps", &huge).status(201);
    let container =
        json!({"name": "a", "exec": {"command": {"shell": "./a"}}, "resources": {"cpus": 4000, "mem": 32}});
    call(&mut client, "POST", "/v2/pods", &json!({"id": "/pod", "containers": [container]})).status(201);
    let queue = client.get("/v2/queue").status(200).json();
    assert_eq!(queue["queue"].as_array().map(Vec::len), Some(1), "{queue}");
    let version =
        client.get("/v2/apps/huge").json()["app"]["version"].as_str().unwrap_or_default().to_owned();
    let old = client.get(&format!("/v2/apps/huge/versions/{version}")).status(200).json();
    for shown in [&queue["queue"][0]["app"], &old] {
        for key in ["check", "tty", "executorResources", "resourceLimits"] {
            assert_eq!(shown.get(key), None, "{key} in {shown}");
        }
    }
}

#[test]
fn instances_from_before_a_restart_were_started_after_the_last_scaling() {
    let mut client = client();
    let c = &mut client;
    call(c, "POST", "/v2/apps", &app("/a", json!({"instances": 4}))).status(201);
    pass(c, 60);
    call(c, "POST", "/v2/apps/a/restart", &Value::Null).status(200);
    let stats = c.get("/v2/apps/a?embed=app.taskStats").json()["app"]["tasksStats"].clone();
    let running = |kind: &str| stats[kind]["stats"]["counts"]["running"].clone();
    assert_eq!(running("withOutdatedConfig"), 4, "{stats}");
    assert_eq!(running("startedAfterLastScaling"), 4, "{stats}");
    assert_eq!(running("totalSummary"), 4, "{stats}");
    pass(c, 120);
    let stats = c.get("/v2/apps/a?embed=app.taskStats").json()["app"]["tasksStats"].clone();
    let running = |kind: &str| stats[kind]["stats"]["counts"]["running"].clone();
    assert_eq!(
        (running("withLatestConfig"), running("startedAfterLastScaling")),
        (json!(4), json!(4)),
        "{stats}"
    );
    assert_eq!(stats["withOutdatedConfig"], Value::Null);
}
