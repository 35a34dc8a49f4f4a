//! `/api/v1/scheduler` without a socket: the stream, the codes.

use crate::{framework, launch, operator, request, scalar, text, three};
use planarium_rest::{EventStream, Response, close_stream, poll_stream};
use planarium_tests::Client;
use serde_json::{Value, json};

const JSON: (&str, &str) = ("content-type", "application/json");

fn subscribe(client: &mut Client, info: Value) -> Response {
    let body = json!({ "type": "SUBSCRIBE", "subscribe": { "framework_info": info } });
    request(client, "/api/v1/scheduler", &[JSON], &body.to_string())
}

/// The call that acknowledges a status.
fn acknowledge(status: &Value) -> Value {
    let acknowledge =
        json!({ "agent_id": status["agent_id"], "task_id": status["task_id"], "uuid": status["uuid"] });
    json!({ "type": "ACKNOWLEDGE", "acknowledge": acknowledge })
}

/// A framework that listens to its stream.
struct Scheduler {
    id: String,
    stream_id: String,
    stream: Box<EventStream>,
    heard: Vec<Value>,
}

impl Scheduler {
    fn new(client: &mut Client, name: &str) -> Self {
        let response = subscribe(client, json!({ "user": "root", "name": name, "role": "dev" }));
        assert_eq!(response.status, 200, "{}", text(&response));
        let stream_id =
            response.headers.iter().find(|(name, _)| *name == "mesos-stream-id").unwrap().1.clone();
        let mut scheduler =
            Self { id: String::new(), stream_id, stream: response.rest.events().unwrap(), heard: Vec::new() };
        assert!(!scheduler.listen(client));
        scheduler.id = scheduler.heard[0]["subscribed"]["framework_id"]["value"].as_str().unwrap().to_owned();
        scheduler
    }

    /// Takes in what has come; true at the end of the stream.
    fn listen(&mut self, client: &Client) -> bool {
        let polled = poll_stream(&mut self.stream, &client.session);
        let mut rest = polled.bytes.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let length: usize = String::from_utf8_lossy(&rest[..end]).parse().unwrap();
            let (record, after) = rest[end + 1..].split_at(length);
            self.heard.push(serde_json::from_slice(record).unwrap());
            rest = after;
        }
        assert!(rest.is_empty(), "half a record");
        polled.ended
    }

    fn types(&self) -> Vec<&str> {
        self.heard.iter().map(|event| event["type"].as_str().unwrap()).collect()
    }

    /// Returns the last received status.
    fn last_status(&mut self, client: &Client) -> Value {
        self.listen(client);
        let update = self.heard.iter().rfind(|event| event["type"] == "UPDATE");
        update.unwrap()["update"]["status"].clone()
    }

    fn call(&self, client: &mut Client, call: &Value, status: u16) {
        let mut call = call.clone();
        call["framework_id"] = json!({ "value": self.id });
        let headers = [JSON, ("mesos-stream-id", self.stream_id.as_str())];
        let response = request(client, "/api/v1/scheduler", &headers, &call.to_string());
        assert_eq!(response.status, status, "{call}: {}", text(&response));
    }
}

#[test]
fn a_stream_contains_events_and_heartbeats() {
    let mut client = three();
    let mut scheduler = Scheduler::new(&mut client, "f");
    assert_eq!(scheduler.types(), ["SUBSCRIBED", "OFFERS"]);
    assert_eq!(scheduler.heard[1]["offers"]["offers"].as_array().unwrap().len(), 3);
    client.advance(14_999);
    scheduler.listen(&client);
    assert_eq!(scheduler.heard.len(), 2);
    client.advance(1);
    scheduler.listen(&client);
    assert_eq!(scheduler.heard[2], json!({ "type": "HEARTBEAT" }));
    client.advance(30_000);
    scheduler.listen(&client);
    assert_eq!(scheduler.types().len(), 5);
    scheduler.call(
        &mut client,
        &json!({ "type": "RECONCILE", "reconcile": { "tasks": [{ "task_id": { "value": "x" } }] } }),
        202,
    );
    scheduler.listen(&client);
    assert_eq!(scheduler.heard[5]["update"]["status"]["state"], "TASK_LOST");
    assert!(client.get("/sim").json()["idle"].as_bool().unwrap(), "a listener keeps nothing going");
    // A leap of hours does not bury the listener.
    client.advance(3 * 3_600_000);
    scheduler.listen(&client);
    assert!(scheduler.heard.len() < 200, "{}", scheduler.heard.len());
}

