//! Weights, quotas and re-reservations, requested by an operator over HTTP.

use crate::{PREFIXES, agent_id, framework, operator, scalar, three, types};
use planarium_tests::Client;
use serde_json::{Value, json};

/// The whole state, as far as it shows itself.
fn whole(client: &mut Client) -> [String; 4] {
    let state = client.state().to_string();
    [client.get("/state").text, client.get("/quota").text, client.get("/weights").text, state]
}

fn role(client: &mut Client, name: &str) -> Value {
    let roles = client.get("/roles").json();
    let found = roles["roles"].as_array().unwrap().iter().find(|role| role["name"] == name);
    found.unwrap().clone()
}

fn limited(role: &str, cpus: f64) -> Value {
    json!({ "role": role, "limits": { "cpus": { "value": cpus } } })
}

fn update(configs: &Value) -> Value {
    json!({ "type": "UPDATE_QUOTA", "update_quota": { "quota_configs": configs } })
}

#[test]
fn weights_are_set_and_shown_by_both_apis() {
    let mut client = three();
    framework(&mut client, "f", &[]);
    assert_eq!(client.get("/weights").json(), json!([]));
    assert_eq!(
        operator(&mut client, &json!({ "type": "GET_WEIGHTS" })),
        (200, json!({ "type": "GET_WEIGHTS" }))
    );
    let before = types(&mut client, "f");
    let body = json!([{ "role": " dev ", "weight": 2.5 }, { "role": "eng/backend", "weight": "3" }]);
    let answer = client.put("/weights", &body);
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    assert_eq!(types(&mut client, "f"), before, "nobody is told, and no offer is taken back");
    let all = json!([{ "role": "dev", "weight": 2.5 }, { "role": "eng/backend", "weight": 3.0 }]);
    for prefix in PREFIXES {
        assert_eq!(client.get(&format!("{prefix}/weights")).json(), all);
    }
    let call = json!({ "type": "UPDATE_WEIGHTS", "update_weights": { "weight_infos": [{ "role": "dev", "weight": 4 }] } });
    assert_eq!(operator(&mut client, &call), (200, json!("")));
    let (_, shown) = operator(&mut client, &json!({ "type": "GET_WEIGHTS" }));
    assert_eq!(shown["get_weights"]["weight_infos"][0], json!({ "role": "dev", "weight": 4.0 }));
    assert_eq!(role(&mut client, "dev")["weight"], 4.0);
    assert_eq!(
        (&role(&mut client, "eng")["weight"], &role(&mut client, "eng/backend")["weight"]),
        (&json!(1.0), &json!(3.0))
    );
    let (_, roles) = operator(&mut client, &json!({ "type": "GET_ROLES" }));
    let dev = &roles["get_roles"]["roles"][0];
    assert_eq!(
        (&dev["name"], &dev["weight"], dev["frameworks"].as_array().unwrap().len()),
        (&json!("dev"), &json!(4.0), 1)
    );
}

#[test]
fn quotas_are_set_and_shown_by_both_apis() {
    let mut client = three();
    assert_eq!(client.get("/quota").json(), json!({}));
    let guarantee = [scalar("cpus", 2.0), scalar("mem", 512.0)];
    let answer = client.post("/quota", &json!({ "role": "dev", "guarantee": guarantee }));
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    let amounts = json!({ "cpus": { "value": 2 }, "mem": { "value": 512 } });
    let status = json!({
        "infos": [{ "role": "dev", "guarantee": [
            { "name": "cpus", "type": "SCALAR", "scalar": { "value": 2 } },
            { "name": "mem", "type": "SCALAR", "scalar": { "value": 512 } },
        ] }],
        "configs": [{ "role": "dev", "guarantees": amounts, "limits": amounts }],
    });
    for prefix in PREFIXES {
        assert_eq!(client.get(&format!("{prefix}/quota")).json(), status);
    }
    let reply = json!({ "type": "GET_QUOTA", "get_quota": { "status": status } });
    assert_eq!(operator(&mut client, &json!({ "type": "GET_QUOTA" })), (200, reply));
    framework(&mut client, "f", &[]);
    let shown = role(&mut client, "dev");
    assert_eq!(
        shown["quota"],
        json!({
            "role": "dev", "guarantee": { "cpus": 2, "mem": 512 }, "limit": { "cpus": 2, "mem": 512 }, "consumed": {},
        })
    );
    assert_eq!((&shown["offered"]["cpus"], &shown["allocated"]["cpus"]), (&json!(2), &json!(0)));
    assert_eq!(operator(&mut client, &update(&json!([limited("dev", 3.0), limited("ops", 0.0)]))).0, 200);
    let configs = client.get("/quota").json()["configs"].clone();
    assert_eq!(
        configs,
        json!([limited("dev", 3.0), limited("ops", 0.0)])
            .to_string()
            .replace(".0", "")
            .parse::<Value>()
            .unwrap()
    );
    assert_eq!(client.send("DELETE", "/master/quota/dev", "").status, 200);
    assert_eq!(
        operator(&mut client, &json!({ "type": "REMOVE_QUOTA", "remove_quota": { "role": "ops" } })).0,
        200
    );
    let request = json!({ "role": "dev", "guarantee": guarantee, "force": true });
    let call = json!({ "type": "SET_QUOTA", "set_quota": { "quota_request": request } });
    assert_eq!(operator(&mut client, &call).0, 200);
    assert_eq!(operator(&mut client, &update(&json!([{ "role": "dev" }]))).0, 200);
    assert_eq!(client.get("/quota").json(), json!({}), "neither guarantees nor limits: no quota");
}

