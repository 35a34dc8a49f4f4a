//! All systems on the same few machines: allocations never exceed a machine, and the ledger matches each layer.
//!
//! Debug builds compare the ledger with the records of the master and the totals of nodes after every step; these tests check the
//! view of the world, after any inputs.

use super::cluster;
use crate::checks::{Revisions, assert_same, config, read, wrong};
use planarium_scenario::parse;
use planarium_world::{Engine, Genesis, Journal};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// One thing done to an engine.
#[derive(Clone, Debug)]
enum Op {
    Put(Value),
    Advance(u64),
    Seek(u8),
}

/// Machines that are too small for all that is asked for, with the systems of an example on them.
fn engine(seed: u64, sharing: &str) -> Engine {
    let id = "marathon-beside-the-others";
    let example = planarium_gallery::examples().iter().find(|example| example.id == id).expect("the example");
    let name = format!("{id}.planarium.yaml");
    let file = |path: &str| {
        let found = example.files.iter().find(|(own, _)| *own == path);
        found.map(|(_, text)| (*text).to_owned())
    };
    let text = planarium_gallery::examples()
        .iter()
        .find(|example| example.id == id)
        .map(|example| example.scenario.to_owned())
        .expect("a scenario");
    let scenario = parse(&text, &name, &file).scenario.expect("a scenario");
    let genesis: Genesis =
        serde_json::from_value(json!({ "seed": seed, "sharing": sharing })).expect("a genesis");
    let mut engine = Engine::new(genesis);
    let machines = json!({ "kind": "add-agent", "count": 3, "hostname": "agent-{n}", "ip": "10.0.0.{n}",
        "resources": { "cpus": 3, "mem": 2048, "disk": 5000, "ports": "[1025-1040]" } });
    engine.apply(read(&machines)).outcome.expect("machines");
    for input in scenario.set_up() {
        if !matches!(input, planarium_protocol::Input::AddAgent(_)) {
            engine.apply(input).outcome.expect("the set-up");
        }
    }
    engine
}

fn web(instances: u32, mem: u32) -> Value {
    let app = json!({ "id": "/web", "cmd": "./web", "cpus": 0.5, "mem": mem, "instances": instances });
    json!({ "kind": "update-service", "dialect": "marathon", "name": "/web", "files": { "web.json": app.to_string() } })
}

/// Plain Kubernetes objects beside the pods of KUDO's operator.
fn plain(replicas: u32, cpu: &str, kind: &str) -> Value {
    let pod = json!({ "metadata": { "labels": { "app": "plain" } }, "spec": { "containers": [
        { "name": "c", "image": "acme/plain:1.0", "resources": { "requests": { "cpu": cpu, "memory": "200Mi" } } },
    ] } });
    let spec = json!({ "replicas": replicas, "selector": { "matchLabels": { "app": "plain" } }, "serviceName": "plain", "template": pod });
    let mut object =
        json!({ "apiVersion": "apps/v1", "kind": kind, "metadata": { "name": "plain" }, "spec": spec });
    if kind == "Deployment"
        && let Some(spec) = object["spec"].as_object_mut()
    {
        spec.remove("serviceName");
    }
    json!({ "kind": "update-service", "dialect": "kubernetes", "name": "plain", "files": { "plain.json": object.to_string() } })
}

/// A model of Skopos in another version, with another number of replicas.
fn shop(replicas: u32, version: u8) -> Value {
    let model = format!(
        "doctype: com.datagridsys.doctype/skopos/model
version: 1
components:
  front: {{ image: 'acme/front:{version}.0', replicas: {replicas} }}
"
    );
    let env = "core_plugin: docker\nload_balancer_plugin: elb\n";
    json!({ "kind": "update-service", "dialect": "skopos", "name": "shop", "options": { "run": true },
        "files": { "model.yaml": model, "env.yaml": env } })
}

/// A window of maintenance, and what an operator does in it.
fn maintenance(op: &str, agent: u8, in_ms: u64) -> Value {
    let id = json!({ "hostname": format!("agent-{agent}"), "ip": format!("10.0.0.{agent}") });
    let body = match op {
        "schedule" => json!({ "windows": [{ "machine_ids": [id],
            "unavailability": { "start": { "in_ms": in_ms }, "duration": { "nanoseconds": 60_000_000_000_u64 } } }] }),
        _ => json!([id]),
    };
    json!({ "kind": "maintenance", "op": op, "body": body })
}

