//! Forms of reads.

use crate::{
    PREFIXES, agent_id, call, framework, last_offer, launch, operator, request, scalar, text, three,
};
use planarium_tests::Client;
use serde_json::{Value, json};

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The same in alphabetical order.
fn sorted(words: &str) -> Vec<&str> {
    let mut words: Vec<&str> = words.split_whitespace().collect();
    words.sort_unstable();
    words
}

/// A framework with a running task on `a`, offered the rest.
fn busy() -> Client {
    let mut client = three();
    framework(&mut client, "f", &["MULTI_ROLE", "RESERVATION_REFINEMENT"]);
    let offer = last_offer(&mut client, "f", "a");
    call(&mut client, "f", launch(&offer, "t1", &[scalar("cpus", 1.5), scalar("mem", 128.0)]));
    client.advance(20_000);
    client
}

#[test]
fn the_state_has_the_real_keys() {
    let mut client = busy();
    for prefix in PREFIXES {
        let state = client.get(&format!("{prefix}/state")).status(200).json();
        assert_eq!(
            keys(&state),
            sorted(
                "version build_date build_time build_user start_time elected_time id pid hostname capabilities \
                 activated_slaves deactivated_slaves unreachable_slaves domain leader leader_info flags slaves \
                 recovered_slaves frameworks completed_frameworks orphan_tasks unregistered_frameworks"
            ),
        );
    }
    let state = client.get("/state").json();
    assert_eq!((&state["activated_slaves"], &state["deactivated_slaves"]), (&json!(3), &json!(0)));
    assert_eq!(state["start_time"], 1_443_830_400.0);
    assert_eq!(keys(&state["leader_info"]), ["hostname", "id", "pid", "port"]);

    let slave = &state["slaves"][0];
    assert_eq!(
        keys(slave),
        sorted(
            "id hostname port attributes domain pid registered_time resources used_resources offered_resources \
             reserved_resources unreserved_resources active deactivated version capabilities"
        ),
    );
    assert_eq!(slave["attributes"], json!({ "rack": "r1", "level": 3 }));
    assert_eq!(
        slave["domain"]["fault_domain"],
        json!({ "region": { "name": "r" }, "zone": { "name": "z1" } })
    );
    assert_eq!(
        slave["resources"],
        json!({ "cpus": 4, "gpus": 0, "mem": 4096, "disk": 8192, "ports": "[31000-31010]" })
    );
    assert_eq!(slave["used_resources"], json!({ "cpus": 1.5, "gpus": 0, "mem": 128, "disk": 0 }));
    assert_eq!(slave["offered_resources"]["cpus"], 2.5);
    assert!(slave["pid"].as_str().unwrap().ends_with(":5051"));

    let framework = &state["frameworks"][0];
    assert_eq!(
        keys(framework),
        sorted(
            "id name used_resources offered_resources resources capabilities hostname webui_url active connected \
             recovered user failover_timeout checkpoint registered_time unregistered_time principal roles tasks \
             unreachable_tasks completed_tasks offers executors offer_constraints"
        ),
    );
    assert_eq!(framework["roles"], json!(["dev"]));
    assert_eq!(framework["offers"].as_array().unwrap().len(), 3);
    let task = &framework["tasks"][0];
    assert_eq!(keys(task), sorted("id name framework_id executor_id slave_id state resources role statuses"),);
    assert_eq!((&task["executor_id"], &task["state"]), (&json!(""), &json!("TASK_RUNNING")));
    let states: Vec<&Value> = task["statuses"].as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["TASK_STARTING", "TASK_RUNNING"]);
}

#[test]
fn agents_are_listed_and_read_individually() {
    let mut client = busy();
    let id = agent_id(&mut client, "b");
    let all = client.get("/slaves").json();
    assert_eq!(
        (keys(&all), all["slaves"].as_array().unwrap().len()),
        (vec!["recovered_slaves", "slaves"], 3)
    );
    for key in [
        "reserved_resources_full",
        "unreserved_resources_full",
        "used_resources_full",
        "offered_resources_full",
    ] {
        assert!(!all["slaves"][0][key].is_null(), "{key}");
    }
    assert_eq!(all["slaves"][0]["used_resources_full"][0]["allocation_info"]["role"], "dev");
    let one = client.get(&format!("/master/slaves?slave_id={id}")).json();
    assert_eq!(one["slaves"].as_array().unwrap().len(), 1);
    assert_eq!(one["slaves"][0]["hostname"], "b");
    let none = client.get("/slaves?slave_id=nobody").status(200).json();
    assert_eq!(none, json!({ "slaves": [], "recovered_slaves": [] }));
}

