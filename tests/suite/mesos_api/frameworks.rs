//! Frameworks added by inputs: policies, calls, events.

#![expect(clippy::cloned_ref_to_slice_refs, reason = "helpers of tests")]

use crate::{agent_id, call, framework, last_offer, launch, scalar, three, told, types};
use planarium_tests::Client;
use planarium_world::limits;
use serde_json::{Value, json};

fn refused(client: &mut Client, input: &Value, status: u16) {
    let before = (client.get("/state").text, client.state());
    let answer = client.post("/sim/inputs", input);
    assert_eq!(answer.status, status, "{input}: {}", answer.text);
    assert_eq!((client.get("/state").text, client.state()), before, "{input}");
}

#[test]
fn a_framework_gets_the_masters_events() {
    let mut client = three();
    let id = framework(&mut client, "f", &["MULTI_ROLE", "RESERVATION_REFINEMENT", "PARTITION_AWARE"]);
    let events = told(&mut client, "f");
    assert_eq!(types(&mut client, "f"), ["SUBSCRIBED", "OFFERS"]);
    let subscribed = &events[0]["subscribed"];
    assert_eq!(subscribed["framework_id"]["value"], id);
    assert_eq!(subscribed["heartbeat_interval_seconds"], 15.0);
    assert_eq!(subscribed["master_info"]["port"], 5050);
    let offer = last_offer(&mut client, "f", "b");
    assert_eq!(offer["agent_id"]["value"], agent_id(&mut client, "b"));
    assert_eq!(
        (&offer["framework_id"]["value"], &offer["allocation_info"]["role"]),
        (&json!(id), &json!("dev"))
    );
    assert_eq!(offer["url"]["address"]["port"], 5051);
    assert_eq!(offer["domain"]["fault_domain"]["zone"]["name"], "z2");
    assert_eq!(
        offer["attributes"][0],
        json!({ "name": "level", "type": "SCALAR", "scalar": { "value": 3 } })
    );
    assert_eq!(
        offer["resources"][0],
        json!({ "name": "cpus", "type": "SCALAR", "scalar": { "value": 4 }, "allocation_info": { "role": "dev" } })
    );
    let ports = offer["resources"].as_array().unwrap().iter().find(|one| one["name"] == "ports").unwrap();
    assert_eq!(ports["ranges"]["range"], json!([{ "begin": 31000, "end": 31010 }]));

    call(&mut client, "f", launch(&offer, "t", &[scalar("cpus", 1.0)]));
    client.advance(20_000);
    let updates: Vec<Value> =
        told(&mut client, "f").into_iter().filter(|event| event["type"] == "UPDATE").collect();
    let states: Vec<&Value> = updates.iter().map(|event| &event["update"]["status"]["state"]).collect();
    assert_eq!(states, ["TASK_STARTING", "TASK_RUNNING"]);
    let (first, second) = (&updates[0]["update"]["status"], &updates[1]["update"]["status"]);
    assert_eq!((&first["source"], &first["agent_id"]), (&json!("SOURCE_EXECUTOR"), &offer["agent_id"]));
    assert!(first["uuid"].as_str().is_some_and(|uuid| uuid.len() == 24) && first["uuid"] != second["uuid"]);

    call(&mut client, "f", json!({ "type": "RECONCILE", "reconcile": { "tasks": [] } }));
    let answer = told(&mut client, "f").pop().unwrap();
    let status = &answer["update"]["status"];
    assert_eq!(
        (&status["reason"], &status["source"]),
        (&json!("REASON_RECONCILIATION"), &json!("SOURCE_MASTER"))
    );
    assert!(status["uuid"].is_null(), "what the master says need not be acknowledged");

    let lost = json!({ "kind": "fault", "fault": "agent-lost", "target": { "agent": "b" } });
    client.input(&lost);
    client.advance(120_000);
    let events = told(&mut client, "f");
    let unreachable =
        events.iter().find(|event| event["update"]["status"]["state"] == "TASK_UNREACHABLE").unwrap();
    assert!(unreachable["update"]["status"]["unreachable_time"]["nanoseconds"].is_i64());
    assert!(
        events
            .iter()
            .any(|event| event["type"] == "FAILURE" && event["failure"]["agent_id"] == offer["agent_id"])
    );
}

