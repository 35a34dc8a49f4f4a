//! Operators' requests beside reads: routes, log levels, files, volumes of another size, the event stream.

use crate::{agent_id, call, framework, last_offer, launch, operator, request, scalar, text, three};
use planarium_rest::{EventStream, poll_stream};
use planarium_tests::Client;
use serde_json::{Value, json};

/// A subscribed operator, and its received events.
struct Listener {
    stream: EventStream,
    heard: Vec<Value>,
}

impl Listener {
    fn new(client: &mut Client) -> Self {
        let body = json!({ "type": "SUBSCRIBE" }).to_string();
        let response = request(client, "/api/v1", &[("content-type", "application/json")], &body);
        assert_eq!((response.status, response.content_type), (200, "application/json"));
        let mut listener = Self { stream: *response.rest.events().unwrap(), heard: Vec::new() };
        assert!(!listener.listen(client));
        listener
    }

    /// Takes in what has come; whether the stream has ended.
    fn listen(&mut self, client: &Client) -> bool {
        let polled = poll_stream(&mut self.stream, &client.session);
        let mut rest = polled.bytes.as_slice();
        while !rest.is_empty() {
            let at = rest.iter().position(|byte| *byte == b'\n').unwrap();
            let length: usize = std::str::from_utf8(&rest[..at]).unwrap().parse().unwrap();
            self.heard.push(serde_json::from_slice(&rest[at + 1..at + 1 + length]).unwrap());
            rest = &rest[at + 1 + length..];
        }
        polled.ended
    }

    /// Types of the events since the last call, without heartbeats; with the states of tasks.
    fn news(&mut self, client: &Client) -> Vec<String> {
        let before = self.heard.len();
        assert!(!self.listen(client), "the stream goes on");
        let word = |event: &Value| match event["type"].as_str().unwrap() {
            "HEARTBEAT" => None,
            "TASK_ADDED" => {
                Some(format!("TASK_ADDED {}", event["task_added"]["task"]["state"].as_str().unwrap()))
            }
            "TASK_UPDATED" => {
                Some(format!("TASK_UPDATED {}", event["task_updated"]["state"].as_str().unwrap()))
            }
            other => Some(other.to_owned()),
        };
        self.heard[before..].iter().filter_map(word).collect()
    }
}