#[test]
fn refused_requests_change_nothing() {
    let mut client = three();
    framework(&mut client, "f", &[]);
    let one = [scalar("cpus", 1.0)];
    client.post("/quota", &json!({ "role": "taken", "guarantee": one })).status(200);
    client.put("/weights", &json!([{ "role": "dev", "weight": 2 }])).status(200);
    let mut reserved = scalar("cpus", 1.0);
    reserved["role"] = json!("dev");
    let ports =
        json!({ "name": "ports", "type": "RANGES", "ranges": { "range": [{ "begin": 1, "end": 2 }] } });
    let big = json!({ "role": "a", "guarantee": [scalar("cpus", 13.0)] });
    let long = "x".repeat(2_000);
    let deep = vec!["a"; 600].join("/");
    for (method, path, body, status) in [
        ("PUT", "/weights", String::new(), 400),
        ("PUT", "/weights", "{}".to_owned(), 400),
        ("PUT", "/weights", "[1]".to_owned(), 400),
        ("PUT", "/weights", "[{}]".to_owned(), 400),
        ("PUT", "/weights", json!([{ "role": "dev" }]).to_string(), 400),
        ("PUT", "/weights", json!([{ "weight": 1 }]).to_string(), 400),
        ("PUT", "/weights", json!([{ "role": "dev", "weight": 0 }]).to_string(), 400),
        ("PUT", "/weights", json!([{ "role": "dev", "weight": -2 }]).to_string(), 400),
        ("PUT", "/weights", json!([{ "role": "dev", "weight": 0.0004 }]).to_string(), 400),
        ("PUT", "/weights", json!([{ "role": "dev", "weight": "Infinity" }]).to_string(), 400),
        (
            "PUT",
            "/weights",
            json!([{ "role": "dev", "weight": 3 }, { "role": "a//b", "weight": 1 }]).to_string(),
            400,
        ),
        ("PUT", "/weights", json!([{ "role": long, "weight": 1 }]).to_string(), 400),
        ("PUT", "/weights", json!([{ "role": deep, "weight": 1 }]).to_string(), 400),
        ("POST", "/weights", "[]".to_owned(), 405),
        ("DELETE", "/weights", String::new(), 405),
        ("POST", "/quota", "[".to_owned(), 400),
        ("POST", "/quota", "[]".to_owned(), 400),
        ("POST", "/quota", json!({ "guarantee": one }).to_string(), 400),
        ("POST", "/quota", json!({ "role": "a" }).to_string(), 400),
        ("POST", "/quota", json!({ "role": "a", "guarantee": [] }).to_string(), 400),
        ("POST", "/quota", json!({ "role": "a", "guarantee": [one[0], one[0]] }).to_string(), 400),
        ("POST", "/quota", json!({ "role": "a", "guarantee": [reserved] }).to_string(), 400),
        ("POST", "/quota", json!({ "role": "a", "guarantee": [ports] }).to_string(), 400),
        ("POST", "/quota", json!({ "role": "a", "guarantee": [scalar("cpus", -1.0)] }).to_string(), 400),
        ("POST", "/quota", json!({ "role": "a/b", "guarantee": one }).to_string(), 400),
        ("POST", "/quota", json!({ "role": "-a", "guarantee": one }).to_string(), 400),
        ("POST", "/quota", json!({ "role": "taken", "guarantee": one }).to_string(), 400),
        ("POST", "/quota", big.to_string(), 409),
        ("PUT", "/quota", big.to_string(), 405),
        ("DELETE", "/quota", String::new(), 400),
        ("DELETE", "/quota/nobody", String::new(), 400),
        ("DELETE", "/quota/taken/x", String::new(), 400),
    ] {
        let before = whole(&mut client);
        let answer = client.send(method, path, body.clone());
        assert_eq!(answer.status, status, "{method} {path} {body}: {}", answer.text);
        assert!(!answer.text.is_empty(), "{method} {path} {body}: an empty text");
        assert_eq!(answer.allow.is_some(), status == 405, "{method} {path}");
        assert_eq!(whole(&mut client), before, "{method} {path} {body}");
    }
    for call in [
        json!({ "type": "UPDATE_WEIGHTS" }),
        json!({ "type": "UPDATE_WEIGHTS", "update_weights": { "weight_infos": [{ "role": "dev", "weight": 0 }] } }),
        json!({ "type": "SET_QUOTA", "set_quota": {} }),
        json!({ "type": "SET_QUOTA", "set_quota": { "quota_request": { "role": "a" } } }),
        json!({ "type": "REMOVE_QUOTA", "remove_quota": {} }),
        json!({ "type": "REMOVE_QUOTA", "remove_quota": { "role": "a" } }),
        update(&json!([{ "limits": { "cpus": { "value": 1 } } }])),
        update(&json!([{ "role": "a", "limits": { "cpus": 1 } }])),
        update(&json!([{ "role": "a", "limits": { "cpus": { "value": -1 } } }])),
        update(&json!([{ "role": "a", "limits": [] }])),
        update(&json!([limited("a", 1.0), limited("a/b", 1.0)])),
        update(&json!([limited("a", 2e12)])),
        update(&json!([{ "role": "a", "guarantees": { "cpus": { "value": 13 } } }])),
        update(
            &json!([{ "role": "a", "guarantees": { "cpus": { "value": 2 } }, "limits": { "cpus": { "value": 1 } } }]),
        ),
    ] {
        let before = whole(&mut client);
        let (status, text) = operator(&mut client, &call);
        assert_eq!(status, 400, "{call}: {text}");
        assert!(!text.as_str().unwrap_or_default().is_empty(), "{call}: an empty text");
        assert_eq!(whole(&mut client), before, "{call}");
    }
}

