//! Repeated reports, fields of answers, service ports.

use super::*;

/// Definitions as users write them: with omitted fields, and in another order or form than answers have.
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
fn identical_updates_change_nothing_and_a_new_count_only_scales() {
    let mut client = client();
    let c = &mut client;
    let version = |c: &mut Client| c.get("/v2/apps/a/x").json()["app"]["version"].clone();
    for form in forms() {
        call(c, "PUT", "/v2/groups/a?force=true", &json!({"apps": [app("x", form.clone())]})).status(200);
        let first = version(c);
        // A part, the whole, its group, and the form of answers.
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

#[test]
fn service_ports_are_chosen_kept_and_shared_like_in_the_real_one() {
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
        // The same app keeps its ports when it gets more or fewer.
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
    // A freed port is given to the next app.
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
fn pods_are_answered_without_empty_fields_and_can_be_put_back() {
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
fn resident_apps_can_be_updated_partially() {
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
