//! Refusals of the API, in the real one's words; nothing changes then.

use super::*;

const PATTERN: &str = "must fully match regular expression \
    '^(([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])\\.)*([a-z0-9]|[a-z0-9][a-z0-9\\-]*[a-z0-9])|(\\.|\\.\\.)$'";

#[test]
fn refusals_have_the_real_code_and_text_and_change_nothing() {
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
        ("DELETE", "/v2/apps/a/restart", none.clone(), 404, "App '/a/restart' does not exist", none.clone()),
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

/// Returns the faults of a definition, as `path message`, each path once.
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
fn pods_and_containers_follow_the_real_ones_rules() {
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
