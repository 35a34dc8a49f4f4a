//! Calls with every part replaced by an invalid one: each gets an answer, never a panic, and a refused one changes
//! nothing.

use crate::{agent_id, framework, last_offer, launch, request, scalar, text, three};
use planarium_tests::Client;
use serde_json::{Value, json};

/// Returns values to replace a part with.
fn strangers() -> Vec<Value> {
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    vec![
        Value::Null,
        json!(""),
        json!("x".repeat(2_000)),
        json!(-1),
        json!(1e300),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(true),
        json!([]),
        json!({}),
        json!([null, 1, "a"]),
        json!({ "value": { "value": [] } }),
        deep,
    ]
}

/// Pointers to every part of a value.
fn parts(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| parts(value, &format!("{at}/{key}"), all)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(n, value)| parts(value, &format!("{at}/{n}"), all));
        }
        _ => {}
    }
}

/// Sends a call with each part replaced by each stranger.
fn try_all(client: &mut Client, path: &str, stream: &str, call: &Value) {
    let headers = [("content-type", "application/json"), ("mesos-stream-id", stream)];
    let mut all = Vec::new();
    parts(call, "", &mut all);
    for at in all {
        for stranger in strangers() {
            let mut broken = call.clone();
            *broken.pointer_mut(&at).unwrap() = stranger;
            let before = client.get("/state").text;
            let response = request(client, path, &headers, &broken.to_string());
            let shown = || format!("{at} of {call}: {}", text(&response));
            assert!(matches!(response.status, 200 | 202 | 400 | 403 | 404 | 409 | 501 | 503), "{}", shown());
            if response.status >= 400 {
                assert_eq!(client.get("/state").text, before, "{}", shown());
                assert!(!response.body.is_empty(), "{}", shown());
            }
        }
    }
}

#[test]
fn scheduler_calls() {
    let mut client = three();
    let body = json!({ "type": "SUBSCRIBE", "subscribe": { "framework_info": { "user": "root", "name": "f", "role": "dev" } } });
    let response =
        request(&mut client, "/api/v1/scheduler", &[("content-type", "application/json")], &body.to_string());
    let stream = response.headers.iter().find(|(name, _)| *name == "mesos-stream-id").unwrap().1.clone();
    let offer = last_offer(&mut client, "f", "a");
    let id = json!({ "value": "x" });
    let mut rich = launch(&offer, "t", &[scalar("cpus", 1.0)]);
    let task = &mut rich["accept"]["operations"][0]["launch"]["task_infos"][0];
    task["health_check"] =
        json!({ "type": "COMMAND", "command": { "value": "true" }, "interval_seconds": 1.5 });
    task["check"] = json!({ "type": "HTTP", "http": { "port": 1 }, "delay_seconds": 2 });
    task["kill_policy"] = json!({ "grace_period": { "nanoseconds": 1 } });
    task["labels"] = json!({ "labels": [{ "key": "a", "value": "b" }] });
    task["container"] =
        json!({ "type": "MESOS", "mesos": { "image": { "type": "DOCKER", "docker": { "name": "i" } } } });
    task["command"]["environment"] = json!({ "variables": [{ "name": "a", "value": "b" }] });
    rich["accept"]["filters"] = json!({ "refuse_seconds": 5 });
    let volume = json!({
        "name": "disk", "type": "SCALAR", "scalar": { "value": 5 },
        "reservations": [{ "type": "DYNAMIC", "role": "dev", "principal": "p", "labels": { "labels": [{ "key": "k", "value": "v" }] } }],
        "disk": { "persistence": { "id": "v" }, "volume": { "container_path": "d", "mode": "RW" }, "source": { "type": "MOUNT", "mount": { "root": "/m" } } },
    });
    let group = json!({ "executor": { "executor_id": id, "resources": [scalar("mem", 32.0)] }, "task_group": { "tasks": [{ "name": "t", "task_id": id }] } });
    let operations = json!([
        { "type": "RESERVE", "reserve": { "resources": [volume] } },
        { "type": "CREATE", "create": { "volumes": [volume] } },
        { "type": "LAUNCH_GROUP", "launch_group": group },
    ]);
    let framework_id = offer["framework_id"].clone();
    for mut call in [
        rich,
        json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]], "operations": operations } }),
        json!({ "type": "DECLINE", "decline": { "offer_ids": [id], "filters": { "refuse_seconds": 1 } } }),
        json!({ "type": "RECONCILE", "reconcile": { "tasks": [{ "task_id": id, "agent_id": id }] } }),
        json!({ "type": "KILL", "kill": { "task_id": id, "kill_policy": { "grace_period": { "nanoseconds": 1 } } } }),
        json!({ "type": "ACKNOWLEDGE", "acknowledge": { "task_id": id, "agent_id": id, "uuid": "x" } }),
        json!({ "type": "DECLINE_INVERSE_OFFERS", "decline_inverse_offers": { "inverse_offer_ids": [id], "filters": { "refuse_seconds": 1 } } }),
        json!({ "type": "REVIVE", "revive": { "roles": ["dev"] } }),
    ] {
        call["framework_id"] = framework_id.clone();
        try_all(&mut client, "/api/v1/scheduler", &stream, &call);
    }
    client.advance(60_000);
    let broken = client.get("/sim/events").json();
    assert!(broken.as_array().unwrap().iter().all(|event| event["kind"] != "invariant-broken"));
}