#[test]
fn offers_omit_features_without_the_capability() {
    let mut client = three();
    framework(&mut client, "old", &[]);
    let offer = last_offer(&mut client, "old", "a");
    assert!(offer["allocation_info"].is_null());
    assert_eq!(
        offer["resources"][0],
        json!({ "name": "cpus", "type": "SCALAR", "scalar": { "value": 4 }, "role": "*" })
    );
}

#[test]
fn invalid_operations_and_tasks() {
    let mut client = three();
    framework(&mut client, "f", &["MULTI_ROLE", "PARTITION_AWARE"]);
    // Neither a command nor an executor: the task gets an error status, the offer comes back.
    let mut bare = launch(&last_offer(&mut client, "f", "a"), "bare", &[scalar("cpus", 1.0)]);
    bare["accept"]["operations"][0]["launch"]["task_infos"][0]["command"] = Value::Null;
    call(&mut client, "f", bare);
    let status = told(&mut client, "f").pop().unwrap()["update"]["status"].clone();
    assert_eq!((&status["state"], &status["reason"]), (&json!("TASK_ERROR"), &json!("REASON_TASK_INVALID")));
    // An offer that is none.
    let mut offer = last_offer(&mut client, "f", "b");
    offer["id"] = json!({ "value": "no-such-offer" });
    call(&mut client, "f", launch(&offer, "late", &[scalar("cpus", 1.0)]));
    let status = told(&mut client, "f").pop().unwrap()["update"]["status"].clone();
    assert_eq!(
        (&status["state"], &status["reason"]),
        (&json!("TASK_DROPPED"), &json!("REASON_INVALID_OFFERS"))
    );
    // An unreadable call is refused as a whole.
    for broken in [
        json!({}),
        json!({ "type": "NOTHING" }),
        json!({ "type": "ACCEPT" }),
        json!({ "type": "KILL", "kill": {} }),
        json!({ "type": "KILL", "kill": { "task_id": "t" } }),
        json!({ "type": "DECLINE", "decline": { "offer_ids": [{}] } }),
        json!({ "type": "ACKNOWLEDGE", "acknowledge": { "task_id": { "value": "t" } } }),
        json!({ "type": "ACCEPT", "accept": { "operations": [{ "type": "LAUNCH", "launch": { "task_infos": [{}] } }] } }),
        json!([1]),
        json!("text"),
    ] {
        refused(&mut client, &json!({ "kind": "framework", "op": "call", "name": "f", "call": broken }), 400);
    }
}

