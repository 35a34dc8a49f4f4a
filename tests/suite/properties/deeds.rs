//! Operations on a crowded world: every kind of input, every way to move.

use crate::cluster::{add_agent, agent, framework, machine, maintenance, schedule};
use crate::definitions::{BROKEN, variant};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// One thing done to an engine.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Put(Value),
    For(u64),
    Events(u64),
    StatusChange,
    UntilIdle(u64),
    Until(&'static str, u64),
    SeekMs(u8),
    SeekSeq(u16),
    Back(u8),
    Switch(u32),
    Head,
}

/// Services by name, with the framework of those that share one.
const SERVICES: &[(&str, &str)] =
    &[("solo", ""), ("/shop/cart", "shop"), ("/shop/search", "shop"), ("late", "")];

fn service() -> impl Strategy<Value = &'static str> {
    select(vec!["solo", "solo", "/shop/cart", "/shop/search", "shop/search", "late", "shop", "nobody"])
}

fn pod() -> impl Strategy<Value = &'static str> {
    select(vec!["web-0", "web-1", "web-2", "store-0", "vault-0", "gpu-0", "disk-0", "public-0", "none-0"])
}

fn task() -> impl Strategy<Value = &'static str> {
    select(vec![
        "web-0-server",
        "web-1-server",
        "web-1-helper",
        "store-0-format",
        "store-0-migrate",
        "store-0-node",
        "store-0-save",
        "vault-0-node",
        "gpu-0-train",
        "disk-1-keep",
        "sealed-0-server",
        "*",
    ])
}

pub(crate) fn load(kind: &str, name: &str, framework: &str, text: &str) -> Value {
    json!({
        "kind": kind, "dialect": "sdk", "name": name, "framework": framework, "files": { "svc.yml": text },
        "env": { "PERMANENT_FAILURE_TIMEOUT_SECS": "60", "MIN_REPLACE_DELAY_SECS": "20",
                 "ENABLE_AUTOMATIC_POD_REPLACEMENT": "true", "ENABLE_BACKOFF": "true", "RESERVE_DISCIPLINE": "1",
                 "DCOS_SERVICE_ACCOUNT_CREDENTIAL": "secrets/service-account.json" },
    })
}

fn definition() -> impl Strategy<Value = Value> {
    // Few changes at once, and a pod more in every second one.
    let changes = prop_oneof![
        2 => Just(0_u16),
        3 => (0_u16..10).prop_map(|bit| 1 << bit),
        2 => 0_u16..1024,
    ];
    let text = prop_oneof![
        8 => (changes, 0_u16..10).prop_map(|(changes, pod)| variant(changes | pod << 10)),
        1 => select(BROKEN).prop_map(str::to_owned),
    ];
    let kind = select(vec!["load-service", "update-service", "update-service", "update-service"]);
    (kind, select(SERVICES), text)
        .prop_map(|(kind, (name, framework), text)| load(kind, name, framework, &text))
}

fn plan() -> impl Strategy<Value = Value> {
    let op = select(vec![
        "start",
        "stop",
        "interrupt",
        "continue",
        "continue",
        "continue",
        "restart",
        "force-complete",
    ]);
    let place = select(vec![
        ("deploy", None, None),
        ("deploy", Some("web"), None),
        ("deploy", Some("store"), None),
        ("deploy", Some("store"), Some("store-0:[node]")),
        ("deploy", Some("store"), Some("store-0:[migrate]")),
        ("deploy", Some("web"), Some("web-0:[server, helper]")),
        ("deploy", Some("web"), Some("none")),
        ("save", None, None),
        ("save", Some("save"), Some("store-0:[save]")),
        ("update", None, None),
        ("update", Some("web"), None),
        ("recovery", None, None),
        ("recovery", Some("default"), None),
        ("recovery", Some("default"), Some("web-0:[server, helper]")),
        ("decommission", None, None),
        ("decommission", Some("web-1"), None),
        ("decommission", Some("web-1"), Some("kill-web-1-server")),
        ("uninstall", None, None),
        ("nothing", None, None),
    ]);
    let params = prop::option::of(select(vec![
        json!({}),
        json!({ "WHERE": "there" }),
        json!({ "LD_PRELOAD": "", "a": "\u{1F980}" }),
    ]));
    (service(), op, place, params).prop_map(|(service, op, (plan, phase, step), params)| {
        let mut input = json!({ "kind": "plan", "service": service, "plan": plan, "op": op });
        for (key, value) in
            [("phase", phase.map(Value::from)), ("step", step.map(Value::from)), ("params", params)]
        {
            if let Some(value) = value {
                input[key] = value;
            }
        }
        input
    })
}

