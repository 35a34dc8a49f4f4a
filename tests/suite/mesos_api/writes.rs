//! Reservations, volumes and the end of frameworks, asked for by an operator.

use crate::{agent_id, call, framework, last_offer, launch, operator, scalar, three, told, types};
use planarium_tests::Client;
use serde_json::{Value, json};

fn reserved(name: &str, amount: f64, role: &str) -> Value {
    let mut resource = scalar(name, amount);
    resource["reservations"] = json!([{ "type": "DYNAMIC", "role": role, "principal": "p" }]);
    resource
}

fn volume(amount: f64, role: &str, id: &str) -> Value {
    let mut resource = reserved("disk", amount, role);
    resource["disk"] = json!({
        "persistence": { "id": id, "principal": "p" }, "volume": { "container_path": "data", "mode": "RW" },
    });
    resource
}

/// Percent-encoding of everything but letters and digits.
pub(crate) fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric();
    text.bytes()
        .map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// A form to a v0 endpoint; status and text.
fn form(client: &mut Client, path: &str, fields: &[(&str, String)]) -> (u16, String) {
    let body: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    let answer = client.send("POST", path, body.join("&"));
    (answer.status, answer.text)
}

fn convert(client: &mut Client, path: &str, agent: &str, list: &str, resources: Value) -> u16 {
    form(client, path, &[("slaveId", agent.to_owned()), (list, resources.to_string())]).0
}

fn slave(client: &mut Client, id: &str) -> Value {
    client.get(&format!("/slaves?slave_id={id}")).json()["slaves"][0].clone()
}

#[test]
fn resources_are_reserved_turned_into_volumes_and_back() {
    let mut client = three();
    let a = agent_id(&mut client, "a");
    let cpus = json!([reserved("cpus", 1.0, "dev"), reserved("disk", 100.0, "dev")]);
    assert_eq!(convert(&mut client, "/reserve", &a, "resources", cpus), 202);
    let shown = slave(&mut client, &a);
    assert_eq!(
        (&shown["reserved_resources"]["dev"]["cpus"], &shown["unreserved_resources"]["cpus"]),
        (&json!(1), &json!(3))
    );
    let full = &shown["reserved_resources_full"]["dev"][0];
    assert_eq!((&full["role"], &full["reservation"]["principal"]), (&json!("dev"), &json!("p")));
    assert_eq!(full["reservations"][0]["type"], "DYNAMIC");

    // The old form works, too; the full form can be sent back unchanged.
    let mut old = scalar("cpus", 0.5);
    old["role"] = json!("dev");
    old["reservation"] = json!({ "principal": "p" });
    assert_eq!(convert(&mut client, "/master/reserve", &a, "resources", json!([old])), 202);
    assert_eq!(slave(&mut client, &a)["reserved_resources"]["dev"]["cpus"], 1.5);

    let disk = json!([volume(60.0, "dev", "v1")]);
    assert_eq!(convert(&mut client, "/create-volumes", &a, "volumes", disk.clone()), 202);
    assert_eq!(convert(&mut client, "/create-volumes", &a, "volumes", disk.clone()), 400, "the id is taken");
    let rest = json!([reserved("disk", 100.0, "dev")]);
    assert_eq!(convert(&mut client, "/unreserve", &a, "resources", rest), 409, "60 of it are a volume");
    assert_eq!(convert(&mut client, "/unreserve", &a, "resources", disk.clone()), 400);
    assert_eq!(convert(&mut client, "/mesos/destroy-volumes", &a, "volumes", disk.clone()), 202);
    assert_eq!(convert(&mut client, "/destroy-volumes", &a, "volumes", disk), 400, "it is gone");
    let all = slave(&mut client, &a)["reserved_resources_full"]["dev"].clone();
    assert_eq!(convert(&mut client, "/unreserve", &a, "resources", all), 202);
    assert_eq!(slave(&mut client, &a)["reserved_resources"], json!({}));
    assert_eq!(slave(&mut client, &a)["unreserved_resources"]["cpus"], 4);
}

