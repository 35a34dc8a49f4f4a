//! Plans, locks, cancelling and kills.

use super::*;

#[test]
fn plans_match_the_real_algorithm() {
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
        // Unlisted members are removed; omitted fields stay.
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
    // Apps that are named have a new version, whether or not anything about them changes.
    call(&mut client, "PUT", "/v2/groups/g", &body).status(200);
    pass(&mut client, 60);
    let shown = call(&mut client, "PUT", "/v2/groups/g?dryRun=true", &body).status(200).json();
    let steps = json!([
        {"actions": [{"action": "RestartApplication", "app": "/g/x"}]},
        {"actions": [{"action": "RestartApplication", "app": "/g/y"}]},
    ]);
    assert_eq!(shown["steps"], steps);
    let scaled =
        call(&mut client, "PUT", "/v2/groups/g?dryRun=true", &json!({"scaleBy": 2})).status(200).json();
    assert!(!scaled.to_string().contains("Restart"), "{scaled}");
}

#[test]
fn locked_apps_are_reported_with_their_deployments_and_force_takes_over() {
    let mut client = client();
    let c = &mut client;
    call(c, "POST", "/v2/apps", &app("/a", json!({}))).status(201);
    pass(c, 60);
    let stuck = call(c, "PUT", "/v2/apps/a", &json!({"cpus": 1000})).status(200).json();
    let refused = call(c, "PUT", "/v2/apps/a", &json!({"instances": 2})).status(409).json();
    assert_eq!(refused["deployments"], json!([{"id": stuck["deploymentId"]}]));
    // Errors are reported first.
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
fn cancelling_reverts_nothing_and_rolling_back_reverts_everything() {
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
        // An unchanged app still gets a new version.
        assert_ne!(now["version"], version);
    }
}

#[test]
fn a_removed_group_that_is_restored_is_a_new_group() {
    for made_since in [false, true] {
        let mut client = client();
        let c = &mut client;
        let group =
            json!({"id": "/shop", "enforceRole": true, "apps": [app("web", json!({"role": "shop"}))]});
        call(c, "POST", "/v2/groups", &group).status(201);
        pass(c, 60);
        let enforces = |c: &mut Client| c.get("/v2/groups/shop").json()["enforceRole"].clone();
        assert_eq!(enforces(c), json!(true));
        let removed = call(c, "DELETE", "/v2/groups/shop", &Value::Null).status(200).json();
        if made_since {
            let other = json!({"id": "/shop", "enforceRole": false, "apps": [app("db", json!({}))]});
            call(c, "POST", "/v2/groups", &other).status(201);
        }
        let id = removed["deploymentId"].as_str().unwrap_or_default();
        call(c, "DELETE", &format!("/v2/deployments/{id}"), &Value::Null).status(200);
        pass(c, 120);
        assert_eq!(c.get("/v2/apps/shop/web").status(200).json()["app"]["tasksRunning"], 1);
        assert_eq!(enforces(c), json!(false), "{made_since}");
    }
}

#[test]
fn killing_relaunches_but_killing_with_scale_does_not() {
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
fn every_prefix_has_the_same_answers() {
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

#[test]
fn a_group_larger_than_the_launch_tokens_starts_without_a_pause() {
    let mut client = Client::new(1);
    client.post(
        "/sim/agents",
        &json!({"count": 100, "resources": {"cpus": 16, "mem": 65536, "disk": 500_000}}),
    );
    let apps: Vec<Value> = (0..20).map(|n| app(&format!("a{n}"), json!({"instances": 20}))).collect();
    call(&mut client, "POST", "/v2/groups", &json!({"id": "/shop", "apps": apps})).status(201);
    // Offers declined without tokens come again: until then the world is not idle.
    let advanced = client.until("deployment-1=Finished");
    assert_eq!(advanced["met"], true, "{advanced}");
}
