//! Inputs for a cluster: machines, their maintenance, external frameworks.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

pub(crate) fn agent() -> impl Strategy<Value = &'static str> {
    select(vec!["m-1", "m-2", "m-3", "m-4", "m-5", "m-*", "*", "nobody"])
}

/// The address of a machine, as maintenance calls have it.
pub(crate) fn machine() -> impl Strategy<Value = Value> {
    (1_u8..6).prop_map(|n| json!({ "hostname": format!("m-{n}"), "ip": format!("10.0.0.{n}") }))
}

/// A schedule with windows over some machines.
pub(crate) fn schedule() -> impl Strategy<Value = Value> {
    let start = select(vec![
        json!({ "in_ms": 0 }),
        json!({ "in_ms": 20_000 }),
        json!({ "in_ms": -5_000 }),
        json!({ "nanoseconds": 0 }),
    ]);
    let duration = prop::option::of(select(vec![0_u64, 30_000_000_000, 3_600_000_000_000]));
    let window =
        (prop::collection::vec(machine(), 1..3), start, duration).prop_map(|(machines, start, duration)| {
            let mut window = json!({ "machine_ids": machines, "unavailability": { "start": start } });
            if let Some(ns) = duration {
                window["unavailability"]["duration"] = json!({ "nanoseconds": ns });
            }
            window
        });
    prop::collection::vec(window, 0..3).prop_map(|windows| json!({ "windows": windows }))
}

pub(crate) fn maintenance() -> impl Strategy<Value = Value> {
    let machines = || prop::collection::vec(machine(), 1..3).prop_map(Value::from);
    let one = || agent().prop_map(|agent| json!({ "agent_id": { "value": agent } }));
    let grace = (agent(), select(vec![0_u64, 9_000_000_000]), any::<bool>()).prop_map(|(agent, ns, gone)| {
        json!({ "agent_id": { "value": agent }, "max_grace_period": { "nanoseconds": ns }, "mark_gone": gone })
    });
    let call = prop_oneof![
        3 => schedule().prop_map(|body| ("schedule", body)),
        3 => schedule().prop_map(|body| ("schedule-add", body)),
        1 => machines().prop_map(|body| ("schedule-remove", body)),
        4 => machines().prop_map(|body| ("down", body)),
        4 => machines().prop_map(|body| ("up", body)),
        2 => one().prop_map(|body| ("drain", body)),
        2 => grace.prop_map(|body| ("drain", body)),
        1 => one().prop_map(|body| ("deactivate", body)),
        2 => one().prop_map(|body| ("reactivate", body)),
        1 => one().prop_map(|body| ("gone", body)),
    ];
    call.prop_map(|(op, body)| json!({ "kind": "maintenance", "op": op, "body": body }))
}

pub(crate) fn add_agent() -> impl Strategy<Value = Value> {
    let more = select(vec![
        json!({ "count": 1 }),
        json!({ "count": 2, "zone": "z3", "region": "r2" }),
        json!({ "hostname": "m-1", "ip": "10.0.0.1", "port": 5052 }),
        json!({ "hostname": "m-2" }),
        json!({ "roles": { "slave_public": { "cpus": 1, "mem": 256, "ports": "[80-90]", "disk": 100 } } }),
        json!({ "count": 1, "resources": { "cpus": 0, "mem": 0, "disk": 0, "ports": "[]" } }),
        json!({ "attributes": { "rack": "[1-5]", "set": "{a,b}" } }),
        json!({ "resources": { "gpus": 2, "disks": [{ "type": "PATH", "path": "/p", "size": 300 }] } }),
    ]);
    more.prop_map(|mut input| {
        input["kind"] = json!("add-agent");
        if input.get("resources").is_none() {
            input["resources"] = json!({ "cpus": 1, "mem": 512, "disk": 2000, "ports": "[1025-1030]" });
        }
        input
    })
}

pub(crate) fn framework() -> impl Strategy<Value = Value> {
    let policy = select(vec!["accept", "decline", "migrate", "replicate", "move", "grow", "manual"]);
    let op = select(vec!["add", "add", "add", "remove", "disconnect", "call"]);
    let call = select(vec![
        json!({ "type": "REVIVE" }),
        json!({ "type": "SUPPRESS" }),
        json!({ "type": "RECONCILE", "reconcile": { "tasks": [] } }),
        json!({ "type": "TEARDOWN" }),
        json!({ "type": "NONSENSE" }),
    ]);
    (op, select(vec!["guest", "other"]), policy, call).prop_map(|(op, name, policy, call)| match op {
        "add" => json!({ "kind": "framework", "op": op, "name": name, "roles": [name], "policy": policy }),
        "call" => json!({ "kind": "framework", "op": op, "name": name, "call": call }),
        _ => json!({ "kind": "framework", "op": op, "name": name }),
    })
}