#[test]
fn every_call_has_its_code() {
    let mut client = three();
    let mut scheduler = Scheduler::new(&mut client, "f");
    let offer = scheduler.heard[1]["offers"]["offers"][0].clone();
    let task = json!({
        "name": "t", "task_id": { "value": "t" }, "agent_id": offer["agent_id"],
        "command": { "value": "./run" }, "resources": [scalar("cpus", 1.0)],
    });
    let launch = json!({ "type": "LAUNCH", "launch": { "task_infos": [task] } });
    for (call, status) in [
        (json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]], "operations": [launch] } }), 202),
        (json!({ "type": "DECLINE", "decline": { "offer_ids": [] } }), 202),
        (json!({ "type": "SUPPRESS" }), 202),
        (json!({ "type": "REVIVE", "revive": { "roles": ["dev"] } }), 202),
        (
            json!({ "type": "ACCEPT_INVERSE_OFFERS", "accept_inverse_offers": { "inverse_offer_ids": [{ "value": "x" }] } }),
            202,
        ),
        (
            json!({ "type": "DECLINE_INVERSE_OFFERS", "decline_inverse_offers": { "inverse_offer_ids": [] } }),
            202,
        ),
        (json!({ "type": "REQUEST", "request": { "requests": [] } }), 202),
        (json!({ "type": "RECONCILE", "reconcile": {} }), 202),
        (json!({ "type": "RECONCILE_OPERATIONS", "reconcile_operations": {} }), 202),
        (
            json!({ "type": "MESSAGE", "message": { "agent_id": { "value": "a" }, "executor_id": { "value": "e" }, "data": "" } }),
            202,
        ),
        (
            json!({ "type": "SHUTDOWN", "shutdown": { "agent_id": { "value": "a" }, "executor_id": { "value": "e" } } }),
            202,
        ),
        (json!({ "type": "KILL", "kill": { "task_id": { "value": "unknown" } } }), 202),
        (
            json!({ "type": "UPDATE_FRAMEWORK", "update_framework": { "framework_info": { "user": "root", "name": "f", "role": "ops" } } }),
            202,
        ),
        (
            json!({ "type": "UPDATE_FRAMEWORK", "update_framework": { "framework_info": { "user": "other", "name": "f", "role": "ops" } } }),
            400,
        ),
        (json!({ "type": "ACCEPT" }), 400),
        (json!({ "type": "WHAT" }), 400),
        (json!({}), 400),
    ] {
        scheduler.call(&mut client, &call, status);
    }
    client.advance(20_000);
    let status = scheduler.last_status(&client);
    assert_eq!(status["state"], "TASK_STARTING", "nothing more is said until it is acknowledged");
    for uuid in [json!("x"), json!("AAAA"), json!(7), Value::Null] {
        let mut acknowledge = acknowledge(&status);
        acknowledge["acknowledge"]["uuid"] = uuid;
        scheduler.call(&mut client, &acknowledge, 400);
    }
    scheduler.call(&mut client, &acknowledge(&status), 202);
    let status = scheduler.last_status(&client);
    assert_eq!(status["state"], "TASK_RUNNING");
    scheduler.call(&mut client, &acknowledge(&status), 202);
    let metrics = client.get("/metrics/snapshot").json();
    assert_eq!(metrics["master/valid_status_update_acknowledgements"], 2);
    scheduler.call(&mut client, &json!({ "type": "TEARDOWN" }), 202);
    assert!(scheduler.listen(&client), "the stream ends with the framework");
    assert_eq!(client.get("/tasks").json()["tasks"][0]["state"], "TASK_KILLED");
}