#[test]
fn tasks_are_listed_by_the_time_of_their_first_status() {
    let mut client = three();
    framework(&mut client, "f", &[]);
    for (task, host) in [("t1", "a"), ("t2", "b"), ("t3", "c")] {
        let offer = last_offer(&mut client, "f", host);
        call(&mut client, "f", launch(&offer, task, &[scalar("cpus", 1.0)]));
        client.advance(10_000);
    }
    call(&mut client, "f", json!({ "type": "KILL", "kill": { "task_id": { "value": "t2" } } }));
    client.advance(10_000);
    let mut ids = |target: &str| {
        let tasks = client.get(target).status(200).json();
        let ids =
            tasks["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>().join(" ")
    };
    for (target, expected) in [
        ("/tasks", "t3 t2 t1"),
        ("/tasks?order=asc", "t1 t2 t3"),
        ("/tasks?order=desc", "t3 t2 t1"),
        ("/tasks?order=asc&limit=2", "t1 t2"),
        ("/tasks?order=asc&offset=1&limit=1", "t2"),
        ("/tasks?offset=9", ""),
        ("/tasks?limit=many", "t3 t2 t1"),
        ("/tasks?task_id=t2", "t2"),
        ("/master/tasks?framework_id=nobody", ""),
        ("/mesos/tasks?task_id=nothing", ""),
    ] {
        assert_eq!(ids(target), expected, "{target}");
    }
    let killed = client.get("/tasks?task_id=t2").json();
    assert_eq!(killed["tasks"][0]["state"], "TASK_KILLED");
}

#[test]
fn frameworks_roles_and_summaries() {
    let mut client = busy();
    let id = framework(&mut client, "g", &[]);
    let all = client.get("/frameworks").json();
    assert_eq!(keys(&all), ["completed_frameworks", "frameworks", "unregistered_frameworks"]);
    let one = client.get(&format!("/frameworks?framework_id={id}")).json();
    assert_eq!(
        (one["frameworks"].as_array().unwrap().len(), &one["frameworks"][0]["name"]),
        (1, &json!("g"))
    );
    assert_eq!(one["frameworks"][0]["role"], "dev");
    let none = client.get("/frameworks?framework_id=x").status(200).json();
    assert_eq!(none["frameworks"], json!([]));

    let roles = client.get("/roles").json();
    let role = &roles["roles"][0];
    assert_eq!(keys(role), sorted("name weight quota resources allocated offered reserved frameworks"),);
    assert_eq!((&role["name"], &role["allocated"]["cpus"]), (&json!("dev"), &json!(1.5)));
    assert_eq!(keys(&role["quota"]), ["consumed", "guarantee", "limit", "role"]);
    assert_eq!(role["frameworks"].as_array().unwrap().len(), 2);

    let summary = client.get("/state-summary").json();
    let (slave, framework) = (&summary["slaves"][0], &summary["frameworks"][0]);
    assert_eq!((&slave["TASK_RUNNING"], &framework["TASK_RUNNING"]), (&json!(1), &json!(1)));
    assert_eq!((&slave["TASK_UNREACHABLE"], &slave["framework_ids"][0]), (&json!(0), &framework["id"]));
    assert_eq!(framework["slave_ids"][0], slave["id"]);

    client.input(&json!({ "kind": "framework", "op": "remove", "name": "f" }));
    let gone = client.get("/frameworks").json();
    let completed = &gone["completed_frameworks"][0];
    assert_eq!((&completed["name"], &completed["active"]), (&json!("f"), &json!(false)));
    assert_eq!(completed["completed_tasks"][0]["state"], "TASK_KILLED");
}

#[test]
fn metrics_count_events() {
    let mut client = busy();
    let offers = last_offer(&mut client, "f", "b");
    call(&mut client, "f", json!({ "type": "DECLINE", "decline": { "offer_ids": [offers["id"]] } }));
    let metrics = client.get("/metrics/snapshot").status(200).json();
    for (key, expected) in [
        ("master/elected", json!(1)),
        ("master/uptime_secs", json!(20.0)),
        ("master/slaves_connected", json!(3)),
        ("master/slaves_active", json!(3)),
        ("master/slaves_unreachable", json!(0)),
        ("master/frameworks_active", json!(1)),
        ("master/frameworks_disconnected", json!(0)),
        ("master/outstanding_offers", json!(2)),
        ("master/tasks_running", json!(1)),
        ("master/tasks_lost", json!(0)),
        ("master/slave_registrations", json!(3)),
        ("master/slave_removals", json!(0)),
        ("master/messages_launch_tasks", json!(1)),
        ("master/messages_decline_offers", json!(1)),
        ("master/cpus_total", json!(12)),
        ("master/cpus_used", json!(1.5)),
        ("master/cpus_percent", json!(0.125)),
        ("master/gpus_percent", json!(0.0)),
        ("allocator/mesos/offer_filters/roles/dev/active", json!(1)),
    ] {
        assert_eq!(metrics[key], expected, "{key}");
    }
    let sent =
        metrics.as_object().unwrap().iter().find(|(key, _)| key.ends_with("/offers/declined")).unwrap();
    assert!(sent.0.starts_with("master/frameworks/p-") && sent.1 == &json!(1), "{sent:?}");
    // A machine that is lost: given up after 75 s of silence.
    client.input(&json!({ "kind": "fault", "fault": "agent-lost", "target": { "agent": "a" } }));
    client.advance(120_000);
    let metrics = client.get("/metrics/snapshot").json();
    for (key, expected) in [
        ("master/slaves_unreachable", 1),
        // It is LOST for a framework that does not know partitions, wherever it is listed.
        ("master/tasks_unreachable", 0),
        ("master/tasks_lost", 1),
        ("master/slave_unreachable_scheduled", 1),
        ("master/slave_unreachable_completed", 1),
        ("master/slave_removals", 1),
        ("master/slave_removals/reason_unhealthy", 1),
    ] {
        assert_eq!(metrics[key], expected, "{key}");
    }
    let state = client.get("/state").json();
    assert_eq!((&state["unreachable_slaves"], state["slaves"].as_array().unwrap().len()), (&json!(1), 2));
    assert_eq!(state["frameworks"][0]["unreachable_tasks"][0]["id"], "t1");
    assert_eq!(state["frameworks"][0]["tasks"], json!([]));
}

/// Source: `apache/mesos: src/master/master.cpp` (_tasks_unreachable).
#[test]
fn unreachable_tasks_are_counted_by_that_state() {
    let mut client = three();
    framework(&mut client, "aware", &["PARTITION_AWARE"]);
    let offer = last_offer(&mut client, "aware", "a");
    call(&mut client, "aware", launch(&offer, "t1", &[scalar("cpus", 1.5)]));
    client.advance(20_000);
    client.input(&json!({ "kind": "fault", "fault": "agent-partitioned", "target": { "agent": "a" } }));
    client.advance(120_000);
    let metrics = client.get("/metrics/snapshot").json();
    assert_eq!((&metrics["master/tasks_unreachable"], &metrics["master/tasks_lost"]), (&json!(1), &json!(0)));
}

/// Source: `apache/mesos: src/master/master.cpp` (updateTask), `src/common/http.cpp` (json of Task and TaskStatus).
#[test]
fn tasks_and_their_statuses_are_shown_in_full() {
    let mut client = three();
    framework(&mut client, "f", &["MULTI_ROLE"]);
    let offer = last_offer(&mut client, "f", "a");
    let mut launch = launch(&offer, "t", &[scalar("cpus", 1.0)]);
    let task = &mut launch["accept"]["operations"][0]["launch"]["task_infos"][0];
    let discovery =
        json!({ "visibility": "CLUSTER", "name": "web", "ports": { "ports": [{ "number": 31000 }] } });
    task["discovery"] = discovery.clone();
    let container = json!({ "type": "DOCKER", "docker": { "image": "nginx:1", "network": "BRIDGE" } });
    task["container"] = container.clone();
    task["command"]["user"] = json!("web");
    task["kill_policy"] = json!({ "grace_period": { "nanoseconds": 1_000_000_000_u64 } });
    task["health_check"] =
        json!({ "type": "COMMAND", "command": { "value": "true" }, "interval_seconds": 2 });
    task["check"] =
        json!({ "type": "HTTP", "http": { "port": 80 }, "delay_seconds": 0, "interval_seconds": 5 });
    call(&mut client, "f", launch);
    client.advance(40_000);
    let v0 = client.get("/state").json()["frameworks"][0]["tasks"][0].clone();
    let v1 = operator(&mut client, &json!({ "type": "GET_TASKS" })).1["get_tasks"]["tasks"][0].clone();
    for (form, shown) in [("v0", &v0), ("v1", &v1)] {
        assert_eq!(shown["discovery"], discovery, "{form}");
        assert_eq!(shown["container"], container, "{form}");
        assert_eq!(shown["user"], "web", "{form}");
        let health = &shown["health_check"];
        assert_eq!(health["interval_seconds"], 2, "{form}");
        for (key, expected) in [
            ("delay_seconds", json!(15.0)),
            ("timeout_seconds", json!(20.0)),
            ("consecutive_failures", json!(3)),
            ("grace_period_seconds", json!(10.0)),
            ("command", json!({ "value": "true", "shell": true })),
        ] {
            assert_eq!(health[key], expected, "{form} {key}");
        }
        let statuses = shown["statuses"].as_array().unwrap();
        assert_eq!(
            statuses.iter().map(|status| &status["state"]).collect::<Vec<_>>(),
            ["TASK_STARTING", "TASK_RUNNING"]
        );
        let container = &statuses[1]["container_status"];
        assert!(
            container["container_id"]["value"].as_str().is_some_and(|id| id.len() == 36),
            "{form}: {container}"
        );
        assert_eq!(container["network_infos"][0]["ip_addresses"][0]["ip_address"], "10.0.0.1", "{form}");
        assert_eq!(statuses[1]["healthy"], true, "{form}");
    }
    assert_eq!(v1["kill_policy"]["grace_period"]["nanoseconds"], 1_000_000_000);
    let running = &v1["statuses"][1];
    for (key, expected) in [
        ("reason", json!("REASON_TASK_HEALTH_CHECK_STATUS_UPDATED")),
        ("source", json!("SOURCE_EXECUTOR")),
        ("check_status", json!({ "type": "HTTP", "http": { "status_code": 200 } })),
        ("agent_id", offer["agent_id"].clone()),
    ] {
        assert_eq!(running[key], expected, "{key}: {running}");
    }
    assert_eq!(keys(&v0["statuses"][1]), sorted("state timestamp container_status healthy"), "v0 shows less");
    let told = crate::told(&mut client, "f").pop().unwrap()["update"]["status"].clone();
    assert_eq!(told["container_status"], running["container_status"], "what is told is what is kept");
    // Statuses made by the master keep their reason and message.
    call(&mut client, "f", json!({ "type": "TEARDOWN" }));
    let v1 =
        operator(&mut client, &json!({ "type": "GET_TASKS" })).1["get_tasks"]["completed_tasks"][0].clone();
    let killed = v1["statuses"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&killed["state"], &killed["reason"]),
        (&json!("TASK_KILLED"), &json!("REASON_FRAMEWORK_REMOVED"))
    );
    assert!(killed["message"].as_str().is_some_and(|text| text.contains("removed")), "{killed}");
    assert_eq!(killed["container_status"], json!(null), "{killed}");
}