#[test]
fn the_same_by_the_v1_api() {
    let mut client = three();
    let a = json!({ "value": agent_id(&mut client, "a") });
    let mut ask = |kind: &str, list: &str, resources: Value| {
        let mut body = json!({ "type": kind });
        body[kind.to_lowercase()] = json!({ "agent_id": a, list: resources });
        operator(&mut client, &body).0
    };
    assert_eq!(ask("RESERVE_RESOURCES", "resources", json!([reserved("disk", 10.0, "dev")])), 202);
    assert_eq!(ask("CREATE_VOLUMES", "volumes", json!([volume(10.0, "dev", "v")])), 202);
    assert_eq!(ask("UNRESERVE_RESOURCES", "resources", json!([reserved("disk", 10.0, "dev")])), 409);
    assert_eq!(ask("DESTROY_VOLUMES", "volumes", json!([volume(10.0, "dev", "v")])), 202);
    assert_eq!(ask("UNRESERVE_RESOURCES", "resources", json!([reserved("disk", 10.0, "dev")])), 202);
    assert_eq!(ask("RESERVE_RESOURCES", "resources", json!([reserved("cpus", 99.0, "dev")])), 409);
    assert_eq!(ask("RESERVE_RESOURCES", "resources", json!([])), 202, "nothing to do");
    assert_eq!(ask("RESERVE_RESOURCES", "resources", json!([reserved("gpus", 0.0, "dev")])), 202, "the same");
    assert_eq!(ask("RESERVE_RESOURCES", "resources", json!([reserved("gpus", 0.5, "dev")])), 400);
}

#[test]
fn refused_requests_change_nothing() {
    let mut client = three();
    framework(&mut client, "f", &["MULTI_ROLE"]);
    let offer = last_offer(&mut client, "f", "a");
    call(&mut client, "f", launch(&offer, "t", &[scalar("cpus", 3.0), scalar("mem", 64.0)]));
    client.advance(10_000);
    let a = agent_id(&mut client, "a");
    let one = |resource: Value| json!([resource]).to_string();
    let plain = one(scalar("cpus", 1.0));
    let good = one(reserved("cpus", 1.0, "dev"));
    let mut given = reserved("cpus", 1.0, "dev");
    given["allocation_info"] = json!({ "role": "dev" });
    let mut fixed = scalar("cpus", 1.0);
    fixed["role"] = json!("dev");
    for (path, agent, list, body, status) in [
        ("/reserve", "", "resources", good.clone(), 400),
        ("/reserve", "nobody", "resources", good.clone(), 400),
        ("/reserve", a.as_str(), "nothing", good.clone(), 400),
        ("/reserve", a.as_str(), "resources", "[".to_owned(), 400),
        ("/reserve", a.as_str(), "resources", "{}".to_owned(), 400),
        ("/reserve", a.as_str(), "resources", "[1]".to_owned(), 400),
        ("/reserve", a.as_str(), "resources", plain.clone(), 400),
        ("/reserve", a.as_str(), "resources", one(fixed), 400),
        ("/reserve", a.as_str(), "resources", one(given), 400),
        ("/reserve", a.as_str(), "resources", one(reserved("cpus", -1.0, "dev")), 400),
        ("/reserve", a.as_str(), "resources", one(reserved("cpus", 1.0, "*")), 400),
        ("/reserve", a.as_str(), "resources", one(reserved("cpus", 1.0, "a//b")), 400),
        ("/reserve", a.as_str(), "resources", one(reserved("cpus", 2.0, "dev")), 409),
        ("/reserve", a.as_str(), "resources", one(reserved("cpus", 9.0, "dev")), 409),
        ("/unreserve", a.as_str(), "resources", plain, 400),
        ("/unreserve", a.as_str(), "resources", good, 409),
        ("/create-volumes", a.as_str(), "volumes", one(reserved("disk", 1.0, "dev")), 400),
        ("/create-volumes", a.as_str(), "volumes", one(volume(1.0, "dev", "")), 400),
        ("/create-volumes", a.as_str(), "volumes", one(volume(1.0, "dev", "v")), 409),
        ("/destroy-volumes", a.as_str(), "volumes", one(volume(1.0, "dev", "v")), 400),
    ] {
        let before = (client.get("/state").text, client.state());
        let (got, text) = form(&mut client, path, &[("slaveId", agent.to_owned()), (list, body.clone())]);
        assert_eq!(got, status, "{path} {agent} {body}: {text}");
        assert!(!text.is_empty(), "{path} {body}: an empty text");
        assert_eq!((client.get("/state").text, client.state()), before, "{path} {body}");
    }
    for (fields, status) in [(&[][..], 400), (&[("frameworkId", "nobody".to_owned())], 400)] {
        let before = client.get("/state").text;
        assert_eq!(form(&mut client, "/teardown", fields).0, status);
        assert_eq!(client.get("/state").text, before);
    }
}