/// A task that has ended holds nothing, and is listed until its framework has acknowledged the end.
#[test]
fn a_task_is_listed_until_its_end_is_acknowledged() {
    let mut client = three();
    let mut scheduler = Scheduler::new(&mut client, "f");
    let offer = scheduler.heard[1]["offers"]["offers"][0].clone();
    let agent = offer["agent_id"]["value"].clone();
    scheduler.call(&mut client, &launch(&offer, "t", &[scalar("cpus", 1.0)]), 202);
    client.advance(20_000);
    for state in ["TASK_STARTING", "TASK_RUNNING"] {
        let status = scheduler.last_status(&client);
        assert_eq!(status["state"], state);
        scheduler.call(&mut client, &acknowledge(&status), 202);
    }
    scheduler.call(&mut client, &json!({ "type": "KILL", "kill": { "task_id": { "value": "t" } } }), 202);
    client.advance(10_000);
    let drain = json!({ "type": "DRAIN_AGENT", "drain_agent": { "agent_id": { "value": agent } } });
    assert_eq!(operator(&mut client, &drain).0, 200);
    let shown = |client: &mut Client| {
        let state = client.get("/state").json();
        let of = |list: &str| state["frameworks"][0][list].as_array().map(Vec::len);
        let slaves = state["slaves"].as_array().unwrap();
        let slave = slaves.iter().find(|slave| slave["id"] == agent).unwrap();
        (
            of("tasks"),
            of("completed_tasks"),
            slave["used_resources"]["cpus"].clone(),
            slave["drain_info"]["state"].clone(),
        )
    };
    assert_eq!(shown(&mut client), (Some(1), Some(0), json!(0), json!("DRAINING")));
    assert_eq!(client.get("/tasks").json()["tasks"][0]["state"], "TASK_KILLED");
    client.advance(30_000);
    let told = scheduler.last_status(&client);
    let times =
        scheduler.heard.iter().filter(|event| event["update"]["status"]["uuid"] == told["uuid"]).count();
    assert!(times == 3 && told["state"] == "TASK_KILLED", "after 10 and 20 s: {times} {told}");
    scheduler.call(&mut client, &acknowledge(&told), 202);
    assert_eq!(shown(&mut client), (Some(0), Some(1), json!(0), json!("DRAINED")));
}