#[test]
fn operator_reads() {
    let mut client = busy();
    for (kind, key) in [
        ("GET_HEALTH", "healthy"),
        ("GET_VERSION", "version_info"),
        ("GET_FLAGS", "flags"),
        ("GET_METRICS", "metrics"),
        ("GET_MASTER", "master_info"),
        ("GET_AGENTS", "agents"),
        ("GET_TASKS", "tasks"),
        ("GET_FRAMEWORKS", "frameworks"),
        ("GET_ROLES", "roles"),
        ("GET_STATE", "get_agents"),
    ] {
        let (status, reply) = operator(&mut client, &json!({ "type": kind }));
        assert_eq!((status, &reply["type"]), (200, &json!(kind)));
        assert!(!reply[kind.to_lowercase()][key].is_null(), "{kind}: {reply}");
    }
    let (_, reply) = operator(&mut client, &json!({ "type": "GET_AGENTS" }));
    let agent = &reply["get_agents"]["agents"][0];
    assert_eq!(
        keys(agent),
        sorted(
            "agent_info active deactivated version pid registered_time total_resources allocated_resources \
             offered_resources capabilities"
        ),
    );
    assert_eq!(keys(&agent["agent_info"]), sorted("id hostname port resources attributes domain"));
    assert_eq!(agent["registered_time"]["nanoseconds"], 1_443_830_400_000_000_000_i64);
    assert_eq!(reply["get_agents"]["recovered_agents"], json!([]));
    let (_, reply) = operator(&mut client, &json!({ "type": "GET_TASKS" }));
    assert_eq!(
        keys(&reply["get_tasks"]),
        sorted("pending_tasks tasks unreachable_tasks completed_tasks orphan_tasks"),
    );
    assert_eq!(reply["get_tasks"]["tasks"][0]["task_id"]["value"], "t1");
}