#[test]
fn only_conflicting_offers_are_rescinded() {
    let mut client = three();
    framework(&mut client, "f", &[]);
    let a = agent_id(&mut client, "a");
    let offer = last_offer(&mut client, "f", "a");
    let before = types(&mut client, "f").len();
    assert_eq!(convert(&mut client, "/reserve", &a, "resources", json!([reserved("cpus", 1.0, "dev")])), 202);
    let events = told(&mut client, "f").split_off(before);
    assert_eq!(events.len(), 1, "the offers of other agents stay: {events:?}");
    assert_eq!(events[0], json!({ "type": "RESCIND", "rescind": { "offer_id": offer["id"] } }));
    // Recovered resources are filtered for five seconds; the reservation exceeds the filter.
    client.advance(1_000);
    let again = last_offer(&mut client, "f", "a");
    assert_ne!(again["id"], offer["id"]);
    let old_form = again["resources"].as_array().unwrap().iter().find(|one| one["role"] == "dev").unwrap();
    assert_eq!((&old_form["name"], &old_form["reservation"]["principal"]), (&json!("cpus"), &json!("p")));
    // Enough is free on a machine whose offer was declined: nothing has to be taken back.
    let decline = json!({ "type": "DECLINE", "decline": { "offer_ids": [again["id"]], "filters": { "refuse_seconds": 3600 } } });
    call(&mut client, "f", decline);
    let before = types(&mut client, "f").len();
    assert_eq!(
        convert(&mut client, "/reserve", &a, "resources", json!([reserved("mem", 64.0, "other")])),
        202
    );
    assert_eq!(types(&mut client, "f").len(), before);
}

#[test]
fn a_framework_is_torn_down() {
    let mut client = three();
    let id = framework(&mut client, "f", &[]);
    let offer = last_offer(&mut client, "f", "b");
    call(&mut client, "f", launch(&offer, "t", &[scalar("cpus", 1.0)]));
    client.advance(10_000);
    assert_eq!(form(&mut client, "/teardown", &[("frameworkId", id.clone())]).0, 200);
    let shown = client.get("/frameworks").json();
    assert_eq!((&shown["frameworks"], &shown["completed_frameworks"][0]["id"]), (&json!([]), &json!(id)));
    assert_eq!(shown["completed_frameworks"][0]["completed_tasks"][0]["state"], "TASK_KILLED");
    assert_eq!(form(&mut client, "/teardown", &[("frameworkId", id)]).0, 400, "it is gone");
    let other = framework(&mut client, "g", &[]);
    let teardown = json!({ "type": "TEARDOWN", "teardown": { "framework_id": { "value": other } } });
    assert_eq!(operator(&mut client, &teardown).0, 200);
}

#[test]
fn writes_are_replayed_exactly() {
    let mut client = three();
    framework(&mut client, "f", &[]);
    let a = agent_id(&mut client, "a");
    assert_eq!(convert(&mut client, "/reserve", &a, "resources", json!([reserved("cpus", 1.0, "dev")])), 202);
    assert_eq!(convert(&mut client, "/reserve", &a, "resources", json!([reserved("cpus", 9.0, "dev")])), 409);
    client.advance(3_000);
    let (journal, digest) = (client.get("/sim/journal").json(), client.digest());
    let mut again = Client::default();
    again.put("/sim/journal", &journal).status(200);
    assert_eq!(again.digest(), digest);
    assert_eq!(again.get("/state").text, client.get("/state").text);
}

#[test]
fn calls_may_be_applied_as_inputs() {
    let mut client = three();
    let a = agent_id(&mut client, "a");
    let mut put = |method: &str, path: &str, body: Value| {
        let input = json!({ "kind": "call", "method": method, "path": path, "body": body });
        let answer = client.post("/sim/inputs", &input);
        let reply = answer.json();
        if answer.status == 200 { reply["reply"].clone() } else { reply["status"].clone() }
    };
    let resources = json!([reserved("cpus", 1.0, "dev")]);
    let form = json!({ "slaveId": a, "resources": resources });
    assert_eq!(put("POST", "/master/reserve", form.clone()), json!({ "status": 202 }));
    assert_eq!(put("POST", "/unreserve", form), json!({ "status": 202 }));
    let text = format!("slaveId={a}&resources={}", encoded(&resources.to_string()));
    assert_eq!(put("POST", "/reserve", json!(text)), json!({ "status": 202 }));
    assert_eq!(put("POST", "/reserve", json!({ "slaveId": "x", "resources": [] })), 400);
    assert_eq!(put("GET", "/reserve", Value::Null), 405);
    assert_eq!(put("PUT", "/reserve", json!(text)), 405);
    let slaves = put("GET", &format!("/slaves?slave_id={a}"), Value::Null);
    assert_eq!(slaves["body"]["slaves"][0]["reserved_resources"]["dev"]["cpus"], 1);
    let health = put("POST", "/api/v1", json!({ "type": "GET_HEALTH" }));
    assert_eq!(health["body"]["get_health"]["healthy"], true);
    assert_eq!(put("GET", "/maintenance/schedule", Value::Null), json!({ "status": 200, "body": {} }));
}