/// Source: `apache/mesos: src/master/master.cpp` (accept), `src/common/resources.cpp` (Resources::validate).
#[test]
fn an_operation_with_invalid_resources_drops_only_its_own_tasks() {
    let amount =
        |name: &str, value: Value| json!({ "name": name, "type": "SCALAR", "scalar": { "value": value } });
    let ports = |b: u32, e: u32| json!({ "name": "ports", "type": "RANGES", "ranges": { "range": [{ "begin": b, "end": e }] } });
    for (resource, state) in [
        (amount("cpus", json!(-1)), "TASK_ERROR"),
        (amount("cpus", json!(0.0001)), "TASK_ERROR"),
        (amount("gpus", json!(0.5)), "TASK_ERROR"),
        (ports(31_005, 31_001), "TASK_ERROR"),
        (amount("gpus", json!(0)), "TASK_STAGING"),
        (amount("cpus", json!("0.5")), "TASK_STAGING"),
        (ports(31_001, 31_005), "TASK_STAGING"),
    ] {
        let mut client = three();
        framework(&mut client, "f", &["MULTI_ROLE", "RESERVATION_REFINEMENT"]);
        let offer = last_offer(&mut client, "f", "a");
        let task = |id: &str, resources: Value| {
            json!({
                "name": id, "task_id": { "value": id }, "agent_id": offer["agent_id"],
                "command": { "value": "./run" }, "resources": resources,
            })
        };
        let one = |id: &str, resources: Value| json!({ "type": "LAUNCH", "launch": { "task_infos": [task(id, resources)] } });
        let in_role = |value: f64| {
            let reservation = json!([{ "type": "DYNAMIC", "role": "dev", "principal": "p" }]);
            json!({ "name": "mem", "type": "SCALAR", "scalar": { "value": value }, "reservations": reservation })
        };
        let reserve = |resources: Value| json!({ "type": "RESERVE", "reserve": { "resources": resources } });
        call(
            &mut client,
            "f",
            json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]], "filters": { "refuse_seconds": 0 }, "operations": [
                reserve(json!([in_role(64.0)])),
                reserve(json!([in_role(-1.0)])),
                reserve(json!([in_role(0.0)])),
                reserve(json!([])),
                one("t", json!([amount("mem", json!(32)), resource])),
                one("good", json!([amount("cpus", json!(1))])),
            ] } }),
        );
        let tasks = client.get("/tasks").json();
        let find =
            |id: &str| tasks["tasks"].as_array().unwrap().iter().find(|task| task["id"] == id).cloned();
        let told = told(&mut client, "f");
        let status = told.iter().find(|event| event["update"]["status"]["task_id"]["value"] == "t");
        let seen = match status {
            Some(event) => {
                let status = &event["update"]["status"];
                assert_eq!(status["reason"], "REASON_TASK_INVALID", "{resource}");
                assert_eq!(status["source"], "SOURCE_MASTER", "{resource}");
                let (name, message) =
                    (resource["name"].as_str().unwrap(), status["message"].as_str().unwrap());
                assert!(message.contains(name), "{resource}: {message}");
                status["state"].clone()
            }
            None => find("t").unwrap()["state"].clone(),
        };
        assert_eq!(seen, state, "{resource}");
        assert_eq!(find("good").unwrap()["state"], "TASK_STAGING", "{resource}: the others go on");
        client.advance(1_000);
        let offers = client.get("/state").json()["frameworks"][0]["offers"].clone();
        let again =
            offers.as_array().unwrap().iter().find(|again| again["slave_id"] == offer["agent_id"]["value"]);
        assert_ne!(again.unwrap()["id"], offer["id"]["value"], "{resource}: the offer is used up");
        let slaves = client.get("/slaves").json();
        assert_eq!(
            slaves["slaves"][0]["reserved_resources"]["dev"]["mem"], 64.0,
            "{resource}: what is valid is done"
        );
    }
    // In form: all tasks of the launch. Otherwise: that task alone.
    for (resource, both) in [(amount("cpus", json!(-1)), true), (amount("gpus", json!(0.5)), false)] {
        let mut client = three();
        framework(&mut client, "f", &["MULTI_ROLE"]);
        let offer = last_offer(&mut client, "f", "a");
        let mut launch = launch(&offer, "t", &[resource.clone()]);
        let tasks = launch["accept"]["operations"][0]["launch"]["task_infos"].as_array_mut().unwrap();
        let mut other = tasks[0].clone();
        other["name"] = json!("u");
        other["task_id"] = json!({ "value": "u" });
        other["resources"] = json!([scalar("cpus", 1.0)]);
        tasks.push(other);
        call(&mut client, "f", launch);
        let states: Vec<Value> = told(&mut client, "f")
            .iter()
            .filter(|event| event["type"] == "UPDATE")
            .map(|event| event["update"]["status"]["state"].clone())
            .collect();
        assert_eq!(states, vec![json!("TASK_ERROR"); if both { 2 } else { 1 }], "{resource}");
    }
    // Groups are all or nothing, and have a reason of their own.
    let mut client = three();
    framework(&mut client, "f", &["MULTI_ROLE"]);
    let offer = last_offer(&mut client, "f", "a");
    let member = |id: &str, cpus: f64| {
        json!({ "name": id, "task_id": { "value": id }, "agent_id": offer["agent_id"], "command": { "value": "x" },
            "resources": [scalar("cpus", cpus)] })
    };
    let group = json!({ "type": "LAUNCH_GROUP", "launch_group": {
        "executor": { "executor_id": { "value": "e" }, "resources": [] },
        "task_group": { "tasks": [member("a", 1.0), member("b", -1.0)] },
    } });
    call(
        &mut client,
        "f",
        json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]], "operations": [group] } }),
    );
    let reasons: Vec<Value> = told(&mut client, "f")
        .iter()
        .rev()
        .take(2)
        .map(|event| event["update"]["status"]["reason"].clone())
        .collect();
    assert_eq!(reasons, [json!("REASON_TASK_GROUP_INVALID"), json!("REASON_TASK_GROUP_INVALID")]);
}