/// Operations with ids are answered on the stream, until the answer is acknowledged.
#[test]
fn operations_with_ids_are_answered() {
    let mut client = three();
    let mut scheduler = Scheduler::new(&mut client, "f");
    let offer = scheduler.heard[1]["offers"]["offers"][0].clone();
    let reserved = |name: &str, amount: f64| {
        let mut resource = scalar(name, amount);
        resource["role"] = json!("dev");
        resource["reservation"] = json!({});
        resource
    };
    let named = |id: &str, kind: &str, key: &str, part: Value| json!({ "id": { "value": id }, "type": kind, key: part });
    let mut volume = reserved("disk", 64.0);
    volume["disk"] =
        json!({ "persistence": { "id": "v" }, "volume": { "container_path": "data", "mode": "RW" } });
    let task = json!({ "name": "t", "task_id": { "value": "t" }, "agent_id": offer["agent_id"],
        "command": { "value": "./run" }, "resources": [scalar("cpus", 1.0)] });
    let operations = json!([
        named("r", "RESERVE", "reserve", json!({ "resources": [reserved("disk", 100.0)] })),
        named("c", "CREATE", "create", json!({ "volumes": [volume] })),
        named(
            "g",
            "GROW_VOLUME",
            "grow_volume",
            json!({ "volume": volume, "addition": reserved("disk", 6.0) })
        ),
        named("s", "SHRINK_VOLUME", "shrink_volume", json!({ "volume": volume, "subtract": { "value": 4 } })),
        named(
            "d",
            "CREATE_DISK",
            "create_disk",
            json!({ "source": scalar("disk", 1.0), "target_type": "MOUNT" })
        ),
        named(
            "again",
            "RESERVE",
            "reserve",
            json!({ "source": [reserved("disk", 1.0)], "resources": [reserved("disk", 1.0)] })
        ),
        named("l", "LAUNCH", "launch", json!({ "task_infos": [task] })),
    ]);
    let accept =
        json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]], "operations": operations } });
    scheduler.call(&mut client, &accept, 202);
    scheduler.listen(&client);
    let told: Vec<Value> = scheduler.heard[2..]
        .iter()
        .map(|event| match event["type"].as_str() {
            Some("UPDATE_OPERATION_STATUS") => {
                let status = &event["update_operation_status"]["status"];
                json!([status["operation_id"]["value"], status["state"]])
            }
            _ => json!([event["update"]["status"]["task_id"]["value"], event["update"]["status"]["state"]]),
        })
        .collect();
    assert_eq!(
        json!(told),
        json!([
            // Invalid operations are dropped before anything is carried out.
            ["again", "OPERATION_ERROR"],
            ["t", "TASK_ERROR"],
            ["r", "OPERATION_FINISHED"],
            ["c", "OPERATION_FINISHED"],
            ["g", "OPERATION_FINISHED"],
            // The volume of the new size is for later.
            ["s", "OPERATION_ERROR"],
            ["d", "OPERATION_ERROR"],
        ])
    );
    let status =
        |scheduler: &Scheduler, nth: usize| scheduler.heard[nth]["update_operation_status"]["status"].clone();
    let grown = status(&scheduler, 6);
    assert_eq!(grown["agent_id"], offer["agent_id"]);
    assert_eq!(grown["converted_resources"][0]["scalar"]["value"], 70);
    assert_eq!(grown["converted_resources"][0]["disk"]["persistence"]["id"], "v");
    let refused = status(&scheduler, 8);
    assert!(
        refused["uuid"].is_null()
            && refused["message"].as_str().is_some_and(|text| text.contains("provider"))
    );
    let acknowledge = |status: &Value| {
        json!({ "type": "ACKNOWLEDGE_OPERATION_STATUS", "acknowledge_operation_status": {
            "agent_id": status["agent_id"], "operation_id": status["operation_id"], "uuid": status["uuid"]["value"],
        } })
    };
    for field in ["agent_id", "operation_id", "uuid"] {
        let mut call = acknowledge(&grown);
        call["acknowledge_operation_status"][field] = Value::Null;
        scheduler.call(&mut client, &call, 400);
    }
    for nth in [4, 5] {
        scheduler.call(&mut client, &acknowledge(&status(&scheduler, nth)), 202);
    }
    client.advance(15_000);
    scheduler.listen(&client);
    let again: Vec<&Value> = scheduler.heard[9..]
        .iter()
        .filter(|event| event["type"] == "UPDATE_OPERATION_STATUS")
        .map(|event| &event["update_operation_status"]["status"]["uuid"])
        .collect();
    assert_eq!(again, [&grown["uuid"]], "what is not acknowledged is told again");
    let ask = json!({ "type": "RECONCILE_OPERATIONS", "reconcile_operations": { "operations": [
        { "operation_id": { "value": "g" }, "agent_id": offer["agent_id"] },
        { "operation_id": { "value": "r" }, "agent_id": offer["agent_id"] },
    ] } });
    let before = scheduler.heard.len();
    scheduler.call(&mut client, &ask, 202);
    scheduler.listen(&client);
    assert_eq!(status(&scheduler, before)["state"], "OPERATION_FINISHED");
    assert_eq!(status(&scheduler, before + 1)["state"], "OPERATION_UNKNOWN");
    for broken in [
        json!({ "type": "GROW_VOLUME", "grow_volume": { "volume": volume } }),
        json!({ "type": "SHRINK_VOLUME", "shrink_volume": { "volume": volume } }),
        json!({ "type": "CREATE_DISK", "create_disk": { "source": scalar("disk", 1.0) } }),
        json!({ "type": "DESTROY_DISK", "destroy_disk": {} }),
        json!({ "id": "text", "type": "RESERVE", "reserve": { "resources": [] } }),
    ] {
        let accept = json!({ "type": "ACCEPT", "accept": { "offer_ids": [], "operations": [broken] } });
        scheduler.call(&mut client, &accept, 400);
    }
    let unknown = json!({ "offer_ids": [], "operations": [{ "type": "PAINT" }, {}] });
    scheduler.call(&mut client, &json!({ "type": "ACCEPT", "accept": unknown }), 202);
}