fn pod_command() -> impl Strategy<Value = Value> {
    let op = select(vec!["restart", "replace", "pause", "resume"]);
    let tasks = select(vec![
        json!([]),
        json!(["server"]),
        json!(["node"]),
        json!(["helper"]),
        json!(["save", "node"]),
        json!(["none"]),
    ]);
    (service(), pod(), op, tasks).prop_map(|(service, pod, op, tasks)| {
        json!({ "kind": "pod", "service": service, "pod": pod, "op": op, "tasks": tasks })
    })
}

const FAULTS: &[&str] = &[
    "task-fail",
    "task-kill",
    "task-oom",
    "crash-loop",
    "slow-start",
    "hang",
    "readiness-fail",
    "health-fail",
    "image-missing",
    "plugin-fail",
    "agent-lost",
    "agent-partitioned",
    "agent-partitioned",
    "agent-restart",
    "agent-full",
    "offers-withheld",
    "status-dropped",
    "scheduler-restart",
    "master-failover",
];

fn fault() -> impl Strategy<Value = Value> {
    let target = prop_oneof![
        2 => task().prop_map(|task| json!({ "task": task })),
        2 => pod().prop_map(|pod| json!({ "pod": pod })),
        2 => agent().prop_map(|agent| json!({ "agent": agent })),
        1 => service().prop_map(|service| json!({ "service": service })),
        1 => (service(), task(), agent()).prop_map(|(service, task, agent)| json!({ "service": service, "task": task, "agent": agent })),
        1 => Just(json!({})),
        1 => Just(json!({ "step": "store-0:[node]" })),
    ];
    let more = (
        prop::option::of(select(vec![json!(0), json!(1), json!(3_000), json!(40_000), json!(700_000)])),
        prop::option::of(select(vec![json!(0), json!(1), json!(3)])),
        prop::option::of(select(vec![json!(0), json!(0.5), json!(1)])),
        prop::option::of(select(vec![json!("loop"), json!("fault-2"), json!("")])),
        prop::option::of(select(vec![json!(0), json!(25_000)])),
        prop::option::of(select(vec![json!(0), json!(-1), json!(137)])),
    );
    (select(FAULTS), target, more).prop_map(
        |(fault, target, (for_ms, count, probability, id, delay_ms, exit_code))| {
            let mut input = json!({ "kind": "fault", "fault": fault, "target": target });
            let more = [
                ("for_ms", for_ms),
                ("count", count),
                ("probability", probability),
                ("id", id),
                ("delay_ms", delay_ms),
                ("exit_code", exit_code),
            ];
            for (key, value) in more {
                if let Some(value) = value {
                    input[key] = value;
                }
            }
            input
        },
    )
}

fn behaviour() -> impl Strategy<Value = Value> {
    let behaviour = select(vec![
        json!({ "manual": true }),
        json!({ "start_ms": 0, "exit_after_ms": 0 }),
        json!({ "start_ms": 40_000 }),
        json!({ "readiness": [1, 1, 0], "health": [0, 0, 1] }),
        json!({ "exit_code": 1, "exit_after_ms": 5_000 }),
        json!({ "ready_after_ms": 20_000 }),
        json!({}),
    ]);
    (prop::option::of(task()), behaviour).prop_map(|(task, behaviour)| {
        let target = task.map_or(json!({}), |task| json!({ "task": task }));
        json!({ "kind": "process-behaviour", "target": target, "behaviour": behaviour })
    })
}