#[test]
fn invalid_inputs() {
    let mut client = three();
    framework(&mut client, "f", &[]);
    for (input, status) in [
        (json!({ "op": "add", "name": "f" }), 409),
        (json!({ "op": "add", "name": "" }), 400),
        (json!({ "op": "add", "name": "g", "policy": "guess" }), 400),
        (json!({ "op": "add", "name": "g", "roles": ["a//b"] }), 400),
        (json!({ "op": "add", "name": "g", "call": { "type": "ACCEPT" } }), 400),
        (json!({ "op": "call", "name": "nobody", "call": { "type": "REVIVE" } }), 404),
        (json!({ "op": "remove", "name": "nobody" }), 404),
        (json!({ "op": "dance", "name": "f" }), 400),
    ] {
        let mut input = input;
        input["kind"] = json!("framework");
        refused(&mut client, &input, status);
    }
    client.input(&json!({ "kind": "framework", "op": "remove", "name": "f" }));
    framework(&mut client, "f", &[]);
    let frameworks = client.get("/frameworks").json();
    assert_eq!(frameworks["frameworks"].as_array().unwrap().len(), 1, "a name is free again");
}

#[test]
fn a_framework_with_a_policy_keeps_a_task_running() {
    for policy in ["accept", "decline", "migrate"] {
        let mut client = three();
        client.input(
            &json!({ "kind": "framework", "op": "add", "name": "f", "roles": ["dev"], "policy": policy }),
        );
        client.advance(20_000);
        let tasks = client.get("/tasks").json();
        assert_eq!(tasks["tasks"][0]["state"], "TASK_RUNNING", "{policy}");
        let framework = client.get("/frameworks").json()["frameworks"][0].clone();
        assert_eq!(framework["offers"], json!([]), "{policy}: it wants no more");
        client.post("/sim/advance", &json!({ "until": "idle", "limit_ms": 60_000 })).status(200);
        assert_eq!(client.get("/sim").json()["idle"], true, "{policy}");
        // A task that ends is started again.
        client.input(&json!({ "kind": "fault", "fault": "task-fail", "target": { "task": "f.1" } }));
        client.advance(30_000);
        let tasks = client.get("/tasks?order=asc").json();
        let states: Vec<&Value> =
            tasks["tasks"].as_array().unwrap().iter().map(|task| &task["state"]).collect();
        assert_eq!(states, ["TASK_FAILED", "TASK_RUNNING"], "{policy}");
        // After a failover it returns on its own, and wants no more than it has.
        client.input(&json!({ "kind": "fault", "fault": "master-failover" }));
        client.advance(30_000);
        let state = client.get("/state").json();
        let framework = &state["frameworks"][0];
        assert_eq!((&framework["connected"], &framework["offers"]), (&json!(true), &json!([])), "{policy}");
        assert_eq!(framework["tasks"].as_array().map(Vec::len), Some(1), "{policy}");
    }
}

#[test]
fn everything_is_replayed_exactly() {
    let mut client = three();
    framework(&mut client, "f", &["PARTITION_AWARE"]);
    client.input(&json!({ "kind": "framework", "op": "add", "name": "g", "policy": "migrate" }));
    let offer = last_offer(&mut client, "f", "c");
    call(&mut client, "f", launch(&offer, "t", &[scalar("cpus", 1.0)]));
    client.advance(30_000);
    let mut again = Client::default();
    again.put("/sim/journal", &client.get("/sim/journal").json()).status(200);
    assert_eq!(again.digest(), client.digest());
    assert_eq!(told(&mut again, "f"), told(&mut client, "f"));
}