#[test]
fn a_call_belongs_to_a_stream() {
    let mut client = three();
    let scheduler = Scheduler::new(&mut client, "f");
    let by_input = framework(&mut client, "g", &[]);
    let digest = client.digest();
    for (id, stream, status) in [
        (scheduler.id.as_str(), None, 400),
        (scheduler.id.as_str(), Some("another"), 400),
        ("nobody", Some(scheduler.stream_id.as_str()), 400),
        (by_input.as_str(), Some(scheduler.stream_id.as_str()), 403),
    ] {
        let body = json!({ "type": "REVIVE", "framework_id": { "value": id } }).to_string();
        let mut headers = vec![JSON];
        headers.extend(stream.map(|stream| ("mesos-stream-id", stream)));
        let response = request(&mut client, "/api/v1/scheduler", &headers, &body);
        assert_eq!(response.status, status, "{id} {stream:?}: {}", text(&response));
    }
    let again =
        json!({ "type": "SUBSCRIBE", "subscribe": { "framework_info": { "user": "u", "name": "f" } } });
    let headers = [JSON, ("mesos-stream-id", "x")];
    assert_eq!(request(&mut client, "/api/v1/scheduler", &headers, &again.to_string()).status, 400);
    assert_eq!(client.digest(), digest, "none of them is an input");
    for info in [json!({}), json!({ "user": "u" }), json!({ "user": 7, "name": "n" })] {
        assert_eq!(subscribe(&mut client, info).status, 400);
    }
}

/// The stream of a refused framework reports that, and ends; nothing has changed.
#[test]
fn an_invalid_description_is_answered_with_an_error_event() {
    let mut client = three();
    let shown = |client: &mut Client| ["/state", "/slaves", "/roles"].map(|path| client.get(path).json());
    let before = shown(&mut client);
    for (info, says) in [
        (json!({ "user": "u", "name": "n", "roles": ["a"] }), "MULTI_ROLE"),
        (json!({ "user": "u", "name": "n", "role": "-a" }), "not a role"),
        (json!({ "user": "u", "name": "n", "failover_timeout": -1 }), "failover_timeout"),
        (json!({ "user": "u", "name": "n", "offer_filters": { "a": {} } }), "offer_filters"),
        (json!({ "user": "u", "name": "n", "id": { "value": "a/b" } }), "'a/b' contains invalid characters"),
        (json!({ "user": "u", "name": "n", "id": { "value": ".." } }), "'..' is disallowed"),
    ] {
        let response = subscribe(&mut client, info.clone());
        assert_eq!(response.status, 200, "{info}: {}", text(&response));
        assert!(response.headers.iter().any(|(name, _)| *name == "mesos-stream-id"));
        assert!(response.rest == planarium_rest::Rest::Ended, "nothing more comes");
        let (length, event) =
            text(&response).split_once('\n').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert_eq!(length, event.len().to_string());
        let event: Value = serde_json::from_str(&event).unwrap();
        assert_eq!(event["type"], "ERROR");
        assert!(event["error"]["message"].as_str().unwrap().contains(says), "{event}");
        assert_eq!(shown(&mut client), before, "{info}");
    }
}

#[test]
fn a_stream_ends_when_replaced_or_closed() {
    let mut client = three();
    let mut first = Scheduler::new(&mut client, "f");
    let info = json!({ "user": "root", "name": "f", "role": "dev", "id": { "value": first.id }, "failover_timeout": 60 });
    let response = subscribe(&mut client, info);
    assert_eq!(response.status, 200, "{}", text(&response));
    assert!(first.listen(&client), "it listens elsewhere now");
    let digest = client.digest();
    close_stream(&first.stream, &mut client.session);
    assert_eq!(client.digest(), digest, "the end of a stream that was left before means nothing");

    let second = response.rest.events().unwrap();
    close_stream(&second, &mut client.session);
    let shown = client.get("/frameworks").json();
    assert_eq!(shown["frameworks"][0]["connected"], false);
    let body = json!({ "type": "REVIVE", "framework_id": { "value": first.id } }).to_string();
    assert_eq!(request(&mut client, "/api/v1/scheduler", &[JSON], &body).status, 403);
    client.advance(60_000);
    let shown = client.get("/frameworks").json();
    assert_eq!(shown["completed_frameworks"][0]["id"], first.id);
}

