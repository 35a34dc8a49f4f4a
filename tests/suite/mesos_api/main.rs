//! The Mesos master's API: shapes of reads, codes of writes, frameworks over HTTP.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod frameworks;
mod hostile;
mod maintenance_tool;
mod operator;
mod reads;
mod scheduler;
mod shares;
mod writes;

use planarium_rest::{Request, Response, handle};
use planarium_tests::Client;
use serde_json::{Value, json};

/// The four places where an endpoint of the master answers.
pub(crate) const PREFIXES: [&str; 4] = ["", "/master", "/mesos", "/mesos/master"];

/// A request with headers.
pub(crate) fn request(client: &mut Client, target: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let mut request = Request::new("POST", target, body);
    request.headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    handle(&mut client.session, &request)
}

pub(crate) fn text(response: &Response) -> String {
    String::from_utf8_lossy(&response.body).into_owned()
}

/// A v1 operator call; status and body.
pub(crate) fn operator(client: &mut Client, body: &Value) -> (u16, Value) {
    let response = request(client, "/api/v1", &[("content-type", "application/json")], &body.to_string());
    (response.status, serde_json::from_slice(&response.body).unwrap_or_else(|_| json!(text(&response))))
}

/// Three machines of 4 cpus, 4096 MB of memory and 8192 MB of disk; the second one in its own zone.
pub(crate) fn three() -> Client {
    let mut client = Client::default();
    for (hostname, zone) in [("a", "z1"), ("b", "z2"), ("c", "z1")] {
        client.input(&json!({
            "kind": "add-agent", "hostname": hostname, "region": "r", "zone": zone,
            "attributes": { "rack": "r1", "level": "3" },
            "resources": { "cpus": 4, "mem": 4096, "disk": 8192, "ports": "[31000-31010]" },
        }));
    }
    client
}

/// An agent's id on the wire.
pub(crate) fn agent_id(client: &mut Client, hostname: &str) -> String {
    let slaves = client.get("/slaves").json();
    let found = slaves["slaves"].as_array().unwrap().iter().find(|slave| slave["hostname"] == hostname);
    found.unwrap()["id"].as_str().unwrap().to_owned()
}

/// Adds a framework that waits for calls; its id on the wire.
pub(crate) fn framework(client: &mut Client, name: &str, capabilities: &[&str]) -> String {
    let types: Vec<Value> = capabilities.iter().map(|word| json!({ "type": word })).collect();
    let info =
        json!({ "user": "root", "name": name, "principal": "p", "checkpoint": true, "capabilities": types });
    let subscribe = json!({ "type": "SUBSCRIBE", "subscribe": { "framework_info": info } });
    let reply = client.input(&json!({
        "kind": "framework", "op": "add", "name": name, "roles": ["dev"], "policy": "manual", "call": subscribe,
    }));
    reply["reply"]["framework_id"].as_str().unwrap().to_owned()
}

/// Events sent to a framework, oldest first.
pub(crate) fn told(client: &mut Client, name: &str) -> Vec<Value> {
    let events = client.get("/sim/events").json();
    let all = events.as_array().unwrap().iter();
    all.filter(|event| event["kind"] == "framework-event" && event["framework"] == name)
        .map(|event| event["event"].clone())
        .collect()
}

/// Types of the events sent to a framework.
pub(crate) fn types(client: &mut Client, name: &str) -> Vec<String> {
    told(client, name).iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

/// The last offer of an agent sent to a framework.
pub(crate) fn last_offer(client: &mut Client, name: &str, hostname: &str) -> Value {
    let offers = told(client, name);
    let mut offers = offers.iter().rev().filter_map(|event| event["offers"]["offers"].as_array()).flatten();
    offers.find(|offer| offer["hostname"] == hostname).unwrap().clone()
}

/// A call as the framework of this name makes it.
pub(crate) fn call(client: &mut Client, name: &str, call: Value) {
    client.input(&json!({ "kind": "framework", "op": "call", "name": name, "call": call }));
}

/// A scalar of this role; the old form for a static one.
pub(crate) fn scalar(name: &str, amount: f64) -> Value {
    json!({ "name": name, "type": "SCALAR", "scalar": { "value": amount } })
}

/// A launch of one task on an offer.
pub(crate) fn launch(offer: &Value, task_id: &str, resources: &[Value]) -> Value {
    json!({
        "type": "ACCEPT",
        "accept": {
            "offer_ids": [offer["id"]],
            "operations": [{
                "type": "LAUNCH",
                "launch": { "task_infos": [{
                    "name": task_id, "task_id": { "value": task_id }, "agent_id": offer["agent_id"],
                    "command": { "value": "./run" }, "resources": resources,
                }] },
            }],
        },
    })
}