#[test]
fn an_operator_gets_events() {
    let mut client = three();
    framework(&mut client, "f", &["MULTI_ROLE", "PARTITION_AWARE"]);
    let mut operator = Listener::new(&mut client);
    let first = operator.heard[0].clone();
    assert_eq!((&first["type"], &operator.heard[1]["type"]), (&json!("SUBSCRIBED"), &json!("HEARTBEAT")));
    assert_eq!(first["subscribed"]["heartbeat_interval_seconds"], 15.0);
    let state = crate::operator(&mut client, &json!({ "type": "GET_STATE" })).1["get_state"].clone();
    assert_eq!(first["subscribed"]["get_state"], state, "everything as it is");
    assert_eq!(state["get_agents"]["agents"].as_array().unwrap().len(), 3);

    let offer = last_offer(&mut client, "f", "a");
    call(&mut client, "f", launch(&offer, "t", &[scalar("cpus", 1.0)]));
    assert_eq!(operator.news(&client), ["TASK_ADDED TASK_STAGING"]);
    let added = &operator.heard.last().unwrap()["task_added"]["task"];
    assert_eq!((&added["task_id"]["value"], &added["agent_id"]), (&json!("t"), &offer["agent_id"]));
    client.advance(20_000);
    assert_eq!(operator.news(&client), ["TASK_UPDATED TASK_STARTING", "TASK_UPDATED TASK_RUNNING"]);
    let updated = operator.heard.iter().rfind(|event| event["type"] == "TASK_UPDATED").unwrap();
    let updated = &updated["task_updated"];
    assert_eq!(
        (&updated["status"]["source"], &updated["framework_id"]),
        (&json!("SOURCE_EXECUTOR"), &offer["framework_id"])
    );
    assert!(operator.heard.iter().filter(|event| event["type"] == "HEARTBEAT").count() >= 2, "one in 15 s");

    // Unreachable, which removes no agent from the list, and back.
    client.input(
        &json!({ "kind": "fault", "fault": "agent-partitioned", "target": { "agent": "a" }, "id": "cut" }),
    );
    client.advance(120_000);
    assert_eq!(operator.news(&client), ["TASK_UPDATED TASK_UNREACHABLE"]);
    client.input(&json!({ "kind": "clear-fault", "id": "cut" }));
    assert_eq!(operator.news(&client), ["TASK_ADDED TASK_RUNNING", "AGENT_ADDED"]);
    assert_eq!(operator.heard.last().unwrap()["agent_added"]["agent"]["agent_info"]["hostname"], "a");

    let g = framework(&mut client, "g", &[]);
    assert_eq!(operator.news(&client), ["FRAMEWORK_ADDED"]);
    let added = &operator.heard.last().unwrap()["framework_added"]["framework"];
    assert_eq!((&added["framework_info"]["id"]["value"], &added["connected"]), (&json!(g), &json!(true)));
    client.input(&json!({ "kind": "framework", "op": "call", "name": "g", "call": {
        "type": "UPDATE_FRAMEWORK", "update_framework": { "framework_info": {
            "user": "root", "name": "g", "principal": "p", "checkpoint": true, "role": "ops" } },
    } }));
    assert_eq!(operator.news(&client), ["FRAMEWORK_UPDATED"]);
    client.input(&json!({ "kind": "framework", "op": "remove", "name": "g" }));
    assert_eq!(operator.news(&client), ["FRAMEWORK_REMOVED"]);
    client.input(&json!({ "kind": "framework", "op": "remove", "name": "f" }));
    assert_eq!(operator.news(&client), ["TASK_UPDATED TASK_KILLED", "FRAMEWORK_REMOVED"]);
    client.input(&json!({ "kind": "remove-agent", "agent": "b" }));
    assert_eq!(operator.news(&client), ["AGENT_REMOVED"]);
    client.input(&json!({ "kind": "add-agent", "hostname": "d" }));
    assert_eq!(operator.news(&client), ["AGENT_ADDED"]);

    // A new master has no listeners yet.
    client.input(&json!({ "kind": "fault", "fault": "master-failover" }));
    assert!(operator.listen(&client), "the connection is to the old one");
}

#[test]
fn listening_changes_nothing() {
    let mut digests = Vec::new();
    for listens in [false, true] {
        let mut client = three();
        if listens {
            Listener::new(&mut client);
        }
        framework(&mut client, "f", &[]);
        client.advance(60_000);
        digests.push((client.get("/sim").json()["digest"].clone(), client.get("/sim/journal").json()));
    }
    assert_eq!(digests[0], digests[1]);
    let mut client = three();
    client.advance(10_000);
    let mut operator = Listener::new(&mut client);
    client.post("/sim/seek", &json!({ "at_ms": 0 })).status(200);
    assert!(operator.listen(&client), "time was turned back");
    let refused = client.post(
        "/sim/inputs",
        &json!({ "kind": "call", "method": "POST", "path": "/api/v1",
        "body": { "type": "SUBSCRIBE" } }),
    );
    assert_eq!(refused.status, 501, "{}", refused.text);
}

