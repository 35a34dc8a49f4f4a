//! Machines shared by several systems, over HTTP: placement of pods, and explanations of machines.

#![expect(clippy::indexing_slicing, reason = "helpers of tests")]

use planarium_protocol::EventBody;
use planarium_tests::Client;
use serde_json::{Value, json};

const PODS: &str = "/kube/api/v1/namespaces/default/pods";

/// A world of some machines with 4 CPUs and 8 GiB.
fn machines(count: u32, sharing: &str) -> Client {
    let mut client = Client::default();
    let resources = json!({ "cpus": 4, "mem": 8192, "disk": 10240, "ports": "[1025-32000]" });
    let agents = json!([{ "count": count, "resources": resources }]);
    let scenario = json!({ "version": 1, "sharing": sharing, "cluster": { "machines": agents } });
    client.put("/sim/scenario", &scenario).status(200);
    client
}

/// A Marathon app of one instance on a machine.
fn app(client: &mut Client, id: &str, machine: &str, cpus: f64, mem: u32) {
    let body = json!({
        "id": id, "cmd": "sleep 1000", "cpus": cpus, "mem": mem, "instances": 1,
        "constraints": [["hostname", "CLUSTER", machine]],
    });
    client.post("/v2/apps", &body).status(201);
    client.advance(30_000);
}

fn pod(client: &mut Client, name: &str, cpu: &str, memory: &str) {
    let body = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name },
        "spec": { "containers": [{
            "name": "main", "image": "web:1", "resources": { "requests": { "cpu": cpu, "memory": memory } },
        }] },
    });
    client.post(PODS, &body).status(201);
    client.advance(10_000);
}

fn node_of(client: &mut Client, name: &str) -> String {
    let pod = client.get(&format!("{PODS}/{name}")).status(200).json();
    pod["spec"]["nodeName"].as_str().unwrap_or_default().to_owned()
}

fn machine(client: &mut Client, name: &str) -> Value {
    let view = client.get("/sim/view").status(200).json();
    let all = view["cluster"]["machines"].as_array().cloned().unwrap_or_default();
    all.into_iter().find(|one| one["hostname"] == name).unwrap_or_default()
}

