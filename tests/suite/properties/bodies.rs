//! Bodies of HTTP calls that are nearly right: answered with a code below 500, and with nothing changed when refused.

use crate::checks::{config, shown, wrong};
use crate::deeds::{call, input, load};
use crate::definitions::variant;
use planarium_tests::Client;
use planarium_tests::same::difference;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Changes of a body.
#[derive(Clone, Debug)]
enum Change {
    Value(u16, Value),
    Drop(u16),
    Rename(u16, &'static str),
    Extra(u16),
    Cut(u16),
    Byte(u16, u8),
}

fn values() -> Vec<Value> {
    let mut deep = json!(1);
    for _ in 0..30 {
        deep = json!([deep]);
    }
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("x"),
        json!("\u{1F980}\u{0}"),
        json!([]),
        json!({}),
        json!([null]),
        json!({ "value": "x" }),
        json!({ "nanoseconds": i64::MAX }),
        json!({ "nanoseconds": -1 }),
        json!({ "in_ms": i64::MAX }),
        json!({ "in_ms": i64::MIN }),
        json!("*"),
        json!("9".repeat(400)),
        deep,
    ]
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<u16>;
    prop_oneof![
        6 => (at(), select(values())).prop_map(|(at, value)| Change::Value(at, value)),
        2 => at().prop_map(Change::Drop),
        2 => (at(), select(vec!["", "kind", "type", "x", "\u{1F980}"])).prop_map(|(at, key)| Change::Rename(at, key)),
        1 => at().prop_map(Change::Extra),
        1 => at().prop_map(Change::Cut),
        1 => (at(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
    ]
}

/// Returns the number of places in a value: itself and all its parts.
fn places(value: &Value) -> usize {
    1 + match value {
        Value::Array(all) => all.iter().map(places).sum(),
        Value::Object(all) => all.values().map(places).sum(),
        _ => 0,
    }
}

/// Does something at the nth place.
fn at_place(value: &mut Value, n: usize, work: &mut dyn FnMut(&mut Value)) -> usize {
    if n == 0 {
        work(value);
        return 0;
    }
    let mut left = n - 1;
    let inner: Vec<&mut Value> = match value {
        Value::Array(all) => all.iter_mut().collect(),
        Value::Object(all) => all.values_mut().collect(),
        _ => Vec::new(),
    };
    for one in inner {
        let count = places(one);
        if left < count {
            at_place(one, left, work);
            return 0;
        }
        left -= count;
    }
    left
}

fn changed(body: &Value, changes: &[Change]) -> Vec<u8> {
    let mut body = body.clone();
    for change in changes {
        let (Change::Value(share, _) | Change::Drop(share) | Change::Rename(share, _) | Change::Extra(share)) =
            change
        else {
            continue;
        };
        let n = places(&body) * usize::from(*share) / (usize::from(u16::MAX) + 1);
        at_place(&mut body, n, &mut |place| match (change, place) {
            (Change::Value(_, value), place) => *place = value.clone(),
            (Change::Drop(_), Value::Object(map)) => {
                let key = map.keys().next_back().cloned();
                key.and_then(|key| map.remove(&key));
            }
            (Change::Drop(_), Value::Array(all)) => drop(all.pop()),
            (Change::Rename(_, new), Value::Object(map)) => {
                let key = map.keys().next().cloned();
                if let Some(value) = key.and_then(|key| map.remove(&key)) {
                    map.insert((*new).to_owned(), value);
                }
            }
            (Change::Extra(_), Value::Object(map)) => drop(map.insert("extra".to_owned(), json!(1))),
            (Change::Extra(_), Value::Array(all)) => all.extend(all.first().cloned()),
            _ => {}
        });
    }
    let mut bytes = body.to_string().into_bytes();
    for change in changes {
        let at = |share: &u16| (bytes.len() * usize::from(*share)) >> 16;
        match change {
            Change::Cut(share) => bytes.truncate(at(share)),
            Change::Byte(share, byte) => {
                let at = at(share);
                if let Some(place) = bytes.get_mut(at) {
                    *place = *byte;
                }
            }
            _ => {}
        }
    }
    bytes
}

/// Calls with bodies that are right.
fn calls() -> impl Strategy<Value = (&'static str, String, Value)> {
    let own = input().prop_map(|input| ("POST", "/sim/inputs".to_owned(), input));
    let list = prop::collection::vec(input(), 0..4)
        .prop_map(|inputs| ("POST", "/sim/inputs".to_owned(), json!(inputs)));
    // Inputs of that kind are calls of their paths, too.
    let call = call().prop_map(|input| {
        let path = input["path"].as_str().unwrap_or_default().to_owned();
        let method =
            ["PUT", "DELETE", "GET"].into_iter().find(|method| input["method"] == **method).unwrap_or("POST");
        (method, path, input["body"].clone())
    });
    let schedule = json!({ "windows": [ { "machine_ids": [{ "hostname": "agent-1", "ip": "10.0.0.1" }, { "hostname": "agent-2", "ip": "10.0.0.2" }],
        "unavailability": { "start": { "nanoseconds": 1_000 }, "duration": { "nanoseconds": 60_000_000_000_u64 } } } ] });
    let scalar = |value: u64| json!([{ "name": "cpus", "type": "SCALAR", "scalar": { "value": value } }]);
    let reserved = json!([{ "name": "cpus", "type": "SCALAR", "scalar": { "value": 1 },
        "reservations": [{ "type": "DYNAMIC", "role": "guest", "principal": "p" }] }]);
    let fixed = vec![
        ("POST", "/maintenance/schedule", schedule.clone()),
        ("POST", "/machine/down", json!([{ "hostname": "agent-1", "ip": "10.0.0.1" }])),
        ("POST", "/machine/up", json!([{ "hostname": "agent-1", "ip": "10.0.0.1" }])),
        ("PUT", "/weights", json!([{ "role": "guest", "weight": 2.0 }, { "role": "other", "weight": 1 }])),
        ("POST", "/quota", json!({ "force": true, "role": "guest", "guarantee": scalar(1) })),
        (
            "POST",
            "/api/v1",
            json!({ "type": "UPDATE_MAINTENANCE_SCHEDULE", "update_maintenance_schedule": { "schedule": schedule } }),
        ),
        (
            "POST",
            "/api/v1",
            json!({ "type": "DRAIN_AGENT", "drain_agent": { "agent_id": { "value": "agent-1" }, "max_grace_period": { "nanoseconds": 5 }, "mark_gone": false } }),
        ),
        (
            "POST",
            "/api/v1",
            json!({ "type": "RESERVE_RESOURCES", "reserve_resources": { "agent_id": { "value": "x" }, "resources": reserved } }),
        ),
        (
            "POST",
            "/api/v1",
            json!({ "type": "UPDATE_QUOTA", "update_quota": { "force": false, "quota_configs": [{ "role": "guest", "guarantees": { "cpus": { "value": 1 } }, "limits": { "cpus": { "value": 2 } } }] } }),
        ),
        ("POST", "/api/v1", json!({ "type": "TEARDOWN", "teardown": { "framework_id": { "value": "x" } } })),
        ("POST", "/api/v1", json!({ "type": "GET_MAINTENANCE_STATUS" })),
        (
            "POST",
            "/api/v1/scheduler",
            json!({ "type": "SUBSCRIBE", "subscribe": { "framework_info": { "user": "u", "name": "f", "roles": ["guest"], "capabilities": [{ "type": "MULTI_ROLE" }], "failover_timeout": 10.5 } } }),
        ),
        ("POST", "/sim/advance", json!({ "for_ms": 1_500 })),
        ("POST", "/sim/advance", json!({ "until": "deploy=COMPLETE", "limit_ms": 5_000 })),
        ("POST", "/sim/advance", json!({ "events": 3 })),
        ("POST", "/sim/seek", json!({ "at_ms": 1_000 })),
        ("POST", "/sim/seek", json!({ "seq": 9 })),
        (
            "POST",
            "/sim/faults",
            json!({ "fault": "agent-lost", "target": { "agent": "agent-1" }, "for_ms": 5_000 }),
        ),
        (
            "POST",
            "/sim/agents",
            json!({ "count": 2, "hostname": "x-{n}", "resources": { "cpus": 1.5, "mem": 100, "ports": "[1-5]", "disks": [{ "type": "MOUNT", "path": "/a", "size": 5 }] }, "attributes": { "a": "[1-2]" } }),
        ),
        ("POST", "/sim/services", load("load-service", "more", "", &variant(0))),
        (
            "PUT",
            "/sim/scenario",
            json!({ "version": 1, "title": "t", "seed": 1, "cluster": "3", "script": [{ "then": "1s", "show": "all", "do": { "kind": "offer-round" } }], "until": "t=60s" }),
        ),
        (
            "PUT",
            "/sim/journal",
            json!({ "version": 1, "genesis": { "seed": 3 }, "entries": [
            { "seq": 1, "at_ms": 0, "input": { "kind": "add-agent", "count": 1 } },
            { "seq": 2, "at_ms": 1_500, "after_event": 3, "input": { "kind": "offer-round" } } ], "end_ms": 9_000, "end_seq": 5, "end_quiet": 1 }),
        ),
    ];
    let fixed = select(fixed).prop_map(|(method, path, body)| (method, path.to_owned(), body));
    prop_oneof![3 => own, 1 => list, 2 => call, 6 => fixed]
}

/// Returns everything that a refusal must not change.
fn kept(client: &mut Client) -> Value {
    let state = client.get("/state").json();
    let engine = &client.session.engine;
    json!([shown(engine), state, engine.now_ms()])
}

/// A hundred years end at a bound, after more events than this test has time for.
fn goes_far(body: &[u8]) -> bool {
    let Ok(Value::Object(map)) = serde_json::from_slice(body) else { return false };
    map.values().any(|value| value.as_u64().is_some_and(|ms| ms > 3_600_000))
}

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn a_body_that_is_nearly_right_is_carried_out_or_refused(
        calls in prop::collection::vec((calls(), prop::collection::vec(change(), 1..4)), 1..16),
    ) {
        let mut client = Client::with_cluster("small");
        let machines = json!({ "kind": "add-agent", "count": 2, "hostname": "m-{n}", "resources": { "cpus": 2, "mem": 1024, "disk": 5000, "ports": "[1025-1040]" } });
        client.input(&machines);
        client.input(&load("load-service", "solo", "", &variant(0)));
        client.advance(5_000);
        for ((method, path, body), changes) in &calls {
            let before = kept(&mut client);
            let body = changed(body, changes);
            let text = String::from_utf8_lossy(&body).into_owned();
            if path == "/sim/advance" && goes_far(&body) {
                continue;
            }
            let answer = client.send(method, path, body);
            // A `start` without a body is the real server's 500, also as a `call`; an unsimulated feature is a 501.
            let own = path.contains("/start") || text.contains("/start") || answer.status == 501;
            prop_assert!(answer.status < 500 || own, "{}: {}: {} {}", answer.asked, text, answer.status, answer.text);
            if answer.status >= 400 {
                prop_assert_eq!(difference(&kept(&mut client), &before), None, "{}: {}: {} {}", answer.asked, text, answer.status, answer.text);
            }
            prop_assert_eq!(wrong(&client.session.engine), None, "{}: {}: {}", answer.asked, text, answer.text);
        }
        let to = client.session.engine.now_ms() + 30_000;
        client.session.advance_to(to);
        prop_assert_eq!(wrong(&client.session.engine), None);
        let journal = client.get("/sim/journal").text;
        let digest = client.session.engine.digest();
        let answer = client.send("PUT", "/sim/journal", journal);
        prop_assert_eq!(answer.status, 200, "{}", answer.text);
        prop_assert_eq!(client.session.engine.digest(), digest);
    }
}