#[test]
fn policies_answer_inverse_offers() {
    for (policy, answer, moves) in
        [("accept", "ACCEPT", false), ("decline", "DECLINE", false), ("migrate", "ACCEPT", true)]
    {
        let mut client = three();
        client.input(
            &json!({ "kind": "framework", "op": "add", "name": "f", "roles": ["dev"], "policy": policy }),
        );
        client.advance(20_000);
        let before = client.get("/tasks").json()["tasks"][0].clone();
        let slaves = client.get("/slaves").json();
        let slave = slaves["slaves"]
            .as_array()
            .unwrap()
            .iter()
            .find(|slave| slave["id"] == before["slave_id"])
            .unwrap();
        let ip = slave["pid"].as_str().unwrap().split(['@', ':']).nth(1).unwrap();
        let schedule = json!({ "windows": [{
            "machine_ids": [{ "hostname": slave["hostname"], "ip": ip }],
            "unavailability": { "start": { "nanoseconds": 1_443_834_000_000_000_000_i64 } },
        }] });
        client.post("/maintenance/schedule", &schedule).status(200);
        let asked =
            told(&mut client, "f").into_iter().rfind(|event| event["type"] == "INVERSE_OFFERS").unwrap();
        let inverse = &asked["inverse_offers"]["inverse_offers"][0];
        assert_eq!(inverse["agent_id"]["value"], slave["id"], "{policy}");
        assert_eq!(inverse["unavailability"]["start"]["nanoseconds"], 1_443_834_000_000_000_000_i64);
        let status = client.get("/maintenance/status").json();
        assert_eq!(status["draining_machines"][0]["statuses"][0]["status"], answer, "{policy}");
        client.advance(60_000);
        let tasks = client.get("/tasks?order=asc").json()["tasks"].clone();
        let states: Vec<&Value> = tasks.as_array().unwrap().iter().map(|task| &task["state"]).collect();
        if moves {
            assert_eq!(states, ["TASK_KILLED", "TASK_RUNNING"]);
            assert_ne!(tasks[1]["slave_id"], slave["id"]);
        } else {
            assert_eq!(states, ["TASK_RUNNING"], "{policy}");
        }
    }
}

/// A datastore and a task with a volume leave a machine once they have somewhere to be, and not before.
#[test]
fn migrating_frameworks_agree_and_leave() {
    for (policy, copies) in [("replicate", 2), ("move", 1)] {
        let mut client = three();
        let input =
            json!({ "kind": "framework", "op": "add", "name": "f", "roles": ["dev"], "policy": policy });
        client.input(&input);
        client.advance(20_000);
        let live = |client: &mut Client| -> Vec<Value> {
            let tasks = client.get("/tasks?order=asc").json()["tasks"].clone();
            let all = tasks.as_array().unwrap().iter();
            all.filter(|task| task["state"] == "TASK_RUNNING").map(|task| task["slave_id"].clone()).collect()
        };
        let answers = |client: &mut Client| -> Vec<Value> {
            let status = client.get("/maintenance/status").json();
            let machines = status["draining_machines"].as_array().cloned().unwrap_or_default();
            machines
                .iter()
                .flat_map(|of| of["statuses"].as_array().cloned().unwrap_or_default())
                .map(|s| s["status"].clone())
                .collect()
        };
        let slaves = client.get("/slaves").json()["slaves"].as_array().unwrap().clone();
        let before = live(&mut client);
        assert_eq!(before.len(), copies, "{policy}");
        // Each machine except the first: without the framework's task, or none.
        let machine = |slave: &Value| {
            let ip = slave["pid"].as_str().unwrap().split(['@', ':']).nth(1).unwrap().to_owned();
            json!({ "hostname": slave["hostname"], "ip": ip })
        };
        let all: Vec<Value> = slaves.iter().map(machine).collect();
        let window = |machines: &[Value], in_ms: i64| {
            let unavailability = json!({ "start": { "in_ms": in_ms } });
            json!({ "kind": "maintenance", "op": "schedule", "body": { "windows": [{ "machine_ids": machines, "unavailability": unavailability }] } })
        };
        client.input(&window(&all, 600_000));
        client.advance(20_000);
        assert_eq!(live(&mut client), before, "{policy}: there is nowhere to go");
        let said = answers(&mut client);
        assert!(said.iter().filter(|answer| *answer == "DECLINE").count() >= copies, "{policy}: {said:?}");
        // A machine that it uses will be taken away.
        let going: Vec<Value> = slaves.iter().filter(|slave| slave["id"] == before[0]).map(machine).collect();
        client.input(&window(&going, 600_000));
        client.advance(40_000);
        let after = live(&mut client);
        assert_eq!(after.len(), copies, "{policy}");
        assert!(!after.contains(&before[0]), "{policy}");
        assert!(answers(&mut client).iter().all(|answer| answer == "ACCEPT"), "{policy}");
        let reserved = client.get("/slaves").json()["slaves"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|slave| slave["reserved_resources"]["dev"].is_object())
            .map(|slave| slave["id"].clone())
            .collect::<Vec<_>>();
        assert_eq!(
            reserved,
            if policy == "move" { after.clone() } else { Vec::new() },
            "old volumes are given back"
        );
        // Another one, too soon for a datastore.
        let soon: Vec<Value> = slaves.iter().filter(|slave| slave["id"] == after[0]).map(machine).collect();
        client.input(&window(&soon, 30_000));
        client.advance(20_000);
        assert_eq!(live(&mut client) == after, policy == "replicate", "{policy}");
    }
}