fn status() -> impl Strategy<Value = Value> {
    let state = select(vec![
        "TASK_STAGING",
        "TASK_STARTING",
        "TASK_RUNNING",
        "TASK_RUNNING",
        "TASK_KILLING",
        "TASK_FINISHED",
        "TASK_FAILED",
        "TASK_KILLED",
        "TASK_ERROR",
        "TASK_LOST",
        "TASK_DROPPED",
        "TASK_UNREACHABLE",
        "TASK_GONE",
        "TASK_GONE_BY_OPERATOR",
        "TASK_UNKNOWN",
        "TASK_NONSENSE",
    ]);
    (task(), state, prop::option::of(0_i32..2), prop::option::of(any::<bool>()), prop::option::of(service()))
        .prop_map(|(task, state, exit, healthy, service)| {
            let mut input = json!({ "kind": "task-status", "task": task, "state": state });
            if let Some(exit) = exit {
                input["readiness_exit"] = json!(exit);
            }
            if let Some(healthy) = healthy {
                input["healthy"] = json!(healthy);
            }
            if let Some(service) = service {
                input["service"] = json!(service);
            }
            input
        })
}

/// Calls of the simulated APIs.
pub(crate) fn call() -> impl Strategy<Value = Value> {
    let word =
        select(vec!["start", "stop", "interrupt", "continue", "restart", "forceComplete", "force-complete"]);
    let query = select(vec![
        "",
        "?phase=web",
        "?phase=store&step=store-0:[node]",
        "?phase=&step=",
        "?phase=default&step=%zz",
    ]);
    let root = select(vec![
        "",
        "/service/solo",
        "/service/shop.cart",
        "/service/shop/v1/service/shop.search",
        "/service/none",
    ]);
    let sdk_plan = (
        root.clone(),
        select(vec!["deploy", "save", "update", "recovery", "decommission", "none"]),
        word,
        query,
        select(vec![json!({}), json!({ "WHERE": "x" }), json!("{"), Value::Null, json!([1])]),
    )
        .prop_map(|(root, plan, word, query, body)| {
            ("POST", format!("{root}/v1/plans/{plan}/{word}{query}"), body)
        });
    let sdk_pod = (
        root.clone(),
        pod(),
        select(vec!["restart", "replace", "pause", "resume"]),
        select(vec![Value::Null, json!(["server"]), json!("[\"node\"]"), json!({ "a": 1 })]),
    )
        .prop_map(|(root, pod, op, body)| ("POST", format!("{root}/v1/pod/{pod}/{op}"), body));
    let file = (root, select(vec![json!("text"), json!(""), json!(7), Value::Null]))
        .prop_map(|(root, body)| ("PUT", format!("{root}/v1/state/files/note.txt"), body));
    let windows = schedule().prop_map(|mut body| {
        for window in body["windows"].as_array_mut().into_iter().flatten() {
            window["unavailability"]["start"] = json!({ "nanoseconds": 5 });
        }
        ("POST", "/maintenance/schedule".to_owned(), body)
    });
    let machines = (
        select(vec!["/machine/down", "/machine/up", "/master/machine/down"]),
        prop::collection::vec(machine(), 0..3),
    )
        .prop_map(|(path, machines)| ("POST", path.to_owned(), json!(machines)));
    let quota = (select(vec!["guest", "*", "none"]), 0_u8..4).prop_map(|(role, cpus)| {
        let body = json!({ "type": "UPDATE_QUOTA", "update_quota": { "force": cpus > 1, "quota_configs": [
            { "role": role, "guarantees": { "cpus": { "value": 0 } }, "limits": { "cpus": { "value": cpus } } } ] } });
        ("POST", "/api/v1".to_owned(), body)
    });
    let rest = select(vec![
        ("PUT", "/weights", json!([{ "role": "guest", "weight": 3.5 }])),
        ("PUT", "/weights", json!([{ "role": "guest", "weight": -1 }])),
        ("POST", "/quota", json!({ "role": "other", "guarantee": [{ "name": "cpus", "type": "SCALAR", "scalar": { "value": 2 } }] })),
        ("DELETE", "/quota/other", Value::Null),
        ("POST", "/teardown", json!("frameworkId=none")),
        ("POST", "/reserve", json!("slaveId=none&resources=[]")),
        ("GET", "/state", Value::Null),
        ("GET", "/v1/plans", Value::Null),
        ("POST", "/sim/advance", Value::Null),
        ("POST", "/", Value::Null),
        ("POST", "/api/v1", json!({ "type": "GET_STATE" })),
        ("POST", "/api/v1", json!({})),
    ])
    .prop_map(|(method, path, body)| (method, path.to_owned(), body));
    let all = prop_oneof![3 => sdk_plan, 2 => sdk_pod, 1 => file, 1 => windows, 1 => machines, 1 => quota, 1 => rest];
    all.prop_map(
        |(method, path, body)| json!({ "kind": "call", "method": method, "path": path, "body": body }),
    )
}