/// Source: `apache/mesos: 3rdparty/libprocess/src/process.cpp`, `src/version/version.cpp`, `src/master/http.cpp` (redirect).
#[test]
fn routes_are_matched_like_in_libprocess() {
    let mut client = three();
    for (target, status) in [
        ("/version", 200),
        ("/mesos/version", 200),
        ("/master/version", 404),
        ("/flags", 200),
        ("/master/flags/", 200),
        ("/master/state/more/of/it", 200),
        ("/state-summary/x", 200),
        ("/master/maintenance/schedule/x", 200),
        ("/master/health/x", 200),
        ("/master/slaves/x", 200),
        ("/metrics/snapshot", 200),
        ("/master/nothing", 404),
        ("/master/maintenance", 404),
        ("/master/redirect/x", 404),
    ] {
        assert_eq!(client.get(target).status, status, "{target}");
    }
    let version = client.get("/version").json();
    assert_eq!(version["version"], client.get("/state").json()["version"]);
    assert!(version["build_date"].is_string() && version["build_time"].is_number());
    assert_eq!(client.get("/flags").json()["flags"]["allocation_interval"], "1secs");
    for target in ["/redirect", "/master/redirect", "/mesos/redirect", "/mesos/master/redirect"] {
        let response = request(&mut client, target, &[("host", "sim.example:8080")], "");
        let location =
            response.headers.iter().find(|(name, _)| name == "location").map(|(_, value)| value.clone());
        assert_eq!((response.status, location.as_deref()), (307, Some("//sim.example:8080")), "{target}");
    }
    let json_type = [("content-type", "application/json")];
    for (target, status) in
        [("/api/v1/operator", 200), ("/master/api/v1/x/y", 200), ("/api/v1/scheduler/x", 400)]
    {
        let response = request(&mut client, target, &json_type, r#"{"type":"GET_HEALTH"}"#);
        assert_eq!(response.status, status, "{target}: {}", text(&response));
    }
}

#[test]
fn logging_levels_are_temporary() {
    let mut client = three();
    let level = |client: &mut Client| operator(client, &json!({ "type": "GET_LOGGING_LEVEL" })).1;
    assert_eq!(
        level(&mut client),
        json!({ "type": "GET_LOGGING_LEVEL", "get_logging_level": { "level": 0 } })
    );
    let set = |level: Value, duration: Value| json!({ "type": "SET_LOGGING_LEVEL", "set_logging_level": { "level": level, "duration": duration } });
    let minute = json!({ "nanoseconds": 60_000_000_000_u64 });
    assert_eq!(operator(&mut client, &set(json!(2), minute.clone())).0, 200);
    assert_eq!(level(&mut client)["get_logging_level"]["level"], 2);
    client.advance(60_000);
    assert_eq!(level(&mut client)["get_logging_level"]["level"], 0);
    for broken in [
        json!({ "type": "SET_LOGGING_LEVEL" }),
        set(json!(null), minute.clone()),
        set(json!(-1), minute),
        set(json!(1), json!({})),
    ] {
        assert_eq!(operator(&mut client, &broken).0, 400, "{broken}");
    }
}

#[test]
fn a_sandbox_contains_a_commands_predictable_output() {
    let mut client = three();
    let f = framework(&mut client, "f", &["MULTI_ROLE"]);
    let offer = last_offer(&mut client, "f", "a");
    let mut launch = launch(&offer, "t", &[scalar("cpus", 1.0)]);
    launch["accept"]["operations"][0]["launch"]["task_infos"][0]["command"]["value"] =
        json!("echo hello && sleep 5 && echo world");
    call(&mut client, "f", launch);
    client.advance(20_000);
    let a = agent_id(&mut client, "a");
    let container =
        client.get("/state").json()["frameworks"][0]["completed_tasks"][0]["statuses"][1]["container_status"]
            ["container_id"]["value"]
            .as_str()
            .unwrap()
            .to_owned();
    for root in ["/var/lib/mesos/slave/slaves", "slaves"] {
        for run in ["latest", container.as_str()] {
            let folder = format!("{root}/{a}/frameworks/{f}/executors/t/runs/{run}");
            let list =
                operator(&mut client, &json!({ "type": "LIST_FILES", "list_files": { "path": folder } })).1;
            let files = list["list_files"]["file_infos"].as_array().unwrap();
            let sizes: Vec<(Value, Value)> =
                files.iter().map(|file| (file["path"].clone(), file["size"].clone())).collect();
            assert_eq!(
                sizes,
                [
                    (json!(format!("{folder}/stderr")), json!(0)),
                    (json!(format!("{folder}/stdout")), json!(12))
                ]
            );
        }
    }
    let stdout = format!("slaves/{a}/frameworks/{f}/executors/t/runs/latest/stdout");
    for (offset, length, data) in
        [(0, Value::Null, "aGVsbG8Kd29ybGQK"), (6, json!(5), "d29ybGQ="), (100, Value::Null, "")]
    {
        let read = json!({ "path": stdout, "offset": offset, "length": length });
        let (status, reply) = operator(&mut client, &json!({ "type": "READ_FILE", "read_file": read }));
        assert_eq!((status, &reply["read_file"]), (200, &json!({ "size": 12, "data": data })));
    }
    for (path, status) in
        [("/master/log", 404), ("", 404), ("slaves/x/frameworks/y/executors/z/runs/latest/stdout", 404)]
    {
        let read = json!({ "path": path, "offset": 0 });
        assert_eq!(
            operator(&mut client, &json!({ "type": "READ_FILE", "read_file": read })).0,
            status,
            "{path}"
        );
        let list = json!({ "type": "LIST_FILES", "list_files": { "path": path } });
        assert_eq!(operator(&mut client, &list).0, status, "{path}");
    }
    for broken in
        [json!({ "type": "READ_FILE" }), json!({ "type": "READ_FILE", "read_file": { "path": "x" } })]
    {
        assert_eq!(operator(&mut client, &broken).0, 400, "{broken}");
    }
}

#[test]
fn volumes_are_resized() {
    let mut client = three();
    let a = json!({ "value": agent_id(&mut client, "a") });
    let reserved = |amount: f64| {
        let mut resource = scalar("disk", amount);
        resource["reservations"] = json!([{ "type": "DYNAMIC", "role": "dev" }]);
        resource
    };
    let volume = |amount: f64| {
        let mut resource = reserved(amount);
        resource["disk"] =
            json!({ "persistence": { "id": "v" }, "volume": { "container_path": "data", "mode": "RW" } });
        resource
    };
    let mut ask = |kind: &str, part: Value| {
        operator(&mut client, &json!({ "type": kind, kind.to_lowercase(): part })).0
    };
    assert_eq!(ask("RESERVE_RESOURCES", json!({ "agent_id": a, "resources": [reserved(100.0)] })), 202);
    assert_eq!(ask("CREATE_VOLUMES", json!({ "agent_id": a, "volumes": [volume(40.0)] })), 202);
    let grow =
        |from: f64, by: f64| json!({ "agent_id": a, "volume": volume(from), "addition": reserved(by) });
    assert_eq!(ask("GROW_VOLUME", grow(40.0, 20.0)), 202);
    assert_eq!(ask("GROW_VOLUME", grow(40.0, 20.0)), 409, "it has another size by now");
    assert_eq!(ask("GROW_VOLUME", grow(60.0, 41.0)), 409, "there is no more than 40");
    assert_eq!(ask("GROW_VOLUME", grow(60.0, 0.0)), 400);
    assert_eq!(
        ask("GROW_VOLUME", json!({ "agent_id": a, "volume": volume(60.0), "addition": scalar("disk", 1.0) })),
        400
    );
    assert_eq!(ask("GROW_VOLUME", json!({ "volume": volume(60.0), "addition": reserved(1.0) })), 400);
    let shrink =
        |from: f64, by: f64| json!({ "agent_id": a, "volume": volume(from), "subtract": { "value": by } });
    assert_eq!(ask("SHRINK_VOLUME", shrink(60.0, 50.0)), 202);
    for (body, status) in [
        (shrink(10.0, 10.0), 400),
        (shrink(10.0, -1.0), 400),
        (shrink(60.0, 5.0), 409),
        (json!({ "agent_id": a, "volume": reserved(10.0), "subtract": { "value": 1 } }), 400),
        (
            json!({ "agent_id": { "value": "nobody" }, "volume": volume(10.0), "subtract": { "value": 1 } }),
            400,
        ),
        (json!({ "agent_id": a, "volume": volume(10.0) }), 400),
    ] {
        assert_eq!(ask("SHRINK_VOLUME", body.clone()), status, "{body}");
    }
    assert_eq!(ask("DESTROY_VOLUMES", json!({ "agent_id": a, "volumes": [volume(10.0)] })), 202);
    assert_eq!(ask("UNRESERVE_RESOURCES", json!({ "agent_id": a, "resources": [reserved(100.0)] })), 202);
}

#[test]
fn operations_are_known_until_they_are_acknowledged() {
    let mut client = three();
    let none = operator(&mut client, &json!({ "type": "GET_OPERATIONS" })).1;
    assert_eq!(none, json!({ "type": "GET_OPERATIONS", "get_operations": {} }));
    let info = json!({ "user": "root", "name": "f", "role": "dev", "checkpoint": true });
    let subscribe = json!({ "type": "SUBSCRIBE", "subscribe": { "framework_info": info } }).to_string();
    let json_type = ("content-type", "application/json");
    let response = request(&mut client, "/api/v1/scheduler", &[json_type], &subscribe);
    let stream_id = response.headers.iter().find(|(name, _)| name == "mesos-stream-id").unwrap().1.clone();
    client.advance(1_000);
    let offer = last_offer(&mut client, "f", "a");
    let mut disk = scalar("disk", 10.0);
    disk["role"] = json!("dev");
    disk["reservation"] = json!({});
    let reserve = json!({ "type": "RESERVE", "id": { "value": "op" }, "reserve": { "resources": [disk] } });
    let accept = json!({ "type": "ACCEPT", "framework_id": offer["framework_id"],
        "accept": { "offer_ids": [offer["id"]], "operations": [reserve] } });
    let headers = [json_type, ("mesos-stream-id", stream_id.as_str())];
    assert_eq!(request(&mut client, "/api/v1/scheduler", &headers, &accept.to_string()).status, 202);
    let known =
        operator(&mut client, &json!({ "type": "GET_OPERATIONS" })).1["get_operations"]["operations"].clone();
    let [known] = known.as_array().unwrap().as_slice() else { panic!("one operation: {known}") };
    assert_eq!((&known["framework_id"], &known["agent_id"]), (&offer["framework_id"], &offer["agent_id"]));
    assert_eq!((&known["info"]["type"], &known["info"]["id"]["value"]), (&json!("RESERVE"), &json!("op")));
    assert_eq!(known["info"]["reserve"]["resources"][0]["scalar"]["value"], 10);
    assert_eq!(known["latest_status"]["state"], "OPERATION_FINISHED");
    let acknowledge = json!({ "type": "ACKNOWLEDGE_OPERATION_STATUS", "framework_id": offer["framework_id"],
        "acknowledge_operation_status": { "agent_id": offer["agent_id"], "operation_id": { "value": "op" },
            "uuid": known["latest_status"]["uuid"]["value"] } });
    assert_eq!(request(&mut client, "/api/v1/scheduler", &headers, &acknowledge.to_string()).status, 202);
    assert_eq!(operator(&mut client, &json!({ "type": "GET_OPERATIONS" })).1, none);
}

#[test]
fn a_window_that_matches_no_machine_is_reported() {
    for (machine, says) in [
        (json!({ "hostname": "a" }), Some("\"ip\": \"10.0.0.1\"")),
        (json!({ "ip": "10.0.0.1" }), Some("\"hostname\": \"a\"")),
        (json!({ "hostname": "a", "ip": "10.9.9.9" }), Some("a has the address 10.0.0.1")),
        (json!({ "hostname": "z", "ip": "10.0.0.1" }), Some("10.0.0.1 is the address of a")),
        (json!({ "hostname": "nobody" }), Some("matches no machine of this cluster")),
        (json!({ "hostname": "A", "ip": "10.0.0.1" }), None),
    ] {
        let mut client = three();
        let before = client.get("/sim").json()["seq"].as_u64().unwrap();
        let window = json!({ "machine_ids": [machine], "unavailability": { "start": { "nanoseconds": 5 } } });
        client.post("/maintenance/schedule", &json!({ "windows": [window] })).status(200);
        let view = client.get("/sim/view").json()["cluster"]["windows"][0]["machines"][0].clone();
        let events = client.get(&format!("/sim/events?since={before}")).json();
        let told: Vec<&Value> = events
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| {
                event["kind"] == "maintenance"
                    && event["text"].as_str().is_some_and(|t| t.contains("no machine"))
            })
            .collect();
        match says {
            Some(says) => {
                assert!(
                    view["unmatched"].as_str().is_some_and(|text| text.contains(says)),
                    "{machine}: {view}"
                );
                let [event] = told.as_slice() else { panic!("{machine}: one event: {told:?}") };
                assert!(event["text"].as_str().is_some_and(|text| text.contains(says)), "{machine}: {event}");
            }
            None => assert!(view["unmatched"].is_null() && told.is_empty(), "{machine}: {view} {told:?}"),
        }
    }
}