#[test]
fn a_framework_answers_inverse_offers_by_calls() {
    let mut client = three();
    let id = framework(&mut client, "f", &["MULTI_ROLE"]);
    let offer = last_offer(&mut client, "f", "a");
    call(&mut client, "f", launch(&offer, "t", &[scalar("cpus", 1.0)]));
    client.advance(10_000);
    let schedule = json!({ "windows": [{
        "machine_ids": [{ "hostname": "a", "ip": offer["url"]["address"]["ip"] }],
        "unavailability": { "start": { "nanoseconds": 1_443_834_000_000_000_000_i64 }, "duration": { "nanoseconds": 1 } },
    }] });
    client.post("/master/maintenance/schedule", &schedule).status(200);
    let asked = told(&mut client, "f").into_iter().rfind(|event| event["type"] == "INVERSE_OFFERS").unwrap();
    let inverse = asked["inverse_offers"]["inverse_offers"][0].clone();
    let tagged = last_offer(&mut client, "f", "a");
    assert_eq!(tagged["unavailability"], inverse["unavailability"]);
    assert_eq!(tagged["unavailability"]["duration"]["nanoseconds"], 1);
    let answer = json!({ "inverse_offer_ids": [inverse["id"], { "value": "stale" }], "filters": { "refuse_seconds": 60 } });
    call(&mut client, "f", json!({ "type": "DECLINE_INVERSE_OFFERS", "decline_inverse_offers": answer }));
    let status = client.get("/maintenance/status").json();
    let statuses = &status["draining_machines"][0]["statuses"];
    assert_eq!(
        (&statuses[0]["status"], &statuses[0]["framework_id"]["value"]),
        (&json!("DECLINE"), &json!(id))
    );
    // Another post: outstanding inverse offers are rescinded, with their id.
    client.advance(70_000);
    let asked = told(&mut client, "f").into_iter().rfind(|event| event["type"] == "INVERSE_OFFERS").unwrap();
    let again = asked["inverse_offers"]["inverse_offers"][0]["id"].clone();
    assert_ne!(again, inverse["id"]);
    client.post("/maintenance/schedule", &json!({})).status(200);
    let rescinded =
        json!({ "type": "RESCIND_INVERSE_OFFER", "rescind_inverse_offer": { "inverse_offer_id": again } });
    assert!(told(&mut client, "f").contains(&rescinded));
}

#[test]
fn tasks_that_end_immediately_do_not_repeat_endlessly_in_one_instant() {
    for policy in ["accept", "decline", "migrate", "replicate", "move", "grow"] {
        let mut client = three();
        client.input(
            &json!({ "kind": "process-behaviour", "behaviour": { "start_ms": 0, "exit_after_ms": 0 } }),
        );
        client.input(
            &json!({ "kind": "framework", "op": "add", "name": "f", "roles": ["f"], "policy": policy }),
        );
        let answer = client.post("/sim/advance", &json!({ "events": 600 })).status(200).json();
        assert!(answer["now_ms"].as_u64().is_some_and(|now_ms| now_ms > 15_000), "{policy}: {answer}");
        // They go on all the same.
        let launched = |client: &mut Client| {
            client
                .get("/sim/events")
                .json()
                .as_array()
                .unwrap()
                .iter()
                .filter(|one| one["kind"] == "launched")
                .count()
        };
        let before = launched(&mut client);
        client.advance(10_000);
        assert!(launched(&mut client) > before, "{policy}");
    }
}