/// One input of any kind.
pub(crate) fn input() -> impl Strategy<Value = Value> {
    let remove = (service(), any::<bool>())
        .prop_map(|(name, force)| json!({ "kind": "remove-service", "name": name, "force": force }));
    let round = select(vec![json!([]), json!(["m-2"]), json!(["m-1", "m-1", "nobody"])])
        .prop_map(|agents| json!({ "kind": "offer-round", "agents": agents }));
    let clear = select(vec!["fault-1", "fault-2", "fault-3", "loop", ""])
        .prop_map(|id| json!({ "kind": "clear-fault", "id": id }));
    prop_oneof![
        8 => plan(),
        6 => definition(),
        6 => fault(),
        4 => pod_command(),
        4 => maintenance(),
        4 => call(),
        3 => status(),
        2 => behaviour(),
        2 => clear,
        2 => add_agent(),
        2 => framework(),
        1 => agent().prop_map(|agent| json!({ "kind": "remove-agent", "agent": agent })),
        1 => remove,
        1 => round,
    ]
}

/// One way to move on.
fn onward() -> impl Strategy<Value = Deed> {
    let conditions = select(vec![
        "idle",
        "deploy=COMPLETE",
        "solo/deploy=COMPLETE",
        "shop/search/deploy/web=WAITING",
        "t=40s",
        "t=90s && idle",
        "solo/deploy/store/store-0:[node]=STARTED && t=10s",
        "none/deploy=COMPLETE",
        "recovery=IN_PROGRESS",
    ]);
    prop_oneof![
        4 => (0_u64..20_000).prop_map(Deed::For),
        2 => (20_000_u64..300_000).prop_map(Deed::For),
        2 => (0_u64..30).prop_map(Deed::Events),
        1 => Just(Deed::StatusChange),
        1 => (0_u64..200_000).prop_map(Deed::UntilIdle),
        2 => (conditions, 0_u64..200_000).prop_map(|(text, ms)| Deed::Until(text, ms)),
    ]
}

/// One way to another place.
fn elsewhere() -> impl Strategy<Value = Deed> {
    prop_oneof![
        2 => any::<u8>().prop_map(Deed::SeekMs),
        2 => any::<u16>().prop_map(Deed::SeekSeq),
        2 => (1_u8..5).prop_map(Deed::Back),
        2 => (1_u32..6).prop_map(Deed::Switch),
        3 => Just(Deed::Head),
    ]
}

/// Generates random operations of all kinds.
pub(crate) fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![10 => input().prop_map(Deed::Put), 8 => onward(), 2 => elsewhere()];
    prop::collection::vec(deed, 1..30)
}
