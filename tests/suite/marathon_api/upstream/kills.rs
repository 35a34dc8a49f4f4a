//! Which instances are killed when scaling down.

use super::placements::machine;
use super::*;

const SCALING: &str = "marathon/core/deployment/impl/ScalingPropositionTest.scala";
const SELECTION: &str = "marathon/state/KillSelectionTest.scala";
const CONSTRAINTS: &str = "mesos/ConstraintsTest.scala";

/// Assertions of these plays by source.
pub(super) fn assertions() -> Vec<(&'static str, usize)> {
    vec![
        (SCALING, COUNTS.len() + 6),
        (SELECTION, 2),
        (CONSTRAINTS, SPREADS.iter().map(|spread| spread.left.len()).sum()),
    ]
}

/// Ids of the app's tasks with their hosts, the longest running first.
fn tasks(client: &mut Client) -> Vec<(String, String)> {
    let said = client.get("/v2/apps/test/tasks").status(200).json();
    let text = |task: &Value, key: &str| task.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let all = said.get("tasks").and_then(Value::as_array).into_iter().flatten();
    let mut all: Vec<(String, String, String)> =
        all.map(|task| (text(task, "stagedAt"), text(task, "id"), text(task, "host"))).collect();
    all.sort();
    all.into_iter().map(|(_, id, host)| (id, host)).collect()
}

fn ids(client: &mut Client) -> Vec<String> {
    tasks(client).into_iter().map(|(id, _)| id).collect()
}

fn scale(client: &mut Client, instances: u32) {
    call(client, "PUT", "/v2/apps/test?force=true", &json!({"instances": instances})).status(200);
    pass(client, 60);
}

fn small(more: Value) -> Value {
    let mut body = json!({"id": "/test", "cmd": "sleep 1000", "cpus": 0.05, "mem": 16});
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
    body
}

/// A test, instances before, instances wanted, and the number of earlier ones that stay.
const COUNTS: &[(&str, u32, u32, usize)] = &[
    ("given no tasks and scaleTo = 0", 0, 0, 0),
    ("given no running tasks and a positive scaleTo", 0, 42, 0),
    ("none are sentenced and need to scale", 3, 5, 3),
    ("scaling to 0", 3, 0, 0),
];

#[test]
fn counts_match_upstreams_tests() {
    for (test, before, wanted, stay) in COUNTS {
        let mut client = client();
        let c = &mut client;
        call(c, "POST", "/v2/apps", &small(json!({"instances": before}))).status(201);
        pass(c, 60);
        let old = ids(c);
        assert_eq!(old.len(), usize::try_from(*before).unwrap_or_default(), "{SCALING} '{test}'");
        scale(c, *wanted);
        let new = ids(c);
        let found = (new.len(), new.iter().filter(|id| old.contains(id)).count());
        assert_eq!(found, (usize::try_from(*wanted).unwrap_or_default(), *stay), "{SCALING} '{test}'");
    }
}

/// "given already killed tasks" of the first source, "select the younger timestamp" and "select the older timestamp" of the second.
#[test]
fn the_youngest_or_the_oldest_are_killed_first() {
    for (selection, stays) in [("YOUNGEST_FIRST", 0), ("OLDEST_FIRST", 2)] {
        let mut client = client();
        let c = &mut client;
        call(c, "POST", "/v2/apps", &small(json!({"killSelection": selection}))).status(201);
        pass(c, 60);
        scale(c, 2);
        scale(c, 3);
        let old = ids(c);
        scale(c, 2);
        let gone = usize::from(selection == "YOUNGEST_FIRST") * 2;
        assert!(!ids(c).contains(&old[gone]), "{SELECTION} {selection}");
        scale(c, 1);
        assert_eq!(ids(c), [old[stays].clone()], "{SELECTION} {selection}");
    }
}

/// "given sentenced, constraints and scaling": named instances are killed, whatever the selection says.
#[test]
fn named_instances_are_killed_first() {
    let mut client = client();
    let c = &mut client;
    call(c, "POST", "/v2/apps", &small(json!({}))).status(201);
    pass(c, 60);
    (2..=4).for_each(|instances| scale(c, instances));
    let old = ids(c);
    call(c, "POST", "/v2/tasks/delete?scale=true", &json!({"ids": [old[1]]})).status(200);
    pass(c, 60);
    assert_eq!(ids(c), [old[0].clone(), old[2].clone(), old[3].clone()], "{SCALING}");
}