/// Lists that are longer than anybody needs are refused at once, and change nothing.
#[test]
fn lists_without_end() {
    let mut client = three();
    let weights: Vec<Value> =
        (0..10_001).rev().map(|n| json!({ "role": format!("r{n}"), "weight": 2 })).collect();
    let configs: Vec<Value> = (0..1_001).map(|n| limited(&format!("r{n}"), 1.0)).collect();
    let kinds: serde_json::Map<String, Value> =
        (0..101).map(|n| (format!("k{n}"), json!({ "value": 1 }))).collect();
    let guarantee: Vec<Value> = (0..101).map(|n| scalar(&format!("k{n}"), 1.0)).collect();
    let roles: Vec<String> = (0..1_001).map(|n| format!("r{n}")).collect();
    let before = whole(&mut client);
    assert_eq!(client.put("/weights", &json!(weights)).status, 400);
    assert_eq!(operator(&mut client, &update(&json!(configs))).0, 400);
    assert_eq!(operator(&mut client, &update(&json!([{ "role": "a", "limits": kinds }]))).0, 400);
    assert_eq!(client.post("/quota", &json!({ "role": "a", "guarantee": guarantee })).status, 400);
    let info =
        json!({ "user": "u", "name": "f", "roles": roles, "capabilities": [{ "type": "MULTI_ROLE" }] });
    let subscribe = json!({ "type": "SUBSCRIBE", "subscribe": { "framework_info": info } });
    let headers = [("content-type", "application/json")];
    let response = crate::request(&mut client, "/api/v1/scheduler", &headers, &subscribe.to_string());
    assert_eq!(response.status, 400);
    assert_eq!(whole(&mut client), before);
    assert_eq!(client.put("/weights", &json!(weights[1..])).status, 200);
    assert_eq!(client.put("/weights", &json!([weights[0]])).status, 400, "one more");
    assert_eq!(client.put("/weights", &json!([weights[1]])).status, 200, "one that is there");
}