#[test]
fn operator_calls() {
    let mut client = three();
    framework(&mut client, "f", &[]);
    let agent = json!({ "value": agent_id(&mut client, "a") });
    let cpus = json!({
        "name": "cpus", "type": "SCALAR", "scalar": { "value": 0.001 },
        "reservations": [{ "type": "DYNAMIC", "role": "dev" }],
    });
    let ports = json!({
        "name": "ports", "type": "RANGES", "ranges": { "range": [{ "begin": 31000, "end": 31000 }] }, "role": "dev", "reservation": {},
    });
    for call in [
        json!({ "type": "RESERVE_RESOURCES", "reserve_resources": { "agent_id": agent, "resources": [cpus, ports] } }),
        json!({ "type": "TEARDOWN", "teardown": { "framework_id": { "value": "x" } } }),
        json!({ "type": "UPDATE_WEIGHTS", "update_weights": { "weight_infos": [{ "role": "dev", "weight": 1.5 }] } }),
        json!({ "type": "UPDATE_QUOTA", "update_quota": { "force": false, "quota_configs": [{
            "role": "dev", "guarantees": { "cpus": { "value": 1 } }, "limits": { "cpus": { "value": 2 } },
        }] } }),
        json!({ "type": "REMOVE_QUOTA", "remove_quota": { "role": "dev" } }),
        json!({ "type": "SET_QUOTA", "set_quota": { "quota_request": {
            "role": "dev", "force": false, "guarantee": [{ "name": "cpus", "type": "SCALAR", "scalar": { "value": 1 } }],
        } } }),
    ] {
        try_all(&mut client, "/api/v1", "none", &call);
    }
}

#[test]
fn forms() {
    let mut client = three();
    let agent = agent_id(&mut client, "a");
    for path in ["reserve", "unreserve", "create-volumes", "destroy-volumes", "teardown"] {
        for body in [
            String::new(),
            "&&&===%%%".to_owned(),
            "slaveId".to_owned(),
            format!("slaveId={agent}&resources=&volumes="),
            format!("slaveId={agent}&resources={0}&volumes={0}", "[".repeat(10_000)),
            format!("slaveId={agent}&resources=%5B%7B%7D%5D&volumes=%5B%7B%7D%5D"),
            format!("frameworkId={}", "x".repeat(100_000)),
        ] {
            let before = client.get("/state").text;
            let answer = client.send("POST", &format!("/{path}"), body.clone());
            assert_eq!(answer.status, 400, "{path} {body}: {}", answer.text);
            assert_eq!(client.get("/state").text, before);
        }
        assert_eq!(client.send("POST", &format!("/{path}"), vec![0xFF, 0xFE]).status, 400);
    }
}

/// Ten megabytes are not read; a body beyond the maximum depth is not JSON.
#[test]
fn huge_bodies() {
    let mut client = three();
    framework(&mut client, "f", &[]);
    let before = client.get("/state").text;
    for (method, path) in [
        ("PUT", "/weights"),
        ("POST", "/quota"),
        ("POST", "/reserve"),
        ("POST", "/unreserve"),
        ("POST", "/create-volumes"),
        ("POST", "/destroy-volumes"),
        ("POST", "/teardown"),
        ("POST", "/api/v1"),
        ("POST", "/api/v1/scheduler"),
    ] {
        assert_eq!(client.send(method, path, "[".repeat(10 * 1024 * 1024)).status, 413, "{path}");
        assert_eq!(client.send(method, path, "[".repeat(1024 * 1024)).status, 400, "{path}");
    }
    assert_eq!(client.get("/state").text, before);
}