#[test]
fn methods_and_media_types() {
    let mut client = three();
    for path in [
        "/state",
        "/slaves",
        "/tasks",
        "/frameworks",
        "/state-summary",
        "/roles",
        "/health",
        "/metrics/snapshot",
    ] {
        for prefix in PREFIXES {
            client.get(&format!("{prefix}{path}")).status(200);
            let refused = client.send("POST", &format!("{prefix}{path}"), "");
            assert_eq!((refused.status, refused.allow.as_deref()), (405, Some("GET")), "{}", refused.asked);
        }
    }
    for path in ["/reserve", "/teardown", "/api/v1", "/api/v1/scheduler"] {
        let refused = client.get(path);
        assert_eq!((refused.status, refused.allow.as_deref()), (405, Some("POST")), "{path}");
        assert!(refused.content_type.starts_with("text/plain"), "{path}");
    }
    assert_eq!(client.get("/health").text, "");
    client.get("/master/nothing").status(404);

    let wrapped = client.get("/slaves?slave_id=x&jsonp=cb");
    assert_eq!(wrapped.text, r#"cb({"slaves":[],"recovered_slaves":[]});"#);
    assert_eq!(wrapped.content_type, "text/javascript");

    let json = ("content-type", "application/json");
    let before = client.digest();
    for (headers, body, status) in [
        (&[][..], r#"{"type":"GET_HEALTH"}"#, 400),
        (&[("content-type", "text/plain")], r#"{"type":"GET_HEALTH"}"#, 415),
        (&[json, ("accept", "text/html")], r#"{"type":"GET_HEALTH"}"#, 406),
        (&[json, ("accept", "text/html, */*;q=0.1")], r#"{"type":"GET_HEALTH"}"#, 200),
        (&[("content-type", "application/json; charset=utf-8")], r#"{"type":"GET_HEALTH"}"#, 200),
        (&[json], "{", 400),
    ] {
        for path in ["/api/v1", "/mesos/api/v1", "/master/api/v1"] {
            let response = request(&mut client, path, headers, body);
            assert_eq!(response.status, status, "{path} {headers:?} {body}: {}", text(&response));
        }
    }
    assert_eq!(client.digest(), before, "what only reads, or cannot be read, is no input");
    for (body, status) in [
        (json!({}), 400),
        (json!([]), 400),
        (json!({ "type": "NOT_A_TYPE" }), 400),
        (json!({ "type": "UNKNOWN" }), 501),
        (json!({ "type": "LIST_FILES" }), 400),
        (json!({ "type": "CREATE_DISK" }), 400),
        (json!({ "type": "RESERVE_RESOURCES" }), 400),
        (json!({ "type": "TEARDOWN" }), 400),
    ] {
        assert_eq!(operator(&mut client, &body).0, status, "{body}");
    }
}