#[test]
fn explains_a_machines_state() {
    let mut client = three();
    let why =
        |client: &mut Client, which: &str| client.get(&format!("/sim/why?agent={which}")).status(200).json();
    let up = why(&mut client, "a");
    assert_eq!((&up["agent"], &up["state"], &up["reasons"]), (&json!("a"), &json!("up"), &json!([])));
    assert!(up["sentence"].as_str().is_some_and(|text| text.contains("offered")), "{up}");
    let id = agent_id(&mut client, "b");
    assert_eq!(why(&mut client, &id)["agent"], "b");
    assert_eq!(client.get("/sim/why?agent=nobody").status, 404);
    let has = |why: &Value, part: &str| {
        let all = why["reasons"].as_array().unwrap().iter();
        assert!(all.filter_map(Value::as_str).any(|text| text.contains(part)), "{part}: {why}");
    };
    // A window that leaves its address out.
    let window =
        json!({ "machine_ids": [{ "hostname": "a" }], "unavailability": { "start": { "nanoseconds": 5 } } });
    client.post("/maintenance/schedule", &json!({ "windows": [window] })).status(200);
    has(&why(&mut client, "a"), "which is not this machine");
    let window = json!({ "machine_ids": [{ "hostname": "ghost" }], "unavailability": { "start": { "nanoseconds": 5 } } });
    client.post("/maintenance/schedule", &json!({ "windows": [window] })).status(200);
    let ghost = why(&mut client, "ghost");
    assert_eq!((&ghost["state"], &ghost["agent_id"]), (&json!("draining"), &json!("")));
    has(&ghost, "matches no machine");
    // What holds it back, and what would change that.
    for (input, state, part, unblocks) in [
        (
            json!({ "kind": "fault", "fault": "agent-lost", "target": { "agent": "c" } }),
            "lost",
            "a fault",
            true,
        ),
        (
            json!({ "kind": "maintenance", "op": "deactivate", "body": { "agent_id": { "value": "b" } } }),
            "deactivated",
            "nothing of it is offered",
            true,
        ),
    ] {
        client.input(&input);
        let which = if state == "lost" { "c" } else { "b" };
        let answer = why(&mut client, which);
        assert_eq!(answer["state"], state);
        has(&answer, part);
        assert_eq!(!answer["unblock"].as_array().unwrap().is_empty(), unblocks, "{answer}");
    }
    let machine = json!([{ "hostname": "a", "ip": "10.0.0.1" }]);
    let window = json!({ "machine_ids": machine, "unavailability": { "start": { "nanoseconds": 5 } } });
    client.post("/maintenance/schedule", &json!({ "windows": [window] })).status(200);
    has(&why(&mut client, "a"), "maintenance schedule");
    client.post("/machine/down", &machine).status(200);
    let down = why(&mut client, "a");
    has(&down, "DOWN");
    let inputs: Vec<&Value> =
        down["unblock"].as_array().unwrap().iter().map(|unblock| &unblock["input"]["op"]).collect();
    assert_eq!(inputs, ["up"]);
}