fn input() -> impl Strategy<Value = Value> {
    let agent = select(vec!["agent-1", "agent-2", "agent-3"]);
    let fault = select(vec!["agent-lost", "agent-partitioned", "agent-restart"]);
    let strike = select(vec!["task-fail", "task-kill", "task-oom"]);
    let service = select(vec!["store", "bar", "shop", "marathon", "web", "plain"]);
    prop_oneof![
        4 => (0_u32..6, select(vec![64_u32, 500, 1500])).prop_map(|(instances, mem)| web(instances, mem)),
        4 => (0_u32..12, select(vec!["100m", "500m", "1500m"])).prop_map(|(replicas, cpus)| json!({
            "kind": "update-service", "dialect": "kudo", "name": "bar",
            "params": { "REPLICAS": replicas.to_string(), "CPUS": cpus } })),
        3 => (fault, agent.clone(), 1_000_u64..200_000).prop_map(|(fault, agent, ms)| json!({
            "kind": "fault", "fault": fault, "target": { "agent": agent }, "for_ms": ms })),
        3 => (strike, service).prop_map(|(fault, service)| json!({
            "kind": "fault", "fault": fault, "target": { "service": service } })),
        3 => (0_u32..8, select(vec!["100m", "700m"]), select(vec!["Deployment", "StatefulSet"]))
            .prop_map(|(replicas, cpu, kind)| plain(replicas, cpu, kind)),
        2 => (1_u32..6, 2_u8..5).prop_map(|(replicas, version)| shop(replicas, version)),
        2 => cluster::framework(),
        2 => (select(vec!["schedule", "down", "up"]), 1_u8..4, 0_u64..60_000)
            .prop_map(|(op, agent, in_ms)| maintenance(op, agent, in_ms)),
        1 => Just(json!({ "kind": "fault", "fault": "master-failover", "target": {} })),
        1 => agent.prop_map(|agent| json!({ "kind": "remove-agent", "agent": agent })),
        1 => Just(json!({ "kind": "add-agent", "count": 1, "hostname": "agent-{n}",
            "resources": { "cpus": 2, "mem": 1024, "disk": 4000 }, "roles": { "other": { "cpus": 1, "mem": 100 } } })),
        1 => select(vec!["store", "bar", "/web", "plain", "shop"]).prop_map(|name| json!({ "kind": "remove-service", "name": name })),
        1 => Just(json!({ "kind": "pod", "service": "store", "pod": "node-0", "op": "replace" })),
    ]
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => input().prop_map(Op::Put),
        4 => (1_u64..15_000).prop_map(Op::Advance),
        1 => (20_000_u64..400_000).prop_map(Op::Advance),
        1 => any::<u8>().prop_map(Op::Seek),
    ];
    prop::collection::vec(op, 1..20)
}

fn apply(engine: &mut Engine, op: &Op) {
    match op {
        Op::Put(input) => _ = engine.apply(read(input)),
        Op::Advance(ms) => _ = engine.advance_to(engine.now_ms() + ms),
        Op::Seek(part) => {
            engine.seek_ms(engine.head_ms() * u64::from(*part) / 255);
        }
    }
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn allocations_never_exceed_a_machine(seed in 0_u64..1000, ops in ops()) {
        let mut engine = engine(seed, "together");
        let mut revisions = Revisions::default();
        for op in &ops {
            apply(&mut engine, op);
            prop_assert_eq!(wrong(&engine), None, "after {:?}", op);
            let twice = engine.view().cluster.machines.iter().any(|machine| machine.promised_twice);
            prop_assert!(!twice, "promised twice after {:?}", op);
            if matches!(op, Op::Put(input) if input["kind"] == "remove-service") {
                revisions = Revisions::default();
            }
            prop_assert_eq!(revisions.note(&engine), None, "after {:?}", op);
        }
        engine.seek_ms(engine.head_ms());
        let text = serde_json::to_string(&engine.journal()).expect("JSON");
        let journal: Journal = serde_json::from_str(&text).expect("a journal");
        let again = Engine::from_journal(&journal).map_err(|error| TestCaseError::fail(error.to_string()))?;
        assert_same(&again, &engine)?;
    }

    #[test]
    fn without_sharing_each_layer_counts_separately(seed in 0_u64..1000, ops in ops()) {
        let mut engine = engine(seed, "apart");
        for op in &ops {
            apply(&mut engine, op);
            let over = engine.view().cluster.machines.iter().all(|machine| {
                machine.promised_twice || machine.resources.iter().all(|one| one.used + one.reserved <= one.total)
            });
            prop_assert!(over, "more is used than there is, and the machine does not say so, after {:?}", op);
        }
    }
}

#[test]
fn journals_from_before_sharing_open_without_it() {
    let old: Journal =
        serde_json::from_value(json!({ "genesis": { "seed": 3 }, "entries": [] })).expect("a journal");
    let none: Journal = serde_json::from_value(json!({ "entries": [] })).expect("a journal");
    let new: Genesis = serde_json::from_value(json!({ "seed": 3 })).expect("a genesis");
    assert_eq!(old.genesis.sharing.as_str(), "apart");
    assert_eq!(none.genesis.sharing.as_str(), "apart");
    assert_eq!(new.sharing.as_str(), "together");
    let written = serde_json::to_value(Engine::new(new).journal()).expect("JSON");
    assert_eq!(written["genesis"]["sharing"], "together");
}