#[test]
fn a_search_for_a_status_change_ends_without_one() {
    let mut client = three();
    client.input(&json!({ "kind": "process-behaviour", "behaviour": { "start_ms": 0, "exit_after_ms": 0 } }));
    client
        .input(&json!({ "kind": "framework", "op": "add", "name": "f", "roles": ["f"], "policy": "accept" }));
    let advanced = client.session.engine.advance_status_change();
    assert!(advanced.limit_reached && !advanced.met && !advanced.idle, "{advanced:?}");
    assert!(advanced.events < limits::EVENTS_WITHOUT_CHANGE + 1_000, "{advanced:?}");
    let again = client.session.engine.advance_status_change();
    assert!(again.now_ms > advanced.now_ms, "it goes on from there");
}

/// Tasks of frameworks that say nothing of a goal: a command that plainly ends does, any other runs on.
#[test]
fn commands_with_a_predictable_end_do_end() {
    let shell = |value: &str| json!({ "value": value });
    let argv = |words: &[&str]| json!({ "shell": false, "value": words[0], "arguments": words });
    for (command, states) in [
        (shell("true"), ["TASK_FINISHED", "TASK_FINISHED"]),
        (shell("echo done"), ["TASK_FINISHED", "TASK_FINISHED"]),
        (shell("exit 3"), ["TASK_FAILED", "TASK_FAILED"]),
        (shell("sleep 60"), ["TASK_RUNNING", "TASK_FINISHED"]),
        (shell("sleep 60 && exit 1"), ["TASK_RUNNING", "TASK_FAILED"]),
        (shell("false || sleep 60; exit 2"), ["TASK_RUNNING", "TASK_FAILED"]),
        (shell("sh -c 'sleep 60; false'"), ["TASK_RUNNING", "TASK_FAILED"]),
        (argv(&["sleep", "60"]), ["TASK_RUNNING", "TASK_FINISHED"]),
        (argv(&["sh", "-c", "sleep 60 && exit 1"]), ["TASK_RUNNING", "TASK_FAILED"]),
        (argv(&["sleep 60"]), ["TASK_RUNNING", "TASK_RUNNING"]),
        (shell("./server"), ["TASK_RUNNING", "TASK_RUNNING"]),
        (shell("sleep 600"), ["TASK_RUNNING", "TASK_RUNNING"]),
        (shell("sleep $TIME"), ["TASK_RUNNING", "TASK_RUNNING"]),
    ] {
        let mut client = three();
        framework(&mut client, "f", &[]);
        let offer = last_offer(&mut client, "f", "a");
        let mut launch = launch(&offer, "t", &[scalar("cpus", 1.0)]);
        launch["accept"]["operations"][0]["launch"]["task_infos"][0]["command"] = command.clone();
        call(&mut client, "f", launch);
        for state in states {
            client.advance(40_000);
            assert_eq!(client.get("/tasks?task_id=t").json()["tasks"][0]["state"], state, "{command}");
        }
    }
    // The behaviour of a custom executor is unknown.
    let mut client = three();
    framework(&mut client, "f", &[]);
    let offer = last_offer(&mut client, "f", "a");
    let mut launch = launch(&offer, "t", &[scalar("cpus", 1.0)]);
    let task = &mut launch["accept"]["operations"][0]["launch"]["task_infos"][0];
    task["command"] = Value::Null;
    task["executor"] =
        json!({ "executor_id": { "value": "e" }, "command": { "value": "true" }, "resources": [] });
    call(&mut client, "f", launch);
    client.advance(60_000);
    assert_eq!(client.get("/tasks?task_id=t").json()["tasks"][0]["state"], "TASK_RUNNING");
}