/// "put staging before running", "put starting before running".
#[test]
fn instances_that_do_not_run_yet_are_killed_first() {
    let mut client = client();
    let c = &mut client;
    // By age alone the running one would be killed.
    call(c, "POST", "/v2/apps", &small(json!({"killSelection": "OLDEST_FIRST"}))).status(201);
    pass(c, 60);
    let first = ids(c);
    c.input(
        &json!({"kind": "process-behaviour", "target": {"task": "*"}, "behaviour": {"start_ms": 200_000}}),
    );
    scale(c, 2);
    let states: Vec<Value> = c.get("/v2/apps/test/tasks").json()["tasks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|task| task["state"].clone())
        .collect();
    assert!(
        states.contains(&json!("TASK_STAGING")) || states.contains(&json!("TASK_STARTING")),
        "{states:?}"
    );
    scale(c, 1);
    assert_eq!(ids(c), first, "{SCALING}");
}

/// "put unreachable before running".
#[test]
fn unreachable_instances_are_killed_before_running_ones() {
    let mut client = client();
    let c = &mut client;
    // By age alone the younger one would go.
    let patient = json!({"unreachableStrategy": {"inactiveAfterSeconds": 3000, "expungeAfterSeconds": 6000},
        "constraints": [["hostname", "UNIQUE"]]});
    call(c, "POST", "/v2/apps", &small(patient)).status(201);
    pass(c, 60);
    scale(c, 2);
    let both = tasks(c);
    let host = both[0].1.clone();
    c.input(&json!({"kind": "fault", "fault": "agent-partitioned", "target": {"agent": host}}));
    pass(c, 200);
    assert_eq!(ids(c).len(), 2, "{SCALING}");
    scale(c, 1);
    assert!(ids(c).contains(&both[1].0), "{SCALING}");
}

/// A distributed app, its machines, and how many instances stay on each.
struct Spread {
    test: &'static str,
    constraints: &'static str,
    /// Host, attributes, room.
    machines: &'static [(&'static str, &'static str, u32)],
    instances: u32,
    wanted: u32,
    /// Host, and the number that stays there.
    left: &'static [(&'static str, usize)],
}

const SPREADS: &[Spread] = &[
    Spread {
        test: "Select tasks to kill for a single group by works",
        constraints: r#"[["hostname", "GROUP_BY"]]"#,
        machines: &[("0", "", 10), ("1", "", 10)],
        instances: 20,
        wanted: 10,
        left: &[("0", 5), ("1", 5)],
    },
    Spread {
        test: "Select only tasks to kill for an unbalanced distribution",
        constraints: r#"[["hostname", "GROUP_BY"]]"#,
        machines: &[("1", "", 20), ("2", "", 10)],
        instances: 30,
        wanted: 20,
        left: &[("1", 10), ("2", 10)],
    },
    Spread {
        test: "Select tasks to kill for multiple group by works",
        constraints: r#"[["rack", "GROUP_BY"], ["color", "GROUP_BY"]]"#,
        machines: &[("a", "rack:rack-1;color:blue", 10), ("b", "rack:rack-2;color:green", 10)],
        instances: 20,
        wanted: 10,
        left: &[("a", 5), ("b", 5)],
    },
];

#[test]
fn a_distributed_app_stays_distributed() {
    for spread in SPREADS {
        let mut client = Client::default();
        let c = &mut client;
        let constraints: Value = serde_json::from_str(spread.constraints).expect("JSON");
        let body = json!({"id": "/test", "cmd": "sleep 1000", "cpus": 1, "mem": 16, "instances": spread.instances,
            "constraints": constraints});
        call(c, "POST", "/v2/apps", &body).status(201);
        for (host, attributes, room) in spread.machines {
            c.input(&machine(host, attributes, *room));
            pass(c, 300);
        }
        assert_eq!(tasks(c).len(), usize::try_from(spread.instances).unwrap_or_default(), "{}", spread.test);
        scale(c, spread.wanted);
        let hosts: Vec<String> = tasks(c).into_iter().map(|(_, host)| host).collect();
        for (host, count) in spread.left {
            let found = hosts.iter().filter(|own| own == host).count();
            assert_eq!(found, *count, "{CONSTRAINTS} '{}' on {host}", spread.test);
        }
    }
}