/// Another master takes over: the stream ends, and the framework finds its task when it subscribes again.
#[test]
fn a_framework_returns_to_a_master_that_has_failed_over() {
    let mut client = three();
    let mut first = Scheduler::new(&mut client, "f");
    let offer = first.heard[1]["offers"]["offers"][0].clone();
    first.call(&mut client, &launch(&offer, "t", &[scalar("cpus", 1.0)]), 202);
    client.advance(20_000);
    for _ in 0..2 {
        let status = first.last_status(&client);
        first.call(&mut client, &acknowledge(&status), 202);
    }
    client.input(&json!({ "kind": "fault", "fault": "master-failover" }));
    assert!(first.listen(&client), "nobody is at the other end");
    first.call(&mut client, &json!({ "type": "REVIVE" }), 403);
    let state = client.get("/state").json();
    assert_eq!(
        (state["recovered_slaves"].as_array().map(Vec::len), state["slaves"].as_array().map(Vec::len)),
        (Some(3), Some(0))
    );
    assert_eq!(state["frameworks"][0]["recovered"], true);
    let (code, agents) = operator(&mut client, &json!({ "type": "GET_AGENTS" }));
    assert_eq!((code, agents["get_agents"]["recovered_agents"].as_array().map(Vec::len)), (200, Some(3)));
    client.advance(5_000);
    assert_eq!(client.get("/tasks").json()["tasks"][0]["state"], "TASK_RUNNING");
    let info = json!({ "user": "root", "name": "f", "role": "dev", "id": { "value": first.id } });
    let response = subscribe(&mut client, info);
    assert_eq!(response.status, 200, "{}", text(&response));
    let stream_id = response.headers.iter().find(|(name, _)| *name == "mesos-stream-id").unwrap().1.clone();
    let mut second = Scheduler {
        id: first.id.clone(),
        stream_id,
        stream: response.rest.events().unwrap(),
        heard: Vec::new(),
    };
    assert!(!second.listen(&client));
    assert_eq!(second.heard[0]["subscribed"]["framework_id"]["value"], first.id);
    second.call(&mut client, &json!({ "type": "RECONCILE", "reconcile": {} }), 202);
    assert_eq!(second.last_status(&client)["state"], "TASK_RUNNING");
    assert_eq!(second.last_status(&client)["reason"], "REASON_RECONCILIATION");
}

/// A framework may have an id from a master unknown here; once removed it is not accepted again.
#[test]
fn a_framework_brings_its_id_along() {
    let mut client = three();
    // The id that the next new framework would get.
    let next = Scheduler::new(&mut client, "first").id.replace("-0000", "-0001");
    for id in ["of-another-master", next.as_str()] {
        let info = json!({ "user": "root", "name": "f", "role": "dev", "id": { "value": id } });
        let response = subscribe(&mut client, info.clone());
        let mut stream = response.rest.events().expect("it goes on");
        let heard = String::from_utf8(poll_stream(&mut stream, &client.session).bytes).unwrap();
        assert!(heard.contains(&format!("\"framework_id\":{{\"value\":\"{id}\"}}")), "{heard}");
        close_stream(&stream, &mut client.session);
        client.advance(1);
        let again = subscribe(&mut client, info);
        assert!(again.rest == planarium_rest::Rest::Ended, "without a failover timeout it was removed");
        assert!(text(&again).contains("Framework has been removed"), "{}", text(&again));
    }
    assert_eq!(Scheduler::new(&mut client, "last").id, next.replace("-0001", "-0003"));
}

#[test]
fn two_frameworks_with_one_name_are_distinguished() {
    let mut client = three();
    let first = Scheduler::new(&mut client, "f");
    let mut second = Scheduler::new(&mut client, "f");
    assert_ne!(first.id, second.id);
    second.listen(&client);
    assert_eq!(second.heard[0]["subscribed"]["framework_id"]["value"], second.id);
}

#[test]
fn turning_time_back_ends_the_stream() {
    let mut client = three();
    client.advance(1_000);
    let mut scheduler = Scheduler::new(&mut client, "f");
    client.advance(5_000);
    client.post("/sim/seek", &json!({ "at_ms": 500 })).status(200);
    assert!(scheduler.listen(&client));
    let before = client.get("/sim/branches").json();
    close_stream(&scheduler.stream, &mut client.session);
    assert_eq!(client.get("/sim/branches").json(), before, "it opens no branch");
}