fn reasons(client: &mut Client, machine: &str) -> Vec<String> {
    let why = client.get(&format!("/sim/why?agent={machine}")).status(200).json();
    let all = why["reasons"].as_array().cloned().unwrap_or_default();
    all.iter().map(|one| one.as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn pods_prefer_machines_with_fewer_allocations_of_others() {
    for taken in ["agent-1", "agent-2", "agent-3"] {
        let mut client = machines(3, "together");
        pod(&mut client, "before", "10m", "16Mi");
        let first = node_of(&mut client, "before");
        for other in ["agent-1", "agent-2", "agent-3"].into_iter().filter(|other| *other != taken) {
            app(&mut client, &format!("/on-{other}"), other, 2.0, 4096);
        }
        pod(&mut client, "after", "10m", "16Mi");
        assert_eq!(node_of(&mut client, "after"), taken, "the first pod was on {first}");
    }
}

#[test]
fn an_overcommitted_machine_is_explained() {
    for (sharing, twice) in [("apart", true), ("together", false)] {
        let mut client = machines(1, sharing);
        app(&mut client, "/big", "agent-1", 3.0, 1024);
        pod(&mut client, "big", "3", "1Gi");
        assert_eq!(machine(&mut client, "agent-1")["promised_twice"] == true, twice, "{sharing}");
        let said = reasons(&mut client, "agent-1");
        let is_said = said.iter().any(|one| one.contains("promised twice: 6 cpu held, it has 4"));
        assert_eq!(is_said, twice, "{sharing}: {said:?}");
    }
}

#[test]
fn holders_of_a_machine_are_data_in_explanations_of_offers() {
    let mut client = machines(1, "together");
    pod(&mut client, "hog", "3500m", "1Gi");
    app(&mut client, "/late", "agent-1", 2.0, 64);
    let view = client.get("/sim/view").status(200).json();
    let mut seen = Value::Null;
    for plan in view["services"][0]["plans"].as_array().into_iter().flatten() {
        for phase in plan["phases"].as_array().into_iter().flatten() {
            for step in phase["steps"].as_array().into_iter().flatten() {
                let part = |value: &Value| value["name"].as_str().unwrap_or_default().replace('/', "%2F");
                let target = format!(
                    "/sim/why?service=marathon&plan={}&phase={}&step={}",
                    part(plan),
                    part(phase),
                    part(step)
                );
                let why = client.get(&target);
                if why.status != 200 {
                    continue;
                }
                for reason in why.json()["reasons"].as_array().into_iter().flatten() {
                    let funnel = reason.get("funnel");
                    let outcomes =
                        funnel.unwrap_or(&Value::Null)["agents"][0]["outcomes"].as_array().cloned();
                    let held = outcomes.into_iter().flatten().find(|one| one["held"].is_object());
                    seen = held.map_or(seen, |one| one["held"].clone());
                }
            }
        }
    }
    let expected = json!({
        "amount": "3.5", "more": 0,
        "holders": [{ "owner": "Kubernetes", "kind": "pod", "name": "hog", "service": "hog", "amount": "3.5" }],
    });
    assert_eq!(
        seen,
        expected,
        "{}",
        serde_json::to_string_pretty(&view["services"][0]["plans"]).unwrap_or_default()
    );
}

/// When an event of this kind, or with these words, happened first.
fn first_ms(client: &mut Client, what: &str) -> Option<u64> {
    let log = client.session.engine.recall(0, u64::MAX);
    let is_meant = |body: &EventBody| body.word() == what || body.sentence().contains(what);
    log.iter().find(|event| is_meant(&event.body)).map(|event| event.at_ms)
}

#[test]
fn a_silent_machine_shows_when_the_master_detects_it() {
    for fault in ["agent-lost", "agent-partitioned"] {
        let mut client = machines(2, "together");
        app(&mut client, "/web", "agent-1", 1.0, 64);
        pod(&mut client, "one", "100m", "16Mi");
        pod(&mut client, "two", "100m", "16Mi");
        assert_eq!(machine(&mut client, "agent-1").get("notices"), None, "{fault}: it is heard of");
        client.post("/sim/faults", &json!({ "fault": fault, "target": { "agent": "agent-1" } })).status(200);
        client.advance(1_000);
        let notices = machine(&mut client, "agent-1")["notices"].as_array().cloned().unwrap_or_default();
        let at = |by: &str| notices.iter().find(|one| one["by"] == by).and_then(|one| one["at_ms"].as_u64());
        let (master, kubernetes) = (at("the master"), at("Kubernetes"));
        let (master, kubernetes) = master.zip(kubernetes).unwrap_or_else(|| panic!("{fault}: {notices:?}"));
        assert_eq!(notices.len(), 2, "{fault}: {notices:?}");
        let said = reasons(&mut client, "agent-1").join("; ");
        assert!(
            said.contains("the master notices at ") && said.contains("Kubernetes notices at "),
            "{fault}: {said}"
        );
        assert_eq!(
            machine(&mut client, "agent-2").get("notices"),
            None,
            "{fault}: the other one is heard of"
        );
        client.advance(120_000);
        assert_eq!(first_ms(&mut client, "agent-unreachable"), Some(master), "{fault}");
        assert_eq!(first_ms(&mut client, "NodeNotReady"), Some(kubernetes), "{fault}");
        assert_eq!(machine(&mut client, "agent-1").get("notices"), None, "{fault}: both have noticed");
        let said = reasons(&mut client, "agent-1").join("; ");
        assert!(!said.contains("notices at"), "{fault}: {said}");
    }
}

#[test]
fn a_machine_that_is_back_in_time_is_not_detected() {
    let mut client = machines(1, "together");
    app(&mut client, "/web", "agent-1", 1.0, 64);
    let fault = json!({ "fault": "agent-partitioned", "target": { "agent": "agent-1" }, "for_ms": 20_000 });
    client.post("/sim/faults", &fault).status(200);
    client.advance(1_000);
    assert!(machine(&mut client, "agent-1")["notices"].is_array());
    client.advance(30_000);
    assert_eq!(machine(&mut client, "agent-1").get("notices"), None);
}