#[test]
fn calls_are_replayed_exactly() {
    let mut client = three();
    framework(&mut client, "f", &[]);
    client.put("/weights", &json!([{ "role": "dev", "weight": 2 }])).status(200);
    client.post("/quota", &json!({ "role": "ops", "guarantee": [scalar("cpus", 5.0)] })).status(200);
    client.send("DELETE", "/quota/nobody", "").status(400);
    client.advance(5_000);
    client.send("DELETE", "/quota/ops", "").status(200);
    client.advance(5_000);
    let journal = client.session.engine.journal();
    let again = planarium_world::Engine::from_journal(&journal).unwrap();
    assert_eq!(again.digest(), client.session.engine.digest());
}

#[test]
fn reservations_become_others() {
    let mut client = three();
    let agent = agent_id(&mut client, "a");
    let reserved = |amount: f64, roles: &[&str]| {
        let mut resource = scalar("cpus", amount);
        let layers = roles.iter().map(|role| json!({ "type": "DYNAMIC", "role": role, "principal": "p" }));
        resource["reservations"] = layers.collect();
        resource
    };
    let reserve = |client: &mut Client, resources: Value, source: Value| {
        let part = json!({ "agent_id": { "value": agent }, "resources": resources, "source": source });
        operator(client, &json!({ "type": "RESERVE_RESOURCES", "reserve_resources": part })).0
    };
    assert_eq!(reserve(&mut client, json!([reserved(2.0, &["dev"])]), json!([])), 202);
    for (resources, source, status) in [
        (json!([reserved(1.0, &["ops"])]), json!([reserved(2.0, &["dev"])]), 400),
        (json!([reserved(1.0, &["ops"])]), json!([reserved(1.0, &["qa"])]), 409),
        (json!([reserved(1.0, &["ops"]), reserved(1.0, &["qa"])]), json!([reserved(2.0, &["dev"])]), 400),
        (json!([reserved(1.0, &["ops"])]), json!([1]), 400),
    ] {
        let before = whole(&mut client);
        assert_eq!(
            reserve(&mut client, resources.clone(), source.clone()),
            status,
            "{resources} from {source}"
        );
        assert_eq!(whole(&mut client), before, "{resources} from {source}");
    }
    assert_eq!(reserve(&mut client, json!([reserved(1.0, &["ops"])]), json!([reserved(1.0, &["dev"])])), 202);
    assert_eq!(
        reserve(&mut client, json!([reserved(1.0, &["dev", "dev/x"])]), json!([reserved(1.0, &["dev"])])),
        202
    );
    let shown = client.get("/slaves").json()["slaves"][0]["reserved_resources"].clone();
    assert_eq!(
        (&shown["ops"]["cpus"], &shown["dev/x"]["cpus"], &shown["dev"]),
        (&json!(1), &json!(1), &Value::Null)
    );
    let form = format!(
        "slaveId={agent}&resources={}&source={}",
        json!([reserved(1.0, &["dev"])]).to_string().replace(' ', ""),
        json!([reserved(1.0, &["dev", "dev/x"])]).to_string().replace(' ', ""),
    );
    assert_eq!(client.send("POST", "/reserve", form).status, 202);
    assert_eq!(client.get("/slaves").json()["slaves"][0]["reserved_resources"]["dev"]["cpus"], 1);
}

#[test]
fn the_masters_flags_are_shown_and_kept() {
    let mut client = three();
    assert!(client.get("/state").json()["flags"]["offer_timeout"].is_null(), "for ever, by default");
    let scenario = json!({ "version": 1, "cluster": "1", "master": { "offer_timeout": "30s" } });
    client.put("/sim/scenario", &scenario).status(200);
    assert_eq!(client.get("/state").json()["flags"]["offer_timeout"], "30secs");
    let (_, flags) = operator(&mut client, &json!({ "type": "GET_FLAGS" }));
    let flag = json!({ "name": "offer_timeout", "value": "30secs" });
    assert!(flags["get_flags"]["flags"].as_array().unwrap().contains(&flag), "{flags}");
    framework(&mut client, "f", &[]);
    client.advance(100_000);
    assert_eq!(
        types(&mut client, "f"),
        ["SUBSCRIBED", "OFFERS", "RESCIND", "OFFERS", "RESCIND", "OFFERS", "RESCIND", "OFFERS"]
    );
    let journal = client.session.engine.journal();
    assert_eq!(journal.genesis.offer_timeout_ms, Some(30_000));
    let text = serde_json::to_string(&journal).unwrap();
    let again = planarium_world::Engine::from_journal(&serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(again.digest(), client.session.engine.digest());
}
