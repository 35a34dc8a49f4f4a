//! Marathon's API over the router: codes and texts of refusals, plans of accepted changes, reads.
//!
//! Every table was compared with the rules of `mesosphere/marathon` 1.11: `api/v2`, `api/MarathonExceptionMapper.scala`,
//! `core/deployment/DeploymentPlan.scala`, `upgrade/GroupVersioningUtil.scala`.

mod again;
mod alike;
mod deployments;
mod events;
mod media_types;
mod reads;
mod refused;
mod remedies;
#[expect(clippy::expect_used, reason = "helpers of tests")]
mod texts;
mod upstream;
mod ways_out;
mod whys;

use planarium_rest::{Request, handle};
use planarium_tests::Client;
use serde_json::{Value, json};

/// An app that runs on.
fn app(id: &str, more: Value) -> Value {
    let mut app = json!({"id": id, "cmd": "sleep 100000", "cpus": 0.05, "mem": 16});
    if let (Some(all), Value::Object(more)) = (app.as_object_mut(), more) {
        all.extend(more);
    }
    app
}

fn client() -> Client {
    Client::with_cluster("small")
}

fn pass(client: &mut Client, seconds: u64) {
    client.post("/sim/advance", &json!({"for_ms": seconds * 1000})).status(200);
}

/// Sends one call; `Null` means no body.
fn call(client: &mut Client, method: &str, path: &str, body: &Value) -> planarium_tests::Answer {
    let text = match body {
        Value::Null => String::new(),
        // A text is sent unchanged.
        Value::String(text) => text.clone(),
        body => body.to_string(),
    };
    client.send(method, path, text)
}

/// Steps of the deployments under way, as `Scale /a, Scale /b`.
fn steps(client: &mut Client) -> Vec<Vec<String>> {
    let all = client.get("/v2/deployments").status(200).json();
    let shown = |step: &Value| {
        let action = |action: &Value| {
            let name = action["action"].as_str().unwrap_or_default();
            let id = action["app"].as_str().or(action["pod"].as_str()).unwrap_or_default();
            format!("{} {id}", name.trim_end_matches("Application"))
        };
        step["actions"].as_array().into_iter().flatten().map(action).collect::<Vec<_>>().join(", ")
    };
    let steps = |one: &Value| one["steps"].as_array().into_iter().flatten().map(shown).collect();
    all.as_array().into_iter().flatten().map(steps).collect()
}

/// The steps of one change, which is over then.
fn plan(client: &mut Client, method: &str, path: &str, body: &Value) -> Vec<String> {
    let answer = call(client, method, path, body);
    assert!(matches!(answer.status, 200 | 201), "{}: {}", answer.asked, answer.text);
    let found = steps(client).pop().unwrap_or_default();
    pass(client, 120);
    assert_eq!(steps(client), Vec::<Vec<String>>::new(), "{}: still deploying", answer.asked);
    found
}

/// A client of a small cluster with Marathon started under flags.
fn with_flags(env: &Value) -> Client {
    let mut client = client();
    let first = app("/first", json!({"instances": 0, "portDefinitions": []})).to_string();
    let load = json!({"dialect": "marathon", "files": {"first.json": first}, "env": env});
    client.post("/sim/services", &load).status(200);
    client
}
